"""The calls into nextstat's core: densities, expected data and fits of a HistFactory model.

engine = Engine(pdf)
engine.nll(parameters, data)
engine.fit(data, start, bounds, fixed).parameters
"""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import exceptions
from .optimize_result import OptimizeResult

Array = npt.NDArray[Any]

STANDARD_MODIFIERS = ("histosys", "lumi", "normfactor", "normsys", "shapefactor", "shapesys", "staterror")
DEFAULT_SETTINGS: dict[str, dict[str, str]] = {
    "normsys": {"interpcode": "code4"},
    "histosys": {"interpcode": "code4p"},
}


@dataclasses.dataclass(frozen=True)
class EngineFit:
    """A fit: parameters in pyhf's order, NLL with all constants, uncertainties if requested."""

    parameters: Array
    nll: float
    converged: bool
    message: str
    n_iterations: int
    n_evaluations: int
    n_gradients: int
    edm: float
    uncertainties: Array | None
    covariance: Array | None
    correlation: Array | None


@dataclasses.dataclass(frozen=True)
class EngineFits:
    """Many fits: [set][parameter], and one NLL and one flag per set."""

    parameters: Array
    nll: Array
    converged: Array


class Engine:
    """One model in the core, from a model of this package or of pyhf."""

    def __init__(self, pdf: Any) -> None:
        import nextstat

        try:
            self.model = nextstat.from_pyhf(pdf)
        except nextstat.Error as error:
            raise exceptions.InvalidModel(str(error)) from error
        if self.model.parameter_names != pdf.config.par_names:
            raise exceptions.InvalidModel(
                f"parameters are in another order than pyhf's, please report this specification: "
                f"{self.model.parameter_names} and {pdf.config.par_names}"
            )

    def nll(self, parameters: Array, data: Array) -> Any:
        """-ln L with all constants: a number, or one per row of parameters, of data or of both."""
        if data.ndim == 1:
            return self.model.nll(parameters, data)
        points = np.broadcast_to(parameters, (len(data), parameters.shape[-1]))
        return np.array([self.model.nll(point, row) for point, row in zip(points, data, strict=True)])

    def expected_data(self, parameters: Array, include_auxdata: bool = True) -> Array:
        """Expected main data, then expected auxiliary data: [datum] or [row][datum]."""
        return np.asarray(self.model.expected_data(parameters, include_auxdata=include_auxdata))

    def expected_by_sample(self, parameters: Array, channels: list[str], samples: list[str]) -> Array:
        """Expected main data by sample: [sample][bin], zero where a channel has no such sample."""
        rates = self.model.expected_main_by_channel_sample(parameters)
        rows = []
        for sample in samples:
            parts = []
            for channel in channels:
                by_sample = rates[channel]
                width = len(next(iter(by_sample.values())))
                parts.append(np.asarray(by_sample.get(sample, np.zeros(width))))
            rows.append(np.concatenate(parts))
        return np.stack(rows)

    def fit(
        self, data: Array, start: Array, bounds: Array, fixed: Array, uncertainties: bool = False
    ) -> EngineFit:
        """The minimum of the NLL from `start` inside `bounds`, parameters with `fixed` held at their start."""
        import nextstat

        limits = [(float(low), float(high)) for low, high in bounds]
        try:
            result = nextstat.fit(
                self.model,
                data=data,
                init_pars=start,
                bounds=limits,
                fixed=fixed,
                uncertainties=uncertainties,
            )
        except nextstat.Error as error:
            raise exceptions.FailedMinimization(OptimizeResult(message=str(error), success=False)) from error
        best = np.asarray(result.bestfit, dtype=float)
        return EngineFit(
            parameters=best,
            nll=float(self.nll(best, data)),
            converged=bool(result.converged),
            message=str(result.termination_reason),
            n_iterations=int(result.n_iter),
            n_evaluations=int(result.n_fev),
            n_gradients=int(result.n_gev),
            edm=float(result.edm),
            uncertainties=np.asarray(result.uncertainties, dtype=float) if uncertainties else None,
            covariance=np.asarray(result.covariance, dtype=float) if uncertainties else None,
            correlation=np.asarray(result.correlation, dtype=float) if uncertainties else None,
        )

    def interval(
        self, name: str, probability: float, data: Array, start: Array, bounds: Array, fixed: Array
    ) -> tuple[float, float]:
        """The ends of the profile likelihood interval of a parameter; NaN where there is none within the bounds."""
        import nextstat

        limits = [(float(low), float(high)) for low, high in bounds]
        settings: dict[str, Any] = {"data": data, "init_pars": start, "bounds": limits, "fixed": fixed}
        found = nextstat.profile_ci(self.model, parameter=name, confidence_level=probability, **settings)
        return float(found.lower), float(found.upper)

    def fit_batch(self, datasets: Array, start: Array, bounds: Array, fixed: Array) -> EngineFits:
        """Fits to many datasets [dataset][datum]; sets that the core cannot fit at all count as not converged."""
        import nextstat

        limits = [(float(low), float(high)) for low, high in bounds]
        try:
            result = nextstat.fit_batch(self.model, datasets, init_pars=start, bounds=limits, fixed=fixed)
        except nextstat.Error:
            nothing = np.full(len(datasets), np.nan)
            failed = np.zeros(len(datasets), dtype=bool)
            return EngineFits(np.tile(start, (len(datasets), 1)), nothing, failed)
        converged = np.asarray(result.converged_sets).astype(bool)
        return EngineFits(np.asarray(result.bestfit), np.asarray(result.nll), converged)


# pyhf's own models, and the engine built for each; an engine is deleted with its model.
_foreign: weakref.WeakKeyDictionary[Any, Engine] = weakref.WeakKeyDictionary()


def engine_of(pdf: Any) -> Engine | None:
    """The engine of a model of this package, or one built once for a model of pyhf; None for anything else."""
    if not getattr(pdf, "_engine_is_exact", True):
        return None
    own = getattr(pdf, "_engine", None)
    if isinstance(own, Engine):
        return own
    if not hasattr(pdf, "spec") or not hasattr(pdf, "config"):
        return None
    if pdf not in _foreign:
        refuse_custom_modifiers(getattr(getattr(pdf, "main_model", None), "modifiers_appliers", {}))
        _foreign[pdf] = Engine(pdf)
    return _foreign[pdf]


def _is_own_or_pyhfs(kind: Any) -> bool:
    """True if a modifier type is defined by this package or by pyhf: a rule, a pair of classes, or an object."""
    parts = kind if isinstance(kind, tuple) else (kind,)
    modules = [(part if isinstance(part, type) else type(part)).__module__ for part in parts]
    return all(".modifiers." in module for module in modules)


def refuse_custom_modifiers(modifier_types: Mapping[str, Any]) -> None:
    """Raises for modifier types other than HistFactory's seven, and for these seven with custom code."""
    custom = sorted(
        name
        for name, kind in modifier_types.items()
        if name not in STANDARD_MODIFIERS or not _is_own_or_pyhfs(kind)
    )
    if custom:
        raise exceptions.InvalidModifier(
            f"{', '.join(custom)}: custom modifiers are Python code that nextstat's core cannot run. "
            f"It knows {', '.join(STANDARD_MODIFIERS)}; write the effect as one of these, or keep pyhf with its own "
            "optimizer for this model."
        )
