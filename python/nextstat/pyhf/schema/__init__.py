"""Schemas of workspaces, models, measurements and patch sets, and validation against them.

pyhf.schema.validate(spec, "workspace.json")
with pyhf.schema(pathlib.Path("my/schemas")): ...     # look elsewhere for schemas
"""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

from . import variables
from .loader import load_schema
from .validator import validate

__all__ = ["load_schema", "path", "validate", "version"]


def __dir__() -> list[str]:
    return __all__


class Schema(types.ModuleType):
    """The module, callable with a folder of schemas; as a context manager it restores the previous folder."""

    orig_path: Path
    orig_cache: dict[str, dict[str, Any]]

    def __call__(self, new_path: Path) -> Schema:
        self.orig_path, variables.schemas = variables.schemas, new_path
        self.orig_cache = dict(variables.SCHEMA_CACHE)
        variables.SCHEMA_CACHE.clear()
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_details: object) -> None:
        variables.schemas = self.orig_path
        variables.SCHEMA_CACHE = self.orig_cache

    @property
    def path(self) -> Path:
        """Folder with the schemas."""
        return variables.schemas

    @property
    def version(self) -> str:
        """The version used if none is named."""
        return variables.SCHEMA_VERSION


path: Path
version: str
sys.modules[__name__].__class__ = Schema
load_schema(f"{variables.SCHEMA_VERSION}/defs.json")
