"""A pyhf model as a workspace: its channels, its parameter settings, and its nominal rates as observations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import fail

_KNOWN = {"histosys", "lumi", "normfactor", "normsys", "shapefactor", "shapesys", "staterror"}


def is_pyhf_model(value: Any) -> bool:
    """Whether this looks like pyhf.Model (pyhf itself need not be installed)."""
    return hasattr(value, "spec") and hasattr(value, "config") and hasattr(value.config, "par_order")


def _check_modifiers(model: Any) -> None:
    for name, kind in model.config.modifiers:
        if kind not in _KNOWN:
            fail(f"modifier {name}", f'the model has a custom modifier of type "{kind}", which the engine does not support',
                 f"use pyhf for this model, or express the modifier with {', '.join(sorted(_KNOWN))}")


def codes_of(model: Any) -> dict[str, str]:
    """Interpolation codes that the model was built with."""
    settings = model.config.modifier_settings  # pyhf's default sets both; these apply if a type is missing
    return {"normsys_code": settings.get("normsys", {}).get("interpcode", "code1"),
            "histosys_code": settings.get("histosys", {}).get("interpcode", "code0")}


def plain(value: Any) -> Any:
    """The same document with arrays and tuples converted to lists and numbers."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def _complete(model: Any, setting: dict[str, Any]) -> dict[str, Any]:
    """Adds the model's sigma and bounds to a lumi setting without them."""
    if setting["name"] != "lumi" or "lumi" not in model.config.par_order:
        return setting
    parameter = model.config.param_set("lumi")
    of_model = {"sigmas": getattr(parameter, "sigmas", None), "bounds": parameter.suggested_bounds}
    return {key: plain(value) for key, value in of_model.items() if value is not None} | setting


def workspace_of(model: Any) -> dict[str, Any]:
    """A workspace whose model is this one. pyhf models have no observations: the nominal rates are used instead."""
    _check_modifiers(model)
    channels = plain(model.spec["channels"])
    observations = []
    for channel in channels:
        rates = [sum(column) for column in zip(*(sample["data"] for sample in channel["samples"]))]
        observations.append({"name": channel["name"], "data": [max(0.0, float(rate)) for rate in rates]})
    settings = [_complete(model, setting) for setting in plain(model.spec.get("parameters", []))]
    config = {"poi": model.config.poi_name or "", "parameters": settings}
    return {"channels": channels, "observations": observations, "version": "1.0.0",
            "measurements": [{"name": "pyhf", "config": config}]}
