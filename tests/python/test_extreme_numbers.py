"""Numbers at the edge of what can be asked: levels close to 1, ranges as wide as numbers go."""

import json
import math

import mpmath
import pytest


@pytest.mark.parametrize("level", [0.99999999999999, 0.9999999999, 0.6827, 1e-12])
def test_intervals_at_any_level(nextstat, level):
    done = nextstat("interval", "examples/simple.json", "--cl", repr(level), "--format", "json", "--bounds", "mu=-50:50")
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    mpmath.mp.dps = 40
    z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(level))
    # 1 - level is what the number holds: 1e-16 of 1 are 1 percent of 1e-14.
    assert answer["level"] == pytest.approx(float(z * z), rel=1e-3 if level > 0.999999 else 1e-9)
    assert answer["lower"] < answer["bestfit"] < answer["upper"]
    assert math.isfinite(answer["lower"]) and math.isfinite(answer["upper"])


def test_a_scan_as_wide_as_numbers_go(nextstat):
    done = nextstat("scan", "examples/simple.json", "--start", "-1e308", "--stop", "1e308", "--points", "3", "--format", "json")
    assert "not finite" not in done.stderr
    values = [point["mu"] for point in json.loads(done.stdout)["points"]]
    assert values == [-1e308, 0.0, 1e308]
