"""A fast check whether a document follows a schema; `rules` says what is wrong if it does not.

fits = predicate(schema, checker)
fits(document)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .rules import Checker

Predicate = Callable[[Any], bool]


class _Referred:
    """A schema named by references: known before it is built, so that schemas may refer to themselves."""

    test: Predicate

    def __call__(self, instance: Any) -> bool:
        return self.test(instance)


Known = dict[int, _Referred]  # by identity of the schema


def predicate(schema: Mapping[str, Any], checker: Checker, known: Known | None = None) -> Predicate:
    """The schema as a function. `known`: references resolved so far."""
    known = {} if known is None else known
    if "$ref" in schema:
        there, target = checker.resolve(schema["$ref"])
        if id(target) not in known:
            known[id(target)] = _Referred()
            known[id(target)].test = predicate(target, there, known)
        return known[id(target)]
    tests = [
        *_of_value(schema, checker),
        *_of_object(schema, checker, known),
        *_of_array(schema, checker, known),
    ]
    for part in schema.get("allOf", ()):
        tests.append(predicate(part, checker, known))
    for keyword, enough in (("anyOf", any), ("oneOf", _exactly_one)):
        if keyword in schema:
            parts = [predicate(part, checker, known) for part in schema[keyword]]
            tests.append(_choice(parts, enough))
    if len(tests) == 1:
        return tests[0]
    return lambda instance: all(test(instance) for test in tests)


def _exactly_one(results: Any) -> bool:
    return bool(sum(results) == 1)


def _choice(parts: list[Predicate], enough: Callable[[Any], bool]) -> Predicate:
    return lambda instance: enough(part(instance) for part in parts)


def _of_value(schema: Mapping[str, Any], checker: Checker) -> list[Predicate]:
    tests: list[Predicate] = []
    if "type" in schema:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if names == ["number"]:
            numbers = checker.numbers
            tests.append(
                lambda x: type(x) in (float, int) or (isinstance(x, numbers) and not isinstance(x, bool))
            )
        else:
            tests.append(lambda x: any(checker.is_type(x, name) for name in names))
    if "const" in schema:
        const = schema["const"]
        tests.append(lambda x: bool(x == const))
    if "enum" in schema:
        allowed = schema["enum"]
        tests.append(lambda x: x in allowed)
    if "pattern" in schema:
        search = re.compile(schema["pattern"]).search
        tests.append(lambda x: not isinstance(x, str) or search(x) is not None)
    return tests


def _of_object(schema: Mapping[str, Any], checker: Checker, known: Known) -> list[Predicate]:
    if not any(key in schema for key in ("properties", "required", "additionalProperties", "minProperties")):
        return []
    # Fixed values first: they distinguish the alternatives of a choice.
    entries = sorted(schema.get("properties", {}).items(), key=lambda item: "const" not in item[1])
    parts = [(name, predicate(part, checker, known)) for name, part in entries]
    required, names = schema.get("required", ()), frozenset(schema.get("properties", {}))
    closed, least = schema.get("additionalProperties") is False, schema.get("minProperties", 0)

    def test(instance: Any) -> bool:
        if not isinstance(instance, Mapping):
            return True
        if any(name not in instance for name in required) or len(instance) < least:
            return False
        if closed and not names.issuperset(instance):
            return False
        return all(part(instance[name]) for name, part in parts if name in instance)

    return [test]


def _of_array(schema: Mapping[str, Any], checker: Checker, known: Known) -> list[Predicate]:
    if not any(key in schema for key in ("items", "minItems", "maxItems")):
        return []
    items = schema.get("items")
    part = predicate(items, checker, known) if isinstance(items, Mapping) else None
    least, most = schema.get("minItems", 0), schema.get("maxItems", float("inf"))
    arrays = checker.arrays

    def test(instance: Any) -> bool:
        if not isinstance(instance, arrays):
            return True
        sequence: Any = instance
        return least <= len(sequence) <= most and (part is None or all(map(part, sequence)))

    return [test]
