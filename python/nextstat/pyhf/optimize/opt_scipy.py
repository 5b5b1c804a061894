"""The optimizer that pyhf calls scipy: same options and return values, minimized by nextstat's solver."""

from __future__ import annotations

from typing import Any, ClassVar

from .mixins import OptimizerMixin


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
