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
    """Samples with the same staterror cover different channels."""


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


class staterror_builder:
    """Nominal rates, uncertainties and which bins carry the modifier, sample by sample, as pyhf collects them.

    Models here are built in nextstat's core; this class is for code that calls it directly.
    """

    is_shared = True

    def __init__(self, config: Any) -> None:
        self.config = config
        self.builder_data: dict[str, dict[str, Any]] = {}
        self.required_parsets: dict[str, Any] = {}

    def collect(self, thismod: Mapping[str, Any] | None, nom: Sequence[float]) -> dict[str, list[Any]]:
        """The data of one sample in one channel; `thismod` is None if it does not have the modifier."""
        carries = thismod is not None
        return {
            "mask": [carries] * len(nom),
            "nom_data": list(nom),
            "uncrt": list(thismod["data"]) if thismod is not None else [0.0] * len(nom),
        }

    def append(
        self,
        key: str,
        channel: str,
        sample: str,
        thismod: Mapping[str, Any] | None,
        defined_samp: Mapping[str, Any] | None,
    ) -> None:
        """Adds a channel of a sample; a sample missing from the channel counts as empty."""
        nominal = defined_samp["data"] if defined_samp else [0.0] * self.config.channel_nbins[channel]
        parts = self.builder_data.setdefault(key, {}).setdefault(
            sample, {"name": key.split("/")[-1], "data": {"mask": [], "nom_data": [], "uncrt": []}}
        )
        for name, entries in self.collect(thismod, nominal).items():
            parts["data"][name].append(entries)

    def finalize(self) -> dict[str, dict[str, Any]]:
        """Arrays over the bins of all channels."""
        for samples in self.builder_data.values():
            for parts in samples.values():
                parts["data"] = {name: np.concatenate(entries) for name, entries in parts["data"].items()}
        return self.builder_data
