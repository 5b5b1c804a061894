"""Exceptions. Each says where, what is wrong, and what to do next.

    try:
        nextstat.fit("analysis.json")
    except nextstat.Error as error:
        for fault in error.faults:
            print(fault.where, fault.what, fault.hint)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

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
        return f"{place}{self.what}{step}"


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
_WORDS = [
    (r'--poi "?([^"\s]+)"?', r'poi="\1"'),
    (r"--(fixed|bounds) NAME=LOW:HIGH", r'\1={"NAME": (LOW, HIGH)}'),
    (r"--init NAME=VALUE", 'init_pars={"NAME": value}'),
    (r"--init ([^\s=]+)=([-+.\de]+)", r'init_pars={"\1": \2}'),
    (r"--fixed NAME=VALUE", 'fixed={"NAME": value}'),
    (r"--init\b", "init_pars"),
    (r"--fixed-aux\b", "fixed_aux=True"),
    (r"--device-memory MB", "device_memory=BYTES"),
    (r"--cl\b", "confidence_level"),
    (r"`nextstat inspect` lists the parameters", "model.parameter_names lists them"),
    (r"`nextstat inspect` lists the channels", "model.channels lists them"),
    (r"`nextstat devices`", "nextstat.devices()"),
    (r"--fallback", "fallback=True"),
    (r"--(device|gpu) ([a-z]+)\b", r'device="\2"'),
    (r"--(n|max)-toys\b", r"\1_toys"),
    (r"--toy-error\b", "error"),
    (r"--(start|stop|points)\b", "values"),
    (r"--test-stat\b", "test_stat"),
    (r"--instruction-set\b", "instruction_set"),
    (r"--(bounds|data|device|expected|fixed|gradient|groups|hessian|keep|minos|mu|out|parameter|parameter2|parameters|poi|resume"
     r"|rtol|seed|shard|threads)\b", r"\1"),
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
    return _KINDS.get(faults[0].code, InputError)(faults)


def fail(where: str, what: str, hint: str, code: str = "bad_usage") -> NoReturn:
    """Raises the exception for one fault."""
    raise _KINDS.get(code, InputError)([Fault(code, where, what, hint)])
