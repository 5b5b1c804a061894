"""NumPy as pyhf's tensor library: `tensorlib.astensor([1, 2])` and the like."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _special

log = logging.getLogger(__name__)

Array = npt.NDArray[Any]


class _BasicPoisson:
    """Independent Poisson counts with the given rates."""

    def __init__(self, rate: Any) -> None:
        self.rate = np.asarray(rate)

    def sample(self, sample_shape: tuple[int, ...]) -> Array:
        """Counts from NumPy's global generator (`numpy.random.seed`)."""
        return np.random.poisson(self.rate, size=tuple(sample_shape) + self.rate.shape)

    def log_prob(self, value: Any) -> Any:
        """Logarithms of the densities at `value`."""
        return numpy_backend().poisson_logpdf(value, self.rate)


class _BasicNormal:
    """Independent Normal values with the given means and widths."""

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc = np.asarray(loc)
        self.scale = np.asarray(scale)

    def sample(self, sample_shape: tuple[int, ...]) -> Array:
        """Values from NumPy's global generator (`numpy.random.seed`)."""
        shape = tuple(sample_shape) + self.loc.shape
        return np.asarray(np.random.standard_normal(size=shape) * self.scale + self.loc)

    def log_prob(self, value: Any) -> Any:
        """Logarithms of the densities at `value`."""
        return numpy_backend().normal_logpdf(value, self.loc, self.scale)


class numpy_backend:
    """The functions that code written for pyhf calls on `pyhf.tensorlib`."""

    __slots__ = ("default_do_grad", "dtypemap", "name", "precision")

    array_type = np.ndarray
    array_subtype = np.number

    def __init__(self, **settings: str) -> None:
        self.name = "numpy"
        self.precision = settings.get("precision", "64b")
        double = self.precision == "64b"
        self.dtypemap: dict[str, Any] = {
            "float": np.float64 if double else np.float32,
            "int": np.int64 if double else np.int32,
            "bool": np.bool_,
        }
        self.default_do_grad = False

    def _setup(self) -> None:
        """Nothing to set up."""

    def _dtype(self, name: str) -> Any:
        try:
            return self.dtypemap[name]
        except KeyError:
            log.error("Invalid dtype: dtype must be float, int, or bool.", exc_info=True)
            raise

    def astensor(self, tensor_in: Any, dtype: str = "float") -> Array:
        """An array of floats, or of `int` or `bool`."""
        return np.asarray(tensor_in, dtype=self._dtype(dtype))

    def ones(self, shape: Any, dtype: str = "float") -> Array:
        """Ones of this shape."""
        return np.ones(shape, dtype=self._dtype(dtype))

    def zeros(self, shape: Any, dtype: str = "float") -> Array:
        """Zeros of this shape."""
        return np.zeros(shape, dtype=self._dtype(dtype))

    def clip(self, tensor_in: Any, min_value: Any, max_value: Any) -> Any:
        """Values moved into the range."""
        return np.clip(tensor_in, min_value, max_value)

    def erf(self, tensor_in: Any) -> Any:
        """The error function."""
        return _special.erf(tensor_in)

    def erfinv(self, tensor_in: Any) -> Any:
        """The inverse error function."""
        return _special.erfinv(tensor_in)

    def tile(self, tensor_in: Any, repeats: Any) -> Array:
        """The array repeated along its axes."""
        return np.tile(tensor_in, repeats)

    def conditional(
        self, predicate: Any, true_callable: Callable[[], Any], false_callable: Callable[[], Any]
    ) -> Any:
        """Calls one of the two."""
        return true_callable() if predicate else false_callable()

    def tolist(self, tensor_in: Any) -> Any:
        """Nested lists."""
        return tensor_in if isinstance(tensor_in, list) else tensor_in.tolist()

    def outer(self, tensor_in_1: Any, tensor_in_2: Any) -> Array:
        """The outer product."""
        return np.outer(tensor_in_1, tensor_in_2)

    def gather(self, tensor: Any, indices: Any) -> Any:
        """The entries at these indices."""
        return tensor[indices]

    def boolean_mask(self, tensor: Any, mask: Any) -> Any:
        """The entries where the mask is true."""
        return tensor[mask]

    def isfinite(self, tensor: Any) -> Any:
        """Where values are neither infinite nor NaN."""
        return np.isfinite(tensor)

    def sum(self, tensor_in: Any, axis: int | None = None) -> Any:
        """The sum of all entries or along an axis."""
        return np.sum(tensor_in, axis=axis)

    def product(self, tensor_in: Any, axis: int | None = None) -> Any:
        """The product of all entries or along an axis."""
        return np.prod(tensor_in, axis=axis)

    def abs(self, tensor: Any) -> Any:
        """Absolute values."""
        return np.abs(tensor)

    def power(self, tensor_in_1: Any, tensor_in_2: Any) -> Any:
        """The first to the power of the second."""
        return np.power(tensor_in_1, tensor_in_2)

    def sqrt(self, tensor_in: Any) -> Any:
        """Square roots."""
        return np.sqrt(tensor_in)

    def divide(self, tensor_in_1: Any, tensor_in_2: Any) -> Any:
        """The first divided by the second."""
        return np.divide(tensor_in_1, tensor_in_2)

    def log(self, tensor_in: Any) -> Any:
        """Natural logarithms."""
        return np.log(tensor_in)

    def exp(self, tensor_in: Any) -> Any:
        """Exponentials."""
        return np.exp(tensor_in)

    def percentile(self, tensor_in: Any, q: Any, axis: Any = None, interpolation: Any = "linear") -> Any:
        """The q-th percentile (0 to 100) along an axis."""
        return np.percentile(tensor_in, q, axis=axis, method=interpolation)

    def stack(self, sequence: Sequence[Any], axis: int = 0) -> Array:
        """Arrays stacked along a new axis."""
        return np.stack(sequence, axis=axis)

    def where(self, mask: Any, tensor_in_1: Any, tensor_in_2: Any) -> Any:
        """Entries of the first where the mask is true, else of the second."""
        return np.where(mask, tensor_in_1, tensor_in_2)

    def concatenate(self, sequence: Any, axis: int | None = 0) -> Array:
        """Arrays joined along an axis."""
        return np.concatenate(sequence, axis=axis)

    def simple_broadcast(self, *args: Any) -> list[Array]:
        """One-dimensional arrays broadcast to the same length."""
        return list(np.broadcast_arrays(*args))

    def shape(self, tensor: Any) -> Any:
        """The shape."""
        return tensor.shape

    def reshape(self, tensor: Any, newshape: Any) -> Array:
        """The same entries in another shape."""
        return np.reshape(tensor, newshape)

    def ravel(self, tensor: Any) -> Any:
        """The entries in one dimension."""
        return np.ravel(tensor)

    def einsum(self, subscripts: str, *operands: Any) -> Any:
        """Einstein summation."""
        return np.einsum(subscripts, *operands)

    def poisson_logpdf(self, n: Any, lam: Any) -> Any:
        """ln Poisson(n | lam) = n ln lam - lam - ln Gamma(n + 1)."""
        return _special.xlogy(n, lam) - lam - _special.gammaln(np.asarray(n) + 1.0)

    def poisson(self, n: Any, lam: Any) -> Any:
        """Poisson(n | lam), continued to real n."""
        return np.exp(self.poisson_logpdf(np.asarray(n), np.asarray(lam)))

    def normal_logpdf(self, x: Any, mu: Any, sigma: Any) -> Any:
        """ln Normal(x | mu, sigma) = -(x - mu)^2 / (2 sigma^2) - ln(sigma sqrt(2 pi)); NaN where sigma is 0."""
        with np.errstate(invalid="ignore"):
            pull = np.divide(np.asarray(x) - mu, sigma)
            return -0.5 * np.square(pull) - np.log(np.asarray(sigma) * math.sqrt(2 * math.pi))

    def normal(self, x: Any, mu: Any, sigma: Any) -> Any:
        """The density of the normal distribution."""
        return np.exp(self.normal_logpdf(x, mu, sigma))

    def normal_cdf(self, x: Any, mu: Any = 0, sigma: Any = 1) -> Any:
        """The cumulative normal distribution."""
        return _special.normal_cdf(x, mu, sigma)

    def poisson_dist(self, rate: Any) -> _BasicPoisson:
        """Independent Poisson counts, to draw from."""
        return _BasicPoisson(rate)

    def normal_dist(self, mu: Any, sigma: Any) -> _BasicNormal:
        """Independent normal values, to draw from."""
        return _BasicNormal(mu, sigma)

    def to_numpy(self, tensor_in: Any) -> Any:
        """The array itself."""
        return tensor_in

    def transpose(self, tensor_in: Any) -> Any:
        """Axes in reverse order."""
        return tensor_in.transpose()
