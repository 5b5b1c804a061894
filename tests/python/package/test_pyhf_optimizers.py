"""What nextstat.pyhf's optimizers hand out: scipy's result type, iminuit's words, Minuit's errors, and what they refuse."""

import json

import numpy as np
import pytest

pyhf = pytest.importorskip("nextstat.pyhf")
from test_pyhf_plugin import python


@pytest.fixture
def model():
    pyhf.set_backend("numpy", "minuit")
    yield pyhf.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0])
    pyhf.set_backend("numpy", "scipy")


@pytest.fixture
def data(model):
    return [51, 62] + model.config.auxdata


def fitted(model, data, **settings):
    return pyhf.infer.mle.fit(data, model, return_result_obj=True, return_uncertainties=True, **settings)


def test_the_result_is_scipys_where_scipy_is(model, data):
    scipy = pytest.importorskip("scipy.optimize")
    _, result = fitted(model, data)
    assert isinstance(result, scipy.OptimizeResult) and result.success and result["x"] is result.x
    assert result.nit > 0 and result.nfev > 0


def test_minuit_answers(model, data):
    best, result = fitted(model, data)
    view = result.minuit
    assert view.parameters == ("mu", "uncorr_bkguncrt[0]", "uncorr_bkguncrt[1]") and view.npar == 3 and view.valid
    assert view.values["mu"] == view.values[0] == best[0, 0] and list(view.values) == best[:, 0].tolist()
    assert view.errors.to_dict()["mu"] == best[0, 1]
    assert np.asarray(view.fixed).tolist() == [False] * 3 and view.limits["mu"] == (0.0, 10.0)
    assert view.fval == pytest.approx(float(pyhf.infer.mle.twice_nll(best[:, 0], data, model)[0]), abs=1e-9)
    assert view.covariance.correlation()[0, 0] == pytest.approx(1)
    assert view.migrad() is view and view.hesse() is view and view.fmin.is_valid
    assert view.params[0].name == "mu" and view.params[0].merror is None
    view.minos("mu")
    assert view.params[0].merror == (view.merrors["mu"].lower, view.merrors["mu"].upper)
    with pytest.raises(RuntimeError, match="something"):
        view.minos("something")


def test_minuit_answers_what_minuit_does(model, data):
    iminuit = pytest.importorskip("iminuit")
    _, result = fitted(model, data)
    theirs = iminuit.Minuit(lambda x: float(pyhf.infer.mle.twice_nll(x, data, model)[0]), model.config.suggested_init(),
                            name=model.config.par_names)  # fmt: skip
    theirs.limits = model.config.suggested_bounds()
    theirs.errordef, theirs.strategy, theirs.tol = 1, 2, 1e-5
    theirs.migrad()
    theirs.hesse()
    ours = result.minuit
    assert list(ours.values) == pytest.approx(list(theirs.values), abs=2e-4)
    assert list(ours.errors) == pytest.approx(list(theirs.errors), rel=2e-4)
    assert np.asarray(ours.covariance) == pytest.approx(np.asarray(theirs.covariance), rel=1e-3, abs=1e-6)
    for cl in (None, 0.9, 2):
        ours.minos("mu", cl=cl)
        theirs.minos("mu", cl=cl)
        assert ours.merrors["mu"].upper == pytest.approx(theirs.merrors["mu"].upper, abs=5e-4)
        assert ours.merrors["mu"].lower == pytest.approx(theirs.merrors["mu"].lower, abs=5e-4)


@pytest.mark.parametrize("value, sigma, limits, quoted", [
    (0.0, 1.0, (-5.0, 5.0), 5 * np.sin(0.2)),
    (3.0, 0.1, (-np.inf, np.inf), 0.1),
    (1.0, 0.0, (0.0, 10.0), 0.0),
    (1.0, 0.5, (0.0, np.inf), 0.5),
])  # fmt: skip
def test_errors_of_bounded_parameters(value, sigma, limits, quoted):
    from nextstat.pyhf.optimize.minuit_view import minuit_errors

    error, = minuit_errors(np.array([value]), np.array([sigma]), np.array([limits]))
    assert error == pytest.approx(quoted, rel=1e-9 if np.isfinite(limits).all() or sigma == 0 else 0.2)


def test_what_is_refused(model, data):
    with pytest.raises(pyhf.exceptions.Unsupported, match="do_grad"):
        pyhf.infer.mle.fit(data, model, do_grad=True)
    with pytest.raises(pyhf.exceptions.FailedMinimization, match="maxiter allows 1"):
        pyhf.infer.mle.fit(data, model, maxiter=1)
    assert pyhf.infer.mle.fit(data, model, maxiter=None, tolerance=None) is not None


def test_unknown_solver_options(model, data):
    category = pytest.importorskip("scipy.optimize").OptimizeWarning
    pyhf.set_backend("numpy", pyhf.optimize.scipy_optimizer(solver_options={"ftol": 1e-5, "color": "blue"}))
    with pytest.warns(category, match="Unknown solver options: color"):
        pyhf.infer.mle.fit(data, model)


LUMI = {
    "channels": [{"name": "SR", "samples": [
        {"name": "signal", "data": [5.0], "modifiers": [
            {"name": "mu", "type": "normfactor", "data": None}, {"name": "lumi", "type": "lumi", "data": None}]},
        {"name": "background", "data": [50.0], "modifiers": []}]}],
}  # fmt: skip


@pytest.mark.parametrize("given, sigma, bounds", [
    ({"sigmas": [0.02]}, 0.02, (0.9, 1.1)),
    ({"bounds": [[0.5, 1.5]]}, 1.0, (0.5, 1.5)),
    ({}, 1.0, (-4.0, 6.0)),
])  # fmt: skip
def test_lumi_without_sigmas_or_bounds(given, sigma, bounds):
    theirs = pytest.importorskip("pyhf")
    spec = {**LUMI, "parameters": [{"name": "lumi", "auxdata": [1.0], "inits": [1.0], **given}]}
    with pytest.warns(UserWarning, match="lumi has no"):
        model = pyhf.Model(spec)
    assert model.config.suggested_bounds()[0] == pytest.approx(bounds)
    assert model.config.param_set("lumi").sigmas == pytest.approx([sigma])
    point, counts = [1.2, 1.0], [55.0, 1.0]
    assert float(model.logpdf(point, counts)[0]) == pytest.approx(float(theirs.Model(spec).logpdf(point, counts)[0]))
    assert pyhf.infer.mle.fit(counts, model) == pytest.approx([1.0, 1.0], abs=1e-3)


CABINETRY = """
import json, sys
if sys.argv[1] == "ours":
    from nextstat.pyhf.stand_in import install
    install()
import cabinetry, numpy as np, pyhf
model, data = cabinetry.model_utils.model_and_data(json.load(open(sys.argv[2])))
exact = {"tolerance": 1e-6, "strategy": 2}
fit = cabinetry.fit.fit(model, data, minos="mu", goodness_of_fit=True, **exact)
ranking = cabinetry.fit.ranking(model, data, fit_results=fit, **exact)
scan = cabinetry.fit.scan(model, data, "mu", par_range=(0.2, 2.0), n_steps=4, **exact)
limit = cabinetry.fit.limit(model, data)
numbers = [fit.bestfit, fit.uncertainty, fit.corr_mat.ravel(), fit.minos_uncertainty["mu"], [fit.best_twice_nll, fit.goodness_of_fit],
           ranking.prefit_up, ranking.prefit_down, ranking.postfit_up, ranking.postfit_down, scan.delta_nlls,
           [limit.observed_limit], limit.expected_limit]
print(json.dumps([[float(number) for number in row] for row in numbers]))
print(pyhf.__file__)
"""


def test_cabinetry_over_nextstat(tmp_path):
    pytest.importorskip("cabinetry")
    from test_cabinetry import _specification

    (tmp_path / "workspace.json").write_text(json.dumps(_specification(lowest=0)))
    printed = {}
    for which in ("pyhf", "ours"):
        run = python(CABINETRY, which, str(tmp_path / "workspace.json"))
        assert run.returncode == 0, run.stderr
        numbers, where = run.stdout.splitlines()
        printed[which] = json.loads(numbers)
        assert ("nextstat" in where) == (which == "ours")
    for theirs, ours in zip(printed["pyhf"], printed["ours"], strict=True):
        assert ours == pytest.approx(theirs, abs=2e-4, rel=2e-4)


def test_other_objectives_are_minimized_as_they_are(model, data):
    """A penalty that is not there at the start, and one that differs from call to call."""
    start, bounds = model.config.suggested_init(), model.config.suggested_bounds()
    twice_nll = pyhf.infer.mle.twice_nll
    for optimizer in (pyhf.optimize.scipy_optimizer(), pyhf.optimize.minuit_optimizer()):
        pytest.importorskip("scipy" if optimizer.name == "scipy" else "iminuit")
        found = [
            optimizer.minimize(lambda pars, d, m, size=size: twice_nll(pars, d, m) + size * (pars[0] - 3) ** 2, data, model, start, bounds)[0]
            for size in (0.0, 50.0)
        ]
        assert found[0] < 1 and found[1] > 2.5


def test_minuit_itself_for_what_the_engine_does_not_know(data):
    iminuit = pytest.importorskip("iminuit")
    pyhf.set_backend("numpy", "minuit")
    model = pyhf.Model(pyhf.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0]).spec, clip_bin_data=1e-6)
    best, result = fitted(model, data)
    assert best.shape == (3, 2) and isinstance(result.minuit, iminuit.Minuit)


def test_a_parameter_at_its_bound_has_finite_errors(model):
    best, correlation = pyhf.infer.mle.fit([40, 41] + model.config.auxdata, model, return_uncertainties=True, return_correlations=True)
    assert best[0].tolist() == [0.0, 0.0] and np.isfinite(best).all() and np.isfinite(correlation).all()
    _, result = fitted(model, [40, 41] + model.config.auxdata)
    assert result.minuit.fmin.has_parameters_at_limit and np.isfinite(result.hess_inv.correlation()).all()


def test_errordef_scales_the_errors(model, data):
    pyhf.set_backend("numpy", pyhf.optimize.minuit_optimizer(errordef=0.25))
    half, result = fitted(model, data)
    pyhf.set_backend("numpy", "minuit")
    whole, _ = fitted(model, data)
    assert half[:, 1] == pytest.approx(whole[:, 1] / 2, rel=0.05) and result.minuit.errordef == 0.25


def test_wrong_sizes(model, data):
    with pytest.raises(pyhf.exceptions.InvalidPdfData, match="len 3 but 4"):
        pyhf.infer.mle.fit(data[:-1], model)
    for wrong in ({"init_pars": [1.0, 1.0]}, {"par_bounds": [(0, 10)] * 2}):
        with pytest.raises(ValueError, match="has 2 entries, and the model has 3 parameters"):
            pyhf.infer.mle.fit(data, model, **wrong)
