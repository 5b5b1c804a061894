"""The search for limits tries the points that scipy's toms748 tries, which pyhf uses: limits agree at any tolerance."""

import math
import random

import pytest

search = pytest.importorskip("nextstat.pyhf.infer.intervals.root_search")


def functions():
    chosen = random.Random(1)
    for _ in range(60):
        zero, slope = chosen.uniform(-3, 3), chosen.uniform(0.1, 4)
        yield lambda x, z=zero, k=slope: math.exp(k * x) - math.exp(k * z)
        yield lambda x, z=zero, k=slope: (x - z) ** 3 + k * (x - z)
        yield lambda x, z=zero, k=slope: math.atan(k * (x - z))
        yield lambda x, z=zero, k=slope: math.erfc(k * (x - z)) - 1 + 0.05 * math.sin(3 * (x - z))


@pytest.mark.parametrize("relative", [1e-2, 1e-4, 1e-10])
def test_answers_are_those_of_scipy(relative):
    optimize = pytest.importorskip("scipy.optimize")
    different = 0
    for function in functions():
        expected = optimize.toms748(function, -5, 5, k=2, xtol=2e-12, rtol=relative)
        found = search.find_root(function, -5, 5, absolute=2e-12, relative=relative)
        assert abs(found - expected) <= 2 * (2e-12 + relative * abs(expected))
        different += abs(found - expected) > 1e-9 * max(1.0, abs(expected))
    assert different <= 3  # rounding decides now and then which way a step goes


def test_a_zero_at_the_end_and_no_zero_at_all():
    assert search.find_root(lambda x: x, 0.0, 1.0, absolute=1e-12, relative=1e-4) == 0.0
    assert search.find_root(lambda x: x - 1, 0.0, 1.0, absolute=1e-12, relative=1e-4) == 1.0
    with pytest.raises(ValueError, match="same sign at 1.0 .* and 2.0 .*: widen the bracket"):
        search.find_root(lambda x: x, 1.0, 2.0, absolute=1e-12, relative=1e-4)
