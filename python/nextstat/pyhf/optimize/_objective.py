"""Checks whether an objective is twice the NLL that the engine computes.

It is if it is pyhf's `twice_nll` or the one here and agrees with the engine for this model: compared once per model, at
two points, the start and a step inside the bounds. Any other function is minimized as it is.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._engine import Engine

Array = npt.NDArray[Any]

_MODULES = ("pyhf.infer.mle", "nextstat.pyhf.infer.mle")

# model -> whether the engine agrees with its twice_nll
_known: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()


def value(objective: Callable[..., Any], parameters: Array, data: Array, pdf: Any) -> float:
    """The objective as a float: pyhf's objectives return one entry."""
    return float(np.ravel(objective(parameters, data, pdf))[0])


def is_twice_nll(
    objective: Callable[..., Any],
    data: Array,
    pdf: Any,
    engine: Engine,
    start: Array,
    bounds: Array,
    fixed: Array,
) -> bool:
    """True if the objective and the engine agree."""
    if getattr(objective, "__name__", "") != "twice_nll" or getattr(objective, "__module__", "") not in _MODULES:
        return False
    if pdf not in _known:
        inside = np.where(np.isfinite(bounds), bounds, start[:, None] + np.array([-1.0, 1.0]))
        step = np.where(fixed, start, np.clip(0.98 * start + 0.02 * inside.mean(axis=1), *inside.T))
        _known[pdf] = all(_agrees(objective, data, pdf, engine, point) for point in (start, step))
    return _known[pdf]


def _agrees(objective: Callable[..., Any], data: Array, pdf: Any, engine: Engine, point: Array) -> bool:
    theirs = value(objective, point, data, pdf)
    ours = 2.0 * float(engine.nll(point, data))
    if not np.isfinite(theirs) or not np.isfinite(ours):
        return bool(np.isfinite(theirs) == np.isfinite(ours))
    # A sum of n ln(nu) in doubles loses eps * sum(n ln n), which is 1e-3 for auxiliary data of 1e11.
    rounding = 200 * np.finfo(float).eps * float(np.sum(np.abs(data) * np.log1p(np.abs(data))))
    return bool(abs(theirs - ours) <= 1e-7 * max(1.0, abs(theirs)) + rounding)
