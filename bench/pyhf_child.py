"""pyhf with a backend, numpy or jax, and an optimizer, scipy (default) or minuit: measured by bench/compare*.py.

    bench/pyhf_child.py numpy minuit

The fit is pyhf's own: differences of the NLL with numpy, compiled gradients with JAX. Minuit gives uncertainties (HESSE), scipy
none. JAX compiles during the first fit of a model, which is why a warm-up comes first.
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
OPTIMIZER = sys.argv[2] if len(sys.argv) > 2 else "scipy"
pyhf.set_backend(BACKEND, OPTIMIZER, precision="64b")


def fit(model, data):
    parameters, twice_nll, result = pyhf.infer.mle.fit(data, model, return_fitted_val=True, return_result_obj=True)
    poi = model.config.poi_index
    steps = {"iterations": int(result.nit)} if hasattr(result, "nit") else {}
    return lambda: {"nll": float(twice_nll) / 2, **steps, "converged": bool(result.success), "poi": float(parameters[poi]),
                    "sigma": float(result.minuit.errors[poi]) if OPTIMIZER == "minuit" else None}


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


versions = {name: importlib.metadata.version(name) for name in ("pyhf", "numpy", "scipy", "iminuit", *(["jax"] if BACKEND == "jax" else []))}
serve({"engine": f"pyhf, {BACKEND}, {OPTIMIZER}", **versions, "python": platform.python_version()}, load, numpy.asarray)
