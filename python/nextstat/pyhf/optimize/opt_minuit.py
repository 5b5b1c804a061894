"""The optimizer that pyhf calls minuit: same options and return values, minimized by nextstat's solver.

Objectives that are not a likelihood in the engine go to Minuit itself, if iminuit is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .._engine import EngineFit
from ..exceptions import Unsupported
from ..optimize_result import OptimizeResult
from .minuit_view import FunctionMinimum, Matrix, MinuitView, minuit_errors
from .mixins import OptimizerMixin, Question

Array = npt.NDArray[Any]


class minuit_optimizer(OptimizerMixin):
    """Gives uncertainties and correlations from the exact Hessian (what Minuit calls HESSE).

    The uncertainties of parameters with bounds are those that Minuit quotes for them (`minuit_errors`); covariance and
    correlations are the Hessian's, as in Minuit. A parameter that ended at a bound counts as fixed there: 0 in all three.
    """

    name = "minuit"
    options: ClassVar[frozenset[str]] = frozenset({"maxiter", "strategy", "tolerance"})

    def __init__(self, **settings: Any) -> None:
        self.errordef: float = settings.pop("errordef", 1)
        self.steps: int = settings.pop("steps", 1000)
        self.strategy: int | None = settings.pop("strategy", None)
        self.tolerance: float = settings.pop("tolerance", 0.1)
        super().__init__(**settings)

    def _add(self, result: OptimizeResult, fit: EngineFit, asked: Question, options: dict[str, Any]) -> None:
        strategy = options.get("strategy", self.strategy)
        assert fit.uncertainties is not None and fit.covariance is not None and fit.correlation is not None
        at_bound = np.isnan(fit.uncertainties)
        sigmas = np.sqrt(self.errordef) * np.nan_to_num(fit.uncertainties)
        result.unc = minuit_errors(fit.parameters, sigmas, asked.bounds)
        result.corr = np.nan_to_num(fit.correlation)
        result.hess_inv = (self.errordef * np.nan_to_num(fit.covariance)).view(Matrix)
        ended = FunctionMinimum(
            2 * fit.nll,
            fit.edm,
            fit.converged,
            fit.n_evaluations,
            fit.n_gradients,
            has_parameters_at_limit=bool(at_bound.any()),
        )
        result.minuit = MinuitView(
            asked.pdf.config.par_names or [f"x{number}" for number in range(len(fit.parameters))],
            fit.parameters,
            asked.fixed,
            asked.bounds,
            result.unc,
            result.hess_inv,
            ended,
            asked.interval,
            tol=options.get("tolerance", self.tolerance),
            strategy=1 if strategy is None else int(strategy),
            errordef=self.errordef,
        )

    def _minimize_any(
        self, objective: Callable[[Array], float], start: Array, bounds: Array, fixed: Array, pdf: Any
    ) -> OptimizeResult:
        try:
            import iminuit
        except ImportError as error:
            raise Unsupported(
                "This objective is not the likelihood of a model that nextstat can build, and iminuit, which would "
                "minimize it, is not installed: python -m pip install iminuit"
            ) from error
        names = getattr(getattr(pdf, "config", None), "par_names", None)
        minuit = iminuit.Minuit(objective, start, name=names)
        minuit.limits, minuit.fixed = [tuple(pair) for pair in bounds], list(fixed)
        minuit.errordef, minuit.tol = self.errordef, self.tolerance
        if self.strategy is not None:
            minuit.strategy = self.strategy
        minuit.migrad(ncall=self.maxiter)
        minuit.hesse()
        covariance = minuit.covariance
        return OptimizeResult(
            x=np.array(minuit.values),
            fun=np.asarray(float(minuit.fval)),
            success=bool(minuit.valid),
            message="Optimization terminated successfully." if minuit.valid else f"Optimization failed: {minuit.fmin!r}",
            nit=0,
            nfev=int(minuit.nfcn),
            njev=int(minuit.ngrad),
            unc=np.where(fixed, 0.0, np.array(minuit.errors)),
            corr=None if covariance is None else np.asarray(covariance.correlation()),
            hess_inv=covariance,
            minuit=minuit,
        )
