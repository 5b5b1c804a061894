"""Paths on the command line: an output never replaces an input, an empty path is an error, links are followed and stay links."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from conftest import PROGRAM, SIMPLE, run_program

PATCHES = {"metadata": {"name": "p", "references": {"hepdata": "ins1"}, "description": "d", "labels": ["m"]}, "version": "1.0.0"}


# Somebody who foresees the name of a temporary file and puts a link there, once.
PLANTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int planted;

static FILE *plant(const char *path, const char *mode, const char *name) {
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, name);
  if (strstr(path, ".part") && !planted++ && symlink(getenv("VICTIM"), path) != 0) abort();
  return real(path, mode);
}

FILE *fopen(const char *path, const char *mode) { return plant(path, mode, "fopen"); }
FILE *fopen64(const char *path, const char *mode) { return plant(path, mode, "fopen64"); }
"""


@pytest.fixture
def files(tmp_path):
    """A folder with every kind of file that a verb reads."""
    text = SIMPLE.read_text()
    workspace = json.loads(text)
    (tmp_path / "w.json").write_text(text)
    (tmp_path / "other.json").write_text(text.replace("singlechannel", "second"))
    (tmp_path / "patch.json").write_text("[]")
    (tmp_path / "data.json").write_text(json.dumps(workspace["observations"]))
    (tmp_path / "point.json").write_text("{}")
    (tmp_path / "groups.json").write_text("{}")
    digest = run_program("digest", tmp_path / "w.json").stdout.strip().partition(":")[2]
    patch = {"metadata": {"name": "one", "values": [1]}, "patch": []}
    (tmp_path / "patchset.json").write_text(json.dumps(
        {**PATCHES, "metadata": {**PATCHES["metadata"], "digests": {"sha256": digest}}, "patches": [patch]}))
    (tmp_path / "bench.json").write_text(json.dumps({"cases": []}))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/w.json").write_text(text)
    assert run_program("toys", "run", "w.json", "--n-toys", "5", "--out", "run", cwd=tmp_path).returncode == 0
    return tmp_path


# (command, the file that it reads and that the output would replace)
READS = [
    (["inspect", "w.json"], "w.json"),
    (["validate", "w.json"], "w.json"),
    (["evaluate", "w.json"], "w.json"),
    (["evaluate", "w.json", "--data", "data.json"], "data.json"),
    (["evaluate", "w.json", "--parameters", "point.json"], "point.json"),
    (["fit", "w.json"], "w.json"),
    (["fit", "-i", "w.json"], "w.json"),
    (["fit", "w.json", "-p", "patch.json"], "patch.json"),
    (["fit", "w.json", "--patchset", "patchset.json", "--patch-name", "one"], "patchset.json"),
    (["fit", "w.json", "--data", "data.json"], "data.json"),
    (["fit", "w.json", "--asimov", "point.json"], "point.json"),
    (["ranking", "w.json", "--groups", "groups.json"], "groups.json"),
    (["combine", "w.json", "other.json"], "w.json"),
    (["combine", "w.json", "other.json"], "other.json"),
    (["prune", "w.json"], "w.json"),
    (["rename", "w.json"], "w.json"),
    (["sort", "w.json"], "w.json"),
    (["digest", "w.json"], "w.json"),
    (["patchset", "inspect", "patchset.json"], "patchset.json"),
    (["patchset", "apply", "w.json", "patchset.json", "--name", "one"], "w.json"),
    (["patchset", "apply", "w.json", "patchset.json", "--name", "one"], "patchset.json"),
    (["mass-scan", "w.json", "--patchset", "patchset.json"], "patchset.json"),
    (["mass-scan", "--workspaces-dir", "folder"], "folder/w.json"),
    (["toys", "status", "run"], "run/run.json"),
    (["toys", "status", "run"], "run/block-00000000.toys"),
    (["toys", "merge", "run", "--out", "merged"], "run/run.json"),
    (["toys", "run", "w.json", "--n-toys", "5", "--resume", "run"], "run/run.json"),
    (["bench", "--compare", "bench.json"], "bench.json"),
]


def by_path(folder, name):
    return f"./{name}"


def by_link(folder, name):
    (folder / "link").symlink_to(folder / name)
    return "link"


def by_hard_link(folder, name):
    os.link(folder / name, folder / "hard")
    return "hard"


@pytest.mark.parametrize("spelled", [by_path, by_link, by_hard_link])
@pytest.mark.parametrize("command, name", READS, ids=lambda value: " ".join(value) if isinstance(value, list) else value)
def test_an_output_never_replaces_an_input(files, command, name, spelled):
    before = (files / name).read_bytes()
    done = run_program(*command, "-o", spelled(files, name), cwd=files)
    assert done.returncode == 2 and "would replace it" in done.stderr and "--output" in done.stderr
    assert (files / name).read_bytes() == before


def test_nor_what_comes_through_standard_input(files):
    before = (files / "w.json").read_bytes()
    with open(files / "w.json") as source:
        done = subprocess.run([PROGRAM, "fit", "-o", "w.json"], stdin=source, capture_output=True, text=True, cwd=files)
    assert done.returncode == 2 and "standard input" in done.stderr
    assert (files / "w.json").read_bytes() == before


def test_the_saved_benchmark_is_no_exception(files):
    done = run_program("bench", "--compare", "bench.json", "--save", "bench.json", cwd=files)
    assert done.returncode == 2 and "--save" in done.stderr


def test_a_result_beside_the_toys_is_written_again_and_again(files):
    for _ in range(2):
        done = run_program("toys", "run", "w.json", "--n-toys", "5", "--resume", "run", "-o", "run/result.json", cwd=files)
        assert done.returncode == 0, done.stderr


EMPTY = [
    ["fit", ""], ["fit", "-i", ""], ["fit", "w.json", "-o", ""], ["fit", "w.json", "--patch", ""],
    ["fit", "w.json", "--patchset", "", "--patch-name", "x"], ["fit", "w.json", "--data", ""], ["fit", "w.json", "--asimov", ""],
    ["fit", "w.json", "--asimov", "mu=1", ""], ["evaluate", "w.json", "--parameters", ""], ["evaluate", "w.json", "--data", ""],
    ["ranking", "w.json", "--groups", ""], ["combine", "", "w.json"], ["combine", "w.json", ""], ["digest", ""], ["sort", ""],
    ["patchset", "inspect", ""], ["patchset", "apply", "", "patchset.json", "--name", "one"], ["mass-scan", "--workspaces-dir", ""],
    ["toys", "status", ""], ["toys", "merge", "", "--out", "x"], ["toys", "merge", "run", "--out", ""],
    ["toys", "run", "w.json", "--resume", ""], ["toys", "run", "w.json", "--out", ""], ["bench", "--save", ""], ["bench", "--compare", ""],
]


@pytest.mark.parametrize("command", EMPTY, ids=" ".join)
def test_an_empty_path_is_an_error(files, command):
    """And not standard input: what stands there is a workspace, which must not be read."""
    done = run_program(*command, cwd=files, stdin=SIMPLE.read_text())
    assert done.returncode == 2 and 'is empty: ""' in done.stderr and done.stdout == ""


def test_options_without_words_stay_what_they_are(files):
    assert run_program("fit", "w.json", "--asimov", "--poi", "", cwd=files).returncode == 0


def test_a_dangling_link_is_written_through(files):
    """As the shell's `>` does: the link stays, the file that it names is made."""
    (files / "out.json").symlink_to("made.json")
    assert run_program("digest", "w.json", "-o", "out.json", cwd=files).returncode == 0
    assert (files / "out.json").is_symlink() and (files / "made.json").read_text().startswith("sha256:")


def test_links_that_end_nowhere_are_errors(files):
    (files / "out.json").symlink_to("nowhere/made.json")
    (files / "round.json").symlink_to("round.json")
    for name in ("out.json", "round.json"):
        done = run_program("digest", "w.json", "-o", name, cwd=files)
        assert done.returncode == 2 and name in done.stderr and (files / name).is_symlink()


def test_a_temporary_file_is_a_new_file(files):
    """A link that was put in its place is not followed: another name is taken."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform != "linux":
        pytest.skip("a C compiler and the dynamic linker of Linux are needed")
    (files / "plant.c").write_text(PLANTER)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", files / "plant.so", files / "plant.c", "-ldl"], check=True)
    (files / "victim").write_text("precious")
    environment = {**os.environ, "LD_PRELOAD": str(files / "plant.so"), "VICTIM": str(files / "victim")}
    done = subprocess.run([PROGRAM, "digest", "w.json", "-o", "out.txt"], capture_output=True, env=environment, cwd=files)
    assert done.returncode == 0, done.stderr
    assert any(".part" in path.name for path in files.iterdir()), "the link was put there"
    assert (files / "victim").read_text() == "precious" and (files / "out.txt").read_text().startswith("sha256:")
