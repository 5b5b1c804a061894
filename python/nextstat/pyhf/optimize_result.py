"""What a minimization returns with `return_result_obj=True`: fields as attributes and as keys."""

from __future__ import annotations

import importlib.util
from typing import Any


class OptimizeResult(dict[str, Any]):
    """`result.x` and `result["x"]`: x, fun, success, message, nfev, njev, unc, corr, hess_inv."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the fit result has no field '{name}'; it has {list(self)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __dir__(self) -> list[str]:
        return list(self)


def handed_out(result: OptimizeResult) -> Any:
    """The result as returned to callers: a `scipy.optimize.OptimizeResult` if SciPy is installed."""
    if importlib.util.find_spec("scipy") is None:
        return result
    import scipy.optimize

    return scipy.optimize.OptimizeResult(result)
