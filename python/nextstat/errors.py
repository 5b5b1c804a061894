"""Exceptions. Each says where, what is wrong, and what to do next.

    try:
        nextstat.fit("analysis.json")
    except nextstat.Error as error:
        for fault in error.faults:
            print(fault.where, fault.what, fault.hint)
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
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
    """The device asked for is not there, or cannot be used."""


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

# The library speaks of the options of the command line; these are the same things in Python.
_WORDS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"choose one with --poi NAME", 'choose one: Model.from_workspace(..., poi="NAME") or model.with_poi("NAME")'),
    (r'--poi "?([^"\s,;)]+)"?', r'poi="\1"'),
    (r"--bounds NAME=LOW:HIGH", 'bounds={"NAME": (LOW, HIGH)}'),
    (r"--(init|fixed) NAME=VALUE", r'\1={"NAME": VALUE}'),
    (r"\binit=\{|--init\b", lambda match: "init_pars={" if match[0] == "init={" else "init_pars"),
    (r"--device-memory MB", "device_memory=BYTES"),
    (r"--(device|gpu) ([a-z]+)\b", r'device="\2"'),
    (r"--join ([a-z]+( outer)?)\b", r'join="\1"'),
    (r"--(fixed-aux|fallback|merge-channels|resume)\b", lambda match: match[1].replace("-", "_") + "=True"),
    (r"--cl\b", "confidence_level"),
    (r"--toy-error\b", "error"),
    (r"--scan-(start|stop|points)\b", "scan"),
    (r"--(start|stop|points)\b", "mu_values"),
    (r"--(bounds|data|device|device-memory|fixed|gradient|groups|hessian|join|keep|max-toys|minos|mu|n-toys|out|parameter2?|parameters|"
     r"patch|patchset|poi|rtol|seed|shard|test-stat|threads)\b", lambda match: match[1].replace("-", "_")),
    (r"`nextstat inspect` lists the parameters", "model.parameter_names lists them"),
    (r"`nextstat inspect` lists the channels", "model.channels lists them"),
    (r"`nextstat inspect` lists the names", "the document lists them"),
    (r"`nextstat devices`", "nextstat.devices()"),
]


def in_python_words(text: str) -> str:
    """A sentence of the library with the names of arguments instead of those of options."""
    if "--" not in text and "`nextstat" not in text:
        return text
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    return text


def exception_of(rows: Sequence[tuple[str, str, str, str]]) -> Error:
    """The exception for errors of the library, given as (code, where, what, hint)."""
    faults = [Fault(code, *(in_python_words(text) for text in texts)) for code, *texts in rows]
    if faults[0].code == "not_found" and "no such file" in faults[0].what:
        return MissingFileError(faults)
    if faults[0].what.startswith("the model has no parameter"):
        return NotFoundError(faults)
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
