"""pyhf with its numpy or its JAX backend (first argument), measured by bench/compare*.py.

The fit is pyhf's own with scipy's optimizer: differences of the NLL with numpy, compiled gradients with JAX. It gives no
uncertainties. JAX compiles during the first fit of a model, which is why a warm-up comes first.
"""
import importlib.metadata
import json
import platform
import sys
from types import SimpleNamespace

import numpy
import pyhf

from child import serve

BACKEND = sys.argv[1]
pyhf.set_backend(BACKEND, precision="64b")


def fit(model, data):
    parameters, twice_nll, result = pyhf.infer.mle.fit(data, model, return_fitted_val=True, return_result_obj=True)
    return lambda: {"nll": float(twice_nll) / 2, "iterations": int(result.nit), "converged": bool(result.success),
                    "poi": float(parameters[model.config.poi_index]), "sigma": None}


def load(path):
    with open(path, encoding="utf-8") as file:
        workspace = pyhf.Workspace(json.load(file))
    model = workspace.model()
    data = pyhf.tensorlib.astensor(workspace.data(model))
    config = model.config
    return SimpleNamespace(
        initial=config.suggested_init(),
        bounds=config.suggested_bounds(),
        nll=lambda point: -model.logpdf(point, data)[0],
        fit=lambda: fit(model, data),
    )


versions = {name: importlib.metadata.version(name) for name in ("pyhf", "numpy", "scipy", *(["jax"] if BACKEND == "jax" else []))}
serve({"engine": f"pyhf, {BACKEND}", **versions, "python": platform.python_version()}, load, numpy.asarray)
