"""What the Python tests share: the program, the folder of real workspaces, and lines for the end of the report.

NEXTSTAT_BIN is the program (default build/release/bin/nextstat), NEXTSTAT_DATA a folder of real workspaces.
"""

import json
import os
import pathlib
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("NEXTSTAT_BIN", ROOT / "build/release/bin/nextstat")).absolute()
DATA = pathlib.Path(os.environ["NEXTSTAT_DATA"]).absolute() if os.environ.get("NEXTSTAT_DATA") else None
NO_DATA = "NEXTSTAT_DATA does not name a folder of real workspaces"

# Shells start background jobs with SIGINT ignored, and programs started from here would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_remarks = []


def run_program(*arguments, stdin=None, cwd=None, timeout=120):
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True, cwd=cwd, timeout=timeout
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: builds a program; leave it out with -m 'not slow'")
    config.addinivalue_line("markers", "long: takes minutes; scripts/test runs it with --full only")


def pytest_terminal_summary(terminalreporter):
    for remark in _remarks:
        terminalreporter.write_line(remark)


@pytest.fixture(scope="session")
def nextstat():
    """nextstat("inspect", path) -> CompletedProcess."""
    if not PROGRAM.exists():
        pytest.skip(f"no program at {PROGRAM}; build it or set NEXTSTAT_BIN")
    return run_program


@pytest.fixture(scope="session")
def data_dir():
    if DATA is None or not DATA.is_dir():
        pytest.skip(NO_DATA)
    return DATA


@pytest.fixture(scope="session")
def schema():
    """schema("evaluate", document) fails where the document is not as docs/schemas says."""
    jsonschema = pytest.importorskip("jsonschema")

    def check(name, document):
        description = json.loads((ROOT / f"docs/schemas/{name}.json").read_text())
        jsonschema.Draft202012Validator.check_schema(description)
        faults = list(jsonschema.Draft202012Validator(description).iter_errors(document))
        assert not faults, "\n".join(f"{fault.json_path}: {fault.message}" for fault in faults)

    return check


@pytest.fixture(scope="session")
def remark():
    """remark("worst difference 1e-14"): a line for the end of the report."""
    return _remarks.append
