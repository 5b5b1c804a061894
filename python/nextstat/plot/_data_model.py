"""Data and model before or after a fit: stacked samples, counts, and their ratio with an uncertainty band."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import as_model
from ._ratio import HATCHED, beyond_note, draw_ratio, poisson_errors, ratio_of
from ._records import Array
from ._style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    SMALL,
    VERMILION,
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

_COLORS = [SKY, YELLOW, GREEN, PURPLE, BLUE, ORANGE]
_OTHER = "#BDBDBD"
_LARGE = 20_000  # events: more are written as 20k
_CELL = (3.3, 3.1)  # width and height of one channel, in inches
_Layer = tuple[str, str, list[str]]  # label, color, samples


def data_model(
    model: Any,
    fit_result: Any = None,
    *,
    data: Any = None,
    channels: str | Sequence[str] | None = None,
    log: bool = False,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draws every channel: stacked samples, data points with Poisson errors, and data / model below.

    The band is the uncertainty of the model: without `fit_result` from the widths of the constraints, with it
    from the covariance of the fit, propagated to the bins with the exact derivatives of the expected counts.

    model: a `nextstat.Model`, or anything that makes one. fit_result: what `nextstat.fit` returned for it.
    data: counts to use instead of the model's. channels: names of channels to draw. log: logarithmic axes.
    Samples scaled by the parameter of interest are on top; of more than six others, the smallest are merged.
    """
    with style():
        model = as_model(model)
        chosen = pick_channels(model, channels)
        yields = compute(model, fit_result, data)
        layers = _layers(yields)
        ratios = {channel: ratio_of(yields, channel) for channel in chosen}
        notes = [*yields.notes, beyond_note(ratios.values())]
        columns = _columns(len(chosen))
        cell = (max(_CELL[0], 5.2) if columns == 1 else _CELL[0], _CELL[1])
        rows, width = math.ceil(len(chosen) / columns), columns * cell[0] + 0.15
        per_row = max(2, int(width / (0.65 + label_width([_label(text) for text, *_ in layers]))))
        legend = 0.17 * math.ceil((len(layers) + 2) / per_row) + 0.15
        foot = 0.16 * len(note_lines(width, notes)) + 0.1
        page = Page(width, foot + rows * cell[1] + legend, size)
        for place, channel in enumerate(chosen):
            corner = 0.6 + (place % columns) * cell[0], foot + 0.4 + (rows - 1 - place // columns) * cell[1]
            upper, lower = _panels(page, corner, cell, named=place % columns == 0)
            _draw_counts(upper, channel, yields, layers, log)
            draw_ratio(lower, ratios[channel])
        handles, names = upper.get_legend_handles_labels()
        page.figure.legend(handles[::-1], names[::-1], loc="upper center", ncols=per_row, columnspacing=1.2)
        note(page.figure, notes)
    return page.figure


def _panels(
    page: Page, corner: tuple[float, float], cell: tuple[float, float], named: bool
) -> tuple[Axes, Axes]:
    """Axes for the counts and for the ratio below them, with axis labels if `named`."""
    lower = page.axes(*corner, cell[0] - 0.5, 0.7)
    upper = page.axes(corner[0], corner[1] + 0.76, cell[0] - 0.5, cell[1] - 1.46)
    if named:
        upper.set_ylabel("events / bin")
        lower.set_ylabel("data / model", fontsize=SMALL)
    return upper, lower


def _columns(count: int) -> int:
    return count if count <= 3 else 2 if count == 4 else 3 if count <= 9 else 4


def _layers(yields: Yields) -> list[_Layer]:
    """The stack from the bottom: small samples, merged if there are many, then the rest, then the signal."""
    totals = yields.nominal
    others = sorted(
        (sample for sample in totals if sample not in yields.signal), key=lambda sample: totals[sample]
    )
    layers: list[_Layer] = []
    if len(others) > len(_COLORS):
        small, others = others[: -len(_COLORS) + 1], others[-len(_COLORS) + 1 :]
        layers.append((f"other ({len(small)} samples)", _OTHER, small))
    colors = _COLORS[: len(others)][::-1]
    layers += [(sample, color, [sample]) for sample, color in zip(others, colors, strict=True)]
    if len(yields.signal) == 1:
        layers.append((yields.signal[0], VERMILION, yields.signal))
    elif yields.signal:
        layers.append((f"signal ({len(yields.signal)} samples)", VERMILION, yields.signal))
    return layers


def _label(text: str) -> str:
    return plain(shorten(text, 26))


def _draw_counts(axes: Axes, channel: str, yields: Yields, layers: list[_Layer], log: bool) -> None:
    counts = yields.observed[channel]
    edges = np.arange(len(counts) + 1) + 0.5
    base = np.zeros(len(counts))
    for text, color, samples in layers:
        top = base + sum((yields.samples[channel].get(s, 0.0) for s in samples), start=np.zeros(len(counts)))
        axes.stairs(
            top, edges, baseline=base, fill=True, color=color, linewidth=0, label=_label(text), zorder=1
        )
        axes.stairs(top, edges, color="white", linewidth=0.4, zorder=1.5)
        base = top
    axes.stairs(base, edges, color=BLACK, linewidth=0.8, zorder=2)
    if yields.sigma is not None:
        sigma = yields.sigma[channel]
        axes.stairs(base + sigma, edges, baseline=base - sigma, label="uncertainty", zorder=2.5, **HATCHED)
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
