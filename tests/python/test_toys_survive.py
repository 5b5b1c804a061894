"""Toy runs that are killed, stopped, out of disk, damaged: what is there is whole, and going on gives the bytes of an undisturbed run."""

import json
import random
import resource
import shutil
import signal
import subprocess
import time

import pytest

from conftest import SIMPLE, answer, needs_program, run_program, start_program, write
from small_workspaces import two_bins
from toy_verbs import blocks, bytes_of, content, run_into

pytestmark = [needs_program, pytest.mark.alone]


def wait_for_blocks(process, folder, n=1):
    """Until the process has written n more blocks."""
    before, deadline = blocks(folder), time.monotonic() + 60
    while blocks(folder) < before + n and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    assert process.poll() is None, "the run was done too soon for this test"


# --- kills -----------------------------------------------------------------------------------------------------------


def kill_and_resume(words, folder, kills, longest, seed):
    """Starts the run, kills it after a random time, and again, until that many kills hit a run at work; a run that was complete
    before is begun anew. Returns the files of every complete run on the way."""
    draw, hits, complete = random.Random(seed), 0, []
    while hits < kills:
        process = start_program(*words, "--resume", folder)
        try:
            process.wait(timeout=draw.uniform(0.005, longest))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        hits += process.returncode == -signal.SIGKILL
        assert process.returncode in (0, -signal.SIGKILL)
        if process.returncode == 0:
            complete.append(content(folder))
            shutil.rmtree(folder)
    return complete


def check_kills(words, tmp_path, kills, longest):
    numbers, files = run_into(tmp_path / "undisturbed", *words)
    for complete in kill_and_resume(words, tmp_path / "run", kills, longest, seed=kills):
        assert complete == files
    assert bytes_of(*words, "--resume", tmp_path / "run") == numbers
    assert content(tmp_path / "run") == files


def test_killed_again_and_again(tmp_path):
    check_kills(["hypotest-toys", SIMPLE, "--n-toys", 20000, "--threads", 1], tmp_path, kills=50, longest=0.3)


def test_kills_of_shards_in_one_folder(tmp_path):
    words = ["toys", "run", SIMPLE, "--n-toys", 20000, "--mu", "1", "--threads", 1]
    numbers, files = run_into(tmp_path / "undisturbed", *words)
    draw = random.Random(7)
    for _ in range(5):
        shards = [start_program(*words, "--shard", f"{i}/3", "--resume", tmp_path / "run") for i in (1, 2, 3)]
        for process in draw.sample(shards, 3):
            time.sleep(draw.uniform(0.01, 0.2))
            process.kill()
        for process in shards:
            process.communicate()
    for i in (1, 2, 3):
        assert answer(*words, "--shard", f"{i}/3", "--resume", tmp_path / "run")["shard_done"]
    assert content(tmp_path / "run") == files
    assert bytes_of(*words, "--resume", tmp_path / "run") == numbers


# --- signals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("verb", [["hypotest-toys"], ["toys", "run"]], ids=" ".join)
def test_a_signal_keeps_what_is_done_and_exits_4(verb, number, tmp_path, schema):
    words = [*verb, SIMPLE, "--n-toys", 20000, "--threads", 1]
    numbers, files = run_into(tmp_path / "undisturbed", *words)
    process = start_program(*words, "--resume", tmp_path / "run")
    wait_for_blocks(process, tmp_path / "run")
    sent = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    assert time.monotonic() - sent < 2, "it stops at once"
    assert f"--resume {tmp_path / 'run'}" in err
    shown = json.loads(out)
    schema("hypotest-toys" if verb == ["hypotest-toys"] else "toys-run", shown)
    assert shown["interrupted"] and not shown["complete"]
    assert 0 < blocks(tmp_path / "run") < len(files) - 1
    assert bytes_of(*words, "--resume", tmp_path / "run") == numbers
    assert content(tmp_path / "run") == files


def test_a_signal_without_a_folder(schema):
    """At many moments: in free fits, in fits at mu, between them."""
    for moment in range(10):
        process = start_program("hypotest-toys", SIMPLE, "--n-toys", 10_000_000, "--threads", 1 + moment % 2)
        time.sleep(0.3 + 0.037 * moment)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 4 and "--resume DIR" in err
        schema("hypotest-toys", json.loads(out))


# --- disk ------------------------------------------------------------------------------------------------------------


def test_a_full_disk_is_said_and_what_is_whole_stays(tmp_path):
    """Files longer than the limit cannot be written, as on a full disk. The last block is short enough."""
    words = ["hypotest-toys", SIMPLE, "--n-toys", 2050, "--threads", 1]
    numbers, files = run_into(tmp_path / "undisturbed", *words)
    full = max(map(len, files.values()))
    assert min(len(data) for data in files.values()) < full

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (full - 1, full - 1))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    process = start_program(*words, "--resume", tmp_path / "run", preexec_fn=limit)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2 and out == "", err
    assert "block-" in err and "hint:" in err and "large" in err, err
    status = answer("toys", "status", tmp_path / "run", code=1)
    assert status["problems"] == [] and status["blocks_missing"] > 0
    assert bytes_of(*words, "--resume", tmp_path / "run") == numbers
    assert content(tmp_path / "run") == files


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 64 kB, where the tests may make one."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], capture_output=True).returncode != 0:
        pytest.skip("no right to make a file system")
    yield place
    subprocess.run(["umount", place], check=True)


def test_no_space_left_on_device(tiny_disk, tmp_path):
    words = ["toys", "run", SIMPLE, "--n-toys", 4000, "--mu", "1", "--threads", 1]
    numbers, files = run_into(tmp_path / "undisturbed", *words)
    done = run_program(*words, "--resume", tiny_disk / "run")
    assert done.returncode == 2 and "No space left" in done.stderr and "hint:" in done.stderr, done.stderr
    kept = blocks(tiny_disk / "run")
    assert 0 < kept < len(files) - 1
    assert answer("toys", "status", tiny_disk / "run", code=1)["blocks_done"] == kept
    subprocess.run(["mount", "-o", "remount,size=1m", tiny_disk], check=True)
    assert bytes_of(*words, "--resume", tiny_disk / "run") == numbers
    assert content(tiny_disk / "run") == files


# --- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["a byte", "cut short", "removed", "empty"])
def test_a_damaged_block_is_seen_and_repaired(how, tmp_path):
    words = ["hypotest-toys", write(tmp_path / "w.json", two_bins()), "--n-toys", 300, "--resume", tmp_path / "run"]
    numbers = bytes_of(*words)
    files = content(tmp_path / "run")
    path = tmp_path / "run/block-00000003.toys"
    data = path.read_bytes()
    if how == "a byte":
        path.write_bytes(data[:300] + bytes([data[300] ^ 1]) + data[301:])
    elif how == "removed":
        path.unlink()
    else:
        path.write_bytes(data[:500] if how == "cut short" else b"")
    status = answer("toys", "status", tmp_path / "run", code=1 if how == "removed" else 2)
    assert status["open_blocks"] == [[3, 3]]
    assert [problem["block"] for problem in status["problems"]] == ([] if how == "removed" else [3])
    repaired = answer(*words)
    assert (how == "removed") != any("block-00000003.toys" in warning for warning in repaired["warnings"])
    assert content(tmp_path / "run") == files
    assert bytes_of(*words) == numbers
