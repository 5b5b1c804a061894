"""Fits, tests and limits of nextstat.pyhf against pyhf itself on small models, with every flag and shape."""

import itertools
import logging

import numpy as np
import pytest
from pyhf_pairs import ALL_MODIFIERS, OBSERVED, OBSERVED_CONTROL, quiet

ours = pytest.importorskip("nextstat.pyhf")
theirs = pytest.importorskip("pyhf")

TOLERANCE = 2e-4
SPECS = {
    "all modifiers": (ALL_MODIFIERS, [*OBSERVED_CONTROL, *OBSERVED]),
    "uncorrelated": (theirs.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0]).spec, [51.0, 48.0]),
    "excess": (theirs.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0]).spec, [66.0, 65.0]),
    "correlated": (
        theirs.simplemodels.correlated_background([12.0, 11.0], [50.0, 52.0], [45.0, 57.0], [55.0, 47.0]).spec, [51.0, 60.0]
    ),
}


@pytest.fixture(params=list(SPECS))
def case(request):
    """(pyhf's model, nextstat's model, data)."""
    spec, observed = SPECS[request.param]
    one, two = theirs.Model(spec), ours.Model(spec)
    return one, two, [*observed, *one.config.auxdata]


def flat(value):
    """All numbers of a nested return value, and its structure with shapes."""
    if isinstance(value, (tuple, list)):
        parts = [flat(entry) for entry in value]
        return [number for numbers, _ in parts for number in numbers], (type(value).__name__, [shape for _, shape in parts])
    if isinstance(value, (np.ndarray, np.generic, float)):
        return np.ravel(value).tolist(), np.shape(value)
    return [], type(value).__name__


def assert_same(expected, got):
    numbers, structure = flat(expected)
    our_numbers, our_structure = flat(got)
    assert our_structure == structure
    np.testing.assert_allclose(our_numbers, numbers, atol=TOLERANCE, rtol=TOLERANCE)


def test_fits_are_at_least_as_good(case):
    one, two, data = case
    for call, arguments in (("fit", ()), ("fixed_poi_fit", (1.2,)), ("fixed_poi_fit", (0.0,))):
        parameters, value = getattr(theirs.infer.mle, call)(*arguments, data, one, return_fitted_val=True)
        our_parameters, our_value = getattr(ours.infer.mle, call)(*arguments, data, two, return_fitted_val=True)
        assert our_parameters.shape == parameters.shape and our_value.shape == value.shape == ()
        assert float(our_value) / 2 <= float(value) / 2 + 1e-7
        assert abs(float(our_value) - float(value)) < TOLERANCE
        assert two.logpdf(our_parameters, data) * -2 == our_value
        np.testing.assert_allclose(our_parameters, parameters, atol=2e-3)  # as near as SLSQP comes to its minimum


FLAGS = ("return_tail_probs", "return_expected", "return_expected_set", "return_calculator")


@pytest.mark.parametrize("test_stat", ["qtilde", "q", "q0"])
def test_hypotest_returns_what_pyhf_returns(case, test_stat):
    one, two, data = case
    some = [(False,) * 4, (True,) * 4]
    for flags in itertools.product([False, True], repeat=len(FLAGS)) if one.config.npars <= 3 else some:
        settings = dict(zip(FLAGS, flags), test_stat=test_stat)
        with quiet():
            expected = theirs.infer.hypotest(1.0, data, one, **settings)
            got = ours.infer.hypotest(1.0, data, two, **settings)
        assert_same(expected, got)


@pytest.mark.parametrize("base", ["normal", "clipped_normal"])
def test_base_distributions(case, base):
    one, two, data = case
    settings = {"return_expected_set": True, "calc_base_dist": base}
    assert_same(theirs.infer.hypotest(0.8, data, one, **settings), ours.infer.hypotest(0.8, data, two, **settings))


def test_calculator_keeps_its_fits(case):
    one, two, data = case
    calculators = [theirs.infer.calculators.AsymptoticCalculator(data, one), ours.infer.calculators.AsymptoticCalculator(data, two)]
    with pytest.raises(RuntimeError, match="teststatistic"):
        calculators[1].distributions(1.0)
    for calculator in calculators:
        calculator.teststatistic(1.0)
    for name in ("asimov_pars", "free_fit_to_data", "free_fit_to_asimov", "fixed_poi_fit_to_data", "fixed_poi_fit_to_asimov"):
        values = [getattr(calculator.fitted_pars, name) for calculator in calculators]
        np.testing.assert_allclose(values[1], values[0], atol=2e-3, err_msg=name)


@pytest.mark.parametrize("test_stat", ["qtilde", "q", "q0"])
def test_seeded_toys_give_pyhfs_values(case, test_stat):
    one, two, data = case
    toys = 25 if one.config.npars <= 3 else 5
    samples = []
    for module, model in ((theirs, one), (ours, two)):
        np.random.seed(0)
        with quiet():
            calculator = module.infer.calculators.ToyCalculator(data, model, test_stat=test_stat, ntoys=toys, track_progress=False)
            distributions = calculator.distributions(1.0)
            samples.append(np.array([distribution.samples for distribution in distributions]))
    np.testing.assert_allclose(samples[1], samples[0], atol=TOLERANCE, rtol=TOLERANCE)


def test_toy_based_tests_return_pyhfs_structure():
    spec, observed = SPECS["excess"]
    model = ours.Model(spec)
    settings = {"calctype": "toybased", "ntoys": 40, "track_progress": False}
    np.random.seed(5)
    result = ours.infer.hypotest(
        1.0, [*observed, *model.config.auxdata], model, return_tail_probs=True, return_expected=True, return_expected_set=True,
        return_calculator=True, **settings,
    )
    assert [np.shape(value) for value in result[:4]] == [(), (2,), (), (5,)]
    assert all(isinstance(value, np.ndarray) for value in (result[0], result[2], *result[1], *result[3]))
    assert isinstance(result[4], ours.infer.calculators.ToyCalculator)
    assert sorted(result[3]) == list(result[3])


@pytest.mark.parametrize("test_stat", ["qtilde", "q", "q0"])
def test_toys_in_batches_are_those_one_by_one(case, test_stat, monkeypatch):
    _, model, data = case
    samples = []
    for in_batches in (True, False):
        if not in_batches:
            monkeypatch.setattr("nextstat.pyhf.infer.toys.engine_for_toys", lambda pdf: None)
        np.random.seed(4)
        calculator = ours.infer.calculators.ToyCalculator(data, model, test_stat=test_stat, ntoys=60, track_progress=False)
        with quiet():
            samples.append([distribution.samples for distribution in calculator.distributions(1.0)])
    np.testing.assert_allclose(samples[0], samples[1], atol=1e-9)


def test_limits_by_search(case):
    one, two, data = case
    if one.config.npars > 3:
        pytest.skip("pyhf takes half a minute for it: test_limits_by_search_with_all_modifiers, which is marked long")
    compare_limits(one, two, data)


@pytest.mark.long
def test_limits_by_search_with_all_modifiers():
    spec, observed = SPECS["all modifiers"]
    one, two = theirs.Model(spec), ours.Model(spec)
    compare_limits(one, two, [*observed, *one.config.auxdata])


def compare_limits(one, two, data):
    with quiet():
        expected = theirs.infer.intervals.upper_limits.upper_limit(data, one)
        assert_same(expected, ours.infer.intervals.upper_limits.upper_limit(data, two))


def test_limits_on_a_grid(case):
    one, two, data = case
    with quiet():
        grid = np.linspace(0.5, 6, 4)  # at mu = 0 the CLs of pyhf is 1 within the noise of its fits only
        expected = theirs.infer.intervals.upper_limits.upper_limit(data, one, grid, return_results=True)
        got = ours.infer.intervals.upper_limits.upper_limit(data, two, grid, return_results=True)
    assert_same(expected, got)


def test_the_level_counts_in_a_search():
    spec, observed = SPECS["uncorrelated"]
    model = ours.Model(spec)
    data = [*observed, *model.config.auxdata]
    limit, _ = ours.infer.intervals.upper_limits.upper_limit(data, model, level=0.1)
    assert float(ours.infer.hypotest(float(limit), data, model)) == pytest.approx(0.1, abs=2e-4)


def test_test_statistics_and_their_warnings(case, caplog):
    one, two, data = case
    for name, (low, mu) in {"qmu": (-2.0, 1.0), "tmu": (-2.0, 1.0), "qmu_tilde": (0.0, 1.0), "tmu_tilde": (0.0, 1.0), "q0": (0.0, 0.0)}.items():
        results = []
        for module, model in ((theirs, one), (ours, two)):
            bounds = model.config.suggested_bounds()
            bounds[model.config.poi_index] = (low, 8.0)
            arguments = (mu, data, model, model.config.suggested_init(), bounds, model.config.suggested_fixed())
            results.append(getattr(module.infer.test_statistics, name)(*arguments, return_fitted_pars=True))
        np.testing.assert_allclose(results[1][0], results[0][0], atol=TOLERANCE)
        assert np.shape(results[1][0]) == ()
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        bounds = two.config.suggested_bounds()
        bounds[two.config.poi_index] = (-2.0, 8.0)
        ours.infer.test_statistics.qmu_tilde(1.0, data, two, two.config.suggested_init(), bounds, two.config.suggested_fixed())
    assert "qmu_tilde test statistic used for fit configuration with POI not bounded at zero" in caplog.text


def test_wrong_questions_raise_pyhfs_exceptions(case):
    one, two, data = case
    wrong = {
        "poi outside its bounds": lambda module, model: module.infer.hypotest(-1.0, data, model),
        "unknown test statistic": lambda module, model: module.infer.hypotest(1.0, data, model, test_stat="other"),
        "unknown calculator": lambda module, model: module.infer.hypotest(1.0, data, model, calctype="other"),
        "unknown base": lambda module, model: module.infer.hypotest(1.0, data, model, calc_base_dist="other"),
        "poi fixed": lambda module, model: module.infer.hypotest(
            1.0, data, model, fixed_params=[index == model.config.poi_index for index in range(model.config.npars)]),
        "unknown option": lambda module, model: module.infer.mle.fit(data, model, surplus=1),
    }
    for what, call in wrong.items():
        with pytest.raises(Exception) as expected:
            call(theirs, one)
        with pytest.raises(Exception) as raised:
            call(ours, two)
        assert type(raised.value).__name__ == type(expected.value).__name__, what


def test_the_old_name_of_upper_limit_warns():
    spec, observed = SPECS["uncorrelated"]
    model = ours.Model(spec)
    with pytest.warns(DeprecationWarning, match="upper_limits.upper_limit"):
        ours.infer.intervals.upperlimit([*observed, *model.config.auxdata], model, np.linspace(0, 5, 11))


def test_uncertainties_come_with_the_minuit_optimizer():
    spec, observed = SPECS["all modifiers"]
    one, two = theirs.Model(spec), ours.Model(spec)
    data = [*observed, *one.config.auxdata]
    results = []
    try:
        for module, model in ((theirs, one), (ours, two)):
            module.set_backend("numpy", "minuit")
            settings = {"return_uncertainties": True, "return_correlations": True, "return_fitted_val": True, "return_result_obj": True}
            results.append(module.infer.mle.fit(data, model, **settings))
    finally:
        theirs.set_backend("numpy")
        ours.set_backend("numpy")
    assert [np.shape(value) for value in results[1][:3]] == [np.shape(value) for value in results[0][:3]]
    np.testing.assert_allclose(results[1][0], results[0][0], atol=5e-3, rtol=0.06)  # Minuit's errors feel the bounds
    np.testing.assert_allclose(results[1][1], results[0][1], atol=0.03)
    assert results[1][3].success and results[1][3]["x"] is results[1][3].x


def test_other_tensor_libraries_are_refused_with_a_reason():
    for name in ("jax", "pytorch", "tensorflow"):
        with pytest.raises(ours.exceptions.ImportBackendError, match="numbers do not depend on a backend"):
            ours.set_backend(name)
        with pytest.raises(ours.exceptions.ImportBackendError):
            getattr(ours.tensor, f"{name}_backend")(precision="64b")
    with pytest.raises(ours.exceptions.InvalidBackend):
        ours.set_backend("other")
    with pytest.raises(ours.exceptions.InvalidOptimizer):
        ours.set_backend("numpy", "other")
    with pytest.raises(ours.exceptions.Unsupported):
        ours.set_backend("numpy", precision="16b")
