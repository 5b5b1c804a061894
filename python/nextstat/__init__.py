"""nextstat: HistFactory statistical inference, fast and exact.

    import nextstat

    model = nextstat.Model.from_workspace("analysis.json")
    print(nextstat.fit(model))
    print(nextstat.upper_limit(model))

nextstat.plot draws the results, nextstat.pyhf runs code written for pyhf, nextstat.cabinetry has cabinetry's functions,
nextstat.distributed runs work on a Dask cluster.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import version as _version
from .device import backend_summary, best_available_backend, devices, has_accelerate, has_cuda, has_metal, has_opencl
from .errors import DeviceError, Error, Fault, InputError, Interrupted, LimitError, NotFoundError
from .fits import asimov_data, fit, fit_batch, fit_toys, fit_toys_from_data, poisson_toys
from .gpu_names import cuda_session, fit_toys_batch_gpu, fit_toys_from_data_gpu, hypotest_qtilde_toys_gpu, metal_session
from .model import Model, Parameter, from_pyhf
from .questions import (feldman_cousins, goodness_of_fit, hypotest, hypotest_toys, mass_scan, profile_ci, profile_scan,
                        ranking, significance, upper_limit)
from .results import (BatchFitResult, FeldmanCousinsResult, FitResult, GoodnessOfFitResult, HypotestResult,
                      HypotestToysResult, IntervalResult, MassScanResult, RankingResult, ScanResult, SignificanceResult,
                      ToysResult, UpperLimitResult)
from .run import get_threads, set_threads
from .session import Session
from .toy_files import merge_toys, toys_status
from .workspace import Workspace, load_workspace

if TYPE_CHECKING:
    from . import cabinetry, distributed, plot, pyhf

__all__ = [
    "BatchFitResult", "DeviceError", "Error", "Fault", "FeldmanCousinsResult", "FitResult", "GoodnessOfFitResult",
    "HypotestResult", "HypotestToysResult", "InputError", "Interrupted", "IntervalResult", "LimitError", "MassScanResult",
    "Model", "NotFoundError", "Parameter", "RankingResult", "ScanResult", "Session", "SignificanceResult", "ToysResult",
    "UpperLimitResult", "Workspace", "__version__", "asimov_data", "backend_summary", "best_available_backend", "cabinetry",
    "cuda_session", "devices", "distributed", "feldman_cousins", "fit", "fit_batch", "fit_toys", "fit_toys_batch_gpu", "fit_toys_from_data", "fit_toys_from_data_gpu", "from_pyhf",
    "get_threads", "goodness_of_fit", "has_accelerate", "has_cuda", "has_metal", "has_opencl", "hypotest",
    "hypotest_qtilde_toys_gpu", "hypotest_toys", "load_workspace", "mass_scan", "merge_toys", "metal_session", "plot", "poisson_toys",
    "profile_ci", "profile_scan", "pyhf", "ranking", "set_threads", "significance", "toys_status", "upper_limit",
]

__version__ = _version()
_MODULES = {"cabinetry", "distributed", "plot", "pyhf"}


def __getattr__(name: str) -> Any:
    """Loads submodules that import more than NumPy on first use."""
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'nextstat' has no attribute {name!r}")
