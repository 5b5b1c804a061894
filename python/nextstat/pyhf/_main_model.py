"""The bins of a model: expected rates from the core, and their Poisson density."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ._config import _ModelConfig
from ._engine import Engine
from .probability import Independent, Poisson

log = logging.getLogger(f"{__package__}.pdf")

Array = npt.NDArray[Any]


class _MainModel:
    """Expected rates, optionally by sample and clipped from below."""

    def __init__(
        self,
        config: _ModelConfig,
        engine: Callable[[], Engine],
        spec: Mapping[str, Any],
        batch_size: int | None,
        clip_sample_data: float | None,
        clip_bin_data: float | None,
    ) -> None:
        self.config = config
        self.engine = engine
        self.batch_size = batch_size
        self.clip_sample_data = clip_sample_data
        self.clip_bin_data = clip_bin_data
        if clip_sample_data is not None:
            log.warning("Clipping expected data per-bin for each sample below %s", clip_sample_data)
        if clip_bin_data is not None:
            log.warning("Clipping expected data per-bin below %s", clip_bin_data)
        self.nominal_rates = np.tile(_nominal(spec, config), (1, 1, batch_size or 1, 1))

    def has_pdf(self) -> bool:
        """Always True: a model has bins."""
        return True

    def expected_data(self, pars: Any, return_by_sample: bool = False) -> Array:
        """Rates [bin], or [sample][bin]; with a batch size [row] comes first."""
        values = np.asarray(pars, dtype=float)
        if return_by_sample or self.clip_sample_data is not None:
            rates = self._by_sample(values)
            if self.clip_sample_data is not None:
                rates = np.clip(rates, self.clip_sample_data, None)
            if return_by_sample:
                return rates
            rates = rates.sum(axis=-2)
        else:
            rates = self.engine().expected_data(values, include_auxdata=False)
        return rates if self.clip_bin_data is None else np.clip(rates, self.clip_bin_data, None)

    def _by_sample(self, values: Array) -> Array:
        if values.ndim > 1:
            return np.stack([self._by_sample(row) for row in values])
        return self.engine().expected_by_sample(values, self.config.channels, self.config.samples)

    def make_pdf(self, pars: Any) -> Independent:
        """The density of the counts."""
        return Independent(Poisson(self.expected_data(pars)))

    def logpdf(self, maindata: Any, pars: Any) -> Any:
        """Logarithm of the density of the counts."""
        return self.make_pdf(pars).log_prob(np.asarray(maindata, dtype=float))


def _nominal(spec: Mapping[str, Any], config: _ModelConfig) -> Array:
    """Nominal rates [1][sample][1][bin]: zero where a channel has no such sample."""
    rates = np.zeros((1, len(config.samples), 1, config.nmaindata))
    for channel in spec["channels"]:
        for sample in channel["samples"]:
            rates[0, config.samples.index(sample["name"]), 0, config.channel_slices[channel["name"]]] = (
                sample["data"]
            )
    return rates
