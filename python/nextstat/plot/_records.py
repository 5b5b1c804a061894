"""Reading results: figures take a record or the dict of its JSON.

names = field("plot.pulls", "a fit result", result, "parameter_names")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import fail

Array = NDArray[np.float64]
_MISSING = object()


def has(record: Any, name: str) -> bool:
    """Whether the record has a value of this name (None counts as missing)."""
    value = record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)
    return value is not None


def field(where: str, kind: str, record: Any, name: str, default: Any = _MISSING) -> Any:
    """The value of this name; the error for another kind of record names the right kind."""
    value = record.get(name, _MISSING) if isinstance(record, Mapping) else getattr(record, name, _MISSING)
    if value is not _MISSING:
        return value
    if default is not _MISSING:
        return default
    raise TypeError(f"{where}: needs {kind}, with '{name}'; this {type(record).__name__} has none")


def numbers(values: Any) -> Array:
    """Numbers as an array; None is NaN."""
    return np.asarray(values, dtype=np.float64)


def column(where: str, kind: str, records: Sequence[Any], name: str) -> Array:
    """The same field of every record, as an array."""
    return numbers([field(where, kind, record, name) for record in records])


def prefit(where: str, result: Any, model: Any) -> tuple[Array, Array]:
    """Centers and widths of the constraints, of the model or of the result; NaN where there is none."""
    source = model if model is not None else result
    if not (has(source, "prefit_centers") and has(source, "prefit_sigmas")):
        raise TypeError(
            f"{where}: this {type(source).__name__} does not have the centers and widths of the constraints "
            "(pass model=, the fitted model)"
        )
    kind = "a model"
    centers = numbers(field(where, kind, source, "prefit_centers"))
    sigmas = numbers(field(where, kind, source, "prefit_sigmas"))
    names = field(where, "a fit result", result, "parameter_names")
    if len(centers) != len(names):
        fail(
            where,
            f"the fit has {len(names)} parameters, the model has {len(centers)}",
            "pass the model that was fitted",
        )
    return centers, sigmas
