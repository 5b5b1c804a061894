"""Every figure of nextstat.plot looks as it did, and can be read, also those of large real models."""

import copy
import pathlib
import types

import figures
import numpy as np
import pytest

pytest.importorskip("matplotlib")

import nextstat
from nextstat import plot

ROOT = pathlib.Path(__file__).resolve().parents[3]


def _answers(model):
    """All results that the figures need."""
    fit = nextstat.fit(model)
    mu, sigma = fit.bestfit[model.poi_index], fit.uncertainties[model.poi_index]
    low = max(mu - 2.5 * sigma, model.suggested_bounds[model.poi_index, 0])
    values = np.linspace(low, mu + 2.5 * sigma, 13)
    ranking = nextstat.ranking(model)
    other = ranking.entries[0]
    center, width = fit.bestfit[other.index], fit.uncertainties[other.index]
    bottom = max(center - 3 * width, model.suggested_bounds[other.index, 0])
    return types.SimpleNamespace(
        model=model,
        fit=fit,
        ranking=ranking,
        scan=nextstat.profile_scan(model, values),
        plane=nextstat.profile_scan(
            model, values, parameter2=other.name, values2=np.linspace(bottom, center + 3 * width, 11)
        ),
        limit=nextstat.upper_limit(model),
    )


def _figures(answers):
    """{name: function that draws} of all figures but those of toys and mass scans."""
    return {
        "pulls": lambda: plot.pulls(answers.fit),
        "ranking": lambda: plot.ranking(answers.ranking),
        "correlation": lambda: plot.correlation(answers.fit, threshold=0.1),
        "scan": lambda: plot.scan(answers.scan),
        "plane": lambda: plot.scan(answers.plane),
        "limit": lambda: plot.limit(answers.limit),
        "before": lambda: plot.data_model(answers.model),
        "after": lambda: plot.data_model(answers.model, answers.fit, log=True),
    }


@pytest.fixture(scope="module")
def simple():
    return _answers(nextstat.Model.from_workspace(ROOT / "examples/simple.json"))


def _mass_points(second_value):
    """A mass scan with seven made-up points, as the command line writes it."""
    points = []
    for number in range(7):
        median = 0.4 * 1.5**number
        limits = [median * factor for factor in (0.54, 0.72, 1.0, 1.42, 1.95)]
        values = [200.0 + 100 * number, second_value(number)]
        label = f"signal_{values[0]:.0f}_{values[1]:.0f}"
        points.append({"label": label, "values": values, "obs_limit": 1.1 * median, "exp_limits": limits})
    return {"confidence_level": 0.95, "points": points}


@pytest.mark.parametrize(
    "name", ["pulls", "ranking", "correlation", "scan", "plane", "limit", "before", "after"]
)
def test_a_figure_looks_as_it_did(name, simple, tmp_path):
    figure = _figures(simple)[name]()
    assert figures.unreadable(figure) == []
    figures.compare(figure, name, tmp_path)


def test_toys_look_as_they_did(simple, tmp_path):
    result = nextstat.hypotest_toys(2.0, simple.model, n_toys=1000, seed=1, return_result=True)
    figure = plot.toys(result)
    assert figures.unreadable(figure) == []
    figures.compare(figure, "toys", tmp_path)


@pytest.mark.parametrize(
    "name, second_value", [("mass_scan", lambda _: 50), ("mass_points", lambda n: 10 * (n % 3))]
)
def test_mass_scans_look_as_they_did(name, second_value, tmp_path):
    figure = plot.mass_scan(_mass_points(second_value))
    assert figures.unreadable(figure) == []
    figures.compare(figure, name, tmp_path)


def test_the_comparison_sees_a_small_change(simple):
    ranking = simple.ranking.to_dict()
    changed = copy.deepcopy(ranking)
    changed["entries"][0]["impact_up"] *= 1.4
    same = figures.difference(
        figures.picture(plot.ranking(ranking)), figures.picture(plot.ranking(simple.ranking))
    )
    moved = figures.difference(figures.picture(plot.ranking(ranking)), figures.picture(plot.ranking(changed)))
    assert same == 0
    assert moved > figures.TOLERANCE


def test_the_check_of_readability_sees_overlaps_and_clipped_text():
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2, 2))
    figure.text(0.1, 0.5, "one text")
    figure.text(0.12, 0.52, "another text")
    figure.text(0.9, 0.1, "too far to the right")
    figure.text(0.1, 0.1, "tiny", fontsize=4)
    faults = " ".join(figures.unreadable(figure))
    assert "cover each other" in faults and "leaves the figure" in faults and "4" in faults


@pytest.mark.parametrize("name", ["search", *(pytest.param(name, marks=pytest.mark.long) for name in ("thu", "tttt", "1lbb"))])
def test_large_models_can_be_read(name, request):
    if name == "search":
        model = nextstat.Model.from_workspace(ROOT / "examples/search.json")
    else:
        folder = request.getfixturevalue("data_dir")
        model = _real(name, folder)
    answers = _answers(model)
    for what, draw in _figures(answers).items():
        assert figures.unreadable(draw()) == [], f"{name}: {what}"


def _real(name, folder):
    if name != "1lbb":
        return nextstat.Model.from_workspace(folder / f"{name}.json")
    import json

    patchset = json.loads((folder / "1lbb.patchset.json").read_text())
    patch = next(p["patch"] for p in patchset["patches"] if p["metadata"]["name"] == "C1N2_Wh_hbb_300_75")
    return nextstat.Model.from_workspace(folder / "1lbb.bkg.json", patches=[patch])


def test_names_of_sixty_characters_do_not_cover_each_other(simple):
    fit = simple.fit.to_dict()
    size = len(fit["parameter_names"])
    fit["parameter_names"] = [
        f"systematic_with_a_very_long_name_{i:03d}_and_a_long_end_{i:03d}" for i in range(size)
    ]
    centers, sigmas = simple.model.prefit_centers, simple.model.prefit_sigmas
    model = types.SimpleNamespace(prefit_centers=centers, prefit_sigmas=sigmas)
    assert figures.unreadable(plot.pulls(fit, model=model)) == []
    assert figures.unreadable(plot.correlation(fit, threshold=0)) == []
