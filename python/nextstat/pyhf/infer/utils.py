"""Calculators and test statistics by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..exceptions import InvalidTestStatistic
from .test_statistics import q0, qmu, qmu_tilde

__all__ = ["create_calculator", "get_test_stat"]


def __dir__() -> list[str]:
    return __all__


def all_pois_floating(pdf: Any, fixed_params: Sequence[bool]) -> bool:
    """True if the parameter of interest is free in a fit."""
    return not fixed_params[pdf.config.poi_index]


def create_calculator(calctype: str, *args: Any, **kwargs: Any) -> Any:
    """An `AsymptoticCalculator` ("asymptotics") or a `ToyCalculator` ("toybased")."""
    from .calculators import AsymptoticCalculator, ToyCalculator

    kinds: dict[str, type[Any]] = {"asymptotics": AsymptoticCalculator, "toybased": ToyCalculator}
    return kinds[calctype](*args, **kwargs)


def get_test_stat(name: str) -> Callable[..., Any]:
    """The function for "q0", "q" or "qtilde"."""
    try:
        return {"q0": q0, "q": qmu, "qtilde": qmu_tilde}[name]
    except KeyError:
        raise InvalidTestStatistic(f"'{name}' is not a test statistic: use q0, q or qtilde") from None
