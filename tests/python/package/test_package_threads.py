"""Threads, progress and Ctrl-C: the interpreter lock is free during work, and what is finished is kept."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")

from conftest import ALL_MODIFIERS as ALL, ROOT, SIMPLE

pytestmark = pytest.mark.alone

LONG = 20_000_000  # toys: far more than a test waits for


def test_eight_threads_fit_at_once_with_the_same_bytes():
    model = nextstat.Model.from_workspace(ALL)
    data = nextstat.poisson_toys(model, n_toys=32, seed=1)
    expected = [nextstat.fit(model, data=row, threads=1) for row in data]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: nextstat.fit(model, data=row, threads=1), list(data) * 2))
    assert found == expected * 2
    assert [r.bestfit.tobytes() for r in found] == [r.bestfit.tobytes() for r in expected] * 2


def test_eight_threads_ask_different_questions_at_once():
    model = nextstat.Model.from_workspace(SIMPLE)
    questions = [lambda: nextstat.fit(model), lambda: nextstat.ranking(model), lambda: nextstat.upper_limit(model),
                 lambda: nextstat.significance(model), lambda: nextstat.fit_toys(model, n_toys=200),
                 lambda: nextstat.hypotest_toys(1, model, n_toys=200, return_result=True),
                 lambda: nextstat.profile_scan(model, np.linspace(0, 2, 9)), lambda: nextstat.goodness_of_fit(model)]
    expected = [ask() for ask in questions]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda ask: ask(), questions)) == expected


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_number_of_threads_changes_no_bit(threads):
    ask = [lambda **n: nextstat.fit_toys(ALL, n_toys=300, **n), lambda **n: nextstat.ranking(ALL, **n),
           lambda **n: nextstat.fit_batch(ALL, nextstat.poisson_toys(ALL, n_toys=40), **n)]
    for question in ask:
        assert question(threads=threads) == question()
    nextstat.set_threads(threads)
    try:
        assert nextstat.get_threads() == threads and nextstat.ranking(ALL) == nextstat.ranking(ALL, threads=3)
    finally:
        nextstat.set_threads(0)


def test_another_thread_runs_while_toys_are_fitted():
    steps, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            steps[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        time.sleep(0.05)
        before, begun = steps[0], time.perf_counter()
        nextstat.fit_toys(ALL, n_toys=20_000, collect=False, threads=1)
        took, made = time.perf_counter() - begun, steps[0] - before
    finally:
        stop.set()
        counter.join()
    assert took > 0.1, "long enough to tell"
    assert made > 50 * took, "the other thread was held up"


def test_progress_is_reported_in_order():
    seen = []
    nextstat.fit_toys(ALL, n_toys=60_000, collect=False, threads=1, progress=lambda done, total: seen.append((done, total)))
    assert len(seen) >= 2
    assert all(total == seen[0][1] for _, total in seen) and [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert 0 < seen[0][0] <= seen[-1][0] <= seen[0][1]


def test_an_exception_in_the_progress_function_stops_the_work_and_comes_through():
    class Enough(Exception):
        pass

    def progress(done, total):
        raise Enough(f"{done} of {total}")

    begun = time.perf_counter()
    with pytest.raises(Enough, match="of"):
        nextstat.fit_toys(ALL, n_toys=LONG, collect=False, progress=progress)
    assert time.perf_counter() - begun < 20
    assert nextstat.fit(ALL).converged, "the next call is not disturbed"


def test_silence_and_bars(capsys, monkeypatch):
    nextstat.fit_toys(ALL, n_toys=20_000, collect=False, threads=1)
    nextstat.fit_toys(ALL, n_toys=20_000, collect=False, threads=1, progress=False)
    assert capsys.readouterr() == ("", ""), "nobody watches: no bar"
    for module in ("tqdm", "tqdm.auto", "rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(sys.modules, module, None)
    nextstat.fit_toys(ALL, n_toys=60_000, collect=False, threads=1, progress=True)
    shown = capsys.readouterr()
    assert shown.out == "" and "toys: " in shown.err and " / 60000" in shown.err
    with pytest.raises(nextstat.InputError, match="progress"):
        nextstat.fit(ALL, progress="yes")


INTERRUPT = """
import os, signal, sys, threading, time
import nextstat
model = nextstat.Model.from_workspace({workspace!r})
sent = []
def press(done=0, total=0):
    if not sent:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
try:
    {call}
except nextstat.Interrupted as interrupted:
    print(time.perf_counter() - sent[0], type(interrupted.result).__name__, interrupted.result.interrupted)
    print(repr(interrupted.result).split(chr(10))[0])
    assert isinstance(interrupted, KeyboardInterrupt)
    assert nextstat.fit(model).converged
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
    except KeyboardInterrupt as plain:
        print("then", type(plain).__name__)
"""

CALLS = {
    "toys": (ALL, f"nextstat.fit_toys(model, n_toys={LONG}, collect=False, progress=press)", "ToysResult"),
    "toys that are collected": (ALL, f"nextstat.fit_toys(model, n_toys={LONG}, progress=press)", "ToysResult"),
    "CLs": (ALL, f"nextstat.hypotest_toys(1, model, n_toys={LONG}, collect=False, progress=press)", "HypotestToysResult"),
    "a limit with toys": (ALL, "nextstat.upper_limit(model, calctype='toys', n_toys=100000, error=1e-5, max_toys=10**9, "
                               "progress=press)", "UpperLimitToysResult"),
    "a scan": (ALL, "nextstat.profile_scan(model, [i * 1e-6 for i in range(400000)], threads=1, progress=press)", "ScanResult"),
    "many fits": (ALL, "nextstat.fit_batch(model, nextstat.poisson_toys(model, n_toys=200000), threads=1, progress=press)",
                  "BatchFitResult"),
    "a mass scan": (SIMPLE, "nextstat.mass_scan(models={str(i): model for i in range(20000)}, threads=1, progress=press)",
                    "MassScanResult"),
    "a timer": (ALL, f"threading.Timer(0.5, press).start(); nextstat.fit_toys(model, n_toys={LONG}, collect=False)", "ToysResult"),
}


# Sanitizers, which scripts/test --full preloads, slow everything by ten and more.
MOST_SECONDS = 20 if "san.so" in os.environ.get("LD_PRELOAD", "") else 1


@pytest.mark.parametrize("what", CALLS)
def test_ctrl_c_stops_within_a_second_and_keeps_what_is_finished(what, tmp_path):
    workspace, call, kind = CALLS[what]
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(INTERRUPT).format(workspace=str(workspace), call=call))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=100)
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stdout + done.stderr
    seconds, name, interrupted = lines[0].split()
    assert float(seconds) < MOST_SECONDS and name == kind and interrupted == "True"
    assert lines[2] == "then KeyboardInterrupt", "Ctrl-C is Python's own again"


RANKING = """
import os, signal, sys, time
sys.path.insert(0, {folder!r})
import nextstat
from small_workspaces import many_parameters
model = nextstat.Model.from_workspace(many_parameters(250))
sent = []
def press(done, total):
    if done > 100 and not sent:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
try:
    nextstat.ranking(model, threads=1, progress=press)
except nextstat.Interrupted as interrupted:
    print(time.perf_counter() - sent[0], len(interrupted.result.entries))
"""


def test_a_ranking_that_is_stopped_has_its_finished_entries(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(RANKING.format(folder=str(ROOT / "tests/python")))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(ROOT / "tests/python")])}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=200, env=environment)
    assert done.stdout, done.stderr
    seconds, entries = done.stdout.split()
    assert float(seconds) < 1 and 0 < int(entries) < 250


def test_ctrl_c_in_another_thread_than_the_main_one_is_left_to_python():
    done = []
    worker = threading.Thread(target=lambda: done.append(nextstat.fit_toys(ALL, n_toys=20_000, collect=False)))
    worker.start()
    with pytest.raises(KeyboardInterrupt):
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(2)
    worker.join()
    assert done[0].n_done == 20_000, "the other thread's work is not stopped"
