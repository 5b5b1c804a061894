"""A parameter set: the parameters of one name, with start values, bounds and constraint."""

from __future__ import annotations

import math
from typing import Any

from nextstat.screen import printable

__all__ = [
    "constrained_by_normal",
    "constrained_by_poisson",
    "constrained_paramset",
    "paramset",
    "unconstrained",
]


def __dir__() -> list[str]:
    return __all__


class paramset:
    """Parameters of one name: `n_parameters`, `suggested_init`, `suggested_bounds`, `suggested_fixed`."""

    constrained: bool
    pdf_type: str
    auxdata: list[float]

    def __init__(self, **settings: Any) -> None:
        self.name: str = settings["name"]
        self.n_parameters: int = settings["n_parameters"]
        self.suggested_init: list[float] = settings["inits"]
        self.suggested_bounds: list[tuple[float, float]] = settings["bounds"]
        self._suggested_fixed: bool | list[bool] = settings["fixed"]
        self.is_scalar: bool = settings["is_scalar"]
        if self.is_scalar and self.n_parameters != 1:
            raise ValueError(f"parameter set {printable(self.name)}: scalar, but has {self.n_parameters} parameters")

    @property
    def suggested_fixed(self) -> list[bool]:
        """One flag per parameter."""
        if isinstance(self._suggested_fixed, bool):
            return [self._suggested_fixed] * self.n_parameters
        return self._suggested_fixed

    @suggested_fixed.setter
    def suggested_fixed(self, value: bool | list[bool]) -> None:
        if not isinstance(value, bool):
            assert len(value) == self.n_parameters, f"{self.name} has {self.n_parameters} parameters"
        self._suggested_fixed = value

    @property
    def suggested_fixed_as_bool(self) -> bool:
        """The common flag of all parameters; raises if they differ."""
        flags = self.suggested_fixed
        if any(flag != flags[0] for flag in flags):
            raise RuntimeError(f"{flags} is neither all-True nor all-False, so there is no single flag")
        return flags[0]


class unconstrained(paramset):
    """Free parameters: normfactor and shapefactor."""

    constrained = False


class constrained_paramset(paramset):
    """Parameters with an auxiliary measurement."""

    constrained = True


class constrained_by_normal(constrained_paramset):
    """Constraint Normal(auxdata | parameter, sigma)."""

    pdf_type = "normal"
    sigmas: list[float]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.auxdata = settings["auxdata"]
        if settings.get("sigmas"):
            self.sigmas = settings["sigmas"]

    def width(self) -> list[float]:
        """The sigmas, 1 if none were given."""
        return getattr(self, "sigmas", [1.0] * self.n_parameters)


class constrained_by_poisson(constrained_paramset):
    """Constraint Poisson(auxdata | factor * parameter)."""

    pdf_type = "poisson"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.auxdata = settings["auxdata"]
        self.factors: list[float] = settings["factors"]

    def width(self) -> list[float]:
        """1/sqrt(factor): the relative width of the auxiliary measurement."""
        if not self.factors:
            raise RuntimeError(f"parameter set {printable(self.name)} has no factors to take a width from")
        return [math.sqrt(1.0 / factor) for factor in self.factors]
