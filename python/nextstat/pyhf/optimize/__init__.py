"""Optimizers by name. All of them use nextstat's solver; they differ in what they accept and return."""

from __future__ import annotations

from typing import Any

from .opt_minuit import minuit_optimizer
from .opt_nextstat import nextstat_optimizer
from .opt_scipy import scipy_optimizer

__all__ = ["OptimizerRetriever"]


class _OptimizerRetriever:
    """`pyhf.optimize`: optimizers by name. Unknown names give None, as in pyhf."""

    scipy_optimizer = scipy_optimizer
    minuit_optimizer = minuit_optimizer
    nextstat_optimizer = nextstat_optimizer

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


for _optimizer in (scipy_optimizer, minuit_optimizer, nextstat_optimizer):
    _optimizer.__module__ = __name__

OptimizerRetriever = _OptimizerRetriever()
