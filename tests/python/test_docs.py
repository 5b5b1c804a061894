"""Every ```console block of the README and docs runs as printed: lines after "$ " are commands, the rest their output.

A line "..." in the output stands for any number of lines. Commands run in the repository's folder with nextstat on the PATH.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks():
    for page in PAGES:
        for number, block in enumerate(re.findall(r"^```console\n(.*?)^```", page.read_text(), re.M | re.S)):
            yield pytest.param(block, id=f"{page.relative_to(ROOT)}#{number}")


def commands(block):
    """(command, expected output) pairs of a block."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
    assert parts[0].strip() == "", "a console block starts with a command"
    return list(zip(parts[1::2], parts[2::2]))


def matches(expected, printed):
    pattern = "".join(".*" if line == "..." else re.escape(line) + r"\n" for line in expected.splitlines())
    return re.fullmatch(pattern, printed, re.S)


@pytest.mark.parametrize("block", list(blocks()))
def test_console_blocks_print_what_they_show(block, tmp_path):
    binary = Path(os.environ.get("NEXTSTAT_BIN", ROOT / "build/release/bin/nextstat")).resolve()
    environment = {**os.environ, "PATH": f"{binary.parent}:{os.environ['PATH']}", "TMP": str(tmp_path)}
    for command, expected in commands(block):
        run = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert matches(expected, run.stdout), f"$ {command}\n--- shown\n{expected}--- printed\n{run.stdout}"
