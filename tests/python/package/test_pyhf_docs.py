"""Every Python example of docs/coming-from-pyhf.md runs and prints what the page shows under it."""

import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("nextstat.pyhf")

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/coming-from-pyhf.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n\n^```text\n(.*?)^```", PAGE.read_text(), re.M | re.S)


def test_there_are_examples():
    assert len(EXAMPLES) == len(re.findall(r"^```python", PAGE.read_text(), re.M)) >= 2


@pytest.mark.parametrize("code,shown", EXAMPLES)
def test_examples_print_what_the_page_shows(code, shown):
    if re.search(r"^import pyhf$", code, re.M):
        pytest.importorskip("pyhf")
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stdout == shown
