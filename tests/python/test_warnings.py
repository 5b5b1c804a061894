"""What is odd about an answer is said, once, in every verb that meets it."""

import json

import pytest

from conftest import SIMPLE, answer, needs_program, run_program, write
from small_workspaces import with_flat_direction, workspace

pytestmark = needs_program

FITTING = ["fit", "scan", "interval", "ranking", "hypotest", "cls", "upper-limit", "significance", "goodness-of-fit"]


@pytest.mark.parametrize("verb", FITTING)
def test_flat_directions_are_said_by_every_verb(verb, tmp_path):
    path = write(tmp_path / "flat.json", with_flat_direction())
    said = [warning for warning in answer(verb, path)["warnings"] if "flat direction" in warning]
    assert len(said) == 1 and "one" in said[0] and "two" in said[0]
    assert not any("flat direction" in warning for warning in answer(verb, path, "--fixed", "two=1")["warnings"])


def test_flat_directions_are_no_degrees_of_freedom_of_the_fit(tmp_path):
    path = write(tmp_path / "flat.json", with_flat_direction())
    with_both, with_one = answer("goodness-of-fit", path), answer("goodness-of-fit", path, "--fixed", "two=1")
    assert with_both["ndof"] == with_one["ndof"] == 1
    assert with_both["p_value"] == pytest.approx(with_one["p_value"], rel=1e-6)
    assert answer("fit", path)["goodness_of_fit"]["ndof"] == 1


def test_limits_that_do_not_exist_are_one_warning(tmp_path):
    path = write(tmp_path / "blind.json", workspace([0.0], [50.0], [50]))
    for options in ([], ["--scan-points", 3]):
        warnings = answer("upper-limit", path, *options, code=1)["warnings"]
        assert len([warning for warning in warnings if warning.startswith("no ")]) == 1
        assert "no observed limit and no expected limits" in " ".join(warnings)


def test_a_group_with_the_parameter_of_interest_is_warned_of_by_name(tmp_path):
    groups = write(tmp_path / "groups.json", {"signal": ["mu", "lumi"], "only": ["mu"], "good": ["lumi"]})
    shown = answer("ranking", SIMPLE, "--groups", groups)
    impacts = {group["name"]: group["impact"] for group in shown["groups"]}
    assert impacts["signal"] == impacts["good"] > 0 and impacts["only"] == 0
    said = [warning for warning in shown["warnings"] if warning.startswith("group")]
    assert sum('"signal"' in warning for warning in said) == 1 and not any('"good"' in warning for warning in said)
    assert any('"only" has no free parameter' in warning for warning in said)


def test_an_empty_group_is_refused_by_name(tmp_path):
    done = run_program("ranking", SIMPLE, "--groups", write(tmp_path / "groups.json", {"none": []}))
    assert done.returncode == 2 and 'group "none"' in done.stderr and "no members" in done.stderr


@pytest.mark.parametrize("points, rows", [(60, 60), (61, 32), (1000, 61)])
def test_a_long_scan_is_thinned_out_on_the_screen_only(points, rows, tmp_path):
    output = tmp_path / "scan.json"
    done = run_program("scan", SIMPLE, "--points", points, "--stop", 2, "-o", output, "--format", "table")
    lines = [line for line in done.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert abs(len(lines) - rows) <= 1, done.stdout
    assert ("points; all of them: --format json" in done.stdout) == (points > 60)
    assert done.stdout.count("< lowest") == 1 and lines[-1].split()[0] == "2"
    assert len(json.loads(output.read_text())["points"]) == points
