"""`fit` against minima that others computed: references.json of NEXTSTAT_DATA, and numbers known to ten digits.

The table's minimum of 3lrj-500-0 is good to 1e-3 only (auxiliary data of 1.9e11); there the point itself is shown to be
stationary in 40-digit arithmetic.
"""

import json

import pytest

mpmath = pytest.importorskip("mpmath")

from conftest import DATA, NO_DATA, answer
from reference_mpmath import ReferenceModel, context, mpf

NLL_TOLERANCE = 1e-8
RELATIVE, ABSOLUTE = 1e-6, 1e-7  # of the POI and its uncertainty: either will do
PRECISE = "3lrj-500-0"
SLOPE, DISTANCE = 1e-7, 1e-13  # where a fit stops: largest slope x sigma, NLL above the minimum
# NLL(init), NLL(min), POI, sigma(POI); computed independently, good to 1e-9.
GOLDEN = {
    "thu": (260.3411898449, 179.4853176638, -0.030269246, 0.153714186),
    "tttt": (306.9608538941, 287.5123044806, 2.017502215, 0.565858195),
}


def references():
    if DATA is None or not DATA.is_dir():
        return {}
    return json.loads((DATA / "references.json").read_text())["fits"]


REFERENCES = references()
needs_data = pytest.mark.skipif(not REFERENCES, reason=NO_DATA)


# The references are minima that the suggested start leads to; of these workspaces it is not the deepest.
LOCAL = {"stau-comb-400-40"}


def fit(name):
    return answer("fit", DATA / f"{name}.json", "--starts", "1" if name in LOCAL else "auto")


def close(value):
    return pytest.approx(value, rel=RELATIVE, abs=ABSOLUTE)


@needs_data
def test_the_table_has_all_its_workspaces():
    assert len(REFERENCES) == 17
    assert sum("poi_sigma_hessian" in entry for entry in REFERENCES.values()) == 8
    assert sum(entry["poihat"] is not None for entry in REFERENCES.values()) == 13


@pytest.mark.parametrize("name", REFERENCES or [pytest.param("", marks=pytest.mark.skip(reason=NO_DATA))])
def test_best_fit_is_the_references(name):
    known, found = REFERENCES[name], fit(name)
    assert found["converged"]
    assert len(found["bestfit"]) == len(found["parameter_names"]) == known["params"]
    assert found["twice_nll"] == 2 * found["nll"]
    if name != PRECISE:
        assert found["initial_nll"] == pytest.approx(-known["logpdf_init"], rel=1e-10)
        assert found["nll"] == pytest.approx(known["nll_min"], rel=0, abs=NLL_TOLERANCE)
        if known["poihat"] is not None:
            assert found["bestfit"][found["poi_index"]] == close(known["poihat"])
    if "poi_sigma_hessian" in known:
        assert found["uncertainties"][found["poi_index"]] == close(known["poi_sigma_hessian"])


@needs_data
@pytest.mark.parametrize("name", GOLDEN)
def test_golden_numbers(name):
    initial, minimum, poi, sigma = GOLDEN[name]
    found = fit(name)
    assert found["initial_nll"] == pytest.approx(initial, rel=0, abs=2e-10)
    assert found["nll"] == pytest.approx(minimum, rel=0, abs=1e-9)
    assert found["bestfit"][found["poi_index"]] == close(poi)
    assert found["uncertainties"][found["poi_index"]] == close(sigma)


# --- 40 digits ------------------------------------------------------------------------------------------------------


class Exact:
    """The NLL around a fit's result: gradient and second derivatives by differences that 40 digits leave exact to 1e-12."""

    STEP = mpf(10) ** -9  # of a parameter's uncertainty; the error of a central difference is of its square

    def __init__(self, workspace, found):
        self.model = ReferenceModel(workspace)
        self.point = dict(zip(found["parameter_names"], map(mpf, found["bestfit"])))
        self.sigmas = dict(zip(found["parameter_names"], found["uncertainties"]))
        self.middle = self.model.nll(self.point)

    def moved(self, name, step):
        return self.model.nll({**self.point, name: self.point[name] + step})

    def derivatives(self, name, scale):
        """First and second derivative."""
        step = self.STEP * mpf(scale)
        up, down = self.moved(name, step), self.moved(name, -step)
        return (up - down) / (2 * step), (up - 2 * self.middle + down) / step**2


@pytest.mark.long
@needs_data
def test_the_fit_with_huge_auxiliary_data_is_stationary_in_40_digits(remark):
    """No free parameter has a slope; one at its lower bound rises from it; a Newton step has nothing to gain."""
    workspace = json.loads((DATA / f"{PRECISE}.json").read_text())
    found = fit(PRECISE)
    exact = Exact(workspace, found)
    assert found["nll"] == pytest.approx(float(exact.middle), rel=1e-13), "the NLL at this very point"

    free = [n for n in found["parameter_names"] if n not in found["fixed"] and n not in found["at_bound"]]
    slopes = {}
    for name in free:
        slope, curvature = exact.derivatives(name, exact.sigmas[name])
        # A double is known to half its last digit: that alone moves the slope by the curvature times it.
        rounding = curvature * mpf(2) ** -53 * abs(exact.point[name])
        slopes[name] = slope
        assert abs(slope) * exact.sigmas[name] <= SLOPE + 4 * rounding * exact.sigmas[name], name
    for name in found["at_bound"]:
        slope = (exact.moved(name, mpf(10) ** -20) - exact.middle) * mpf(10) ** 20
        assert slope > 0 if exact.point[name] < 1 else slope < 0, name

    rows = {name: row for name, row in zip(found["parameter_names"], found["covariance"])}
    order = [found["parameter_names"].index(name) for name in free]
    step = {name: sum(mpf(rows[name][j]) * slopes[other] for j, other in zip(order, free)) for name in free}
    below = exact.middle - exact.model.nll({**exact.point, **{n: exact.point[n] - step[n] for n in free}})
    assert 0 <= below < DISTANCE
    worst = max(free, key=lambda name: abs(slopes[name]) * exact.sigmas[name])
    remark(
        f"{PRECISE} in 40 digits: a Newton step lowers the NLL by {float(below):.1e}; largest slope x sigma "
        f"{float(abs(slopes[worst]) * exact.sigmas[worst]):.1e} ({worst})"
    )
