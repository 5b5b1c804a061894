"""Options of all inference functions: data, start values, bounds, fixed parameters, threads, device, progress."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .checks import flag, low_and_high, real, whole
from .errors import Fault, InputError, Interrupted, fail
from .model import Model
from .progress import Progress, reporter
from .results.base import Result

Values = Union[Mapping[str, float], npt.ArrayLike]
Fixed = Union[Mapping[str, float], Sequence[str], Sequence[bool], npt.NDArray[np.bool_]]
Bounds = Union[Mapping[str, tuple[float, float]], Sequence[tuple[float, float]], npt.NDArray[np.float64]]
R = TypeVar("R", bound=Result)

_threads = 0


def set_threads(n: int) -> None:
    """Sets the number of threads of all later calls; 0 = all. Results do not depend on it."""
    global _threads
    threads = whole("threads", n, 0)
    _core.set_threads(threads)
    _threads = threads


def get_threads() -> int:
    """The number set with set_threads()."""
    return _threads


def threads_of(threads: int | None) -> int:
    """Threads of one call: its own number, or that of set_threads()."""
    return _threads if threads is None else whole("threads", threads, 0)


def starts_of(starts: int | str) -> int:
    """The number of starting points of every fit; 0 = "auto"."""
    if isinstance(starts, str):
        if starts != "auto":
            fail("starts", f'{starts!r} is neither "auto" nor a number', 'give "auto" or the number of starts')
        return 0
    return whole("starts", starts, 1)


def _length(model: Model, what: str, size: int) -> None:
    if size != model.n_params:
        fail(what, f"{size} values, but the model has {model.n_params} parameters",
             "give one per parameter in the order of model.parameter_names, or a dictionary {name: value}")


def _row(model: Model, what: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    try:
        row = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        fail(what, f"{type(values).__name__} is not a list of numbers", "give numbers, or a dictionary {name: value}")
    if row.ndim != 1:
        fail(what, f"the array has {row.ndim} dimensions, not 1", "give one value per parameter")
    _length(model, what, row.size)
    return row


def init_pairs(model: Model, init: Values | None) -> list[tuple[str, float]]:
    """[(name, value)] of start values."""
    if init is None:
        return []
    if isinstance(init, Mapping):
        return [(name, real(f"init_pars of {name}", value)) for name, value in init.items()]
    return list(zip(model.parameter_names, _row(model, "init_pars", init).tolist()))


def fixed_pairs(model: Model, fixed: Fixed | None, init: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """[(name, value)] of fixed parameters; names and masks fix them at their start values."""
    if fixed is None:
        return []
    if isinstance(fixed, Mapping):
        return [(name, real(f"fixed value of {name}", value)) for name, value in fixed.items()]
    if isinstance(fixed, str):
        fixed = [fixed]
    entries = _entries("fixed", fixed)
    if not entries:
        return []
    starts = dict(zip(model.parameter_names, model.suggested_init.tolist()))
    for given, value in init:
        starts |= dict.fromkeys(_members(model, given), value)
    if all(isinstance(entry, str) for entry in entries):
        return [(name, starts[name]) for entry in entries for name in _members(model, str(entry))]
    _length(model, "fixed", len(entries))
    if any(isinstance(entry, (float, np.floating)) and math.isnan(entry) for entry in entries):  # values, NaN where it is free
        return [(name, real(f"fixed value of {name}", value)) for name, value in zip(model.parameter_names, entries)
                if not math.isnan(value)]
    return [(name, starts[name]) for name, held in zip(model.parameter_names, entries) if held]


def _entries(what: str, values: Any) -> list[Any]:
    if np.ndim(values) == 0 or (isinstance(values, np.ndarray) and values.ndim != 1):
        fail(what, f"{values!r} is not a list", "give one entry per parameter, names, or a dictionary")
    return list(values)


def freed_names(model: Model, fixed: Fixed | None) -> list[str]:
    """Parameters that the measurement fixes and a mask frees: a mask says for every parameter whether it is fixed."""
    if fixed is None or isinstance(fixed, (str, Mapping)):
        return []
    entries = _entries("fixed", fixed)
    if len(entries) != model.n_params or any(isinstance(entry, str) or entry != entry for entry in entries):
        return []
    return [p.name for p, held in zip(model.parameters, entries) if p.fixed and not held]


def _members(model: Model, name: str) -> list[str]:
    if name in model.parameter_names:
        return [name]
    members = [parameter.name for parameter in model.parameters if parameter.set == name]
    if members:
        return members
    from .names import no_such_name

    raise no_such_name("parameter", name, model.parameter_names)


def bound_rows(model: Model, bounds: Bounds | None) -> list[tuple[str, float, float]]:
    """[(name, low, high)]."""
    if bounds is None:
        return []
    if isinstance(bounds, Mapping):
        return [(name, *low_and_high(f"bounds of {name}", pair)) for name, pair in bounds.items()]
    if not isinstance(bounds, (Sequence, np.ndarray)):
        fail("bounds", f"{bounds!r} is not a list of bounds", "give (low, high) for every parameter, or a dictionary")
    rows = list(bounds)
    _length(model, "bounds", len(rows))
    given = [(name, *low_and_high(f"bounds of {name}", row)) for name, row in zip(model.parameter_names, rows)]
    own = model.suggested_bounds
    return [row for row, (low, high) in zip(given, own) if (row[1], row[2]) != (low, high)]


def run_options(model: Model, *, data: npt.ArrayLike | None = None, init_pars: Values | None = None,
                fixed: Fixed | None = None, bounds: Bounds | None = None, starts: int | str = "auto",
                device: str = "auto", backend: str | None = None, fallback: bool = False, device_memory: int = 0, threads: int | None = None,
                instruction_set: str | None = None, needs_data: bool = True, **unknown: Any) -> dict[str, Any]:
    """The options dictionary of the engine's functions. What is None is left to the engine.

    device_memory: the most memory to use on a GPU, in bytes; 0 = all that is free there.
    """
    if unknown:
        fail(f"option {next(iter(unknown))}", "no such option",
             "the options are data, init_pars, fixed, bounds, starts, device, fallback, device_memory, threads, instruction_set")
    if data is None and needs_data and not model.has_data:
        fail("data", "the model was made from a pyhf Model, which has no data", "give data=, or use the workspace instead")
    init = init_pairs(model, init_pars)
    run: dict[str, Any] = {
        "init": init, "fixed": fixed_pairs(model, fixed, init), "freed": freed_names(model, fixed),
        "bounds": bound_rows(model, bounds),
        "device": backend if backend is not None else device, "fallback": flag("fallback", fallback),
        "device_memory": whole("device_memory", device_memory, 0),
        "threads": 0 if threads is None and model._has_session else threads_of(threads),
        "starts": starts_of(starts),
        "instruction_set": instruction_set,
    }
    if data is not None:
        run["data"] = model.full_data(data)
    if not isinstance(run["device"], str):
        fail("device", f"{run['device']!r} is not the name of a device",
             f"use one of {', '.join(_core.names()['device'])}, or e.g. cuda:1")
    return run


def ask(kind: type[R], model: Model | None, call: Callable[..., dict[str, Any]], run: dict[str, Any], progress: Progress,
        label: str, *arguments: Any, more_fields: dict[str, Any] | None = None, **more: Any) -> R:
    """Calls the engine with progress and returns the record; Ctrl-C raises Interrupted with what was finished."""
    if model is not None:
        model._digest()
    with reporter(progress, label) as report:
        run["progress"] = report
        try:
            answer = call(model, run, *arguments, **more) if model is not None else call(*arguments, run=run, **more)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
            shown = ", ".join(f"{value!r:.60}" for value in (*arguments, *more.values()))
            raise InputError([Fault("bad_usage", label, f"an argument has the wrong type: {shown}",
                                    "see the documentation of the function")]) from None
    result = kind.from_json(answer | (more_fields or {}))
    if answer["stopped"]:
        raise Interrupted(result)
    return result


__all__ = ["Bounds", "Fixed", "Values", "ask", "get_threads", "run_options", "set_threads"]
