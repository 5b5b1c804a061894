"""Histograms out of ROOT files, by uproot: contents and uncertainties of the bins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

Mounts = Iterable[tuple[Path, Path]]  # (where files are, where the XML says they are)


class RootHistograms:
    """Reads histograms below a folder; files stay open until `close`."""

    def __init__(self, folder: Path, mounts: Mounts = ()) -> None:
        self._folder = folder
        self._mounts = [(Path(here), Path(there)) for here, there in mounts]
        self._files: dict[Path, Any] = {}

    def locate(self, name: str) -> Path:
        """Where a file that the XML names lies."""
        path = Path(name)
        for here, there in self._mounts:
            if there == path or there in path.parents:
                path = here / path.relative_to(there)
                break
        return self._folder / path

    def read(self, file: str, folder: str, name: str) -> tuple[list[float], list[float]]:
        """Contents and uncertainties; sqrt(contents) for histograms without weights."""
        root = self._open(self.locate(file))
        keys = set(root.keys(cycle=False))
        inside = f"{folder.strip('/')}/{name}"
        found = next((key for key in (name, inside) if key in keys), None)
        if found is None:
            raise KeyError(f"Both {name} and {inside} were tried and not found in {self.locate(file)}")
        histogram = root[found]
        contents = histogram.to_numpy()[0]
        variances = histogram.variances() if histogram.weighted else contents
        return contents.tolist(), np.sqrt(variances).tolist()

    def _open(self, path: Path) -> Any:
        if path not in self._files:
            try:
                import uproot
            except ImportError as error:
                raise ImportError(
                    "reading ROOT histograms needs uproot: python -m pip install uproot"
                ) from error
            self._files[path] = uproot.open(str(path))
        return self._files[path]

    def close(self) -> None:
        """Closes the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()
