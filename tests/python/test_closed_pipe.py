"""`nextstat inspect big.json | head -1`: a reader that goes away is no error, in the program and in `python -m nextstat.pyhf`."""

import json
import os
import signal
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT

PYTHON = [sys.executable, "-m", "nextstat.pyhf"]


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A workspace whose names alone are more than a pipe holds."""
    channels = [{"name": f"channel_{i:05}_{'x' * 100}", "samples": [{"name": "s", "data": [1.0], "modifiers": []}]} for i in range(3000)]
    channels[0]["samples"][0]["modifiers"] = [{"name": "mu", "type": "normfactor", "data": None}]
    path = tmp_path_factory.mktemp("pipe") / "big.json"
    path.write_text(json.dumps({
        "channels": channels,
        "observations": [{"name": channel["name"], "data": [1]} for channel in channels],
        "measurements": [{"name": "m", "config": {"poi": "mu", "parameters": []}}],
        "version": "1.0.0",
    }))
    return path


def read_one_line(command, ignored=False):
    """Reads one line, closes the pipe, and waits for the end."""
    environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT / "build/release/python"))}
    started = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                               restore_signals=not ignored)
    line = started.stdout.readline()
    started.stdout.close()
    errors = started.stderr.read()
    return line, errors, started.wait(timeout=120)


COMMANDS = [
    [PROGRAM, "inspect", "--format", "table"],
    [PROGRAM, "inspect", "--format", "json"],
    [PROGRAM, "sort"],
    [*PYTHON, "sort"],
    [*PYTHON, "inspect"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(str(word).rpartition("/")[2] for word in words))
@pytest.mark.parametrize("ignored", [False, True], ids=["plain", "started with the signal ignored"])
def test_silent(big, command, ignored):
    if command[0] != PROGRAM:
        pytest.importorskip("nextstat")
    line, errors, code = read_one_line([*command, big], ignored)
    assert line and errors == b""
    assert code == -signal.SIGPIPE


def test_the_output_file_is_written_although_nobody_reads_the_messages(big, tmp_path):
    """Only standard output is the reader's: a closed standard error stops no work."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([PROGRAM, "sort", big, "-o", tmp_path / "out.json"], stderr=write, timeout=120)
    os.close(write)
    assert done.returncode == 0 and (tmp_path / "out.json").exists()


def test_other_failures_of_standard_output_are_errors():
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "version"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "standard output: cannot be written: No space left" in done.stderr
