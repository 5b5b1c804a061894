"""Promises that once were broken: each test is one of those cases."""

import math

import pytest

from conftest import answer, run_program, write
from small_workspaces import MU, histosys, modifier, normsys, one_channel, sample, shapesys


@pytest.mark.parametrize("lo, hi", [(0.01, 100.0), (1e-4, 50.0), (1e-8, 1.2), (1e-17, 1.2), (0.9, 1e12)])
@pytest.mark.parametrize("alpha", [-3.0, -1.5, -1.0, 1.0, 1.5])
def test_code4_beyond_one_is_the_power_itself(tmp_path, lo, hi, alpha):
    path = write(tmp_path / "workspace.json", one_channel([sample("s", [5.0], MU, normsys("a", lo, hi))], [3.0]))
    result = answer("evaluate", path, "--parameters", f"a={alpha}", "--expected")
    expected = 5.0 * (hi**alpha if alpha > 0 else lo**-alpha)
    assert result["expected_data"]["main"]["c"][0] == pytest.approx(expected, rel=1e-13)


def test_a_number_too_large_is_refused(tmp_path):
    path = write(tmp_path / "workspace.json", one_channel([sample("s", [5.0], MU)], [3.0]))
    run = run_program("evaluate", path, "--parameters", "mu=1e400")
    assert run.returncode == 2 and "mu=1e400" in run.stderr


def test_a_parameter_given_twice_is_refused(tmp_path):
    path = write(tmp_path / "workspace.json", one_channel([sample("s", [5.0], MU)], [3.0]))
    assert run_program("evaluate", path, "--parameters", "mu=1", "mu=2").returncode == 2


def test_a_measurement_called_like_a_number_is_found_by_name(tmp_path):
    measurements = [{"name": name, "config": {"poi": "mu", "parameters": []}} for name in ("1", "0")]
    document = {**one_channel([sample("s", [5.0], MU)], [3.0]), "measurements": measurements}
    path = write(tmp_path / "workspace.json", document)
    assert answer("inspect", path, "--measurement", "1")["measurement"] == "1"
    assert answer("inspect", path, "--measurement", "0")["measurement"] == "0"


def test_the_poi_is_the_set_of_that_name(tmp_path):
    samples = [sample("s", [5.0], modifier("n[0]", "normfactor")), sample("t", [7.0], shapesys(1.0, name="n"), modifier("a", "normfactor"))]
    result = answer("inspect", write(tmp_path / "workspace.json", one_channel(samples, [3.0], poi="n[0]")))
    assert result["parameters"][result["poi_index"]]["type"] == "normfactor"


def test_huge_shifts_leave_other_bins_alone_in_single_rows_and_batches(tmp_path):
    last_bin = histosys("h", [5.0] * 7 + [4.0], [5.0] * 7 + [6.0])
    path = write(tmp_path / "workspace.json", one_channel([sample("s", [5.0] * 8, MU, last_bin)], [3.0] * 8))
    rows = write(tmp_path / "rows.json", [{"h": 1e308}] * 3)
    single = answer("evaluate", path, "--parameters", "h=1e308", "--expected")["expected_data"]["main"]["c"]
    batch = answer("evaluate", path, "--parameters", rows, "--expected")["rows"]
    assert single[:7] == [5.0] * 7
    assert all(row["expected_data"]["main"]["c"] == single for row in batch)


def test_the_table_shows_the_observations_that_were_used(tmp_path):
    path = write(tmp_path / "workspace.json", one_channel([sample("s", [5.0], MU)], [3.0]))
    run = run_program("evaluate", path, "--data", write(tmp_path / "data.json", {"c": [987]}), "--expected", "--format", "table")
    assert run.returncode == 0 and "987" in run.stdout


def test_warnings_come_once(tmp_path):
    samples = [sample(f"s{i}", [5.0], MU, normsys("a", 0.0, 1.2)) for i in range(50)]
    path = write(tmp_path / "workspace.json", one_channel(samples, [3.0], poi="absent"))
    rows = write(tmp_path / "rows.json", [{"mu": 0.0}] * 20)
    for words in (["inspect", path], ["evaluate", path, "--parameters", rows]):
        warnings = answer(*words)["warnings"]
        assert len(warnings) == len(set(warnings)) <= 3
        assert sum("absent" in warning for warning in warnings) == 1
        assert sum("interpolation is linear" in warning for warning in warnings) == 1


def test_a_workspace_after_parameters_is_explained(tmp_path):
    path = write(tmp_path / "workspace.json", one_channel([sample("s", [5.0], MU)], [3.0]))
    run = run_program("evaluate", "--parameters", "mu=1", path)
    assert run.returncode == 2 and "before --parameters" in run.stderr


def test_zero_factor_keeps_its_slope(tmp_path):
    path = write(tmp_path / "workspace.json", one_channel([sample("s", [5.0], MU, normsys("a", 0.0, 1.2)), sample("b", [7.0])], [3.0]))
    result = answer("evaluate", path, "--parameters", "a=-1", "--gradient")
    slope = result["gradient"][result["parameter_names"].index("a")]
    assert slope == pytest.approx((1 - 3 / 7) * 5 - 1, rel=1e-12) and math.isfinite(slope)
