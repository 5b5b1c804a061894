"""Loading this package under the name `pyhf`.

from nextstat.pyhf.stand_in import install
install()
import pyhf        # nextstat.pyhf's files
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


class _Finder(importlib.abc.MetaPathFinder):
    """Finds `pyhf` in this folder; its parts follow from there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "pyhf":
            return None
        return importlib.util.spec_from_file_location(
            fullname, _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)]
        )


def is_installed() -> bool:
    """True where `import pyhf` gives nextstat's interface."""
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


def install() -> None:
    """From now on `import pyhf` gives nextstat's interface. Raises where pyhf itself is loaded already."""
    if is_installed():
        return
    loaded = sys.modules.get("pyhf")
    if loaded is not None:
        raise RuntimeError(
            f"pyhf is loaded already from {loaded.__file__}: install nextstat's stand-in before anything imports "
            "pyhf (for pytest: -p nextstat.pyhf.pytest_plugin on the command line)"
        )
    sys.meta_path.insert(0, _Finder())


def uninstall() -> None:
    """`import pyhf` finds pyhf itself again; modules that were loaded under its names are forgotten."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    for name in [name for name in sys.modules if name == "pyhf" or name.startswith("pyhf.")]:
        del sys.modules[name]
