"""Exceptions. Each says where, what is wrong, and what to do next.

    try:
        nextstat.fit("analysis.json")
    except nextstat.Error as error:
        for fault in error.faults:
            print(fault.where, fault.what, fault.hint)
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from .screen import printable

if TYPE_CHECKING:
    from .results.base import Record

__all__ = ["DeviceError", "Error", "Fault", "InputError", "Interrupted", "LimitError", "MissingFileError",
           "NotFoundError"]


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: `where` is an argument, a file or a JSON pointer; `hint` is one next step."""

    code: str
    where: str
    what: str
    hint: str

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        step = f" ({self.hint})" if self.hint else ""
        return printable(f"{place}{self.what}{step}")


class Error(Exception):
    """What nextstat raises; `faults` lists all that was found, not only the first."""

    def __init__(self, faults: Sequence[Fault] | str) -> None:
        self.faults: tuple[Fault, ...] = (Fault("bad_usage", "", faults, ""),) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self) -> tuple[type[Error], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


class InputError(Error, ValueError):
    """A document, a value or an argument is wrong."""


class NotFoundError(Error, LookupError):
    """A file, a measurement, a parameter or another named thing does not exist."""


class MissingFileError(NotFoundError, FileNotFoundError):
    """A file does not exist."""


class LimitError(Error, ValueError):
    """Larger than the stated limits."""


class DeviceError(Error, RuntimeError):
    """The requested device is not available or cannot be used."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. `result` holds what was finished before it."""

    def __init__(self, result: Record) -> None:
        self.result = result
        super().__init__("interrupted; what was finished is in .result of this exception")


_KINDS: dict[str, type[Error]] = {
    "not_found": NotFoundError,
    "limit_exceeded": LimitError,
    "device_unavailable": DeviceError,
}

def exception_of(rows: Sequence[tuple[str, str, str, str]], file_missing: bool = False) -> Error:
    """The exception for errors of the library, given as (code, where, what, hint)."""
    faults = [Fault(*row) for row in rows]
    if file_missing:
        return MissingFileError(faults)
    return _KINDS.get(faults[0].code, InputError)(faults)


@contextmanager
def of_file(source: Any) -> Iterator[None]:
    """Faults found inside say which file they are about, where the source is a path."""
    try:
        yield
    except Error as error:
        name = str(source) if isinstance(source, (str, os.PathLike)) else ""
        if not name or name.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") or error.faults[0].where.startswith(name):
            raise
        raise type(error)([Fault(f.code, f"{name} {f.where}".strip(), f.what, f.hint) for f in error.faults]) from None


def fail(where: str, what: str, hint: str, code: str = "bad_usage") -> NoReturn:
    """Raises the exception for one fault."""
    raise _KINDS.get(code, InputError)([Fault(code, where, what, hint)])
