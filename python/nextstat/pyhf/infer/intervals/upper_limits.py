"""Upper limits: where CLs falls to the level.

observed, expected = upper_limit(data, model)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import hypotest
from .root_search import find_root

__all__ = ["linear_grid_scan", "toms748_scan", "upper_limit"]


def __dir__() -> list[str]:
    return __all__


_OBSERVED = 0  # index of the observed CLs in a row; 1 to 5 are the expected ones from -2 to +2 sigma


class _Scan:
    """CLs at tested values of the POI; each is computed once."""

    def __init__(self, data: Any, model: Any, level: float, settings: dict[str, Any]) -> None:
        self.data, self.model, self.level, self.settings = data, model, level, settings
        self.results: dict[float, Any] = {}

    def row(self, poi: float) -> list[float]:
        """Observed CLs, then the five expected ones; 0 where CLs+b and CLb are too small for doubles (0/0)."""
        poi = float(poi)
        if poi not in self.results:
            self.results[poi] = hypotest(
                poi, self.data, self.model, return_expected_set=True, **self.settings
            )
        observed, expected = self.results[poi]
        return [float(np.nan_to_num(value, nan=0.0)) for value in (observed, *expected)]

    def above(self, poi: float, which: int) -> float:
        """CLs minus the level."""
        return self.row(poi)[which] - self.level

    def bracket(self, which: int) -> tuple[float, float]:
        """The tested values closest to the limit on both sides."""
        tested = [(poi, self.above(poi, which)) for poi in self.results]
        low = min((pair for pair in tested if pair[1] >= 0), key=lambda pair: pair[1])
        high = max((pair for pair in tested if pair[1] < 0), key=lambda pair: pair[1])
        return low[0], high[0]


def toms748_scan(
    data: Any,
    model: Any,
    bounds_low: float,
    bounds_up: float,
    level: float = 0.05,
    atol: float = 2e-12,
    rtol: float = 1e-4,
    from_upper_limit_fn: bool = False,
    **hypotest_kwargs: Any,
) -> Any:
    """Observed limit and the five expected ones by root search; the bounds are widened until they contain all six."""
    scan = _Scan(data, model, level, hypotest_kwargs)
    while min(scan.row(bounds_low)) < level:
        bounds_low /= 2
    while max(scan.row(bounds_up)) > level:
        bounds_up *= 2

    def limit(which: int, low: float, high: float) -> Any:
        return np.asarray(
            find_root(lambda poi: scan.above(poi, which), low, high, absolute=atol, relative=rtol)
        )

    observed = limit(_OBSERVED, bounds_low, bounds_up)
    expected = [limit(which, *scan.bracket(which)) for which in range(1, 6)]
    if from_upper_limit_fn:
        return observed, expected, (list(scan.results), list(scan.results.values()))
    return observed, expected


def linear_grid_scan(
    data: Any,
    model: Any,
    scan: Any,
    level: float = 0.05,
    return_results: bool = False,
    **hypotest_kwargs: Any,
) -> Any:
    """Observed limit and the five expected ones by linear interpolation between the points of `scan`."""
    results = [hypotest(mu, data, model, return_expected_set=True, **hypotest_kwargs) for mu in scan]
    rows = np.asarray([[observed, *expected] for observed, expected in results], dtype=float)
    points = np.asarray(scan, dtype=float)
    limits = [np.asarray(np.interp(level, rows[::-1, which], points[::-1])) for which in range(6)]
    if return_results:
        return limits[0], limits[1:], (scan, results)
    return limits[0], limits[1:]


def upper_limit(
    data: Any,
    model: Any,
    scan: Any = None,
    level: float = 0.05,
    return_results: bool = False,
    **hypotest_kwargs: Any,
) -> Any:
    """Observed limit and the five expected ones: by root search, or over the POI values in `scan`.

    `level` applies to both (the root search of pyhf 0.7.6 always uses 0.05).
    """
    if scan is not None:
        return linear_grid_scan(data, model, scan, level, return_results, **hypotest_kwargs)
    low, high = model.config.suggested_bounds()[model.config.poi_index]
    observed, expected, results = toms748_scan(
        data, model, low, high, level, from_upper_limit_fn=True, **hypotest_kwargs
    )
    return (observed, expected, results) if return_results else (observed, expected)
