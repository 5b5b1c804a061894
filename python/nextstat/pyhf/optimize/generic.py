"""Minimizes any objective with bounds and fixed parameters by scipy's SLSQP, if it is not a model's likelihood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..exceptions import Unsupported
from ..optimize_result import OptimizeResult

Array = npt.NDArray[Any]


def minimize_any(
    objective: Callable[[Array], float], start: Array, bounds: Array, fixed: Array
) -> OptimizeResult:
    """The minimum over the parameters that are not fixed. Needs scipy."""
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise Unsupported(
            "This objective is not the likelihood of a model that nextstat can build, and scipy, which would "
            "minimize it, is not installed: python -m pip install scipy"
        ) from error

    free = np.flatnonzero(~fixed)

    def of_free(values: Array) -> float:
        point = start.copy()
        point[free] = values
        return objective(point)

    found = minimize(of_free, start[free], method="SLSQP", bounds=bounds[free], options={"maxiter": 100000})
    best = start.copy()
    best[free] = found.x
    return OptimizeResult(
        x=best,
        fun=np.asarray(float(found.fun)),
        success=bool(found.success),
        message=str(found.message),
        nit=int(found.nit),
        nfev=int(found.nfev),
        njev=int(found.njev),
        unc=None,
        corr=None,
        hess_inv=None,
    )
