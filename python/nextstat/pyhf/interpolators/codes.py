"""The five codes. I0, I+, I-: histograms at alpha = 0, +1, -1.

Histograms come as [set][histogram][down, nominal, up][bin], alphas as [set][alpha]; results are
[set][histogram][alpha][bin]: differences from the nominal for codes 0, 2 and 4p, factors for 1 and 4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import events

Array = npt.NDArray[Any]


class _Interpolator(ABC):
    """Broadcasts histograms and alphas to [set][histogram][alpha][bin]."""

    def __init__(self, histogramssets: Any, subscribe: bool = True) -> None:
        self._histograms = np.asarray(histogramssets, dtype=float)
        self.alphasets_shape: tuple[int, ...] | None = (len(self._histograms), 1)
        self._precompute()
        if subscribe:
            events.subscribe("tensorlib_changed")(self._precompute)

    def _precompute(self) -> None:
        """Splits the histograms; pyhf's classes do this again when the tensor library changes."""
        self.down, self.nominal, self.up = (self._histograms[:, :, which, None, :] for which in range(3))

    def _precompute_alphasets(self, shape: tuple[int, ...]) -> None:
        """Stores the shape of the alphas, as pyhf's classes do."""
        self.alphasets_shape = tuple(shape)

    def __call__(self, alphasets: Any) -> Array:
        alphas = np.asarray(alphasets, dtype=float)
        self._precompute_alphasets(alphas.shape)
        with np.errstate(all="ignore"):
            return np.asarray(self._interpolate(alphas[:, None, :, None]))

    @abstractmethod
    def _interpolate(self, alpha: Any) -> Any:
        """What is added to, or multiplies, the nominal histogram."""


class code0(_Interpolator):
    """Linear on each side: alpha (I+ - I0) for alpha > 0, else alpha (I0 - I-)."""

    def _interpolate(self, alpha: Any) -> Any:
        return np.where(alpha > 0, alpha * (self.up - self.nominal), alpha * (self.nominal - self.down))


class code1(_Interpolator):
    """Exponential on each side: (I+/I0)^alpha for alpha > 0, else (I-/I0)^(-alpha)."""

    def _interpolate(self, alpha: Any) -> Any:
        base = np.where(alpha > 0, self.up / self.nominal, self.down / self.nominal)
        return np.power(base, np.abs(alpha))


class code2(_Interpolator):
    """Quadratic inside |alpha| <= 1, linear outside, as pyhf documents it:

    a alpha^2 + b alpha,   (b + 2a)(alpha - 1) above,   (b - 2a)(alpha + 1) below
    a = (I+ + I-)/2 - I0,  b = (I+ - I-)/2
    """

    def _interpolate(self, alpha: Any) -> Any:
        a = 0.5 * (self.up + self.down) - self.nominal
        b = 0.5 * (self.up - self.down)
        outside = np.where(alpha > 1, (b + 2 * a) * (alpha - 1), (b - 2 * a) * (alpha + 1))
        return np.where(np.abs(alpha) <= 1, (a * alpha + b) * alpha, outside)


class code4(_Interpolator):
    """A polynomial of degree 6 inside |alpha| < alpha0, exponential outside; smooth to the second derivative."""

    def __init__(self, histogramssets: Any, subscribe: bool = True, alpha0: float = 1) -> None:
        assert alpha0 > 0, "alpha0 must be positive"
        super().__init__(histogramssets, subscribe)
        self.alpha0 = float(alpha0)

    def _interpolate(self, alpha: Any) -> Any:
        up, down = self.up / self.nominal, self.down / self.nominal
        ends = []
        for sign, base in ((1, up), (-1, down)):
            log, value = np.log(base), np.power(base, self.alpha0)
            ends += [value - 1, sign * log * value, np.square(log) * value]
        coefficients = np.tensordot(_polynomial(self.alpha0), np.stack(ends), axes=1)
        inside = 1.0 + sum(
            coefficient * np.power(alpha, power) for power, coefficient in enumerate(coefficients, start=1)
        )
        base = np.where(alpha > 0, up, down)
        return np.where(np.abs(alpha) < self.alpha0, inside, np.power(base, np.abs(alpha)))


def _polynomial(alpha0: float) -> Array:
    """The matrix from value, slope and curvature at +alpha0 and -alpha0 to the coefficients of alpha^1 ... alpha^6."""
    rows = []
    for x in (alpha0, -alpha0):
        rows.append([x**n for n in range(1, 7)])
        rows.append([n * x ** (n - 1) for n in range(1, 7)])
        rows.append([n * (n - 1) * x ** (n - 2) if n > 1 else 0.0 for n in range(1, 7)])
    return np.asarray(np.linalg.inv(np.array(rows, dtype=float)))


class code4p(_Interpolator):
    """alpha S + |alpha| A outside |alpha| <= 1; inside, t(alpha) replaces |alpha|.

    t(alpha) = alpha^2 (3 alpha^4 - 10 alpha^2 + 15) / 8
    S = (I+ - I-)/2,   A = (I+ + I-)/2 - I0
    """

    def _interpolate(self, alpha: Any) -> Any:
        symmetric, asymmetric = 0.5 * (self.up - self.down), 0.5 * (self.up + self.down) - self.nominal
        square = np.square(alpha)
        smooth = square * (15 + square * (3 * square - 10)) / 8
        return alpha * symmetric + np.where(np.abs(alpha) <= 1, smooth, np.abs(alpha)) * asymmetric
