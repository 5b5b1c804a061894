"""pytest plugin: `pyhf` is nextstat's interface of that name for the whole run.

    pytest -p nextstat.pyhf.pytest_plugin tests/test_infer.py

Naming the plugin switches it on; nothing happens otherwise. `import pyhf` and `from pyhf.infer import mle` then
load the files of this package under pyhf's names, whether or not pyhf is installed. A pyhf that is loaded already
is an error: the run would mix the two.
"""

from __future__ import annotations

from .stand_in import install

install()


def pytest_report_header() -> str:
    """One line at the top of the run."""
    return "pyhf: nextstat.pyhf in its place"
