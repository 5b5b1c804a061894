"""Profile likelihood versus one parameter (a curve) or two (a plane with contours)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import fail
from ._curves import smooth
from ._records import Array, column, field, numbers
from ._style import BLACK, BLUE, GRAY, SMALL, VERMILION, number, one_panel, plain, shorten, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WHERE, _KIND = "plot.scan", "a scan"
_HEIGHT = r"$-2\,\Delta\ln L$"
# Heights of -2 Delta ln L: 68.27 % and 95.45 % of a chi-square with one and with two degrees of freedom.
_ONE_PARAMETER = {1.0: "1σ", 4.0: "2σ"}
_FLAT = 50.0  # height of a figure in which the lines at 1 and 4 are too close for two labels
_TWO_PARAMETERS = {2.2957: "68 %", 6.1801: "95 %"}


def scan(scan_result: Any, *, size: tuple[float, float] | None = None) -> Figure:
    """Draws -2 Delta ln L versus the parameter with lines at one and two sigma, or a plane with contours.

    scan_result: what `nextstat.profile_scan` returns, for one parameter or two. Points whose fit did not
    converge are open.
    """
    with style():
        points = list(field(_WHERE, _KIND, scan_result, "points"))
        if len(points) < 2:
            fail(_WHERE, f"{len(points)} point(s) are not enough for a curve", "scan at least two values")
        second = field(_WHERE, _KIND, scan_result, "parameter2", None)
        best = numbers([field(_WHERE, _KIND, scan_result, "mu_hat")])
        if second:
            best = np.append(best, numbers(field(_WHERE, _KIND, scan_result, "mu2_hat")))
        notes = [f"Best fit: {', '.join(number(value) for value in best)}."]
        if second:
            notes.append("The contours are for both parameters together.")
            page, axes = one_panel(5.4, 4.6, notes, size, right=1.0)
            _draw_plane(axes, scan_result, points, best)
        else:
            good = np.asarray([bool(field(_WHERE, _KIND, point, "converged", True)) for point in points])
            notes.append("" if good.all() else "Open: the fit did not converge.")
            page, axes = one_panel(5.4, 3.8, notes, size, right=0.5)
            _draw_curve(axes, scan_result, points, good, float(best[0]))
    return page.figure


def _name(result: Any, field_name: str) -> str:
    return plain(shorten(str(field(_WHERE, _KIND, result, field_name)), 50))


def _draw_curve(axes: Axes, result: Any, points: list[Any], good: NDArray[np.bool_], best: float) -> None:
    values = column(_WHERE, _KIND, points, "mu")
    heights = column(_WHERE, _KIND, points, "twice_delta_nll")
    known = np.isfinite(heights)
    axes.plot(*_with_best_fit(values[known], heights[known], best), color=BLUE, zorder=2)
    axes.plot(values[good], heights[good], "o", color=BLUE, markersize=3.5, zorder=3)
    axes.plot(values[~good], heights[~good], "o", color=BLUE, markerfacecolor="white", markersize=4, zorder=3)
    axes.margins(x=0.02)
    top = max(float(np.nanmax(heights, initial=1.0)) * 1.08, 1.3)
    axes.set_ylim(-0.02 * top, top)
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    for height, text in _ONE_PARAMETER.items():
        if height < top:
            axes.axhline(height, color=GRAY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
            if text == "2σ" and top > _FLAT:
                text = "1σ, 2σ"  # too close for two labels
            if text != "1σ" or top <= _FLAT:
                axes.annotate(text, (1, height), (4, 0), va="center", color=GRAY, fontsize=SMALL, **place)
    if values.min() <= best <= values.max():
        axes.axvline(best, color=GRAY, linewidth=0.8, zorder=1)
    axes.set_xlabel(_name(result, "parameter"))
    axes.set_ylabel(_HEIGHT)


def _with_best_fit(values: Array, heights: Array, best: float) -> tuple[Array, Array]:
    """The curve through the points and through 0 at the best fit, if it lies among them."""
    order = np.argsort(values, kind="stable")
    values, heights = values[order], heights[order]
    if len(values) and values[0] < best < values[-1] and best not in values:
        place = int(np.searchsorted(values, best))
        values, heights = np.insert(values, place, best), np.insert(heights, place, 0.0)
    return smooth(values, heights)


def _draw_plane(axes: Axes, result: Any, points: list[Any], best: Array) -> None:
    import matplotlib

    first, second, heights = _grid(points)
    shown = np.ma.masked_invalid(heights)
    levels = np.linspace(0, max(12.0, min(float(shown.max()), 20.0)), 25)
    colors = matplotlib.colormaps["Blues_r"]
    plane = axes.contourf(first, second, shown, levels=levels, cmap=colors, extend="max")
    plane.set_edgecolor("face")  # no hairlines between the levels in PDF files
    styles = ["solid", "dashed"]
    axes.contour(first, second, shown, levels=list(_TWO_PARAMETERS), colors=VERMILION, linestyles=styles)
    for line_style, text in zip(styles, _TWO_PARAMETERS.values(), strict=True):
        axes.plot([], [], color=VERMILION, linestyle=line_style, label=text)
    axes.plot(
        *best,
        "P",
        color="white",
        markeredgecolor=BLACK,
        markersize=8,
        linestyle="none",
        zorder=4,
        label="best fit",
    )
    legend = axes.legend(loc="upper right", frameon=True, framealpha=0.85, edgecolor="none")
    legend.set_zorder(5)
    ticks = np.arange(0, levels[-1] + 0.1, 2)
    axes.figure.colorbar(plane, cax=axes.inset_axes((1.03, 0.0, 0.04, 1.0)), ticks=ticks, label=_HEIGHT)
    axes.set_xlim(first.min(), first.max())
    axes.set_ylim(second.min(), second.max())
    axes.set_xlabel(_name(result, "parameter"))
    axes.set_ylabel(_name(result, "parameter2"))


def _grid(points: list[Any]) -> tuple[Array, Array, Array]:
    """Values of the two parameters and heights on their grid, [second, first]; NaN for missing points."""
    first, column_of = np.unique(column(_WHERE, _KIND, points, "mu"), return_inverse=True)
    second, row_of = np.unique(column(_WHERE, _KIND, points, "mu2"), return_inverse=True)
    if len(first) < 2 or len(second) < 2:
        fail(
            _WHERE,
            f"{len(first)} x {len(second)} points are not enough for a plane",
            "scan at least two values of each",
        )
    heights = np.full((len(second), len(first)), np.nan)
    heights[row_of, column_of] = column(_WHERE, _KIND, points, "twice_delta_nll")
    return _finer(first, second, heights) if np.isfinite(heights).all() else (first, second, heights)


def _finer(first: Array, second: Array, heights: Array) -> tuple[Array, Array, Array]:
    """The same plane on a finer grid, so that contours are smooth."""
    rows = [smooth(first, row, 100) for row in heights]
    columns = [smooth(second, column, 100) for column in np.stack([row for _, row in rows]).T]
    return rows[0][0], columns[0][0], np.stack([column for _, column in columns], axis=1)
