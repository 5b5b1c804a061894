"""The page about figures has a section for every function, and its pictures are there."""

import os
import pathlib
import re

import pytest

pytest.importorskip("matplotlib")

ROOT = pathlib.Path(__file__).resolve().parents[3]


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
