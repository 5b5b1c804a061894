"""Records: what every function returns. Immutable, comparable, picklable, with text, HTML and JSON output.

    result = nextstat.fit("analysis.json")
    result.to_dict()         # as the command line prints it: None where a number does not exist
    result.to_json("fit.json")
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..screen import printable
from .tables import Table, html_page, text_page

Array = npt.NDArray[np.float64]
R = TypeVar("R", bound="Record")


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _array(value: Any) -> Any:
    if value is None or isinstance(value, np.ndarray):
        return value
    made = np.array(value, dtype=object)
    made[made == None] = math.nan  # noqa: E711 - elementwise
    return made.astype(np.float64)


def texts(value: Any) -> tuple[str, ...]:
    """A list of strings of the engine, or none."""
    return tuple(value or ())


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def read_with(read: Callable[[Any], Any], **more: Any) -> Any:
    """A field whose value a function makes from JSON."""
    return dataclasses.field(metadata={"read": read}, **more)


def number(**more: Any) -> Any:
    """A field with one number; NaN where it does not exist."""
    return read_with(_number, **more)


def numbers(**more: Any) -> Any:
    """A field with an array; NaN where a number does not exist."""
    return read_with(_array, **more)


def plain(**more: Any) -> Any:
    """A field that is kept as it is; lists become tuples."""
    return read_with(_plain, **more)


def place() -> Any:
    """A field about files: not in to_dict() if there are none, and ignored when results are compared."""
    return dataclasses.field(default=None, metadata={"read": _plain, "optional": True, "compare": False})


def record(kind: type[R]) -> Any:
    """A field with another record."""
    return read_with(kind.from_json)


def records(kind: type[R]) -> Any:
    """A field with a tuple of records."""
    return read_with(lambda rows: tuple(kind.from_json(row) for row in rows))


def extra(*, compare: bool = True) -> Any:
    """A field that the command line does not print: not in to_dict()."""
    return dataclasses.field(default=None, metadata={"read": _array, "extra": True, "compare": compare}, repr=False)


@functools.cache
def _readers(kind: type[Record]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """(name, reader) of every field of a record."""
    return tuple((field.name, field.metadata["read"]) for field in dataclasses.fields(kind))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return bool(a == b)


def _as_json(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return _as_json(value.tolist())
    if isinstance(value, Mapping):
        return {key: _as_json(entry) for key, entry in value.items()}
    if isinstance(value, (tuple, list)):
        return [_as_json(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Record:
    """Base class of all records. Fields have the names of the command line's JSON."""

    @classmethod
    def from_json(cls: type[R], document: Mapping[str, Any]) -> R:
        """The record of a JSON object, as returned by to_dict() or printed by the command line."""
        return cls(**{name: read(document[name]) for name, read in _readers(cls)  # type: ignore[arg-type]
                      if name in document})

    def to_dict(self) -> dict[str, Any]:
        """JSON types only; None where a number does not exist."""
        entries = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.metadata.get("extra") or (value is None and field.metadata.get("optional")):
                continue
            entries[field.name] = _as_json(value)
        return entries

    def to_json(self, path: str | os.PathLike[str] | None = None, *, indent: int | None = 2) -> str:
        """The same as text, also written to a file if a path is given."""
        text = json.dumps(self.to_dict(), indent=indent, allow_nan=False)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = [field.name for field in dataclasses.fields(self) if field.metadata.get("compare", True)]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]  # records hold arrays

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()

    def __post_init__(self) -> None:
        self._freeze()

    def _freeze(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def _heading(self) -> str:
        return type(self).__name__

    def _tables(self) -> Sequence[Table]:
        """The tables that are printed."""
        rows = [(field.name, getattr(self, field.name)) for field in dataclasses.fields(self)]
        return [Table(("", ""), [(name, value) for name, value in rows if isinstance(value, (int, float, str))])]

    def _remarks(self) -> Sequence[str]:
        return ()

    def _for_screen(self: R) -> R:
        """The record with names that are safe in headings: no newlines or control characters."""
        shown = object.__new__(type(self))
        shown.__dict__.update((name, printable(value) if isinstance(value, str) else value)
                              for name, value in self.__dict__.items())
        return shown

    def __repr__(self) -> str:
        return text_page(self._for_screen()._heading(), self._tables(), self._remarks())

    def _repr_html_(self) -> str:
        return html_page(self._for_screen()._heading(), self._tables(), self._remarks())


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(Record):
    """Base class of all results: device, run time, convergence, warnings."""

    schema: str = plain(default="")
    nextstat_version: str = plain(default="")
    workspace_digest: str | None = plain(default=None)
    device: str = plain(default="cpu")
    precision: str = plain(default="f64")
    device_choice: str = plain(default="")
    instruction_set: str = plain(default="")
    # Times differ from run to run: they are ignored when results are compared.
    wall_time_s: float = dataclasses.field(default=0.0, metadata={"read": _number, "compare": False})
    converged: bool = plain(default=False)
    interrupted: bool = plain(default=False)
    warnings: tuple[str, ...] = read_with(texts, default=())

    def _remarks(self) -> Sequence[str]:
        return self.warnings

    def _outcome(self) -> str:
        return "interrupted" if self.interrupted else "converged" if self.converged else "NOT CONVERGED"


def _values(value: Mapping[str, Any]) -> dict[str, float]:
    return {name: _number(entry) for name, entry in value.items()}


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FoundMinimum(Record):
    """One of several minima of a fit. `parameters` has those that differ most from the deepest minimum."""

    fit: str = plain()
    nll: float = number()
    above: float = number()
    poi: float = number()
    used: bool = plain()
    parameters: Mapping[str, float] = read_with(_values)


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledToys(Record):
    """Several minima in a sample of toys, for one kind of fit.

    starts: number of starting points of toy fits. elsewhere: number of sampled toys whose deepest minimum is not the one
    that a fit from the truth finds.
    """

    fit: str = plain()
    starts: int = plain()
    sampled: int = plain()
    elsewhere: int = plain()


def sampled_toys() -> Any:
    """A field with the minima of toys."""
    return read_with(lambda rows: tuple(SampledToys.from_json(row) for row in rows), default=())


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Searched(Result):
    """A result whose fits start at many points.

    minima: for fits with more than one. starts: number of starting points of all fits. exhausted: for every fit the
    estimated chance that a deeper minimum was missed is below one percent.
    """

    minima: tuple[FoundMinimum, ...] = read_with(
        lambda rows: tuple(FoundMinimum.from_json(row) for row in rows), default=())
    starts: int = plain(default=1)
    exhausted: bool = plain(default=False)
