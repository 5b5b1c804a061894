"""One set of settings per parameter name, from what the modifiers require and the user configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..exceptions import InvalidModel, InvalidNameReuse

__all__ = ["reduce_paramsets_requirements"]


def __dir__() -> list[str]:
    return __all__


_KEYS = (
    "paramset_type",
    "n_parameters",
    "is_scalar",
    "inits",
    "bounds",
    "auxdata",
    "factors",
    "sigmas",
    "fixed",
)
_UNDEFINED = "undefined"


def reduce_paramsets_requirements(
    paramsets_requirements: Mapping[str, Sequence[Mapping[str, Any]]],
    paramsets_user_configs: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Settings by parameter name. Raises if modifiers of the same name disagree or a setting does not fit."""
    return {
        name: _reduced(name, requirements, paramsets_user_configs.get(name, {}))
        for name, requirements in paramsets_requirements.items()
    }


def _reduced(name: str, requirements: Sequence[Mapping[str, Any]], user: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = {"name": name}
    for key in _KEYS:
        values = {requirement.get(key, _UNDEFINED) for requirement in requirements}
        if len(values) != 1:
            raise InvalidNameReuse(
                f"Multiple values for '{key}' ({list(values)}) were found for {name}. "
                "Use unique modifier names when constructing the pdf."
            )
        value = _chosen(name, key, values.pop(), user)
        if not (isinstance(value, str) and value == _UNDEFINED):
            settings[key] = value
    return settings


def _chosen(name: str, key: str, default: Any, user: Mapping[str, Any]) -> Any:
    """The user's value if there is one, else the modifier's own (a tuple, made a list). Raises if it does not fit."""
    value = user.get(key, default)
    if isinstance(value, tuple):
        return list(value)
    defined = not (isinstance(default, str) and default == _UNDEFINED)
    if isinstance(value, list) and default and len(value) != len(default) and defined:
        raise InvalidModel(
            f"Incorrect number of values ({len(value)}) for {key} were configured by you, "
            f"expected {len(default)}."
        )
    if value and not defined and key in user:
        raise InvalidModel(f"{name} does not use the {key} attribute.")
    return value
