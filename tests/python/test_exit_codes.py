"""Exit code 1: a fit did not converge, or a number that was asked for does not exist. Then it is null, with the reason."""

import json

import pytest

from conftest import SIMPLE, needs_program, run_program, write
from small_workspaces import hostile, workspace

pytestmark = needs_program

INCOMPLETE = {
    "no limit": (["upper-limit"], workspace([0.0], [50.0], [50]), "does not fall to 0.05"),
    "no crossing in the scan": (["upper-limit", "--scan-points", 3, "--scan-stop", 0.01], workspace([10.0], [50.0], [50]), "does not cross"),
    "no CLs": (["hypotest"], workspace([10.0], [0.0], [7]), "no Asimov data"),
    "no CLs as pyhf": (["cls"], workspace([10.0], [0.0], [7]), "no Asimov data"),
    "infinite significance": (["significance"], workspace([10.0], [0.0], [7]), "infinite"),
    "infinite expected significance": (["significance"], workspace([10.0], [0.0], [0]), "no expected significance: the background alone cannot"),
    "scan point without a likelihood": (["scan", "--start", -10, "--points", 3], workspace([10.0], [50.0], [50]), "the likelihood is zero at"),
    "no degrees of freedom": (["goodness-of-fit"], workspace([10.0], [50.0], [50]), "no p-value"),
}
COMPLETE = {
    "uncertainty at a bound": ["fit"],
    "MINOS error at a bound": ["fit", "--minos"],
    "interval ends at a bound": ["interval"],
    "limit": ["upper-limit"],
    "CLs": ["hypotest"],
    "CLs as pyhf": ["cls"],
    "discovery has no CLs": ["hypotest", "--test-stat", "q0"],
    "significance": ["significance"],
    "scan": ["scan"],
    "ranking": ["ranking"],
}


@pytest.mark.parametrize("question, document, reason", INCOMPLETE.values(), ids=INCOMPLETE)
def test_what_does_not_exist_is_null_with_its_reason_and_exit_1(question, document, reason, tmp_path):
    path = write(tmp_path / "workspace.json", document)
    done = run_program(question[0], path, *question[1:], "--format", "json")
    assert done.returncode == 1, done.stderr
    assert any(reason in warning for warning in json.loads(done.stdout)["warnings"]), done.stdout
    assert reason in run_program(question[0], path, *question[1:], "--format", "table").stdout


@pytest.mark.parametrize("question", COMPLETE.values(), ids=COMPLETE)
def test_what_a_bound_ends_is_exit_0(question, tmp_path):
    scale = {"name": "scale", "type": "normsys", "data": {"lo": 0.9, "hi": 1.1}}
    deficit = workspace([5.0, 10.0], [50.0, 60.0], [45, 50], [scale])
    done = run_program(question[0], write(tmp_path / "workspace.json", deficit), *question[1:])
    assert done.returncode == 0, done.stdout


def test_a_mass_scan_with_a_point_without_limit_is_exit_1_and_the_table_says_why(tmp_path):
    write(tmp_path / "blind.json", workspace([0.0], [50.0], [50]))
    write(tmp_path / "good.json", workspace([10.0], [50.0], [50]))
    done = run_program("mass-scan", "--workspaces-dir", tmp_path, "--format", "table")
    assert done.returncode == 1
    assert "blind: no observed limit" in done.stdout and "good:" not in done.stdout


def test_groups_that_have_no_impact_are_exit_1(tmp_path):
    scale = {"name": "scale", "type": "normsys", "data": {"lo": 0.9, "hi": 1.1}}
    path = write(tmp_path / "workspace.json", workspace([5.0, 10.0], [50.0, 60.0], [45, 50], [scale]))
    groups = write(tmp_path / "groups.json", {"scales": ["scale"]})
    assert run_program("ranking", path, "--groups", groups).returncode == 1
    assert run_program("ranking", SIMPLE, "--groups", write(tmp_path / "groups.json", {"all": ["lumi"]})).returncode == 0


@pytest.mark.parametrize("seeds, at_least", [(range(40), 1), pytest.param(range(160), 5, marks=pytest.mark.long)], ids=str)
def test_nothing_rests_on_a_fit_that_did_not_converge(seeds, at_least, tmp_path):
    failed = 0
    for seed in seeds:
        path = write(tmp_path / "workspace.json", hostile(seed))
        done = run_program("hypotest", path, "--starts", "1", "--format", "json")
        if done.returncode == 2:  # no likelihood at the start
            continue
        shown = json.loads(done.stdout)
        repaired = any("more than one minimum" in warning for warning in shown["warnings"])
        if shown["converged"] or repaired:
            continue
        failed += 1
        assert done.returncode == 1 and shown["cls"] is None and shown["clsb"] is None
        assert any("did not converge" in warning for warning in shown["warnings"])
        limit = run_program("upper-limit", path, "--starts", "1", "--format", "json")
        assert limit.returncode == 1
    assert failed >= at_least, "hostile() no longer makes fits that fail: make it worse"
