"""Calculators of p-values: asymptotic formulas and toys.

calculator = AsymptoticCalculator(data, model, test_stat="qtilde")
q = calculator.teststatistic(1.0)
clsb, clb, cls = calculator.pvalues(q, *calculator.distributions(1.0))
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._tails import tails
from .distributions import AsymptoticTestStatDistribution, EmpiricalDistribution
from .mle import fixed_poi_fit
from .toys import ToyCalculator
from .utils import get_test_stat

__all__ = [
    "AsymptoticCalculator",
    "AsymptoticTestStatDistribution",
    "EmpiricalDistribution",
    "HypoTestFitResults",
    "ToyCalculator",
    "generate_asimov_data",
]


def generate_asimov_data(
    asimov_mu: Any,
    data: Any,
    pdf: Any,
    init_pars: Any,
    par_bounds: Any,
    fixed_params: Any,
    return_fitted_pars: bool = False,
) -> Any:
    """Expected data at the best fit with the POI at `asimov_mu`, and the fitted parameters if requested."""
    fitted = fixed_poi_fit(asimov_mu, data, pdf, init_pars, par_bounds, fixed_params)
    asimov = pdf.expected_data(fitted)
    return (asimov, fitted) if return_fitted_pars else asimov


@dataclasses.dataclass(frozen=True)
class HypoTestFitResults:
    """Parameters of the five fits behind an asymptotic test statistic."""

    asimov_pars: Any
    free_fit_to_data: Any
    free_fit_to_asimov: Any
    fixed_poi_fit_to_data: Any
    fixed_poi_fit_to_asimov: Any


class AsymptoticCalculator:
    """p-values from the formulas of arXiv:1007.1727.

    `calc_base_dist="clipped_normal"` avoids expected values from scenarios with mu_hat > mu.
    """

    def __init__(
        self,
        data: Any,
        pdf: Any,
        init_pars: Sequence[float] | None = None,
        par_bounds: Sequence[Any] | None = None,
        fixed_params: Sequence[bool] | None = None,
        test_stat: str = "qtilde",
        calc_base_dist: str = "normal",
    ) -> None:
        self.data = data
        self.pdf = pdf
        self.init_pars = init_pars or pdf.config.suggested_init()
        self.par_bounds = par_bounds or pdf.config.suggested_bounds()
        self.fixed_params = fixed_params or pdf.config.suggested_fixed()
        self.test_stat = test_stat
        self.calc_base_dist = calc_base_dist
        self.sqrtqmuA_v: Any = None
        self.fitted_pars: HypoTestFitResults | None = None

    def distributions(
        self, poi_test: Any
    ) -> tuple[AsymptoticTestStatDistribution, AsymptoticTestStatDistribution]:
        """The distributions with and without signal; `teststatistic` must be called first."""
        if self.sqrtqmuA_v is None:
            raise RuntimeError("need to call .teststatistic(poi_test) first")
        cutoffs = {"normal": float("-inf"), "clipped_normal": -self.sqrtqmuA_v}
        if self.calc_base_dist not in cutoffs:
            raise ValueError(
                f"unknown base distribution for asymptotics {self.calc_base_dist}: use {' or '.join(cutoffs)}"
            )
        cutoff = cutoffs[self.calc_base_dist]
        return (
            AsymptoticTestStatDistribution(-self.sqrtqmuA_v, cutoff),
            AsymptoticTestStatDistribution(0.0, cutoff),
        )

    def teststatistic(self, poi_test: Any) -> Any:
        """sqrt(q) - sqrt(q_A), and beyond sqrt(q_A) for qtilde (q - q_A) / (2 sqrt(q_A)) [eq. 66].

        The fits behind it are in `fitted_pars` afterward.
        """
        statistic = get_test_stat(self.test_stat)
        settings = (self.init_pars, self.par_bounds, self.fixed_params)
        q, (fixed, free) = statistic(poi_test, self.data, self.pdf, *settings, return_fitted_pars=True)
        asimov, asimov_pars = generate_asimov_data(
            1.0 if self.test_stat == "q0" else 0.0, self.data, self.pdf, *settings, return_fitted_pars=True
        )
        q_asimov, (fixed_asimov, free_asimov) = statistic(
            poi_test, asimov, self.pdf, *settings, return_fitted_pars=True
        )
        self.fitted_pars = HypoTestFitResults(
            asimov_pars=asimov_pars,
            free_fit_to_data=free,
            free_fit_to_asimov=free_asimov,
            fixed_poi_fit_to_data=fixed,
            fixed_poi_fit_to_asimov=fixed_asimov,
        )
        root, self.sqrtqmuA_v = np.sqrt(q), np.sqrt(q_asimov)
        if self.test_stat in ("q", "q0") or root <= self.sqrtqmuA_v:
            return np.asarray(root - self.sqrtqmuA_v)
        return np.asarray((q - q_asimov) / (2 * self.sqrtqmuA_v))

    def pvalues(
        self,
        teststat: Any,
        sig_plus_bkg_distribution: AsymptoticTestStatDistribution,
        bkg_only_distribution: AsymptoticTestStatDistribution,
    ) -> tuple[Any, Any, Any]:
        """CLs+b, CLb and their ratio CLs."""
        return tails(teststat, sig_plus_bkg_distribution, bkg_only_distribution)

    def expected_pvalues(
        self,
        sig_plus_bkg_distribution: AsymptoticTestStatDistribution,
        bkg_only_distribution: AsymptoticTestStatDistribution,
    ) -> list[list[Any]]:
        """[CLs+b, CLb, CLs], each from -2 to +2 sigma of the background-only hypothesis."""
        rows = [
            self.pvalues(
                bkg_only_distribution.expected_value(n_sigma),
                sig_plus_bkg_distribution,
                bkg_only_distribution,
            )
            for n_sigma in (2, 1, 0, -1, -2)
        ]
        return [list(column) for column in zip(*rows)]
