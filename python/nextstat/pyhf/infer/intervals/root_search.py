"""The zero of a function of one variable inside a bracket: Algorithm 748.

    G. E. Alefeld, F. A. Potra, Yixun Shi, ACM Trans. Math. Softw. 21 (1995) 327

        find_root(f, 0.0, 5.0, absolute=2e-12, relative=1e-4)

Each round: two interpolations (inverse cubic where the values allow it, else a quadratic), one double-length
secant step, and a bisection where the bracket did not halve.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

Function = Callable[[float], float]
Point = tuple[float, float]  # x, f(x)

_INTERPOLATIONS = 2
_EPSILON = 2.0**-52


def find_root(function: Function, low: float, high: float, *, absolute: float, relative: float) -> float:
    """A point within these tolerances of a zero. The signs at `low` and `high` must differ."""
    search = _Search(function, low, high, absolute, relative)
    for _ in range(1000):
        if search.is_done():
            return search.answer()
        search.round()
    raise ValueError(f"no convergence between {search.a[0]} and {search.b[0]}: is the function noisy there?")


class _Search:
    """The bracket (a, b) and the last two points that left it (d, e)."""

    def __init__(self, function: Function, low: float, high: float, absolute: float, relative: float) -> None:
        self.function = function
        self.absolute, self.relative = absolute, relative
        self.a: Point = (float(low), float(function(low)))
        self.b: Point = (float(high), float(function(high)))
        self.d: Point | None = None
        self.e: Point | None = None
        self.exact: float | None = next((x for x, value in (self.a, self.b) if value == 0), None)
        if self.exact is None and (self.a[1] > 0) == (self.b[1] > 0):
            raise ValueError(
                f"the function has the same sign at {low} ({self.a[1]}) and {high} ({self.b[1]}): widen the bracket"
            )
        if self.exact is None and not self.is_done():
            self._evaluate(_secant(self.a, self.b))

    def is_done(self) -> bool:
        """The bracket is narrow enough, or a zero was hit."""
        near = self.absolute + self.relative * abs(self.b[0])
        return self.exact is not None or abs(self.b[0] - self.a[0]) <= near

    def answer(self) -> float:
        """The zero, or the middle of the bracket."""
        return self.exact if self.exact is not None else 0.5 * (self.a[0] + self.b[0])

    def round(self) -> None:
        """Interpolations, a long secant step, and a bisection where they did not halve the bracket."""
        width = self.b[0] - self.a[0]
        x: float | None = None
        for step in range(_INTERPOLATIONS):
            x = self._interpolated(x, step + 2)
            self._evaluate(x)
            if self.exact is not None:
                return
        self._evaluate(self._double_secant())
        if self.exact is None and self.b[0] - self.a[0] > 0.5 * width:
            self._evaluate(self._middle())

    def _middle(self) -> float:
        return 0.5 * (self.a[0] + self.b[0])

    def _evaluate(self, x: float) -> None:
        """Narrows the bracket with f(x)."""
        value = float(self.function(x))
        if value == 0:
            self.exact = x
            return
        self.e = self.d
        if (value > 0) == (self.a[1] > 0):
            self.d, self.a = self.a, (x, value)
        else:
            self.d, self.b = self.b, (x, value)

    def _interpolated(self, before: float | None, newton_steps: int) -> float:
        """The next point; if the cubic gives none, the previous one again, as in scipy's toms748 (and so in pyhf)."""
        assert self.d is not None
        if self.e is not None and self._distinct():
            x = _inverse_cubic([self.a, self.b, self.d, self.e])
            if self.a[0] < x < self.b[0]:
                return x
        return before if before is not None else _quadratic(self.a, self.b, self.d, newton_steps)

    def _distinct(self) -> bool:
        values = [point[1] for point in (self.a, self.b, self.d, self.e) if point is not None]
        return all(map(math.isfinite, values)) and all(
            abs(one - two) > 32 * _EPSILON for one, two in combinations(values, 2)
        )

    def _double_secant(self) -> float:
        """Twice the secant step from the better end; the midpoint if that is too far."""
        near, far = (self.a, self.b) if abs(self.a[1]) < abs(self.b[1]) else (self.b, self.a)
        slope = (self.b[1] - self.a[1]) / (self.b[0] - self.a[0])
        x = near[0] - 2 * near[1] / slope
        if abs(x - near[0]) > 0.5 * (self.b[0] - self.a[0]):
            return self._middle()
        if abs(x - near[0]) <= _EPSILON * abs(near[0]):
            if math.frexp(near[1])[1] < math.frexp(far[1])[1] - 50:
                return (31 * near[0] + far[0]) / 32
            inward = 1 if near is self.a else -1
            x = near[0] + inward * (abs(x) * self.relative + self.absolute)
            if not self.a[0] < x < self.b[0]:
                return self._middle()
        return x


def _secant(a: Point, b: Point) -> float:
    """Where the line through both points is zero."""
    if abs(b[1]) > abs(a[1]):
        x = (-a[1] / b[1] * b[0] + a[0]) / (1 - a[1] / b[1])
    else:
        x = (-b[1] / a[1] * a[0] + b[0]) / (1 - b[1] / a[1])
    return x if a[0] < x < b[0] else 0.5 * (a[0] + b[0])


def _quadratic(a: Point, b: Point, d: Point, newton_steps: int) -> float:
    """A zero of the parabola through three points, by Newton's method from the end with the right curvature."""
    first = (b[1] - a[1]) / (b[0] - a[0])
    second = ((d[1] - b[1]) / (d[0] - b[0]) - first) / (d[0] - a[0])
    if second == 0:
        return a[0] - a[1] / first
    x = a[0] if second * math.copysign(1, a[1]) > 0 else b[0]
    for _ in range(newton_steps):
        value = (second * (x - b[0]) + first) * (x - a[0]) + a[1]
        following = x - value / (first + second * (2 * x - a[0] - b[0]))
        if not a[0] < following < b[0]:
            return x if a[0] < x < b[0] else 0.5 * (a[0] + b[0])
        x = following
    return x


def _inverse_cubic(points: list[Point]) -> float:
    """x(f) at f = 0 of the cubic through four points, by Neville's scheme."""
    values = [point[1] for point in points]
    estimates = [point[0] for point in points]
    for order in range(1, len(points)):
        for index in range(len(points) - order):
            low, high = values[index], values[index + order]
            estimates[index] = (high * estimates[index] - low * estimates[index + 1]) / (high - low)
    return estimates[0]
