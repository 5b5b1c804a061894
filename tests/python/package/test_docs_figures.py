"""The Python blocks of the pages about figures and cabinetry run in order, and the pictures are there."""

import os
import pathlib
import re

import pytest

pytest.importorskip("matplotlib")

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = ["figures.md", "cabinetry.md"]


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run_as_printed(page, tmp_path, monkeypatch):
    if page == "cabinetry.md":
        pytest.importorskip("cabinetry")
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.M | re.S)
    assert blocks
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page}, block {number}", "exec"), names)
    written = [path.name for path in tmp_path.rglob("*.p[nd][gf]")]
    assert ("pulls.png" if page == "figures.md" else "limit.pdf") in written


def test_every_picture_is_there_and_small():
    text = (ROOT / "docs/figures.md").read_text()
    shown = re.findall(r"!\[.+?\]\((figures/.+?)\)", text)
    assert len(shown) > 30
    for name in shown:
        assert os.path.getsize(ROOT / "docs" / name) < 150_000, name
    there = {f"figures/{path.name}" for path in (ROOT / "docs/figures").glob("*.png")}
    assert there == set(shown)


def test_every_function_has_a_section():
    from nextstat import plot

    text = (ROOT / "docs/figures.md").read_text()
    assert [name for name in plot.__all__ if f"plot.{name}(" not in text] == []
