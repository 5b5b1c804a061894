"""Every example of examples/python runs: scripts as programs, the cells of notebooks in order. Figures go to a temporary folder."""

import ast
import json
import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

pytest.importorskip("nextstat")

FOLDER = ROOT / "examples" / "python"
SCRIPTS = sorted(FOLDER.glob("*.py"))
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
FIGURES = {
    "quickstart.py": ["limit.png"],
    "ranking_and_pulls.py": ["after_fit.png", "before_fit.png", "correlation.png", "pulls.png", "ranking.png"],
    "scan.py": ["plane.png", "scan.png"],
    "many_toys.py": ["toys.png"],
}


def cells(notebook):
    return [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]


def run_cell(source, namespace, name):
    """Runs a cell as a notebook does; the value of a last line that is an expression, which a notebook shows."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";") else None
    exec(compile(tree, name, "exec"), namespace)
    return None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), namespace)


def test_the_examples_are_there():
    assert len(SCRIPTS) >= 7 and NOTEBOOKS


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_run(script, tmp_path):
    if script.name in FIGURES:
        pytest.importorskip("matplotlib")
    run = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=300,
                         env={**os.environ, "MPLBACKEND": "Agg"})
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() and "Traceback" not in run.stderr
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == FIGURES.get(script.name, [])
    assert all((tmp_path / name).stat().st_size > 5000 for name in written)


def test_the_quick_start_has_ten_lines():
    source = (FOLDER / "quickstart.py").read_text()
    body = ast.parse(source).body[1:]  # without the docstring
    assert sum(node.end_lineno - node.lineno + 1 for node in body) <= 10


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run_and_show_something(notebook, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    shutil.copy(ROOT / "examples" / "search.json", tmp_path)
    (tmp_path / "python").mkdir()
    monkeypatch.chdir(tmp_path / "python")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace, shown = {"__name__": "__main__"}, []
    for number, cell in enumerate(cells(notebook)):
        value = run_cell("".join(cell["source"]), namespace, f"{notebook.name} cell {number}")
        if value is not None:
            ways = (getattr(value, name, lambda: None)() for name in ("_repr_html_", "_repr_png_", "__repr__"))
            shown.append(next(way for way in ways if way is not None))
    assert len(shown) > 5 and all(shown)
    assert (tmp_path / "python" / "fit.json").exists()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_stored_without_outputs(notebook):
    assert [cell["outputs"] for cell in cells(notebook)] == [[] for _ in cells(notebook)]
    assert all(cell["execution_count"] is None for cell in cells(notebook))
