"""Test statistics of the profile likelihood ratio (arXiv:1007.1727).

    t_mu = -2 ln L(mu, theta_hathat) / L(mu_hat, theta_hat)          eq. 8, with mu >= 0 eq. 11
    q_mu = t_mu where mu_hat <= mu, else 0                           eq. 14, with mu >= 0 eq. 16
    q_0  = t_0  where mu_hat >= 0,  else 0                           eq. 12

`par_bounds` says whether mu is bounded at zero.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from ..exceptions import UnspecifiedPOI
from .mle import fit, fixed_poi_fit

log = logging.getLogger(__name__)

__all__ = ["q0", "qmu", "qmu_tilde", "tmu", "tmu_tilde"]


def __dir__() -> list[str]:
    return __all__


def _tmu_like(
    mu: Any, data: Any, pdf: Any, init_pars: Any, par_bounds: Any, fixed_params: Any
) -> tuple[Any, tuple[Any, Any]]:
    """t_mu and the parameters of the two fits: mu fixed, mu free. Zero where the free fit ends at mu itself."""
    settings = (data, pdf, init_pars, par_bounds, fixed_params)
    conditional, conditional_value = fixed_poi_fit(mu, *settings, return_fitted_val=True)
    free, free_value = fit(*settings, return_fitted_val=True)
    if free[pdf.config.poi_index] == mu:  # the same minimum found twice; any difference is rounding
        return np.asarray(0.0), (conditional, free)
    return np.asarray(np.clip(conditional_value - free_value, 0.0, None)), (conditional, free)


def _qmu_like(
    mu: Any, data: Any, pdf: Any, init_pars: Any, par_bounds: Any, fixed_params: Any
) -> tuple[Any, tuple[Any, Any]]:
    statistic, fits = _tmu_like(mu, data, pdf, init_pars, par_bounds, fixed_params)
    return np.where(fits[1][pdf.config.poi_index] > mu, np.asarray(0.0), statistic), fits


def _check(pdf: Any, par_bounds: Any, name: str, *, bounded: bool | None, other: str) -> None:
    if pdf.config.poi_index is None:
        raise UnspecifiedPOI(
            "No POI is defined. A POI is required for profile likelihood based test statistics."
        )
    at_zero = par_bounds[pdf.config.poi_index][0] == 0
    if bounded is not None and at_zero != bounded:
        found = "POI bounded at zero" if at_zero else "POI not bounded at zero"
        advice = {
            "qmu": ' In hypotest set test_stat="q".',
            "qmu_tilde": ' In hypotest set test_stat="qtilde".',
        }
        log.warning(
            "%s test statistic used for fit configuration with %s.\n"
            "Use the %s test statistic (pyhf.infer.test_statistics.%s) instead.%s",
            name, found, other, other, advice.get(other, ""),
        )  # fmt: skip


def qmu(
    mu: Any,
    data: Any,
    pdf: Any,
    init_pars: Any,
    par_bounds: Any,
    fixed_params: Any,
    return_fitted_pars: bool = False,
) -> Any:
    """q_mu for upper limits; mu may be negative."""
    _check(pdf, par_bounds, "qmu", bounded=False, other="qmu_tilde")
    statistic, fits = _qmu_like(mu, data, pdf, init_pars, par_bounds, fixed_params)
    return (statistic, fits) if return_fitted_pars else statistic


def qmu_tilde(
    mu: Any,
    data: Any,
    pdf: Any,
    init_pars: Any,
    par_bounds: Any,
    fixed_params: Any,
    return_fitted_pars: bool = False,
) -> Any:
    """q_mu for upper limits; mu is not below zero."""
    _check(pdf, par_bounds, "qmu_tilde", bounded=True, other="qmu")
    statistic, fits = _qmu_like(mu, data, pdf, init_pars, par_bounds, fixed_params)
    return (statistic, fits) if return_fitted_pars else statistic


def tmu(
    mu: Any,
    data: Any,
    pdf: Any,
    init_pars: Any,
    par_bounds: Any,
    fixed_params: Any,
    return_fitted_pars: bool = False,
) -> Any:
    """t_mu for two-sided intervals; mu may be negative."""
    _check(pdf, par_bounds, "tmu", bounded=False, other="tmu_tilde")
    statistic, fits = _tmu_like(mu, data, pdf, init_pars, par_bounds, fixed_params)
    return (statistic, fits) if return_fitted_pars else statistic


def tmu_tilde(
    mu: Any,
    data: Any,
    pdf: Any,
    init_pars: Any,
    par_bounds: Any,
    fixed_params: Any,
    return_fitted_pars: bool = False,
) -> Any:
    """t_mu for two-sided intervals; mu is not below zero."""
    _check(pdf, par_bounds, "tmu_tilde", bounded=True, other="tmu")
    statistic, fits = _tmu_like(mu, data, pdf, init_pars, par_bounds, fixed_params)
    return (statistic, fits) if return_fitted_pars else statistic


def q0(
    mu: Any,
    data: Any,
    pdf: Any,
    init_pars: Any,
    par_bounds: Any,
    fixed_params: Any,
    return_fitted_pars: bool = False,
) -> Any:
    """q_0 for discovery; `mu` is zero."""
    _check(pdf, par_bounds, "q0", bounded=None, other="q0")
    if mu != 0.0:
        log.warning("q0 test statistic only used for fit configuration with POI set to zero. Setting mu=0.")
        mu = 0.0
    statistic, fits = _tmu_like(mu, data, pdf, init_pars, par_bounds, fixed_params)
    statistic = np.where(fits[1][pdf.config.poi_index] < 0, np.asarray(0.0), statistic)
    return (statistic, fits) if return_fitted_pars else statistic
