"""What the Python tests share: the program and its answers, the folder of real workspaces, and lines for the end of the report.

NEXTSTAT_BIN is the program (default build/release/bin/nextstat), NEXTSTAT_DATA a folder of real workspaces.
"""

import json
import os
import pathlib
import pty
import re
import signal
import subprocess

import pytest

from small_workspaces import two_bins

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("NEXTSTAT_BIN", ROOT / "build/release/bin/nextstat")).absolute()
DATA = pathlib.Path(os.environ["NEXTSTAT_DATA"]).absolute() if os.environ.get("NEXTSTAT_DATA") else None
NO_DATA = "NEXTSTAT_DATA does not name a folder of real workspaces"
NO_PROGRAM = f"no program at {PROGRAM}; build it or set NEXTSTAT_BIN"
SIMPLE = ROOT / "examples/simple.json"
ALL_MODIFIERS = ROOT / "tests/data/all_modifiers.json"

needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason=NO_PROGRAM)

# PoCL compiles our kernels for ten seconds; the C++ tests, which run first, leave theirs here (tests/CMakeLists.txt).
os.environ.setdefault("POCL_CACHE_DIR", str(PROGRAM.parents[1] / "cache" / "pocl"))

# Shells start background jobs with SIGINT ignored, and programs started from here would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_remarks = []


def command(arguments, program=PROGRAM):
    if program == PROGRAM and not PROGRAM.exists():
        pytest.skip(NO_PROGRAM)
    return [program, *map(str, arguments)]


def run_program(*arguments, program=PROGRAM, stdin=None, timeout=120, **options):
    return subprocess.run(command(arguments, program), input=stdin, capture_output=True, text=True, timeout=timeout, **options)


def start_program(*arguments, **options):
    return subprocess.Popen(command(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def on_terminal(*arguments, **streams):
    """(exit code, what a person sees on a terminal of 24 lines); streams: which of the outputs go elsewhere."""
    master, slave = pty.openpty()
    process = subprocess.Popen(command(arguments), **{"stdin": slave, "stdout": slave, "stderr": slave, **streams})
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        seen += part
    os.close(master)
    return process.wait(timeout=60), seen.decode().replace("\r\n", "\n")


def answer(*arguments, code=0, **options):
    """The JSON of a verb that ends with this exit code, or one of these."""
    done = run_program(*arguments, "--format", "json", **options)
    assert done.returncode in (code if isinstance(code, tuple) else (code,)), done.stdout[-2000:] + done.stderr
    return json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no number of JSON"))


def without_times(text):
    return re.sub(r'"(wall|load)_time_s": [^,\n]*', "", text)


def write(path, document):
    path.write_text(json.dumps(document))
    return path


def references(kind):
    """(name, entry) of references.json as parameters of a test."""
    if DATA is None or not (DATA / "references.json").exists():
        return [pytest.param(None, None, marks=pytest.mark.skip(reason=NO_DATA), id="NEXTSTAT_DATA")]
    entries = json.loads((DATA / "references.json").read_text())[kind]
    return [pytest.param(name, entry, id=name) for name, entry in entries.items()]


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: builds a program; leave it out with -m 'not slow'")
    config.addinivalue_line("markers", "long: takes minutes; scripts/test runs it with --full only")
    config.addinivalue_line("markers", "alone: has a limit on the clock, which another test beside it could break")


def pytest_sessionfinish(session):
    """A worker of pytest-xdist hands its remarks over."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["remarks"] = _remarks


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    _remarks.extend(getattr(node, "workeroutput", {}).get("remarks", []))


def pytest_terminal_summary(terminalreporter):
    for remark in _remarks:
        terminalreporter.write_line(remark)


@pytest.fixture(scope="session")
def nextstat():
    """nextstat("inspect", path) -> CompletedProcess."""
    return run_program


@pytest.fixture
def workspace(tmp_path):
    """pyhf's first example as a file."""
    return write(tmp_path / "workspace.json", two_bins())


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
