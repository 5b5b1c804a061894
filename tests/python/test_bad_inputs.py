"""Every broken input of bad_inputs.py: exit 2, the right file and JSON pointer, a sentence that helps and a hint."""

import copy
import json
import os
import re

import pytest

import bad_inputs
from bad_input_case import BASE
from bad_workspaces import FIVE, FIVE_FAULTS, WORKSPACES


def by_name(case):
    return re.sub(r"[^\w.-]", "_", case.name)


@pytest.fixture
def prepared(tmp_path, nextstat):
    """prepared(case, "json") -> the finished process; words of the command that are its files become paths."""

    def run(case, output_format):
        contents = case.contents()
        for name, body in contents.items():
            (tmp_path / name).write_bytes(body)
        return nextstat(*case.command, *(() if "--format" in case.command else ("--format", output_format)), stdin="", cwd=tmp_path)

    return run


def check(case, error):
    assert error["where"] == f"{case.file} {case.where}".strip()
    assert re.search(case.what, error["what"]), error["what"]
    assert re.search(case.hint, error["hint"]), error["hint"]
    assert error["code"] in {"bad_input", "bad_usage", "not_found", "limit_exceeded"}


def test_there_are_many_and_all_differ():
    assert len(bad_inputs.CASES) >= 80
    assert len({by_name(case) for case in bad_inputs.CASES}) == len(bad_inputs.CASES)
    seen = [(case.command, tuple(sorted(case.contents().items()))) for case in bad_inputs.CASES]
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("case", bad_inputs.CASES, ids=by_name)
def test_reports_the_fault_as_json(case, prepared):
    if "--format" in case.command:
        pytest.skip("this case is about --format")
    result = prepared(case, "json")
    assert result.returncode == 2
    assert result.stdout == ""
    report = json.loads(result.stderr)
    check(case, report)
    assert [error["where"] for error in report["errors"]] == [report["where"]]  # one fault, one error


@pytest.mark.parametrize("case", bad_inputs.CASES, ids=by_name)
def test_reports_the_fault_in_sentences(case, prepared):
    result = prepared(case, "table")
    assert result.returncode == 2
    first, second = result.stderr.splitlines()[:2]
    assert first.startswith("nextstat: error: " + f"{case.file} {case.where}".strip())
    assert second.startswith("  hint: ") and len(second) > len("  hint: ")


@pytest.mark.parametrize("case", WORKSPACES, ids=by_name)
def test_validate_lists_the_same_fault(case, tmp_path, nextstat):
    (tmp_path / "workspace.json").write_bytes(case.contents()["workspace.json"])
    result = nextstat("validate", "workspace.json", "--format", "json", cwd=tmp_path)
    assert result.returncode == 2
    report = json.loads(result.stdout)
    assert not report["ok"] and len(report["errors"]) == 1
    check(case, report["errors"][0])
    table = nextstat("validate", "workspace.json", "--format", "table", cwd=tmp_path)
    assert table.returncode == 2
    assert f"workspace.json {case.where}".strip() in table.stdout and "hint: " in table.stdout


def test_the_base_is_valid(tmp_path, nextstat):
    (tmp_path / "workspace.json").write_text(json.dumps(BASE))
    result = nextstat("validate", tmp_path / "workspace.json", "--format", "json")
    assert result.returncode == 0, result.stdout
    report = json.loads(result.stdout)
    assert report["ok"] and report["errors"] == [] and report["warnings"] == []


@pytest.mark.parametrize("verb", ["validate", "inspect", "evaluate"])
def test_five_faults_are_five_errors(verb, tmp_path, nextstat):
    document = copy.deepcopy(BASE)
    FIVE(document)
    (tmp_path / "five.json").write_text(json.dumps(document))
    result = nextstat(verb, "five.json", "--format", "json", cwd=tmp_path)
    assert result.returncode == 2
    report = json.loads(result.stdout if verb == "validate" else result.stderr)
    found = {error["where"]: error["what"] for error in report["errors"]}
    assert len(report["errors"]) == 5
    assert set(found) == {f"five.json {pointer}" for pointer in FIVE_FAULTS}
    for pointer, what in FIVE_FAULTS.items():
        assert what in found[f"five.json {pointer}"]


def test_a_file_that_may_not_be_read(tmp_path, nextstat):
    path = tmp_path / "workspace.json"
    path.write_text(json.dumps(BASE))
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    result = nextstat("inspect", path, "--format", "json")
    assert result.returncode == 2
    report = json.loads(result.stderr)
    assert report["where"] == str(path) and "cannot be read: Permission denied" in report["what"]
    assert "permissions" in report["hint"]


def test_standard_input_is_named(nextstat):
    result = nextstat("inspect", "-", "--format", "json", stdin='{"channels": NaN}')
    assert result.returncode == 2
    assert json.loads(result.stderr)["where"] == "standard input /channels"
