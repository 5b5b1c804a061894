"""The optimizer that pyhf calls minuit: same options and return values, minimized by nextstat's solver."""

from __future__ import annotations

from typing import Any, ClassVar

from .mixins import OptimizerMixin


class minuit_optimizer(OptimizerMixin):
    """Gives uncertainties and correlations from the exact Hessian (what Minuit calls HESSE)."""

    name = "minuit"
    options: ClassVar[frozenset[str]] = frozenset({"maxiter", "strategy", "tolerance"})

    def __init__(self, **settings: Any) -> None:
        self.errordef: float = settings.pop("errordef", 1)
        self.steps: int = settings.pop("steps", 1000)
        self.strategy: int | None = settings.pop("strategy", None)
        self.tolerance: float = settings.pop("tolerance", 0.1)
        super().__init__(**settings)
