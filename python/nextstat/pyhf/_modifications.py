"""What each modifier does to each sample, as returned by pyhf's `model._modifications`.

    deltas, factors = modifications(spec, config, parameters, batch_size=None)

One array per type of modifier that the model has, [modifier][sample][row][bin]: differences to add (histosys), then
factors. The model's rates come from the core, not from here; this is for inspecting a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import interpolators
from ._config import _ModelConfig
from .modifiers import histfactory_set

Array = npt.NDArray[Any]
Modifier = Mapping[str, Any]


def modifications(
    spec: Mapping[str, Any], config: _ModelConfig, pars: Any, batch_size: int | None
) -> tuple[list[Array], list[Array]]:
    """Differences and factors at these parameters, types in pyhf's order."""
    values = np.reshape(np.asarray(pars, dtype=float), (batch_size or 1, config.npars))
    deltas: list[Array] = []
    factors: list[Array] = []
    for kind in histfactory_set:
        names = [name for name, other in config.modifiers if other == kind]
        if names:
            shape = (len(names), len(config.samples), len(values), config.nmaindata)
            result = np.zeros(shape) if kind == "histosys" else np.ones(shape)
            _fill(result, kind, names, spec, config, values)
            (deltas if kind == "histosys" else factors).append(result)
    return deltas, factors


def _fill(
    result: Array, kind: str, names: list[str], spec: Mapping[str, Any], config: _ModelConfig, values: Array
) -> None:
    by_name = {channel["name"]: channel for channel in spec["channels"]}
    begin: dict[tuple[str, str], int] = {}  # (modifier, sample) -> parameters used by earlier channels
    for channel in config.channels:
        for sample in by_name[channel]["samples"]:
            for modifier in sample["modifiers"]:
                if modifier["type"] != kind:
                    continue
                key = (modifier["name"], sample["name"])
                place = names.index(modifier["name"]), config.samples.index(sample["name"])
                own = values[:, config.par_slice(modifier["name"])]
                if kind in ("staterror", "shapesys"):
                    own = own[:, begin.get(key, 0) :]
                    begin[key] = begin.get(key, 0) + len(sample["data"])
                bins = config.channel_slices[channel]
                result[(*place, slice(None), bins)] = _effect(kind, modifier, sample["data"], own, config)


def _effect(kind: str, modifier: Modifier, nominal: Any, own: Array, config: _ModelConfig) -> Array:
    """[row][bin] of one modifier on one sample in one channel; `own`: its parameters from here on, [row][parameter]."""
    if kind in ("staterror", "shapesys", "shapefactor"):
        return own[:, : len(nominal)]
    if kind in ("lumi", "normfactor"):
        return np.broadcast_to(own, (len(own), len(nominal)))
    default = {"histosys": "code0", "normsys": "code1"}[kind]
    code = getattr(interpolators, config.modifier_settings.get(kind, {}).get("interpcode", default))
    data = modifier["data"]
    if kind == "histosys":
        histograms = [data["lo_data"], nominal, data["hi_data"]]
    else:
        histograms = [[factor] * len(nominal) for factor in (data["lo"], 1.0, data["hi"])]
    result: Array = code([[histograms]])(own.T)[0, 0]
    return result
