"""Conversion of parameter names to and from ROOT's names."""

from __future__ import annotations

import re
from typing import Any

from nextstat.screen import printable
from .parameters import paramset

__all__ = ["interpret_rootname", "paramset_to_rootnames"]


def __dir__() -> list[str]:
    return __all__


def paramset_to_rootnames(paramset: paramset) -> str | list[str]:
    """ROOT's name for a scalar parameter, or the list of names of a set with one parameter per bin.

    `lumi` is `Lumi`, a constrained scalar `alpha_NAME`, a free one `NAME`, sets `gamma_NAME_0` and so on.
    """
    if paramset.name == "lumi":
        return "Lumi"
    if not paramset.is_scalar:
        return [f"gamma_{paramset.name}_{index}" for index in range(paramset.n_parameters)]
    return f"alpha_{paramset.name}" if paramset.constrained else paramset.name


def interpret_rootname(rootname: str) -> dict[str, Any]:
    """What a ROOT name says: `constrained`, `is_scalar`, `name`, `element`; "n/a" for what it does not say."""
    meaning: dict[str, Any] = {"constrained": "n/a", "is_scalar": True, "name": "n/a", "element": "n/a"}
    if rootname.startswith("gamma_"):
        found = re.fullmatch(r"gamma_(.+)_(\d+)", rootname)
        if found is None:
            raise ValueError(f"confusing rootname {printable(rootname)}: gamma_NAME_INDEX was expected")
        return {**meaning, "is_scalar": False, "name": found[1], "element": int(found[2])}
    if rootname.startswith("alpha_"):
        if rootname == "alpha_":
            raise ValueError(f"confusing rootname {printable(rootname)}: alpha_NAME was expected")
        return {**meaning, "constrained": True, "name": rootname.removeprefix("alpha_")}
    return {**meaning, "constrained": False, "name": "lumi" if rootname == "Lumi" else rootname}
