"""pytest plugin: nextstat.pyhf replaces `pyhf` for the whole run.

    pytest -p nextstat.pyhf.pytest_plugin tests

The plugin is active only if it is named. `import pyhf` and `from pyhf.infer import mle` then load the files of this
package under pyhf's names, whether or not pyhf is installed. If pyhf is already loaded, the plugin raises an error:
the run would mix the two.

pyhf's own tests create its torch, TensorFlow and JAX backends, and import these libraries, during collection. This is
allowed here: a test that uses one is skipped, with the reason. A test file that imports a missing part of pyhf is an
error, and the run continues with the others.
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

from pyhf.tensor import AbsentBackend  # noqa: E402  (pyhf is this package from here on)

_LIBRARIES = ("torch", "tensorflow", "tensorflow_probability", "jax")


class _BackendThatSkips:
    """A missing backend in a test run: it can be created and passed around; using it skips the test."""

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
    """A library that is not installed: a test module may import it; a test that uses it is skipped."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return pytest.skip(f"{self.__name__} is not installed")


def pytest_configure(config: pytest.Config) -> None:
    """A file that cannot be imported does not stop the run."""
    config.option.continue_on_collection_errors = True


def _imported_by(file: Path) -> set[str]:
    """Libraries and their submodules that a test module imports at its top level; imports in a `try` are not counted."""
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
    """While a test module is imported, stubs replace the missing libraries that it imports."""
    missing = _imported_by(collector.path) if isinstance(collector, pytest.Module) else set()
    sys.modules.update({name: _LibraryThatSkips(name) for name in missing})
    yield
    for name in missing:
        del sys.modules[name]


def pytest_report_header() -> str:
    """One line at the top of the run."""
    return "pyhf: nextstat.pyhf in its place"
