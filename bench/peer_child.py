"""The published NextStat, measured by bench/compare*.py."""
import platform
import time
from types import SimpleNamespace

import nextstat
import numpy

from child import SCAN_VALUES, serve


def fit(model):
    result = nextstat.fit(model)
    poi = model.poi_index()
    return lambda: {"nll": result.nll, "iterations": result.n_iter, "converged": result.converged,
                    "poi": result.bestfit[poi], "sigma": result.uncertainties[poi]}


def scan(model):
    result = nextstat.profile_scan(model, SCAN_VALUES)
    points = result["points"]
    return lambda: {"nll": result["nll_hat"], "points": [point["nll_mu"] for point in points],
                    "iterations": sum(point["n_iter"] for point in points),
                    "converged": all(point["converged"] for point in points)}


def ranking(model):
    entries = nextstat.ranking(model)
    return lambda: {"entries": {entry["name"]: [entry["delta_mu_up"], entry["delta_mu_down"]] for entry in entries}}


def toys(model, argument):
    """COUNT toys at the initial point, fitted on all threads that the environment allows."""
    count = int(argument.split()[0])
    start = time.perf_counter()
    results = nextstat.fit_toys(model, model.suggested_init(), n_toys=count, seed=1)
    return {"seconds": time.perf_counter() - start, "failed": sum(not each.converged for each in results)}


def hypotest_toys(model, argument):
    count = int(argument.split()[0])
    start = time.perf_counter()
    cls = nextstat.hypotest_toys(1.0, model, n_toys=count, seed=1)
    return {"seconds": time.perf_counter() - start, "cls": cls}


def load(path):
    with open(path, encoding="utf-8") as file:
        model = nextstat.from_pyhf(file.read())
    return SimpleNamespace(
        initial=model.suggested_init(), bounds=model.suggested_bounds(), nll=model.nll, grad=model.grad_nll,
        commands={"toys": lambda argument: toys(model, argument), "hypotest_toys": lambda argument: hypotest_toys(model, argument)},
        fit=lambda: fit(model), scan=lambda: scan(model), ranking=lambda: ranking(model),
    )


about = {"engine": "NextStat", "NextStat": nextstat.__version__, "numpy": numpy.__version__,
         "python": platform.python_version()}
serve(about, load, numpy.asarray)
