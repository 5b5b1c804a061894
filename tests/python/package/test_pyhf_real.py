"""Real workspaces: nextstat.pyhf gives pyhf's fits, CLs and limits, or better fits. pyhf's answers are kept in
tests/golden/pyhf/limits.json, since it takes minutes for each; tests/golden/pyhf/make_limits.py made them."""

import json
import pathlib

import numpy as np
import pytest
from pyhf_pairs import quiet
from pyhf_real_cases import CASES, WITH_LIMITS

import nextstat

ours = pytest.importorskip("nextstat.pyhf")

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = json.loads((ROOT / "tests/golden/pyhf/limits.json").read_text())["cases"]
TOLERANCE = 2e-4

# Where pyhf itself gives no answer or a wrong one, and what happens there.
NO_CLS = {
    "negbins": "the POI is the luminosity, which may not be 0: there is no background-only hypothesis (ValueError in both)",
    "cms-ttg-2l": "pyhf's fit fails: a bin has no events at mu = 1 and the start values",
    "agc-ml": "pyhf's CLs is NaN: its fit to the Asimov data ends at another minimum",
    "3lrj": "pyhf's fit ends far above the minimum: auxiliary data of 1.9e11 leave its likelihood 1e-3 of noise",
}
NO_LIMIT = {
    "negbins": NO_CLS["negbins"],
    "3lrj": NO_CLS["3lrj"],
    "displaced-leptons": "the limit lies above the bounds of the POI (ValueError in both)",
    "stanhf": "the POI is a histosys and its lower bound makes rates negative (FailedMinimization in pyhf)",
}
BAD_FIT = {"3lrj"}
# pyhf's fits end in a higher minimum than the deepest (docs/several-minima.md): from the suggested start ours do too.
HIGHER = {"stau"}


@pytest.fixture(scope="module")
def opened(data_dir):
    """opened(name) -> (model, data); each is built once."""
    known = {}

    def get(name):
        if name not in known:
            apply = lambda patch, document: ours.patchset.JsonPatch(patch).apply(document)  # noqa: E731
            workspace = ours.Workspace(CASES[name].read(data_dir, apply))
            with quiet():
                model = workspace.model()
            known[name] = model, workspace.data(model)
        return known[name]

    return get


def in_package(name, data_dir):
    """The same model for nextstat's own functions, which can begin at the suggested start alone."""
    apply = lambda patch, document: ours.patchset.JsonPatch(patch).apply(document)  # noqa: E731
    return nextstat.Model.from_workspace(CASES[name].read(data_dir, apply))


def test_every_case_has_an_answer_of_pyhfs_or_a_reason():
    assert set(GOLDEN) == set(CASES)
    assert {name for name, golden in GOLDEN.items() if "hypotest" not in golden} <= set(NO_CLS)
    assert {name for name in WITH_LIMITS if "limit" not in GOLDEN[name]} <= set(NO_LIMIT)
    assert len(set(CASES) - set(NO_CLS)) >= 10
    without = {name for name, golden in GOLDEN.items() if "missing" in golden or golden["hypotest"]["cls"] is None}
    assert set(NO_CLS | NO_LIMIT) <= without | BAD_FIT


@pytest.mark.parametrize("name", CASES)
def test_fits_are_as_good_as_pyhfs(name, opened, data_dir):
    model, data = opened(name)
    golden = GOLDEN[name]["fit"]
    parameters, value = ours.infer.mle.fit(data, model, return_fitted_val=True)
    assert float(value) / 2 <= golden["twice_nll"] / 2 + 1e-7
    assert model.config.npars == CASES[name].parameters
    if name in HIGHER:
        assert float(value) < golden["twice_nll"] - 0.1
        value = 2 * nextstat.fit(in_package(name, data_dir), starts=1).nll
    if name not in BAD_FIT:
        assert abs(float(value) - golden["twice_nll"]) < TOLERANCE
    # pyhf's parameters are worth what its NLL is: no farther from the minimum than the two NLLs are apart
    np.testing.assert_allclose(-2 * model.logpdf(golden["parameters"], data)[0], golden["twice_nll"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in CASES if name not in NO_CLS])
def test_cls_is_pyhfs(name, opened, data_dir):
    model, data = opened(name)
    golden = GOLDEN[name]["hypotest"]
    with quiet():
        observed, expected = ours.infer.hypotest(1.0, data, model, return_expected_set=True)
    if name in HIGHER:
        assert abs(observed - golden["cls"]) > TOLERANCE
        observed, expected = nextstat.hypotest(1.0, in_package(name, data_dir), starts=1, return_expected_set=True)
    np.testing.assert_allclose([observed, *expected], [golden["cls"], *golden["expected"]], atol=TOLERANCE)


SLOW = {"agc", "1lbb-700-400", "1lbb-900-300", "stau"}  # for pyhf


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in SLOW)) for name in WITH_LIMITS if name not in NO_LIMIT])
def test_limits_are_pyhfs(name, opened, data_dir):
    model, data = opened(name)
    golden = GOLDEN[name]["limit"]
    low, high = CASES[name].bracket or model.config.suggested_bounds()[model.config.poi_index]
    with quiet():
        observed, expected = ours.infer.intervals.upper_limits.toms748_scan(data, model, low, high)
    if name in HIGHER:
        limit = nextstat.upper_limit(in_package(name, data_dir), starts=1)
        observed, expected = limit.obs_limit, limit.exp_limits
    np.testing.assert_allclose([observed, *expected], [golden["observed"], *golden["expected"]], rtol=TOLERANCE)


def test_where_a_start_of_pyhf_has_no_likelihood_ours_begins_elsewhere(opened):
    model, data = opened("stanhf")
    assert "FailedMinimization" in GOLDEN["stanhf"]["missing"]
    with quiet():
        observed, expected = ours.infer.intervals.upper_limits.upper_limit(data, model)
    assert np.all(np.isfinite([observed, *expected])) and np.all(np.diff(expected) > 0)


@pytest.mark.parametrize("name,error", [("negbins", ValueError), ("displaced-leptons", ValueError)])
def test_where_pyhf_raises_the_same_is_raised(name, error, opened):
    model, data = opened(name)
    assert error.__name__ in GOLDEN[name]["missing"]
    with quiet(), pytest.raises(error):
        ours.infer.intervals.upper_limits.upper_limit(data, model)
