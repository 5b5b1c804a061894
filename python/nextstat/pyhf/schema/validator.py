"""Validation of documents: `validate(spec, "workspace.json")`."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..exceptions import InvalidSpecification
from ..tensor import BackendRetriever
from . import variables
from .loader import load_schema, read_schema
from .quick import predicate
from .rules import Checker, most_telling, problems


def validate(
    spec: Mapping[str, Any], schema_name: str, *, version: str | None = None, allow_tensors: bool = True
) -> None:
    """Raises `InvalidSpecification` if `spec` does not follow the schema.

    With `allow_tensors`, arrays count as lists and their elements as numbers.
    """
    folder = version or variables.SCHEMA_VERSION
    schema = load_schema(str(Path(folder) / schema_name))

    def neighbor(name: str) -> dict[str, Any]:
        return read_schema(Path(variables.schemas) / folder / name)

    arrays: tuple[type, ...] = (list,)
    number_types: tuple[type, ...] = (int, float)
    if allow_tensors:
        arrays += BackendRetriever.array_types
        number_types += (numbers.Number, *BackendRetriever.array_subtypes)
    checker = Checker(schema, neighbor, arrays, number_types)
    if not predicate(schema, checker)(spec):
        found = list(problems(spec, schema, checker))
        raise InvalidSpecification(most_telling(found), schema_name)
