"""Where a likelihood has two valleys, all questions about one point must come from the same valley.

A histosys whose variations shift bins the same way up and down makes such likelihoods. Every fit with the parameter of interest
fixed begins at the model's own start, so that a test, a limit, a scan and a plain fit with --fixed agree.
"""

import random

import pytest

from conftest import answer, needs_program, write
from small_workspaces import histosys, normsys, workspace

pytestmark = needs_program


def two_valleys(seed):
    """Three bins; one systematic moves bins mostly the same way in both directions."""
    rng = random.Random(seed)
    background = [rng.uniform(8, 16) for _ in range(3)]
    signal = [rng.uniform(4, 7) for _ in range(3)]
    same_way = [[value * (1 + rng.uniform(0.1, 0.3) * side * rng.uniform(0.3, 1)) for value, side in zip(background, (-1, -1, 1))]
                for _ in range(2)]
    observed = [round(b + rng.uniform(0.5, 2) * s) for b, s in zip(background, signal)]
    return workspace(signal, background, observed, [normsys("kb", 0.9, 1.13), histosys("jes", *same_way)])


@pytest.mark.parametrize("seed", range(25))
def test_limit_test_scan_and_fit_agree(tmp_path, seed):
    path = write(tmp_path / "valleys.json", two_valleys(seed))
    limit = answer("upper-limit", path, "--rtol", "1e-8")
    test = answer("hypotest", path, "--mu", repr(limit["obs_limit"]))
    assert test["cls"] == pytest.approx(0.05, rel=1e-6)
    for place, value in enumerate(limit["exp_limits"]):
        expected = answer("hypotest", path, "--mu", repr(value))["expected_set"]["cls"][place]
        assert expected == pytest.approx(0.05, rel=1e-6), place
    scan = answer("scan", path, "--start", 0, "--stop", limit["obs_limit"], "--points", 3)
    for point in scan["points"]:
        fixed = answer("fit", path, "--fixed", f"mu={point['mu']!r}")
        assert point["nll_mu"] == pytest.approx(fixed["nll"], abs=1e-8)
    at_zero = answer("fit", path, "--fixed", "mu=0")["nll"]
    best = answer("fit", path)
    q0 = 0 if best["bestfit"][best["poi_index"]] <= 0 else 2 * (at_zero - best["nll"])
    assert answer("significance", path)["q0"] == pytest.approx(q0, abs=1e-7)
