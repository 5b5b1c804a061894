"""Screens of real workspaces, as a new user sees them: each file of tests/golden/screens is a command and what it prints.

The first line of a file is "$ nextstat VERB WORKSPACE ..."; it runs in the folder NEXTSTAT_DATA. Counts of iterations are not
compared: they may change with every improvement of the minimizer. NEXTSTAT_UPDATE_SCREENS=1 writes the files anew; a new screen
starts as a file with the first line alone.
"""

import os
import re
import shlex

import pytest

from conftest import ROOT

SCREENS = sorted((ROOT / "tests/golden/screens").glob("*.txt"))
MOST_LINES = 39


def without_counts(text):
    return re.sub(r"\b\d+ (iteration|fit)s?\b", r"N \1s", text)


def test_there_are_screens():
    assert SCREENS


@pytest.mark.parametrize("path", SCREENS, ids=lambda path: path.stem)
def test_screen(path, nextstat, data_dir):
    command, _, expected = path.read_text().partition("\n")
    words = shlex.split(command)
    assert words[:2] == ["$", "nextstat"], f"{path} starts with its command"
    done = nextstat(*words[2:], "--format", "table", cwd=data_dir)
    printed = done.stdout + done.stderr + (f"[exit {done.returncode}]\n" if done.returncode else "")
    assert len(printed.splitlines()) <= MOST_LINES, "a screen answers in under 40 lines"
    if os.environ.get("NEXTSTAT_UPDATE_SCREENS"):
        path.write_text(f"{command}\n{without_counts(printed)}")
    else:
        assert without_counts(printed) == expected
