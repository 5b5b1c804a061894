"""The recipes of CONTRIBUTING.md work: their code blocks, put where they say, give a program and a Python package with the new
modifier, the new interpolation code and the new verb."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

from conftest import ROOT, answer

RECIPES = ["Adding a modifier", "Adding an interpolation code", "Adding a verb"]
BLOCK = re.compile(r"^ *```(?:cpp|cmake)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"(?://|#) (?P<file>\S+), (?:(?P<new>new)|(?P<how>below|instead of): (?P<anchor>.+))")


def recipe(title, page="CONTRIBUTING.md"):
    """[(file, how, anchor, text)] of the blocks of one section."""
    sections = re.split(r"^## (.+)$", (ROOT / page).read_text(), flags=re.MULTILINE)
    body = sections[sections.index(title) + 1]
    changes = []
    for block in BLOCK.findall(body):
        first, _, text = textwrap.dedent(block).partition("\n")
        place = PLACE.fullmatch(first)
        assert place, f"'{title}': a block has to say where it goes, this one says {first!r}"
        changes.append((place["file"], place["how"] or "new", place["anchor"], text))
    return changes


def insert(tree, file, how, anchor, text):
    path = tree / file
    if how == "new":
        assert not path.exists(), f"{file} is there already"
        path.write_text(text)
        return
    lines = path.read_text().splitlines(keepends=True)
    found = [number for number, line in enumerate(lines) if anchor in line]
    assert len(found) == 1, f"{len(found)} lines of {file} contain {anchor!r}; the recipe needs exactly one"
    at = found[0]
    lines[at : at + 1] = [text] if how == "instead of" else [lines[at], text]
    path.write_text("".join(lines))


def copy_tree(target):
    """What is under version control or may come under it, as it stands."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        folders = ["cli", "cmake", "include", "python", "src"]
        files = ["CMakeLists.txt", *(path for f in folders for path in (ROOT / f).rglob("*") if path.is_file())]
    else:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        )
        files = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    for name in files:
        relative = pathlib.Path(ROOT / name).relative_to(ROOT)
        (target / relative).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / relative, target / relative)


def build(tree, *targets, options=()):
    """The program of `tree`, and what else is asked for. Not optimized: what is under test is the recipe."""
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    settings = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=", "-DNEXTSTAT_BUILD_TESTS=OFF",
                *options]
    environment = {**os.environ, "CCACHE_BASEDIR": str(tree), "CCACHE_NOHASHDIR": "1"}
    jobs = os.environ.get("NEXTSTAT_JOBS", str(os.cpu_count() or 1))
    for command in (
        ["cmake", "-S", tree, "-B", tree / "build", *settings, *launcher],
        ["cmake", "--build", tree / "build", "--target", "nextstat_cli", *targets, "-j", jobs],
    ):
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return tree / "build/bin/nextstat"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")
    tree = tmp_path_factory.mktemp("tree")
    copy_tree(tree)
    for title in RECIPES:
        for change in recipe(title):
            insert(tree, *change)
    return tree


@pytest.fixture(scope="module")
def program(tree):
    return build(tree)


@pytest.fixture(scope="module")
def package(tree, program):
    """python(TEXT) runs it with the package of the tree, which has the same library as the program."""
    pytest.importorskip("nanobind")
    settings = ["-DNEXTSTAT_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    build(tree, "_core", "nextstat_package", options=settings)

    def python(text, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(tree / "build/python")}
        done = subprocess.run([sys.executable, "-c", text, *map(str, arguments)], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return python


def workspace_with(kind):
    """examples/simple.json with every normfactor turned into `kind`."""
    text = (ROOT / "examples/simple.json").read_text()
    assert '"normfactor"' in text
    return text.replace('"normfactor"', f'"{kind}"')


@pytest.mark.parametrize("title", RECIPES)
def test_every_recipe_has_blocks_that_say_where_they_go(title, tmp_path):
    """Cheap, so also where the build is left out: places exist and are unique."""
    changes = recipe(title)
    assert len(changes) >= 4
    for file, how, anchor, text in changes:
        assert text.strip()
        if how != "new":
            assert sum(anchor in line for line in (ROOT / file).read_text().splitlines()) == 1, (file, anchor)
        folders = [ROOT / "include", ROOT / "src", ROOT / pathlib.Path(file).parts[0]]
        for name in re.findall(r'#include (?:"([^"]+)"|<(nextstat/[^>]+)>)', text):
            assert any((folder / "".join(name)).exists() for folder in folders), (file, name)


@pytest.mark.slow
@pytest.mark.long
def test_a_new_modifier_is_a_file_and_three_lines(program, tmp_path):
    plain, fresh = tmp_path / "plain.json", tmp_path / "fresh.json"
    plain.write_text(workspace_with("normfactor"))
    fresh.write_text(workspace_with("freefactor"))
    assert answer("validate", fresh, program=program)["ok"]
    shown = {p["name"]: p for p in answer("inspect", fresh, program=program)["parameters"]}
    assert shown["mu"]["type"] == "freefactor"
    assert list(shown)[-2:] == ["mu", "top_normalisation"], "last in the table, last among the parameters"
    options = ["--parameters", "mu=0.5", "top_normalisation=1.25", "jet_energy_scale=-0.5", "--gradient", "--expected"]
    old, new = (answer("evaluate", path, *options, program=program) for path in (plain, fresh))
    assert new["nll"] == pytest.approx(old["nll"], rel=1e-14)
    assert new["expected_data"]["main"] == old["expected_data"]["main"]
    slopes_old = dict(zip(old["parameter_names"], old["gradient"]))
    slopes_new = dict(zip(new["parameter_names"], new["gradient"]))
    assert slopes_new == pytest.approx(slopes_old, rel=1e-12)


@pytest.fixture
def straight_workspace(tmp_path):
    workspace = {
        "channels": [{"name": "c", "samples": [{"name": "s", "data": [100.0, 50.0], "modifiers": [
            {"name": "a", "type": "histosys", "data": {"lo_data": [90.0, 55.0], "hi_data": [114.0, 47.0]}}]}]}],
        "observations": [{"name": "c", "data": [95, 52]}],
        "measurements": [{"name": "m", "config": {"poi": "a", "parameters": []}}],
        "version": "1.0.0",
    }
    path = tmp_path / "workspace.json"
    path.write_text(json.dumps(workspace))
    return path


@pytest.mark.slow
@pytest.mark.long
def test_a_new_interpolation_code_needs_no_other_place(program, straight_workspace):
    for a in (-2.5, -0.5, 0.5, 2.5):
        options = ["--histosys-code", "straight", "--parameters", f"a={a}", "--expected", "--gradient", "--hessian"]
        got = answer("evaluate", straight_workspace, *options, program=program)
        rates = [100 + 12 * a, 50 - 4 * a]
        assert got["expected_data"]["main"]["c"] == pytest.approx(rates, rel=1e-14)
        slope = a + 12 * (1 - 95 / rates[0]) - 4 * (1 - 52 / rates[1])
        curvature = 1 + 12**2 * 95 / rates[0] ** 2 + 4**2 * 52 / rates[1] ** 2
        assert got["gradient"] == pytest.approx([slope], rel=1e-12)
        assert got["hessian"][0] == pytest.approx([curvature], rel=1e-12)


ASK_PYTHON = """
import json, sys, nextstat
workspace, folder = sys.argv[1:]
model = nextstat.Model.from_workspace(workspace, histosys_code="straight")
nextstat.fit_toys(model, n_toys=5, out=folder)
try:
    nextstat.Model.from_workspace(workspace, histosys_code="strait")
except nextstat.InputError as error:
    fault = error.faults[0]
print(json.dumps({"code": model.histosys_code, "rates": model.expected_data([2.5], include_auxdata=False).tolist(),
                  "fit": nextstat.fit(model).bestfit.tolist(), "what": fault.what, "hint": fault.hint}))
"""


@pytest.mark.slow
@pytest.mark.long
def test_a_new_interpolation_code_reaches_python_json_and_toy_folders(program, package, straight_workspace, tmp_path):
    got = package(ASK_PYTHON, straight_workspace, tmp_path / "python")
    assert got["code"] == "straight" and got["rates"] == pytest.approx([130.0, 40.0], rel=1e-14)
    options = ["--histosys-code", "straight"]
    assert got["fit"] == pytest.approx(answer("fit", straight_workspace, *options, program=program)["bestfit"], rel=1e-12)
    assert got["what"].endswith("there are code0, code2, code4p and straight") and got["hint"] == "did you mean 'straight'?"
    assert answer("inspect", straight_workspace, *options, program=program)["histosys_code"] == "straight"
    answer("toys", "run", straight_workspace, *options, "--n-toys", 5, "--out", tmp_path / "cli", program=program)
    runs = [json.loads((tmp_path / folder / "run.json").read_text()) for folder in ("python", "cli")]
    assert runs[0]["settings"] == runs[1]["settings"] and runs[0]["settings"]["histosys_code"] == "straight"
    shown = subprocess.run([program, "fit", "--help"], capture_output=True, text=True).stdout
    assert "code0, code2, code4p or straight" in " ".join(shown.split())


@pytest.mark.slow
@pytest.mark.long
def test_a_new_verb_is_a_file_and_three_lines(program):
    simple = ROOT / "examples/simple.json"
    assert answer("bins", simple, program=program)["bins"] == {"signal_region": 4, "control_region": 3}
    shown = subprocess.run([program, "--help"], capture_output=True, text=True)
    assert "Count the bins of every channel" in shown.stdout
    table = subprocess.run([program, "bins", simple, "--format", "table"], capture_output=True, text=True)
    assert table.stdout.splitlines()[0].split() == ["channel", "bins"]
