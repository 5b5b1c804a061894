"""Ctrl-C and SIGTERM: a sentence while loading, what is finished while working, the whole result while writing."""

import json
import select
import signal
import subprocess
import time

import pytest

from conftest import SIMPLE, needs_program, start_program, write
from test_fit_verb import large, long_work

SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])

pytestmark = [needs_program, pytest.mark.alone]


@SIGNALS
@pytest.mark.parametrize("verb", ["fit", "mass-scan", "inspect"])
def test_while_loading_it_is_exit_4_with_a_sentence(number, verb):
    more = ["--patchset", SIMPLE] if verb == "mass-scan" else []
    process = start_program(verb, "-", *more, stdin=subprocess.PIPE)
    wait_until_it_works(process, 0.3)  # for a document that does not come
    process.send_signal(number)
    assert process.wait(timeout=10) == 4
    assert "interrupted" in process.stderr.read() and process.stdout.read() == ""
    process.stdin.close()


def test_while_loading_it_is_json_when_asked_for(schema):
    process = start_program("fit", "-", "--format", "json", stdin=subprocess.PIPE)
    wait_until_it_works(process, 0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 4
    report = json.loads(process.stderr.read())
    schema("error", report)
    assert report["code"] == "interrupted"
    process.stdin.close()


@SIGNALS
@pytest.mark.parametrize("verb, option", [("fit", "--covariance"), ("evaluate", "--hessian")])
def test_while_writing_the_result_comes_whole(number, verb, option, tmp_path, schema):
    """The result is longer than a pipe holds: the program waits in the middle of it for its reader."""
    process = start_program(verb, write(tmp_path / "large.json", large(200)), option)
    assert select.select([process.stdout], [], [], 60)[0], "the first bytes"
    time.sleep(0.1)
    assert process.poll() is None, "the result was too short for this test"
    process.send_signal(number)
    time.sleep(0.1)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    schema(verb, json.loads(out))


def test_a_second_signal_ends_the_writing(tmp_path):
    process = start_program("fit", write(tmp_path / "large.json", large(200)), "--covariance")
    assert select.select([process.stdout], [], [], 60)[0]
    for _ in range(2):
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT


def wait_until_it_works(process, seconds):
    time.sleep(seconds)
    assert process.poll() is None, "the work was done too soon for this test"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_an_interrupted_fit_says_so_and_exits_4(number, tmp_path, schema):
    process = start_program(*long_work(tmp_path, 3000))
    wait_until_it_works(process, 1.0)
    sent = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    shown = json.loads(out)
    schema("fit", shown)
    assert shown["interrupted"] and len(shown["minos"]) < 3000 and len(shown["warnings"]) < 5
    assert time.monotonic() - sent < 3, "the program answers at once"


def test_a_second_interrupt_ends_the_program(tmp_path):
    process = start_program(*long_work(tmp_path, 3000))
    wait_until_it_works(process, 1.0)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode in (-signal.SIGINT, 4), "killed, unless the answer was already on its way"
