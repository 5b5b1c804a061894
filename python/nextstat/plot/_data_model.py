"""Data and model before or after a fit: stacked samples, counts, and their ratio with an uncertainty band."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._records import Array
from ._style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    SMALL,
    VERMILLION,
    YELLOW,
    Page,
    label_width,
    logarithmic,
    note,
    note_lines,
    plain,
    shorten,
    style,
)
from ._yields import Yields, compute, pick_channels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = [SKY, YELLOW, GREEN, PURPLE, BLUE, ORANGE]
_OTHER = "#BDBDBD"
_LARGE = 20_000  # events: more are written as 20k
_CELL = (3.3, 3.1)  # inches of one channel, across and up
_HATCHED: dict[str, Any] = {
    "fill": True,
    "facecolor": "none",
    "edgecolor": GREY,
    "hatch": "/////",
    "linewidth": 0,
}
_RATIO_STEPS = {0.2: 0.1, 0.3: 0.2, 0.5: 0.25, 0.75: 0.5, 1.0: 0.5}  # half height of a ratio panel: its ticks
_Layer = tuple[str, str, list[str]]  # label, colour, samples


def data_model(
    model: Any,
    fit_result: Any = None,
    *,
    data: Any = None,
    channels: str | Sequence[str] | None = None,
    log: bool = False,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draws every channel: samples stacked, data points with Poisson errors, below them data / model.

    The band is the uncertainty of the model: without `fit_result` from the widths of the constraints, with it
    from the covariance of the fit, in both cases carried to the bins by the exact derivatives of the expected
    counts.

    model: a `nextstat.Model`. fit_result: what `nextstat.fit` returned for it. data: counts instead of the
    model's own. channels: names of those to draw. log: logarithmic axes. Samples that the parameter of
    interest scales lie on top; the smallest of more than seven other samples are put together.
    """
    with style():
        chosen = pick_channels(model, channels)
        yields = compute(model, fit_result, data)
        layers = _layers(yields)
        columns = _columns(len(chosen))
        rows = math.ceil(len(chosen) / columns)
        cell = (max(_CELL[0], 5.2) if columns == 1 else _CELL[0], _CELL[1])
        width = columns * cell[0] + 0.15
        per_row = max(2, int(width / (0.65 + label_width([_label(text) for text, *_ in layers]))))
        legend = 0.17 * math.ceil((len(layers) + 2) / per_row) + 0.15
        foot = 0.16 * len(note_lines(width, yields.notes)) + 0.1
        page = Page(width, foot + rows * cell[1] + legend, size)
        for number, channel in enumerate(chosen):
            left = 0.6 + (number % columns) * cell[0]
            bottom = foot + 0.4 + (rows - 1 - number // columns) * cell[1]
            ratio = page.axes(left, bottom, cell[0] - 0.5, 0.7)
            counts = page.axes(left, bottom + 0.76, cell[0] - 0.5, cell[1] - 1.46)
            _draw_counts(counts, channel, yields, layers, log)
            _draw_ratio(ratio, channel, yields)
            if number % columns == 0:
                counts.set_ylabel("events / bin")
                ratio.set_ylabel("data / model", fontsize=SMALL)
        handles, names = counts.get_legend_handles_labels()
        page.figure.legend(handles[::-1], names[::-1], loc="upper center", ncols=per_row, columnspacing=1.2)
        note(page.figure, yields.notes)
    return page.figure


def _columns(count: int) -> int:
    return count if count <= 3 else 2 if count == 4 else 3 if count <= 9 else 4


def _layers(yields: Yields) -> list[_Layer]:
    """The stack from below: small samples, together where they are many, then the rest, then the signal."""
    totals = yields.nominal
    others = sorted(
        (sample for sample in totals if sample not in yields.signal), key=lambda sample: totals[sample]
    )
    layers: list[_Layer] = []
    if len(others) > len(_COLOURS):
        small, others = others[: -len(_COLOURS) + 1], others[-len(_COLOURS) + 1 :]
        layers.append((f"other ({len(small)} samples)", _OTHER, small))
    colours = _COLOURS[: len(others)][::-1]
    layers += [(sample, colour, [sample]) for sample, colour in zip(others, colours, strict=True)]
    if len(yields.signal) == 1:
        layers.append((yields.signal[0], VERMILLION, yields.signal))
    elif yields.signal:
        layers.append((f"signal ({len(yields.signal)} samples)", VERMILLION, yields.signal))
    return layers


def _label(text: str) -> str:
    return plain(shorten(text, 26))


def _total(yields: Yields, channel: str) -> Array:
    total: Array = np.sum(list(yields.samples[channel].values()), axis=0)
    return total


def _draw_counts(axes: Axes, channel: str, yields: Yields, layers: list[_Layer], log: bool) -> None:
    counts = yields.observed[channel]
    edges = np.arange(len(counts) + 1) + 0.5
    base = np.zeros(len(counts))
    for text, colour, samples in layers:
        top = base + sum((yields.samples[channel].get(s, 0.0) for s in samples), start=np.zeros(len(counts)))
        axes.stairs(
            top, edges, baseline=base, fill=True, color=colour, linewidth=0, label=_label(text), zorder=1
        )
        axes.stairs(top, edges, color="white", linewidth=0.4, zorder=1.5)
        base = top
    axes.stairs(base, edges, color=BLACK, linewidth=0.8, zorder=2)
    if yields.sigma is not None:
        sigma = yields.sigma[channel]
        axes.stairs(base + sigma, edges, baseline=base - sigma, label="uncertainty", zorder=2.5, **_HATCHED)
    down, up = poisson_errors(counts)
    middle = 0.5 * (edges[1:] + edges[:-1])
    axes.errorbar(
        middle,
        counts,
        yerr=(down, up),
        fmt="o",
        color=BLACK,
        markersize=3,
        elinewidth=1,
        label="data",
        zorder=4,
    )
    axes.set_title(plain(shorten(channel, 34)), loc="left", fontsize=SMALL + 1)
    axes.set_xticks([])
    axes.set_xlim(edges[0], edges[-1])
    sigma = yields.sigma[channel] if yields.sigma is not None else np.zeros(len(counts))
    _count_range(axes, base, np.maximum(counts + up, base + sigma), log)


def _count_range(axes: Axes, total: Array, highest: Array, log: bool) -> None:
    from matplotlib.ticker import EngFormatter

    top = float(max(np.max(total), np.max(highest), 1e-9))
    if not log:
        if top >= _LARGE:
            axes.yaxis.set_major_formatter(EngFormatter(sep=""))
        axes.set_ylim(min(0.0, 1.1 * float(np.min(total))), 1.15 * top)
        return
    positive = total[total > 0]
    bottom = 0.1 * float(positive.min()) if len(positive) else 0.1
    logarithmic(axes, max(bottom, 1e-6 * top), 3 * top)


def _draw_ratio(axes: Axes, channel: str, yields: Yields) -> None:
    counts, total = yields.observed[channel], _total(yields, channel)
    edges = np.arange(len(counts) + 1) + 0.5
    middle = 0.5 * (edges[1:] + edges[:-1])
    scale = np.where(total > 0, total, np.nan)
    down, up = poisson_errors(counts)
    ratio = counts / scale
    sigma = yields.sigma[channel] / scale if yields.sigma is not None else np.zeros(len(counts))
    reach = _reach(ratio, sigma)
    band = np.nan_to_num(sigma)
    axes.stairs(1 + band, edges, baseline=1 - band, **_HATCHED)
    axes.axhline(1, color=BLACK, linewidth=0.8)
    inside = np.abs(ratio - 1) <= reach
    bars = (np.where(inside, down / scale, np.nan), np.where(inside, up / scale, np.nan))
    axes.errorbar(
        middle, np.where(inside, ratio, np.nan), yerr=bars, fmt="o", color=BLACK, markersize=3, elinewidth=1
    )
    for outside, marker, height in (
        (ratio - 1 > reach, "^", 1 + 0.9 * reach),
        (1 - ratio > reach, "v", 1 - 0.9 * reach),
    ):
        axes.plot(
            middle[outside],
            np.full(outside.sum(), height),
            marker,
            color=VERMILLION,
            markersize=4,
            linestyle="none",
        )
    axes.set_ylim(1 - reach, 1 + reach)
    step_up = _RATIO_STEPS[reach]
    axes.set_yticks([1 - step_up, 1, 1 + step_up])
    axes.set_xlim(edges[0], edges[-1])
    step = math.ceil(len(counts) / 12)
    axes.set_xticks(middle[::step], [f"{int(x)}" for x in middle[::step]])
    axes.set_xlabel("bin")


def _reach(ratio: Array, sigma: Array) -> float:
    """Half the height of the ratio panel: what most of the points and the band need, 0.2 to 1."""
    needs = np.concatenate([np.abs(ratio - 1) * 1.3, sigma * 1.2])
    needs = needs[np.isfinite(needs)]
    largest = float(needs.max()) if len(needs) else 0.2
    return next((reach for reach in _RATIO_STEPS if largest <= reach), 1.0)


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
