"""A validator for the part of JSON Schema (draft 6) that workspace schemas use.

for problem in problems(document, schema, load): print(problem.message, problem.path)
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Load = Callable[[str], Mapping[str, Any]]
Path = tuple[int | str, ...]


@dataclasses.dataclass(frozen=True)
class Problem:
    """One violation: where it is, the value there and what was expected."""

    message: str
    instance: Any
    path: Path = ()
    context: tuple[Problem, ...] = ()


@dataclasses.dataclass(frozen=True)
class Checker:
    """A schema document with its neighbors; `arrays` and `numbers` say which Python types count as such."""

    root: Mapping[str, Any]
    load: Load
    arrays: tuple[type, ...]
    numbers: tuple[type, ...]

    def resolve(self, reference: str) -> tuple[Checker, Mapping[str, Any]]:
        """`defs.json#/definitions/channel` or `#/definitions/channel`."""
        document, _, pointer = reference.partition("#")
        root = self.load(document) if document else self.root
        node: Any = root
        for step in pointer.split("/")[1:]:
            node = node[step.replace("~1", "/").replace("~0", "~")]
        return dataclasses.replace(self, root=root), node

    def is_type(self, instance: Any, name: str) -> bool:
        """Whether the instance has this JSON type."""
        if name == "array":
            return isinstance(instance, self.arrays)
        if name == "number":
            return isinstance(instance, self.numbers) and not isinstance(instance, bool)
        if name == "integer":
            return isinstance(instance, int) and not isinstance(instance, bool)
        simple: dict[str, type] = {"object": Mapping, "string": str, "boolean": bool, "null": type(None)}
        return isinstance(instance, simple[name])


def problems(
    instance: Any, schema: Mapping[str, Any], checker: Checker, path: Path = ()
) -> Iterator[Problem]:
    """Everything in `instance` that the schema does not allow."""
    if "$ref" in schema:
        there, target = checker.resolve(schema["$ref"])
        yield from problems(instance, target, there, path)
        return
    expected = schema.get("type")
    if expected is not None:
        names = [expected] if isinstance(expected, str) else expected
        if not any(checker.is_type(instance, name) for name in names):
            yield Problem(f"{instance!r} is not of type {', '.join(map(repr, names))}", instance, path)
            return
    yield from _value(instance, schema, path)
    if isinstance(instance, Mapping):
        yield from _object(instance, schema, checker, path)
    if isinstance(instance, checker.arrays):
        yield from _array(instance, schema, checker, path)
    yield from _alternatives(instance, schema, checker, path)


def _value(instance: Any, schema: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    if "const" in schema and instance != schema["const"]:
        yield Problem(f"{schema['const']!r} was expected", instance, path)
    if "enum" in schema and instance not in schema["enum"]:
        yield Problem(f"{instance!r} is not one of {schema['enum']!r}", instance, path)
    if "pattern" in schema and isinstance(instance, str) and not re.search(schema["pattern"], instance):
        yield Problem(f"{instance!r} does not match {schema['pattern']!r}", instance, path)


def _object(
    instance: Mapping[str, Any], schema: Mapping[str, Any], checker: Checker, path: Path
) -> Iterator[Problem]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in instance:
            yield Problem(f"{name!r} is a required property", instance, path)
    if schema.get("additionalProperties") is False:
        extra = [name for name in instance if name not in known]
        if extra:
            verb = "was" if len(extra) == 1 else "were"
            listed = ", ".join(map(repr, extra))
            yield Problem(
                f"Additional properties are not allowed ({listed} {verb} unexpected)", instance, path
            )
    if len(instance) < schema.get("minProperties", 0):
        yield Problem(f"{instance!r} does not have enough properties", instance, path)
    for name, entry in instance.items():
        if name in known:
            yield from problems(entry, known[name], checker, (*path, name))


def _array(instance: Any, schema: Mapping[str, Any], checker: Checker, path: Path) -> Iterator[Problem]:
    if len(instance) < schema.get("minItems", 0):
        yield Problem(f"{instance!r} is too short", instance, path)
    if len(instance) > schema.get("maxItems", len(instance)):
        yield Problem(f"{instance!r} is too long", instance, path)
    items = schema.get("items")
    if isinstance(items, Mapping):
        for index, entry in enumerate(instance):
            yield from problems(entry, items, checker, (*path, index))


def _alternatives(
    instance: Any, schema: Mapping[str, Any], checker: Checker, path: Path
) -> Iterator[Problem]:
    for part in schema.get("allOf", ()):
        yield from problems(instance, part, checker, path)
    for keyword in ("anyOf", "oneOf"):
        if keyword not in schema:
            continue
        tried = [tuple(problems(instance, part, checker, path)) for part in schema[keyword]]
        fitting = sum(not found for found in tried)
        if fitting == 0:
            context = tuple(problem for found in tried for problem in found)
            message = f"{instance!r} is not valid under any of the given schemas"
            yield Problem(message, instance, path, _closest(tried) or context)
        elif fitting > 1 and keyword == "oneOf":
            yield Problem(f"{instance!r} is valid under each of several schemas", instance, path)


def _closest(tried: list[tuple[Problem, ...]]) -> tuple[Problem, ...]:
    """The problems of the one alternative whose fixed values fit (a modifier of that type), if there is one."""
    named = [found for found in tried if not any("was expected" in problem.message for problem in found)]
    return named[0] if len(named) == 1 else ()


def most_telling(found: list[Problem]) -> Problem:
    """The problem closest to the top of the document; inside a failed choice, that of its closest alternative."""
    best = min(found, key=lambda problem: len(problem.path))
    while best.context and not any("was expected" in problem.message for problem in best.context):
        best = min(best.context, key=lambda problem: len(problem.path))
    return best
