"""The folder of schemas, and those read so far."""

from __future__ import annotations

from pathlib import Path
from typing import Any

schemas: Path = Path(__file__).resolve().parent.parent / "schemas"
SCHEMA_CACHE: dict[str, dict[str, Any]] = {}
SCHEMA_BASE = "https://scikit-hep.org/pyhf/schemas/"
SCHEMA_VERSION = "1.0.0"
