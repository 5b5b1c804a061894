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
