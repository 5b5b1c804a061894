"""Patch sets: one background-only workspace, many signals.

patchset = PatchSet(json.load(open("patchset.json")))
workspace = patchset.apply(background, "C1N2_Wh_hbb_900_250")
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from nextstat.screen import printable
from . import exceptions, schema, utils
from ._jsonpatch import JsonPatch
from .workspace import Workspace

log = logging.getLogger(__name__)

__all__ = ["Patch", "PatchSet"]


def __dir__() -> list[str]:
    return __all__


class Patch(JsonPatch):
    """A JSON patch with a name and values."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        super().__init__(spec["patch"])
        self._metadata: dict[str, Any] = spec["metadata"]

    @property
    def metadata(self) -> dict[str, Any]:
        """Name, values and other metadata of this patch."""
        return self._metadata

    @property
    def name(self) -> str:
        """The patch's name."""
        return str(self.metadata["name"])

    @property
    def values(self) -> tuple[Any, ...]:
        """One value per label of the patch set."""
        return tuple(self.metadata["values"])

    def __repr__(self) -> str:
        kind = f"{type(self).__module__}.{type(self).__qualname__}"
        return f"<{kind} object '{printable(self.name)}{self.values}' at {hex(id(self))}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Patch) and super().__eq__(other) and self.metadata == other.metadata

    __hash__ = JsonPatch.__hash__


class PatchSet:
    """Patches by name (`patchset["name"]`) or by values (`patchset[900, 250]`), in the order of the file."""

    def __init__(self, spec: Mapping[str, Any], **config_kwargs: Any) -> None:
        self.schema: str = config_kwargs.pop("schema", "patchset.json")
        self._version: str | None = config_kwargs.pop("version", spec.get("version"))
        log.info("Validating spec against schema: %s", self.schema)
        schema.validate(spec, self.schema, version=self._version)
        self._metadata: dict[str, Any] = spec["metadata"]
        self._patches: list[Patch] = []
        self._patches_by_key: dict[Any, Patch] = {}
        for entry in spec["patches"]:
            self._add(Patch(entry))

    def _add(self, patch: Patch) -> None:
        if patch.name in self._patches_by_key:
            raise exceptions.InvalidPatchSet(f"Multiple patches were defined by name for {patch}.")
        if patch.values in self._patches_by_key:
            raise exceptions.InvalidPatchSet(f"Multiple patches were defined by values for {patch}.")
        if len(patch.values) != len(self.labels):
            raise exceptions.InvalidPatchSet(
                f"Incompatible number of values ({len(patch.values)}) for {patch} in patchset. "
                f"Expected {len(self.labels)}."
            )
        self._patches.append(patch)
        self._patches_by_key[patch.name] = patch
        self._patches_by_key[patch.values] = patch

    @property
    def version(self) -> str | None:
        """Version of the format."""
        return self._version

    @property
    def metadata(self) -> dict[str, Any]:
        """Metadata of the set."""
        return self._metadata

    @property
    def references(self) -> dict[str, str]:
        """Where the set was published."""
        return dict(self.metadata["references"])

    @property
    def description(self) -> str:
        """Description of the set."""
        return str(self.metadata["description"])

    @property
    def digests(self) -> dict[str, str]:
        """Digests of the background-only workspace, by algorithm."""
        return dict(self.metadata["digests"])

    @property
    def labels(self) -> list[str]:
        """What the values of the patches mean."""
        return list(self.metadata["labels"])

    @property
    def patches(self) -> list[Patch]:
        """All patches."""
        return self._patches

    def __repr__(self) -> str:
        kind = f"{type(self).__module__}.{type(self).__qualname__}"
        plural = "" if len(self) == 1 else "es"
        return f"<{kind} object with {len(self)} patch{plural} at {hex(id(self))}>"

    def __getitem__(self, key: Any) -> Patch:
        if isinstance(key, list):
            key = tuple(key)
        try:
            return self._patches_by_key[key]
        except KeyError:
            raise exceptions.InvalidPatchLookup(
                f'No patch associated with "{key}" is defined in patchset.'
            ) from None

    def __iter__(self) -> Iterator[Patch]:
        return iter(self.patches)

    def __len__(self) -> int:
        return len(self.patches)

    def verify(self, spec: Mapping[str, Any]) -> None:
        """Raises if the workspace is not the one that the set was made for."""
        for algorithm, expected in self.digests.items():
            found = utils.digest(spec, algorithm=algorithm)
            if found != expected:
                raise exceptions.PatchSetVerificationError(
                    f"The digest verification failed for hash algorithm '{algorithm}'. "
                    f"Expected: {expected}. Got: {found}"
                )

    def apply(self, spec: Mapping[str, Any], key: Any) -> Workspace:
        """The workspace with one patch applied, after `verify`."""
        self.verify(spec)
        return Workspace(self[key].apply(dict(spec)))
