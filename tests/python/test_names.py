"""Names that users type stand in one table of the library each: the help, the errors, Python, JSON and toy folders show all of it,
and no other file of the library, the program or the bindings has a copy."""

import json
import re

import pytest

from conftest import ROOT, SIMPLE, needs_program, run_program
from test_defaults import help_of

nextstat = pytest.importorskip("nextstat")

pytestmark = needs_program

NAMES = nextstat._core.names()
CODES = [(argument, name) for argument in ("normsys_code", "histosys_code") for name in NAMES[argument]]

# table: (verb, flag, Python with a wrong name, names of a question that takes fewer)
USES = {
    "normsys_code": ("inspect", "--normsys-code", lambda name: nextstat.Model.from_workspace(SIMPLE, normsys_code=name)),
    "histosys_code": ("inspect", "--histosys-code", lambda name: nextstat.Model.from_workspace(SIMPLE, histosys_code=name)),
    "test_stat": ("hypotest", "--test-stat", lambda name: nextstat.hypotest(1.0, SIMPLE, test_stat=name)),
    "calctype": ("upper-limit", "--calctype", lambda name: nextstat.upper_limit(SIMPLE, calctype=name)),
    "impact": ("ranking", "--impact", lambda name: nextstat.ranking(SIMPLE, impact=name)),
    "join": ("combine", "--join", lambda name: nextstat.load_workspace(SIMPLE).combine(SIMPLE, join=name)),
    "device": ("fit", "--device", lambda name: nextstat.fit(SIMPLE, device=name)),
    "algorithm": ("digest", "--algorithm", lambda name: nextstat.load_workspace(SIMPLE).digest(name)),
    "instruction_set": ("fit", "--instruction-set", lambda name: nextstat.profile_ci(SIMPLE, instruction_set=name)),
}


def listed(names, last="and"):
    return ", ".join(names[:-1]) + f" {last} " + names[-1]


def test_every_table_is_tried():
    assert set(USES) == set(NAMES)
    assert "fit" in nextstat.__all__ and all(len(names) >= 2 for names in NAMES.values())


@pytest.mark.parametrize("table", [table for table in USES if table != "algorithm"])
def test_the_help_lists_the_table(table):
    verb, flag, _ = USES[table]
    shown = help_of(verb)[flag].replace(" (default)", "")
    assert f": {listed(NAMES[table], 'or')}" in shown, shown


@pytest.mark.parametrize("table", USES)
def test_a_wrong_name_is_answered_with_the_table(table):
    verb, flag, ask = USES[table]
    near = NAMES[table][-1][:-1] + "y"
    files = [SIMPLE, SIMPLE] if verb == "combine" else [SIMPLE]
    done = run_program(verb, *files, flag, near, "--format", "json")
    assert done.returncode == 2
    report = json.loads(done.stderr)
    assert report["where"] == flag and report["what"].startswith(f"'{near}' is not a")
    assert report["what"].endswith(f"; there are {listed(NAMES[table])}")
    with pytest.raises(nextstat.InputError) as caught:
        ask(near)
    assert caught.value.faults[0].what == report["what"]
    if table != "instruction_set":  # which names those that this processor has
        assert report["hint"] == caught.value.faults[0].hint
        assert report["hint"].startswith("did you mean '") and report["hint"][14:-2] in NAMES[table]


@pytest.mark.parametrize("argument, name", CODES)
def test_a_code_reaches_python_json_and_toy_folders_by_its_name(argument, name, tmp_path):
    model = nextstat.Model.from_workspace(SIMPLE, **{argument: name})
    assert getattr(model, argument) == name
    nextstat.fit_toys(model, n_toys=3, out=tmp_path / "python", starts=1)
    flag = "--" + argument.replace("_", "-")
    assert json.loads(run_program("inspect", SIMPLE, flag, name).stdout)[argument] == name
    assert run_program("toys", "run", SIMPLE, flag, name, "--n-toys", 3, "--starts", 1, "--out", tmp_path / "cli").returncode == 0
    for folder in ("python", "cli"):
        assert json.loads((tmp_path / folder / "run.json").read_text())["settings"][argument] == name


def test_a_statistic_that_a_question_cannot_use_is_answered_with_those_that_it_can():
    for verb, names in (("upper-limit", ["qtilde", "q"]), ("mass-scan", ["qtilde", "q"]), ("cls", ["qtilde", "q"]),
                        ("hypotest-toys", ["qtilde", "q", "q0"])):
        report = json.loads(run_program(verb, SIMPLE, "--test-stat", "t", "--format", "json").stderr)
        assert report["what"] == f"'t' is not a test statistic for this; there are {listed(names)}"
        assert f": {listed(names, 'or')}" in help_of(verb)["--test-stat"].replace(" (default)", "")


# File of the table, names in it that mean nothing else.
TABLES = {
    "src/model/compile/interpolation_codes.cpp": [*NAMES["normsys_code"], *NAMES["histosys_code"]],
    "src/infer/asymptotic/test_statistic.cpp": ["qtilde", "ttilde", "asymptotics"],
    "src/infer/profile/ranking.cpp": NAMES["impact"],
    "src/model/documents/combine.cpp": ["outer", "left outer", "right outer"],
    "src/device/device_names.cpp": ["CUDA", "cuda", "rocm", "ROCm", "metal", "Metal", "opencl", "OpenCL", "webgpu", "WebGPU"],
}


def literals(path):
    """String literals of a C++ file outside of comments."""
    return set(re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r"^\s*//.*|  // .*", "", path.read_text(), flags=re.M)))


def test_no_file_has_a_copy_of_a_table():
    sources = [path for folder in ("src", "cli", "python/bindings", "include")
               for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cpp")]
    copies = []
    for table, names in TABLES.items():
        assert set(names) <= literals(ROOT / table), f"{table} is not the table of {names}"
        copies += [f"{path.relative_to(ROOT)}: {sorted(found)}" for path in sources
                   if path != ROOT / table and (found := literals(path) & set(names))]
    assert not copies, "\n".join(copies)
