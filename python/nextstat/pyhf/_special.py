"""Special functions on arrays from the standard library: log gamma, error function, normal distribution.

normal_cdf(0.0)  ->  0.5
"""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_log_gamma = np.frompyfunc(math.lgamma, 1, 1)
_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def _apply(function: Any, values: Any) -> Any:
    return np.asarray(function(np.asarray(values, dtype=float)), dtype=float)[()]


def gammaln(values: Any) -> Any:
    """ln |Gamma(x)|; infinite at 0, -1, -2, ..."""
    array = np.asarray(values, dtype=float)
    poles = (array <= 0) & (array == np.floor(array))
    result = np.asarray(_log_gamma(np.where(poles | ~np.isfinite(array), 1.0, array)), dtype=float)
    result = np.where(poles, np.inf, result)
    return np.where(np.isfinite(array), result, np.abs(array))[()]


def xlogy(x: Any, y: Any) -> Any:
    """x ln y, and 0 where x is 0 (y not NaN)."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log(y))[()]


def erf(values: Any) -> Any:
    """The error function."""
    return _apply(_erf, values)


def erfinv(values: Any) -> Any:
    """The inverse of the error function; NaN outside [-1, 1]."""
    return _apply(np.frompyfunc(_erfinv_one, 1, 1), values)


def _erfinv_one(value: float) -> float:
    if math.isnan(value) or abs(value) > 1:
        return math.nan
    if abs(value) == 1:
        return math.copysign(math.inf, value)
    guess = statistics.NormalDist().inv_cdf((value + 1) / 2) / math.sqrt(2) if value > -1 + 1e-16 else -6.0
    for _ in range(2):  # Newton: d erf / dx = 2/sqrt(pi) exp(-x^2)
        slope = 2 / math.sqrt(math.pi) * math.exp(-guess * guess)
        guess -= (math.erf(guess) - value) / slope
    return guess


def normal_cdf(x: Any, mu: Any = 0, sigma: Any = 1) -> Any:
    """Phi((x - mu) / sigma), exact in the lower tail: erfc(-z/sqrt(2)) / 2."""
    z = (np.asarray(x, dtype=float) - mu) / sigma
    return _apply(_erfc, -z / math.sqrt(2)) * 0.5
