"""Models with tens of thousands of parameters: every question ends with little memory, or refuses before it begins and says
how much it would take."""

import json
import subprocess
import sys

import pytest

from conftest import PROGRAM, write
from small_workspaces import MU, modifier, normsys, one_channel, sample, workspace

BINS, FACTORS = 400, 30


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    """12,001 parameters: a factor for each of 30 samples in each of 400 bins, almost all of them flat."""
    backgrounds = [sample(f"b{k}", [50.0] * BINS, modifier(f"sf{k}", "shapefactor")) for k in range(FACTORS)]
    observed = [1500.0 + (bin * 37) % 80 - 40 for bin in range(BINS)]
    return write(tmp_path_factory.mktemp("large") / "workspace.json", one_channel([sample("signal", [10.0] * BINS, MU), *backgrounds], observed))


# The peak of a process begins with that of its parent, which is large here: a small one starts it and writes the peak to a file.
STARTER = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


def run(tmp_path, *arguments):
    """Exit code, standard output, standard error and peak memory in MB."""
    peak = tmp_path / "peak"
    words = [sys.executable, "-S", "-c", STARTER, str(peak), str(PROGRAM), *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr, int(peak.read_text()) / 1024


@pytest.mark.parametrize(
    "words",
    [["inspect"], ["validate"], ["evaluate"], ["fit", "--no-uncertainty"], ["fit"], ["scan", "--points", "5"], ["hypotest"],
     pytest.param(["upper-limit"], marks=pytest.mark.long)],
    ids=" ".join,
)
def test_every_question_ends_with_little_memory(flat, tmp_path, words):
    code, out, err, megabytes = run(tmp_path, words[0], flat, *words[1:], "--format", "json")
    assert code in (0, 1), err
    assert megabytes < 400
    answer = json.loads(out)
    if words[0] == "fit":
        assert answer["converged"]
        assert answer["covariance"] is None
        assert answer["goodness_of_fit"]["ndof"] >= 0
    if words == ["fit"]:
        assert len(answer["uncertainties"]) == BINS * FACTORS + 1
        assert any("covariance and correlation of 12001 parameters are left out: they take 2.3 GB" in text for text in answer["warnings"])
        assert any("flat directions" in text for text in answer["warnings"])


def test_a_matrix_that_does_not_fit_is_refused_with_the_numbers(flat, tmp_path):
    limited = ["prlimit", f"--as={3 * 10**9}", str(PROGRAM), "fit", str(flat), "--covariance", "--threads", "1", "--format", "json"]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    error = json.loads(done.stderr)["errors"][0]
    assert error["what"].startswith("the covariance of 12001 parameters and its text would take 15.6 GB of memory, ")
    assert error["what"].endswith(" GB is free")
    assert "leave out --covariance" in error["hint"]


def test_a_hessian_that_is_too_large_is_refused_with_the_numbers(tmp_path):
    document = one_channel([sample("s", [1.0] * 30_000, modifier("sf", "shapefactor"))], [1.0] * 30_000, poi="")
    path = write(tmp_path / "workspace.json", document)
    code, _, err, megabytes = run(tmp_path, "evaluate", path, "--hessian")
    assert code == 2
    assert "a Hessian of 30000 parameters would take 7.2 GB of memory" in err
    assert megabytes < 400


def test_a_hessian_that_does_not_fit_is_said_where_it_is_not_needed_and_refused_where_it_is(tmp_path):
    alphas = [normsys(f"a{k}", 0.99, 1.01) for k in range(6000)]
    path = write(tmp_path / "workspace.json", workspace([5.0, 9.0], [50.0, 60.0], [57.0, 66.0], alphas))

    def limited(*words):
        command = ["prlimit", f"--as={10**9}", str(PROGRAM), *words, "--threads", "1", "--format", "json"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    scan = limited("scan", str(path), "--points", "2")
    assert scan.returncode == 0, scan.stderr
    assert any("the Hessian of 6001 parameters would take 1.2 GB" in text for text in json.loads(scan.stdout)["warnings"])
    fit = limited("fit", str(path))
    assert fit.returncode == 2
    assert "the Hessian for the uncertainties of 6001 parameters would take 1.2 GB of memory" in fit.stderr
    assert limited("fit", str(path), "--no-uncertainty").returncode == 0
