"""Curves through computed points, and the normal distribution.

Smallest use: `x, y = smooth(values, heights)`.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from ._records import Array

_NORMAL = NormalDist()
_SMALLEST = 1e-300  # below it CLs is zero on any figure


def normal_cdf(values: Array) -> Array:
    """The cumulative standard normal distribution, element by element."""
    return np.asarray([_NORMAL.cdf(value) for value in np.ravel(values)]).reshape(np.shape(values))


def smooth(x: Array, y: Array, count: int = 400) -> tuple[Array, Array]:
    """A curve through points of increasing x that rises and falls only where they do (Fritsch, Carlson)."""
    if len(x) < 3 or np.any(np.diff(x) <= 0):
        return x, y
    width, slope = np.diff(x), np.diff(y) / np.diff(x)
    left, right = slope[:-1], slope[1:]
    # Harmonic mean of the neighboring slopes, weighted by the widths; 0 at turning points.
    weight_left, weight_right = 2 * width[1:] + width[:-1], width[1:] + 2 * width[:-1]
    turns = left * right <= 0
    safe_left, safe_right = np.where(turns, 1.0, left), np.where(turns, 1.0, right)
    mean = (weight_left + weight_right) / (weight_left / safe_left + weight_right / safe_right)
    slopes = np.concatenate(
        ([_end(width, slope)], np.where(turns, 0.0, mean), [_end(width[::-1], slope[::-1])])
    )
    at = np.union1d(np.linspace(x[0], x[-1], count), x)
    piece = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    t, h = (at - x[piece]) / width[piece], width[piece]
    # Cubic Hermite polynomial of each piece.
    start = (1 + 2 * t) * (1 - t) ** 2 * y[piece] + h * t * (1 - t) ** 2 * slopes[piece]
    return at, start + t**2 * (3 - 2 * t) * y[piece + 1] + h * t**2 * (t - 1) * slopes[piece + 1]


def _end(width: Array, slope: Array) -> float:
    """Slope at the first point: of the parabola through three points, limited where it would overshoot."""
    guess = ((2 * width[0] + width[1]) * slope[0] - width[0] * slope[1]) / (width[0] + width[1])
    if guess * slope[0] <= 0:
        return 0.0
    if slope[0] * slope[1] <= 0 and abs(guess) > 3 * abs(slope[0]):
        return float(3 * slope[0])
    return float(guess)


def cls_curve(values: Array, cls: Array, band: float = 0.0) -> tuple[Array, Array]:
    """CLs between its tested values, interpolated in the root of the test statistic, which is nearly linear.

    CLs = Phi(N - z) / Phi(N) for an expectation of N sigma [band], so z = N - PhiInverse(CLs Phi(N)).
    """
    known = np.isfinite(cls)
    whole = _NORMAL.cdf(band)
    z = np.asarray([band - _NORMAL.inv_cdf(min(max(value, _SMALLEST), 1.0) * whole) for value in cls[known]])
    at, curve = smooth(values[known], z)
    return at, normal_cdf(band - curve) / whole
