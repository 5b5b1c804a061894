"""Workspaces: converts a path, a dictionary, JSON text or a pyhf object to the JSON text that the engine reads.

    workspace = nextstat.load_workspace("analysis.json")
    workspace.digest(), workspace["channels"][0]["name"]
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _core
from .errors import InputError, fail, of_file
from .screen import printable

# What load_workspace and every function that takes a model accept as a workspace.
WorkspaceLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]


class Workspace(dict[str, Any]):
    """A checked workspace document: a dictionary with methods to edit it. Errors are found when it is loaded."""

    def __init__(self, document: Mapping[str, Any], *, warnings: Sequence[str] | None = None) -> None:
        """Checks the document, unless the warnings of an earlier check are given."""
        super().__init__(document)
        self.warnings: tuple[str, ...] = tuple(_core.check_workspace(document_text(document)) if warnings is None else warnings)

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary with the same content."""
        copied: dict[str, Any] = json.loads(self.to_json())
        return copied

    def to_json(self, *, indent: int | None = None) -> str:
        """The document as text."""
        return json.dumps(self, indent=indent)

    def digest(self, algorithm: str = "sha256") -> str:
        """The hash of the document's content, the same as pyhf's."""
        return _core.digest(self.to_json(), algorithm)

    def patched(self, *patches: Any) -> Workspace:
        """The workspace with JSON patches applied: lists of operations, paths or texts."""
        text = self.to_json()
        for patch in patches:
            text = _core.apply_patch(text, document_text(patch, "patch"))
        return Workspace(json.loads(text))

    def combine(self, other: WorkspaceLike, *, join: str = "none", merge_channels: bool = False) -> Workspace:
        """Combines two workspaces; join is "none", "outer", "left outer" or "right outer"."""
        return _made(_core.combine(self.to_json(), document_text(other, "workspace"), join, merge_channels))

    def prune(self, *, channels: Sequence[str] = (), samples: Sequence[str] = (), modifiers: Sequence[str] = (),
              modifier_types: Sequence[str] = (), measurements: Sequence[str] = ()) -> Workspace:
        """The workspace without the named parts."""
        return _made(_core.prune(self.to_json(), list(channels), list(samples), list(modifiers), list(modifier_types),
                                 list(measurements)))

    def rename(self, *, channels: Mapping[str, str] | None = None, samples: Mapping[str, str] | None = None,
               modifiers: Mapping[str, str] | None = None, measurements: Mapping[str, str] | None = None) -> Workspace:
        """The workspace with parts renamed: {old: new}."""
        return _made(_core.rename(self.to_json(), dict(channels or {}), dict(samples or {}), dict(modifiers or {}),
                                  dict(measurements or {})))

    def sorted(self) -> Workspace:
        """The workspace with all parts sorted by name."""
        return _made(_core.sorted(self.to_json()))

    @property
    def measurement_names(self) -> list[str]:
        """Names of the measurements."""
        return [measurement["name"] for measurement in self["measurements"]]

    def __repr__(self) -> str:
        channels = ", ".join(channel["name"] for channel in self["channels"][:6])
        more = ", ..." if len(self["channels"]) > 6 else ""
        return printable(f"Workspace: {len(self['channels'])} channels ({channels}{more}), measurements {self.measurement_names}")


def _made(text: str) -> Workspace:
    return Workspace(json.loads(text), warnings=_core.check_workspace(text))


def _plain(value: Any) -> Any:
    """Arrays and NumPy numbers as JSON types."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a number, text, list or dictionary")


def _decoded(text: bytes, what: str) -> str:
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail(what, f"not UTF-8: {error}", "JSON must be UTF-8")


def _file_text(path: str | os.PathLike[str], what: str) -> str:
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        fail(what, "not a path: it cannot be encoded", "give the path of a file")
    return _decoded(_core.read_text(name), f"{what} {os.fspath(path)}")


def document_text(source: Any, what: str = "workspace") -> str:
    """JSON text from a path, a text, a dictionary, a list or an open file."""
    if isinstance(source, (Mapping, list, tuple)):
        try:
            return json.dumps(source, allow_nan=False, default=_plain)
        except (TypeError, ValueError) as error:
            raise InputError(f"{what}: the dictionary cannot be written as JSON: {error}") from None
    if isinstance(source, (bytes, bytearray)):
        source = _decoded(bytes(source), what)
    if isinstance(source, os.PathLike):
        return _file_text(source, what)
    if isinstance(source, str):
        source = source.removeprefix("\ufeff")
        return source if source.lstrip()[:1] in ("{", "[") else _file_text(source, what)
    if hasattr(source, "read"):
        if getattr(source, "closed", False):
            fail(what, "the file is closed", "open it again, or give its path")
        text = source.read()
        return _decoded(text, what) if isinstance(text, bytes) else str(text)
    fail(what, f"{type(source).__name__} is not a {what}", "give a path, a dictionary, JSON text or an open file")


def load_workspace(source: WorkspaceLike) -> Workspace:
    """Reads and checks a workspace: a path, a dictionary, JSON text or an open file."""
    text = document_text(source)
    with of_file(source):
        warnings = _core.check_workspace(text)
    return Workspace(json.loads(text), warnings=warnings)
