"""Histograms from ROOT files, read with uproot: contents and uncertainties of the bins."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Mounts = Iterable[tuple[Path, Path]]  # (where files are, where the XML says they are)
Resolver = Callable[[str], Path]

# Files that stay open while a workspace is read.
_open: contextvars.ContextVar[dict[Path, Any] | None] = contextvars.ContextVar("open_root_files", default=None)


def resolver_factory(rootdir: Path, mounts: Mounts = ()) -> Resolver:
    """A function that returns the path of a file named in the XML."""
    pairs = [(Path(here), Path(there)) for here, there in mounts]

    def resolve(name: str) -> Path:
        path = Path(name)
        for here, there in pairs:
            if there == path or there in path.parents:
                path = here / path.relative_to(there)
                break
        return Path(rootdir) / path

    return resolve


def extract_error(hist: Any) -> list[float]:
    """Uncertainties of the bins; sqrt(contents) for histograms without weights."""
    variances = hist.variances() if hist.weighted else hist.to_numpy()[0]
    uncertainties: list[float] = np.sqrt(variances).tolist()
    return uncertainties


def import_root_histogram(
    resolver: Resolver, filename: str, path: str, name: str, filecache: dict[Path, Any] | None = None
) -> tuple[list[float], list[float]]:
    """Contents and uncertainties of a histogram, looked up by its name alone and in the folder `path`."""
    place = resolver(filename)
    with _file(place, filecache) as root:
        keys = set(root.keys(cycle=False))
        inside = f"{path.strip('/')}/{name}"
        found = next((key for key in (name, inside) if key in keys), None)
        if found is None:
            raise KeyError(f"Both {name} and {inside} were tried and not found in {place}")
        histogram = root[found]
        return histogram.to_numpy()[0].tolist(), extract_error(histogram)


@contextlib.contextmanager
def files_kept_open() -> Iterator[None]:
    """Inside the block, every file is opened once; all are closed at the end."""
    files: dict[Path, Any] = {}
    token = _open.set(files)
    try:
        yield
    finally:
        _open.reset(token)
        for file in files.values():
            file.close()


@contextlib.contextmanager
def _file(path: Path, filecache: dict[Path, Any] | None) -> Iterator[Any]:
    try:
        import uproot
    except ImportError as error:
        raise ImportError("reading ROOT histograms needs uproot: python -m pip install uproot") from error
    files = _open.get() if filecache is None else filecache
    if files is None:
        with uproot.open(str(path)) as file:
            yield file
        return
    if path not in files:
        files[path] = uproot.open(str(path))
    yield files[path]
