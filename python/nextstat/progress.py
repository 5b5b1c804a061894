"""Progress of long computations: a bar in terminals and notebooks, a user's function, or nothing.

    nextstat.ranking(model)                                        # a bar in terminals and notebooks, if it takes a while
    nextstat.ranking(model, progress=False)                        # silent
    nextstat.ranking(model, progress=lambda done, total: ...)      # your own
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

from .errors import fail

Report = Callable[[int, int], Any]
# None: a bar in terminals and notebooks; True: always a bar; False: no bar; a function: called with (done, total).
Progress = Union[None, bool, Report]


def in_notebook() -> bool:
    """Whether this runs in a notebook kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def somebody_watches() -> bool:
    """Whether stderr is a terminal or this is a notebook; elsewhere a bar only clutters a log."""
    try:
        return sys.stderr.isatty() or in_notebook()
    except (AttributeError, ValueError):  # no stderr, or a closed one
        return False


class _Bar:
    """A tqdm or rich bar, created at the first report: short work never shows one."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._show: Report | None = None
        self._close: Callable[[], Any] | None = None

    def __call__(self, done: int, total: int) -> None:
        if self._show is None:
            self._show, self._close = _tqdm_bar(self._label, total) or _rich_bar(self._label, total) or _line(self._label)
        self._show(done, total)

    def close(self) -> None:
        if self._close is not None:
            self._close()


def _tqdm_bar(label: str, total: int) -> tuple[Report, Callable[[], Any]] | None:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    bar = tqdm(total=total, desc=label, leave=False, file=sys.stderr if not in_notebook() else None)

    def show(done: int, now_total: int) -> None:
        bar.total = now_total
        bar.update(done - bar.n)

    return show, bar.close


def _rich_bar(label: str, total: int) -> tuple[Report, Callable[[], Any]] | None:
    try:
        from rich.console import Console
        from rich.progress import Progress as RichProgress
    except ImportError:
        return None
    bar = RichProgress(console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=total)
    bar.start()
    return lambda done, now_total: bar.update(task, completed=done, total=now_total), bar.stop


def _line(label: str) -> tuple[Report, Callable[[], Any]]:
    def show(done: int, total: int) -> None:
        sys.stderr.write(f"\r{label}: {done} / {total} ")
        sys.stderr.flush()

    def clear() -> None:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()

    return show, clear


@contextmanager
def reporter(progress: Progress, label: str) -> Iterator[Report | None]:
    """The function that the engine calls about ten times a second with (done, total); None for no progress."""
    if progress is False or (progress is None and not somebody_watches()):
        yield None
    elif progress is None or progress is True:
        bar = _Bar(label)
        try:
            yield bar
        finally:
            bar.close()
    elif callable(progress):
        yield progress
    else:
        fail("progress", f"{progress!r} is not a bool or a function", "give None, True, False or a function of (done, total)")
