"""Joining the parts of two workspaces, by name.

none          no name may be in both
outer         items with the same name must be equal
left outer    the left item wins
right outer   the right item wins
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .exceptions import InvalidWorkspaceOperation

Item = dict[str, Any]
Items = Sequence[Mapping[str, Any]]

VALID_JOINS = ["none", "outer", "left outer", "right outer"]


def join_items(
    join: str, left_items: Items, right_items: Items, key: str = "name", deep_merge_key: str | None = None
) -> list[Item]:
    """The items of both lists; with `deep_merge_key`, items of the same name have the lists under that key joined."""
    first, second = (right_items, left_items) if join == "right outer" else (left_items, right_items)
    joined: list[Item] = [copy.deepcopy(dict(item)) for item in first]
    place = {item[key]: index for index, item in reversed(list(enumerate(joined)))}
    for item in second:
        name = item[key]
        if name in place and deep_merge_key is not None:
            target = joined[place[name]]
            target[deep_merge_key] = join_items("left outer", target[deep_merge_key], item[deep_merge_key])
        elif (
            join == "none"
            or (join == "outer" and item not in first)
            or (join.endswith(" outer") and name not in place)
        ):
            joined.append(copy.deepcopy(dict(item)))
    return joined


def join_named(join: str, what: str, left: Items, right: Items, merge: str | None = None) -> list[Item]:
    """Channels or observations of two workspaces."""
    joined = join_items(join, left, right, deep_merge_key=merge)
    _refuse_common(join, what, left, right)
    if join == "outer":
        twice = [name for name, count in Counter(item["name"] for item in joined).items() if count > 1]
        if twice:
            raise InvalidWorkspaceOperation(
                f"Workspaces cannot have {what} in common with incompatible structure: {twice}. "
                f"You can also try a different join operation: {VALID_JOINS}."
            )
    return joined


def join_measurements(join: str, left: Items, right: Items) -> list[Item]:
    """Measurements of two workspaces; with `outer`, those with the same name and POI are merged."""
    joined = join_items(join, left, right)
    _refuse_common(join, "measurements", left, right)
    if join != "outer":
        return joined
    by_name: dict[str, list[Item]] = {}
    for measurement in joined:
        by_name.setdefault(measurement["name"], []).append(measurement)
    differing = [
        name for name, same in by_name.items() if len({entry["config"]["poi"] for entry in same}) > 1
    ]
    if differing:
        raise InvalidWorkspaceOperation(
            f"Workspaces cannot have the same measurements with incompatible POI: {differing}."
        )
    return [same[0] if len(same) == 1 else _merged(name, same) for name, same in by_name.items()]


def _merged(name: str, same: Sequence[Item]) -> Item:
    first, second = same
    settings = join_parameter_configs(name, first["config"]["parameters"], second["config"]["parameters"])
    return {"name": name, "config": {"poi": first["config"]["poi"], "parameters": settings}}


def join_parameter_configs(measurement_name: str, left: Items, right: Items) -> list[Item]:
    """Parameter settings of two measurements of the same name; those of the same parameter must be equal."""
    settings = join_items("outer", left, right)
    twice = [entry for entry, count in Counter(item["name"] for item in settings).items() if count > 1]
    if twice:
        raise InvalidWorkspaceOperation(
            f"Workspaces cannot have a measurement ({measurement_name}) with incompatible parameter configs: {twice}. "
            f"You can also try a different join operation: {VALID_JOINS}."
        )
    return settings


def _refuse_common(join: str, what: str, left: Items, right: Items) -> None:
    common = {item["name"] for item in left} & {item["name"] for item in right}
    if join == "none" and common:
        raise InvalidWorkspaceOperation(
            f"Workspaces cannot have any {what} in common with the same name: {common}. "
            f"You can also try a different join operation: {VALID_JOINS}."
        )


def join_versions(left: str, right: str) -> str:
    """The common version."""
    if left != right:
        raise InvalidWorkspaceOperation(
            f"Workspaces of different versions cannot be combined: {left} != {right}"
        )
    return left
