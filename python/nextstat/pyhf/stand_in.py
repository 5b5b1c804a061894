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
    """Finds `pyhf` in this folder; its submodules are found from there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "pyhf":
            return None
        return importlib.util.spec_from_file_location(
            fullname, _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)]
        )


def is_installed() -> bool:
    """True if `import pyhf` gives nextstat's interface."""
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


def install() -> None:
    """Makes `import pyhf` give nextstat's interface. Raises if pyhf itself is already loaded."""
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
    """Makes `import pyhf` find pyhf itself again, and drops modules loaded under its names."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    for name in [name for name in sys.modules if name == "pyhf" or name.startswith("pyhf.")]:
        del sys.modules[name]
