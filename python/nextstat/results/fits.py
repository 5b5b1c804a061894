"""Records of fits."""

from __future__ import annotations

import warnings
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .base import (Array, Record, Result, SampledToys, Searched, extra, number, numbers, place, plain, read_with, record,
                   sampled_toys)
from .tables import Table


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GoodnessOfFit(Record):
    """The best fit against the saturated model. float() of it is the p-value."""

    chi2: float = number()
    ndof: int = plain()
    p_value: float = number()
    nll_fit: float = number()
    nll_saturated: float = number()

    def __float__(self) -> float:
        return self.p_value


def _minos(value: Mapping[str, Sequence[float | None]]) -> dict[str, tuple[float, float]]:
    return {name: (float(np.nan if low is None else low), float(np.nan if high is None else high))
            for name, (low, high) in value.items()}


def _parts(value: Mapping[str, Sequence[Sequence[float]]]) -> dict[str, tuple[tuple[float, float], ...]]:
    return {name: tuple((float(low), float(high)) for low, high in parts) for name, parts in value.items()}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FitResult(Searched):
    """The best fit. Uncertainties are 0 for fixed parameters and NaN at a bound."""

    parameter_names: tuple[str, ...] = plain()
    bestfit: Array = numbers()
    uncertainties: Array | None = numbers(default=None)
    covariance: Array | None = numbers(default=None)
    correlation: Array | None = numbers(default=None)
    minos: Mapping[str, tuple[float, float]] = read_with(_minos, default_factory=dict)
    minos_parts: Mapping[str, tuple[tuple[float, float], ...]] = read_with(_parts, default_factory=dict)
    nll: float = number()
    twice_nll: float = number()
    initial_nll: float = number()
    termination_reason: str = plain()
    poi: str | None = plain(default=None)
    poi_index: int | None = plain(default=None)
    measurement: str = plain(default="")
    n_iter: int = plain(default=0)
    n_fev: int = plain(default=0)
    n_gev: int = plain(default=0)
    edm: float = number()
    final_grad_norm: float = number()
    n_active_bounds: int = plain(default=0)
    at_bound: tuple[str, ...] = plain(default=())
    fixed: tuple[str, ...] = plain(default=())
    # From the command line's --fit-regions; None if all channels were fitted.
    fit_regions: tuple[Any, ...] | None = plain(default=None)
    validation_regions: tuple[Any, ...] | None = plain(default=None)
    goodness_of_fit: GoodnessOfFit = record(GoodnessOfFit)
    # Centers and widths of the model's constraints, for pulls; NaN for parameters without one.
    # They belong to the model, not to the fit: a result read from JSON is equal without them.
    prefit_centers: Array | None = extra(compare=False)
    prefit_sigmas: Array | None = extra(compare=False)

    def __getitem__(self, name: str) -> float:
        """The best-fit value of a parameter."""
        return float(self.bestfit[self._index(name)])

    def __contains__(self, name: object) -> bool:
        return name in self.parameter_names

    def __iter__(self) -> Iterator[str]:
        """Names of the parameters, like the keys of a dictionary."""
        return iter(self.parameter_names)

    def _index(self, name: str) -> int:
        if name in self.parameter_names:
            return self.parameter_names.index(name)
        from ..names import no_such_name

        raise no_such_name("parameter", name, self.parameter_names)

    def uncertainty_of(self, name: str) -> float:
        """The uncertainty of a parameter."""
        return float(self.uncertainty[self._index(name)])

    # The names in cabinetry's fit results.
    @property
    def uncertainty(self) -> Array:
        """Uncertainties; NaN if they were not requested."""
        return np.full_like(self.bestfit, np.nan) if self.uncertainties is None else self.uncertainties

    @property
    def labels(self) -> list[str]:
        """Names of the parameters."""
        return list(self.parameter_names)

    @property
    def corr_mat(self) -> Array:
        """The correlation matrix; NaN if uncertainties were not requested. Large models need large_matrices=True."""
        if self.correlation is not None:
            return self.correlation
        if self.uncertainties is not None:
            from ..errors import fail

            fail("corr_mat", "this fit has uncertainties but no correlations", "fit with large_matrices=True")
        size = len(self.bestfit)
        return np.full((size, size), np.nan)

    @property
    def best_twice_nll(self) -> float:
        """Twice the NLL at the best fit."""
        return self.twice_nll

    @property
    def minos_uncertainty(self) -> dict[str, tuple[float, float]]:
        """MINOS errors by parameter name: (down, up), with down negative."""
        return dict(self.minos)

    def _heading(self) -> str:
        goodness = self.goodness_of_fit
        lines = [f"FitResult: {self._outcome()}, NLL {self.nll:.6f}, {self.n_iter} iterations on {self.device}"]
        if goodness.ndof > 0:
            lines.append(f"goodness of fit: chi2 / ndof = {goodness.chi2:.4g} / {goodness.ndof}, p = {goodness.p_value:.4g}")
        return "\n".join(lines)

    def _tables(self) -> Sequence[Table]:
        order = list(range(len(self.bestfit)))
        if self.poi_index is not None:
            order.remove(self.poi_index)
            order.insert(0, self.poi_index)
        columns: tuple[str, ...] = ("parameter", "best fit", "uncertainty")
        if self.minos:
            columns += ("MINOS down", "MINOS up")
        rows: list[tuple[Any, ...]] = []
        for i in order:
            name = self.parameter_names[i]
            row: tuple[Any, ...] = (name + (" (POI)" if i == self.poi_index else ""), float(self.bestfit[i]),
                                    "fixed" if name in self.fixed else float(self.uncertainty[i]))
            rows.append(row + self.minos.get(name, ("", "")) if self.minos else row)
        return [Table(columns, rows, "parameters")]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BatchFitResult(Result):
    """Fits of one model to many datasets; arrays have one entry or row per set."""

    parameter_names: tuple[str, ...] = plain()
    poi_index: int | None = plain(default=None)
    n_sets: int = plain()
    n_converged: int = plain()
    bestfit: Array = numbers()
    nll: Array = numbers()
    converged_sets: Array = numbers()
    n_iter: Array = numbers()

    def __len__(self) -> int:
        return self.n_sets

    @property
    def mu_hat(self) -> Array:
        """Best-fit values of the parameter of interest."""
        if self.poi_index is None:
            return np.full(self.n_sets, np.nan)
        values: Array = self.bestfit[:, self.poi_index]
        return values

    def _heading(self) -> str:
        return f"BatchFitResult: {self.n_converged} of {self.n_sets} fits converged, on {self.device}"

    def _tables(self) -> Sequence[Table]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # from columns without a number
            spread = [(name, float(np.nanmean(column)), float(np.nanstd(column)))
                      for name, column in zip(self.parameter_names, self.bestfit.T)]
        return [Table(("parameter", "mean", "spread"), spread, "parameters")]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ToysResult(Result):
    """Toys that were drawn and fitted. `records` has a row per toy, with the columns named in `columns`."""

    parameter_names: tuple[str, ...] = plain()
    poi: str | None = plain(default=None)
    poi_index: int | None = plain(default=None)
    truth: Array = numbers()
    columns: tuple[str, ...] = plain()
    n_toys: int = plain()
    n_done: int = plain()
    n_error: int = plain()
    n_nonconverged: int = plain()
    mean_mu_hat: float = number()
    sigma_mu_hat: float = number()
    mean_n_iter: float = number()
    seed: int = plain()
    complete: bool = plain()
    shard_done: bool = plain()
    toy_minima: tuple[SampledToys, ...] = sampled_toys()
    folder: str | None = place()
    shard: str | None = place()
    toy_numbers: Array | None = extra()
    records: Array | None = extra()

    def to_dict(self) -> dict[str, Any]:
        """JSON types only; "toys" has every toy if they are only in memory."""
        entries = super().to_dict()
        if self.folder is None and self.records is not None and self.toy_numbers is not None:
            entries["toys"] = [self._toy(int(number), row) for number, row in zip(self.toy_numbers, self.records.tolist())]
        return entries

    def _toy(self, number: int, row: list[float]) -> dict[str, Any]:
        values = {name: value if math.isfinite(value) else None for name, value in zip(self.columns, row)}
        entry = {"id": number, "nll": values.pop("nll"), "mu_hat": values.pop("mu_hat"),
                 "converged": values.pop("status") == 0, "n_iter": int(values.pop("n_iter") or 0)}
        return entry | {"parameters": values} if values else entry

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> ToysResult:
        """The record of a JSON object, including its toys."""
        values = dict(document)
        if "toys" in values and "records" not in values:
            rows = [[toy["nll"], toy["mu_hat"], float(not toy["converged"]), toy["n_iter"],
                     *toy.get("parameters", {}).values()] for toy in values["toys"]]
            values["toy_numbers"] = [toy["id"] for toy in values["toys"]]
            values["records"] = np.array(rows, dtype=np.float64).reshape(len(rows), len(values["columns"]))
        return super().from_json(values)

    def column(self, name: str) -> Array:
        """One value of every toy: "nll", "mu_hat", "status" (0 = converged), "n_iter" or a parameter that was kept."""
        if self.records is None:
            raise ValueError("the toys were not collected: call with collect=True")
        if name not in self.columns:
            from ..names import no_such_name

            raise no_such_name("column", name, self.columns)
        values: Array = self.records[:, self.columns.index(name)]
        return values

    @property
    def nll(self) -> Array:
        """NLL of every toy's best fit."""
        return self.column("nll")

    @property
    def mu_hat(self) -> Array:
        """Best-fit value of the parameter of interest of every toy."""
        return self.column("mu_hat")

    @property
    def converged_toys(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether each toy's fit converged."""
        return np.equal(self.column("status"), 0)

    @property
    def bestfit(self) -> Array:
        """[toy, parameter]; NaN for parameters that were not kept."""
        if self.records is None:
            raise ValueError("the toys were not collected: call with collect=True")
        values = np.full((len(self.records), len(self.parameter_names)), np.nan)
        for i, name in enumerate(self.parameter_names):
            if name in self.columns:
                values[:, i] = self.column(name)
        return values

    def __len__(self) -> int:
        return self.n_done

    def _heading(self) -> str:
        return (f"ToysResult: {self.n_done} of {self.n_toys} toys, {self.n_nonconverged} not converged, "
                f"{self.n_error} without a likelihood, seed {self.seed}")

    def _tables(self) -> Sequence[Table]:
        return [Table(("", ""), [(f"mean of fitted {self.poi}", self.mean_mu_hat), ("spread", self.sigma_mu_hat),
                                 ("iterations per fit", self.mean_n_iter)])]
