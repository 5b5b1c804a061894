"""Intervals: `upper_limits.upper_limit(data, model)`."""

from __future__ import annotations

from typing import Any

from ...exceptions import _deprecated_api_warning
from . import upper_limits

__all__ = ["upper_limits", "upperlimit"]


def upperlimit(
    data: Any,
    model: Any,
    scan: Any = None,
    level: float = 0.05,
    return_results: bool = False,
    **hypotest_kwargs: Any,
) -> Any:
    """The deprecated name of `upper_limits.upper_limit`; gives a warning."""
    _deprecated_api_warning(
        "pyhf.infer.intervals.upperlimit", "pyhf.infer.intervals.upper_limits.upper_limit", "0.7.0", "0.9.0"
    )
    return upper_limits.upper_limit(data, model, scan, level, return_results, **hypotest_kwargs)
