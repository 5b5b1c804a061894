"""The test statistic in toys of both hypotheses, with the observed value and the asymptotic expectation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import fail
from ._curves import normal_cdf
from ._records import Array, field, has, numbers
from ._style import BLACK, BLUE, ORANGE, one_panel, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WHERE, _KIND = "plot.toys", "a test with toys"
_SYMBOLS = {"qtilde": r"\tilde{q}_\mu", "q": r"q_\mu", "q0": "q_0"}


def toys(
    result: Any = None,
    *,
    q_sb: Any = None,
    q_b: Any = None,
    bins: int = 40,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draws the distributions of the test statistic under signal + background and under background only.

    result: what `nextstat.hypotest_toys` returns; it has the observed value and the asymptotic expectation
    (dots). q_sb, q_b: values of the toys to use instead of the result's; without a result, only the two
    distributions are drawn.
    """
    with style():
        tested, background = _values(result, "q_sb", q_sb), _values(result, "q_b", q_b)
        observed = float(numbers(field(_WHERE, _KIND, result, "q_obs"))) if result is not None else np.nan
        edges = _edges(tested, background, observed, _furthest(result), bins)
        page, axes = one_panel(5.6, 4.0, _notes(result, tested, background, edges), size)
        _draw(axes, edges, background, BLUE, "background only")
        _draw(axes, edges, tested, ORANGE, "signal + background")
        if result is not None:
            _draw_asymptotic(axes, edges, result)
        if np.isfinite(observed):
            axes.axvline(observed, color=BLACK, linewidth=1.4, label="observed", zorder=5)
        _set_axes(axes, edges, tested, background, result)
    return page.figure


def _values(result: Any, name: str, given: Any) -> Array:
    if given is None:
        if result is None or not has(result, name):
            raise TypeError(
                f"{_WHERE}: no toys to draw: '{name}' is missing "
                f"(pass {name}=, or the result of hypotest_toys, which has it)"
            )
        given = field(_WHERE, _KIND, result, name)
    values = np.ravel(numbers(given))
    values = values[np.isfinite(values)]
    if not len(values):
        fail(_WHERE, f"'{name}' has no finite values", "look at the fits of the toys")
    return values


def _edges(tested: Array, background: Array, observed: float, furthest: float, bins: int) -> Array:
    """Equal bins from 0 that contain all but two in a thousand toys, and the observed value."""
    if bins < 2:
        fail(_WHERE, f"bins is {bins}", "give 2 or more")
    every = np.concatenate([tested, background])
    right = min(float(np.quantile(every, 0.998)), furthest)
    right = max(right, 1.1 * observed if np.isfinite(observed) else 0.0, 1e-6)
    return np.linspace(min(0.0, float(every.min())), right, bins + 1)


def _furthest(result: Any) -> float:
    """A value that hardly any toy with a good fit exceeds: four deviations above the asymptotic mean."""
    asimov = _number(result, "q_mu_a") if result is not None else np.nan
    return float(asimov + 8 * np.sqrt(asimov) + 8) if np.isfinite(asimov) else np.inf


def _density(counts: Array, total: int, edges: Array) -> Array:
    return counts / (total * np.diff(edges))


def _draw(axes: Axes, edges: Array, values: Array, color: str, text: str) -> None:
    counts = np.histogram(values, edges)[0].astype(np.float64)
    density = _density(counts, len(values), edges)
    axes.stairs(density, edges, color=color, linewidth=1.4, label=text, zorder=3)
    axes.stairs(density, edges, color=color, fill=True, alpha=0.2, linewidth=0, zorder=2)


def asymptotic_cdf(q: Array, q_asimov: float, test_stat: str, signal: bool) -> Array:
    """Asymptotic probability of a test statistic up to q, for toys with or without the tested signal.

    With a = sqrt(q_asimov) and m = 0 for toys of the tested hypothesis, 1 for the other one:
        F(q) = Phi(sqrt(q) - m a)                         q, q0, and qtilde up to q_asimov
        F(q) = Phi((q - (2 m - 1) q_asimov) / (2 a))      qtilde above
    """
    away = signal if test_stat == "q0" else not signal  # q0 tests the background
    root, top = np.sqrt(np.maximum(q, 0.0)), np.sqrt(q_asimov)
    below = normal_cdf(root - away * top)
    if test_stat == "qtilde":
        above = normal_cdf((q - (2 * away - 1) * q_asimov) / (2 * top))
        below = np.where(q > q_asimov, above, below)
    return np.where(q < 0, 0.0, below)


def _draw_asymptotic(axes: Axes, edges: Array, result: Any) -> None:
    asimov = _number(result, "q_mu_a")
    test_stat = str(field(_WHERE, _KIND, result, "test_stat", ""))
    if not (asimov > 0 and test_stat in _SYMBOLS):
        return
    for signal, color in ((False, BLUE), (True, ORANGE)):
        cumulative = asymptotic_cdf(edges, asimov, test_stat, signal)
        cumulative[0] = 0.0  # half of the toys may be at zero: they belong to the first bin
        density = np.diff(cumulative) / np.diff(edges)
        middle = 0.5 * (edges[1:] + edges[:-1])
        axes.plot(middle, density, "o", color=color, markersize=2.6, zorder=4)
    axes.plot([], [], "o", color="#888888", markersize=2.6, label="asymptotic")


def _set_axes(axes: Axes, edges: Array, tested: Array, background: Array, result: Any) -> None:
    smallest = 1 / (max(len(tested), len(background)) * (edges[1] - edges[0]))  # one toy in a bin
    axes.set_yscale("log")
    top = axes.get_ylim()[1]
    axes.set_ylim(0.5 * smallest, top * 3)
    axes.set_xlim(edges[0] - 0.02 * (edges[-1] - edges[0]), edges[-1])
    test_stat = str(field(_WHERE, _KIND, result, "test_stat", "")) if result is not None else ""
    symbol = _SYMBOLS.get(test_stat, "q")
    axes.set_xlabel(f"test statistic ${symbol}$")
    axes.set_ylabel("probability density")
    axes.legend(ncols=2, loc="upper right")


def _notes(result: Any, tested: Array, background: Array, edges: Array) -> list[str]:
    sentences = [f"{len(tested)} toys with signal, {len(background)} without."]
    beyond = int((tested > edges[-1]).sum() + (background > edges[-1]).sum())
    if beyond:
        sentences.append(f"{beyond} lie beyond the right edge.")
    if result is not None:
        discovery = field(_WHERE, _KIND, result, "test_stat", "") == "q0"
        text, name = ("p0", "clsb") if discovery else ("CLs", "cls")
        value, error = (_number(result, key) for key in (name, f"{name}_error"))
        uncertainty = f" ± {error:.2g}" if np.isfinite(error) else ""
        sentences.append(f"{text} = {value:.3g}{uncertainty}." if np.isfinite(value) else "")
    return sentences


def _number(result: Any, name: str) -> float:
    return float(numbers(field(_WHERE, _KIND, result, name, np.nan)))
