"""CLs versus the parameter of interest: observed, expected, bands of one and two sigma, and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import fail
from ._curves import cls_curve
from ._records import Array, field, has, numbers
from ._style import (
    BLACK,
    ONE_SIGMA,
    SMALL,
    TWO_SIGMA,
    VERMILION,
    one_panel,
    plain,
    shorten,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WHERE, _KIND = "plot.limit", "an upper limit"


def limit(
    upper_limit_result: Any,
    *,
    log: bool = False,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draws CLs at the tested values, the expected bands, and the limits where CLs is 1 - confidence level.

    upper_limit_result: what `nextstat.upper_limit` returns. log: CLs on a logarithmic axis.
    """
    with style():
        values = numbers(field(_WHERE, _KIND, upper_limit_result, "poi_values"))
        if not len(values):
            fail(_WHERE, "this upper limit has no tested values", "look at its warnings")
        observed = numbers(field(_WHERE, _KIND, upper_limit_result, "observed_cls"))
        expected = numbers(field(_WHERE, _KIND, upper_limit_result, "expected_cls")).reshape(len(values), -1)
        order = np.argsort(values, kind="stable")
        page, axes = one_panel(5.6, 4.2, [_sentence(upper_limit_result)], size, right=0.45)
        _draw_cls(axes, values[order], observed[order], expected[order])
        level = 1 - float(field(_WHERE, _KIND, upper_limit_result, "confidence_level"))
        axes.axhline(level, color=VERMILION, linewidth=1, zorder=4)
        _draw_limits(axes, upper_limit_result, level)
        _set_axes(axes, upper_limit_result, values, level, log)
    return page.figure


def _draw_cls(axes: Axes, values: Array, observed: Array, expected: Array) -> None:
    if expected.shape[1] == 5 and np.isfinite(expected).any():
        at = None
        curves = []
        for band, column in zip((-2, -1, 0, 1, 2), expected.T, strict=True):
            at, curve = cls_curve(values, column, band)
            curves.append(curve)
        assert at is not None
        axes.fill_between(
            at, curves[0], curves[4], color=TWO_SIGMA, linewidth=0, zorder=1, label="expected ± 2σ"
        )
        axes.fill_between(
            at, curves[1], curves[3], color=ONE_SIGMA, linewidth=0, zorder=2, label="expected ± 1σ"
        )
        axes.plot(at, curves[2], color=BLACK, linestyle=(0, (4, 3)), zorder=3, label="expected (median)")
    axes.plot(*cls_curve(values, observed), color=BLACK, zorder=5)
    axes.plot(values, observed, "o", color=BLACK, markersize=3, zorder=5)
    axes.plot([], [], "o-", color=BLACK, markersize=3, label="observed")


def _limits(result: Any) -> tuple[float, Array]:
    observed = numbers(field(_WHERE, _KIND, result, "obs_limit"))
    expected = (
        numbers(field(_WHERE, _KIND, result, "exp_limits"))
        if has(result, "exp_limits")
        else np.full(5, np.nan)
    )
    return float(observed), np.ravel(expected)


def _draw_limits(axes: Axes, result: Any, level: float) -> None:
    observed, expected = _limits(result)
    if np.isfinite(observed):
        axes.plot([observed, observed], [0, level], color=BLACK, linewidth=1.2, zorder=6)
    if len(expected) == 5 and np.isfinite(expected[2]):
        axes.plot(
            [expected[2], expected[2]], [0, level], color=BLACK, linewidth=1, linestyle=(0, (4, 3)), zorder=6
        )


def _set_axes(axes: Axes, result: Any, values: Array, level: float, log: bool) -> None:
    observed, expected = _limits(result)
    furthest = np.nanmax([observed, *expected, -np.inf])
    right = min(values.max(), 1.25 * furthest) if furthest > 0 else values.max()
    axes.set_xlim(max(0.0, values.min()) if values.min() >= 0 else values.min(), right)
    if log:
        axes.set_yscale("log")
        axes.set_ylim(level / 20, 1.5)
    else:
        axes.set_ylim(0, 1.02)
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    axes.annotate(f"{level:.3g}", (1, level), (4, 0), va="center", color=VERMILION, fontsize=SMALL, **place)
    axes.set_xlabel(
        plain(shorten(str(field(_WHERE, _KIND, result, "poi", None) or "parameter of interest"), 50))
    )
    axes.set_ylabel("CLs")
    handles, names = axes.get_legend_handles_labels()
    order = [
        names.index(name)
        for name in ("observed", "expected (median)", "expected ± 1σ", "expected ± 2σ")
        if name in names
    ]
    axes.legend([handles[i] for i in order], [names[i] for i in order], loc="upper right")


def _sentence(result: Any) -> str:
    observed, expected = _limits(result)
    confidence = float(field(_WHERE, _KIND, result, "confidence_level"))
    seen = f"observed {observed:.3g}" if np.isfinite(observed) else "no observed limit"
    if len(expected) != 5 or not np.isfinite(expected[2]):
        return f"Upper limit at {100 * confidence:.3g} % CL: {seen}."
    ends = [f"{value:.3g}" if np.isfinite(value) else "?" for value in expected]
    band = f"{ends[2]} (1σ: {ends[1]} to {ends[3]}, 2σ: {ends[0]} to {ends[4]})"
    return f"Upper limit at {100 * confidence:.3g} % CL: {seen}, expected {band}."
