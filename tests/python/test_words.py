"""Words that would mislead: installing by a name that is another project's on PyPI, entry points that a language does not have."""

import re

import pytest

from conftest import ROOT

PLACES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml", "mkdocs.yml", "docs", "examples", "python", "src", "include",
          "cli", "scripts", "tests/python/package", "bench")
# An installer with the name as one of its arguments, or the name with extras, which only an installer knows.
BY_NAME = re.compile(r"""\b(?:pip3?|pipx|uv|conda|mamba|poetry)\b[^\n|;&`,]*?\b(?:install|add)\b[^\n|;&`,]*?[\s"'\\]nextstat(?![\w./-])
                         |\bnextstat\[\w""", re.X)


def text_files():
    for place in PLACES:
        path = ROOT / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts and file.suffix not in {".png", ".svg", ".so", ".pyc"}:
                yield file


def test_nothing_is_installed_by_a_name_that_belongs_to_another_project():
    files = list(text_files())
    assert len(files) > 500
    found = [f"{file.relative_to(ROOT)}:{number}: {line.strip()}" for file in files
             for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1) if BY_NAME.search(line)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("line, misleads", [
    ("pip install nextstat", True),
    ('python -m pip install --quiet "nextstat[plot]"', True),
    ("with `nextstat[plot]` installed", True),
    (r'match=\"pip install \"nextstat', True),
    ("conda install -c conda-forge nextstat", True),
    ('pip install ".[plot]"', False),
    ("pip install matplotlib, then import nextstat", False),
    ("auditwheel repair dist/nextstat-*.whl", False),
    ("pip install dist/nextstat-0.1.0.whl", False),
    ("`pip install .` installs the program `nextstat`", False),
])
def test_what_misleads_is_told_from_what_does_not(line, misleads):
    assert bool(BY_NAME.search(line)) is misleads


def test_the_entry_points_of_each_language_are_those_that_are_listed():
    folder = ROOT / "src/kernels"
    listed = {file: re.findall(r"`(\w+)`", names)
              for file, names in re.findall(r"^\| `(entry\.\w+)` \| (.*) \|$", (folder / "arguments.md").read_text(), re.M)}
    pattern = re.compile(r"^(?:EVALUATE|MINIMISE)\((?!\.)(\w+)|(?:__kernel|^kernel|__global__) void (\w+)\((?!\w+, \w+\))", re.M)
    there = {file.name: ["".join(match) for match in pattern.findall(file.read_text())] for file in folder.glob("entry.*")}
    assert listed == there and len(there) == 3
