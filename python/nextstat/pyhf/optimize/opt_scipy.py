"""The optimizer that pyhf calls scipy: same options and return values, minimized by nextstat's solver."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from .mixins import OptimizerMixin


# Options of scipy's SLSQP, which pyhf uses.
_SOLVER_OPTIONS = frozenset({"disp", "eps", "finite_diff_rel_step", "ftol", "iprint", "maxiter", "workers"})


class scipy_optimizer(OptimizerMixin):
    """Gives no uncertainties, as in pyhf."""

    name = "scipy"
    gives_uncertainties = False
    options: ClassVar[frozenset[str]] = frozenset(
        {"maxiter", "verbose", "method", "tolerance", "solver_options"}
    )

    def __init__(self, **settings: Any) -> None:
        self.tolerance: float | None = settings.pop("tolerance", None)
        self.solver_options: dict[str, Any] = settings.pop("solver_options", {})
        super().__init__(**settings)

    def _warn_about(self, options: dict[str, Any]) -> None:
        given = options.get("solver_options", self.solver_options)
        unknown = sorted(name for name in given if name not in _SOLVER_OPTIONS)
        if unknown:
            warnings.warn(f"Unknown solver options: {', '.join(unknown)}", _category(), stacklevel=4)


def _category() -> type[Warning]:
    """scipy's warning category if scipy is installed."""
    try:
        from scipy.optimize import OptimizeWarning
    except ImportError:
        return RuntimeWarning
    category: type[Warning] = OptimizeWarning
    return category
