"""Where a likelihood has two valleys, all questions about one point must come from the same valley.

A histosys whose variations shift bins the same way up and down makes such likelihoods. Every fit with the parameter of interest
fixed begins at the model's own start, so that a test, a limit, a scan and a plain fit with --fixed agree.
"""

import json
import random

import pytest

from conftest import PROGRAM, run_program

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason=f"no program at {PROGRAM}; build it or set NEXTSTAT_BIN")


def ask(*words):
    done = run_program(*map(str, words), "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def two_valleys(seed):
    """Three bins; one systematic moves bins mostly the same way in both directions."""
    rng = random.Random(seed)
    background = [rng.uniform(8, 16) for _ in range(3)]
    signal = [rng.uniform(4, 7) for _ in range(3)]
    same_way = [[value * (1 + rng.uniform(0.1, 0.3) * side * rng.uniform(0.3, 1)) for value, side in zip(background, (-1, -1, 1))]
                for _ in range(2)]
    observed = [round(b + rng.uniform(0.5, 2) * s) for b, s in zip(background, signal)]
    normsys = {"name": "kb", "type": "normsys", "data": {"lo": 0.9, "hi": 1.13}}
    shape = {"name": "jes", "type": "histosys", "data": {"lo_data": same_way[0], "hi_data": same_way[1]}}
    return {
        "version": "1.0.0",
        "channels": [{"name": "c", "samples": [
            {"name": "signal", "data": signal, "modifiers": [{"name": "mu", "type": "normfactor", "data": None}]},
            {"name": "background", "data": background, "modifiers": [normsys, shape]}]}],
        "observations": [{"name": "c", "data": observed}],
        "measurements": [{"name": "m", "config": {"poi": "mu", "parameters": []}}],
    }


@pytest.mark.parametrize("seed", range(25))
def test_limit_test_scan_and_fit_agree(tmp_path, seed):
    path = tmp_path / "valleys.json"
    path.write_text(json.dumps(two_valleys(seed)))
    limit = ask("upper-limit", path, "--rtol", "1e-8")
    test = ask("hypotest", path, "--mu", repr(limit["obs_limit"]))
    assert test["cls"] == pytest.approx(0.05, rel=1e-6)
    for place, value in enumerate(limit["exp_limits"]):
        expected = ask("hypotest", path, "--mu", repr(value))["expected_set"]["cls"][place]
        assert expected == pytest.approx(0.05, rel=1e-6), place
    scan = ask("scan", path, "--start", 0, "--stop", limit["obs_limit"], "--points", 3)
    for point in scan["points"]:
        fixed = ask("fit", path, "--fixed", f"mu={point['mu']!r}")
        assert point["nll_mu"] == pytest.approx(fixed["nll"], abs=1e-8)
    at_zero = ask("fit", path, "--fixed", "mu=0")["nll"]
    best = ask("fit", path)
    q0 = 0 if best["bestfit"][best["poi_index"]] <= 0 else 2 * (at_zero - best["nll"])
    assert ask("significance", path)["q0"] == pytest.approx(q0, abs=1e-7)
