"""What the tests of hypotest-toys and toys run share."""

import json
import re

import pytest

from conftest import ROOT, run_program

SIMPLE = ROOT / "examples/simple.json"
# What may differ between two runs of the same question.
PLACE = re.compile(r'^ *"(wall_time_s|folder|shard|instruction_set)": .*\n', re.M)


def answer(*arguments, code=0, cwd=None):
    done = run_program(*arguments, "--format", "json", cwd=cwd)
    assert done.returncode == code, done.stdout[-2000:] + done.stderr
    return json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no number of JSON"))


def bytes_of(*arguments, code=0):
    """The JSON without what may differ."""
    done = run_program(*arguments, "--format", "json")
    assert done.returncode == code, done.stderr
    return PLACE.sub("", done.stdout)


def content(folder):
    """Every file that is not hidden."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def write(path, document):
    path.write_text(json.dumps(document))
    return path


def two_bins(signal=(12.0, 11.0), background=(50.0, 52.0), uncertainty=(3.0, 7.0), observed=(51, 48)):
    """pyhf's first example: two bins with uncorrelated uncertainties of the background."""
    return {
        "channels": [{"name": "singlechannel", "samples": [
            {"name": "signal", "data": list(signal), "modifiers": [{"name": "mu", "type": "normfactor", "data": None}]},
            {"name": "background", "data": list(background),
             "modifiers": [{"name": "uncorr_bkguncrt", "type": "shapesys", "data": list(uncertainty)}]}]}],
        "observations": [{"name": "singlechannel", "data": list(observed)}],
        "measurements": [{"name": "measurement", "config": {"poi": "mu", "parameters": []}}],
        "version": "1.0.0",
    }


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
