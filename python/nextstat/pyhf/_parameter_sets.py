"""The parameter sets of a specification, in pyhf's order, with the errors that pyhf raises.

sets = parameter_sets(spec, config)      # {name: paramset}
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from nextstat.from_pyhf_model import plain
from . import parameters
from .exceptions import InvalidModel, InvalidModifier
from .mixins import _ChannelSummaryMixin
from .modifiers import histfactory_set
from .modifiers import staterror as staterror_rule

Spec = Mapping[str, Any]
Placed = dict[tuple[str, str], tuple[Mapping[str, Any], dict[tuple[str, str], Mapping[str, Any]]]]


def parameter_sets(spec: Spec, summary: _ChannelSummaryMixin) -> dict[str, parameters.paramset]:
    """Parameter sets by name: by type of modifier, within a type by channel, sample and modifier."""
    placed = _placed(spec)
    _check_lengths(summary, placed)
    required = _required(summary, placed)
    reduced = parameters.reduce_paramsets_requirements(required, _user_settings(spec))
    if not reduced:
        raise InvalidModel("No parameters specified for the Model.")
    return {name: _paramset(name, settings) for name, settings in reduced.items()}


def _paramset(name: str, settings: Mapping[str, Any]) -> parameters.paramset:
    missing = [
        key for key in ("inits", "bounds", "auxdata", "sigmas") if key in settings and settings[key] is None
    ]
    if missing and set(missing) <= {"sigmas", "bounds"}:
        settings = _filled(name, settings, missing)
    elif missing:
        raise InvalidModel(
            f"{name} has no {', '.join(missing)}: lumi has no defaults, give them under 'parameters' of the "
            "measurement."
        )
    kind: type[parameters.paramset] = getattr(parameters, settings["paramset_type"])
    return kind(**settings)


def _filled(name: str, settings: Mapping[str, Any], missing: list[str]) -> dict[str, Any]:
    """Fills in what pyhf does not require of a lumi: a sigma of 1, and bounds of five sigmas."""
    filled = dict(settings)
    if "sigmas" in missing:
        filled["sigmas"] = (1.0,) * len(filled["auxdata"])
    if "bounds" in missing:
        pairs = zip(filled["auxdata"], filled["sigmas"], strict=True)
        filled["bounds"] = tuple((center - 5 * sigma, center + 5 * sigma) for center, sigma in pairs)
    taken = ", ".join(f"{key} {plain(filled[key])}" for key in ("sigmas", "bounds") if key in missing)
    warnings.warn(
        f"{name} has no {' and no '.join(missing)} under 'parameters' of the measurement: taken are {taken}",
        UserWarning,
        stacklevel=2,
    )
    return filled


def _placed(spec: Spec) -> Placed:
    """(channel, sample) -> (the sample, its modifiers by (name, type))."""
    placed: Placed = {}
    seen: set[tuple[str, str]] = set()
    for channel in spec["channels"]:
        for sample in channel["samples"]:
            own: dict[tuple[str, str], Mapping[str, Any]] = {}
            for modifier in sample["modifiers"]:
                key = (modifier["name"], modifier["type"])
                if modifier["type"] not in histfactory_set:
                    raise InvalidModifier(f"{modifier['type']} not among {list(histfactory_set)}")
                if not histfactory_set[modifier["type"]].is_shared and (key in seen or key in own):
                    raise InvalidModel(
                        f"Trying to add paramset {key[1]}/{key[0]} on {sample['name']} sample in {channel['name']} "
                        "channel but other paramsets exist with the same name."
                    )
                own[key] = modifier
            placed[channel["name"], sample["name"]] = (sample, own)
            seen.update(own)
    return placed


def _check_lengths(summary: _ChannelSummaryMixin, placed: Placed) -> None:
    for (channel, _), (sample, _) in sorted(placed.items(), key=lambda item: item[0]):
        bins = summary.channel_nbins[channel]
        if len(sample["data"]) != bins:
            raise InvalidModel(f"expected {bins} size sample data but got {len(sample['data'])}")
    for (channel, sample_name), (sample, own) in placed.items():
        for (name, kind), modifier in own.items():
            data = modifier.get("data")
            lengths: dict[str, int] = {}
            if kind == "histosys" and isinstance(data, Mapping):
                lengths = {key: len(entry) for key, entry in data.items()}
            elif kind in ("shapesys", "staterror") and data is not None:
                lengths = {"data": len(data)}
            if any(length != len(sample["data"]) for length in lengths.values()):
                raise InvalidModifier(
                    f"The '{sample_name}' sample {kind} modifier '{name}' has data shape inconsistent with the "
                    f"sample. {sample_name} has 'data' of length {len(sample['data'])} but {name} has "
                    + " and ".join(f"'{key}' of length {length}" for key, length in lengths.items())
                    + f" in channel '{channel}'."
                )


def _required(summary: _ChannelSummaryMixin, placed: Placed) -> dict[str, list[dict[str, Any]]]:
    """What the modifiers require of each parameter name; a name in two types has two entries."""
    by_type: dict[str, dict[str, dict[str, Any]]] = {kind: {} for kind in histfactory_set}
    statistical: dict[str, dict[str, list[staterror_rule.Part]]] = {}
    for channel in summary.channels:
        for sample_name in summary.samples:
            sample, own = placed.get((channel, sample_name), ({}, {}))
            for name, kind in summary.modifiers:
                modifier = own.get((name, kind))
                if modifier is None:
                    continue
                rule = histfactory_set[kind]
                if rule.required is not None:
                    by_type[kind].setdefault(name, rule.required(sample["data"], modifier.get("data")))
                else:
                    parts = statistical.setdefault(name, {}).setdefault(sample_name, [])
                    parts.append((channel, sample["data"], modifier["data"]))
    nominal = {key: sample["data"] for key, (sample, _) in placed.items()}
    for name in sorted(statistical):
        by_type["staterror"][name] = staterror_rule.required(name, statistical[name], nominal)
    required: dict[str, list[dict[str, Any]]] = {}
    for of_type in by_type.values():
        for name, requirement in of_type.items():
            required.setdefault(name, []).append(requirement)
    return required


def _user_settings(spec: Spec) -> dict[str, Mapping[str, Any]]:
    settings: dict[str, Mapping[str, Any]] = {}
    for parameter in spec.get("parameters", []):
        if parameter["name"] in settings:
            raise InvalidModel(f"Multiple parameter configurations for {parameter['name']} were found.")
        settings[parameter["name"]] = parameter
    return settings
