"""Distributions of a test statistic: the asymptotic one and the empirical one from toys."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._special import normal_cdf

__all__ = ["AsymptoticTestStatDistribution", "EmpiricalDistribution"]


class AsymptoticTestStatDistribution:
    """A unit Normal around `shift`, in units of -mu_hat/sigma; nothing below `cutoff`.

    AsymptoticTestStatDistribution(0.0).pvalue(0.0)  ->  array(0.5)
    """

    def __init__(self, shift: Any, cutoff: Any = float("-inf")) -> None:
        self.shift = shift
        self.cutoff = cutoff

    def cdf(self, value: Any) -> Any:
        """Phi(value - shift)."""
        return normal_cdf(value - self.shift)

    def pvalue(self, value: Any) -> Any:
        """1 - Phi(value - shift), from the other tail so that small values stay precise; NaN below the cutoff."""
        tail = normal_cdf(-(value - self.shift))
        return np.where(np.asarray(value >= self.cutoff), tail, np.full(np.shape(tail), np.nan))

    def expected_value(self, nsigma: Any) -> Any:
        """The value `nsigma` standard deviations from the center, not below the cutoff."""
        value = np.asarray(self.shift + nsigma, dtype=float)
        return np.where(value > self.cutoff, value, np.asarray(self.cutoff, dtype=float))


class EmpiricalDistribution:
    """Values of the test statistic in toys."""

    def __init__(self, samples: Any) -> None:
        self.samples = np.ravel(samples)

    def pvalue(self, value: Any) -> Any:
        """The fraction of toys at or above `value`."""
        return np.asarray(np.sum(self.samples >= value) / self.samples.shape[0])

    def expected_value(self, nsigma: Any) -> Any:
        """The quantile of the toys at Phi(nsigma), with linear interpolation."""
        return np.percentile(self.samples, normal_cdf(nsigma) * 100, method="linear")
