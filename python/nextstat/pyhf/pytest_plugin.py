"""pytest plugin: `pyhf` is nextstat's interface of that name for the whole run.

    pytest -p nextstat.pyhf.pytest_plugin tests

Naming the plugin switches it on; nothing happens otherwise. `import pyhf` and `from pyhf.infer import mle` then
load the files of this package under pyhf's names, whether or not pyhf is installed. A pyhf that is loaded already
is an error: the run would mix the two.

pyhf's own tests make its torch, TensorFlow and JAX backends, and import these libraries, while they are collected.
Here they may: a test is skipped, with the reason, when it uses one. A file of tests that imports something of pyhf that
is not here is an error, and the run goes on with the others.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from .stand_in import install

install()

from pyhf.tensor import AbsentBackend  # noqa: E402  (pyhf is this package, from the line before on)

_LIBRARIES = ("torch", "tensorflow", "tensorflow_probability", "jax")


class _BackendThatSkips:
    """What an absent backend does in a test run: it can be made and handed around, and its use skips the test."""

    def __init__(self, precision: str = "64b", **settings: Any) -> None:
        self.precision = precision

    def refuse(self: Any) -> None:
        pytest.skip(f"nextstat.pyhf has no {self.name} backend")

    def __getattr__(self: Any, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.refuse()


for _name in ("__init__", "refuse", "__getattr__"):
    setattr(AbsentBackend, _name, vars(_BackendThatSkips)[_name])


class _LibraryThatSkips(types.ModuleType):
    """A library that is not installed: a test module may import it, a test that uses it is skipped."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return pytest.skip(f"{self.__name__} is not installed")


def pytest_configure(config: pytest.Config) -> None:
    """One file that cannot be imported does not end the run."""
    config.option.continue_on_collection_errors = True


def _imported_by(file: Path) -> set[str]:
    """Libraries that a test module imports at its top, and parts of them; what stands in a `try` is its own business."""
    names: set[str] = set()
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            names |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            names.add(statement.module)
    wanted = {name for name in names if name.split(".")[0] in _LIBRARIES and _is_missing(name.split(".")[0])}
    return wanted | {name.split(".")[0] for name in wanted}


def _is_missing(library: str) -> bool:
    return library not in sys.modules and importlib.util.find_spec(library) is None


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, None]:
    """While a test module is imported, libraries that it imports and that are missing are there by name."""
    missing = _imported_by(collector.path) if isinstance(collector, pytest.Module) else set()
    sys.modules.update({name: _LibraryThatSkips(name) for name in missing})
    yield
    for name in missing:
        del sys.modules[name]


def pytest_report_header() -> str:
    """One line at the top of the run."""
    return "pyhf: nextstat.pyhf in its place"
