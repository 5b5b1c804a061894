"""The expected yields in every bin, per sample and in total with uncertainty.

Smallest use: `yields = compute(model, fit_result, data)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import fail
from ._records import Array, field, has, numbers
from ._style import some

WHERE, KIND = "plot.data_model", "a fit result"


class Yields(NamedTuple):
    samples: dict[str, dict[str, Array]]  # channel, sample: events in each bin
    nominal: dict[str, float]  # sample: all its events before the fit, so that no fit changes the order
    observed: dict[str, Array]  # channel: counts
    sigma: dict[str, Array] | None  # channel: uncertainty of the total; None where the fit has no covariance
    signal: list[str]  # samples that the parameter of interest scales
    notes: list[str]


def compute(model: Any, fit_result: Any, data: Any) -> Yields:
    """Yields at the best fit, or at the centers of the constraints if there is no fit."""
    before = _before(model)
    start = before[0]
    point, covariance, notes = before if fit_result is None else _after(model, fit_result)
    samples = _by_sample(model, point)
    nominal: dict[str, float] = {}
    for by in (samples if fit_result is None else _by_sample(model, start)).values():
        for sample, counts in by.items():
            nominal[sample] = nominal.get(sample, 0.0) + float(np.abs(counts).sum())
    sigma = None
    if covariance is not None:
        deviations = propagate(numbers(model.expected_jacobian(point)), covariance)
        sigma = _split(model, deviations)
    return Yields(samples, nominal, _observed(model, data), sigma, _signal(model, point, samples), notes)


def _by_sample(model: Any, point: Array) -> dict[str, dict[str, Array]]:
    by_channel = model.expected_main_by_channel_sample(point).items()
    return {channel: {sample: numbers(counts) for sample, counts in by.items()} for channel, by in by_channel}


def propagate(jacobian: Array, covariance: Array) -> Array:
    """Standard deviation of every bin: sqrt(diag(J C J^T)) with J = d nu / d theta, [bin, parameter]."""
    variance: Array = np.einsum("bp,pq,bq->b", jacobian, covariance, jacobian, optimize=True)
    deviation: Array = np.sqrt(np.maximum(variance, 0.0))
    return deviation


def _before(model: Any) -> tuple[Array, Array, list[str]]:
    centers, sigmas = numbers(model.prefit_centers), numbers(model.prefit_sigmas)
    point = np.where(np.isfinite(centers), centers, numbers(model.suggested_init))
    fixed = np.asarray(model.suggested_fixed, dtype=bool)
    variance = np.where(np.isfinite(sigmas) & ~fixed, np.square(sigmas), 0.0)
    poi = model.poi_index
    at = f" at {model.parameter_names[poi]} = {point[poi]:.3g}" if poi is not None else ""
    return point, np.diag(np.nan_to_num(variance)), [f"Before the fit{at}; band: widths of the constraints."]


def _after(model: Any, result: Any) -> tuple[Array, Array | None, list[str]]:
    point = numbers(field(WHERE, KIND, result, "bestfit"))
    names = list(field(WHERE, KIND, result, "parameter_names"))
    if names != list(model.parameter_names):
        fail(WHERE, "the fit and the model have different parameters", "pass the model that was fitted")
    poi = model.poi_index
    at = f" at {names[poi]} = {point[poi]:.3g}" if poi is not None else ""
    if not has(result, "covariance"):
        return point, None, [f"After the fit{at}; no band: the fit has no covariance."]
    covariance = numbers(field(WHERE, KIND, result, "covariance"))
    absent = ~np.isfinite(np.diag(covariance))
    notes = [f"After the fit{at}; band: covariance of the fit."]
    if absent.any():
        held = [names[i] for i in np.flatnonzero(absent)]
        notes.append(
            f"No uncertainty of {some(held)} is in the band (at a bound, or not constrained by the data)."
        )
    return point, np.nan_to_num(covariance), notes


def _split(model: Any, bins: Array) -> dict[str, Array]:
    return {channel: bins[part] for channel, part in model.channels.items()}


def _observed(model: Any, data: Any) -> dict[str, Array]:
    if data is None:
        return {channel: numbers(counts) for channel, counts in model.observed_main_by_channel.items()}
    if isinstance(data, Mapping):
        absent = [channel for channel in model.channels if channel not in data]
        if absent:
            fail(WHERE, f"data has no counts for channel {some(absent)}", "give every channel of the model")
        return {channel: numbers(data[channel]) for channel in model.channels}
    counts = np.ravel(numbers(data))
    if len(counts) < model.n_bins:
        fail(
            WHERE,
            f"data has {len(counts)} values, but the model has {model.n_bins} bins",
            "give one count per bin",
        )
    return _split(model, counts[: model.n_bins])


def _signal(model: Any, point: Array, samples: Mapping[str, Mapping[str, Array]]) -> list[str]:
    """Samples that the parameter of interest scales; none if it scales all of them."""
    poi = model.poi_index
    if poi is None:
        return []
    moved = point.copy()
    moved[poi] += 0.5
    other = model.expected_main_by_channel_sample(moved)
    names = list(dict.fromkeys(sample for by in samples.values() for sample in by))
    scaled = [
        s for s in names if any(s in by and not np.allclose(by[s], other[c][s]) for c, by in samples.items())
    ]
    return scaled if len(scaled) < len(names) else []


def pick_channels(model: Any, channels: str | Sequence[str] | None) -> list[str]:
    """The selected channels in the model's order; an unknown name is an error."""
    every = list(model.channels)
    if channels is None:
        return every
    wanted = [channels] if isinstance(channels, str) else list(channels)
    unknown = [channel for channel in wanted if channel not in every]
    if unknown:
        fail(WHERE, f"no channel {some(unknown)}", f"the model has {', '.join(every)}")
    return [channel for channel in every if channel in wanted]
