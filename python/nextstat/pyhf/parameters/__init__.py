"""Parameter sets and how they are read from a vector of parameters."""

from __future__ import annotations

from .paramsets import constrained_by_normal, constrained_by_poisson, paramset, unconstrained
from .paramview import ParamViewer
from .utils import reduce_paramsets_requirements

__all__ = [
    "ParamViewer",
    "constrained_by_normal",
    "constrained_by_poisson",
    "paramset",
    "reduce_paramsets_requirements",
    "unconstrained",
]


def __dir__() -> list[str]:
    return __all__

