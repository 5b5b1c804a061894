"""Which tensor library and optimizer are in use: `set_backend("numpy")`, `get_backend()`."""

from __future__ import annotations

from typing import Any

from .. import events, exceptions
from ..optimize import OptimizerRetriever
from . import AbsentBackend, BackendRetriever
from .numpy_backend import numpy_backend

__all__ = ["get_backend", "set_backend", "state"]

Pair = tuple[numpy_backend, Any]

_first: Pair = (BackendRetriever.numpy_backend(), OptimizerRetriever.scipy_optimizer())
state: dict[str, Pair] = {"default": _first, "current": _first}


def get_backend(default: bool = False) -> Pair:
    """The tensor library and the optimizer in use, or the default ones."""
    return state["default" if default else "current"]


@events.register("change_backend")
def set_backend(
    backend: str | bytes | Any,
    custom_optimizer: str | bytes | Any | None = None,
    precision: str | bytes | None = None,
    default: bool = False,
) -> None:
    """Sets the tensor library (NumPy is the only one) and the optimizer.

    `precision` "32b" makes the arrays of `tensorlib` single precision; fits and densities use double precision.
    """
    wanted = _precision(precision)
    new_backend = _tensor_library(backend, wanted)
    new_optimizer = _optimizer(custom_optimizer)
    _switch("current", (new_backend, new_optimizer), prefix="", tell_first=False)
    if default:
        _switch("default", (new_backend, new_optimizer), prefix="default_", tell_first=True)
    new_backend._setup()


def _switch(which: str, new: Pair, *, prefix: str, tell_first: bool) -> None:
    """Switches to `new` and tells the listeners what changed."""
    old = state[which]
    library_changed = (old[0].name, old[0].precision) != (new[0].name, new[0].precision)
    optimizer_changed = old[1] is not new[1]
    if not tell_first:
        state[which] = new
    if library_changed:
        events.trigger(f"{prefix}tensorlib_changed")()
    if optimizer_changed:
        events.trigger(f"{prefix}optimizer_changed")()
    state[which] = new


def _text(value: Any) -> Any:
    return value.decode("utf-8") if isinstance(value, bytes) else value


def _precision(precision: str | bytes | None) -> str | None:
    if not precision:
        return None
    name = str(_text(precision)).lower()
    if name not in ("32b", "64b"):
        raise exceptions.Unsupported(
            f"The backend precision provided is not supported: {name}. "
            "Select from one of the supported precisions: 32b, 64b"
        )
    return name


def _tensor_library(backend: Any, precision: str | None) -> numpy_backend:
    backend = _text(backend)
    settings = {"precision": precision} if precision else {}
    if isinstance(backend, str):
        found = getattr(BackendRetriever, f"{backend.lower()}_backend")
        if found is None:
            raise exceptions.InvalidBackend(
                f"The backend provided is not supported: {backend}. Select from one of the supported backends: "
                "numpy (the numbers do not depend on a backend here)"
            )
        backend = found(**settings)
    if isinstance(backend, AbsentBackend):
        backend.refuse()
    if not isinstance(backend, numpy_backend):
        if getattr(backend, "name", None) == "numpy":
            raise AttributeError(f"'numpy' is not a valid name attribute for backend type {type(backend)}")
        raise exceptions.Unsupported(
            f"The backend {type(backend).__name__} cannot be used: nextstat computes in its own core and hands out "
            'NumPy arrays; use pyhf.set_backend("numpy")'
        )
    if precision is not None and backend.precision != precision:
        return numpy_backend(**settings)
    return backend


def _optimizer(optimizer: Any) -> Any:
    optimizer = _text(optimizer)
    if optimizer is None:
        return OptimizerRetriever.scipy_optimizer()
    if isinstance(optimizer, str):
        found = getattr(OptimizerRetriever, f"{optimizer.lower()}_optimizer")
        if found is None:
            raise exceptions.InvalidOptimizer(
                f"The optimizer provided is not supported: {optimizer}. "
                "Select from one of the supported optimizers: scipy, minuit, nextstat"
            )
        return found()
    of_that_name = getattr(OptimizerRetriever, f"{optimizer.name}_optimizer")
    if of_that_name is not None and not isinstance(optimizer, of_that_name):
        raise AttributeError(
            f"'{optimizer.name}' is not a valid name attribute for optimizer type {type(optimizer)}\n"
            "Custom optimizers must have names unique from supported optimizers"
        )
    return optimizer
