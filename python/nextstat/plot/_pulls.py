"""Pulls and constraints: how far each parameter moved in units of its constraint, and how wide it is now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import fail
from ._records import Array, field, has, numbers, prefit
from ._style import BLACK, FAINT, GRAY, Page, label_width, labels, note, note_lines, shorten, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WHERE, _KIND = "plot.pulls", "a fit result"
_ROWS, _MOST_COLUMNS = 50, 5  # parameters per column of the figure; more only if all columns are full
_ROW_HEIGHT, _PANEL = 0.165, 2.2  # inches


class _Pulls(NamedTuple):
    names: list[str]
    pull: Array  # (bestfit - center) / sigma
    error: Array  # post-fit / pre-fit uncertainty; NaN where the fit has none


def pulls(
    fit_result: Any,
    *,
    model: Any = None,
    parameters: str | Sequence[str] | None = None,
    max_parameters: int | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draws (best fit - center) / width of every constrained parameter, with its post-fit uncertainty.

    An error bar from -1 to 1 means that the data do not constrain the parameter; a shorter one, that they do.
    Parameters without a constraint are listed with their values below the figure.

    fit_result: what `nextstat.fit` returns. model: the fitted model, if the result does not have the
    constraints. parameters: names or patterns with * and ?. max_parameters: draw only this many, those with
    the largest pulls. size: in inches.
    """
    with style():
        found, free = _select(fit_result, model, parameters)
        shown = _most_pulled(found, max_parameters)
        count = len(shown.names)
        columns = min(_MOST_COLUMNS, max(1, math.ceil(count / _ROWS)))
        rows = max(1, math.ceil(count / columns))
        text = labels(shown.names)
        notes = _notes(shown, len(found.names), free)
        parts = [slice(column * rows, (column + 1) * rows) for column in range(columns)]
        margins = [label_width(text[part]) + 0.2 for part in parts]
        panel = max(_PANEL, 4.8 - margins[0]) if columns == 1 else _PANEL
        width = sum(margins) + columns * panel + 0.15
        height, foot = _ROW_HEIGHT * max(rows, 6) + 0.1, 0.55 + 0.16 * len(note_lines(width, notes))
        page = Page(width, foot + height + 0.1, size)
        reach = np.nanmax(np.abs(shown.pull) + np.nan_to_num(shown.error), initial=0.0)
        limit = max(2.4, 1.08 * float(reach))
        left = 0.0
        for part, margin in zip(parts, margins, strict=True):
            axes = page.axes(left + margin, foot, panel, height)
            _draw_column(axes, shown.pull[part], shown.error[part], text[part], rows, limit)
            left += margin + panel
        note(page.figure, notes)
    return page.figure


def _select(result: Any, model: Any, wanted: str | Sequence[str] | None) -> tuple[_Pulls, list[str]]:
    """The selected constrained parameters, and sentences for those without a constraint."""
    names = list(field(_WHERE, _KIND, result, "parameter_names"))
    best = numbers(field(_WHERE, _KIND, result, "bestfit"))
    nothing = np.full(len(names), np.nan)
    errors = (
        numbers(field(_WHERE, _KIND, result, "uncertainties")) if has(result, "uncertainties") else nothing
    )
    centers, sigmas = prefit(_WHERE, result, model)
    patterns = [wanted] if isinstance(wanted, str) else wanted
    keep = [patterns is None or any(_matches(name, pattern) for pattern in patterns) for name in names]
    if not any(keep):
        fail(_WHERE, f"no parameter matches {wanted!r}", f"the model has {', '.join(names[:5])}, ...")
    fixed = set(field(_WHERE, _KIND, result, "fixed", ()) or ())
    constrained = np.isfinite(sigmas) & (sigmas > 0)
    chosen = [i for i, name in enumerate(names) if keep[i] and constrained[i] and name not in fixed]
    error = np.where(errors > 0, errors, np.nan)
    free = [
        _value(names[i], best[i], error[i])
        for i in range(len(names))
        if keep[i] and not constrained[i] and names[i] not in fixed
    ]
    pull = (best[chosen] - centers[chosen]) / sigmas[chosen]
    return _Pulls([names[i] for i in chosen], pull, error[chosen] / sigmas[chosen]), free


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)


def _value(name: str, best: float, error: float) -> str:
    error_text = f" ± {error:.2g}" if math.isfinite(error) else ""
    return f"{shorten(name, 30)} = {best:.3g}{error_text}"


def _most_pulled(found: _Pulls, most: int | None) -> _Pulls:
    """The `most` largest pulls, in the order of the model."""
    if most is None or most >= len(found.names):
        return found
    if most < 1:
        fail(_WHERE, f"max_parameters is {most}", "give 1 or more, or None for all")
    chosen = np.sort(np.argsort(-np.abs(found.pull), kind="stable")[:most])
    return _Pulls([found.names[i] for i in chosen], found.pull[chosen], found.error[chosen])


def _draw_column(axes: Axes, pull: Array, error: Array, text: list[str], rows: int, limit: float) -> None:
    place = np.arange(len(pull))
    axes.axvspan(-2, 2, color=FAINT, alpha=0.6, linewidth=0, zorder=0)
    axes.axvspan(-1, 1, color="#D2D2D2", alpha=0.7, linewidth=0, zorder=0)
    axes.axvline(0, color=GRAY, linewidth=0.8, zorder=1)
    known = np.isfinite(error)
    axes.errorbar(
        pull[known],
        place[known],
        xerr=error[known],
        fmt="o",
        color=BLACK,
        markersize=3,
        elinewidth=1,
        zorder=3,
    )
    axes.plot(
        pull[~known], place[~known], "o", color=BLACK, markerfacecolor="white", markersize=3.5, zorder=3
    )
    axes.set_yticks(place, text)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.set_xlim(-limit, limit)
    axes.set_xticks([x for x in (-4, -2, -1, 0, 1, 2, 4) if abs(x) <= limit])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(r"$(\hat\theta - \theta_0)\,/\,\Delta\theta$")


def _notes(shown: _Pulls, total: int, free: list[str]) -> list[str]:
    count = len(shown.names)
    sentences = []
    if count < total:
        sentences.append(f"The {count} most pulled of {total} constrained parameters.")
    if np.isnan(shown.error).any():
        sentences.append("Open: no uncertainty (at a bound, or not computed).")
    if free:
        rest = f" and {len(free) - 6} more" if len(free) > 6 else ""
        sentences.append(f"Without a constraint: {', '.join(free[:6])}{rest}.")
    return sentences
