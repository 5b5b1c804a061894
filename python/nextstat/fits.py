"""Fits: one, many, and fits to toys."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .checks import flag, folder, names, part, real, whole
from .errors import fail
from .model import Array, Model, ModelLike, as_model
from .progress import Progress
from .results import BatchFitResult, FitResult, ToysResult
from .run import Bounds, Fixed, Values, ask, fixed_pairs, freed_names, init_pairs, run_options, threads_of


MOST_NUMBERS = 2**40  # in one array


def fit(model: ModelLike, *, data: npt.ArrayLike | None = None, init_pars: Values | None = None, fixed: Fixed | None = None,
        bounds: Bounds | None = None, minos: bool | str | Sequence[str] | None = None, uncertainties: bool = True,
        large_matrices: bool = False, starts: int | str = "auto", device: str = "auto", backend: str | None = None,
        fallback: bool = False, threads: int | None = None, progress: Progress = None) -> FitResult:
    """The best fit, with uncertainties from the exact Hessian.

    data: data to use instead of the model's (main bins, or main bins and auxiliary data). init_pars: start values, {name:
    value} or one per parameter. fixed: {name: value}, names, or a mask with one flag per parameter. bounds: {name: (low,
    high)} or one pair per parameter. minos: parameters or sets to compute MINOS errors for, True for all.
    starts: number of starting points; "auto" searches for the deepest minimum, 1 uses only the suggested start.
    large_matrices: compute covariance and correlation even for more than 5000 parameters; otherwise only uncertainties.
    """
    bound = as_model(model)
    run = run_options(bound, data=data, init_pars=init_pars, fixed=fixed, bounds=bounds, starts=starts, device=device,
                      backend=backend, fallback=fallback, threads=threads)
    everything = isinstance(minos, (bool, np.bool_)) and bool(minos)
    wanted = [] if minos is None or isinstance(minos, (bool, np.bool_)) else names("minos", minos)
    return ask(FitResult, bound, _core.fit, run, progress, "fit", flag("uncertainties", uncertainties), wanted, everything,
               flag("large_matrices", large_matrices),
               more_fields={"prefit_centers": bound.prefit_centers, "prefit_sigmas": bound.prefit_sigmas})


def fit_batch(model: ModelLike, datasets: npt.ArrayLike | None = None, *, init_pars: Values | None = None,
              fixed: Fixed | None = None, bounds: Bounds | None = None, starts: int | str = "auto", device: str = "auto",
              backend: str | None = None, fallback: bool = False, threads: int | None = None, progress: Progress = None) -> BatchFitResult:
    """Fits one model to many datasets, [dataset, datum]; rows of main bins only are completed with the model's auxiliary data.

    A fit may also have a start, bounds and fixed parameters of its own: init_pars[fit, parameter], bounds[fit, parameter, 2],
    and fixed[fit, parameter], the value where a parameter is held and NaN where it is not, or a mask of True and False. Then
    datasets may be left out, and each fit searches for the deepest minimum by itself, which takes as long as so many calls of
    fit(); with starts=1 they are quick.
    """
    bound = as_model(model)
    own, freed = _own_of_each_fit(bound, init_pars, fixed, bounds)
    run = run_options(bound, init_pars=None if "starts" in own else init_pars, fixed=None if "fixed" in own else fixed,
                      bounds=None if "low" in own else bounds, starts=starts, device=device, backend=backend, fallback=fallback,
                      threads=threads, needs_data=datasets is None)
    run["freed"] += freed
    if datasets is None and not own:
        fail("datasets", "nothing differs from fit to fit", "give datasets, or init_pars, bounds or fixed for every fit")
    rows = None if datasets is None else _dataset_rows(bound, datasets)
    arguments = {"starts": "init_pars", "low": "bounds", "high": "bounds", "fixed": "fixed"}
    lengths = {arguments[name]: len(values) for name, values in own.items()} | ({} if rows is None else {"datasets": len(rows)})
    if len(set(lengths.values())) > 1:
        fail("fit_batch", f"numbers of fits differ: {', '.join(f'{name} {n}' for name, n in lengths.items())}",
             "give one row for every fit in each of them")
    fields = {"parameter_names": bound.parameter_names, "poi_index": bound.poi_index}
    if own:
        parts = [rows] + [own.get(name) for name in ("starts", "low", "high", "fixed")]
        return ask(BatchFitResult, bound, _core.fit_rows, run, progress, "fits", next(iter(lengths.values())), *parts,
                   more_fields=fields)
    return ask(BatchFitResult, bound, _core.fit_batch, run, progress, "fits", rows, more_fields=fields)


def _own_of_each_fit(model: Model, init: Any, fixed: Any, bounds: Any) -> tuple[dict[str, Array], list[str]]:
    """What is given as one row for each fit, by the engine's names; and the parameters of the model's fixed ones that are freed."""
    own = {}
    freed = []
    if (starts := _one_for_each_fit(model, "init_pars", init)) is not None:
        own["starts"] = starts
    held = _one_for_each_fit(model, "fixed", fixed)
    if held is None and starts is not None and fixed is not None and not isinstance(fixed, Mapping):
        names = {name for name, _ in fixed_pairs(model, fixed, [])}  # held where each fit starts
        held = np.where([name in names for name in model.parameter_names], starts, np.nan)
        freed = freed_names(model, fixed)
    elif held is not None and np.asarray(fixed).dtype == np.bool_:  # masks: held where each fit starts, the others are free
        mask = held != 0
        held = np.where(mask, _common_start(model, init) if starts is None else starts, np.nan)
        freed = [name for name, is_fixed, rows in zip(model.parameter_names, model.suggested_fixed, mask.T)
                 if is_fixed and not rows.all()]
    elif held is not None and not np.isnan(held).any():
        fail("fixed", "every parameter is held in every fit", "write NaN where a parameter is free, or give masks of True and False")
    if held is not None:
        own["fixed"] = held
    if (pairs := _one_for_each_fit(model, "bounds", bounds, 2)) is not None:
        own |= {"low": np.ascontiguousarray(pairs[..., 0]), "high": np.ascontiguousarray(pairs[..., 1])}
    return own, freed


def _common_start(model: Model, init: Values | None) -> Array:
    """The start that all fits share, with the values that are given for it."""
    start = model.suggested_init
    for name, value in init_pairs(model, init):
        start[[p.name == name or p.set == name for p in model.parameters]] = value
    return start


def _one_for_each_fit(model: Model, what: str, values: Any, *pair: int) -> Array | None:
    """[fit, parameter], or [fit, parameter, 2]; None where one row is for all fits."""
    if hasattr(values, "__array__") and not isinstance(values, np.ndarray):
        values = np.asarray(values)
    if not isinstance(values, (Sequence, np.ndarray)) or isinstance(values, str):
        return None
    dimensions = values.ndim if isinstance(values, np.ndarray) else np.ndim(np.asarray(values, dtype=object))
    if dimensions != 2 + len(pair):
        return None
    try:
        rows = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        fail(what, f"not an array of numbers: {error}", "give an array with one row for every fit")
    if rows.shape[1:] != (model.n_params, *pair) or len(rows) == 0:
        fail(what, f"the array has shape {rows.shape}", f"give {model.n_params} parameters for every fit")
    return rows


def _dataset_rows(bound: Model, datasets: npt.ArrayLike) -> Array:
    try:
        rows = np.ascontiguousarray(datasets, dtype=np.float64)
    except (TypeError, ValueError) as error:
        fail("datasets", f"not an array of numbers: {error}", "give an array [dataset, datum]")
    if rows.ndim != 2 or rows.shape[1] not in (bound.n_bins, len(bound.observed_data)):
        fail("datasets", f"the array has shape {rows.shape}",
             f"give rows of {bound.n_bins} main bins, or of {len(bound.observed_data)} with auxiliary data")
    if rows.shape[1] == bound.n_bins:
        rows = np.hstack([rows, np.broadcast_to(bound.auxdata, (len(rows), len(bound.auxdata)))])
    return np.ascontiguousarray(rows)


def fit_toys(model: ModelLike, params: npt.ArrayLike | None = None, *, n_toys: int = 1000, seed: int = 42,
             mu: float | None = None, keep: Sequence[str] | None = None, collect: bool = True, fixed_aux: bool = False,
             init_pars: Values | None = None, fixed: Fixed | None = None, bounds: Bounds | None = None,
             data: npt.ArrayLike | None = None, out: str | os.PathLike[str] | None = None, resume: bool = False,
             shard: tuple[int, int] = (1, 1), batch: int = 0, starts: int | str = "auto", device: str = "auto",
             backend: str | None = None, fallback: bool = False, device_memory: int = 0, threads: int | None = None, progress: Progress = None) -> ToysResult:
    """Draws toys at params (default: the best fit, or the fit with the parameter of interest at mu) and fits them.

    Toy i depends only on the model, params, seed and i. keep: parameters to keep for every toy, default all. out: a folder
    to store the toys in; resume=True continues a run that was stopped, and shard=(i, n) computes part i of n.
    device_memory: the most memory to use on a GPU, in bytes; 0 = all that is free there.
    """
    return _toys(model, params, None, n_toys=n_toys, seed=seed, mu=mu, keep=keep, collect=collect, fixed_aux=fixed_aux,
                 init_pars=init_pars, fixed=fixed, bounds=bounds, data=data, out=out, resume=resume, shard=shard, batch=batch,
                 starts=starts, device=device, backend=backend, fallback=fallback, device_memory=device_memory, threads=threads,
                 progress=progress)


def fit_toys_from_data(model: ModelLike, expected: npt.ArrayLike, *, init: npt.ArrayLike | None = None,
                       bounds: Bounds | None = None, n_toys: int = 1000, seed: int = 42, starts: int | str = "auto",
                       device: str = "auto", fixed_aux: bool = False, keep: Sequence[str] | None = None, threads: int | None = None,
                       progress: Progress = None) -> ToysResult:
    """Draws toys around given data (main bins, or main bins and auxiliary data) and fits them, starting at init."""
    bound = as_model(model)
    start = bound.suggested_init if init is None else init
    return _toys(bound, start, bound.full_data(expected), n_toys=n_toys, seed=seed, mu=None, keep=keep, collect=True,
                 fixed_aux=fixed_aux, bounds=bounds, starts=starts, device=device, threads=threads, progress=progress)


def _toys(model: ModelLike, params: npt.ArrayLike | None, expected: Array | None, *, n_toys: int, seed: int,
          mu: float | None, keep: Sequence[str] | None, collect: bool, fixed_aux: bool, progress: Progress,
          out: str | os.PathLike[str] | None = None, resume: bool = False, shard: tuple[int, int] = (1, 1), batch: int = 0,
          **options: Any) -> ToysResult:
    bound = as_model(model)
    if params is not None and mu is not None:
        fail("mu", "both params and mu are given", "give only one of them")
    run = run_options(bound, needs_data=params is None, **options)
    settings = toy_settings(n_toys, seed, fixed_aux, batch) | toy_place(out, resume, shard)
    kept = bound.parameter_names if keep is None else names("keep", keep)
    if out is not None and keep is None:
        kept = []  # files store only what is named, as on the command line
    return ask(ToysResult, bound, _core.toys, run, progress, "toys", settings,
               None if mu is None else real("mu", mu), params, expected, kept, flag("collect", collect))


def toy_settings(n_toys: int, seed: int, fixed_aux: bool = False, batch: int = 0) -> dict[str, Any]:
    """The settings of toys, as the engine takes them."""
    return {"n_toys": whole("n_toys", n_toys, 1), "seed": whole("seed", seed, 0), "fixed_aux": flag("fixed_aux", fixed_aux),
            "batch": whole("batch", batch, 0)}


def toy_place(out: str | os.PathLike[str] | None, resume: bool, shard: tuple[int, int]) -> dict[str, Any]:
    """Where toys are stored, and which shard is computed."""
    number, count = part(shard)
    return {"folder": folder(out, resume), "resume": flag("resume", resume), "shard": number, "shards": count}


def asimov_data(model: ModelLike, params: npt.ArrayLike | None = None) -> Array:
    """Asimov data: expected main and auxiliary data at params (default: the suggested start values)."""
    bound = as_model(model)
    values: Array = _core.asimov_data(bound, bound.suggested_init if params is None else params)
    return values


def poisson_toys(model: ModelLike, params: npt.ArrayLike | None = None, *, n_toys: int = 1000, seed: int = 42,
                 fixed_aux: bool = False, threads: int | None = None) -> Array:
    """Toy data, [toy, datum], drawn at params (default: the suggested start values): the same as fit_toys fits at these params."""
    bound = as_model(model)
    if n_toys > MOST_NUMBERS // max(1, len(bound.observed_data)):
        fail("n_toys", f"{n_toys} toys of {len(bound.observed_data)} data do not fit in memory", "draw fewer at a time",
             "limit_exceeded")
    values: Array = _core.toy_data(bound, asimov_data(bound, params), toy_settings(n_toys, seed, fixed_aux),
                                   threads_of(threads))
    return values
