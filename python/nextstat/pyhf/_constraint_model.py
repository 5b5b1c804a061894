"""The constraint terms of a model as densities: what auxiliary data are drawn from.

Normal(a | theta, sigma)   and   Poisson(a | tau theta)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nextstat.screen import printable
from ._config import _ModelConfig
from .parameters import ParamViewer
from .parameters.paramsets import constrained_by_normal, constrained_by_poisson
from .probability import Independent, Normal, Poisson, Simultaneous
from .tensor.common import _TensorViewer

Array = npt.NDArray[Any]


class _ConstraintModel:
    """Densities of the auxiliary data; first all Normal terms, then all Poisson terms, as pyhf draws them."""

    def __init__(self, config: _ModelConfig, batch_size: int | None) -> None:
        self.config = config
        self.batch_size = batch_size
        self.viewer_aux = ParamViewer((batch_size or 1, config.npars), config.par_map, config.auxdata_order)
        normal: list[tuple[int, int, float]] = []  # auxiliary datum, parameter, sigma
        poisson: list[tuple[int, int, float]] = []  # auxiliary datum, parameter, tau
        datum = 0
        for name in config.auxdata_order:
            parameter_set, first = config.param_set(name), config.par_slice(name).start
            if isinstance(parameter_set, constrained_by_normal):
                scales, target = parameter_set.width(), normal
            elif isinstance(parameter_set, constrained_by_poisson):
                scales, target = parameter_set.factors, poisson
            else:
                raise TypeError(
                    f"parameter set {printable(name)} has a constraint of unknown type {type(parameter_set)}"
                )
            for offset, scale in enumerate(scales):
                target.append((datum + offset, first + offset, float(scale)))
            datum += parameter_set.n_parameters
        self._normal, self._poisson = _columns(normal), _columns(poisson)
        parts = [columns[0] for columns in (self._normal, self._poisson) if columns[0].size]
        self.constraints_tv = _TensorViewer(parts, batch_size) if parts else None

    def has_pdf(self) -> bool:
        """True if there is at least one constraint."""
        return self.constraints_tv is not None

    def make_pdf(self, pars: Any) -> Simultaneous | None:
        """The density of the auxiliary data at these parameters, None without constraints."""
        if self.constraints_tv is None:
            return None
        values = np.asarray(pars, dtype=float)
        parts = []
        _, indices, sigmas = self._normal
        if indices.size:
            means = values[..., indices]
            parts.append(Independent(Normal(means, np.broadcast_to(sigmas, means.shape)), self.batch_size))
        _, indices, factors = self._poisson
        if indices.size:
            parts.append(Independent(Poisson(values[..., indices] * factors), self.batch_size))
        return Simultaneous(parts, self.constraints_tv, self.batch_size)

    def logpdf(self, auxdata: Any, pars: Any) -> Any:
        """Logarithm of the density of the auxiliary data."""
        density = self.make_pdf(pars)
        if density is None:
            return np.zeros(self.batch_size) if self.batch_size is not None else np.float64(0.0)
        return density.log_prob(auxdata)


def _columns(rows: list[tuple[int, int, float]]) -> tuple[Array, Array, Array]:
    data = np.array([row[0] for row in rows], dtype=np.int64)
    indices = np.array([row[1] for row in rows], dtype=np.int64)
    return data, indices, np.array([row[2] for row in rows], dtype=float)
