"""Work over a real Dask cluster of worker processes: the bytes of one process, with a worker killed on the way."""

import dataclasses
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")
distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")

from conftest import ALL_MODIFIERS as ALL, ROOT, SIMPLE
from small_workspaces import mass_points
from toy_runs import files_of


@pytest.fixture(scope="module")
def client():
    """Four worker processes on this machine."""
    with cluster_of(4) as cluster, distributed.Client(cluster) as made:
        made.wait_for_workers(4, timeout=60)
        yield made


def cluster_of(workers):
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0",
                                    silence_logs=50)


class Killer:
    """A progress function that kills a worker process, once, when half of the work is done."""

    def __init__(self, client):
        self.client, self.killed, self.reports = client, None, []

    def __call__(self, done, total):
        self.reports.append((done, total))
        if self.killed is None and done >= total // 2:
            self.killed = next(iter(self.client.run(os.getpid).values()))
            os.kill(self.killed, signal.SIGKILL)


def test_toys_with_a_worker_killed_at_half_time_have_the_bytes_of_one_process(client, tmp_path):
    alone = nextstat.fit_toys(ALL, n_toys=20_000, seed=3, out=str(tmp_path / "alone"))
    killer = Killer(client)
    spread = nextstat.distributed.fit_toys(client, ALL, n_toys=20_000, seed=3, out=str(tmp_path / "spread"), progress=killer)
    assert killer.killed is not None and killer.killed not in client.run(os.getpid).values()
    assert files_of(tmp_path / "spread") == files_of(tmp_path / "alone")
    assert spread == alone and spread.complete and len(spread.records) == 20_000
    parts = killer.reports[-1][1]
    assert killer.reports == [(done, parts) for done in range(1, parts + 1)] and parts >= 16
    client.wait_for_workers(4, timeout=60)


def test_toys_without_a_folder_are_those_of_one_process(client):
    expected = nextstat.fit_toys(ALL, n_toys=300, seed=8, mu=0.5)
    found = nextstat.distributed.fit_toys(client, ALL, n_toys=300, seed=8, mu=0.5)
    assert found == expected and found.folder is None
    np.testing.assert_array_equal(found.records, expected.records)
    at = nextstat.Model.from_workspace(ALL).suggested_init
    assert nextstat.distributed.fit_toys(client, ALL, at, n_toys=100, keep=["mu"], shards=3) \
        == nextstat.fit_toys(ALL, at, n_toys=100, keep=["mu"])


@pytest.mark.parametrize("shards", [1, 2, 7, 1000])
def test_the_number_of_shards_does_not_matter(client, tmp_path, shards):
    nextstat.hypotest_toys(1.0, SIMPLE, n_toys=400, out=str(tmp_path / "alone"))
    nextstat.distributed.hypotest_toys(client, 1.0, SIMPLE, n_toys=400, out=str(tmp_path / "spread"), shards=shards)
    assert files_of(tmp_path / "spread") == files_of(tmp_path / "alone")


@pytest.mark.parametrize("test_stat, mu", [("qtilde", 1.5), ("q0", 0.0)])
def test_cls_with_toys_is_that_of_one_process(client, test_stat, mu):
    shapes = {"qtilde": {"return_result": True}, "q0": {"return_tail_probs": True, "return_expected": True, "return_expected_set": True}}
    options = {"n_toys": 300, "seed": 5, "test_stat": test_stat, **shapes[test_stat]}
    assert nextstat.distributed.hypotest_toys(client, mu, ALL, **options) == nextstat.hypotest_toys(mu, ALL, **options)


def test_a_run_that_was_begun_goes_on(client, tmp_path):
    options = {"n_toys": 400, "seed": 2}
    nextstat.fit_toys(SIMPLE, **options, out=str(tmp_path / "alone"))
    nextstat.fit_toys(SIMPLE, **options, out=str(tmp_path / "run"), shard=(1, 3))
    with pytest.raises(nextstat.InputError, match="run"):
        nextstat.distributed.fit_toys(client, SIMPLE, **options, out=str(tmp_path / "run"))
    with pytest.raises(nextstat.InputError, match="seed"):
        nextstat.distributed.fit_toys(client, SIMPLE, n_toys=400, seed=99, out=str(tmp_path / "run"), resume=True)
    reports = []
    nextstat.distributed.fit_toys(client, SIMPLE, **options, out=str(tmp_path / "run"), resume=True, shards=3,
                                  progress=lambda done, total: reports.append((done, total)))
    assert reports == [(1, 2), (2, 2)], "the shard that was there is not computed again"
    assert files_of(tmp_path / "run") == files_of(tmp_path / "alone")
    nextstat.distributed.fit_toys(client, SIMPLE, **options, out=str(tmp_path / "run"), resume=True)


def masses(number):
    return mass_points(json.loads(SIMPLE.read_text()), {f"m{i}": (100 * i, 1 + 0.1 * i) for i in range(number)}, "m4")


@pytest.mark.parametrize("shards", [None, 3, 1])
def test_a_mass_scan_is_that_of_one_process(client, shards):
    background, patchset = masses(11)
    expected = nextstat.mass_scan(background, patchset)
    found = nextstat.distributed.mass_scan(client, background, patchset, shards=shards)
    assert [point.label for point in found.points] == [f"m{i}" for i in range(11)]
    assert bool(found.points[4].errors) and found == expected
    assert without_time(found) == without_time(expected)


def test_a_mass_scan_of_models_is_that_of_one_process(client, tmp_path):
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.json").write_text(SIMPLE.read_text())
    options = {"confidence_level": 0.9, "mu": 0.7}
    assert nextstat.distributed.mass_scan(client, workspaces_dir=tmp_path, **options) \
        == nextstat.mass_scan(workspaces_dir=tmp_path, **options)
    models = {"second": ALL, "first": SIMPLE}
    assert nextstat.distributed.mass_scan(client, models=models) == nextstat.mass_scan(models=models)


def without_time(result):
    return dataclasses.replace(result, wall_time_s=0.0).to_json()


@pytest.mark.parametrize("options", [
    {}, {"shards": 1}, {"shards": 5, "impact": "prefit", "top": 4},
    {"groups": {"counts": ["counts*"], "rest": ["lumi", "theory"]}, "fixed": ["energy_scale"]},
], ids=["plain", "one part", "top", "groups"])
def test_a_ranking_is_that_of_one_process(client, options):
    alone = {key: value for key, value in options.items() if key != "shards"}
    expected = nextstat.ranking(ALL, **alone)
    found = nextstat.distributed.ranking(client, ALL, **options)
    assert found == expected and without_time(found) == without_time(expected)


def test_a_ranking_that_finds_a_lower_minimum_warns_as_one_process_does(client):
    from test_several_minima import two_valleys

    warned = 0
    for seed in range(25):
        model = nextstat.Model.from_workspace(two_valleys(seed))
        for start in (-2.0, 2.0):
            expected = nextstat.ranking(model, init_pars={"jes": start}, starts=1)
            warned += any("local minimum" in text for text in expected.warnings)
            if warned and any("local minimum" in text for text in expected.warnings):
                found = nextstat.distributed.ranking(client, model, init_pars={"jes": start}, starts=1, shards=2)
                assert without_time(found) == without_time(expected)
    assert warned, "some of these have two valleys"


def test_work_with_a_worker_killed_is_done_again(client):
    background, patchset = masses(24)
    killer = Killer(client)
    assert nextstat.distributed.mass_scan(client, background, patchset, progress=killer) == nextstat.mass_scan(background, patchset)
    client.wait_for_workers(4, timeout=60)
    ranker = Killer(client)
    assert nextstat.distributed.ranking(client, ALL, progress=ranker) == nextstat.ranking(ALL)
    assert killer.killed and ranker.killed
    client.wait_for_workers(4, timeout=60)


WRONG = {
    "keep": (lambda client: nextstat.distributed.fit_toys(client, ALL, keep=["nope"]), nextstat.NotFoundError, 'no parameter "nope"'),
    "n_toys": (lambda client: nextstat.distributed.fit_toys(client, ALL, n_toys=0), nextstat.InputError, "n_toys"),
    "shards": (lambda client: nextstat.distributed.fit_toys(client, ALL, shards=0), nextstat.InputError, "number of shards"),
    "shard": (lambda client: nextstat.distributed.fit_toys(client, ALL, shard=(1, 2)), nextstat.InputError, "shards="),
    "device": (lambda client: nextstat.distributed.fit_toys(client, ALL, device="abacus"), nextstat.Error, "abacus"),
    "file": (lambda client: nextstat.distributed.fit_toys(client, "no-such.json"), FileNotFoundError, "no-such.json"),
    "group": (lambda client: nextstat.distributed.ranking(client, ALL, groups={"g": ["nope"]}), nextstat.NotFoundError, '"nope"'),
    "impact": (lambda client: nextstat.distributed.ranking(client, ALL, impact="midfit"), nextstat.InputError, "midfit"),
    "poi": (lambda client: nextstat.distributed.ranking(client, nextstat.Model.from_workspace(ALL, poi="")),
            nextstat.Error, "parameter of interest"),
    "nothing": (lambda client: nextstat.distributed.mass_scan(client), nextstat.InputError, "nothing to scan"),
    "level": (lambda client: nextstat.distributed.mass_scan(client, models={"a": ALL}, confidence_level=2),
              nextstat.InputError, "confidence_level"),
    "client": (lambda client: nextstat.distributed.ranking("scheduler:8786", ALL), nextstat.InputError, "distributed.Client"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_input_raises_what_one_process_raises(client, what):
    call, kind, words = WRONG[what]
    with pytest.raises(kind, match=words) as raised:
        call(client)
    assert isinstance(raised.value, nextstat.Error)


def test_a_patchset_of_another_background_is_refused_before_work_is_sent(client):
    background, patchset = masses(5)
    patchset["metadata"]["digests"]["sha256"] = "0" * 64
    with pytest.raises(nextstat.InputError, match="sha256"):
        nextstat.distributed.mass_scan(client, background, patchset)


def test_errors_survive_the_way_from_a_worker():
    with pytest.raises(nextstat.NotFoundError) as raised:
        nextstat.fit(SIMPLE, init_pars={"nope": 1})
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is type(raised.value) and again.faults == raised.value.faults and str(again) == str(raised.value)


def test_a_part_that_kills_every_worker_is_given_up_with_a_hint():
    # A cluster of its own: a worker that dies while it is being started again is not started once more.
    import dask

    from nextstat.distributed.cluster import gather

    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), cluster_of(1) as cluster, \
            distributed.Client(cluster) as one:
        with pytest.raises(nextstat.DeviceError, match="part 1 of 1.*allowed-failures"):
            gather(one, die, None, [0], use=lambda number, answer: None, retries=3, progress=False, label="death")


def die(_shared, _job):
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_fails_on_a_worker_by_chance_is_tried_again(client, tmp_path):
    from nextstat.distributed.cluster import gather

    found = []
    gather(client, fail_once, str(tmp_path / "mark"), [7], use=lambda number, answer: found.append(answer.value), retries=1,
           progress=False, label="chance")
    assert found == [8]
    (tmp_path / "mark").unlink()
    with pytest.raises(OSError, match="by chance"):
        gather(client, fail_once, str(tmp_path / "mark"), [7], use=lambda number, answer: None, retries=0, progress=False,
               label="chance")


def test_errors_of_ours_are_raised_at_once_and_not_tried_again(client, tmp_path):
    from nextstat.distributed.cluster import gather

    with pytest.raises(nextstat.InputError, match="here: wrong"):
        gather(client, refuse, str(tmp_path), [0], use=lambda number, answer: None, retries=5, progress=False, label="refusal")
    assert len(list(tmp_path.iterdir())) == 1


def refuse(folder, _job):
    open(os.path.join(folder, str(time.time_ns())), "w").close()
    raise nextstat.InputError([nextstat.Fault("bad_input", "here", "wrong", "")])


def fail_once(mark, job):
    if not os.path.exists(mark):
        open(mark, "w").close()
        raise OSError("by chance")
    return "cpu", job + 1


SCRIPT = """
import os, signal, sys, time
import distributed, nextstat
if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster, \\
            distributed.Client(cluster) as client:
        def progress(done, total):
            if done == 3:
                os.kill(os.getpid(), signal.SIGINT)
        try:
            nextstat.distributed.fit_toys(client, {workspace!r}, n_toys=4000, seed=3, out={out!r}, progress=progress, shards=40)
        except nextstat.Interrupted as interrupted:
            print("interrupted", interrupted.result.interrupted, interrupted.result.n_done)
            time.sleep(0.5)
            print("waiting", sum(map(len, client.processing().values())))
"""


@pytest.mark.alone
def test_ctrl_c_cancels_the_rest_and_keeps_what_is_finished(client, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT.format(workspace=str(ALL), out=str(tmp_path / "run"))))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    lines = done.stdout.split("\n")
    assert lines[0].startswith("interrupted True "), done.stdout + done.stderr
    finished = int(lines[0].split()[-1])
    assert 0 < finished < 4000 and lines[1] == "waiting 0"
    assert nextstat.toys_status(str(tmp_path / "run"))["n_toys_done"] == finished
    nextstat.fit_toys(ALL, n_toys=4000, seed=3, out=str(tmp_path / "alone"))
    nextstat.distributed.fit_toys(client, ALL, n_toys=4000, seed=3, out=str(tmp_path / "run"), resume=True)
    assert files_of(tmp_path / "run") == files_of(tmp_path / "alone")


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match="needs Dask, which is not installed: pip install distributed$"):
        nextstat.distributed.ranking(None, ALL)


@pytest.mark.long
@pytest.mark.alone
def test_two_workers_are_faster_than_one():
    """At least 1.5 times, with a minute of work on two cores: bench/scale_out.py measures it."""
    if (os.cpu_count() or 1) < 2:
        pytest.skip("one core: nothing to spread over")
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, ROOT / "bench/scale_out.py", "--json"], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["speedup"] >= 1.5 and time.perf_counter() - begun < 900
