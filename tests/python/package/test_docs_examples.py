"""Every ```python block of the README and of docs runs: those of a page in order, in one namespace, in a temporary folder.

The folder has examples/*.json. A ```text block right below a ```python block is what that block prints; a line "..." in it
stands for any number of lines. A comment <!-- not run: reason --> above a block leaves it out, and a page stops being run,
with a skipped test that says so, at the first block that imports an optional package that is not installed.
"""

import contextlib
import io
import re
import shutil
from pathlib import Path

import pytest

from conftest import ROOT

nextstat = pytest.importorskip("nextstat")

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(?P<reason><!-- not run: [^>]+ -->\n+)?"
                   r"^(?P<indent> *)```python\n(?P<code>.*?)^ *```\n(?:\n? *```text\n(?P<shown>.*?)^ *```)?", re.M | re.S)
OPTIONAL = {"cabinetry", "dask", "distributed", "IPython", "matplotlib", "pandas", "pyhf", "rich", "tqdm"}


def blocks_of(page):
    """(line, code, what it prints or None) of every block that is run."""
    text = page.read_text()
    for match in BLOCK.finditer(text):
        if match["reason"] is None:
            width = len(match["indent"])
            code = "".join(line[width:] if line.strip() else "\n" for line in match["code"].splitlines(keepends=True))
            yield text.count("\n", 0, match.start("code")) + 1, code, match["shown"]


def pages_with_blocks():
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES if list(blocks_of(page))]


def matches(expected, printed):
    pattern = "".join(r"(?:.*\n)*" if line.strip() == "..." else re.escape(line.rstrip()) + r" *\n" for line in expected.splitlines())
    return re.fullmatch(pattern, printed)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the examples; what a page sets for the whole process is put back."""
    (tmp_path / "examples").mkdir()
    for example in (ROOT / "examples").glob("*.json"):
        shutil.copy(example, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    threads = nextstat.get_threads()
    yield tmp_path
    nextstat.set_threads(threads)


def run_block(page, line, code, namespace):
    """What the block prints. Tracebacks name the page and its line."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), namespace)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OPTIONAL:
            raise
        pytest.skip(f"{page.relative_to(ROOT)} from line {line} on: {error.name} is not installed")
    return printed.getvalue()


@pytest.mark.parametrize("page", pages_with_blocks())
def test_python_blocks_run_and_print_what_they_show(page, folder):
    namespace = {"__name__": "__main__"}
    for line, code, shown in blocks_of(page):
        printed = run_block(page, line, code, namespace)
        if shown is not None:
            assert matches(shown, printed), f"{page.relative_to(ROOT)}:{line}\n--- shown\n{shown}--- printed\n{printed}"


def test_a_block_that_shows_something_else_is_found():
    assert matches("1\n...\n3\n", "1\n2\n2\n3\n") and matches("...\n", "")
    assert not matches("1\n...\n4\n", "1\n2\n3\n") and not matches("1.0\n", "100\n")


def test_a_comment_leaves_one_block_out(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- not run: needs a cluster -->\n\n```python\n1 / 0\n```\n\n```python\nprint(2)\n```\n\n```text\n2\n```\n")
    assert [(code, shown) for _, code, shown in blocks_of(page)] == [("print(2)\n", "2\n")]
