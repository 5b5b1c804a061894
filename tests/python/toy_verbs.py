"""What the tests of hypotest-toys and toys run share."""

import json
import re

import pytest

from conftest import ROOT, SIMPLE, run_program
from toy_runs import files_of

# What may differ between two runs of the same question.
PLACE = re.compile(r'^ *"(wall_time_s|folder|shard|instruction_set)": .*\n', re.M)


def bytes_of(*arguments, code=0):
    """The JSON without what may differ."""
    done = run_program(*arguments, "--format", "json")
    assert done.returncode == code, done.stderr
    return PLACE.sub("", done.stdout)


def content(folder):
    """Every file that is not hidden."""
    return {name: data for name, data in files_of(folder).items() if not name.startswith(".")}


def run_into(folder, *words):
    """(JSON, files)."""
    return bytes_of(*words, "--out", folder), content(folder)


def blocks(folder):
    return len(list(folder.glob("block-*.toys")))


def read_toys(folder):
    """The snippet of docs/toys.md."""
    pytest.importorskip("numpy")
    names = {}
    exec(re.search(r"^```python\n(.*?)^```", (ROOT / "docs/toys.md").read_text(), re.M | re.S)[1], names)
    return names["read_toys"](folder)


def instruction_sets():
    """Those that this processor has."""
    done = run_program("fit", SIMPLE, "--instruction-set", "none", "--format", "json")
    names = re.findall(r"[\w-]*\d[\w-]*|scalar|aarch64", json.loads(done.stderr)["hint"])
    return [name for name in names if run_program("fit", SIMPLE, "--instruction-set", name).returncode == 0]
