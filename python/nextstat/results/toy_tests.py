"""Records from toys: hypothesis tests, limits, significance, goodness of fit, Feldman-Cousins intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .base import Array, Record, Result, SampledToys, extra, number, numbers, place, plain, records, sampled_toys
from .tables import Table
from .tests import GoodnessOfFitResult, HypotestResult, SignificanceResult, UpperLimitResult

Counts = Mapping[str, int]  # "b": background, "sb": signal and background


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HypotestToysResult(HypotestResult):
    """CLs from toys, with standard errors. q_tested and q_alternative hold every toy's test statistic, if collected."""

    q_obs: float = number()
    cls_error: float = number()
    clsb_error: float = number()
    clb_error: float = number()
    n_toys: Counts = plain()
    n_error: Counts = plain()
    n_nonconverged: Counts = plain()
    seed: int = plain()
    complete: bool = plain()
    shard_done: bool = plain()
    toy_minima: tuple[SampledToys, ...] = sampled_toys()
    folder: str | None = place()
    shard: str | None = place()
    q_tested: Array | None = extra()
    q_alternative: Array | None = extra()

    def to_dict(self) -> dict[str, Any]:
        entries = super().to_dict()
        for name in ("n_fits", "n_iter"):
            del entries[name]
        if self.expected_set is None:
            del entries["expected_set"]
        return entries

    # For qtilde and q the tested hypothesis includes the signal; for q0 it is background only.
    @property
    def q_sb(self) -> Array | None:
        """Test statistics of toys with signal."""
        return self.q_alternative if self.test_stat == "q0" else self.q_tested

    @property
    def q_b(self) -> Array | None:
        """Test statistics of toys without signal."""
        return self.q_tested if self.test_stat == "q0" else self.q_alternative

    def _heading(self) -> str:
        return (f"HypotestToysResult: {self._outcome()}, {self.test_stat} at {self.poi} = {self.mu_test:.5g}, "
                f"{self.n_toys['sb']} + {self.n_toys['b']} toys\n"
                f"CLs = {self.cls:.5g} +- {self.cls_error:.2g} (CLsb = {self.clsb:.5g}, CLb = {self.clb:.5g})")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class UpperLimitToysResult(UpperLimitResult):
    """Upper limits from toys, with standard errors."""

    calctype: str = plain(default="toys")
    obs_limit_error: float = number()
    exp_limit_errors: Array = numbers()
    obs_limit_asymptotics: float = number()
    exp_limits_asymptotics: Array = numbers()
    observed_cls_errors: Array = numbers()
    expected_cls_errors: Array = numbers()
    n_toys: tuple[Counts, ...] = plain()
    n_error: tuple[Counts, ...] = plain()
    n_nonconverged: tuple[Counts, ...] = plain()
    n_toys_total: int = plain()
    toy_error: float = number()
    toy_error_reached: bool = plain()
    seed: int = plain()

    def to_dict(self) -> dict[str, Any]:
        entries = super().to_dict()
        del entries["n_iter"]
        return entries


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SignificanceToysResult(SignificanceResult):
    """Discovery significance with p0 from toys."""

    calctype: str = plain(default="toys")
    p0_error: float = number()
    p0_exp_error: float = number()
    z_obs_error: float = number()
    z_obs_bound: float = number()
    z_exp_error: float = number()
    z_exp_bound: float = number()
    n_toys: Counts = plain()
    n_error: Counts = plain()
    n_nonconverged: Counts = plain()
    seed: int = plain()
    toy_minima: tuple[SampledToys, ...] = sampled_toys()

    def to_dict(self) -> dict[str, Any]:
        entries = super().to_dict()
        for name in ("n_fits", "n_iter"):
            del entries[name]
        return entries


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GoodnessOfFitToysResult(GoodnessOfFitResult):
    """Goodness of fit with the distribution of chi2 from toys."""

    p_value_toys: float = number()
    p_value_toys_error: float = number()
    mean_chi2_toys: float = number()
    n_toys: int = plain()
    n_error: int = plain()
    n_nonconverged: int = plain()
    seed: int = plain()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FeldmanCousinsPoint(Record):
    """One value of the parameter with its toys."""

    value: float = number()
    q: float = number()
    q_critical: float = number()
    q_critical_error: float = number()
    p_value: float = number()
    p_value_error: float = number()
    inside: bool = plain()
    converged: bool = plain()
    n_toys: int = plain()
    n_error: int = plain()
    n_nonconverged: int = plain()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FeldmanCousinsResult(Result):
    """The Feldman-Cousins interval of one parameter."""

    poi_index: int | None = plain(default=None)
    parameter: str = plain()
    parameter_index: int = plain()
    confidence_level: float = number()
    bestfit: float = number()
    nll: float = number()
    lower: float = number()
    upper: float = number()
    lower_error: float = number()
    upper_error: float = number()
    lower_end: str = plain()
    upper_end: str = plain()
    points: tuple[FeldmanCousinsPoint, ...] = records(FeldmanCousinsPoint)
    n_toys: int = plain()
    seed: int = plain()

    def _heading(self) -> str:
        return (f"FeldmanCousinsResult: {self._outcome()}\n{self.parameter} = {self.bestfit:.5g}, "
                f"[{self.lower:.5g}, {self.upper:.5g}] at {100 * self.confidence_level:.4g}% CL, {self.n_toys} toys")

    def _tables(self) -> Sequence[Table]:
        rows = [(p.value, p.q, p.q_critical, p.inside) for p in self.points]
        return [Table((self.parameter, "q", "critical q", "inside"), rows, "points")]
