"""`result.minuit`: the fit with the interface of iminuit's `Minuit`, computed by nextstat.

    result.minuit.values["mu"], result.minuit.errors["mu"]
    result.minuit.minos("mu").merrors["mu"].upper

Values, errors and covariance are those of the fit; `minos` uses the profile likelihood. Nothing is minimized again:
`migrad` and `hesse` return the same object. For Minuit itself: `iminuit.Minuit(lambda x: twice_nll(x, data, model)[0], start)`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_ONE_SIGMA = 0.6826894921370859


class Entries:
    """One value per parameter: by position, by name, as an array, as a dictionary."""

    def __init__(self, names: Sequence[str], entries: Sequence[Any]) -> None:
        self._names, self._entries = tuple(names), list(entries)

    def __getitem__(self, key: int | slice | str) -> Any:
        if not isinstance(key, str):
            return self._entries[key]
        if key not in self._names:
            raise KeyError(f"no parameter '{key}'; there are {list(self._names)}")
        return self._entries[self._names.index(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self._entries, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return bool(np.array_equal(np.asarray(self), np.asarray(other)))

    def __repr__(self) -> str:
        return f"<{', '.join(f'{name}={entry}' for name, entry in zip(self._names, self._entries, strict=True))}>"

    def to_dict(self) -> dict[str, Any]:
        """{name: entry}."""
        return dict(zip(self._names, self._entries, strict=True))


class Matrix(np.ndarray[Any, Any]):
    """A covariance: `matrix.correlation()`."""

    def correlation(self) -> Matrix:
        """The correlations; rows and columns of parameters without a variance are 0."""
        sigmas = np.sqrt(np.diag(self))
        inverse = np.divide(1.0, sigmas, out=np.zeros_like(sigmas), where=sigmas > 0)
        scaled: Matrix = (np.asarray(self) * np.outer(inverse, inverse)).view(Matrix)
        return scaled


@dataclasses.dataclass(frozen=True)
class MinosError:
    """Profile errors of one parameter: lower is negative."""

    name: str
    number: int
    lower: float
    upper: float
    lower_valid: bool
    upper_valid: bool

    @property
    def is_valid(self) -> bool:
        """Both ends were found."""
        return self.lower_valid and self.upper_valid


@dataclasses.dataclass(frozen=True)
class Param:
    """One parameter after the fit."""

    number: int
    name: str
    value: float
    error: float
    merror: tuple[float, float] | None
    is_fixed: bool
    lower_limit: float | None
    upper_limit: float | None


@dataclasses.dataclass(frozen=True)
class FunctionMinimum:
    """How the fit ended; fval is twice the NLL."""

    fval: float
    edm: float
    is_valid: bool
    nfcn: int
    ngrad: int
    algorithm: str = "nextstat"
    has_reached_call_limit: bool = False
    has_accurate_covar: bool = True
    has_covariance: bool = True
    is_above_max_edm: bool = False
    has_parameters_at_limit: bool = False


class MinuitView:
    """A fit with the interface of `iminuit.Minuit`."""

    def __init__(
        self,
        names: Sequence[str],
        values: Array,
        fixed: Array,
        limits: Array,
        errors: Array | None,
        covariance: Array | None,
        fmin: FunctionMinimum,
        minos: Callable[[str, float], tuple[float, float]],
        tol: float = 0.1,
        strategy: int = 1,
        errordef: float = 1.0,
    ) -> None:
        self.parameters = tuple(names)
        self.npar, self.nfit = len(names), int(np.sum(~np.asarray(fixed, dtype=bool)))
        self.values = Entries(names, values.tolist())
        self.errors = Entries(names, (np.zeros(self.npar) if errors is None else errors).tolist())
        self.fixed = Entries(names, [bool(entry) for entry in fixed])
        self.limits = Entries(names, [tuple(pair) for pair in limits.tolist()])
        self.covariance = None if covariance is None else np.asarray(covariance).view(Matrix)
        self.fmin, self.fval = fmin, fmin.fval
        self.valid, self.accurate = fmin.is_valid, fmin.is_valid and covariance is not None
        self.nfcn, self.ngrad = fmin.nfcn, fmin.ngrad
        self.tol, self.strategy, self.errordef = tol, strategy, errordef
        self.merrors: dict[str, MinosError] = {}
        self._minos = minos

    @property
    def params(self) -> list[Param]:
        """All parameters."""
        return [
            Param(
                number,
                name,
                self.values[number],
                self.errors[number],
                (self.merrors[name].lower, self.merrors[name].upper) if name in self.merrors else None,
                self.fixed[number],
                *(float(limit) if np.isfinite(limit) else None for limit in self.limits[number]),
            )
            for number, name in enumerate(self.parameters)
        ]

    def minos(self, *parameters: int | str, cl: float | None = None, ncall: int | None = None) -> MinuitView:
        """Profile errors of these parameters, by default of all free ones. cl: a probability below 1, or a number of sigmas."""
        wanted = [self.parameters[entry] if isinstance(entry, int) else entry for entry in parameters]
        for name in wanted:
            if name not in self.parameters:
                raise RuntimeError(f"Unknown parameter '{name}'; the fit has {list(self.parameters)}")
        for name in wanted or [name for name in self.parameters if not self.fixed[name]]:
            if self.fixed[name]:
                raise RuntimeError(f"Cannot scan over fixed parameter '{name}'")
            low, high = self._minos(name, _probability(cl))
            value = self.values[name]
            number = self.parameters.index(name)
            found = np.isfinite(low), np.isfinite(high)
            self.merrors[name] = MinosError(name, number, low - value, high - value, *map(bool, found))
        return self

    def migrad(self, *settings: Any, **options: Any) -> MinuitView:
        """Returns the same object: the fit is done."""
        return self

    def hesse(self, *settings: Any, **options: Any) -> MinuitView:
        """Returns the same object: errors are already from the exact Hessian."""
        return self

    def __repr__(self) -> str:
        return f"<MinuitView fval={self.fval} valid={self.valid} values={self.values!r} errors={self.errors!r}>"


def minuit_errors(values: Array, sigmas: Array, limits: Array) -> Array:
    """Errors as Minuit quotes them: the mean of steps by one sigma up and down in a coordinate without limits.

    Between two limits that coordinate is an angle, x = low + (high - low) (1 + sin u) / 2; above one limit
    x = low - 1 + sqrt(u^2 + 1). Far from the limits nothing changes; sigma = 1 between -5 and 5 gives 5 sin 0.2 = 0.9933.
    """
    errors = np.array(sigmas, dtype=float)
    for i, sigma in enumerate(sigmas):
        if sigma > 0:
            errors[i] = _quoted(float(values[i]), float(sigma), *map(float, limits[i]))
    return errors


def _quoted(x: float, sigma: float, low: float, high: float) -> float:
    if math.isfinite(low) and math.isfinite(high):
        half = (high - low) / 2
        u = math.asin(min(1.0, max(-1.0, (x - low) / half - 1)))
        slope = half * math.cos(u)
        ends = [half * (math.sin(u + step) - math.sin(u)) for step in _both(sigma, slope)]
        if slope > 0 and sigma / slope > 1:  # more than a radian: Minuit takes the whole range for one side
            ends[0] = high - low
    elif math.isfinite(low) or math.isfinite(high):
        above = x - low if math.isfinite(low) else high - x
        u = math.sqrt(max((above + 1) ** 2 - 1, 0.0))
        slope = u / (above + 1)
        ends = [math.hypot(u + step, 1) - 1 - above for step in _both(sigma, slope)]
    else:
        return sigma
    return sum(map(abs, ends)) / 2 if ends else sigma


def _both(sigma: float, slope: float) -> tuple[float, ...]:
    """One sigma up and down in the coordinate without limits; empty at a limit, where the slope is 0."""
    return (sigma / slope, -sigma / slope) if slope > 0 else ()


def _probability(cl: float | None) -> float:
    """iminuit's rule: below 1 a probability, else a number of sigmas."""
    if cl is None:
        return _ONE_SIGMA
    if cl < 1:
        return float(cl)
    return math.erf(cl / math.sqrt(2))
