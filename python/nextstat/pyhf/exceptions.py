"""The exceptions of the pyhf interface: same names and same use as in pyhf 0.7.6.

try:
    model = workspace.model()
except exceptions.InvalidModel as error:
    print(error)
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import Any, Protocol

__all__ = [
    "FailedMinimization",
    "ImportBackendError",
    "InvalidArchive",
    "InvalidArchiveHost",
    "InvalidBackend",
    "InvalidInterpCode",
    "InvalidMeasurement",
    "InvalidModel",
    "InvalidModifier",
    "InvalidNameReuse",
    "InvalidOptimizer",
    "InvalidPatchLookup",
    "InvalidPatchSet",
    "InvalidPdfData",
    "InvalidPdfParameters",
    "InvalidSpecification",
    "InvalidTestStatistic",
    "InvalidWorkspaceOperation",
    "PatchSetVerificationError",
    "SchemaNotFound",
    "UnspecifiedPOI",
    "Unsupported",
]


class ValidationProblem(Protocol):
    """What `InvalidSpecification` reads of a failed validation (jsonschema's errors have it too)."""

    @property
    def message(self) -> str:
        """What is wrong."""

    @property
    def instance(self) -> Any:
        """The part of the document that is wrong."""

    @property
    def path(self) -> Iterable[int | str]:
        """Where it is."""


class Unsupported(Exception):
    """Asked for something that this configuration cannot do."""


class InvalidMeasurement(Exception):
    """The workspace has no such measurement, or none at all."""


class InvalidNameReuse(Exception):
    """One name is used by modifiers whose parameters cannot be shared."""


class SchemaNotFound(FileNotFoundError):
    """No schema file of this name and version."""


class InvalidSpecification(Exception):
    """A document does not follow its schema; `path` says where, `instance` what stands there."""

    def __init__(self, ValidationError: ValidationProblem, schema: str | None = None) -> None:
        self.exc_info = sys.exc_info()
        self.parent = ValidationError
        self.schema = schema
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in ValidationError.path)
        self.path = "".join(steps).lstrip(".")
        self.instance = ValidationError.instance
        super().__init__(
            f"{ValidationError.message}.\n\tPath: {self.path}\n\tInstance: {self.instance} Schema: {self.schema}"
        )


class InvalidArchiveHost(Exception):
    """The archive would come from a host that is not on the list."""


class InvalidArchive(Exception):
    """What came from the archive's address is not an archive."""


class InvalidPatchSet(Exception):
    """The patch set follows its schema but contradicts itself."""


class InvalidPatchLookup(Exception):
    """The patch set has no patch of this name or these values."""


class PatchSetVerificationError(Exception):
    """The workspace is not the one that the patch set was made for."""


class InvalidWorkspaceOperation(Exception):
    """Workspaces cannot be combined, pruned or renamed this way."""


class UnspecifiedPOI(Exception):
    """The model has no parameter of interest and the request needs one."""


class InvalidModel(Exception):
    """The specification follows its schema but does not make a model."""


class InvalidModifier(Exception):
    """A modifier of unknown type, or with data that do not fit its sample."""


class InvalidInterpCode(Exception):
    """No interpolation of this name."""


class InvalidTestStatistic(Exception):
    """No test statistic of this name."""


class ImportBackendError(Exception):
    """The tensor library asked for cannot be used."""


class InvalidBackend(Exception):
    """No tensor library of this name."""


class InvalidOptimizer(Exception):
    """No optimizer of this name."""


class InvalidPdfParameters(Exception):
    """A density was asked for with the wrong number of parameters."""


class InvalidPdfData(Exception):
    """A density was asked for with the wrong number of data."""


class FailedMinimization(Exception):
    """A fit did not converge; `result` holds what there is."""

    def __init__(self, result: Any) -> None:
        self.result = result
        super().__init__(getattr(result, "message", "The fit failed; its result says more."))


def _deprecated_api_warning(old: str, new: str, deprecated_release: str, remove_release: str) -> None:
    """Warns the caller's caller that a name will go away."""
    warnings.warn(
        f"{old} is deprecated in favor of {new} as of pyhf v{deprecated_release} and will be removed in "
        f"pyhf v{remove_release}. Please use {new}.",
        DeprecationWarning,
        stacklevel=3,
    )
