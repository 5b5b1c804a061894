"""staterror: one gamma per bin, Normal(1 | gamma, sigma), from all samples that carry it.

    sigma_b = sqrt(sum_s uncertainty_sb^2) / sum_s nominal_sb

A bin without uncertainty has a fixed gamma (and sigma 1, so that its constraint has a density).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..exceptions import InvalidModifier

Part = tuple[str, Sequence[float], Sequence[float]]  # channel, nominal rates, uncertainties


class MisalignedStaterror(InvalidModifier, AssertionError):
    """Samples that carry one staterror cover different channels."""


def required(
    name: str, by_sample: Mapping[str, Sequence[Part]], nominal: Mapping[tuple[str, str], Any]
) -> dict[str, Any]:
    """The parameters of a staterror. `by_sample`: sample -> its parts, channels in order."""
    coverage = {tuple(channel for channel, _, _ in parts) for parts in by_sample.values()}
    if len(coverage) != 1:
        raise MisalignedStaterror(
            f"staterror '{name}' is in different channels for different samples ({sorted(coverage)}); "
            "give each channel a staterror of its own name"
        )
    sigmas: list[float] = []
    for position, channel in enumerate(coverage.pop()):
        total = np.sum([nominal[channel, sample] for sample in by_sample], axis=0)
        variance = np.sum([np.square(parts[position][2]) for parts in by_sample.values()], axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            sigmas += np.where(total > 0, np.sqrt(variance) / total, 0.0).tolist()
    fixed = [sigma == 0 for sigma in sigmas]
    count = len(sigmas)
    return {
        "paramset_type": "constrained_by_normal",
        "n_parameters": count,
        "is_scalar": False,
        "inits": (1.0,) * count,
        "bounds": ((1e-10, 10.0),) * count,
        "fixed": tuple(fixed),
        "auxdata": (1.0,) * count,
        "sigmas": tuple(1.0 if is_fixed else sigma for is_fixed, sigma in zip(fixed, sigmas)),
    }
