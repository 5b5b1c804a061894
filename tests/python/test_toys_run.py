"""toys run: what a toy's record says, where toys are drawn, folders and JSON, wrong usage."""

import math
import os
import pty
import re
import select
import signal
import subprocess
import time

import pytest

from conftest import PROGRAM, ROOT, SIMPLE, answer, needs_program, run_program, write
from small_workspaces import two_bins
from toy_verbs import read_toys

pytestmark = needs_program

SEARCH = ROOT / "examples/search.json"


# --- records -------------------------------------------------------------------------------------------------------


def test_every_toy_is_in_the_answer(schema):
    found = answer("toys", "run", SIMPLE, "--n-toys", 30, "--keep", "lumi", "--keep", "staterror_signal_region", "--keep", "lumi")
    schema("toys-run", found)
    assert [toy["id"] for toy in found["toys"]] == list(range(30))
    assert found["n_toys"] == found["n_done"] == 30 and found["complete"] and "folder" not in found
    kept = ["lumi", *(f"staterror_signal_region[{i}]" for i in range(4))]
    assert found["columns"] == ["nll", "mu_hat", "status", "n_iter", *kept]
    assert all(sorted(toy["parameters"]) == sorted(kept) for toy in found["toys"])
    values = [toy["mu_hat"] for toy in found["toys"]]
    mean = sum(values) / 30
    assert found["mean_mu_hat"] == pytest.approx(mean, rel=1e-9)
    assert found["sigma_mu_hat"] == pytest.approx(math.sqrt(sum((x - mean) ** 2 for x in values) / 29), rel=1e-9)


def test_a_folder_has_the_same_toys(workspace, tmp_path, schema):
    words = ["toys", "run", workspace, "--n-toys", 250, "--mu", 1, "--keep", "uncorr_bkguncrt"]
    stored, direct = answer(*words, "--out", tmp_path / "run"), answer(*words)
    schema("toys-run", stored)
    assert "toys" not in stored and stored["folder"] == str(tmp_path / "run") and stored["shard"] == "1/1"
    table = read_toys(tmp_path / "run")["toys"]
    for name, key in (("nll", "nll"), ("mu_hat", "mu_hat"), ("n_iter", "n_iter")):
        assert list(table[name]) == [toy[key] for toy in direct["toys"]]
    assert list(table["uncorr_bkguncrt[0]"]) == [toy["parameters"]["uncorr_bkguncrt[0]"] for toy in direct["toys"]]
    different = {"wall_time_s", "toys", "folder", "shard"}
    assert {k: v for k, v in stored.items() if k not in different} == {k: v for k, v in direct.items() if k not in different}


def test_a_toy_is_the_fit_of_its_data(tmp_path):
    """A model with one bin without uncertainties: mu_hat tells the count, and that gives the NLL."""
    document = two_bins(signal=(1.0, 0.0), background=(50.0, 1e6), uncertainty=(0.0, 0.0), observed=(55, 1000000))
    document["channels"][0]["samples"][1]["modifiers"] = []
    path = write(tmp_path / "w.json", document)
    found = answer("toys", "run", path, "--n-toys", 40, "--mu", 5, "--bounds", "mu=-40:200")
    for toy in found["toys"]:
        count = toy["mu_hat"] + 50
        assert abs(count - round(count)) < 1e-4 and toy["converged"]


# --- where -----------------------------------------------------------------------------------------------------------


def test_toys_are_drawn_where_asked(workspace, tmp_path):
    def truth(*words):
        found = answer("toys", "run", workspace, "--n-toys", 2, *words)
        return dict(zip(found["parameter_names"], found["truth"]))

    best, at_two = answer("fit", workspace), truth("--mu", "2")
    assert list(truth().values()) == best["bestfit"]
    assert at_two["mu"] == 2 and at_two["uncorr_bkguncrt[0]"] != 1
    assert truth("--parameters", "init") == {"mu": 1, "uncorr_bkguncrt[0]": 1, "uncorr_bkguncrt[1]": 1}
    assert truth("--parameters", "mu=3", "uncorr_bkguncrt[1]=0.9") == {"mu": 3, "uncorr_bkguncrt[0]": 1, "uncorr_bkguncrt[1]": 0.9}
    assert truth("--parameters", write(tmp_path / "p.json", {"mu": 0.5}))["mu"] == 0.5


def test_the_mean_is_the_truth(workspace):
    found = answer("toys", "run", workspace, "--n-toys", 4000, "--parameters", "mu=1", "--bounds", "mu=-20:20")
    assert abs(found["mean_mu_hat"] - 1) < 4 * found["sigma_mu_hat"] / math.sqrt(4000) + 0.02
    sigma = answer("fit", workspace, "--asimov", "mu=1", "--bounds", "mu=-20:20")
    assert found["sigma_mu_hat"] == pytest.approx(sigma["uncertainties"][sigma["poi_index"]], rel=0.05)


def test_a_model_without_a_parameter_of_interest(workspace, schema):
    found = answer("toys", "run", workspace, "--poi", "", "--n-toys", 5)
    schema("toys-run", found)
    assert found["mean_mu_hat"] is None and all(toy["mu_hat"] is None and toy["nll"] for toy in found["toys"])
    assert "mu" not in run_program("toys", "run", workspace, "--poi", "", "--n-toys", 5, "--format", "table").stdout


# --- folders of other runs -------------------------------------------------------------------------------------------

OTHERS = {
    "another seed": (["--seed", "43"], "seed is 43 here, 42 there"),
    "more toys": (["--n-toys", "60"], "n_toys is 60 here, 50 there"),
    "another truth": (["--mu", "2"], 'settings/truth is "the fit at 2" here, "the fit at 1" there'),
    "another code": (["--normsys-code", "code1"], 'settings/normsys_code is "code1" here, "code4" there'),
    "fixed auxiliary data": (["--fixed-aux"], "settings/fixed_aux is true here, false there"),
    "a fixed parameter": (["--fixed", "uncorr_bkguncrt[0]=1"], r"settings/fixed/uncorr_bkguncrt\[0\] is 1.0 here, missing there"),
    "a start": (["--init", "mu=2"], "settings/init/mu is 2.0 here, missing there"),
    "other bounds": (["--bounds", "mu=-1:20"], "settings/bounds/mu/0 is -1.0 here, missing there; settings/bounds/mu/1 is 20.0 here"),
    "other data": (["--asimov"], "settings/data/events is 1[0-9.]+ here, 99.0 there; settings/data/sha256 is"),
    "another parameter of interest": (["--poi", "uncorr_bkguncrt[1]"], r'settings/poi is "uncorr_bkguncrt\[1\]" here, "mu" there'),
    "another column": (["--keep", "mu"], 'columns/4 is "mu" here, missing there'),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_folder_of_another_run_is_refused_by_name(name, workspace, tmp_path):
    words, pattern = OTHERS[name]
    question = ["toys", "run", workspace, "--n-toys", 50, "--mu", "1", "--resume", tmp_path / "run"]
    answer(*question)
    question = [word for word in question if word not in ("--n-toys", 50, "--mu", "1")]
    values = {"--n-toys": "50", "--mu": "1"} | dict(zip(words[::2], words[1::2]))
    given = [part for key, value in values.items() for part in ([key, value])] if len(words) == 2 else ["--n-toys", "50", "--mu", "1", *words]
    done = run_program(*question, *given)
    assert done.returncode == 2 and re.search(pattern, done.stderr), done.stderr
    assert done.stderr.count("error:") == 1 and done.stderr.count("hint:") == 1
    assert answer("toys", "status", tmp_path / "run")["complete"], "nothing was touched"


def test_a_run_of_which_everything_differs_is_one_error(workspace, tmp_path):
    answer("toys", "run", workspace, "--n-toys", 20, "--resume", tmp_path / "run")
    done = run_program("hypotest-toys", SEARCH, "--n-toys", 50, "--seed", 1, "--fixed-aux", "--normsys-code", "code1", "--starts", 1,
                       "--resume", tmp_path / "run")
    assert done.returncode == 2 and done.stderr.count("error:") == 1 and done.stderr.count("hint:") == 1, done.stderr
    assert 'kind is "hypotest-toys" here, "toys" there' in done.stderr and "columns" not in done.stderr
    assert "; and " in done.stderr and len(done.stderr) < 2000


def test_another_workspace_is_refused_by_name(workspace, tmp_path):
    answer("hypotest-toys", workspace, "--n-toys", 20, "--resume", tmp_path / "run")
    other = write(tmp_path / "other.json", two_bins(observed=(51, 49)))
    done = run_program("hypotest-toys", other, "--n-toys", 20, "--resume", tmp_path / "run")
    assert done.returncode == 2 and "settings/data/events is 100.0 here, 99.0 there" in done.stderr
    other = write(tmp_path / "other.json", two_bins(signal=(12, 12)))
    done = run_program("hypotest-toys", other, "--n-toys", 20, "--resume", tmp_path / "run")
    assert done.returncode == 2 and "settings/model/sha256 is" in done.stderr
    done = run_program("hypotest-toys", workspace, "--n-toys", 20, "--mu", "2", "--resume", tmp_path / "run")
    assert done.returncode == 2 and "settings/mu is 2.0 here, 1.0 there" in done.stderr
    done = run_program("toys", "run", workspace, "--n-toys", 20, "--resume", tmp_path / "run")
    assert done.returncode == 2 and 'kind is "toys" here, "hypotest-toys" there' in done.stderr


def test_a_folder_that_holds_something_is_no_fresh_one(workspace, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter.txt").write_text("dear")
    for folder in (tmp_path / "full", workspace):
        done = run_program("toys", "run", workspace, "--n-toys", 20, "--out", folder)
        assert done.returncode == 2 and "hint:" in done.stderr
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["letter.txt"]


# --- wrong usage -----------------------------------------------------------------------------------------------------

WRONG = {
    "no toys": (["--n-toys", "0"], "--n-toys.*whole number from 1"),
    "too many for JSON": (["--n-toys", "100001"], "--n-toys.*100000.*--resume DIR"),
    "shard without folder": (["--shard", "1/4"], "--shard.*--resume DIR"),
    "mu and parameters": (["--mu", "1", "--parameters", "mu=1"], "--parameters.*--mu.*give one"),
    "no such parameter": (["--parameters", "uncor_bkguncrt[0]=1"], "uncor_bkguncrt.*did you mean 'uncorr_bkguncrt"),
    "nothing of that name to keep": (["--keep", "mv"], 'no parameter "mv".*inspect'),
    "a list of points": (["--parameters", "points.json"], "points.json.*list of points.*one object"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage_is_said(name, workspace, tmp_path):
    words, pattern = WRONG[name]
    write(tmp_path / "points.json", [{"mu": 1}])
    done = run_program("toys", "run", workspace, *words, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert re.search(pattern, done.stderr, re.S), done.stderr
    assert "hint:" in done.stderr


def test_many_kept_parameters_make_the_json_too_long():
    sets = {parameter["set"] for parameter in answer("inspect", SEARCH)["parameters"]}
    done = run_program("toys", "run", SEARCH, "--n-toys", 20000, *(word for name in sets for word in ("--keep", name)))
    assert done.returncode == 2 and "20000 toys of 114 numbers" in done.stderr and "--resume DIR" in done.stderr


# --- on a terminal ---------------------------------------------------------------------------------------------------


def interrupted(*arguments, until, number=signal.SIGINT):
    """What a person sees on standard error until `until` appears; then the signal. (text, exit code, seconds to the end)."""
    master, slave = pty.openpty()
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=slave, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    seen, sent, deadline = "", None, time.monotonic() + 60
    while select.select([master], [], [], max(0, deadline - time.monotonic()))[0]:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        seen += part.decode()
        if sent is None and re.search(until, seen):
            sent = time.monotonic()
            process.send_signal(number)
    os.close(master)
    if time.monotonic() > deadline:
        process.kill()
    code = process.wait(timeout=60)
    assert sent, f"{until} did not appear: {seen[-500:]}"
    return seen, code, time.monotonic() - sent


@pytest.mark.alone
def test_progress_says_how_fast_how_long_and_what_so_far(workspace, tmp_path):
    seen, code, seconds = interrupted("hypotest-toys", workspace, "--n-toys", 100_000_000, "--threads", 1, until=r"CLs [\d.]+ ± [\d.]+")
    assert re.search(r"\d+ toys at [\d.e+]+ toys/s: about [\d:]+ \w+, \d+ MB of memory\r?\n", seen)
    assert re.search(r"\r\[#*\.*\] \d+/200000000  [\d.e+]+ toys/s  .* left  CLs ", seen)
    assert code == 4 and seconds < 3 and "--resume DIR" in seen


def test_no_progress(workspace):
    master, slave = pty.openpty()
    done = subprocess.run([PROGRAM, "toys", "run", workspace, "--n-toys", "50000", "--threads", "1", "--no-progress"], stdout=subprocess.DEVNULL,
                          stderr=slave, timeout=120)
    os.set_blocking(master, False)
    with pytest.raises(BlockingIOError):
        os.read(master, 1)
    os.close(slave)
    os.close(master)
    assert done.returncode == 0
