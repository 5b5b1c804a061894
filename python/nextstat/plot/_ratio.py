"""Data over model: the lower panel of the data and model figure, and the errors of data points."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._records import Array
from ._style import BLACK, GRAY, VERMILION
from ._yields import Yields

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HATCHED: dict[str, Any] = {
    "fill": True,
    "facecolor": "none",
    "edgecolor": GRAY,
    "hatch": "/////",
    "linewidth": 0,
}
_STEPS = {0.2: 0.1, 0.3: 0.2, 0.5: 0.25, 0.75: 0.5, 1.0: 0.5}  # half the height of a panel: its ticks


class Ratio(NamedTuple):
    value: Array  # counts / expected; NaN where the expected rate is not positive
    down: Array  # its errors
    up: Array
    sigma: Array  # relative uncertainty of the model
    reach: float  # half the height of the panel


def ratio_of(yields: Yields, channel: str) -> Ratio:
    """Data over model in one channel."""
    counts = yields.observed[channel]
    total = np.sum(list(yields.samples[channel].values()), axis=0)
    expected = np.where(total > 0, total, np.nan)
    down, up = poisson_errors(counts)
    sigma = yields.sigma[channel] / expected if yields.sigma is not None else np.zeros(len(counts))
    value = counts / expected
    needs = np.concatenate([np.abs(value - 1) * 1.3, sigma * 1.2])
    largest = float(np.nanmax(needs, initial=0.0))
    reach = next((step for step in _STEPS if largest <= step), max(_STEPS))
    return Ratio(value, down / expected, up / expected, sigma, reach)


def beyond_note(ratios: Iterable[Ratio]) -> str:
    """A sentence about points outside a panel."""
    outside = any(bool((np.abs(ratio.value - 1) > ratio.reach).any()) for ratio in ratios)
    return "Triangles: data / model lies beyond the panel." if outside else ""


def draw_ratio(axes: Axes, ratio: Ratio) -> None:
    """Points with errors, the band of the model around 1, triangles for points beyond the panel."""
    edges = np.arange(len(ratio.value) + 1) + 0.5
    middle = 0.5 * (edges[1:] + edges[:-1])
    band, reach = np.nan_to_num(ratio.sigma), ratio.reach
    axes.stairs(1 + band, edges, baseline=1 - band, **HATCHED)
    axes.axhline(1, color=BLACK, linewidth=0.8)
    inside = np.abs(ratio.value - 1) <= reach
    shown, down, up = (np.where(inside, values, np.nan) for values in (ratio.value, ratio.down, ratio.up))
    axes.errorbar(middle, shown, yerr=(down, up), fmt="o", color=BLACK, markersize=3, elinewidth=1)
    above, below = ratio.value - 1 > reach, 1 - ratio.value > reach
    triangle = {"color": VERMILION, "markersize": 4.0}
    axes.plot(middle[above], np.full(above.sum(), 1 + 0.9 * reach), "^", **triangle)  # type: ignore[arg-type]
    axes.plot(middle[below], np.full(below.sum(), 1 - 0.9 * reach), "v", **triangle)  # type: ignore[arg-type]
    axes.set_ylim(1 - reach, 1 + reach)
    axes.set_yticks([1 - _STEPS[reach], 1, 1 + _STEPS[reach]])
    axes.set_xlim(edges[0], edges[-1])
    step = math.ceil(len(middle) / 12)
    axes.set_xticks(middle[::step], [f"{int(x)}" for x in middle[::step]])
    axes.set_xlabel("bin")


def poisson_errors(counts: Array) -> tuple[Array, Array]:
    """Distances to the ends of the central 68 % interval of a Poisson mean (Wilson, Hilferty).

    low = n (1 - 1/(9n) - 1/(3 sqrt n))^3, high the same with n + 1 and a plus sign.
    """
    above = np.maximum(counts, 0.0) + 1
    high = above * (1 - 1 / (9 * above) + 1 / (3 * np.sqrt(above))) ** 3
    below = np.maximum(counts, 1e-9)
    low = np.where(
        counts > 0, below * np.maximum(1 - 1 / (9 * below) - 1 / (3 * np.sqrt(below)), 0.0) ** 3, 0.0
    )
    return np.maximum(counts, 0.0) - low, high - counts
