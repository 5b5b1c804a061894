"""The correlation matrix of a fit, pruned to the parameters that are correlated with others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import fail
from ._records import Array, field, has, numbers
from ._style import BLACK, FAINT, Page, label_width, labels, note, note_lines, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WHERE, _KIND = "plot.correlation", "a fit result"
_MOST_WITH_NUMBERS = 26  # parameters: with more, numbers are too small to read
_CELL, _SMALL_CELL = 0.36, 0.175  # inches, with and without numbers


def correlation(
    fit_result: Any,
    *,
    threshold: float = 0.2,
    max_parameters: int = 80,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draws the correlations of parameters that have one of at least `threshold`, in the fit's order.

    fit_result: what `nextstat.fit` returns. threshold: 0 shows all parameters with a covariance.
    max_parameters: if more are left, draw those with the largest correlations. Cells show numbers if there
    are few enough to read.
    """
    if not 0 <= threshold <= 1:
        fail(_WHERE, f"threshold is {threshold}", "give a correlation from 0 to 1")
    with style():
        names = list(field(_WHERE, _KIND, fit_result, "parameter_names"))
        if not has(fit_result, "correlation"):
            large = has(fit_result, "uncertainties")
            fail(_WHERE, "this fit has no correlations", "fit with large_matrices=True" if large else "fit with uncertainties=True")
        matrix = numbers(field(_WHERE, _KIND, fit_result, "correlation"))
        chosen, passed, known = _prune(matrix, threshold, max_parameters)
        if not len(chosen):
            fail(_WHERE, f"no correlation reaches {threshold:g}", "lower the threshold")
        part = matrix[np.ix_(chosen, chosen)]
        with_numbers = len(chosen) <= _MOST_WITH_NUMBERS
        cell = _CELL if with_numbers else _SMALL_CELL
        text = labels([names[i] for i in chosen])
        notes = _notes(len(chosen), passed, known, len(names), threshold)
        side, margin = max(1.8, cell * len(chosen)), label_width(text) + 0.2
        width = margin + side + 0.95
        bottom = margin + 0.16 * len(note_lines(width, notes))
        page = Page(width, bottom + side + 0.12, size)
        bar = page.axes(margin + side + 0.12, bottom, 0.18, side)
        _draw(page.axes(margin, bottom, side, side), bar, part, text, with_numbers)
        note(page.figure, notes)
    return page.figure


def _prune(matrix: Array, threshold: float, most: int) -> tuple[list[int], int, int]:
    """Indices to show; how many pass the threshold; how many have correlations at all."""
    others = np.abs(matrix - np.diag(np.diag(matrix)))
    known = np.isfinite(np.diag(matrix)) & (np.diag(matrix) != 0)
    largest = np.where(
        known, np.nanmax(np.where(np.isfinite(others), others, 0.0), axis=1, initial=0.0), -1.0
    )
    passing = np.flatnonzero(known & (largest >= threshold))
    leading = passing[np.argsort(-largest[passing], kind="stable")[:most]]
    return [int(i) for i in np.sort(leading)], len(passing), int(known.sum())


def _draw(axes: Axes, bar_axes: Axes, matrix: Array, text: list[str], with_numbers: bool) -> None:
    import matplotlib

    colors = matplotlib.colormaps["RdBu_r"].with_extremes(bad=FAINT)
    image = axes.imshow(matrix, vmin=-1, vmax=1, cmap=colors, interpolation="nearest", aspect="auto")
    place = np.arange(len(text))
    axes.set_xticks(place, text, rotation=90)
    axes.set_yticks(place, text)
    axes.tick_params(length=0)
    axes.set_xticks(place[1:] - 0.5, minor=True)
    axes.set_yticks(place[1:] - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=0.5)
    axes.tick_params(which="minor", length=0)
    bar_axes.figure.colorbar(image, cax=bar_axes, label="correlation")
    if with_numbers:
        for (row, column), value in np.ndenumerate(matrix):
            if np.isfinite(value) and abs(value) >= 0.005:
                color = "white" if abs(value) > 0.6 else BLACK
                axes.text(column, row, _number(value), ha="center", va="center", color=color, fontsize=7)


def _number(value: float) -> str:
    """Two decimals without the leading zero, with a true minus sign."""
    return (
        f"{value:.2f}".replace("0.", ".", 1).replace("-", "\N{MINUS SIGN}")
        if abs(value) < 0.995
        else f"{value:.0f}"
    )


def _notes(shown: int, passed: int, known: int, total: int, threshold: float) -> list[str]:
    sentences = (
        [f"{passed} of {total} parameters have a correlation of at least {threshold:g}."]
        if passed < total
        else []
    )
    if shown < passed:
        sentences.append(f"The {shown} with the largest are shown.")
    if known < total:
        sentences.append(f"Fixed or at a bound, without correlations: {total - known}.")
    return sentences
