"""The optimizer that pyhf calls minuit: same options and return values, minimized by nextstat's solver."""

from __future__ import annotations

from typing import Any, ClassVar

from .._engine import EngineFit
from ..optimize_result import OptimizeResult
from .minuit_view import FunctionMinimum, MinuitView, minuit_errors
from .mixins import OptimizerMixin, Question


class minuit_optimizer(OptimizerMixin):
    """Gives uncertainties and correlations from the exact Hessian (what Minuit calls HESSE).

    The uncertainties of parameters with bounds are those that Minuit quotes for them (`minuit_errors`); covariance and
    correlations are the Hessian's, as in Minuit.
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
        if fit.uncertainties is not None:
            result.unc = minuit_errors(fit.parameters, fit.uncertainties, asked.bounds)
        result.minuit = MinuitView(
            asked.pdf.config.par_names or [f"x{number}" for number in range(len(fit.parameters))],
            fit.parameters,
            asked.fixed,
            asked.bounds,
            result.unc,
            fit.covariance,
            FunctionMinimum(2 * fit.nll, fit.edm, fit.converged, fit.n_evaluations, fit.n_gradients),
            asked.interval,
            tol=options.get("tolerance", self.tolerance),
            strategy=1 if strategy is None else int(strategy),
        )
