"""Removing and renaming parts of a workspace specification."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .exceptions import InvalidWorkspaceOperation

Spec = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Edit:
    """What to remove (`prune`) and what to rename (`rename`), by kind of part."""

    modifier_types: Sequence[str] = ()
    prune_modifiers: Sequence[str] = ()
    prune_samples: Sequence[str] = ()
    prune_channels: Sequence[str] = ()
    prune_measurements: Sequence[str] = ()
    rename_modifiers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    rename_samples: Mapping[str, str] = dataclasses.field(default_factory=dict)
    rename_channels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    rename_measurements: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def check(self, known: Mapping[str, Collection[str]]) -> None:
        """Raises for names that the workspace does not have. `known`: kind of part -> names."""
        wanted = {
            "modifier types": [*self.modifier_types],
            "modifiers": [*self.prune_modifiers, *self.rename_modifiers],
            "samples": [*self.prune_samples, *self.rename_samples],
            "channels": [*self.prune_channels, *self.rename_channels],
            "measurements": [*self.prune_measurements, *self.rename_measurements],
        }
        for kind, names in wanted.items():
            for name in names:
                if name not in known[kind]:
                    raise InvalidWorkspaceOperation(f"{name} is not one of the {kind} in this workspace.")

    def apply(self, spec: Spec) -> dict[str, Any]:
        """The edited specification."""
        return {
            "channels": [
                {
                    "name": _renamed(channel, self.rename_channels),
                    "samples": [
                        self._sample(sample)
                        for sample in channel["samples"]
                        if sample["name"] not in self.prune_samples
                    ],
                }
                for channel in spec["channels"]
                if channel["name"] not in self.prune_channels
            ],
            "measurements": [
                self._measurement(measurement)
                for measurement in spec["measurements"]
                if measurement["name"] not in self.prune_measurements
            ],
            "observations": [
                {**copy.deepcopy(observation), "name": _renamed(observation, self.rename_channels)}
                for observation in spec["observations"]
                if observation["name"] not in self.prune_channels
            ],
            "version": spec["version"],
        }

    def _sample(self, sample: Spec) -> dict[str, Any]:
        modifiers = [
            {**modifier, "name": _renamed(modifier, self.rename_modifiers)}
            for modifier in sample["modifiers"]
            if modifier["name"] not in self.prune_modifiers and modifier["type"] not in self.modifier_types
        ]
        return {"name": _renamed(sample, self.rename_samples), "data": sample["data"], "modifiers": modifiers}

    def _measurement(self, measurement: Spec) -> dict[str, Any]:
        config = measurement["config"]
        parameters = [
            {**parameter, "name": _renamed(parameter, self.rename_modifiers)}
            for parameter in config["parameters"]
            if parameter["name"] not in self.prune_modifiers
        ]
        poi = self.rename_modifiers.get(config["poi"], config["poi"])
        return {
            "name": _renamed(measurement, self.rename_measurements),
            "config": {"parameters": parameters, "poi": poi},
        }


def _renamed(item: Spec, names: Mapping[str, str]) -> str:
    return names.get(item["name"], item["name"])
