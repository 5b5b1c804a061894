"""Maximum likelihood fits: `fit(data, model)` and `fixed_poi_fit(1.0, data, model)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..exceptions import UnspecifiedPOI
from ..tensor.manager import get_backend

__all__ = ["fit", "fixed_poi_fit", "twice_nll"]


def __dir__() -> list[str]:
    return __all__


def twice_nll(pars: Any, data: Any, pdf: Any) -> Any:
    """-2 ln L(pars) of the data, an array with one entry."""
    return -2 * pdf.logpdf(pars, data)


def _validate_fit_inputs(init_pars: Sequence[float], par_bounds: Sequence[Any], fixed_params: Any) -> None:
    for index, (value, bound) in enumerate(zip(init_pars, par_bounds)):
        if not (bound[0] <= value <= bound[1]):
            raise ValueError(
                f"fit initialization parameter (index: {index}, value: {value}) lies outside of its bounds: {bound}\n"
                "To correct this adjust the initialization parameter values in the model spec or those given\n"
                "as arguments to the fit. If this value is intended, adjust the range of the parameter bounds."
            )


def fit(
    data: Any,
    pdf: Any,
    init_pars: Sequence[float] | None = None,
    par_bounds: Sequence[Any] | None = None,
    fixed_params: Sequence[bool] | None = None,
    **kwargs: Any,
) -> Any:
    """The parameters that maximize the likelihood.

    `return_fitted_val=True` also returns twice the NLL there; other keywords go to the optimizer's `minimize`.
    """
    _, optimizer = get_backend()
    init_pars = init_pars or pdf.config.suggested_init()
    par_bounds = par_bounds or pdf.config.suggested_bounds()
    fixed_params = fixed_params or pdf.config.suggested_fixed()
    _validate_fit_inputs(init_pars, par_bounds, fixed_params)
    fixed_vals = [(index, init_pars[index]) for index, is_fixed in enumerate(fixed_params) if is_fixed]
    return optimizer.minimize(twice_nll, data, pdf, init_pars, par_bounds, fixed_vals, **kwargs)


def fixed_poi_fit(
    poi_val: Any,
    data: Any,
    pdf: Any,
    init_pars: Sequence[float] | None = None,
    par_bounds: Sequence[Any] | None = None,
    fixed_params: Sequence[bool] | None = None,
    **kwargs: Any,
) -> Any:
    """The parameters that maximize the likelihood with the parameter of interest held at `poi_val`."""
    if pdf.config.poi_index is None:
        raise UnspecifiedPOI("No POI is defined. A POI is required to fit with a fixed POI.")
    start = [*(init_pars or pdf.config.suggested_init())]
    fixed = [*(fixed_params or pdf.config.suggested_fixed())]
    start[pdf.config.poi_index] = poi_val
    fixed[pdf.config.poi_index] = True
    return fit(data, pdf, start, par_bounds, fixed, **kwargs)
