"""`fit` against live witnesses: pyhf's own fits, iminuit's HESSE and MINOS on pyhf's likelihood.

pyhf stops early, so our NLL may only be lower. HESSE loses digits where parameters are strongly correlated; there it works
in coordinates without correlation (the answer does not depend on them).
"""

import functools

import pytest

np = pytest.importorskip("numpy")
pyhf = pytest.importorskip("pyhf")
iminuit = pytest.importorskip("iminuit")

from conftest import NO_DATA, answer
from model_cases import CASES, Case, pyhf_model, workspace_of
from reference_mpmath import ReferenceModel

ABOVE_PYHF = 1e-7  # the promise
BELOW_PYHF = 1e-4  # what pyhf's minimizer may leave; more would mean another likelihood
HIGHER = {"stau-comb-400-40"}  # pyhf's fit ends in a higher minimum than the deepest (docs/several-minima.md)
STOPS_EARLY = {  # pyhf does not come near the minimum, why
    "3lrj-500-0": "auxiliary data of 1.9e11 drown its differences",
    "row-24-coupledhistosys": "two minima, it ends in the other one",
}
HESSE_TOLERANCE = 0.01
MINOS_TOLERANCE = 1e-3
# HESSE steps until the function has risen by 1.7e-4 of its value and of `up`, 1/2 for standard deviations. With the minimum
# at 0 and a smaller `up` (covariance = 2 up / Hessian) its steps are 0.001 sigma, where third derivatives no longer matter.
UP = 0.005
LONG = ["thu", "agc-ml", "cms-ttg-2l", "tttt", "cms-ttg-2l-shapesys", "3lresonance.bkg"]  # minutes
SIMILAR = [f"1lbb/C1N2_Wh_hbb_{masses}" for masses in ("165_35", "300_75", "400_200", "550_150", "700_250", "700_400", "1000_0")]  # a minute together
HESSE_PLAIN = ["simple/search", "all_modifiers/nominal", "row-01-hello-world", "displaced-leptons", "dvmuon-srmet",
               "stanhf-allmods", "negbins-dummy", "sbottom-A/1300_205_60", "sbottom-A/1400_950_60", "stau-comb-400-40"]
HESSE_DECORRELATED = ["agc", "thu", "agc-ml", "cms-ttg-2l", "tttt", "1lbb/C1N2_Wh_hbb_900_300"]
MINOS = ["simple/search", "row-01-hello-world", "row-17-1bin-shapesys", "row-22-2bin-2channel", "displaced-leptons",
         "negbins-dummy"]
MINOS_LONG = ["negbins-dummy"]
BY_NAME = {case.name: case for case in CASES if isinstance(case, Case)}


def cases(names, long=LONG):
    """Cases by name as parameters of a test; without real workspaces those of our own."""
    chosen = []
    for name in names:
        marks = [pytest.mark.long] if name in long else []
        if name not in BY_NAME:
            marks.append(pytest.mark.skip(reason=NO_DATA))
        chosen.append(pytest.param(BY_NAME.get(name), id=name, marks=marks))
    return chosen


@functools.lru_cache(maxsize=None)
def fitted(case, *options):
    return answer("fit", *case.arguments, *options)


def likelihood(case):
    model, data = pyhf_model(case, "code4-code4p")
    data = np.asarray(data)

    def nll(point):
        with np.errstate(all="ignore"):
            return -float(model.logpdf(point, data)[0])

    return nll


# --- pyhf's own fits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases(BY_NAME, LONG + SIMILAR))
def test_never_above_pyhf(case):
    model, data = pyhf_model(case, "code4-code4p")
    with np.errstate(all="ignore"):
        point, twice_nll = pyhf.infer.mle.fit(data, model, return_fitted_val=True)
    nll = float(twice_nll) / 2
    if case.name == "3lrj-500-0":  # pyhf's value has lost digits as well: take its point
        nll = float(ReferenceModel(workspace_of(case)).nll(dict(zip(model.config.par_names, map(float, point)))))
    found = fitted(case)
    assert found["converged"]
    assert found["nll"] <= nll + ABOVE_PYHF
    if case.name not in STOPS_EARLY and case.name not in HIGHER:
        assert found["nll"] >= nll - BELOW_PYHF


def test_patched_workspaces_are_among_the_witnesses(data_dir):
    assert sum(name.startswith("1lbb/") for name in BY_NAME) == 8
    assert sum(name.startswith("sbottom-A/") for name in BY_NAME) == 2


# --- HESSE ----------------------------------------------------------------------------------------------------------


class Hesse:
    """Minuit's HESSE, strategy 2, at our best fit. Parameters that are fixed or at a bound stay where they are; of a flat
    direction's parameters the first one does (the others' uncertainties do not depend on the choice)."""

    def __init__(self, case, found, decorrelated):
        self.names, best = found["parameter_names"], np.array(found["bestfit"])
        sigmas = found["uncertainties"]
        left_out = {*found["fixed"], *found["at_bound"]}
        flat = [i for i, name in enumerate(self.names) if sigmas[i] is None and name not in left_out]
        self.compared = [i for i, name in enumerate(self.names) if sigmas[i] is not None and name not in left_out]
        self.left_out = len(self.names) - len(self.compared)
        free = self.compared + flat[1:]
        nll = likelihood(case)
        axes = self.axes(found, len(flat[1:]), decorrelated)

        def shifted(coordinates):
            point = best.copy()
            point[free] += axes @ coordinates
            return nll(point) - found["nll"]

        minuit = iminuit.Minuit(shifted, np.zeros(len(free)))
        minuit.errordef, minuit.strategy, minuit.errors = UP, 2, 1.0
        # Strategy 2 may stop at a step too small for pyhf's digits: 2 percent of change satisfy it.
        minuit.strategy.hessian_g2_tolerance, minuit.strategy.hessian_ncycles = 1e-4, 20
        minuit.hesse()
        self.accurate = minuit.fmin.has_accurate_covar
        covariance = axes @ np.array(minuit.covariance) @ axes.T * (0.5 / UP)
        self.sigmas = np.sqrt(np.diag(covariance))[: len(self.compared)]

    def axes(self, found, more, decorrelated):
        """Columns: a unit of each coordinate in parameters. Any invertible matrix will do."""
        covariance = np.array([[found["covariance"][i][j] for j in self.compared] for i in self.compared])
        inner = np.linalg.cholesky(covariance) if decorrelated else np.diag(np.sqrt(np.diag(covariance)))
        axes = 0.1 * np.identity(len(self.compared) + more)
        axes[: len(inner), : len(inner)] = inner
        return axes


def check_hesse(case, found, decorrelated, remark):
    hesse = Hesse(case, found, decorrelated)
    assert hesse.accurate, "HESSE itself failed"
    ours = np.array([found["uncertainties"][i] for i in hesse.compared])
    differences = np.abs(hesse.sigmas / ours - 1)
    worst = int(np.argmax(differences))
    remark(f"HESSE of {case.name}: {len(ours)} uncertainties within {differences[worst]:.1e} "
           f"({hesse.names[hesse.compared[worst]]}), {hesse.left_out} left out (fixed, at a bound, flat)")
    assert differences[worst] <= HESSE_TOLERANCE, hesse.names[hesse.compared[worst]]
    assert hesse.left_out <= len(hesse.names) / 3


@pytest.mark.parametrize("case", cases(HESSE_PLAIN))
def test_uncertainties_are_those_of_hesse(case, remark):
    check_hesse(case, fitted(case), False, remark)


@pytest.mark.parametrize("case", cases(HESSE_DECORRELATED, [*LONG, "1lbb/C1N2_Wh_hbb_900_300"]))
def test_uncertainties_are_those_of_hesse_in_coordinates_without_correlation(case, remark):
    check_hesse(case, fitted(case), True, remark)


# --- MINOS ----------------------------------------------------------------------------------------------------------


def minuit_at_minimum(case, found):
    """Minuit within the model's bounds, converged again from our best fit."""
    config = pyhf_model(case, "code4-code4p")[0].config
    nll = likelihood(case)

    def finite(point):
        value = nll(point)
        return value - found["nll"] if np.isfinite(value) else 1e6

    minuit = iminuit.Minuit(finite, np.array(found["bestfit"]), name=found["parameter_names"])
    minuit.errordef, minuit.strategy, minuit.tol = 0.5, 2, 1e-4
    minuit.limits = config.suggested_bounds()
    for name, sigma in zip(found["parameter_names"], found["uncertainties"]):
        minuit.fixed[name] = name in found["fixed"]
        if sigma:
            minuit.errors[name] = sigma
    return minuit.migrad(ncall=100_000)


@pytest.mark.parametrize("case", cases(MINOS, MINOS_LONG))
def test_profile_errors_are_those_of_minos(case, remark):
    """Every free parameter. Sides that a bound cuts off, for Minuit as for us, are left out and counted."""
    found = fitted(case, "--minos")
    minuit = minuit_at_minimum(case, found)
    compared, left_out, worst = 0, 0, (0.0, "")
    for name, sigma in zip(found["parameter_names"], found["uncertainties"]):
        if name in found["fixed"]:
            assert name not in found["minos"]
            continue
        if name in found["at_bound"]:
            left_out += 2
            continue
        minuit.minos(name, ncall=100_000)
        errors = minuit.merrors[name]
        sides = [
            (errors.lower, errors.lower_valid and not errors.at_lower_limit),
            (errors.upper, errors.upper_valid and not errors.at_upper_limit),
        ]
        for ours, (theirs, there) in zip(found["minos"][name], sides):
            if ours is None or not there:
                assert ours is None and not there, (name, ours, errors)
                left_out += 1
                continue
            compared += 1
            worst = max(worst, (abs(ours - theirs) / sigma, name))
            assert ours == pytest.approx(theirs, rel=MINOS_TOLERANCE), name
    remark(f"MINOS of {case.name}: {compared} sides within {worst[0]:.1e} sigma ({worst[1]}), {left_out} left out")
    assert compared >= 2 and compared >= left_out


# --- MINOS against a scan -------------------------------------------------------------------------------------------


def crossing(values, rises):
    """Where the cubic through four points of a scan is 1."""
    cubic = np.polynomial.Polynomial.fit(values, rises, 3) - 1
    roots = [root.real for root in cubic.roots() if abs(root.imag) < 1e-12 and min(values) <= root.real <= max(values)]
    assert len(roots) == 1
    return roots[0]


@pytest.mark.parametrize("case", cases(["simple/search", "all_modifiers/nominal", "negbins-dummy", "agc", "thu", "tttt"], []))
def test_profile_errors_are_where_a_fine_scan_rises_by_one(case):
    """Of the POI; the scan has steps of 1 percent of an error."""
    poi = fitted(case)["poi_index"]
    name = fitted(case)["parameter_names"][poi]
    found = fitted(case, "--minos", name)
    best, sigma = found["bestfit"][poi], found["uncertainties"][poi]
    for error in found["minos"][name]:
        ends = [best + (1 - 0.015) * error, best + (1 + 0.015) * error]
        points = answer("scan", *case.arguments, "--parameter", name, "--start", repr(min(ends)), "--stop", repr(max(ends)),
                        "--points", 4)["points"]
        values = [point["mu"] for point in points]
        there = crossing(values, [point["twice_delta_nll"] for point in points])
        assert best + error == pytest.approx(there, rel=0, abs=1e-5 * sigma)
