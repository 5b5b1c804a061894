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

from nextstat.screen import printable

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


class PrintableError(Exception):
    """An exception whose text may quote names from documents: str() of it is safe to print."""

    def __str__(self) -> str:
        return printable(super().__str__())


class ValidationProblem(Protocol):
    """What `InvalidSpecification` reads from a failed validation (jsonschema's errors have it too)."""

    @property
    def message(self) -> str:
        """What is wrong."""

    @property
    def instance(self) -> Any:
        """The part of the document that is wrong."""

    @property
    def path(self) -> Iterable[int | str]:
        """Where it is."""


class Unsupported(PrintableError):
    """The configuration does not support the request."""


class InvalidMeasurement(PrintableError):
    """The workspace has no such measurement, or none at all."""


class InvalidNameReuse(PrintableError):
    """One name is used by modifiers whose parameters cannot be shared."""


class SchemaNotFound(PrintableError, FileNotFoundError):
    """No schema file of this name and version."""


class InvalidSpecification(PrintableError):
    """A document does not follow its schema; `path` says where, `instance` is the value there."""

    def __init__(self, ValidationError: ValidationProblem, schema: str | None = None) -> None:
        self.exc_info = sys.exc_info()
        self.parent = ValidationError
        self.schema = schema
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in ValidationError.path)
        self.path = "".join(steps).lstrip(".")
        self.instance = ValidationError.instance
        message, path, instance = map(printable, (ValidationError.message, self.path, str(self.instance)))
        super().__init__(f"{message}.\n\tPath: {path}\n\tInstance: {instance} Schema: {self.schema}")

    def __str__(self) -> str:
        return Exception.__str__(self)


class InvalidArchiveHost(PrintableError):
    """The host of the archive is not on the list of approved hosts."""


class InvalidArchive(PrintableError):
    """What was downloaded from the archive's URL is not an archive."""


class InvalidPatchSet(PrintableError):
    """The patch set follows its schema but contradicts itself."""


class InvalidPatchLookup(PrintableError):
    """The patch set has no patch of this name or these values."""


class PatchSetVerificationError(PrintableError):
    """The workspace is not the one that the patch set was made for."""


class InvalidWorkspaceOperation(PrintableError):
    """Workspaces cannot be combined, pruned or renamed this way."""


class UnspecifiedPOI(PrintableError):
    """The model has no parameter of interest and the request needs one."""


class InvalidModel(PrintableError):
    """The specification follows its schema but does not make a model."""


class InvalidModifier(PrintableError):
    """A modifier of unknown type, or with data that do not fit its sample."""


class InvalidInterpCode(PrintableError):
    """No interpolation of this name."""


class InvalidTestStatistic(PrintableError):
    """No test statistic of this name."""


class ImportBackendError(PrintableError):
    """The requested tensor library cannot be used."""


class InvalidBackend(PrintableError):
    """No tensor library of this name."""


class InvalidOptimizer(PrintableError):
    """No optimizer of this name."""


class InvalidPdfParameters(PrintableError):
    """A density was called with the wrong number of parameters."""


class InvalidPdfData(PrintableError):
    """A density was called with the wrong number of data."""


class FailedMinimization(PrintableError):
    """A fit did not converge; `result` has what was found."""

    def __init__(self, result: Any) -> None:
        self.result = result
        super().__init__(getattr(result, "message", "The fit failed; its result says more."))


def _deprecated_api_warning(old: str, new: str, deprecated_release: str, remove_release: str) -> None:
    """Warns the caller's caller that a name will be removed."""
    warnings.warn(
        f"{old} is deprecated in favor of {new} as of pyhf v{deprecated_release} and will be removed in "
        f"pyhf v{remove_release}. Please use {new}.",
        DeprecationWarning,
        stacklevel=3,
    )
