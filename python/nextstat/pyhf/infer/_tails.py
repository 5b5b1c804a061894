"""Tail probabilities of two distributions and their ratio, the same for every calculator."""

from __future__ import annotations

from typing import Any

import numpy as np


def tails(teststat: Any, signal: Any, background: Any) -> tuple[Any, Any, Any]:
    """CLs+b, CLb and their ratio CLs; CLs is NaN where both are 0."""
    clsb, clb = signal.pvalue(teststat), background.pvalue(teststat)
    with np.errstate(divide="ignore", invalid="ignore"):
        return clsb, clb, np.asarray(clsb / clb)
