"""Validation of documents: `validate(spec, "workspace.json")`."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..exceptions import InvalidSpecification
from ..tensor import BackendRetriever
from . import variables
from .loader import load_schema
from .rules import Checker, most_telling, problems


def validate(
    spec: Mapping[str, Any], schema_name: str, *, version: str | None = None, allow_tensors: bool = True
) -> None:
    """Raises `InvalidSpecification` where `spec` does not follow the schema.

    With `allow_tensors` arrays count as lists and their elements as numbers.
    """
    folder = Path(version or variables.SCHEMA_VERSION)

    def load(name: str) -> dict[str, Any]:
        return load_schema(str(folder / name))

    schema = load(schema_name)
    arrays: tuple[type, ...] = (list,)
    number_types: tuple[type, ...] = (int, float)
    if allow_tensors:
        arrays += BackendRetriever.array_types
        number_types += (numbers.Number, *BackendRetriever.array_subtypes)
    found = list(problems(spec, schema, Checker(schema, load, arrays, number_types)))
    if found:
        raise InvalidSpecification(most_telling(found), schema_name)
