"""Fits from random starts, one after the other: what a search for the deepest minimum has to stand up to.

    lowest = lowest_of_starts(model, data, {"mu": 1.0}, starts=1000, seed=7)
"""

import json
import os
import pathlib

import numpy as np

import nextstat

TOLERANCE = 1e-6  # of the NLL
DATA = pathlib.Path(os.environ.get("NEXTSTAT_DATA", pathlib.Path(__file__).resolve().parents[3] / "shared/data"))
REPRO = DATA.parent / "repro"


def public_models():
    """{name: model} of what stands at NEXTSTAT_DATA and beside it, signals patched in, that have a parameter of interest."""
    found = {}
    for folder in (DATA, DATA / "validation", REPRO):
        for path in sorted(folder.glob("*.json")):
            if "patch" not in path.name and path.name not in ("references.json", "b_sf30x1000.json"):
                found[path.stem] = (path, None)
    if (DATA / "1lbb.patchset.json").exists():
        for patch in json.loads((DATA / "1lbb.patchset.json").read_text())["patches"]:
            found[f"1lbb {patch['metadata']['name']}"] = (DATA / "1lbb.bkg.json", [patch["patch"]])
    for path in sorted(DATA.glob("sbottom*.patch.json")):
        found[path.stem] = (DATA / "sbottom-A.bkg.json", [path])
    return found


def public_model(name):
    path, patches = public_models()[name]
    return nextstat.Model.from_workspace(path, patches=patches)


def widths(model):
    """Of the constraints; a part of its size for a factor without one."""
    start = np.array(model.suggested_init)
    return np.where(np.isfinite(model.prefit_sigmas), model.prefit_sigmas, 0.3 * np.maximum(1, np.abs(start)))


def random_starts(model, fixed, count, seed):
    """Within the bounds, 0.5 to 2 widths around the suggested start."""
    rng = np.random.default_rng(seed)
    low, high = np.array(model.suggested_bounds).T
    start = np.array(model.suggested_init)
    for name, value in fixed.items():
        start[model.parameter_names.index(name)] = value
    for number in range(count):
        point = start + (0.5 + 1.5 * (number % 16) / 15) * widths(model) * rng.normal(size=len(start))
        point = np.where(model.suggested_fixed, start, np.clip(point, low, high))
        for name, value in fixed.items():
            point[model.parameter_names.index(name)] = value
        yield point


def lowest_of_starts(model, data, fixed, starts, seed):
    """The lowest NLL that fits from random starts end at; infinite where none converges."""
    lowest = np.inf
    with_data = model.with_data(data)
    for point in random_starts(model, fixed, starts, seed):
        if not np.isfinite(with_data.nll(point)):
            continue
        fit = nextstat.fit(model, data=data, init_pars=point, fixed=fixed, starts=1, uncertainties=False, progress=False)
        if fit.converged:
            lowest = min(lowest, fit.nll)
    return lowest


def fits_behind_cls(model):
    """(data, fixed, result) of the four fits of a CLs."""
    poi = model.poi_name
    own = np.array(model.observed_data)
    background = nextstat.fit(model, fixed={poi: 0.0}, uncertainties=False, progress=False)
    yield own, {}, nextstat.fit(model, uncertainties=False, progress=False)
    yield own, {poi: 0.0}, background
    yield own, {poi: 1.0}, nextstat.fit(model, fixed={poi: 1.0}, uncertainties=False, progress=False)
    asimov = np.array(nextstat.asimov_data(model, background.bestfit))
    asimov[: model.n_bins] = np.maximum(asimov[: model.n_bins], 0)
    yield asimov, {poi: 1.0}, nextstat.fit(model, data=asimov, fixed={poi: 1.0}, uncertainties=False, progress=False)


def bent_workspace():
    """Twelve systematics that move their bins to the same side, up and down, as in the public likelihoods with several minima."""
    sizes = np.random.default_rng(5).uniform(-0.09, 0.14, size=(12, 4, 2))
    channels, observations = [], []
    for name, nominal, signal, first in (("SR", [22.0, 14.0], [6.0, 9.0], 0), ("CR", [260.0, 140.0], [2.0, 1.0], 2)):
        modifiers = [{"name": "norm", "type": "normfactor", "data": None}]
        for number, bins in enumerate(sizes[:, first:first + 2]):
            side = np.sign(bins[:, 1])
            high, low = (list(np.array(nominal) * (1 + 3 * side * np.abs(bins[:, k]))) for k in (0, 1))
            modifiers.append({"name": f"jet{number}", "type": "histosys", "data": {"hi_data": high, "lo_data": low}})
        channels.append({"name": name, "samples": [
            {"name": "signal", "data": signal, "modifiers": [{"name": "mu", "type": "normfactor", "data": None}]},
            {"name": "background", "data": nominal, "modifiers": modifiers}]})
        observations.append({"name": name, "data": [float(round(1.25 * rate)) for rate in nominal]})
    return {"version": "1.0.0", "channels": channels, "observations": observations,
            "measurements": [{"name": "measurement", "config": {"poi": "mu", "parameters": []}}]}


def below_zero_workspace():
    """A tiny sample that two systematics take below zero, where a third and its own statistics make it larger, as in a public likelihood."""
    modifiers = [
        {"name": "muon", "type": "normsys", "data": {"hi": 10.4, "lo": 0.01}},
        {"name": "jet", "type": "histosys", "data": {"hi_data": [0.03, 0.0], "lo_data": [0.0, 0.0]}},
        {"name": "resolution", "type": "histosys", "data": {"hi_data": [0.0, 0.0], "lo_data": [0.06, 0.0]}},
        {"name": "few", "type": "shapesys", "data": [0.125, 0.0]},
    ]
    scale = {"name": "scale", "type": "normsys", "data": {"hi": 1.05, "lo": 0.95}}
    samples = [
        {"name": "signal", "data": [7.5, 1.0], "modifiers": [{"name": "mu", "type": "normfactor", "data": None}]},
        {"name": "top", "data": [0.03, 0.0], "modifiers": modifiers},
        {"name": "background", "data": [53.0, 120.0], "modifiers": [scale]},
    ]
    return {"version": "1.0.0", "channels": [{"name": "SR", "samples": samples}],
            "observations": [{"name": "SR", "data": [51.0, 121.0]}],
            "measurements": [{"name": "measurement", "config": {"poi": "mu", "parameters": []}}]}


def toys_above(model, mu, count, starts):
    """Of toys drawn at mu: the free fits that lie above the best of random starts; the toys; and their fits from the truth alone."""
    toys = nextstat.fit_toys(model, mu=mu, n_toys=count, progress=False)
    data = nextstat.poisson_toys(model, toys.truth, n_toys=count)
    lowest = np.array([lowest_of_starts(model, row, {}, starts, [4711, number]) for number, row in enumerate(data)])
    alone = nextstat.fit_toys(model, mu=mu, n_toys=count, starts=1, progress=False)
    nlls, from_truth = (run.records[:, run.columns.index("nll")] for run in (toys, alone))
    slack = TOLERANCE + 1e-10 * np.abs(lowest)
    return int(np.sum(nlls > lowest + slack)), toys, int(np.sum(from_truth > np.minimum(lowest, nlls) + slack))
