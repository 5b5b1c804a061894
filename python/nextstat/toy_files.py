"""Folders of toys: merge shards, check the progress of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import _core
from .errors import fail


def merge_toys(folders: Sequence[str | os.PathLike[str]], to: str | os.PathLike[str]) -> dict[str, Any]:
    """Merges the shards of a run: the resulting folder has the same bytes as a run in one piece."""
    if not folders:
        fail("folders", "there is nothing to merge", "give the folders of the shards")
    report: dict[str, Any] = _core.merge_toys([os.fspath(folder) for folder in folders], os.fspath(to))
    return report


def toys_status(folder: str | os.PathLike[str], *, shards: int = 0) -> dict[str, Any]:
    """The progress of a run, read from its files."""
    status: dict[str, Any] = _core.toys_status(os.fspath(folder), shards)
    return status
