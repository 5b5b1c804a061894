"""CLs over the tested values with the expected bands, as pyhf draws it (matplotlib must be installed).

    results = [pyhf.infer.hypotest(mu, data, model, return_expected_set=True) for mu in values]
    brazil.plot_results(values, results)

`nextstat.plot.limit` draws the same from an upper limit, with the limits marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BrazilBandCollection", "plot_brazil_band", "plot_cls_components", "plot_results"]

Array = npt.NDArray[Any]

_SIGMAS = (-2, -1, 0, 1, 2)


class BrazilBandCollection(NamedTuple):
    """What was drawn; None for what was not."""

    cls_obs: Any
    cls_exp: Any
    one_sigma_band: Any
    two_sigma_band: Any
    test_size: Any
    clsb: Any
    clb: Any
    axes: Any


class _Components(NamedTuple):
    clsb: Any
    clb: Any
    axes: Any


def __dir__() -> list[str]:
    return __all__


def plot_brazil_band(
    test_pois: Sequence[float], cls_obs: Any, cls_exp: Any, test_size: float, ax: Axes, **kwargs: Any
) -> BrazilBandCollection:
    """Observed CLs, the expected one with its bands (rows -2 to +2 sigma), and a line at `test_size`."""
    color = kwargs.pop("color", "black")
    values, expected = np.asarray(test_pois, dtype=float), [_numbers(row) for row in cls_exp]
    median = [
        ax.plot(
            values,
            curve,
            color=color,
            linestyle="--" if sigma == 0 else "dotted",
            linewidth=1.5 if sigma == 0 else 1.0,
            label=r"$\mathrm{CL}_{s,\mathrm{exp}}$" if sigma == 0 else None,
            **kwargs,
        )[0]
        for sigma, curve in zip(_SIGMAS, expected, strict=True)
    ]
    bands = [
        ax.fill_between(values, expected[low], expected[high], facecolor=shade, label=label, zorder=order)
        for low, high, shade, label, order in (
            (0, 4, "yellow", r"$\pm2\sigma$ $\mathrm{CL}_{s,\mathrm{exp}}$", 0.1),
            (1, 3, "green", r"$\pm1\sigma$ $\mathrm{CL}_{s,\mathrm{exp}}$", 0.2),
        )
    ]
    observed = ax.plot(
        values, _numbers(cls_obs), "o-", markersize=4, color=color, label=r"$\mathrm{CL}_{s,\mathrm{obs}}$", **kwargs
    )
    line = ax.axhline(
        test_size, color="red", linestyle="solid", linewidth=1.5, label=rf"$\alpha = {test_size:g}$"
    )
    _set_axes(ax, values, r"$\mathrm{CL}_{s}$")
    return BrazilBandCollection(observed, median, bands[1], bands[0], line, None, None, ax)


def plot_cls_components(
    test_pois: Sequence[float], tail_probs: Any, ax: Axes, **kwargs: Any
) -> _Components:
    """CLs+b and CLb of the observed data, from pairs (CLs+b, CLb). no_clsb, no_clb: without one of them."""
    shown = {name: not kwargs.pop(f"no_{name}", False) for name in ("clsb", "clb")}
    kwargs.pop("no_cls", None)
    values = np.asarray(test_pois, dtype=float)
    clsb, clb = np.array([[float(np.ravel(value)[0]) for value in pair] for pair in tail_probs]).T
    lines: dict[str, Any] = {"clsb": None, "clb": None}
    for name, curve, color, label in (
        ("clsb", clsb, "red", r"$\mathrm{CL}_{s+b}$"),
        ("clb", clb, "blue", r"$\mathrm{CL}_{b}$"),
    ):
        if shown[name]:
            lines[name] = ax.plot(values, curve, color=color, label=label, **kwargs)
    _set_axes(ax, values, r"$p$-value")
    return _Components(lines["clsb"], lines["clb"], ax)


def plot_results(
    test_pois: Sequence[float], tests: Sequence[Any], test_size: float = 0.05, ax: Axes | None = None, **kwargs: Any
) -> BrazilBandCollection:
    """Draws results of `hypotest(..., return_expected_set=True)` at the tested values.

    components=True: also CLs+b and CLb, which results have with `return_tail_probs=True`; no_cls, no_clsb, no_clb leave
    one of the three away. Without `ax` the current axes are used.
    """
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.gca()
    components = kwargs.pop("components", False)
    labels = {axis: kwargs.pop(f"{axis}label", None) for axis in "xy"}
    with_cls = not (components and kwargs.get("no_cls", False))
    hidden = {name: kwargs.pop(name, False) for name in ("no_cls", "no_clsb", "no_clb")}
    _check(tests, components)
    drawn = BrazilBandCollection(None, None, None, None, None, None, None, ax)
    if with_cls:
        expected = np.array([[float(np.ravel(value)[0]) for value in test[-1]] for test in tests]).T
        drawn = plot_brazil_band(test_pois, [test[0] for test in tests], expected, test_size, ax, **kwargs)
    if components:
        lines = plot_cls_components(test_pois, [test[1] for test in tests], ax, **hidden, **kwargs)
        drawn = drawn._replace(clsb=lines.clsb, clb=lines.clb)
    ax.legend(loc="best")
    for axis, label in labels.items():
        if label is not None:
            ax.set(**{f"{axis}label": label})
    return drawn


def _check(tests: Sequence[Any], components: bool) -> None:
    """Results look like [CLs, (CLs+b, CLb), [five expected]]; the pair is there only where it was asked for."""
    for number, test in enumerate(tests):
        if len(test) < (3 if components else 2) or np.size(test[-1]) != len(_SIGMAS):
            wanted = "return_tail_probs=True, return_expected_set=True" if components else "return_expected_set=True"
            raise ValueError(
                f"Result {number} of `tests` has {len(test)} parts: this plot needs what pyhf.infer.hypotest(..., {wanted}) returns"
            )


def _numbers(values: Any) -> Array:
    return np.array([float(np.ravel(value)[0]) for value in values])


def _set_axes(ax: Axes, values: Array, quantity: str) -> None:
    ax.set_xlabel(r"$\mu$ (POI)")
    ax.set_ylabel(quantity)
    if len(values) > 1:
        ax.set_xlim(values.min(), values.max())
    if ax.get_yscale() == "linear":
        ax.set_ylim(0, 1)
