"""Records from the profile likelihood: scan, interval, ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .base import Array, Record, Result, Searched, number, plain, read_with, records
from .tables import Table


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScanPoint(Record):
    """One value of the scanned parameter, all others fitted."""

    mu: float = number()
    mu2: float = number(default=float("nan"))
    nll_mu: float = number()
    twice_delta_nll: float = number()
    q_mu: float = number(default=float("nan"))
    converged: bool = plain()
    kink: bool = plain(default=False)
    n_iter: int = plain()

    def to_dict(self) -> dict[str, object]:
        entries = super().to_dict()
        if entries["mu2"] is None:  # one parameter
            del entries["mu2"]
        return entries


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScanResult(Searched):
    """The profile likelihood at values of one parameter, or on a grid of two."""

    poi_index: int | None = plain(default=None)
    parameter: str = plain()
    parameter_index: int = plain()
    parameter2: str | None = plain(default=None)
    parameter2_index: int | None = plain(default=None)
    mu_hat: float = number()
    mu2_hat: float = number(default=float("nan"))
    nll_hat: float = number()
    points: tuple[ScanPoint, ...] = records(ScanPoint)

    def to_dict(self) -> dict[str, object]:
        entries = super().to_dict()
        if self.parameter2 is None:
            for name in ("parameter2", "parameter2_index", "mu2_hat"):
                del entries[name]
        return entries

    # The names in cabinetry's scan results.
    @property
    def name(self) -> str:
        """Name of the scanned parameter."""
        return self.parameter

    @property
    def bestfit(self) -> float:
        """Its best-fit value."""
        return self.mu_hat

    @property
    def parameter_values(self) -> Array:
        """The scanned values."""
        return np.array([point.mu for point in self.points])

    @property
    def delta_nlls(self) -> Array:
        """Twice the increase of the NLL at each value."""
        return np.array([point.twice_delta_nll for point in self.points])

    @property
    def uncertainty(self) -> float:
        """Half the distance between the values where twice the NLL has risen by 1; NaN if the scan does not reach them."""
        x, y = self.parameter_values, self.delta_nlls
        left, right = x <= self.mu_hat, x >= self.mu_hat
        if self.parameter2 is not None or not (np.any(y[left] >= 1) and np.any(y[right] >= 1)):
            return float("nan")
        low = np.interp(-1.0, -np.append(y[left], 0.0), np.append(x[left], self.mu_hat))
        high = np.interp(1.0, np.append(0.0, y[right]), np.append(self.mu_hat, x[right]))
        return float(high - low) / 2

    def _heading(self) -> str:
        place = f"{self.parameter} = {self.mu_hat:.5g}"
        if self.parameter2 is not None:
            place += f", {self.parameter2} = {self.mu2_hat:.5g}"
        return f"ScanResult: {self._outcome()}, best fit {place}, {len(self.points)} points"

    def _tables(self) -> Sequence[Table]:
        if self.parameter2 is None:
            rows = [(point.mu, point.twice_delta_nll, point.nll_mu) for point in self.points]
            return [Table((self.parameter, "2 delta NLL", "NLL"), rows, "points")]
        plane = [(point.mu, point.mu2, point.twice_delta_nll) for point in self.points]
        return [Table((self.parameter, self.parameter2, "2 delta NLL"), plane, "points")]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class IntervalResult(Searched):
    """The profile likelihood interval of one parameter."""

    poi_index: int | None = plain(default=None)
    parameter: str = plain()
    parameter_index: int = plain()
    confidence_level: float = number()
    level: float = number()
    bestfit: float = number()
    nll: float = number()
    lower: float = number()
    upper: float = number()
    parts: tuple[tuple[float, float], ...] = read_with(
        lambda rows: tuple((float(low), float(high)) for low, high in rows), default=())
    lower_at_bound: bool = plain()
    upper_at_bound: bool = plain()
    n_fits: int = plain()
    n_iter: int = plain()

    def _heading(self) -> str:
        return (f"IntervalResult: {self._outcome()}\n{self.parameter} = {self.bestfit:.5g}, "
                f"[{self.lower:.5g}, {self.upper:.5g}] at {100 * self.confidence_level:.4g}% CL")

    def _tables(self) -> Sequence[Table]:
        return []


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankingEntry(Record):
    """One nuisance parameter and its impact on the parameter of interest."""

    name: str = plain()
    index: int = plain()
    impact_up: float = number()
    impact_down: float = number()
    impact_up_prefit: float = number()
    impact_down_prefit: float = number()
    pull: float = number()
    constraint: float = number()
    sigma: str = plain(default="postfit")
    converged: bool = plain()
    n_iter: int = plain(default=0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GroupImpact(Record):
    """The contribution of a group of parameters to the uncertainty of the parameter of interest."""

    name: str = plain()
    members: int = plain()
    impact: float = number()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankingResult(Searched):
    """Nuisance parameters, largest impact on the parameter of interest first."""

    poi: str | None = plain(default=None)
    poi_index: int | None = plain(default=None)
    mu_hat: float = number()
    mu_sigma: float = number()
    nll_hat: float = number()
    impact: str = plain()
    entries: tuple[RankingEntry, ...] = records(RankingEntry)
    groups: tuple[GroupImpact, ...] = records(GroupImpact)
    n_fits: int = plain()
    n_iter: int = plain()

    def _column(self, name: str) -> Array:
        return np.array([getattr(entry, name) for entry in self.entries])

    # The names in cabinetry's ranking results.
    @property
    def labels(self) -> list[str]:
        """Names of the parameters."""
        return [entry.name for entry in self.entries]

    @property
    def bestfit(self) -> Array:
        """Pulls; NaN for parameters without a constraint."""
        return self._column("pull")

    @property
    def uncertainty(self) -> Array:
        """Post-fit over pre-fit uncertainty; NaN for parameters without a constraint."""
        return self._column("constraint")

    @property
    def prefit_up(self) -> Array:
        """Shift of the parameter of interest for a pre-fit sigma upward; 0 for parameters without one, as in cabinetry."""
        return np.nan_to_num(self._column("impact_up_prefit"))

    @property
    def prefit_down(self) -> Array:
        """The same downward."""
        return np.nan_to_num(self._column("impact_down_prefit"))

    @property
    def postfit_up(self) -> Array:
        """Shift of the parameter of interest for a post-fit sigma upward; 0 for parameters without one."""
        return np.nan_to_num(self._column("impact_up"))

    @property
    def postfit_down(self) -> Array:
        """The same downward."""
        return np.nan_to_num(self._column("impact_down"))

    def __len__(self) -> int:
        return len(self.entries)

    def _heading(self) -> str:
        return f"RankingResult: {self._outcome()}, {self.poi} = {self.mu_hat:.5g} +- {self.mu_sigma:.4g}"

    def _tables(self) -> Sequence[Table]:
        rows = [(entry.name, entry.impact_up, entry.impact_down, entry.pull, entry.constraint) for entry in self.entries]
        tables = [Table(("parameter", "impact up", "impact down", "pull", "constraint"), rows, "parameters")]
        if self.groups:
            tables.append(Table(("group", "members", "impact"), [(g.name, g.members, g.impact) for g in self.groups], "groups"))
        return tables
