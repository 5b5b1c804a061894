"""Reading schemas: `load_schema("1.0.0/workspace.json")`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from ..exceptions import SchemaNotFound
from . import variables


@functools.lru_cache(maxsize=64)
def read_schema(path: Path) -> dict[str, Any]:
    """The schema in a file; each file is read once."""
    if not path.exists():
        raise SchemaNotFound(
            f"The schema {path.name} was not found. Do you have the right version or the right path? {path}"
        )
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def load_schema(schema_id: str) -> dict[str, Any]:
    """The schema at this path below `pyhf.schema.path`."""
    key = variables.SCHEMA_BASE + Path(schema_id).as_posix()
    if key not in variables.SCHEMA_CACHE:
        variables.SCHEMA_CACHE[key] = read_schema(Path(variables.schemas) / schema_id)
    return variables.SCHEMA_CACHE[key]
