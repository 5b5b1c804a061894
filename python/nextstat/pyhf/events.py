"""Callbacks by event name, as pyhf offers them.

@events.subscribe("tensorlib_changed")
def again() -> None: ...

events.trigger("tensorlib_changed")()
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

__all__ = ["Callables", "disable", "enable", "noop", "register", "subscribe", "trigger"]


def __dir__() -> list[str]:
    return __all__


Function = TypeVar("Function", bound=Callable[..., Any])
Reference = tuple["weakref.ref[Any]", "weakref.ref[Any] | None"]


def noop(*_arguments: Any, **_keywords: Any) -> None:
    """Does nothing: what an event without listeners triggers."""


class Callables:
    """Functions and bound methods, held weakly: listening does not keep an object alive."""

    def __init__(self) -> None:
        self._callbacks: list[Reference] = []

    @property
    def callbacks(self) -> list[Reference]:
        """Those whose objects are still alive, as (function, object or None)."""
        self._flush()
        return self._callbacks

    def append(self, callback: Callable[..., Any]) -> None:
        """Adds a function or a bound method."""
        owner = getattr(callback, "__self__", None)
        function = getattr(callback, "__func__", None)
        if owner is not None and function is not None:
            self._callbacks.append((weakref.ref(function), weakref.ref(owner)))
        else:
            self._callbacks.append((weakref.ref(callback), None))

    def _flush(self) -> None:
        self._callbacks = [
            (function, owner) for function, owner in self._callbacks if owner is None or owner() is not None
        ]

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        for function_reference, owner_reference in list(self._callbacks):
            function = function_reference()
            if function is None:
                continue
            if owner_reference is None:
                function(*arguments, **keywords)
            elif (owner := owner_reference()) is not None:
                function(owner, *arguments, **keywords)
        self._flush()

    def __iter__(self) -> Iterator[Reference]:
        return iter(self.callbacks)

    def __getitem__(self, index: int) -> Reference:
        return self.callbacks[index]

    def __len__(self) -> int:
        return len(self.callbacks)

    def __repr__(self) -> str:
        return f"Callables({self.callbacks})"


# These two names are pyhf's; its tests clear them.
__events: dict[str, Callables] = {}
__disabled_events: set[str] = set()


def subscribe(event: str) -> Callable[[Function], Function]:
    """Decorator: the function is called when `event` is triggered."""

    def add(function: Function) -> Function:
        __events.setdefault(event, Callables()).append(function)
        return function

    return add


def register(event: str) -> Callable[[Function], Function]:
    """Decorator: calls of the function trigger `EVENT::before` and `EVENT::after`."""

    def wrap(function: Function) -> Function:
        @functools.wraps(function)
        def wrapped(*arguments: Any, **keywords: Any) -> Any:
            trigger(f"{event}::before")()
            result = function(*arguments, **keywords)
            trigger(f"{event}::after")()
            return result

        return wrapped  # type: ignore[return-value]

    return wrap


def trigger(event: str) -> Callable[..., None]:
    """A function that calls the listeners of `event`; it does nothing without listeners or if `event` is disabled."""
    if event in __disabled_events or event not in __events:
        return noop
    return __events[event]


def disable(event: str) -> None:
    """Ignores triggers of `event` from now on."""
    __disabled_events.add(event)


def enable(event: str) -> None:
    """Stops ignoring triggers of `event`."""
    __disabled_events.remove(event)
