"""The published engine's names for GPUs: this package's functions and sessions with a default device."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from .fits import fit_toys, fit_toys_from_data
from .model import ModelLike
from .questions import hypotest_toys
from .results import ToysResult
from .session import Session


def fit_toys_batch_gpu(model: ModelLike, params: npt.ArrayLike, n_toys: int = 1000, seed: int = 42, *,
                       device: str = "cuda", **options: Any) -> ToysResult:
    """fit_toys() on a GPU."""
    return fit_toys(model, params, n_toys=n_toys, seed=seed, device=device, **options)


def fit_toys_from_data_gpu(model: ModelLike, expected: npt.ArrayLike, *, n_toys: int = 1000, seed: int = 42,
                           device: str = "cuda", **options: Any) -> ToysResult:
    """fit_toys_from_data() on a GPU."""
    return fit_toys_from_data(model, expected, n_toys=n_toys, seed=seed, device=device, **options)


def hypotest_qtilde_toys_gpu(poi_test: float, model: ModelLike, *, n_toys: int = 1000, seed: int = 42,
                             device: str = "cuda", **options: Any) -> Any:
    """hypotest_toys() with qtilde on a GPU."""
    return hypotest_toys(poi_test, model, n_toys=n_toys, seed=seed, device=device, test_stat="qtilde", **options)


def cuda_session(model: ModelLike, *, device: str = "cuda", **options: Any) -> Session:
    """Session() on a CUDA device."""
    return Session(model, device=device, **options)


def metal_session(model: ModelLike, *, device: str = "metal", **options: Any) -> Session:
    """Session() on a Metal device."""
    return Session(model, device=device, **options)
