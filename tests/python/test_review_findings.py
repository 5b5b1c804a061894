"""Promises that once were broken: each test is one of those cases."""

import json
import math

import pytest


def workspace(samples, observed, *, poi="mu", measurements=None, channel="c"):
    return {
        "version": "1.0.0",
        "channels": [{"name": channel, "samples": samples}],
        "observations": [{"name": channel, "data": observed}],
        "measurements": measurements or [{"name": "m", "config": {"poi": poi, "parameters": []}}],
    }


def sample(name, data, *modifiers):
    return {"name": name, "data": data, "modifiers": list(modifiers)}


def normfactor(name):
    return {"name": name, "type": "normfactor", "data": None}


def normsys(name, lo, hi):
    return {"name": name, "type": "normsys", "data": {"lo": lo, "hi": hi}}


def write(tmp_path, document):
    path = tmp_path / "workspace.json"
    path.write_text(json.dumps(document))
    return str(path)


def answer(run):
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("lo, hi", [(0.01, 100.0), (1e-4, 50.0), (1e-8, 1.2), (1e-17, 1.2), (0.9, 1e12)])
@pytest.mark.parametrize("alpha", [-3.0, -1.5, -1.0, 1.0, 1.5])
def test_code4_beyond_one_is_the_power_itself(nextstat, tmp_path, lo, hi, alpha):
    path = write(tmp_path, workspace([sample("s", [5.0], normfactor("mu"), normsys("a", lo, hi))], [3.0]))
    result = answer(nextstat("evaluate", path, "--parameters", f"a={alpha}", "--expected"))
    expected = 5.0 * (hi**alpha if alpha > 0 else lo**-alpha)
    assert result["expected_data"]["main"]["c"][0] == pytest.approx(expected, rel=1e-13)


def test_a_number_too_large_is_refused(nextstat, tmp_path):
    path = write(tmp_path, workspace([sample("s", [5.0], normfactor("mu"))], [3.0]))
    run = nextstat("evaluate", path, "--parameters", "mu=1e400")
    assert run.returncode == 2 and "mu=1e400" in run.stderr


def test_a_parameter_given_twice_is_refused(nextstat, tmp_path):
    path = write(tmp_path, workspace([sample("s", [5.0], normfactor("mu"))], [3.0]))
    assert nextstat("evaluate", path, "--parameters", "mu=1", "mu=2").returncode == 2


def test_a_measurement_called_like_a_number_is_found_by_name(nextstat, tmp_path):
    measurements = [{"name": name, "config": {"poi": "mu", "parameters": []}} for name in ("1", "0")]
    path = write(tmp_path, workspace([sample("s", [5.0], normfactor("mu"))], [3.0], measurements=measurements))
    assert answer(nextstat("inspect", path, "--measurement", "1"))["measurement"] == "1"
    assert answer(nextstat("inspect", path, "--measurement", "0"))["measurement"] == "0"


def test_the_poi_is_the_set_of_that_name(nextstat, tmp_path):
    shapesys = {"name": "n", "type": "shapesys", "data": [1.0]}
    path = write(tmp_path, workspace([sample("s", [5.0], normfactor("n[0]")), sample("t", [7.0], shapesys, normfactor("a"))],
                                     [3.0], poi="n[0]"))
    result = answer(nextstat("inspect", path))
    assert result["parameters"][result["poi_index"]]["type"] == "normfactor"


def test_huge_shifts_leave_other_bins_alone_in_single_rows_and_batches(nextstat, tmp_path):
    histosys = {"name": "h", "type": "histosys", "data": {"lo_data": [5.0] * 7 + [4.0], "hi_data": [5.0] * 7 + [6.0]}}
    path = write(tmp_path, workspace([sample("s", [5.0] * 8, normfactor("mu"), histosys)], [3.0] * 8))
    rows = tmp_path / "rows.json"
    rows.write_text(json.dumps([{"h": 1e308}] * 3))
    single = answer(nextstat("evaluate", path, "--parameters", "h=1e308", "--expected"))["expected_data"]["main"]["c"]
    batch = answer(nextstat("evaluate", path, "--parameters", str(rows), "--expected"))["rows"]
    assert single[:7] == [5.0] * 7
    assert all(row["expected_data"]["main"]["c"] == single for row in batch)


def test_the_table_shows_the_observations_that_were_used(nextstat, tmp_path):
    path = write(tmp_path, workspace([sample("s", [5.0], normfactor("mu"))], [3.0]))
    data = tmp_path / "data.json"
    data.write_text('{"c": [987]}')
    run = nextstat("evaluate", path, "--data", str(data), "--expected", "--format", "table")
    assert run.returncode == 0 and "987" in run.stdout


def test_warnings_come_once(nextstat, tmp_path):
    samples = [sample(f"s{i}", [5.0], normfactor("mu"), normsys("a", 0.0, 1.2)) for i in range(50)]
    path = write(tmp_path, workspace(samples, [3.0], poi="absent"))
    rows = tmp_path / "rows.json"
    rows.write_text(json.dumps([{"mu": 0.0}] * 20))
    for run in (nextstat("inspect", path), nextstat("evaluate", path, "--parameters", str(rows))):
        warnings = answer(run)["warnings"]
        assert len(warnings) == len(set(warnings)) <= 3
        assert sum("absent" in warning for warning in warnings) == 1
        assert sum("interpolation is linear" in warning for warning in warnings) == 1


def test_a_workspace_after_parameters_is_explained(nextstat, tmp_path):
    path = write(tmp_path, workspace([sample("s", [5.0], normfactor("mu"))], [3.0]))
    run = nextstat("evaluate", "--parameters", "mu=1", path)
    assert run.returncode == 2 and "before --parameters" in run.stderr


def test_zero_factor_keeps_its_slope(nextstat, tmp_path):
    path = write(tmp_path, workspace([sample("s", [5.0], normfactor("mu"), normsys("a", 0.0, 1.2)), sample("b", [7.0])], [3.0]))
    result = answer(nextstat("evaluate", path, "--parameters", "a=-1", "--gradient"))
    slope = result["gradient"][result["parameter_names"].index("a")]
    assert slope == pytest.approx((1 - 3 / 7) * 5 - 1, rel=1e-12) and math.isfinite(slope)
