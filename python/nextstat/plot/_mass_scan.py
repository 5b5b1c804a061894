"""Limits for signal points: a Brazil band versus mass, or one box per point if there is no axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import fail
from ._records import Array, field, numbers
from ._style import (
    BLACK,
    ONE_SIGMA,
    TWO_SIGMA,
    VERMILION,
    label_width,
    labels,
    logarithmic,
    one_panel,
    plain,
    some,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WHERE, _KIND = "plot.mass_scan", "a mass scan"
_MOST_SLANTED, _SLANT = 12, 40  # names, degrees: more names are vertical


def mass_scan(
    mass_scan_result: Any,
    *,
    axis: int | None = None,
    xlabel: str | None = None,
    ylabel: str = "upper limit on the signal strength",
    log: bool = True,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draws observed and expected limits of every signal point with the bands of one and two sigma.

    mass_scan_result: what `nextstat.mass_scan` returns. axis: which of the points' values is the horizontal
    axis; None takes the one that differs between all points, or draws a box with a name for every point if
    there is none.
    """
    with style():
        points = list(field(_WHERE, _KIND, mass_scan_result, "points"))
        if not points:
            fail(_WHERE, "this mass scan has no points", "look at its warnings")
        along = _positions(points, axis)
        observed = numbers([field(_WHERE, _KIND, point, "obs_limit") for point in points])
        expected = np.stack([_five(field(_WHERE, _KIND, point, "exp_limits")) for point in points])
        names = labels([str(field(_WHERE, _KIND, point, "label")) for point in points], 28)
        confidence = float(field(_WHERE, _KIND, mass_scan_result, "confidence_level"))
        notes = _notes(points, observed, expected, confidence)
        width, left, below = (6.2, 0.65, 0.5) if along is not None else _room(names)
        page, axes = one_panel(width, 3.6 + below, notes, size, left=left, bottom=below, top=0.4)
        if along is not None:
            order = np.argsort(along, kind="stable")
            _draw_band(axes, along[order], observed[order], expected[order])
        else:
            _draw_boxes(axes, names, observed, expected)
        axes.axhline(1, color=VERMILION, linewidth=1, zorder=1.5)
        _set_range(axes, np.append(expected.ravel(), observed), log)
        axes.set_xlabel(plain(xlabel) if xlabel else ("mass" if along is not None else ""))
        axes.set_ylabel(plain(ylabel))
        _draw_legend(page.figure, axes)
    return page.figure


def _draw_legend(figure: Figure, axes: Axes) -> None:
    handles, texts = axes.get_legend_handles_labels()
    order = [
        texts.index(text) for text in ("observed", "expected (median)", "expected ± 1σ", "expected ± 2σ")
    ]
    chosen = [handles[i] for i in order], [texts[i] for i in order]
    figure.legend(*chosen, loc="upper center", ncols=4, columnspacing=1.5)


def _five(limits: Any) -> Array:
    values = np.ravel(numbers(limits)) if limits is not None else np.full(5, np.nan)
    return values if len(values) == 5 else np.full(5, np.nan)


def _positions(points: list[Any], axis: int | None) -> Array | None:
    """Positions of the points on the horizontal axis; None if their values do not give them."""
    values = [field(_WHERE, _KIND, point, "values", None) for point in points]
    counts = {len(value) if value is not None else 0 for value in values}
    if len(counts) != 1 or counts == {0}:
        if axis is not None:
            fail(_WHERE, f"axis is {axis}, but the points have no values", "leave axis out")
        return None
    table = numbers(values)
    if axis is None:
        distinct = [np.unique(column).size == len(points) for column in table.T]
        varying = [np.unique(column).size > 1 for column in table.T]
        if sum(varying) != 1 or len(points) < 2:
            return None
        axis = distinct.index(True) if any(distinct) else None
        return None if axis is None else table[:, axis]
    if not 0 <= axis < table.shape[1]:
        fail(
            _WHERE,
            f"axis is {axis}, but the points have {table.shape[1]} values",
            f"give 0 to {table.shape[1] - 1}",
        )
    if np.unique(table[:, axis]).size < len(points):
        fail(_WHERE, f"points have the same value on axis {axis}", "leave axis out to see each of them")
    return table[:, axis]


def _draw_band(axes: Axes, along: Array, observed: Array, expected: Array) -> None:
    axes.fill_between(
        along, expected[:, 0], expected[:, 4], color=TWO_SIGMA, linewidth=0, label="expected ± 2σ"
    )
    axes.fill_between(
        along, expected[:, 1], expected[:, 3], color=ONE_SIGMA, linewidth=0, label="expected ± 1σ"
    )
    axes.plot(along, expected[:, 2], color=BLACK, linestyle=(0, (4, 3)), label="expected (median)")
    axes.plot(along, observed, "o-", color=BLACK, markersize=3.5, label="observed")
    axes.margins(x=0.02)


def _set_range(axes: Axes, limits: Array, log: bool) -> None:
    known = limits[np.isfinite(limits) & (limits > 0)]
    low, high = (min(known.min(), 1.0), max(known.max(), 1.0)) if len(known) else (0.1, 10.0)
    if log:
        logarithmic(axes, low / 1.4, high * 1.4)
    else:
        axes.set_ylim(0, 1.1 * high)


def _room(names: list[str]) -> tuple[float, float, float]:
    """Width of a figure with a box for each name, and the space that the names need beside and below it."""
    longest = label_width(names)
    if len(names) > _MOST_SLANTED:
        return 1.0 + 0.3 * len(names), 0.65, longest + 0.15
    slant = math.radians(_SLANT)
    left = max(0.65, label_width(names[:1]) * math.cos(slant) - 0.1)
    return max(5.6, left + 0.2 + 0.5 * len(names)), left, longest * math.sin(slant) + 0.25


def _draw_boxes(axes: Axes, names: list[str], observed: Array, expected: Array) -> None:
    place = np.arange(len(names))
    for low, high, color, text in ((0, 4, TWO_SIGMA, "expected ± 2σ"), (1, 3, ONE_SIGMA, "expected ± 1σ")):
        height = expected[:, high] - expected[:, low]
        axes.bar(
            place,
            height,
            bottom=expected[:, low],
            width=0.62,
            color=color,
            linewidth=0,
            label=text,
            zorder=2,
        )
    axes.hlines(
        expected[:, 2],
        place - 0.31,
        place + 0.31,
        color=BLACK,
        linestyle=(0, (3, 2)),
        zorder=3,
        label="expected (median)",
    )
    axes.plot(place, observed, "o", color=BLACK, markersize=4.5, zorder=4, label="observed")
    if len(names) > _MOST_SLANTED:
        axes.set_xticks(place, names, rotation=90)
    else:
        axes.set_xticks(place, names, rotation=_SLANT, ha="right", rotation_mode="anchor")
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.6, len(names) - 0.4)


def _notes(points: list[Any], observed: Array, expected: Array, confidence: float) -> list[str]:
    sentences = [
        f"{100 * confidence:.3g} % CL. Below the red line the signal is excluded at its predicted strength."
    ]
    absent = ~np.isfinite(observed) | ~np.isfinite(expected).all(axis=1)
    if absent.any():
        names = [str(field(_WHERE, _KIND, points[i], "label")) for i in np.flatnonzero(absent)]
        sentences.append(f"Not all limits exist for {some(names)}.")
    return sentences
