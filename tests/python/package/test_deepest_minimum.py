"""Fits, tests, limits and scans end in the deepest minimum: none lies above the best of many random starts of this test's own."""

import json
import signal
import subprocess
import time

import numpy as np
import pytest

import nextstat
from conftest import PROGRAM
from deep_minima import (DATA, TOLERANCE, below_zero_workspace, bent_workspace, fits_behind_cls, lowest_of_starts, public_model,
                         public_models, toys_above)
from random_models import random_workspace

# Public likelihoods where the suggested start leads to another minimum than the deepest.
HARD = ["stau-comb-400-40", "agc", "1lbb_325_50", "stau_260_1", "stau_340_1"]
# These have dozens of minima without signal: the search may end at its budget, close to the deepest.
MANY = {"cms-ttg-2l", "cms-ttg-2l-shapesys"}
needs_data = pytest.mark.skipif(not DATA.exists(), reason=f"no workspaces at {DATA}; set NEXTSTAT_DATA")


def complaints(name, model, starts):
    for number, (data, fixed, result) in enumerate(fits_behind_cls(model)):
        above = result.nll - lowest_of_starts(model, data, fixed, starts, [4711, number])
        allowed = 0.05 if name in MANY and not result.exhausted else TOLERANCE
        if above > allowed:
            yield f"{name} {fixed}: {above:.3g} above a random start (exhausted: {result.exhausted})"


@needs_data
@pytest.mark.parametrize("name", HARD)
def test_fits_of_a_cls(name):
    assert list(complaints(name, public_model(name), 40)) == []


@needs_data
@pytest.mark.parametrize("name, fixed, deepest", [
    ("stau-comb-400-40", {}, 108.715561), ("1lbb_325_50", {"mu_SIG": 1.0}, 121.983467),
    ("stau_260_1", {"mu_SIG": 1.0}, 111.416403), ("stau_340_1", {"mu_SIG": 1.0}, 111.149127),
])
def test_known_minima(name, fixed, deepest):
    model = public_model(name)
    fixed = {model.poi_name: value for value in fixed.values()}
    found = nextstat.fit(model, fixed=fixed)
    assert found.nll == pytest.approx(deepest, abs=1e-6)
    assert found.exhausted and len(found.minima) > 1
    first = nextstat.fit(model, fixed=fixed, starts=1)
    assert first.nll > found.nll + 0.05 and not first.exhausted and first.starts == 1
    assert found.minima[0].used and found.minima[0].nll == found.nll
    assert [minimum.above for minimum in found.minima] == sorted(minimum.above for minimum in found.minima)
    assert min(abs(minimum.nll - first.nll) for minimum in found.minima) < 1e-6


def envelope_complaints(name, model, starts):
    limit = nextstat.upper_limit(model)
    values = list(np.linspace(0, 1.5 * limit.obs_limit if np.isfinite(limit.obs_limit) else 5.0, 21))
    scan = nextstat.profile_scan(model, values)
    poi, data = model.poi_name, np.array(model.observed_data)
    for point in scan.points:
        above = point.nll_mu - lowest_of_starts(model, data, {poi: point.mu}, starts, [99, len(name)])
        allowed = 0.05 if name in MANY and not scan.exhausted else TOLERANCE
        if above > allowed:
            yield f"{name}: scan at {point.mu}: {above:.3g} above a random start"
    for mu, cls in zip(limit.poi_values, limit.observed_cls):
        test = nextstat.hypotest(mu, model, return_result=True)
        if np.isfinite(cls) and cls != pytest.approx(test.cls, rel=1e-4, abs=1e-9):
            yield f"{name}: limit at {mu}: CLs {cls}, alone {test.cls}"


@needs_data
@pytest.mark.parametrize("name", ["stau-comb-400-40", "stau_340_1"])
def test_scans_and_limits(name):
    assert list(envelope_complaints(name, public_model(name), 12)) == []


def test_a_sample_below_zero():
    model = nextstat.Model.from_workspace(below_zero_workspace())
    assert list(envelope_complaints("below zero", model, 100)) == []
    alone, found = (nextstat.fit(model, fixed={"mu": 5.0}, starts=starts) for starts in (1, "auto"))
    assert found.nll < alone.nll - 5
    assert found.bestfit[model.parameter_names.index("few[0]")] == pytest.approx(10)


def random_complaints(seed, starts):
    model = nextstat.Model.from_workspace(random_workspace(seed))
    try:
        result = nextstat.fit(model, uncertainties=False)
    except nextstat.Error:
        return None  # test_random_models looks at those
    lowest = lowest_of_starts(model, np.array(model.observed_data), {}, starts, [17, seed])
    # Below zero the likelihood falls without end: rates of empty bins are negative.
    if not result.exhausted or lowest < 0 or result.nll <= lowest + TOLERANCE:
        return None
    return f"seed {seed}: {result.nll - lowest:.3g} above a random start"


def test_random_models():
    assert [text for seed in range(60) if (text := random_complaints(seed, 30))] == []


@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_toys(mu):
    above, toys, above_alone = toys_above(nextstat.Model.from_workspace(bent_workspace()), mu, 200, 12)
    assert above <= 2 and above_alone > 10
    minima, = toys.toy_minima
    assert minima.sampled >= 64 and 0 < minima.elsewhere < minima.sampled and minima.starts > 1
    assert any(f"in {minima.elsewhere} of {minima.sampled} sampled toys" in warning for warning in toys.warnings)


def test_toys_of_a_model_that_does_not_bend():
    model = nextstat.pyhf.simplemodels.uncorrelated_background([5.0, 10.0], [50.0, 60.0], [7.0, 8.0])
    toys = nextstat.fit_toys(nextstat.Model.from_workspace(
        {"channels": model.spec["channels"], "observations": [{"name": "singlechannel", "data": [52.0, 61.0]}], "version": "1.0.0",
         "measurements": [{"name": "m", "config": {"poi": "mu", "parameters": []}}]}), n_toys=50, progress=False)
    minima, = toys.toy_minima
    assert (minima.starts, minima.sampled, minima.elsewhere) == (1, 0, 0)


def test_toys_drawn_outside_the_bounds():
    """The truth may lie where fits do not reach; the sample's fits stay inside."""
    model = nextstat.Model.from_workspace(bent_workspace())
    truth = np.array(model.suggested_init)
    truth[model.poi_index] = 12.0
    assert truth[model.poi_index] > model.suggested_bounds[model.poi_index][1]
    toys = nextstat.fit_toys(model, truth, n_toys=20, progress=False)
    assert toys.toy_minima[0].sampled > 0 and toys.n_error == 0
    assert nextstat.hypotest_toys(12.0, model, n_toys=20, return_result=True, progress=False).toy_minima[1].sampled > 0


@pytest.mark.alone
def test_ctrl_c_while_toys_are_sampled(tmp_path):
    """The answer is that of an interrupted run, whenever it comes."""
    place = tmp_path / "bent.json"
    place.write_text(json.dumps(bent_workspace()))
    for wait in np.linspace(0.05, 1.2, 6):
        process = subprocess.Popen([PROGRAM, "hypotest-toys", place, "--mu", "1", "--n-toys", "10000000", "--format", "json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode in (4, -signal.SIGINT), said


def test_toys_of_tests_and_parts():
    """Both hypotheses and both fits are told of; shards and threads change nothing."""
    model = nextstat.Model.from_workspace(bent_workspace())
    whole = nextstat.hypotest_toys(1.0, model, n_toys=60, return_result=True, progress=False, threads=2)
    again = nextstat.hypotest_toys(1.0, model, n_toys=60, return_result=True, progress=False, threads=1, batch=7)
    assert [minima.fit for minima in whole.toy_minima] == [
        "the free fit of toys at mu = 1", "the fit at mu = 1 of toys at mu = 1",
        "the free fit of toys at mu = 0", "the fit at mu = 1 of toys at mu = 0"]
    assert np.array_equal(whole.q_tested, again.q_tested) and np.array_equal(whole.q_alternative, again.q_alternative)
    assert [minima.to_dict() for minima in whole.toy_minima] == [minima.to_dict() for minima in again.toy_minima]


def assert_of_public_model(name, complaints_of, starts):
    model = public_model(name)
    if model.poi_name not in model.parameter_names or model.suggested_fixed[model.parameter_names.index(model.poi_name)]:
        pytest.skip("no free parameter of interest")
    try:
        found = list(complaints_of(name, model, starts))
    except nextstat.Error as error:
        pytest.skip(f"no fit: {error}")
    assert found == []


@pytest.mark.long
@needs_data
@pytest.mark.parametrize("name", sorted(public_models()))
def test_fits_of_a_cls_of_every_public_model(name):
    assert_of_public_model(name, complaints, 1000)


@pytest.mark.long
@needs_data
@pytest.mark.parametrize("name", sorted(public_models()))
def test_scans_and_limits_of_every_public_model(name):
    assert_of_public_model(name, envelope_complaints, 10 if name.startswith("cms") else 100)  # the largest: hundreds take hours


@pytest.mark.long
def test_five_hundred_random_models():
    overlooked = {seed for seed in range(500) if random_complaints(seed, 1000)}
    # Four percent of the random starts of 4, and one in four hundred of 465, lead to minima that the search overlooks.
    assert overlooked == {4, 465}


@pytest.mark.long
@needs_data
@pytest.mark.parametrize("name, mu", [
    ("stau_260_1", 0.0), ("stau_260_1", 1.0), ("agc", 0.0), ("agc", 1.0), ("1lbb_325_50", 1.0),
    # Rates of empty bins turn negative in some of these toys, each in its own way: no set of starts covers them.
    pytest.param("1lbb_325_50", 0.0, marks=pytest.mark.xfail(strict=True, reason="5 percent lie above the best of 64 starts")),
])
def test_a_thousand_toys(name, mu):
    above, _, _ = toys_above(public_model(name), mu, 1000, 64)
    assert above <= 10
