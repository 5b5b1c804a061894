"""pyhf with its numpy backend, measured by bench/compare.py."""
import json
import platform
from types import SimpleNamespace

import numpy
import pyhf
import scipy

from child import serve


def load(path):
    with open(path, encoding="utf-8") as file:
        workspace = pyhf.Workspace(json.load(file))
    model = workspace.model()
    data = numpy.asarray(workspace.data(model))
    config = model.config
    return SimpleNamespace(
        initial=config.suggested_init(),
        bounds=config.suggested_bounds(),
        nll=lambda point: -model.logpdf(point, data)[0],
    )


about = {"engine": "pyhf", "pyhf": pyhf.__version__, "numpy": numpy.__version__, "scipy": scipy.__version__,
         "python": platform.python_version()}
serve(about, load, numpy.asarray)
