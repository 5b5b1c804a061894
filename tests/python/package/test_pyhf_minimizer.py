"""nextstat's solver as an optimizer of pyhf itself: `pyhf.set_backend("numpy", nextstat.pyhf.minimizer())`."""

import gc
import weakref

import numpy as np
import pytest
from pyhf_pairs import ALL_MODIFIERS, OBSERVED, OBSERVED_CONTROL

nextstat_pyhf = pytest.importorskip("nextstat.pyhf")
pyhf = pytest.importorskip("pyhf")


@pytest.fixture
def model():
    return pyhf.Model(ALL_MODIFIERS)


@pytest.fixture
def data(model):
    return [*OBSERVED_CONTROL, *OBSERVED, *model.config.auxdata]


@pytest.fixture
def minimizer():
    pyhf.set_backend("numpy", nextstat_pyhf.minimizer())
    yield pyhf.optimizer
    pyhf.set_backend("numpy")


def test_pyhf_accepts_it(minimizer):
    assert minimizer.name == "nextstat"


def test_fits_are_at_least_as_good_as_pyhfs_own(model, data):
    expected = pyhf.infer.mle.fit(data, model, return_fitted_val=True)
    pyhf.set_backend("numpy", nextstat_pyhf.minimizer())
    try:
        parameters, value = pyhf.infer.mle.fit(data, model, return_fitted_val=True)
    finally:
        pyhf.set_backend("numpy")
    assert value / 2 <= expected[1] / 2 + 1e-7
    np.testing.assert_allclose(parameters, expected[0], atol=2e-3)
    np.testing.assert_allclose(value, -2 * model.logpdf(parameters, data)[0], atol=1e-9)


def test_pyhfs_own_tests_use_it(minimizer, model, data):
    cls, expected = pyhf.infer.hypotest(1.0, data, model, return_expected_set=True)
    ours = nextstat_pyhf.Model(ALL_MODIFIERS)
    our_cls, our_expected = nextstat_pyhf.infer.hypotest(1.0, data, ours, return_expected_set=True)
    np.testing.assert_allclose([cls, *expected], [our_cls, *our_expected], rtol=1e-7)


def test_every_return_value(minimizer, model, data):
    result = pyhf.infer.mle.fit(
        data, model, return_uncertainties=True, return_correlations=True, return_fitted_val=True, return_result_obj=True, do_stitch=True
    )
    count = model.config.npars
    assert [np.shape(part) for part in result[:3]] == [(count, 2), (count, count), ()]
    assert result[3].success and result[3].nfev > 0
    np.testing.assert_allclose(np.diag(result[1]), 1.0)


def test_fixed_parameters_stay_and_have_no_uncertainty(minimizer, model, data):
    fixed = model.config.suggested_fixed()
    start = model.config.suggested_init()
    index = model.config.par_slice("rate").start
    fixed[index], start[index] = True, 0.5
    parameters = pyhf.infer.mle.fit(data, model, init_pars=start, fixed_params=fixed, return_uncertainties=True)
    assert parameters[index].tolist() == [0.5, 0.0]


def test_a_model_is_built_once_and_goes_away_with_pyhfs(minimizer, data, monkeypatch):
    import nextstat

    built = []
    original = nextstat.from_pyhf
    monkeypatch.setattr(nextstat, "from_pyhf", lambda pdf: built.append(1) or original(pdf))
    model = pyhf.Model(ALL_MODIFIERS)
    for _ in range(3):
        pyhf.infer.mle.fit(data, model)
    assert len(built) == 1
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_another_objective_is_minimized_as_it_is(minimizer, model, data):
    pytest.importorskip("scipy")

    def penalized(parameters, data, pdf):
        return pyhf.infer.mle.twice_nll(parameters, data, pdf) + 1e4 * (parameters[pdf.config.poi_index] - 3.0) ** 2

    config = model.config
    found = pyhf.optimizer.minimize(penalized, data, model, config.suggested_init(), config.suggested_bounds())
    assert found[config.poi_index] == pytest.approx(3.0, abs=1e-2)


def test_custom_modifiers_raise_with_a_way_out(minimizer):
    class Builder:
        is_shared = True

        def __init__(self, config):
            self.config, self.required_parsets = config, {}

        def append(self, key, channel, sample, thismod, defined_samp):
            if thismod:
                self.required_parsets.setdefault("free", [{
                    "paramset_type": "unconstrained", "n_parameters": 1, "is_scalar": True, "inits": (1.0,), "bounds": ((0.0, 10.0),),
                    "fixed": False}])

        def finalize(self):
            return {}

    class Applier:
        name, op_code = "mine", "multiplication"

        def __init__(self, modifiers, pdfconfig, builder_data, batch_size=None):
            pass

        def apply(self, pars):
            return None

    spec = {"channels": [{"name": "one", "samples": [
        {"name": "signal", "data": [5.0], "modifiers": [{"name": "free", "type": "mine", "data": None}]},
        {"name": "background", "data": [50.0], "modifiers": [{"name": "mu", "type": "normfactor", "data": None}]},
    ]}]}
    model = pyhf.Model(spec, modifier_set={**pyhf.modifiers.histfactory_set, "mine": (Builder, Applier)}, validate=False)
    from nextstat.pyhf.exceptions import InvalidModifier

    with pytest.raises(InvalidModifier, match="mine: custom modifiers.*keep pyhf with its own optimizer"):
        pyhf.infer.mle.fit([55.0], model)
