"""Reading schemas: `load_schema("1.0.0/workspace.json")`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..exceptions import SchemaNotFound
from . import variables


def load_schema(schema_id: str) -> dict[str, Any]:
    """The schema at this path below `pyhf.schema.path`; read once."""
    key = variables.SCHEMA_BASE + Path(schema_id).as_posix()
    if key not in variables.SCHEMA_CACHE:
        path = Path(variables.schemas) / schema_id
        if not path.exists():
            raise SchemaNotFound(
                f"The schema {schema_id} was not found. Do you have the right version or the right path? {path}"
            )
        variables.SCHEMA_CACHE[key] = json.loads(path.read_text(encoding="utf-8"))
    return variables.SCHEMA_CACHE[key]
