"""`model.config`: names, order, start values, bounds and slices of a model's parameters and data."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from nextstat.screen import printable
from ._engine import DEFAULT_SETTINGS
from ._parameter_sets import parameter_sets
from .exceptions import InvalidModel, Unsupported
from .mixins import _ChannelSummaryMixin
from .parameters import paramset

log = logging.getLogger(f"{__package__}.pdf")


class _ModelConfig(_ChannelSummaryMixin):
    """Built by the model: `model.config.par_names`, `model.config.suggested_init()`."""

    def __init__(self, spec: Mapping[str, Any], **config_kwargs: Any) -> None:
        super().__init__(channels=spec["channels"])
        self.modifier_settings: Mapping[str, Mapping[str, Any]] = config_kwargs.pop(
            "modifier_settings", DEFAULT_SETTINGS
        )
        if config_kwargs:
            raise Unsupported(f"Unsupported options were passed in: {list(config_kwargs)}.")
        self._poi_name: str | None = None
        self._poi_index: int | None = None
        self._nmaindata = sum(self.channel_nbins.values())
        self.par_map: dict[str, dict[str, Any]] = {}
        self._par_order: list[str] = []
        self._auxdata: list[float] = []
        self.auxdata_order: list[str] = []
        self._register(parameter_sets(spec, self))
        self.npars = len(self.suggested_init())
        self.parameters = sorted(self.par_map)

    def _register(self, sets: Mapping[str, paramset]) -> None:
        begin = 0
        for name, parameter_set in sets.items():
            log.info("adding modifier %s (%s new nuisance parameters)", printable(name), parameter_set.n_parameters)
            end = begin + parameter_set.n_parameters
            self.par_map[name] = {"slice": slice(begin, end), "paramset": parameter_set}
            self._par_order.append(name)
            begin = end
            if parameter_set.constrained:
                self._auxdata = self._auxdata + list(parameter_set.auxdata)
                self.auxdata_order.append(name)

    @property
    def par_order(self) -> list[str]:
        """Names of the parameter sets, in the order of the parameters."""
        return self._par_order

    @property
    def poi_name(self) -> str | None:
        """Name of the parameter of interest, None if there is none."""
        return self._poi_name

    @property
    def poi_index(self) -> int | None:
        """Index of the parameter of interest, None if there is none."""
        return self._poi_index

    @property
    def auxdata(self) -> list[float]:
        """The auxiliary data."""
        return self._auxdata

    @property
    def nmaindata(self) -> int:
        """Number of bins."""
        return self._nmaindata

    @property
    def nauxdata(self) -> int:
        """Number of auxiliary data."""
        return len(self._auxdata)

    @property
    def par_names(self) -> list[str]:
        """One name per parameter: sets with one parameter per bin as NAME[0], NAME[1], ..."""
        names: list[str] = []
        for name in self.par_order:
            parameter_set = self.param_set(name)
            if parameter_set.is_scalar:
                names.append(name)
            else:
                names += [f"{name}[{index}]" for index in range(parameter_set.n_parameters)]
        return names

    def param_set(self, name: str) -> paramset:
        """The parameter set of this name."""
        found: paramset = self.par_map[name]["paramset"]
        return found

    def par_slice(self, name: str) -> slice:
        """Slice of the parameters of this name."""
        found: slice = self.par_map[name]["slice"]
        return found

    def suggested_init(self) -> list[float]:
        """One start value per parameter."""
        return [value for name in self.par_order for value in self.param_set(name).suggested_init]

    def suggested_bounds(self) -> list[Any]:
        """(low, high) per parameter."""
        return [bound for name in self.par_order for bound in self.param_set(name).suggested_bounds]

    def suggested_fixed(self) -> list[bool]:
        """One flag per parameter: True if a fit holds it at its start value."""
        return [flag for name in self.par_order for flag in self.param_set(name).suggested_fixed]

    def set_poi(self, name: str | None) -> None:
        """Sets the parameter of interest; None for none."""
        if name is None:
            self._poi_name, self._poi_index = None, None
            return
        if name not in self.parameters:
            raise InvalidModel(
                f"The parameter of interest '{name}' cannot be fit as it is not declared in the model specification."
            )
        if self.param_set(name).n_parameters > 1:
            raise InvalidModel(
                f"The parameter '{name}' contains multiple components and is not currently supported as "
                "parameter of interest."
            )
        self._poi_name, self._poi_index = name, int(self.par_slice(name).start)
