"""Inference: hypothesis tests, fits, limits.

cls = hypotest(1.0, data, model)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..exceptions import InvalidModel, UnspecifiedPOI
from . import calculators, mle, test_statistics, utils
from .utils import all_pois_floating, create_calculator

__all__ = ["calculators", "hypotest", "intervals", "mle", "test_statistics", "utils"]


def __dir__() -> list[str]:
    return __all__


def _check_hypotest_prerequisites(
    pdf: Any, data: Any, init_pars: Any, par_bounds: Any, fixed_params: Sequence[bool]
) -> None:
    if pdf.config.poi_index is None:
        raise UnspecifiedPOI("No POI is defined. A POI is required to run a hypothesis test.")
    if not all_pois_floating(pdf, fixed_params):
        raise InvalidModel(
            f"POI at index [{pdf.config.poi_index}] is set as fixed, which makes profile likelihood ratio based "
            "inference impossible. Please unfix the POI to continue."
        )


def hypotest(
    poi_test: Any,
    data: Any,
    pdf: Any,
    init_pars: Sequence[float] | None = None,
    par_bounds: Sequence[Any] | None = None,
    fixed_params: Sequence[bool] | None = None,
    calctype: str = "asymptotics",
    return_tail_probs: bool = False,
    return_expected: bool = False,
    return_expected_set: bool = False,
    return_calculator: bool = False,
    **kwargs: Any,
) -> Any:
    """CLs at `poi_test` (p0 with `test_stat="q0"`), followed by what the flags request.

    In this order: [CLs+b, CLb]; the median expected CLs; the five expected CLs from -2 to +2 sigma; the calculator.
    Other keywords go to the calculator (`test_stat`, `ntoys`, ...).
    """
    init_pars = init_pars or pdf.config.suggested_init()
    par_bounds = par_bounds or pdf.config.suggested_bounds()
    fixed_params = fixed_params or pdf.config.suggested_fixed()
    _check_hypotest_prerequisites(pdf, data, init_pars, par_bounds, fixed_params)
    calculator = create_calculator(calctype, data, pdf, init_pars, par_bounds, fixed_params, **kwargs)
    statistic = calculator.teststatistic(poi_test)
    distributions = calculator.distributions(poi_test)
    clsb, clb, cls = (np.asarray(value) for value in calculator.pvalues(statistic, *distributions))
    clsb_expected, _, cls_expected = calculator.expected_pvalues(*distributions)
    is_discovery = kwargs.get("test_stat", "qtilde") == "q0"
    band = [np.asarray(value) for value in (clsb_expected if is_discovery else cls_expected)]

    asked: list[tuple[bool, Any]] = [
        (True, clsb if is_discovery else cls),
        (return_tail_probs, [clb] if is_discovery else [clsb, clb]),
        (return_expected, np.asarray(band[2])),
        (return_expected_set, band),
        (return_calculator, calculator),
    ]
    returns = tuple(value for wanted, value in asked if wanted)
    return returns if len(returns) > 1 else returns[0]


from . import intervals  # noqa: E402  (its limits call hypotest)
