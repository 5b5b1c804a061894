"""nextstat's solver as an optimizer, for this package and for pyhf itself.

import pyhf, nextstat.pyhf
pyhf.set_backend("numpy", nextstat.pyhf.minimizer())
"""

from __future__ import annotations

from typing import ClassVar

from .mixins import OptimizerMixin


class nextstat_optimizer(OptimizerMixin):
    """Accepts the options of both of pyhf's optimizers; gives uncertainties and correlations."""

    name = "nextstat"
    options: ClassVar[frozenset[str]] = frozenset(
        {"maxiter", "verbose", "method", "tolerance", "solver_options", "strategy"}
    )
