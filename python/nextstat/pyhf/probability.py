"""Probability densities: Poisson, Normal, and products of them.

Poisson(tensorlib.astensor([5.0, 8.0])).log_prob([4, 9])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .tensor.common import _TensorViewer
from .tensor.manager import get_backend

__all__ = ["Independent", "Normal", "Poisson", "Simultaneous"]


def __dir__() -> list[str]:
    return __all__


class _SimpleDistributionMixin:
    """A density computed by another one (`_pdf`)."""

    _pdf: Any

    def log_prob(self, value: Any) -> Any:
        """Logarithm of the density at `value`."""
        return self._pdf.log_prob(value)

    def expected_data(self) -> Any:
        """The mean."""
        return self._pdf.expected_data()

    def sample(self, sample_shape: tuple[int, ...] = ()) -> Any:
        """Values drawn with NumPy's global generator."""
        return self._pdf.sample(sample_shape)


class Poisson(_SimpleDistributionMixin):
    """Poisson counts with mean `rate`."""

    def __init__(self, rate: Any) -> None:
        self.rate = rate
        self._pdf = get_backend()[0].poisson_dist(rate)

    def expected_data(self) -> Any:
        """The rate."""
        return self.rate


class Normal(_SimpleDistributionMixin):
    """Normal values with mean `loc` and width `scale`."""

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc = loc
        self.scale = scale
        self._pdf = get_backend()[0].normal_dist(loc, scale)

    def expected_data(self) -> Any:
        """The mean."""
        return self.loc


class Independent(_SimpleDistributionMixin):
    """The joint density of independent values of one kind: sums over the last axis."""

    def __init__(self, batched_pdf: Any, batch_size: int | None = None) -> None:
        self.batch_size = batch_size
        self._pdf = batched_pdf

    def log_prob(self, value: Any) -> Any:
        """Sum of the logarithms of the densities."""
        return np.sum(super().log_prob(value), axis=-1)


class Simultaneous:
    """The joint density of parts of different kinds; `tensorview` says which data belong to which part."""

    def __init__(
        self, pdfobjs: Sequence[Any], tensorview: _TensorViewer, batch_size: int | None = None
    ) -> None:
        self.tv = tensorview
        self._pdfobjs = pdfobjs
        self.batch_size = batch_size

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pdfobjs)

    def __getitem__(self, index: int) -> Any:
        return self._pdfobjs[index]

    def expected_data(self) -> Any:
        """The means of all parts, each in its place."""
        return self.tv.stitch([part.expected_data() for part in self])

    def sample(self, sample_shape: tuple[int, ...] = ()) -> Any:
        """Values of all parts, drawn part after part, each in its place."""
        return self.tv.stitch([part.sample(sample_shape) for part in self])

    def log_prob(self, value: Any) -> Any:
        """Sum of the parts' logarithms."""
        terms = [part.log_prob(data) for part, data in zip(self, self.tv.split(value))]
        return self._joint_logpdf(terms, batch_size=self.batch_size)

    @staticmethod
    def _joint_logpdf(terms: Sequence[Any], batch_size: int | None = None) -> Any:
        if len(terms) == 1:
            return terms[0]
        if len(terms) == 2 and batch_size is None:
            return terms[0] + terms[1]
        return np.sum(np.stack(terms), axis=0)
