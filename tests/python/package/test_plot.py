"""nextstat.plot: what the figures say, how they treat matplotlib, what they do with bad input."""

import json
import math
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import nextstat
from nextstat import plot
from nextstat.plot._curves import cls_curve, smooth
from nextstat.plot._ratio import poisson_errors
from nextstat.plot._style import labels, shorten
from nextstat.plot._toys import asymptotic_cdf
from nextstat.plot._yields import compute

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def model():
    return nextstat.Model.from_workspace(ROOT / "examples/simple.json")


@pytest.fixture(scope="module")
def fit(model):
    return nextstat.fit(model)


def _text(figure):
    import matplotlib.text

    return "\n".join(text.get_text() for text in figure.findobj(matplotlib.text.Text))


def _run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)


def test_matplotlib_is_imported_only_to_draw_and_pyplot_never():
    code = """
import sys, nextstat
from nextstat import plot
assert "matplotlib" not in sys.modules
figure = plot.correlation(nextstat.fit("examples/simple.json"), threshold=0)
figure.savefig(sys.stdout.buffer, format="png")
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr.decode()
    assert run.stdout.startswith(b"\x89PNG")


def test_without_matplotlib_the_error_says_what_to_install():
    run = _run("import sys; sys.modules['matplotlib'] = None; import nextstat; nextstat.plot.limit({})")
    assert "ImportError: nextstat.plot needs matplotlib" in run.stderr
    assert "pip install matplotlib" in run.stderr


def test_settings_of_matplotlib_stay_and_do_not_matter(model, fit):
    import matplotlib
    from figures import difference, picture

    usual = picture(plot.pulls(fit, model=model))
    with matplotlib.rc_context(
        {"font.size": 20, "lines.linewidth": 5, "axes.facecolor": "red", "figure.dpi": 30}
    ):
        before = dict(matplotlib.rcParams)
        figure = plot.pulls(fit, model=model)
        assert dict(matplotlib.rcParams) == before
        assert difference(picture(figure), usual) == 0


def test_a_notebook_shows_the_figure(fit):
    assert plot.correlation(fit, threshold=0)._repr_png_().startswith(b"\x89PNG")


def test_a_figure_can_be_pickled(fit):
    import pickle

    assert pickle.loads(pickle.dumps(plot.correlation(fit, threshold=0))).axes


def test_the_dict_of_a_result_draws_the_same(model, fit):
    from figures import difference, picture

    limit = nextstat.upper_limit(model)
    pairs = [
        (plot.pulls(fit), plot.pulls(json.loads(fit.to_json()), model=model)),
        (plot.data_model(model, fit), plot.data_model(model, fit.to_dict())),
        (plot.limit(limit), plot.limit(limit.to_dict())),
    ]
    assert [difference(picture(first), picture(second)) for first, second in pairs] == [0, 0, 0]


def test_size_is_the_size(fit):
    assert tuple(plot.correlation(fit, threshold=0, size=(7, 3)).get_size_inches()) == (7, 3)


def test_parameters_at_a_bound_are_said(model):
    bounds = {"mu": (0.0, 0.5), "jet_energy_scale": (0.3, 5.0)}
    held = nextstat.fit(model, bounds=bounds, init_pars={"mu": 0.2, "jet_energy_scale": 1.0})
    assert {"mu", "jet_energy_scale"} <= set(held.at_bound)
    assert "Open: no uncertainty" in _text(plot.pulls(held, model=model))
    assert "without correlations: 2" in _text(plot.correlation(held, threshold=0))
    after = plot.data_model(model, held)
    assert "No uncertainty of" in _text(after) and "jet_energy_scale" in _text(after)
    sigma = compute(model, held, None).sigma
    assert all(np.isfinite(values).all() and (values > 0).all() for values in sigma.values())


def test_a_fit_without_uncertainties_draws_what_there_is(model):
    bare = nextstat.fit(model, uncertainties=False)
    assert "Open" in _text(plot.pulls(bare, model=model))
    assert "no band" in _text(plot.data_model(model, bare))
    with pytest.raises(nextstat.InputError, match="uncertainties=True"):
        plot.correlation(bare)


@pytest.mark.parametrize("name", ["jet_energy_scale", "lumi", "staterror_signal_region[3]"])
def test_pulls_are_in_units_of_the_constraint(model, fit, name):
    figure = plot.pulls(fit, parameters=name)
    index = model.parameter_names.index(name)
    expected = (fit.bestfit[index] - model.prefit_centers[index]) / model.prefit_sigmas[index]
    assert figure.axes[0].containers[0].lines[0].get_xdata() == pytest.approx([expected])


def test_pulls_of_a_result_that_does_not_know_its_constraints_need_the_model(model, fit):
    with pytest.raises(TypeError, match="pass model=, the fitted model"):
        plot.pulls(fit.to_dict())
    assert "lumi" in _text(plot.pulls(fit.to_dict(), model=model))


def test_pulls_can_be_chosen_and_limited(model, fit):
    assert "staterror" not in _text(plot.pulls(fit, model=model, parameters=["jet_*", "lumi"]))
    assert "The 3 most pulled of 11 constrained parameters." in _text(
        plot.pulls(fit, model=model, max_parameters=3)
    )
    with pytest.raises(nextstat.InputError, match="no parameter matches 'nothing"):
        plot.pulls(fit, model=model, parameters="nothing*")
    with pytest.raises(nextstat.InputError, match="max_parameters is 0"):
        plot.pulls(fit, model=model, max_parameters=0)


def test_ranking_is_sorted_and_says_what_it_leaves_out(model):
    ranking = nextstat.ranking(model)
    figure = plot.ranking(ranking, max_parameters=3)
    shown = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    largest = sorted(ranking.entries, key=lambda entry: -max(abs(entry.impact_up), abs(entry.impact_down)))
    assert shown == [entry.name for entry in largest[:3]]
    assert f"The 3 largest of {len(ranking.entries)}." in _text(figure)


def test_correlation_keeps_the_order_and_what_passes(fit):
    figure = plot.correlation(fit, threshold=0.2)
    shown = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    others = np.abs(fit.correlation - np.eye(len(fit.bestfit)))
    assert shown == [name for name, row in zip(fit.parameter_names, others, strict=True) if row.max() >= 0.2]
    with pytest.raises(nextstat.InputError, match=r"no correlation reaches 0\.99"):
        plot.correlation(fit, threshold=0.99)
    with pytest.raises(nextstat.InputError, match="from 0 to 1"):
        plot.correlation(fit, threshold=2)


def test_bands_are_the_exact_propagation(model, fit):
    step = 1e-5
    for result in (None, fit):
        if result is None:
            point = np.where(np.isnan(model.prefit_centers), model.suggested_init, model.prefit_centers)
            covariance = np.diag(np.nan_to_num(model.prefit_sigmas) ** 2)
        else:
            point, covariance = fit.bestfit, fit.covariance
        rows = point + step * np.concatenate([np.eye(len(point)), -np.eye(len(point))])
        rates = model.expected_data(rows, include_auxdata=False)
        slopes = (rates[: len(point)] - rates[len(point) :]).T / (2 * step)
        expected = np.sqrt(np.diag(slopes @ covariance @ slopes.T))
        sigma = compute(model, result, None).sigma
        assert np.concatenate([sigma[channel] for channel in model.channels]) == pytest.approx(
            expected, rel=1e-6
        )


def test_data_can_be_given_in_every_form(model):
    main = np.arange(model.n_bins) + 10.0
    by_channel = {channel: main[place] for channel, place in model.channels.items()}
    for data in (main, list(np.concatenate([main, model.auxdata])), by_channel):
        observed = compute(model, None, data).observed
        assert np.concatenate([observed[channel] for channel in model.channels]) == pytest.approx(main)
    with pytest.raises(nextstat.InputError, match="data has 3 values"):
        plot.data_model(model, data=[1, 2, 3])
    with pytest.raises(nextstat.InputError, match="no counts for channel signal_region"):
        plot.data_model(model, data={"control_region": [1, 2, 3]})


def test_points_beyond_the_panel_are_said(model):
    assert "Triangles" not in _text(plot.data_model(model))
    assert "Triangles" in _text(plot.data_model(model, data=3 * model.observed_data[: model.n_bins]))


def test_a_model_may_be_a_path():
    assert "signal_region" in _text(plot.data_model(ROOT / "examples/simple.json"))


def test_many_parameters_make_a_tall_figure_not_a_wide_one(model, fit):
    copies = 60
    document = {"parameter_names": [f"{name}_{i}" for i in range(copies) for name in fit.parameter_names]}
    for name in ("bestfit", "uncertainties", "prefit_centers", "prefit_sigmas"):
        document[name] = np.tile(getattr(fit, name), copies)
    figure = plot.pulls(document)
    assert len(figure.axes) == 5 and figure.get_figheight() > 15


def test_a_high_scan_has_one_text_for_both_lines(model):
    high = nextstat.profile_scan(model, np.linspace(0, 30, 7))
    assert high.points[-1].twice_delta_nll > 50
    assert "1σ, 2σ" in _text(plot.scan(high))


def test_channels_can_be_chosen(model):
    text = _text(plot.data_model(model, channels="signal_region"))
    assert "signal_region" in text and "control_region" not in text
    with pytest.raises(nextstat.InputError, match=r"no channel SR \(the model has control_region"):
        plot.data_model(model, channels=["SR"])


def test_the_fit_of_another_model_is_an_error(fit):
    other = nextstat.Model.from_workspace(ROOT / "examples/search.json")
    with pytest.raises(nextstat.InputError, match="pass the model that was fitted"):
        plot.data_model(other, fit)
    with pytest.raises(nextstat.InputError, match="pass the model that was fitted"):
        plot.pulls(fit, model=other)


@pytest.mark.parametrize("function", [plot.ranking, plot.scan, plot.limit, plot.mass_scan, plot.correlation])
def test_a_result_of_another_kind_is_an_error_that_says_which_is_wanted(function, model):
    with pytest.raises(
        TypeError, match=f"plot.{function.__name__}: needs an? .*; this HypotestResult has none"
    ):
        function(nextstat.hypotest(1.0, model, return_result=True))


def test_toys_of_arrays_and_of_nothing():
    figure = plot.toys(q_sb=np.random.default_rng(1).chisquare(1, 500), q_b=[1.0, 2.0, np.nan, 5.0])
    assert "500 toys with signal, 3 without." in _text(figure)
    with pytest.raises(TypeError, match="'q_b' is missing"):
        plot.toys(q_sb=[1.0])
    with pytest.raises(nextstat.InputError, match="'q_sb' has no finite values"):
        plot.toys(q_sb=[np.nan], q_b=[1.0])


@pytest.mark.parametrize("mu, scale", [(0.5, 1.0), (1.0, 1.0), (3.0, 1.0), (1.0, 0.7)])
def test_asymptotic_distributions_give_the_tail_probabilities_of_hypotest(model, mu, scale):
    data = model.observed_data.copy()
    data[model.channels["signal_region"]] *= scale
    result = nextstat.hypotest(mu, model, data=data, return_result=True)
    assert (result.q_mu > result.q_mu_a) == (scale < 1)
    q = np.asarray([result.q_mu])
    assert 1 - asymptotic_cdf(q, result.q_mu_a, "qtilde", True) == pytest.approx(result.clsb, rel=1e-6)
    assert 1 - asymptotic_cdf(q, result.q_mu_a, "qtilde", False) == pytest.approx(result.clb, rel=1e-6)


def test_toys_follow_the_asymptotic_distribution(model):
    result = nextstat.hypotest_toys(2.0, model, n_toys=2000, seed=3, return_result=True)
    for values, signal in ((result.q_sb, True), (result.q_b, False)):
        for q in (1.0, 5.0, 12.0):
            expected = asymptotic_cdf(np.asarray([q]), result.q_mu_a, "qtilde", signal)[0]
            assert np.mean(values <= q) == pytest.approx(expected, abs=0.05)


def test_curves_go_through_their_points_and_do_not_overshoot():
    x = np.asarray([0.0, 0.1, 1.0, 1.5, 4.0])
    y = np.asarray([1.0, 0.9, 0.2, 0.2, 0.0])
    at, curve = smooth(x, y)
    assert np.interp(x, at, curve) == pytest.approx(y, abs=1e-12)
    assert np.all(np.diff(curve) <= 1e-12)
    at, line = smooth(x, 3 * x - 1)
    assert line == pytest.approx(3 * at - 1)


@pytest.mark.parametrize("band", [-2, -1, 0, 1, 2])
def test_curves_of_expected_cls_are_right_between_the_tested_values(model, band):
    def expected(value):
        return nextstat.hypotest(value, model, return_expected_set=True)[1][band + 2] if value else 1.0

    tested, between = [0.0, 0.8, 1.6, 2.4], [0.4, 1.2, 2.0]
    at, curve = cls_curve(np.asarray(tested), np.asarray([expected(value) for value in tested]), band)
    assert np.interp(between, at, curve) == pytest.approx([expected(value) for value in between], abs=0.01)


def test_poisson_errors_are_those_of_the_central_interval():
    stats = pytest.importorskip("scipy.stats")
    counts = np.asarray([0.0, 1.0, 2.0, 7.0, 100.0])
    tail = stats.norm.sf(1)
    low = np.where(counts > 0, stats.chi2.ppf(tail, 2 * np.maximum(counts, 1)) / 2, 0.0)
    high = stats.chi2.isf(tail, 2 * counts + 2) / 2
    down, up = poisson_errors(counts)
    assert counts - down == pytest.approx(low, abs=0.02)
    assert counts + up == pytest.approx(high, abs=0.02)


def test_names_become_short_in_the_middle_and_stay_different():
    assert shorten("a" * 10 + "b" * 10, 11) == "aaaaa…bbbbb"
    names = [f"weight_{letter}{'x' * 40}_end" for letter in "abc"] + [
        f"{'y' * 30}{n}{'z' * 30}" for n in range(12)
    ]
    short = labels(names, 20)
    assert len(set(short)) == len(names)
    assert all(len(text) <= 20 for text in short[:3])


def test_a_dollar_in_a_name_is_a_dollar(fit, model):
    document = fit.to_dict() | {"parameter_names": [f"${name}$" for name in fit.parameter_names]}
    figure = plot.correlation(document, threshold=0)
    figure._repr_png_()
    assert r"\$mu\$" in _text(figure)


def test_mass_scan_axes(model):
    point = {"obs_limit": 1.0, "exp_limits": [0.5, 0.7, 1.0, 1.4, 2.0], "converged": True}
    points = [{**point, "label": f"m{m}_{n}", "values": [m, n]} for m, n in ((100, 1), (200, 1), (200, 2))]
    result = {"confidence_level": 0.95, "points": points}
    assert "m200_2" in _text(plot.mass_scan(result))
    with pytest.raises(nextstat.InputError, match="have the same value on axis 0"):
        plot.mass_scan(result, axis=0)
    with pytest.raises(nextstat.InputError, match="give 0 to 1"):
        plot.mass_scan(result, axis=5)
    result["points"] = points[:2]
    assert "m100_1" not in _text(plot.mass_scan(result, xlabel="mass [GeV]"))
    points[1]["obs_limit"] = None
    assert "Not all limits exist for m200_1." in _text(plot.mass_scan(result))


def test_a_limit_that_does_not_exist_is_said(model):
    limit = nextstat.upper_limit(model).to_dict() | {"obs_limit": None}
    assert "no observed limit" in _text(plot.limit(limit))
    assert math.isfinite(plot.limit(limit).axes[0].get_xlim()[1])
    nothing = limit | {"poi_values": [], "observed_cls": [], "expected_cls": []}
    with pytest.raises(nextstat.InputError, match="has no tested values"):
        plot.limit(nothing)
