"""Ranking: the nuisance parameters with the largest impact on the parameter of interest, and their pulls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import fail
from ._records import Array, column, field
from ._style import (
    BLACK,
    BLUE,
    GRAY,
    NORMAL,
    ORANGE,
    label_width,
    labels,
    one_panel,
    plain,
    shorten,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WHERE, _KIND = "plot.ranking", "a ranking"
_ROW_HEIGHT = 0.27  # inches
_TOO_FLAT = 1e-12  # impacts below this do not set the scale of an axis


class _Entries(NamedTuple):
    names: list[str]
    pull: Array
    constraint: Array
    up: Array  # post-fit
    down: Array
    up_prefit: Array
    down_prefit: Array


def ranking(
    ranking_result: Any, *, max_parameters: int = 20, size: tuple[float, float] | None = None
) -> Figure:
    """Draws impacts on the parameter of interest (top axis) and pulls (bottom axis), largest impact first.

    Filled bars: the parameter is held at its best fit plus or minus its post-fit uncertainty. Outlines: at
    its center plus or minus its pre-fit width. Points: (best fit - center) / width with the post-fit
    uncertainty.

    ranking_result: what `nextstat.ranking` returns. max_parameters: number of rows; a note gives the total.
    """
    with style():
        every = list(field(_WHERE, _KIND, ranking_result, "entries"))
        if not every:
            fail(_WHERE, "this ranking has no entries", "a model needs nuisance parameters to rank")
        if max_parameters < 1:
            fail(_WHERE, f"max_parameters is {max_parameters}", "give 1 or more")
        entries = _largest(every, max_parameters)
        count = len(entries.names)
        text = labels(entries.names)
        left = label_width(text, NORMAL) + 0.2
        notes = _notes(entries, count, len(every))
        height = 2.0 + _ROW_HEIGHT * max(count, 4)
        page, pulls = one_panel(max(6.4, left + 4.4), height, notes, size, left=left, top=1.0)
        impact = pulls.twiny()
        _draw_impacts(
            impact,
            entries,
            str(field(_WHERE, _KIND, ranking_result, "poi", None) or "the parameter of interest"),
        )
        _draw_pulls(pulls, entries, text)
        page.figure.legend(*_legend(impact, pulls), loc="upper center", ncols=3, columnspacing=1.5)
    return page.figure


def _largest(every: Sequence[Any], most: int) -> _Entries:
    """Sorted by the larger of the two post-fit impacts, or of the pre-fit impacts if there are none."""

    def read(name: str) -> Array:
        return column(_WHERE, _KIND, every, name)

    up, down = read("impact_up"), read("impact_down")
    up_prefit, down_prefit = read("impact_up_prefit"), read("impact_down_prefit")
    largest = np.nanmax(np.abs([up, down, np.zeros_like(up)]), axis=0)
    before = np.nanmax(np.abs([up_prefit, down_prefit, np.zeros_like(up)]), axis=0)
    order = np.lexsort((-before, -largest))[:most]
    names = [str(field(_WHERE, _KIND, every[i], "name")) for i in order]
    columns = (read("pull"), read("constraint"), up, down, up_prefit, down_prefit)
    return _Entries(names, *(values[order] for values in columns))


def _draw_impacts(axes: Axes, entries: _Entries, poi: str) -> None:
    place = np.arange(len(entries.names))
    filled: dict[str, Any] = {"height": 0.72, "linewidth": 0, "alpha": 0.85}
    outline: dict[str, Any] = {"height": 0.72, "fill": False, "linewidth": 1.1}
    zero = np.nan_to_num
    axes.barh(place, zero(entries.up), color=BLUE, label="post-fit, θ + 1σ", **filled)
    axes.barh(place, zero(entries.down), color=ORANGE, label="post-fit, θ − 1σ", **filled)
    axes.barh(place, zero(entries.up_prefit), edgecolor=BLUE, label="pre-fit, θ + 1σ", **outline)
    axes.barh(place, zero(entries.down_prefit), edgecolor=ORANGE, label="pre-fit, θ − 1σ", **outline)
    impacts = np.abs(np.concatenate(entries[3:]))
    reach = float(np.nanmax(impacts, initial=0.0))
    axes.set_xlim(*((-1.08 * reach, 1.08 * reach) if reach > _TOO_FLAT else (-1, 1)))
    axes.set_xlabel(f"impact on {plain(shorten(poi, 40))}", color=BLUE)
    axes.tick_params(axis="x", top=True, bottom=False, labelcolor=BLUE)


def _draw_pulls(axes: Axes, entries: _Entries, text: list[str]) -> None:
    place = np.arange(len(entries.names))
    axes.set_zorder(2)  # above the bars
    axes.patch.set_visible(False)
    for x in (-1, 0, 1):
        axes.axvline(x, color=GRAY, linewidth=0.8, linestyle="-" if x == 0 else (0, (4, 3)), zorder=1)
    error = np.where(entries.constraint > 0, entries.constraint, np.nan)
    known = np.isfinite(error) & np.isfinite(entries.pull)
    pull = entries.pull
    axes.errorbar(
        pull[known],
        place[known],
        xerr=error[known],
        fmt="o",
        color=BLACK,
        markersize=4,
        elinewidth=1.2,
        zorder=3,
        label="pull",
    )
    bare = np.isfinite(pull) & ~known
    axes.plot(pull[bare], place[bare], "o", color=BLACK, markerfacecolor="white", markersize=4.5, zorder=3)
    reach = float(np.nanmax(np.abs(pull) + np.nan_to_num(error), initial=0.0))
    limit = max(2.0, 1.08 * reach)
    axes.set_xlim(-limit, limit)
    axes.set_yticks(place, text, fontsize=NORMAL)
    axes.set_ylim(len(place) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", top=False)
    axes.set_xlabel(r"pull $(\hat\theta - \theta_0)\,/\,\Delta\theta$")


def _legend(impact: Axes, pulls: Axes) -> tuple[list[Any], list[str]]:
    handles, names = impact.get_legend_handles_labels()
    more, more_names = pulls.get_legend_handles_labels()
    # Column by column: post-fit and pre-fit of one direction, one below the other.
    order = [0, 2, 1, 3]
    return [handles[i] for i in order] + more, [names[i] for i in order] + more_names


def _notes(entries: _Entries, count: int, total: int) -> list[str]:
    sentences = [f"The {count} largest of {total}."] if count < total else []
    if np.isnan(entries.pull).any():
        sentences.append("Rows without a point: parameters without a constraint.")
    if np.isnan([entries.up, entries.down]).any():
        sentences.append(
            "Rows without filled bars: fits that did not converge, or no uncertainty (at a bound)."
        )
    return sentences
