"""Public headers, and nothing else, decide what the library shows to programs that link it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import PROGRAM, ROOT

LIBRARY = Path(PROGRAM).parents[1] / "src/libnextstat.a"
# Number, value, size, FUNC, GLOBAL, visibility, section, name
SYMBOL = re.compile(r"^\s*\d+: \S+\s+\S+ (?:FUNC|OBJECT)\s+GLOBAL (DEFAULT|HIDDEN)\s+\d+ (nextstat::.*)$", re.M)
NAME = re.compile(r"nextstat::(?:\w+::)*~?(\w+)(?=\(|\[|<|$)")


@pytest.fixture(scope="module")
def symbols():
    """{visibility: names} of the functions and objects that the library defines."""
    if not LIBRARY.is_file() or not shutil.which("readelf"):
        pytest.skip("the static library of a build tree and readelf are needed")
    text = subprocess.run(["readelf", "--symbols", "--wide", "--demangle", LIBRARY], capture_output=True, text=True, check=True).stdout
    found = {"DEFAULT": set(), "HIDDEN": set()}
    for visibility, name in SYMBOL.findall(text):
        if match := NAME.match(name):
            found[visibility].add(match[1])
    return found


def words(*folders):
    return {word for folder in folders for path in (ROOT / folder).rglob("*.h") for word in re.findall(r"\w+", path.read_text())}


def test_what_is_visible_is_in_a_public_header(symbols):
    assert {"fit", "build_model", "load_workspace", "to_text", "upper_limit"} <= symbols["DEFAULT"]
    assert symbols["DEFAULT"] <= words("include/nextstat")


def test_what_is_hidden_is_internal(symbols):
    assert {"solve", "make_setup", "make_metric"} <= symbols["HIDDEN"]
    assert symbols["HIDDEN"] & symbols["DEFAULT"] <= words("src")  # overloads that a public name has inside
