"""Argument checks: errors name the argument, before the engine is called."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import fail


MOST = 2**64 - 1  # largest integer of the engine


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not least <= value <= MOST:
        fail(name, f"{value!r} is not a whole number from {least} to 2^64 - 1", "give a whole number")
    return int(value)


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        fail(name, f"{value!r} is neither True nor False", "give True or False")
    return bool(value)


def name_or_none(argument: str, value: Any) -> str:
    """A name; "" for None."""
    if value is not None and not isinstance(value, str):
        fail(argument, f"{value!r} is not a name", "give a name")
    return value or ""


def one_of_the_names(argument: str, value: Any) -> str:
    """A name that the engine knows for this argument; which one of them fits is the engine's to say."""
    if not isinstance(value, str):
        fail(argument, f"{value!r} is not a name", f"use {' or '.join(_core.names()[argument])}")
    return value


def row_of_numbers(name: str, value: Any) -> npt.NDArray[np.float64]:
    """A one-dimensional array of at least one number."""
    try:
        row = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        fail(name, f"{value!r} is not a list of numbers", "give a list or an array of numbers")
    if row.ndim != 1 or row.size == 0:
        fail(name, f"the array has shape {row.shape}", "give a one-dimensional list of at least one number")
    return row


def real(name: str, value: Any) -> float:
    """A number; the engine checks for NaN and infinity."""
    try:
        return float(value)
    except (TypeError, ValueError):
        fail(name, f"{value!r} is not a number", "give a number")


def low_and_high(name: str, value: Any) -> tuple[float, float]:
    """A pair of bounds."""
    try:
        low, high = value
    except (TypeError, ValueError):
        fail(name, f"{value!r} is not a pair of bounds", "give (low, high)")
    return real(name, low), real(name, high)


def part(value: Any) -> tuple[int, int]:
    """A shard: (i, n) with i from 1 to n."""
    try:
        number, count = value
    except (TypeError, ValueError):
        number = count = 0
    if not isinstance(number, (int, np.integer)) or not isinstance(count, (int, np.integer)) or not 1 <= number <= count:
        fail("shard", f"{value!r} is not a shard", "give (i, n) with i from 1 to n")
    return int(number), int(count)


def folder(value: Any, resume: bool = False) -> str:
    """The path of a folder to store toys in; "" for none."""
    if value is None:
        if resume:
            fail("resume", "there is no folder to resume from", "give out= with the folder of the run")
        return ""
    try:
        path = os.fsdecode(value)
    except TypeError:
        fail("out", f"{value!r} is not the path of a folder", "give a path")
    if not path:
        fail("out", "the path is empty", "name a folder")
    return path


def names(argument: str, value: str | Iterable[str]) -> list[str]:
    """One name or several."""
    if isinstance(value, str):
        return [value]
    found: list[Any] = list(value) if isinstance(value, Iterable) else [value]
    if not all(isinstance(entry, str) for entry in found):
        fail(argument, f"{value!r} is not a list of names", "give names of parameters or sets")
    return found
