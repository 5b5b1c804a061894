"""`minimize` with the interface of pyhf's optimizers, done by nextstat's solver.

    parameters, twice_nll = optimizer.minimize(
        pyhf.infer.mle.twice_nll, data, model, start, bounds, return_fitted_val=True
    )

An objective that is not twice the model's NLL goes to scipy, if it is installed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..exceptions import FailedMinimization, InvalidPdfData, Unsupported
from . import _objective
from .generic import minimize_any
from ..optimize_result import OptimizeResult, handed_out

Array = npt.NDArray[Any]
FixedValues = Sequence[tuple[int, float]]
Bounds = Sequence[Sequence[float]]


def _start(init_pars: Sequence[float], fixed_vals: FixedValues) -> tuple[Array, Array]:
    """Start values with the fixed ones in place, and which are fixed."""
    start = np.array(init_pars, dtype=float)
    fixed = np.zeros(start.size, dtype=bool)
    for index, value in fixed_vals:
        start[index], fixed[index] = value, True
    return start, fixed


def _check_sizes(data: Array, pdf: Any, start: Array, bounds: Array) -> None:
    """Raises if data, start or bounds do not have the model's length. Objects that only resemble a model are not checked."""
    config = getattr(pdf, "config", None)
    if not all(hasattr(config, name) for name in ("nmaindata", "auxdata", "npars")):
        return
    assert config is not None
    expected = config.nmaindata + len(config.auxdata)
    if data.shape[-1] != expected:
        raise InvalidPdfData(f"eval failed as data has len {data.shape[-1]} but {expected} was expected")
    for name, entries in (("init_pars", start), ("par_bounds", bounds)):
        if len(entries) != config.npars:
            raise ValueError(f"{name} has {len(entries)} entries, and the model has {config.npars} parameters")


@dataclasses.dataclass(frozen=True)
class Question:
    """What was fitted."""

    pdf: Any
    bounds: Array
    fixed: Array
    interval: Callable[[str, float], tuple[float, float]]


class OptimizerMixin:
    """The optimizers differ in name, in the options that they accept and in whether they give uncertainties."""

    name = "nextstat"
    gives_uncertainties: ClassVar[bool] = True
    options: ClassVar[frozenset[str]] = frozenset({"maxiter", "verbose", "tolerance"})

    def __init__(self, **settings: Any) -> None:
        self.maxiter: int | None = settings.pop("maxiter", 100000)
        self.verbose: int = settings.pop("verbose", 0)
        if settings:
            raise Unsupported(f"Unsupported kwargs were passed in: {list(settings)}.")

    def minimize(
        self,
        objective: Callable[..., Any],
        data: Any,
        pdf: Any,
        init_pars: Sequence[float],
        par_bounds: Bounds,
        fixed_vals: FixedValues | None = None,
        return_fitted_val: bool = False,
        return_result_obj: bool = False,
        return_uncertainties: bool = False,
        return_correlations: bool = False,
        do_grad: bool | None = None,
        do_stitch: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The parameters at the minimum, then what else was requested, in pyhf's order.

        `do_grad=True` is not supported (the solver's gradients are always exact, and NumPy has none), and `do_stitch`
        has no effect: fixed parameters never move. Options of scipy and Minuit are accepted; the solver here has its
        own stopping rule, and a fit that takes more than `maxiter` steps fails.
        """
        if do_grad:
            raise Unsupported(
                "do_grad=True: the NumPy backend has no automatic differentiation. Leave it away: fits use exact "
                "gradients as it is"
            )
        unknown = [name for name in kwargs if name not in self.options]
        if unknown:
            raise Unsupported(f"Unsupported options were passed in: {unknown}.")
        kwargs = {name: value for name, value in kwargs.items() if value is not None}
        maxiter = kwargs.get("maxiter", self.maxiter)
        self._warn_about(kwargs)
        start, fixed = _start(init_pars, fixed_vals or ())
        limits = np.array([tuple(bound) for bound in par_bounds], dtype=float)
        result = self._minimum(objective, np.asarray(data, dtype=float), pdf, start, limits, fixed, kwargs)
        if result.success and maxiter is not None and result.nit > maxiter:
            result.success = False
            result.message = f"Optimization failed: it takes {result.nit} steps, and maxiter allows {maxiter}."
        if not result.success:
            raise FailedMinimization(handed_out(result))
        if return_uncertainties and result.unc is not None:
            result.x = np.stack([result.x, result.unc], axis=1)
        asked = [
            (True, result.x),
            (return_correlations, result.corr),
            (return_fitted_val, result.fun),
            (return_result_obj, handed_out(result) if return_result_obj else None),
        ]
        returns = tuple(value for wanted, value in asked if wanted)
        return returns if len(returns) > 1 else returns[0]

    def _minimum(
        self,
        objective: Callable[..., Any],
        data: Array,
        pdf: Any,
        start: Array,
        bounds: Array,
        fixed: Array,
        options: dict[str, Any],
    ) -> OptimizeResult:
        _check_sizes(data, pdf, start, bounds)
        engine = _engine.engine_of(pdf)
        if engine is None or not _objective.is_twice_nll(objective, data, pdf, engine, start, bounds, fixed):
            return self._minimize_any(
                lambda pars: _objective.value(objective, pars, data, pdf), start, bounds, fixed, pdf
            )
        fit = engine.fit(data, start, bounds, fixed, uncertainties=self.gives_uncertainties)
        result = OptimizeResult(
            x=fit.parameters,
            fun=np.asarray(2.0 * fit.nll),
            success=fit.converged,
            message="Optimization terminated successfully." if fit.converged else fit.message,
            nit=fit.n_iterations,
            nfev=fit.n_evaluations,
            njev=fit.n_gradients,
            unc=fit.uncertainties if self.gives_uncertainties else None,
            corr=fit.correlation if self.gives_uncertainties else None,
            hess_inv=fit.covariance if self.gives_uncertainties else None,
        )

        def interval(name: str, probability: float) -> tuple[float, float]:
            return engine.interval(name, probability, data, start, bounds, fixed)

        self._add(result, fit, Question(pdf, bounds, fixed, interval), options)
        return result

    def _minimize_any(
        self, objective: Callable[[Array], float], start: Array, bounds: Array, fixed: Array, pdf: Any
    ) -> OptimizeResult:
        """Minimizes an objective that is not the likelihood of a model in the engine."""
        return minimize_any(objective, start, bounds, fixed)

    def _add(self, result: OptimizeResult, fit: _engine.EngineFit, asked: Question, options: dict[str, Any]) -> None:
        """Adds fields that only this optimizer has."""

    def _warn_about(self, options: dict[str, Any]) -> None:
        """Warns about unknown options."""
