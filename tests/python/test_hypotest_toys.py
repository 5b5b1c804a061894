"""hypotest-toys: pyhf's toys as a witness, the numbers recounted from the folder, wrong usage, the screen."""

import json
import math
import re

import pytest

from conftest import answer, needs_program, run_program, write
from small_workspaces import two_bins
from toy_verbs import read_toys

pytestmark = needs_program

EXCESS = two_bins(observed=(63, 60))


# --- pyhf ----------------------------------------------------------------------------------------------------------


def pyhf_toys(document, mu, statistic, n_toys):
    """CLsb, CLb."""
    np = pytest.importorskip("numpy")
    pyhf = pytest.importorskip("pyhf")
    pyhf.set_backend("numpy")
    np.random.seed(20260101)
    loaded = pyhf.Workspace(document)
    model = loaded.model()
    with np.errstate(all="ignore"):
        calculator = pyhf.infer.calculators.ToyCalculator(loaded.data(model), model, test_stat=statistic, ntoys=n_toys,
                                                          track_progress=False)
        signal, background = calculator.distributions(mu)
        clsb, clb, _ = calculator.pvalues(calculator.teststatistic(mu), signal, background)
    return float(clsb), float(clb)


@pytest.mark.parametrize("statistic, document, mu", [("qtilde", two_bins(), 1.0), pytest.param("q", two_bins(), 0.5, marks=pytest.mark.long),
                                                      ("q0", EXCESS, 0.0)], ids=["qtilde", "q", "q0"])
def test_probabilities_as_pyhfs_toys(statistic, document, mu, tmp_path):
    n = 200
    clsb, clb = pyhf_toys(document, mu, statistic, n)
    words = [] if statistic == "q0" else ["--mu", mu]
    found = answer("hypotest-toys", write(tmp_path / "w.json", document), *words, "--test-stat", statistic, "--n-toys", 20000)
    for name, theirs in (("clsb", clsb), ("clb", clb)):
        error = math.hypot(found[name + "_error"], math.sqrt(theirs * (1 - theirs) / n))
        assert 0.01 < theirs < 0.99, "a probability that tells something"
        assert abs(found[name] - theirs) < 3 * error, name


def test_the_band_is_pyhfs_way_to_count(workspace, tmp_path):
    """pyhf's own function on our toys gives our numbers: for the data, and for every background toy in their place."""
    np = pytest.importorskip("numpy")
    pyhf = pytest.importorskip("pyhf")
    pyhf.set_backend("numpy")
    found = answer("hypotest-toys", workspace, "--n-toys", 400, "--expected-set", "--out", tmp_path / "run")
    toys = read_toys(tmp_path / "run")
    sb, b = (toys[name]["q"] for name in ("signal + background", "background"))
    loaded = pyhf.Workspace(json.loads(workspace.read_text()))
    calculator = pyhf.infer.calculators.ToyCalculator(loaded.data(loaded.model()), loaded.model(), ntoys=1)
    distributions = [pyhf.infer.calculators.EmpiricalDistribution(values) for values in (sb, b)]
    of_toys = np.array([calculator.pvalues(q, *distributions) for q in b], float)
    percents = [2.275013194817921, 15.865525393145708, 50, 84.1344746068543, 97.72498680518208]
    for name, values in zip(("clsb", "clb", "cls"), of_toys.T):
        np.testing.assert_allclose(found["expected_set"][name], np.percentile(values, percents), rtol=1e-9)
    clsb, clb, cls = calculator.pvalues(found["q_obs"], *distributions)
    assert [found[name] for name in ("clsb", "clb", "cls")] == pytest.approx([float(clsb), float(clb), float(cls)], rel=1e-12)


def test_toys_agree_with_the_asymptotic_formulae_where_these_hold(tmp_path):
    document = two_bins((120.0, 110.0), (5000.0, 5200.0), (30.0, 70.0), (5100, 5180))
    path = write(tmp_path / "large.json", document)
    for statistic in ("qtilde", "q"):
        asymptotic = answer("hypotest", path, "--test-stat", statistic)
        toys = answer("hypotest-toys", path, "--test-stat", statistic, "--n-toys", 20000)
        assert toys["q_obs"] == asymptotic["q_mu"] and toys["mu_hat"] == asymptotic["mu_hat"]
        for name in ("cls", "clsb", "clb"):
            assert abs(toys[name] - asymptotic[name]) < 3 * toys[name + "_error"] + 0.01, name


# --- the answer ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", ["qtilde", "q", "q0"])
@pytest.mark.parametrize("more", [[], ["--expected-set"], ["--fixed-aux"], ["--timings"]], ids=lambda words: " ".join(words))
def test_the_answer_is_as_the_schema_says(statistic, more, workspace, schema):
    found = answer("hypotest-toys", workspace, "--test-stat", statistic, "--n-toys", 50, *more)
    schema("hypotest-toys", found)
    assert found["n_toys"] == {"b": 50, "sb": 50} and found["complete"] and found["seed"] == 42
    assert ("expected_set" in found) == (more == ["--expected-set"])
    assert (found["cls"] is None) == (statistic == "q0")
    assert found["teststat"] == found["q_mu"] == found["q_obs"]
    if statistic != "q0":
        assert found["cls"] == pytest.approx(found["clsb"] / found["clb"], rel=1e-12)


def test_errors_are_those_of_fractions(workspace):
    found = answer("hypotest-toys", workspace, "--n-toys", 2000)
    for name in ("clsb", "clb"):
        assert found[name + "_error"] == pytest.approx(math.sqrt(found[name] * (1 - found[name]) / 2000), rel=1e-9)
    relative = math.hypot(found["clsb_error"] / found["clsb"], found["clb_error"] / found["clb"])
    assert found["cls_error"] == pytest.approx(found["cls"] * relative, rel=1e-9)


def test_b_and_sb_are_what_the_toys_are_made_of(tmp_path):
    """Counts of toys of both kinds differ in one shard of three: for q0 the tested hypothesis comes first, and is b."""
    path = write(tmp_path / "w.json", two_bins())
    counts = {}
    for statistic in ("qtilde", "q0"):
        found = answer("hypotest-toys", path, "--test-stat", statistic, "--n-toys", 15, "--shard", "1/3", "--out", tmp_path / statistic)
        assert not found["complete"] and found["shard_done"] and found["shard"] == "1/3"
        counts[statistic] = found["n_toys"]
    assert counts == {"qtilde": {"sb": 10, "b": 5}, "q0": {"b": 10, "sb": 5}}


def test_more_seeds_more_numbers(workspace):
    seeds = {answer("hypotest-toys", workspace, "--n-toys", 500, "--seed", seed)["clb"] for seed in (1, 2, 3, 2**64 - 1)}
    assert len(seeds) > 1


def test_fixed_auxiliary_data_narrow_the_toys(tmp_path):
    """A background known to 20 % from auxiliary data: with these fixed, toys scatter less."""
    path = write(tmp_path / "w.json", two_bins(background=(500.0, 520.0), uncertainty=(100.0, 100.0), observed=(500, 520)))
    spread = [answer("toys", "run", path, "--n-toys", 2000, *words)["sigma_mu_hat"] for words in ([], ["--fixed-aux"])]
    assert spread[1] < 0.5 * spread[0]


def test_cls_that_does_not_exist_is_null_with_a_warning_and_exit_1(tmp_path):
    """Data far below every toy."""
    path = write(tmp_path / "w.json", two_bins(background=(500.0, 520.0), uncertainty=(1.0, 1.0), observed=(300, 310)))
    found = answer("hypotest-toys", path, "--n-toys", 20, code=1)
    assert found["clb"] == 0 and found["cls"] is None and found["cls_error"] is None and found["converged"]
    assert any("CLs is undefined" in warning for warning in found["warnings"])


def test_options_of_all_fits(workspace, tmp_path):
    """--asimov, --fixed, --data change what they should."""
    plain = answer("hypotest-toys", workspace, "--n-toys", 50)
    data = write(tmp_path / "data.json", {"c": [70, 70]})
    assert answer("hypotest-toys", workspace, "--n-toys", 50, "--data", data)["mu_hat"] > plain["mu_hat"]
    assert answer("hypotest-toys", workspace, "--n-toys", 50, "--asimov", "mu=2")["mu_hat"] == pytest.approx(2, abs=1e-5)
    fixed = answer("hypotest-toys", workspace, "--n-toys", 50, "--fixed", "uncorr_bkguncrt=1")
    assert fixed["q_obs"] == answer("hypotest", workspace, "--fixed", "uncorr_bkguncrt=1")["q_mu"]


# --- wrong usage ---------------------------------------------------------------------------------------------------

WRONG = {
    "no toys": (["--n-toys", "0"], "--n-toys.*whole number from 1"),
    "fewer than none": (["--n-toys", "-5"], "--n-toys.*whole number from 1"),
    "too many": (["--n-toys", "100000000000"], "--n-toys.*to 1000000000"),
    "far too many": (["--n-toys", "1" + 40 * "0"], "--n-toys.*to 1000000000"),
    "a negative seed": (["--seed", "-1"], "--seed.*whole number from 0"),
    "a seed of 65 bits": (["--seed", str(2**64)], "--seed.*18446744073709551615"),
    "a negative batch": (["--batch", "-1"], "--batch.*whole number"),
    "shard 0": (["--shard", "0/4", "--out", "DIR"], "--shard.*from 1 to N.*add 1"),
    "shard 5 of 4": (["--shard", "5/4", "--out", "DIR"], "--shard.*from 1 to N"),
    "no shard": (["--shard", "half", "--out", "DIR"], "--shard.*i/N.*3/16"),
    "shard without folder": (["--shard", "1/4"], "--shard.*--resume DIR"),
    "two folders": (["--out", "DIR", "--resume", "DIR"], "--resume.*--out|--out.*--resume"),
    "a folder without a name": (["--resume", ""], "--resume.*name"),
    "q0 with mu": (["--test-stat", "q0", "--mu", "1"], "--mu.*q0 tests the value 0"),
    "two-sided": (["--test-stat", "ttilde"], "--test-stat.*ttilde"),
    "mu is no number": (["--mu", "many"], "--mu.*many"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage_is_said(name, workspace, tmp_path):
    words, pattern = WRONG[name]
    done = run_program("hypotest-toys", workspace, *words, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert re.search(pattern, done.stderr, re.S), done.stderr
    assert "hint:" in done.stderr and not (tmp_path / "DIR").exists()


def test_a_model_without_a_parameter_of_interest_is_refused(workspace):
    done = run_program("hypotest-toys", workspace, "--poi", "")
    assert done.returncode == 2 and "parameter of interest" in done.stderr


# --- the screen ----------------------------------------------------------------------------------------------------


def test_screen(workspace):
    shown = run_program("hypotest-toys", workspace, "--mu", "2", "--n-toys", 500, "--expected-set", "--format", "table").stdout
    assert "test of mu = 2 with qtilde" in shown and "expected median" in shown
    assert "mu = 2 is excluded at 95% CL: CLs = " in shown and "±" in shown
    assert len(shown.splitlines()) < 25 and max(map(len, shown.splitlines())) < 100


def test_screen_when_toys_do_not_decide(workspace):
    limit = answer("upper-limit", workspace)["obs_limit"]
    shown = run_program("hypotest-toys", workspace, "--mu", limit, "--n-toys", 100, "--format", "table").stdout
    assert "more toys are needed" in shown
