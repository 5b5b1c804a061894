"""The type checker has nothing to say about the package, the examples and a user's program, and the stub is the compiled module's."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

nextstat = pytest.importorskip("nextstat")

USER = """
import nextstat
from typing import reveal_type

result = nextstat.fit("analysis.json", fixed={"mu": 0.0}, data=[1, 2, 3])
reveal_type(result)
reveal_type(result.bestfit)
reveal_type(nextstat.Model.from_workspace("analysis.json").n_params)
result.best_fit
"""


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """mypy(FILE...) with the settings of pyproject.toml. The cache is new: an old one remembers modules that were not there."""
    pytest.importorskip("mypy")
    cache = tmp_path_factory.mktemp("mypy")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--no-color-output", "--cache-dir", str(cache)]

    def run(*files):
        return subprocess.run([*command, *map(str, files)], cwd=ROOT, capture_output=True, text=True, timeout=600)

    return run


def test_package_and_examples_are_clean(mypy):
    run = mypy()
    assert run.returncode == 0, run.stdout + run.stderr


def test_notebooks_are_clean(mypy, tmp_path):
    for notebook in (ROOT / "examples" / "python").glob("*.ipynb"):
        cells = ["".join(cell["source"]) for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
        (tmp_path / f"{notebook.stem}.py").write_text("\n".join(cells) + "\n")
    run = mypy(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


def test_users_programs_see_the_types(mypy, tmp_path):
    (tmp_path / "user.py").write_text(USER)
    run = mypy(tmp_path / "user.py")
    for words in ('"nextstat.results.fits.FitResult"', "float64", '"int"', 'no attribute "best_fit"'):
        assert words in run.stdout, run.stdout + run.stderr
    assert run.stdout.count("user.py:9: error:") == run.stdout.count("user.py") - 3 == 1


def test_the_stub_is_that_of_the_compiled_module(tmp_path):
    pytest.importorskip("nanobind")
    module = Path(nextstat._core.__file__)
    if not (module.parent / "__init__.py").resolve().is_relative_to(ROOT):
        pytest.skip(f"the package imported from {module.parent} was not built from this tree")
    run = subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-P", "-m", "_core", "-i", module.parent, "-o", tmp_path / "_core.pyi"],
                         capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    made, stored = (tmp_path / "_core.pyi").read_text(), (ROOT / "python" / "nextstat" / "_core.pyi").read_text()
    assert made == stored, "store the new one: cp build/release/python/nextstat-stub/_core.pyi python/nextstat/_core.pyi"
