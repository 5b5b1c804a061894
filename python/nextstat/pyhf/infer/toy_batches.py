"""Test statistics of many toys at once: two batches of fits in the core instead of two fits per toy.

statistics("qtilde", 1.0, toys, model, start, bounds, fixed)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._engine import Engine, engine_of
from ..optimize.mixins import OptimizerMixin
from ..tensor.manager import get_backend
from .mle import _validate_fit_inputs
from .utils import get_test_stat

Array = npt.NDArray[Any]


def engine_for_toys(pdf: Any) -> Engine | None:
    """The engine that can fit toys of this model in batches; None with a user's own optimizer or model."""
    optimizer = get_backend()[1]
    return engine_of(pdf) if isinstance(optimizer, OptimizerMixin) else None


def statistics(
    test_stat: str,
    poi_test: float,
    toys: Array,
    pdf: Any,
    init_pars: Sequence[float],
    par_bounds: Sequence[Any],
    fixed_params: Sequence[bool],
    engine: Engine,
) -> Array:
    """One value per toy. Toys whose fits do not converge here are fitted one by one, which shows what is wrong."""
    mu = 0.0 if test_stat == "q0" else float(poi_test)
    index = pdf.config.poi_index
    start, fixed = np.array(init_pars, dtype=float), np.array(fixed_params, dtype=bool)
    bounds = np.array([tuple(bound) for bound in par_bounds], dtype=float)
    held_start, held = start.copy(), fixed.copy()
    held_start[index], held[index] = mu, True
    _validate_fit_inputs(held_start.tolist(), par_bounds, fixed_params)
    conditional = engine.fit_batch(toys, held_start, bounds, held)
    free = engine.fit_batch(toys, start, bounds, fixed)
    mu_hat = free.parameters[:, index]
    values = np.clip(2.0 * (conditional.nll - free.nll), 0.0, None)
    away = mu_hat <= 0 if test_stat == "q0" else mu_hat >= mu
    values = np.where(away, 0.0, values)
    for row in np.flatnonzero(~(conditional.converged & free.converged)):
        values[row] = get_test_stat(test_stat)(poi_test, toys[row], pdf, init_pars, par_bounds, fixed_params)
    return values
