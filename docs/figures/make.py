"""Draws the pictures of docs/figures.md into this folder: python docs/figures/make.py [NAME ...]

Those of examples/search.json always, those of real workspaces where NEXTSTAT_DATA names their folder.
With names ("thu", "search", "mass_scan") only those.
"""

import io
import json
import os
import pathlib
import sys
from collections.abc import Callable

import nextstat
import numpy as np
from matplotlib.figure import Figure
from nextstat import plot
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = os.environ.get("NEXTSTAT_DATA")


def save(figure: Figure, name: str) -> None:
    """A PNG file with a palette, 16 colors where all is gray: a third of the size, and nobody sees it."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    colors = 16 if name.endswith("pulls") else 255
    picture = Image.open(buffer).convert("RGB").quantize(colors, dither=Image.Dither.NONE)
    picture.save(HERE / f"{name}.png", optimize=True)
    print(f"{name}.png: {(HERE / f'{name}.png').stat().st_size / 1000:.0f} kB")


def around(model: nextstat.Model, fit: nextstat.FitResult, name: str, points: int) -> np.ndarray:
    """Values over 2.5 uncertainties to each side of the best fit, within the bounds."""
    index = model.parameter_names.index(name)
    low, high = model.suggested_bounds[index]
    best, width = fit.bestfit[index], fit.uncertainty[index]
    return np.linspace(max(low, best - 2.5 * width), min(high, best + 2.5 * width), points)


def draw(label: str, model: nextstat.Model, mu: float, n_toys: int) -> None:
    """Every figure of one model; toys test the signal strength mu."""
    fit, ranking = nextstat.fit(model), nextstat.ranking(model)
    poi, other = str(model.poi_name), ranking.entries[0].name
    curve = nextstat.profile_scan(model, around(model, fit, poi, 21))
    plane = nextstat.profile_scan(
        model, around(model, fit, poi, 17), parameter2=other, values2=around(model, fit, other, 17)
    )
    figures: dict[str, Callable[[], Figure]] = {
        "pulls": lambda: plot.pulls(fit),
        "ranking": lambda: plot.ranking(ranking),
        "correlation": lambda: plot.correlation(fit),
        "scan": lambda: plot.scan(curve),
        "plane": lambda: plot.scan(plane),
        "limit": lambda: plot.limit(nextstat.upper_limit(model)),
        "before": lambda: plot.data_model(model),
        "after": lambda: plot.data_model(model, fit),
        "log": lambda: plot.data_model(model, fit, log=True),
        "toys": lambda: plot.toys(nextstat.hypotest_toys(mu, model, n_toys=n_toys, return_result=True)),
    }
    for what, function in figures.items():
        save(function(), f"{label}-{what}")


def signal(folder: pathlib.Path, name: str) -> nextstat.Model:
    """The model of one signal of the patchset."""
    patchset = json.loads((folder / "1lbb.patchset.json").read_text())
    patch = next(entry["patch"] for entry in patchset["patches"] if entry["metadata"]["name"] == name)
    return nextstat.Model.from_workspace(folder / "1lbb.bkg.json", patches=[patch])


def main(wanted: list[str]) -> None:
    """All that was asked for."""
    example = ROOT / "examples/search.json"
    jobs: dict[str, Callable[[], None]] = {
        "search": lambda: draw("search", nextstat.Model.from_workspace(example), 1.0, 2000)
    }
    if DATA:
        folder = pathlib.Path(DATA)
        jobs["thu"] = lambda: draw("thu", nextstat.Model.from_workspace(folder / "thu.json"), 0.3, 2000)
        jobs["tttt"] = lambda: draw("tttt", nextstat.Model.from_workspace(folder / "tttt.json"), 3.0, 2000)
        jobs["1lbb"] = lambda: draw("1lbb", signal(folder, "C1N2_Wh_hbb_300_75"), 1.0, 300)
        scan = (folder / "1lbb.bkg.json", folder / "1lbb.patchset.json")
        jobs["mass_scan"] = lambda: save(plot.mass_scan(nextstat.mass_scan(*scan)), "mass_scan")
    for name in wanted or list(jobs):
        jobs[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
