"""nextstat.cabinetry: cabinetry's signatures, its numbers, and the same figures from its visualize module."""

import inspect
import json
import logging
import math
import pathlib
import warnings

import numpy as np
import pytest

pytest.importorskip("matplotlib")
cabinetry = pytest.importorskip("cabinetry")

import nextstat
import nextstat.cabinetry
from figures import TOLERANCE, difference, picture

ROOT = pathlib.Path(__file__).resolve().parents[3]
# As exact as Minuit gets: uncertainties of bounded parameters are still up to 1 % off the Hessian's.
MINUIT = {"strategy": 2, "tolerance": 0.001}
FUNCTIONS = ["fit", "ranking", "scan", "limit", "significance"]
ARGUMENTS = {
    "fit": {"goodness_of_fit": True, "minos": "mu"},
    "scan": {"par_name": "mu", "par_range": (-0.7, 2.2), "n_steps": 7},
}
DRAWN_BY = {
    "pulls": "fit",
    "correlation_matrix": "fit",
    "ranking": "ranking",
    "scan": "scan",
    "limit": "limit",
}


def _specification(lowest=-5):
    """Two channels and a parameter of every kind that the figures treat in its own way."""
    norm = {"name": "norm", "type": "normfactor", "data": None}
    scale = {"name": "scale", "type": "normsys", "data": {"hi": 1.08, "lo": 0.93}}
    signal = {"name": "signal", "data": [6.0, 12.0], "modifiers": [
        {"name": "mu", "type": "normfactor", "data": None},
        {"name": "efficiency", "type": "normsys", "data": {"hi": 1.1, "lo": 0.92}},
    ]}  # fmt: skip
    background = {"name": "background", "data": [50.0, 40.0], "modifiers": [
        norm, scale,
        {"name": "shape", "type": "histosys", "data": {"hi_data": [53.0, 38.0], "lo_data": [47.5, 41.5]}},
        {"name": "staterror_SR", "type": "staterror", "data": [2.5, 2.0]},
    ]}  # fmt: skip
    control = {"name": "background", "data": [200.0], "modifiers": [norm]}
    poi = {"name": "mu", "bounds": [[lowest, 5]]}
    return {
        "channels": [{"name": "SR", "samples": [signal, background]}, {"name": "CR", "samples": [control]}],
        "observations": [{"name": "SR", "data": [57, 50]}, {"name": "CR", "data": [206]}],
        "measurements": [{"name": "small", "config": {"poi": "mu", "parameters": [poi]}}],
        "version": "1.0.0",
    }


@pytest.fixture(scope="module")
def model_and_data():
    return cabinetry.model_utils.model_and_data(_specification())


@pytest.fixture(scope="module")
def both(model_and_data):
    """{function: (cabinetry's result, ours)}."""
    logging.getLogger("cabinetry").setLevel(logging.ERROR)
    model, data = model_and_data
    results = {}
    for name in FUNCTIONS:
        arguments = ARGUMENTS.get(name, {})
        theirs = getattr(cabinetry.fit, name)(model, data, **arguments, **MINUIT)
        results[name] = (theirs, getattr(nextstat.cabinetry, name)(model, data, **arguments))
    return results


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_cabinetrys(name):
    theirs = inspect.signature(getattr(cabinetry.fit, name)).parameters.values()
    ours = inspect.signature(getattr(nextstat.cabinetry, name)).parameters.values()
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_have_cabinetrys_fields_and_numbers(name, both):
    theirs, ours = both[name]
    assert ours._fields == theirs._fields
    assert ours._field_defaults == theirs._field_defaults
    for field, their_value, our_value in zip(theirs._fields, theirs, ours, strict=True):
        if field in ("labels", "name"):
            assert our_value == their_value
        elif field == "minos_uncertainty":
            assert our_value.keys() == their_value.keys()
            assert our_value["mu"] == pytest.approx(their_value["mu"], rel=1e-2)
        else:
            assert np.shape(our_value) == np.shape(their_value), field
            assert our_value == pytest.approx(their_value, rel=1e-2, abs=3e-3), field


@pytest.mark.parametrize("drawn", DRAWN_BY)
def test_cabinetry_draws_the_same_figure(drawn, both):
    draw = getattr(cabinetry.visualize, drawn)
    theirs, ours = (picture(draw(result, save_figure=False)) for result in both[DRAWN_BY[drawn]])
    assert difference(theirs, ours) < TOLERANCE


@pytest.mark.parametrize("drawn", DRAWN_BY)
def test_a_wrong_number_would_make_another_figure(drawn, both):
    field = {"pulls": "bestfit", "ranking": "postfit_up", "limit": "observed_CLs", "scan": "delta_nlls"}
    field = field.get(drawn, "corr_mat")
    draw = getattr(cabinetry.visualize, drawn)
    theirs, ours = both[DRAWN_BY[drawn]]
    wrong = ours._replace(**{field: 0.6 * getattr(ours, field)})
    assert (
        difference(picture(draw(theirs, save_figure=False)), picture(draw(wrong, save_figure=False)))
        > TOLERANCE
    )


def test_records_of_nextstat_go_straight_into_visualize(model_and_data):
    model = nextstat.Model.from_workspace(_specification())
    fit = nextstat.fit(model)
    drawn = [
        cabinetry.visualize.pulls(fit, save_figure=False),
        cabinetry.visualize.correlation_matrix(fit, save_figure=False),
        cabinetry.visualize.ranking(nextstat.ranking(model), save_figure=False),
        cabinetry.visualize.scan(nextstat.profile_scan(model, np.linspace(0, 3, 7)), save_figure=False),
        cabinetry.visualize.limit(nextstat.upper_limit(model), save_figure=False),
    ]
    assert all(picture(figure).std() > 1 for figure in drawn)


def test_the_scan_goes_over_two_uncertainties_to_each_side(model_and_data, both):
    result = nextstat.cabinetry.scan(*model_and_data, "shape", n_steps=5)
    assert len(result.parameter_values) == 5
    assert result.parameter_values[2] == pytest.approx(result.bestfit)
    assert np.ptp(result.parameter_values) == pytest.approx(4 * result.uncertainty)
    assert result.delta_nlls[0] == pytest.approx(4, rel=0.2) and result.delta_nlls[2] == pytest.approx(
        0, abs=1e-6
    )


def test_models_of_nextstat_are_taken_too(model_and_data, both):
    _, data = model_and_data
    model = nextstat.Model.from_workspace(_specification())
    assert nextstat.cabinetry.fit(model, data).bestfit == pytest.approx(both["fit"][1].bestfit, abs=1e-9)


def test_cabinetry_is_not_needed_to_compute():
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['cabinetry'] = sys.modules['scipy'] = sys.modules['pyhf'] = None\n"
        "import nextstat, nextstat.cabinetry as c\n"
        "m = nextstat.Model.from_workspace('examples/simple.json')\n"
        "print(c.limit(m, m.observed_data).observed_limit)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    model = nextstat.Model.from_workspace(ROOT / "examples/simple.json")
    assert float(run.stdout) == pytest.approx(nextstat.upper_limit(model).obs_limit, abs=0.01)


def test_another_parameter_of_interest(model_and_data):
    model, data = model_and_data
    logging.getLogger("cabinetry").setLevel(logging.ERROR)
    theirs = cabinetry.fit.ranking(model, data, poi_name="scale", **MINUIT)
    ours = nextstat.cabinetry.ranking(model, data, poi_name="scale")
    assert ours.labels == theirs.labels
    assert ours.postfit_up == pytest.approx(theirs.postfit_up, abs=5e-3)
    theirs = cabinetry.fit.significance(model, data, poi_name="mu")
    ours = nextstat.cabinetry.significance(
        nextstat.Model.from_workspace(_specification(), poi=""), data, poi_name="mu"
    )
    assert ours == pytest.approx(theirs, abs=1e-3)


def test_settings_are_used(model_and_data):
    model, data = model_and_data
    fixed = [name == "shape" for name in model.config.par_names]
    init = list(model.config.suggested_init())
    index = model.config.par_names.index("shape")
    init[index] = 0.7
    bounds = list(model.config.suggested_bounds())
    result = nextstat.cabinetry.fit(model, data, init_pars=init, fix_pars=fixed, par_bounds=bounds)
    assert result.bestfit[index] == 0.7
    assert result.uncertainty[index] == 0
    assert not result.corr_mat[index].any()
    with pytest.raises(nextstat.InputError, match="init_pars: 2 entries, but the model has 7 parameters"):
        nextstat.cabinetry.fit(model, data, init_pars=[1.0, 2.0])


def test_settings_of_minuit_are_warned_about(model_and_data):
    model, data = model_and_data
    with pytest.warns(UserWarning, match="Minuit settings have no effect here: strategy, tolerance "):
        nextstat.cabinetry.fit(model, data, strategy=1, tolerance=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nextstat.cabinetry.fit(model, data)


def test_errors_say_what_to_do(model_and_data):
    model, data = model_and_data
    without = nextstat.Model.from_workspace(_specification(), poi="")
    with pytest.raises(ValueError, match="parameter nobody not found in model"):
        nextstat.cabinetry.scan(model, data, "nobody")
    with pytest.raises(ValueError, match=r"no POI specified, cannot calculate limit \(give poi_name"):
        nextstat.cabinetry.limit(without, data)
    with pytest.raises(ValueError, match="both ends of the bracket are 1"):
        nextstat.cabinetry.limit(model, data, bracket=(1, 1))
    with pytest.raises(ValueError, match=r"a limit is not between 0\.1 and 0\.2"):
        nextstat.cabinetry.limit(model, data, bracket=(0.1, 0.2))
    with pytest.warns(UserWarning, match="the limit did not converge to 1e-12 in 2 steps"):
        nextstat.cabinetry.limit(model, data, poi_tolerance=1e-12, maxsteps=2)


def test_a_parameter_at_its_bound_has_no_uncertainty():
    model = nextstat.Model.from_workspace(_specification(lowest=0))
    low = model.observed_data.copy()
    low[model.channels["SR"]] = [40, 30]
    result = nextstat.cabinetry.fit(model, low)
    index = model.poi_index
    assert math.isnan(result.uncertainty[index]) and not result.corr_mat[index].any()
    assert np.isfinite(result.corr_mat).all()
    with pytest.raises(ValueError, match="give par_range"):
        nextstat.cabinetry.scan(model, low, "mu")
    ranking = nextstat.cabinetry.ranking(model, low)
    assert np.isfinite(ranking.prefit_up).all()


@pytest.mark.long
@pytest.mark.parametrize("name", ["thu", "tttt", "1lbb"])
def test_real_fits_are_drawn_the_same(name, data_dir):
    specification = json.loads((data_dir / f"{name}{'.bkg' if name == '1lbb' else ''}.json").read_text())
    if name == "1lbb":
        patchset = json.loads((data_dir / "1lbb.patchset.json").read_text())
        patch = next(p["patch"] for p in patchset["patches"] if p["metadata"]["name"] == "C1N2_Wh_hbb_300_75")
        specification = nextstat.Model.from_workspace(specification, patches=[patch]).workspace
    logging.getLogger("cabinetry").setLevel(logging.ERROR)
    model, data = cabinetry.model_utils.model_and_data(specification)
    theirs, ours = cabinetry.fit.fit(model, data), nextstat.cabinetry.fit(model, data)
    for drawn, arguments in (("pulls", {}), ("correlation_matrix", {"pruning_threshold": 0.25})):
        draw = getattr(cabinetry.visualize, drawn)
        pictures = [picture(draw(result, save_figure=False, **arguments)) for result in (theirs, ours)]
        assert difference(*pictures) < TOLERANCE, drawn
    cabinetry.visualize.ranking(nextstat.cabinetry.ranking(model, data, fit_results=ours), save_figure=False)
    cabinetry.visualize.scan(nextstat.cabinetry.scan(model, data, model.config.poi_name), save_figure=False)
    cabinetry.visualize.limit(nextstat.cabinetry.limit(model, data), save_figure=False)
