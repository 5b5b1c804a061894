"""Random models are fitted to a minimum: none is refused that has a finite point, none stops short of its minimum, and
Minuit, started where the fit ended, finds nothing lower."""

import pathlib
import sys
import warnings

import numpy as np
import pytest
from iminuit import Minuit

import nextstat
from random_models import random_points, random_workspace

# A flat direction beside a kink that a fit once stepped over after it had ended.
KINKED_VALLEY = pathlib.Path(__file__).resolve().parents[2] / "data/kinked_valley.json"
LOWER = 1e-6  # of the NLL, that Minuit may find


def lowest_by_minuit(model, start):
    """The lowest NLL that Minuit finds from `start`."""

    def nll(point):
        value = model.nll(point) if np.all(np.isfinite(point)) else np.nan
        return value if np.isfinite(value) else 1e300

    def gradient(point):
        return model.grad_nll(point) if np.all(np.isfinite(point)) else np.zeros(len(point))

    minuit = Minuit(nll, start, grad=gradient)
    minuit.errordef = Minuit.LIKELIHOOD
    minuit.strategy, minuit.tol, minuit.print_level = 1, 1e-3, 0
    for index, (low, high) in enumerate(model.suggested_bounds):
        minuit.limits[index] = (low, high)
        minuit.fixed[index] = bool(model.suggested_fixed[index])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        minuit.migrad(ncall=5000)
    value = minuit.fval
    return value if np.isfinite(value) else np.inf


def complaint(seed):
    """What is wrong with the fit of one random model; None = nothing."""
    model = nextstat.Model.from_workspace(random_workspace(seed))
    try:
        result = nextstat.fit(model)
    except nextstat.Error as error:
        points = random_points(model, 1000, seed)
        finite = int(np.isfinite(model.nll(points)).sum())
        return f"refused, although {finite} of 1000 points are finite: {error}" if finite else None
    lower = result.nll - lowest_by_minuit(model, result.bestfit)
    if lower > LOWER:
        return f"Minuit goes lower by {lower:.3g} (converged: {result.converged})"
    if not result.converged:
        return f"not converged at its minimum: {result.termination_reason}, edm {result.edm:.3g}"
    return sigma_complaint(model, result)


def sigma_complaint(model, result):
    """A finite uncertainty of a parameter that takes part in a flat direction; None = there is none."""
    low, high = np.array(model.suggested_bounds).T
    moving = ~np.array(model.suggested_fixed) & (result.bestfit > low) & (result.bestfit < high)
    hessian = model.hessian(result.bestfit)[np.ix_(moving, moving)]
    unit = np.sqrt(np.where(np.diag(hessian) > 1e-20, np.diag(hessian), 1.0))
    values, vectors = np.linalg.eigh(hessian / np.outer(unit, unit))
    part = np.sqrt((vectors[:, np.abs(values) < 1e-11] ** 2).sum(axis=1))
    wrong = np.isfinite(result.uncertainties[moving]) & (part > 0.01)
    names = np.array(model.parameter_names)[moving][wrong]
    return f"an uncertainty for {', '.join(names)} in a flat direction" if len(names) else None


def complaints(seeds):
    found = {seed: complaint(seed) for seed in seeds}
    return {seed: text for seed, text in found.items() if text}


@pytest.mark.parametrize("seeds", [range(150), pytest.param(range(150, 2000), marks=pytest.mark.long)], ids=str)
def test_random_models_are_fitted_to_a_minimum(seeds):
    assert complaints(seeds) == {}


@pytest.mark.parametrize("seeds", [range(150), pytest.param(range(150, 300), marks=pytest.mark.long)], ids=str)
def test_with_kinks_no_slope_is_left_where_a_fit_converged(seeds):
    """Interpolations whose slope jumps at 0; parameters held there have no uncertainty."""
    models = {seed: nextstat.Model.from_workspace(random_workspace(seed), normsys_code="code1", histosys_code="code0") for seed in seeds}
    models["kinked valley"] = nextstat.Model.from_workspace(KINKED_VALLEY, histosys_code="code0")
    steep = {name: slope for name, model in models.items() if (slope := largest_slope(model)) > 1e-4}
    assert steep == {}


def largest_slope(model):
    """Of parameters that have an uncertainty, in units of it; 0 where the fit is refused or says that it did not converge."""
    try:
        result = nextstat.fit(model)
    except nextstat.Error:
        return 0.0
    slopes = np.abs(model.grad_nll(result.bestfit) * result.uncertainties)
    return float(np.nanmax(slopes, initial=0.0)) if result.converged else 0.0


if __name__ == "__main__":
    for number, text in complaints(range(int(sys.argv[1]), int(sys.argv[2]))).items():
        print(number, text)
