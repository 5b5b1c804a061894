"""What is wrong with a command line is said before the work, and what the system refuses is an error with a name."""

import json
import os
import resource
import time

import pytest

from conftest import SIMPLE, answer, needs_program, run_program

pytestmark = needs_program

LONG = ["hypotest-toys", SIMPLE, "--n-toys", 100_000_000]


def small_files(*arguments, cwd):
    """As after `ulimit -f 2`."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))  # noqa: E731
    return run_program(*arguments, cwd=cwd, preexec_fn=limit)


@pytest.mark.parametrize("output", ["absent/x.json", "file/x.json", "."])
def test_an_output_that_cannot_be_written_is_found_before_the_work(tmp_path, output):
    (tmp_path / "file").write_text("")
    begin = time.monotonic()
    done = run_program(*LONG, "-o", output, cwd=tmp_path)
    assert done.returncode == 2 and output in done.stderr and "cannot be written" in done.stderr and "hint" in done.stderr
    assert time.monotonic() - begin < 10


def test_work_that_fails_leaves_the_output_alone(tmp_path):
    (tmp_path / "old.json").write_text("old")
    for name in ("old.json", "new.json"):
        assert run_program("fit", tmp_path / "absent.json", "-o", tmp_path / name).returncode == 2
    assert (tmp_path / "old.json").read_text() == "old" and os.listdir(tmp_path) == ["old.json"]


def test_the_output_may_lie_in_the_folder_of_the_run(tmp_path):
    for option in ("--out", "--resume"):
        folder = tmp_path / option.strip("-")
        done = run_program("hypotest-toys", SIMPLE, "--n-toys", 10, option, folder, "-o", folder / "result.json")
        assert done.returncode == 0, done.stderr
        assert json.loads((folder / "result.json").read_text())["complete"]


def test_a_file_beyond_the_size_limit_is_an_error_with_its_path(tmp_path):
    done = small_files("hypotest-toys", SIMPLE, "--n-toys", 3000, "--out", "run", cwd=tmp_path)
    assert done.returncode == 2 and "run/block-" in done.stderr and "file size limit" in done.stderr
    done = small_files("toys", "run", SIMPLE, "--n-toys", 300, "-o", "run.json", cwd=tmp_path)
    assert done.returncode == 2 and "run.json" in done.stderr and "hint" in done.stderr
    assert not (tmp_path / "run.json").exists()


@pytest.mark.parametrize("command", [
    ["hypotest", "--mu"], ["hypotest-toys", "--mu"], ["cls", "--test-poi"], ["toys", "run", "--mu"], ["hypotest-toys", "--n-toys"],
    ["upper-limit", "--cl"], ["upper-limit", "--alpha"], ["upper-limit", "--rtol"], ["upper-limit", "--scan-points"],
    ["upper-limit", "--toy-error"], ["scan", "--start"], ["scan", "--points"], ["feldman-cousins", "--start"], ["interval", "--cl"],
    ["fit", "--threads"], ["ranking", "--top"], ["significance", "--seed"]])
@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_number_is_no_number(command, value):
    done = run_program(*command[:-1], SIMPLE, command[-1], value)
    assert done.returncode == 2 and command[-1] in done.stderr


@pytest.mark.parametrize("text, toys", [("1e2", 100), ("1.5e1", 15), ("2E+1", 20), ("0.5e1", 5), ("7e0", 7), ("100e0", 100)])
def test_numbers_of_toys_may_be_written_with_an_exponent(text, toys):
    assert answer("hypotest-toys", SIMPLE, "--n-toys", text)["n_toys"] == {"b": toys, "sb": toys}


@pytest.mark.parametrize("text", ["1.5", "1e30", "1.55e1", "1e-2", "e5", ".e5", "-1e3", "1e", "1e5x", "0e3", "1e1e1", "1..5e3"])
def test_numbers_of_toys_that_are_not_whole_are_refused(text):
    done = run_program("hypotest-toys", SIMPLE, f"--n-toys={text}")
    assert done.returncode == 2 and f"'{text}' is not a whole number" in done.stderr
