"""pyhf's interface (0.7.6), computed by nextstat: change one import and published code runs.

    import nextstat.pyhf as pyhf

    model = pyhf.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0])
    pyhf.infer.hypotest(1.0, [51, 48] + model.config.auxdata, model)

pyhf itself does not have to be installed. docs/coming-from-pyhf.md lists what is missing.
"""

from __future__ import annotations

from typing import Any

from . import events, exceptions
from .optimize import OptimizerRetriever as optimize
from .tensor import BackendRetriever as tensor
from .tensor.manager import get_backend, set_backend
from . import interpolators, modifiers, parameters, probability, schema, utils
from .pdf import Model
from .workspace import Workspace
from .patchset import PatchSet
from . import compat, infer, patchset, pdf, simplemodels, workspace
from .optimize.opt_nextstat import nextstat_optimizer

__version__ = "0.7.6"

__all__ = [
    "Model",
    "PatchSet",
    "Workspace",
    "__version__",
    "compat",
    "default_backend",
    "events",
    "exceptions",
    "get_backend",
    "infer",
    "interpolators",
    "minimizer",
    "modifiers",
    "optimize",
    "optimizer",
    "parameters",
    "patchset",
    "pdf",
    "probability",
    "schema",
    "set_backend",
    "simplemodels",
    "tensor",
    "tensorlib",
    "utils",
    "workspace",
]


def minimizer(**settings: Any) -> nextstat_optimizer:
    """nextstat's solver for pyhf itself: `pyhf.set_backend("numpy", nextstat.pyhf.minimizer())`."""
    return nextstat_optimizer(**settings)


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    current = {"tensorlib": (False, 0), "optimizer": (False, 1), "default_backend": (True, 0)}
    if name in current:
        default, position = current[name]
        return get_backend(default=default)[position]
    raise AttributeError(
        f"nextstat.pyhf has no '{name}'; what of pyhf is not here is listed in docs/coming-from-pyhf.md"
    )
