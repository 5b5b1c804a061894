"""CLs versus the tested values with the expected bands, as pyhf draws it (matplotlib must be installed).

    results = [pyhf.infer.hypotest(mu, data, model, return_expected_set=True) for mu in values]
    brazil.plot_results(values, results)

`nextstat.plot.limit` draws the same from an upper limit, with the limits marked.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BrazilBandCollection", "plot_brazil_band", "plot_cls_components", "plot_results"]

Array = npt.NDArray[Any]

_SIGMAS = (-2, -1, 0, 1, 2)
_KEYWORDS = {"clb_color", "clsb_color", "color", "linestyle", "linewidth", "no_clb", "no_cls", "no_clsb", "test_size_color",
             "test_size_linestyle", "test_size_linewidth"}  # fmt: skip


class BrazilBandCollection(NamedTuple):
    """The drawn objects; None for those not drawn."""

    cls_obs: Any
    cls_exp: Any
    one_sigma_band: Any
    two_sigma_band: Any
    test_size: Any
    clsb: Any
    clb: Any
    axes: Any


def __dir__() -> list[str]:
    return __all__


def plot_brazil_band(
    test_pois: Sequence[float], cls_obs: Any, cls_exp: Any, test_size: float, ax: Axes, **kwargs: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """Draws observed CLs, expected CLs with bands (rows -2 to +2 sigma), and a line at `test_size`; returns the drawn objects.

    Keywords: color, linewidth, test_size_color, test_size_linestyle, test_size_linewidth.
    """
    _check_keywords(kwargs)
    color, width = kwargs.get("color", "black"), kwargs.get("linewidth", 1.5)
    values, expected = np.asarray(test_pois, dtype=float), [_numbers(row) for row in cls_exp]
    (observed,) = ax.plot(
        values, _numbers(cls_obs), color=color, linewidth=width, label=r"$\mathrm{CL}_{s}$", zorder=3
    )
    curves = []
    for sigma, curve in zip(_SIGMAS, expected, strict=True):
        middle = sigma == 0
        curves += ax.plot(
            values,
            curve,
            color=color,
            linestyle="dashed" if middle else "dotted",
            linewidth=width,
            label=r"$\mathrm{CL}_{s,\mathrm{exp}}$" if middle else None,
            zorder=2,
        )
    one_sigma, two_sigma = (
        ax.fill_between(
            values,
            expected[low],
            expected[high],
            facecolor=shade,
            label=rf"$\pm{number}\sigma$ $\mathrm{{CL}}_{{s,\mathrm{{exp}}}}$",
            zorder=order,
        )
        for low, high, shade, number, order in ((1, 3, "green", 1, 1), (0, 4, "yellow", 2, 0))
    )
    line = ax.axhline(
        test_size,
        color=kwargs.get("test_size_color", "red"),
        linestyle=kwargs.get("test_size_linestyle", "solid"),
        linewidth=kwargs.get("test_size_linewidth", 1.5),
        label=rf"$\alpha = {test_size:g}$",
    )
    _set_axes(ax, r"$\mathrm{CL}_{s}$", test_size)
    return observed, curves, one_sigma, two_sigma, line


def plot_cls_components(test_pois: Sequence[float], tail_probs: Any, ax: Axes, **kwargs: Any) -> tuple[Any, Any]:
    """Draws CLs+b and CLb of the observed data, from pairs (CLs+b, CLb); returns the lines, None with no_clsb or no_clb.

    Other keywords: clsb_color, clb_color, linewidth.
    """
    _check_keywords(kwargs)
    values = np.asarray(test_pois, dtype=float)
    clsb, clb = np.array([[float(np.ravel(value)[0]) for value in pair] for pair in tail_probs]).T
    lines: list[Any] = []
    for name, curve, color, label in (
        ("clsb", clsb, "red", r"$\mathrm{CL}_{s+b}$"),
        ("clb", clb, "blue", r"$\mathrm{CL}_{b}$"),
    ):
        if kwargs.get(f"no_{name}", False):
            lines.append(None)
            continue
        color, width = kwargs.get(f"{name}_color", color), kwargs.get("linewidth", 1.5)
        lines += ax.plot(values, curve, color=color, linewidth=width, label=label, zorder=3)
    _set_axes(ax, r"$\mathrm{CL}_{s}$", None)
    return lines[0], lines[1]


def plot_results(
    test_pois: Sequence[float], tests: Sequence[Any], test_size: float = 0.05, ax: Axes | None = None, **kwargs: Any
) -> BrazilBandCollection:
    """Draws results of `hypotest(..., return_expected_set=True)` at the tested values.

    components=True: also draw CLs+b and CLb, which results have with `return_tail_probs=True`. no_cls, no_clsb, no_clb
    leave out one of the three. Without `ax`, the current axes are used. xlabel, ylabel and the keywords of the other
    functions are accepted too.
    """
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.gca()
    components = kwargs.pop("components", False)
    labels = {axis: kwargs.pop(f"{axis}label", None) for axis in "xy"}
    _check_keywords(kwargs)
    _check(tests, components)
    drawn = BrazilBandCollection(None, None, None, None, None, None, None, ax)
    if not kwargs.get("no_cls", False):
        expected = np.array([[float(np.ravel(value)[0]) for value in test[-1]] for test in tests]).T
        band = plot_brazil_band(test_pois, [test[0] for test in tests], expected, test_size, ax, **kwargs)
        drawn = BrazilBandCollection(*band, None, None, ax)
    if components:
        clsb, clb = plot_cls_components(test_pois, [test[1] for test in tests], ax, **kwargs)
        drawn = drawn._replace(clsb=clsb, clb=clb)
    ax.legend(loc="best")
    for axis, label in labels.items():
        if label is not None:
            ax.set(**{f"{axis}label": label})
    return drawn


def _check(tests: Sequence[Any], components: bool) -> None:
    """Results look like [CLs, (CLs+b, CLb), [five expected]]; the pair is there only if it was requested."""
    wanted = "return_tail_probs=True, return_expected_set=True" if components else "return_expected_set=True"
    if not len(tests):
        raise ValueError(f"`tests` is empty: this plot needs what pyhf.infer.hypotest(..., {wanted}) returns at some values")
    for number, test in enumerate(tests):
        if len(test) < (3 if components else 2) or np.size(test[-1]) != len(_SIGMAS):
            raise ValueError(
                f"Result {number} of `tests` has {len(test)} parts: this plot needs what pyhf.infer.hypotest(..., {wanted}) returns"
            )


def _check_keywords(given: dict[str, Any]) -> None:
    """Warns about unknown keywords, which pyhf accepts silently."""
    unknown = sorted(set(given) - _KEYWORDS)
    if unknown:
        warnings.warn(f"brazil: these keywords have no effect: {', '.join(unknown)}", UserWarning, stacklevel=3)


def _numbers(values: Any) -> Array:
    return np.array([float(np.ravel(value)[0]) for value in values])


def _set_axes(ax: Axes, quantity: str, test_size: float | None) -> None:
    ax.set_xlabel(r"$\mu$ (POI)")
    ax.set_ylabel(quantity)
    if ax.get_yscale() == "linear":
        ax.set_ylim(0, 1)
    elif test_size is not None:
        ax.set_ylim(0.1 * test_size, 1)
