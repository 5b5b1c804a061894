"""Workspaces: channels, observations and measurements in one document.

workspace = Workspace(json.load(open("workspace.json")))
model = workspace.model()
data = workspace.data(model)
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from nextstat.screen import printable
from . import exceptions, schema
from ._jsonpatch import JsonPatch
from ._workspace_edit import Edit
from ._workspace_join import (
    VALID_JOINS,
    join_items,
    join_measurements,
    join_named,
    join_parameter_configs,
    join_versions,
)
from .mixins import _ChannelSummaryMixin
from .pdf import Model

log = logging.getLogger(__name__)

__all__ = ["Workspace"]


def __dir__() -> list[str]:
    return __all__


# pyhf's names, which its tests use
_join_items = join_items
_join_measurements = join_measurements
_join_parameter_configs = join_parameter_configs


class Workspace(_ChannelSummaryMixin, dict[str, Any]):
    """A workspace document: a dictionary with pyhf's methods."""

    valid_joins: ClassVar[list[str]] = VALID_JOINS

    def __init__(self, spec: Mapping[str, Any], validate: bool = True, **config_kwargs: Any) -> None:
        document = copy.deepcopy(dict(spec))
        self.schema: str = config_kwargs.pop("schema", "workspace.json")
        self.version: str | None = config_kwargs.pop("version", document.get("version"))
        if validate:
            log.info("Validating spec against schema: %s", self.schema)
            schema.validate(document, self.schema, version=self.version)
        super().__init__(document, channels=document["channels"])
        self.measurement_names = [measurement["name"] for measurement in self.get("measurements", [])]
        self.observations = {entry["name"]: entry["data"] for entry in self["observations"]}
        if config_kwargs:
            raise exceptions.Unsupported(f"Unsupported options were passed in: {list(config_kwargs)}.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Workspace) and dict(self) == dict(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return object.__repr__(self)

    def get_measurement(
        self, measurement_name: str | None = None, measurement_index: int | None = None
    ) -> dict[str, Any]:
        """The measurement of this name, else at this index, else the first."""
        if not self.measurement_names:
            raise exceptions.InvalidMeasurement("No measurements have been defined.")
        if measurement_name is not None:
            if measurement_name not in self.measurement_names:
                log.debug("measurements defined: %s", self.measurement_names)
                raise exceptions.InvalidMeasurement(
                    f"no measurement by name '{measurement_name}' was found in the workspace, "
                    f"which has {', '.join(self.measurement_names)}"
                )
            index = self.measurement_names.index(measurement_name)
        else:
            if measurement_index is None and len(self.measurement_names) > 1:
                log.warning("multiple measurements defined. Taking the first measurement.")
            index = measurement_index or 0
        try:
            measurement: dict[str, Any] = self["measurements"][index]
        except IndexError:
            raise exceptions.InvalidMeasurement(
                f"The measurement index {index} is out of bounds as only {len(self.measurement_names)} "
                "measurement(s) have been defined."
            ) from None
        schema.validate(measurement, "measurement.json", version=self.version)
        return measurement

    def model(
        self,
        measurement_name: str | None = None,
        measurement_index: int | None = None,
        patches: Sequence[Any] | None = None,
        **config_kwargs: Any,
    ) -> Model:
        """The model of a measurement, with JSON patches applied to the channels and parameter settings.

        `poi_name` overrides the measurement's parameter of interest (None: none); other keywords are the model's.
        """
        measurement = self.get_measurement(measurement_name, measurement_index)
        config_kwargs.setdefault("poi_name", measurement["config"]["poi"])
        log.debug("model being created for measurement %s", printable(measurement["name"]))
        spec: dict[str, Any] = {
            "channels": self["channels"],
            "parameters": measurement["config"]["parameters"],
        }
        for patch in patches or []:
            spec = JsonPatch(patch).apply(spec)
        return Model(spec, **config_kwargs)

    def data(self, model: Model, include_auxdata: bool = True) -> list[float]:
        """Observations in the order of the model's channels, then the model's auxiliary data."""
        try:
            observed = [count for name in model.config.channels for count in self.observations[name]]
        except KeyError:
            log.error(
                "Invalid channel: the workspace does not have observation data for one of the channels in the model.",
                exc_info=True,
            )
            raise
        return observed + list(model.config.auxdata) if include_auxdata else observed

    def _edited(self, edit: Edit) -> Workspace:
        edit.check(
            {
                "modifier types": [kind for _, kind in self.modifiers],
                "modifiers": [name for name, _ in self.modifiers],
                "samples": self.samples,
                "channels": self.channels,
                "measurements": self.measurement_names,
            }
        )
        return Workspace(edit.apply(self))

    def prune(
        self,
        modifiers: Sequence[str] | None = None,
        modifier_types: Sequence[str] | None = None,
        samples: Sequence[str] | None = None,
        channels: Sequence[str] | None = None,
        measurements: Sequence[str] | None = None,
    ) -> Workspace:
        """A new workspace without the named parts."""
        return self._edited(
            Edit(
                modifier_types=modifier_types or (),
                prune_modifiers=modifiers or (),
                prune_samples=samples or (),
                prune_channels=channels or (),
                prune_measurements=measurements or (),
            )
        )

    def rename(
        self,
        modifiers: Mapping[str, str] | None = None,
        samples: Mapping[str, str] | None = None,
        channels: Mapping[str, str] | None = None,
        measurements: Mapping[str, str] | None = None,
    ) -> Workspace:
        """A new workspace with parts renamed: {old: new}."""
        return self._edited(
            Edit(
                rename_modifiers=modifiers or {},
                rename_samples=samples or {},
                rename_channels=channels or {},
                rename_measurements=measurements or {},
            )
        )

    @classmethod
    def combine(
        cls, left: Workspace, right: Workspace, join: str = "none", merge_channels: bool = False
    ) -> Workspace:
        """A new workspace with the parts of both; `join` says what happens to names in both."""
        if join not in cls.valid_joins:
            raise ValueError(
                f"Workspaces must be joined using one of the valid join operations ({cls.valid_joins}); not {join}"
            )
        if merge_channels and join == "none":
            raise ValueError(
                "You can only merge channels using the 'outer', 'left outer', or 'right outer' join operations; "
                f"not {join}"
            )
        if join in ("left outer", "right outer"):
            log.warning(
                "You are using an unsafe join operation. This will silence exceptions that might be raised during "
                "a normal 'outer' operation."
            )
        merge = "samples" if merge_channels else None
        version = join_versions(left["version"], right["version"])
        document = {
            "channels": join_named(join, "channels", left["channels"], right["channels"], merge),
            "observations": join_named(join, "observations", left["observations"], right["observations"]),
            "measurements": join_measurements(join, left["measurements"], right["measurements"]),
            "version": version,
        }
        return cls(document)

    @classmethod
    def sorted(cls, workspace: Mapping[str, Any]) -> Workspace:
        """A new workspace with all parts sorted by name."""
        document = copy.deepcopy(dict(workspace))
        for part in ("channels", "measurements", "observations"):
            document[part].sort(key=lambda entry: entry["name"])
        for channel in document["channels"]:
            channel["samples"].sort(key=lambda entry: entry["name"])
            for sample in channel["samples"]:
                sample["modifiers"].sort(key=lambda entry: (entry["name"], entry["type"]))
        for measurement in document["measurements"]:
            measurement["config"]["parameters"].sort(key=lambda entry: entry["name"])
        return cls(document)

    @classmethod
    def build(cls, model: Model, data: Any, name: str = "measurement", validate: bool = True) -> Workspace:
        """A workspace from a model and its data."""
        settings = [
            {
                "bounds": [list(bound) for bound in model.config.param_set(parameter).suggested_bounds],
                "inits": model.config.param_set(parameter).suggested_init,
                "fixed": model.config.param_set(parameter).suggested_fixed_as_bool,
                "name": parameter,
            }
            for parameter in model.config.par_map
        ]
        slices = model.config.channel_slices
        document = {
            "channels": copy.deepcopy(model.spec["channels"]),
            "version": schema.version,
            "measurements": [
                {"name": name, "config": {"poi": model.config.poi_name, "parameters": settings}}
            ],
            "observations": [
                {"name": channel, "data": list(data[slices[channel]])} for channel in model.config.channels
            ],
        }
        return cls(document, validate=validate)
