"""The model: a HistFactory specification with its densities, expected data and configuration.

model = Model({"channels": [...]}, poi_name="mu")
model.logpdf(model.config.suggested_init(), data)
"""

from __future__ import annotations

import copy
import functools
import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import schema
from ._config import _ModelConfig
from ._constraint_model import _ConstraintModel
from ._engine import Engine, refuse_custom_modifiers
from ._main_model import _MainModel
from ._modifications import modifications
from .exceptions import InvalidPdfData, InvalidPdfParameters
from .probability import Simultaneous
from .tensor.common import _tensorviewer_from_sizes

log = logging.getLogger(__name__)

__all__ = ["Model", "_ModelConfig"]


def __dir__() -> list[str]:
    return __all__


Array = npt.NDArray[Any]


class Model:
    """A statistical model with pyhf's methods, computed by nextstat's core."""

    def __init__(
        self,
        spec: Mapping[str, Any],
        modifier_set: Mapping[str, Any] | None = None,
        batch_size: int | None = None,
        validate: bool = True,
        clip_sample_data: float | None = None,
        clip_bin_data: float | None = None,
        **config_kwargs: Any,
    ) -> None:
        refuse_custom_modifiers(modifier_set or {})
        self.batch_size = batch_size
        self.spec: dict[str, Any] = copy.deepcopy(dict(spec))
        self.schema: str = config_kwargs.pop("schema", "model.json")
        self.version: str | None = config_kwargs.pop("version", None)
        if validate:
            log.info("Validating spec against schema: %s", self.schema)
            schema.validate(self.spec, self.schema, version=self.version)
        poi_name = config_kwargs.pop("poi_name", "mu") or None
        self._config = _ModelConfig(self.spec, **config_kwargs)
        if poi_name is not None:
            self.config.set_poi(poi_name)
        self._engine_is_exact = clip_sample_data is None and clip_bin_data is None
        self.main_model = _MainModel(
            self.config, self._get_engine, self.spec, batch_size, clip_sample_data, clip_bin_data
        )
        self.constraint_model = _ConstraintModel(self.config, batch_size)
        sizes = [self.config.nmaindata]
        if self.constraint_model.has_pdf():
            sizes.append(self.config.nauxdata)
        viewer = _tensorviewer_from_sizes(sizes, ["main", "aux"][: len(sizes)], batch_size)
        assert viewer is not None
        self.fullpdf_tv = viewer

    @functools.cached_property
    def _engine(self) -> Engine:
        """The model in the core, built on first use."""
        return Engine(self)

    def _get_engine(self) -> Engine:
        return self._engine

    @property
    def config(self) -> _ModelConfig:
        """Names, order, start values and slices."""
        return self._config

    @property
    def nominal_rates(self) -> Array:
        """Nominal rates: [1, sample, row, bin]."""
        return self.main_model.nominal_rates

    def _modifications(self, pars: Any) -> tuple[list[Array], list[Array]]:
        """What each modifier does: differences and factors, [modifier][sample][row][bin] per type."""
        return modifications(self.spec, self.config, pars, self.batch_size)

    def expected_auxdata(self, pars: Any) -> Any:
        """Expected auxiliary data."""
        return self.make_pdf(pars)[1].expected_data()

    def expected_actualdata(self, pars: Any) -> Array:
        """Expected rates in the bins."""
        return self.main_model.expected_data(pars)

    def expected_data(self, pars: Any, include_auxdata: bool = True) -> Any:
        """Expected rates, followed by the expected auxiliary data unless excluded."""
        if not include_auxdata:
            return self.main_model.expected_data(pars)
        return self.make_pdf(pars).expected_data()

    def constraint_logpdf(self, auxdata: Any, pars: Any) -> Any:
        """Logarithm of the density of the auxiliary data."""
        return self.make_pdf(pars)[1].log_prob(np.asarray(auxdata, dtype=float))

    def mainlogpdf(self, maindata: Any, pars: Any) -> Any:
        """Logarithm of the density of the counts."""
        return self.make_pdf(pars)[0].log_prob(np.asarray(maindata, dtype=float))

    def make_pdf(self, pars: Any) -> Simultaneous:
        """The density of all data at these parameters: to draw from, or to split into parts."""
        values = np.asarray(pars, dtype=float)
        parts: list[Any] = [self.main_model.make_pdf(values)]
        constraints = self.constraint_model.make_pdf(values)
        if constraints is not None:
            parts.append(constraints)
        return Simultaneous(parts, self.fullpdf_tv, self.batch_size)

    def logpdf(self, pars: Any, data: Any) -> Array:
        """ln L of the data: one entry, or one per row of a model with a batch size."""
        try:
            values, counts = np.asarray(pars, dtype=float), np.asarray(data, dtype=float)
            self._check(values, counts)
            if self._engine_is_exact:
                result = -np.asarray(self._engine.nll(values, counts))
            else:
                result = np.asarray(self.make_pdf(values).log_prob(counts))
        except Exception:
            log.error("Eval failed for data %s pars: %s", data, pars, exc_info=True)
            raise
        return result if self.batch_size else np.reshape(result, (1,))

    def _check(self, values: Array, counts: Array) -> None:
        if values.shape[-1:] != (self.config.npars,):
            found = values.shape[-1] if values.ndim else 1
            raise InvalidPdfParameters(
                f"eval failed as pars has len {found} but {self.config.npars} was expected"
            )
        expected = self.config.nmaindata + self.config.nauxdata
        if counts.shape[-1:] != (expected,):
            found = counts.shape[-1] if counts.ndim else 1
            raise InvalidPdfData(f"eval failed as data has len {found} but {expected} was expected")
        if np.isnan(values).any():
            names = [self.config.par_names[index] for index in np.argwhere(np.isnan(values))[:, -1]]
            raise InvalidPdfParameters(f"eval failed as pars is NaN for {', '.join(names)}: give numbers")
        if np.isnan(counts).any():
            indices = np.argwhere(np.isnan(counts))[:, -1].tolist()
            raise InvalidPdfData(f"eval failed as data is NaN at {indices}: give numbers")

    def pdf(self, pars: Any, data: Any) -> Array:
        """The density itself: exp(logpdf)."""
        return np.exp(self.logpdf(pars, data))
