"""The published NextStat, measured by bench/compare.py."""
import platform
from types import SimpleNamespace

import nextstat
import numpy

from child import serve


def load(path):
    with open(path, encoding="utf-8") as file:
        model = nextstat.from_pyhf(file.read())
    return SimpleNamespace(
        initial=model.suggested_init(), bounds=model.suggested_bounds(), nll=model.nll, grad=model.grad_nll
    )


about = {"engine": "NextStat", "NextStat": nextstat.__version__, "numpy": numpy.__version__,
         "python": platform.python_version()}
serve(about, load, numpy.asarray)
