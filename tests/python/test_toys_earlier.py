"""Folders of toys that earlier programs wrote (tests/data/toy_runs_1, by the command line and from Python), and folders with
things in them that are no files."""

import json
import os
import shutil
import socket

import pytest

from conftest import ROOT, SIMPLE, answer, needs_program, run_program
from toy_runs import write_run
from toy_verbs import content, read_toys

pytestmark = needs_program

EARLIER = ROOT / "tests/data/toy_runs_1"
COMMANDS = {"toys": ["toys", "run", SIMPLE, "--mu", 1, "--n-toys", 20],
            "hypotest-toys": ["hypotest-toys", SIMPLE, "--mu", 2, "--n-toys", 20]}
FOLDERS = [f"{who}-{kind}" for who in ("cli", "python") for kind in COMMANDS]


def command_of(name):
    return COMMANDS[name.partition("-")[2]]


@pytest.fixture(params=FOLDERS)
def earlier(request, tmp_path):
    """(name, a copy of the folder)."""
    return request.param, shutil.copytree(EARLIER / request.param, tmp_path / "run")


# --- earlier folders -------------------------------------------------------------------------------------------------


def test_status_of_an_earlier_folder(earlier, schema):
    name, folder = earlier
    status = answer("toys", "status", folder)
    schema("toys-status", status)
    assert status["complete"] and status["run"]["schema"] == "nextstat/toy-run/1" and status["run"]["kind"] == name.partition("-")[2]
    assert status["workspace_digest"] == status["run"]["workspace_digest"] == answer("digest", SIMPLE, "--json")["sha256"]


def test_shards_of_an_earlier_folder_are_merged(earlier, schema, tmp_path):
    name, folder = earlier
    shards = [tmp_path / "one", tmp_path / "two"]
    for number, shard in enumerate(shards):
        shard.mkdir()
        shutil.copy(folder / "run.json", shard)
        for block in sorted(folder.glob("block-*"))[number::2]:
            shutil.copy(block, shard)
    report = answer("toys", "merge", *shards, "--out", tmp_path / "merged")
    schema("toys-merge", report)
    assert report["complete"] and content(tmp_path / "merged") == content(EARLIER / name)


def test_results_of_an_earlier_folder(earlier):
    name, folder = earlier
    done = run_program(*command_of(name), "--resume", folder, "--format", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["complete"] and any("nextstat/toy-run/1" in text for text in result["warnings"])
    columns = read_toys(folder)
    if name.endswith("hypotest-toys"):
        assert result["cls"] == pytest.approx(1 / 19) and result["n_toys"] == {"b": 20, "sb": 20}
        assert sum(columns["signal + background"]["q"] >= result["q_obs"]) / 20 == result["clsb"]
    else:
        assert result["n_done"] == 20 and result["mean_mu_hat"] == pytest.approx(columns["toys"]["mu_hat"].mean())
    assert content(folder) == content(EARLIER / name)


def test_an_earlier_folder_is_not_gone_on_with(earlier):
    name, folder = earlier
    (folder / "block-00000001.toys").unlink()
    before = content(folder)
    done = run_program(*command_of(name), "--resume", folder)
    assert done.returncode == 2 and done.stderr.count("error:") == 1
    assert "nextstat/toy-run/1" in done.stderr and "start the run in another folder" in done.stderr
    assert content(folder) == before and answer("toys", "status", folder, code=1)["blocks_missing"] == 1


def test_an_earlier_folder_of_another_run_is_one_error(earlier):
    name, folder = earlier
    done = run_program(*command_of(name), "--seed", 43, "--fixed", "lumi=1", "--resume", folder)
    assert done.returncode == 2 and done.stderr.count("error:") == 1 and "seed is 43 here, 42 there" in done.stderr
    assert "data_start_bounds_fixed_sha256" in done.stderr


def test_old_and_new_folders_are_not_merged(tmp_path):
    answer(*COMMANDS["toys"], "--out", tmp_path / "new")
    done = run_program("toys", "merge", tmp_path / "new", EARLIER / "cli-toys", "--out", tmp_path / "merged")
    assert done.returncode == 2 and done.stderr.count("error:") == 1 and not (tmp_path / "merged").exists()
    assert "nextstat/toy-run/1" in done.stderr and "nextstat/toy-run/2" in done.stderr


# --- what is no file -------------------------------------------------------------------------------------------------


def put_pipe(path):
    os.mkfifo(path)


def put_socket(path):
    """Not at the path itself, which is too long for a socket."""
    folder = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


def put_link(path):
    path.symlink_to("/dev/zero")


THINGS = {"pipe": (put_pipe, "is a pipe"), "folder": (lambda path: path.mkdir(), "is a folder"),
          "socket": (put_socket, "is a socket"), "link to a device": (put_link, "is a device")}


@pytest.mark.parametrize("file", ["run.json", "block-00000001.toys"])
@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("verb", ["status", "merge", "merge into", "resume"])
def test_what_is_no_file_is_named_and_not_waited_for(verb, thing, file, tmp_path):
    if verb == "resume":
        run = tmp_path / "run"
        answer(*COMMANDS["toys"], "--out", run)
    else:
        run = write_run(tmp_path / "run")
    (run / file).unlink()
    put, words = THINGS[thing]
    put(run / file)
    command = {"status": ["toys", "status", run], "merge": ["toys", "merge", run, "--out", tmp_path / "merged"],
               "merge into": ["toys", "merge", write_run(tmp_path / "sound"), "--out", run],
               "resume": [*COMMANDS["toys"], "--resume", run]}[verb]
    done = run_program(*command, timeout=20)
    assert done.returncode == 2 and done.stderr.count("error:") == 1, done.stderr
    assert f"{run / file}" in done.stderr and words in done.stderr and "hint:" in done.stderr


def test_pipes_with_other_names_do_no_harm(tmp_path):
    command = [*COMMANDS["toys"], "--resume", tmp_path / "run"]
    answer(*command)
    for name in (".lock-1-of-1", ".1-of-1.0123.block-00000000.toys.part", "block-99999999.toys", "notes"):
        os.mkfifo(tmp_path / "run" / name)
    assert run_program(*command, timeout=20).returncode == 0
    assert run_program("toys", "status", tmp_path / "run", timeout=20).returncode == 0
