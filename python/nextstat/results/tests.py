"""Records from asymptotic formulas: hypothesis tests, limits, significance, goodness of fit, mass scans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .base import Array, Record, Result, Searched, number, numbers, plain, read_with, records, texts
from .tables import Table


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ExpectedSet(Record):
    """Expected values for background-only data at -2, -1, 0, 1 and 2 sigma."""

    nsigma_order: Array = numbers()
    cls: Array = numbers()
    clsb: Array = numbers()
    clb: Array = numbers()


def _expected_set(value: dict[str, object] | None) -> ExpectedSet | None:
    return None if value is None else ExpectedSet.from_json(value)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HypotestResult(Searched):
    """CLs of one signal strength."""

    poi: str | None = plain(default=None)
    poi_index: int | None = plain(default=None)
    mu_test: float = number()
    test_stat: str = plain()
    cls: float = number()
    clsb: float = number()
    clb: float = number()
    teststat: float = number()
    q_mu: float = number()
    q_mu_a: float = number()
    mu_hat: float = number()
    expected_set: ExpectedSet | None = read_with(_expected_set, default=None)
    n_fits: int = plain(default=0)
    n_iter: int = plain(default=0)

    def _heading(self) -> str:
        return (f"HypotestResult: {self._outcome()}, {self.test_stat} at {self.poi} = {self.mu_test:.5g}\n"
                f"CLs = {self.cls:.5g} (CLsb = {self.clsb:.5g}, CLb = {self.clb:.5g})")

    def _tables(self) -> Sequence[Table]:
        if self.expected_set is None:
            return []
        rows = [(f"{sigma:+g} sigma" if sigma else "median", float(value))
                for sigma, value in zip(self.expected_set.nsigma_order, self.expected_set.cls)]
        return [Table(("expected", "CLs"), rows)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class UpperLimitResult(Searched):
    """CLs upper limits, observed and expected at -2, -1, 0, 1 and 2 sigma."""

    poi: str | None = plain(default=None)
    poi_index: int | None = plain(default=None)
    confidence_level: float = number()
    test_stat: str = plain()
    obs_limit: float = number()
    exp_limits: Array = numbers()
    nsigma_order: Array = numbers()
    bracket: Array = numbers()
    poi_values: Array = numbers()
    observed_cls: Array = numbers()
    expected_cls: Array = numbers()
    kinks: Array = numbers(default_factory=lambda: np.zeros(0))
    mu_hat: float = number()
    n_fits: int = plain(default=0)
    n_iter: int = plain(default=0)

    # The names in cabinetry's limit results.
    @property
    def observed_limit(self) -> float:
        """The observed limit."""
        return self.obs_limit

    @property
    def expected_limit(self) -> Array:
        """Expected limits."""
        return self.exp_limits

    @property
    def observed_CLs(self) -> Array:  # noqa: N802 - cabinetry's name
        """Observed CLs at poi_values."""
        return self.observed_cls

    @property
    def expected_CLs(self) -> Array:  # noqa: N802 - cabinetry's name
        """Expected CLs at poi_values, [value, band]."""
        return self.expected_cls

    def _heading(self) -> str:
        return (f"{type(self).__name__}: {self._outcome()}\n{self.poi} < {self.obs_limit:.5g} observed, "
                f"{self.exp_limits[2]:.5g} expected at {100 * self.confidence_level:.4g}% CL")

    def _tables(self) -> Sequence[Table]:
        rows = [(f"{sigma:+g} sigma" if sigma else "median", float(value))
                for sigma, value in zip(self.nsigma_order, self.exp_limits)]
        return [Table(("expected", "limit"), rows)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SignificanceResult(Searched):
    """Discovery significance: how unlikely the data are without signal."""

    poi: str | None = plain(default=None)
    poi_index: int | None = plain(default=None)
    p0: float = number()
    p0_exp: float = number()
    z_obs: float = number()
    z_exp: float = number()
    q0: float = number()
    q0_asimov: float = number()
    mu_hat: float = number()
    n_fits: int = plain(default=0)
    n_iter: int = plain(default=0)

    def _heading(self) -> str:
        return (f"{type(self).__name__}: {self._outcome()}\nobserved Z = {self.z_obs:.4g} (p0 = {self.p0:.4g}), "
                f"expected Z = {self.z_exp:.4g}, {self.poi} = {self.mu_hat:.5g}")

    def _tables(self) -> Sequence[Table]:
        return []


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GoodnessOfFitResult(Searched):
    """How well the model describes the data."""

    chi2: float = number()
    ndof: int = plain()
    p_value: float = number()
    nll_fit: float = number()
    nll_saturated: float = number()
    n_iter: int = plain(default=0)

    def _heading(self) -> str:
        return (f"{type(self).__name__}: {self._outcome()}\nchi2 / ndof = {self.chi2:.5g} / {self.ndof}, "
                f"p = {self.p_value:.4g}")

    def _tables(self) -> Sequence[Table]:
        return []


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MassPoint(Record):
    """One signal hypothesis of a mass scan."""

    label: str = plain()
    values: tuple[float | str, ...] = plain(default=())
    obs_limit: float = number(default=float("nan"))
    exp_limits: Array | None = numbers(default=None)
    cls_obs: float = number(default=float("nan"))
    cls_exp: Array | None = numbers(default=None)
    mu_hat: float = number(default=float("nan"))
    converged: bool = plain(default=False)
    exhausted: bool | None = plain(default=None)
    warnings: tuple[str, ...] = read_with(texts, default=())
    errors: tuple[dict[str, str], ...] = plain(default=())

    def to_dict(self) -> dict[str, Any]:
        entries = super().to_dict()
        if not self.errors:
            del entries["errors"]
        return entries


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MassScanResult(Result):
    """Limits for many signal hypotheses."""

    confidence_level: float = number()
    mu_test: float = number()
    test_stat: str = plain()
    nsigma_order: Array = numbers()
    points: tuple[MassPoint, ...] = records(MassPoint)
    n_fits: int = plain(default=0)
    n_iter: int = plain(default=0)

    def to_dict(self) -> dict[str, Any]:
        entries = super().to_dict()
        for name in ("instruction_set", "warnings"):  # the points have their own warnings
            if not entries[name]:
                del entries[name]
        return entries

    def _heading(self) -> str:
        return f"MassScanResult: {self._outcome()}, {len(self.points)} points at {100 * self.confidence_level:.4g}% CL"

    def _tables(self) -> Sequence[Table]:
        rows = [(p.label, p.obs_limit, float("nan") if p.exp_limits is None else float(p.exp_limits[2]), p.cls_obs)
                for p in self.points]
        return [Table(("point", "limit", "expected", "CLs"), rows, "points")]


__all__ = ["ExpectedSet", "GoodnessOfFitResult", "HypotestResult", "MassPoint", "MassScanResult", "SignificanceResult",
           "UpperLimitResult"]
