"""JSON patches (RFC 6902): `JsonPatch([{"op": "remove", "path": "/channels/0"}]).apply(document)`."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .exceptions import PrintableError

Operation = Mapping[str, Any]


class JsonPatchError(PrintableError, ValueError):
    """A patch is malformed or does not fit the document; names the operation."""


class JsonPatch:
    """A list of operations; `patch` is the list, `apply` returns the changed document."""

    def __init__(self, patch: Iterable[Operation]) -> None:
        self.patch: list[Operation] = [dict(operation) for operation in patch]

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.patch)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JsonPatch) and self.patch == other.patch

    def __hash__(self) -> int:
        return hash(self.to_string())

    def to_string(self) -> str:
        """The operations as JSON."""
        return json.dumps(self.patch, sort_keys=True)

    def apply(self, document: Any, in_place: bool = False) -> Any:
        """The document with all operations applied in order."""
        result = document if in_place else copy.deepcopy(document)
        for number, operation in enumerate(self.patch):
            try:
                result = _apply(result, operation)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise JsonPatchError(
                    f"operation {number} ({operation.get('op')} {operation.get('path')}) does not fit the document: "
                    f"{error}; was the patch made for another workspace?"
                ) from error
        return result


def _apply(document: Any, operation: Operation) -> Any:
    kind, path = operation["op"], _steps(operation["path"])
    if kind == "add":
        return _put(document, path, copy.deepcopy(operation["value"]), insert=True)
    if kind == "replace":
        _get(document, path)
        return _put(document, path, copy.deepcopy(operation["value"]), insert=False)
    if kind == "remove":
        return _removed(document, path)
    if kind == "test":
        if _get(document, path) != operation["value"]:
            raise ValueError("the value there is another one")
        return document
    if kind in ("move", "copy"):
        source = _steps(operation["from"])
        value = copy.deepcopy(_get(document, source))
        if kind == "move":
            document = _removed(document, source)
        return _put(document, path, value, insert=True)
    raise ValueError(f"unknown operation '{kind}'")


def _steps(pointer: str) -> list[str]:
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise ValueError(f"'{pointer}' is not a JSON pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def _index(container: list[Any], step: str, *, insert: bool) -> int:
    index = len(container) if step == "-" else int(step)
    if not 0 <= index < len(container) + insert:
        raise IndexError(f"index {step} of a list with {len(container)} entries")
    return index


def _get(document: Any, path: list[str]) -> Any:
    for step in path:
        document = document[_index(document, step, insert=False) if isinstance(document, list) else step]
    return document


def _put(document: Any, path: list[str], value: Any, *, insert: bool) -> Any:
    if not path:
        return value
    container, step = _get(document, path[:-1]), path[-1]
    if isinstance(container, list):
        index = _index(container, step, insert=insert)
        container[index : index + (not insert)] = [value]
    else:
        container[step] = value
    return document


def _removed(document: Any, path: list[str]) -> Any:
    container = _get(document, path[:-1])
    del container[_index(container, path[-1], insert=False) if isinstance(container, list) else path[-1]]
    return document
