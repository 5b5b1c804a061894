"""cabinetry's inference functions, computed by nextstat: same arguments, same results, same figures.

    import nextstat.cabinetry

    results = nextstat.cabinetry.fit(model, data)
    cabinetry.visualize.pulls(results)

The results have the fields of cabinetry's own tuples, in the same order, so `cabinetry.visualize` and
`cabinetry.tabulate` accept them. cabinetry itself is not needed to compute them. Models are pyhf or nextstat
models; data are main and auxiliary data, as returned by `cabinetry.model_utils.model_and_data`.

`strategy`, `maxiter`, `tolerance` and `custom_fit` are settings of Minuit, which is not used here: they give
a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._cabinetry_support import Settings, find_root, normal_tail_to_sigma
from .errors import fail

__all__ = [
    "FitResults", "LimitResults", "RankingResults", "ScanResults", "SignificanceResults",
    "fit", "limit", "ranking", "scan", "significance",
]  # fmt: skip

Array = NDArray[np.float64]
Bounds = Sequence[tuple[float, float]]


class FitResults(NamedTuple):
    """Best fit, uncertainties, correlations. At a bound the uncertainty is NaN and correlations are 0."""

    bestfit: Array
    uncertainty: Array  # 0 for fixed parameters
    labels: list[str]
    corr_mat: Array
    best_twice_nll: float
    goodness_of_fit: float = -1
    minos_uncertainty: Mapping[str, tuple[float, float]] = {}


class RankingResults(NamedTuple):
    """Impacts of every parameter except the parameter of interest, in the model's order."""

    bestfit: Array
    uncertainty: Array
    labels: list[str]
    prefit_up: Array
    prefit_down: Array
    postfit_up: Array
    postfit_down: Array


class ScanResults(NamedTuple):
    """-2 Delta ln L at values of one parameter."""

    name: str
    bestfit: float
    uncertainty: float
    parameter_values: Array
    delta_nlls: Array


class LimitResults(NamedTuple):
    """Upper limits, and CLs at every tested value."""

    observed_limit: float
    expected_limit: Array  # -2, -1, 0, 1, 2 sigma
    observed_CLs: Array
    expected_CLs: Array  # [value, sigma]
    poi_values: Array
    confidence_level: float


class SignificanceResults(NamedTuple):
    """p-values and significances for discovery."""

    observed_p_value: float
    observed_significance: float
    expected_p_value: float
    expected_significance: float


def fit(
    model: Any,
    data: Sequence[float],
    *,
    minos: str | Sequence[str] | None = None,
    goodness_of_fit: bool = False,
    init_pars: Sequence[float] | None = None,
    fix_pars: Sequence[bool] | None = None,
    par_bounds: Bounds | None = None,
    strategy: int | None = None,
    maxiter: int | None = None,
    tolerance: float | None = None,
    custom_fit: bool = False,
) -> FitResults:
    """Maximum likelihood fit.

    minos: parameters to compute profile likelihood errors for. goodness_of_fit: compute the p-value against
    the saturated model (-1 if not computed, NaN without degrees of freedom). init_pars, fix_pars, par_bounds:
    one entry per parameter, default the model's own.
    """
    _not_minuit(strategy=strategy, maxiter=maxiter, tolerance=tolerance, custom_fit=custom_fit or None)
    settings = Settings.of(model, data, init_pars, fix_pars, par_bounds)
    wanted = [minos] if isinstance(minos, str) else list(minos or [])
    return _fit_results(settings.fit(minos=wanted or None), goodness_of_fit)


def ranking(
    model: Any,
    data: Sequence[float],
    *,
    fit_results: FitResults | Any = None,
    poi_name: str | None = None,
    init_pars: Sequence[float] | None = None,
    fix_pars: Sequence[bool] | None = None,
    par_bounds: Bounds | None = None,
    strategy: int | None = None,
    maxiter: int | None = None,
    tolerance: float | None = None,
    custom_fit: bool = False,
) -> RankingResults:
    """Impact of every nuisance parameter on the parameter of interest.

    Each parameter is held at its best fit plus and minus its pre-fit and its post-fit uncertainty, and the
    others are fitted again. (`nextstat.ranking` takes the pre-fit shift from the center of the constraint;
    both agree if the parameter is not pulled.) fit_results: an earlier fit to use.
    """
    _not_minuit(strategy=strategy, maxiter=maxiter, tolerance=tolerance, custom_fit=custom_fit or None)
    settings = Settings.of(model, data, init_pars, fix_pars, par_bounds)
    nominal = fit_results if fit_results is not None else _fit_results(settings.fit(), False)
    poi = settings.poi_index(poi_name, "ranking")
    best, uncertainty = np.asarray(nominal.bestfit, float), np.asarray(nominal.uncertainty, float)
    widths = (settings.prefit_widths(), uncertainty)
    others = [index for index in range(len(best)) if index != poi]
    impacts = np.zeros((len(others), 4))  # pre-fit up and down, post-fit up and down
    for row, index in enumerate(others):
        shifts = [sign * width[index] for width in widths for sign in (1, -1)]
        for column, shift in enumerate(shifts):
            if np.isfinite(shift) and shift != 0:
                moved = settings.fit(hold={index: best[index] + shift}, uncertainties=False)
                impacts[row, column] = moved.bestfit[poi] - best[poi]
    labels = [settings.names[index] for index in others]
    return RankingResults(best[others], uncertainty[others], labels, *impacts.T)


def scan(
    model: Any,
    data: Sequence[float],
    par_name: str,
    *,
    par_range: tuple[float, float] | None = None,
    n_steps: int = 11,
    init_pars: Sequence[float] | None = None,
    fix_pars: Sequence[bool] | None = None,
    par_bounds: Bounds | None = None,
    strategy: int | None = None,
    maxiter: int | None = None,
    tolerance: float | None = None,
    custom_fit: bool = False,
) -> ScanResults:
    """Profile likelihood at `n_steps` values of a parameter, by default two uncertainties to each side."""
    _not_minuit(strategy=strategy, maxiter=maxiter, tolerance=tolerance, custom_fit=custom_fit or None)
    settings = Settings.of(model, data, init_pars, fix_pars, par_bounds)
    index = settings.index(par_name)
    nominal = _fit_results(settings.fit(), False)
    best, uncertainty = float(nominal.bestfit[index]), float(nominal.uncertainty[index])
    if par_range is None:
        if not np.isfinite(uncertainty):
            fail("cabinetry.scan", f"{par_name} is at a bound and has no uncertainty", "give par_range")
        par_range = (best - 2 * uncertainty, best + 2 * uncertainty)
    values = np.linspace(par_range[0], par_range[1], n_steps)
    heights = [settings.fit(hold={index: value}, uncertainties=False).twice_nll for value in values]
    return ScanResults(par_name, best, uncertainty, values, np.asarray(heights) - nominal.best_twice_nll)


def limit(
    model: Any,
    data: Sequence[float],
    *,
    bracket: Sequence[float] | None = None,
    poi_tolerance: float = 0.01,
    maxsteps: int = 100,
    confidence_level: float = 0.95,
    poi_name: str | None = None,
    init_pars: Sequence[float] | None = None,
    fix_pars: Sequence[bool] | None = None,
    par_bounds: Bounds | None = None,
    strategy: int | None = None,
    maxiter: int | None = None,
    tolerance: float | None = None,
) -> LimitResults:
    """Observed and expected upper limits, to an accuracy of `poi_tolerance`.

    bracket: two values with the limits between them; default 0.1 and the upper bound of the parameter.
    `nextstat.upper_limit` finds limits to a relative accuracy of 1e-4 and needs no bracket.
    """
    _not_minuit(strategy=strategy, maxiter=maxiter, tolerance=tolerance)
    settings = Settings.of(model, data, init_pars, fix_pars, par_bounds)
    poi = settings.poi_index(poi_name, "limit")
    ends = (0.1, float(settings.bounds[poi][1]))
    first = (float(bracket[0]), float(bracket[1])) if bracket is not None else ends
    if first[0] == first[1]:
        fail("cabinetry.limit", f"both ends of the bracket are {first[0]:g}", "give two different values")
    level = 1 - confidence_level
    tested: dict[float, Array] = {}  # value: CLs observed, expected at -2 to 2 sigma
    cls = settings.cls_of(poi, tested)
    limits = []
    for which in range(6):
        between = first if which == 0 else _tightest(tested, which, level, ends)
        limits.append(find_root(_distance(cls, which, level), between, poi_tolerance, maxsteps))
    values = np.sort(np.asarray(list(tested)))
    table = np.stack([tested[value] for value in values])
    return LimitResults(
        limits[0], np.asarray(limits[1:]), table[:, 0], table[:, 1:], values, confidence_level
    )


def significance(
    model: Any,
    data: Sequence[float],
    *,
    poi_name: str | None = None,
    init_pars: Sequence[float] | None = None,
    fix_pars: Sequence[bool] | None = None,
    par_bounds: Bounds | None = None,
    strategy: int | None = None,
    maxiter: int | None = None,
    tolerance: float | None = None,
) -> SignificanceResults:
    """Observed and expected p-value and significance of a signal above the background."""
    _not_minuit(strategy=strategy, maxiter=maxiter, tolerance=tolerance)
    settings = Settings.of(model, data, init_pars, fix_pars, par_bounds)
    poi = settings.poi_index(poi_name, "significance")
    observed, expected = settings.discovery(poi)
    return SignificanceResults(
        observed, normal_tail_to_sigma(observed), expected, normal_tail_to_sigma(expected)
    )


def _not_minuit(**given: Any) -> None:
    """Warns about Minuit settings: nextstat has its own solver."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        warnings.warn(
            f"nextstat.cabinetry: Minuit settings have no effect here: {', '.join(names)} (leave them out)",
            UserWarning,
            stacklevel=3,
        )


def _fit_results(result: Any, goodness_of_fit: bool) -> FitResults:
    """cabinetry's tuple from our record."""
    correlation = np.nan_to_num(np.asarray(result.correlation, dtype=float))
    # Fixed parameters have no correlations, not even with themselves, in cabinetry's matrices.
    without = ~(np.asarray(result.uncertainties, dtype=float) > 0)
    correlation[without, :] = 0.0
    correlation[:, without] = 0.0
    p_value = -1.0
    if goodness_of_fit:
        p_value = float("nan" if result.goodness_of_fit is None else result.goodness_of_fit.p_value)
    minos = {name: (float(ends[0]), float(ends[1])) for name, ends in dict(result.minos or {}).items()}
    return FitResults(
        np.asarray(result.bestfit, dtype=float),
        np.asarray(result.uncertainties, dtype=float),
        list(result.parameter_names),
        correlation,
        float(result.twice_nll),
        p_value,
        minos,
    )


def _distance(cls: Callable[[float], Array], which: int, level: float) -> Callable[[float], float]:
    """CLs minus the level; CLs is 1 for values that are not positive."""
    return lambda value: float(cls(value)[which]) - level if value > 0 else 1 - level


def _tightest(
    tested: Mapping[float, Array], which: int, level: float, ends: tuple[float, float]
) -> tuple[float, float]:
    """The tested values with CLs closest above and closest below the level; the ends if there is none."""
    above = {cls[which]: value for value, cls in tested.items() if cls[which] > level and cls[which] != 1}
    below = {cls[which]: value for value, cls in tested.items() if cls[which] < level}
    return (above[min(above)] if above else ends[0], below[max(below)] if below else ends[1])
