"""Inference: scans, intervals, rankings, hypothesis tests, limits, significance, goodness of fit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _core
from .checks import flag, name_or_none, names, one_of_the_names, part, real, row_of_numbers, whole
from .errors import fail
from .fits import toy_place, toy_settings
from .model import InSession, Model, ModelLike, as_model
from .progress import Progress
from .results import (FeldmanCousinsResult, GoodnessOfFitResult, GoodnessOfFitToysResult, HypotestResult,
                      HypotestToysResult, IntervalResult, MassScanResult, RankingResult, ScanResult, SignificanceResult,
                      SignificanceToysResult, UpperLimitResult, UpperLimitToysResult)
from .run import ask, fixed_pairs, init_pairs, run_options, starts_of, threads_of
from .workspace import WorkspaceLike, document_text


@overload
def profile_scan(model: ModelLike, mu_values: npt.ArrayLike, *, parameter: str | None = ..., parameter2: str | None = ...,
                 values2: npt.ArrayLike | None = ..., progress: Progress = ..., return_params: Literal[False] = ...,
                 **options: Any) -> ScanResult: ...
@overload
def profile_scan(model: ModelLike, mu_values: npt.ArrayLike, *, parameter: str | None = ..., parameter2: str | None = ...,
                 values2: npt.ArrayLike | None = ..., progress: Progress = ..., return_params: Literal[True],
                 **options: Any) -> tuple[ScanResult, npt.NDArray[np.float64]]: ...
def profile_scan(model: ModelLike, mu_values: npt.ArrayLike, *, parameter: str | None = None,
                 parameter2: str | None = None, values2: npt.ArrayLike | None = None, progress: Progress = None,
                 return_params: bool = False, **options: Any) -> ScanResult | tuple[ScanResult, npt.NDArray[np.float64]]:
    """The profile likelihood at values of the parameter of interest, of another parameter, or on a grid of two.

    return_params=True returns (result, array), with the fitted parameters of every point in array[point, parameter]. Other
    options as in fit(): data, init_pars, fixed, bounds, starts, device, threads.
    """
    bound = as_model(model)
    if values2 is not None and parameter2 is None:
        fail("parameter2", "values2 is given, but no parameter2", "name the second parameter")
    if parameter2 is not None and values2 is None:
        fail("values2", "parameter2 is given, but no values2", "give the values of the second parameter")
    result = ask(ScanResult, bound, _core.scan, run_options(bound, **options), progress, "scan",
                 name_or_none("parameter", parameter), row_of_numbers("mu_values", mu_values),
                 name_or_none("parameter2", parameter2), None if values2 is None else row_of_numbers("values2", values2))
    return (result, _fitted_at(bound, result, options)) if return_params else result


def _fitted_at(model: Model, result: ScanResult, options: Mapping[str, Any]) -> npt.NDArray[np.float64]:
    from .fits import fit

    rows = []
    for point in result.points:
        held = {result.parameter: point.mu}
        if result.parameter2 is not None:
            held[result.parameter2] = point.mu2
        more = {key: value for key, value in options.items() if key != "fixed"}
        init = init_pairs(model, options.get("init_pars"))
        fixed = dict(fixed_pairs(model, options.get("fixed"), init)) | held
        rows.append(fit(model, fixed=fixed, uncertainties=False, progress=False, **more).bestfit)
    return np.array(rows)


def profile_ci(model: ModelLike, *, parameter: str | None = None, confidence_level: float = 0.6827,
               progress: Progress = None, **options: Any) -> IntervalResult:
    """The profile likelihood interval of a parameter (default: the parameter of interest)."""
    bound = as_model(model)
    return ask(IntervalResult, bound, _core.interval, run_options(bound, **options), progress, "interval",
               name_or_none("parameter", parameter), real("confidence_level", confidence_level))


def ranking(model: ModelLike, *, impact: str = "postfit", groups: Mapping[str, Sequence[str]] | None = None,
            top: int | None = None, parameters: Sequence[str] | None = None, progress: Progress = None,
            **options: Any) -> RankingResult:
    """The impact of each nuisance parameter on the parameter of interest.

    impact: sort by "postfit" or "prefit" impact. groups: {name: [parameters, sets or patterns with *]}, to compute the
    combined impact of each group. parameters: rank only these parameters or sets.
    """
    bound = as_model(model)
    return ask(RankingResult, bound, _core.ranking, run_options(bound, **options), progress, "ranking",
               **ranking_settings(impact, groups, top, parameters))


def ranking_settings(impact: str, groups: Mapping[str, Sequence[str]] | None, top: int | None = None,
                     parameters: Sequence[str] | None = None) -> dict[str, Any]:
    """The settings of a ranking, as the engine takes them."""
    if groups is not None and not isinstance(groups, Mapping):
        fail("groups", f"{type(groups).__name__} is not a dictionary", "give {name: [parameters, sets or patterns]}")
    rows = [(name, names(f"group {name}", members)) for name, members in (groups or {}).items()]
    settings = {"impact": one_of_the_names("impact", impact), "groups": rows, "top": whole("top", top or 0, 0)}
    if parameters is None:
        return settings
    chosen = names("parameters", parameters)
    if not chosen:
        fail("parameters", "the list is empty", "name parameters to rank, or leave it out to rank all")
    return settings | {"parameters": chosen}


def in_pyhf_shape(result: HypotestResult, tail_probs: bool, expected: bool, expected_set: bool, whole: bool) -> Any:
    """pyhf's return value: CLs (p0 for "q0"), then tail probabilities, expected median and expected set, if requested."""
    if whole:
        return result
    discovery = result.test_stat == "q0"
    parts: list[Any] = [float(result.clsb if discovery else result.cls)]
    if tail_probs:
        parts.append([float(result.clb)] if discovery else [float(result.clsb), float(result.clb)])
    if (expected or expected_set) and result.expected_set is not None:
        band = [float(value) for value in (result.expected_set.clsb if discovery else result.expected_set.cls)]
        parts += [band[2]] * expected + [band] * expected_set
    return tuple(parts) if len(parts) > 1 else parts[0]


def hypotest(poi_test: float, model: ModelLike, *, data: npt.ArrayLike | None = None, test_stat: str = "qtilde",
             return_tail_probs: bool = False, return_expected: bool = False, return_expected_set: bool = False,
             return_result: bool = False, progress: Progress = None, **options: Any) -> Any:
    """CLs of a signal strength, from asymptotic formulas.

    Returns CLs; with pyhf's return_ flags, a tuple in pyhf's order; with return_result=True, the full record. For "q0" the
    first value is p0.
    """
    bound = as_model(model)
    result = ask(HypotestResult, bound, _core.hypotest, run_options(bound, data=data, **options), progress, "hypotest",
                 real("poi_test", poi_test), one_of_the_names("test_stat", test_stat), False)
    return in_pyhf_shape(result, return_tail_probs, return_expected, return_expected_set, return_result)


def hypotest_toys(poi_test: float, model: ModelLike, *, n_toys: int = 1000, seed: int = 42, data: npt.ArrayLike | None = None,
                  test_stat: str = "qtilde", expected_set: bool = False, fixed_aux: bool = False, collect: bool = True,
                  return_tail_probs: bool = False, return_expected: bool = False, return_expected_set: bool = False,
                  return_result: bool = False, out: str | os.PathLike[str] | None = None, resume: bool = False,
                  shard: tuple[int, int] = (1, 1), batch: int = 0, progress: Progress = None, **options: Any) -> Any:
    """CLs from toys. Return values as in hypotest(); the record has the test statistic of every toy.

    expected_set: the record also has the expected values, which need 8 bytes of memory per toy.
    """
    bound = as_model(model)
    settings = toy_settings(n_toys, seed, fixed_aux, batch) | toy_place(out, resume, shard)
    wanted = expected_set or return_expected or return_expected_set
    result = ask(HypotestToysResult, bound, _core.hypotest_toys, run_options(bound, data=data, **options), progress, "toys",
                 settings, real("poi_test", poi_test), one_of_the_names("test_stat", test_stat), wanted, collect)
    return in_pyhf_shape(result, return_tail_probs, return_expected, return_expected_set, return_result)


def upper_limit(model: ModelLike, *, confidence_level: float = 0.95, scan: npt.ArrayLike | None = None, rtol: float = 1e-4,
                test_stat: str = "qtilde", calctype: str = "asymptotics", n_toys: int = 1000, seed: int = 42,
                error: float = 0.02, max_toys: int = 200_000, progress: Progress = None,
                **options: Any) -> UpperLimitResult:
    """CLs upper limits: observed, and expected from -2 to +2 sigma.

    scan: compute CLs at these values only and interpolate linearly. calctype="toys": draw toys until the relative error
    `error` is reached.
    """
    bound = as_model(model)
    run = run_options(bound, **options)
    if scan is not None and np.size(scan) == 0:
        fail("scan", "no values given", "give values of the parameter of interest, or leave it out")
    test_stat = one_of_the_names("test_stat", test_stat)
    if not _from_toys(calctype):
        return ask(UpperLimitResult, bound, _core.upper_limit, run, progress, "limit", confidence_level, test_stat, rtol, scan)
    settings = toy_settings(n_toys, seed) | {"error": real("error", error), "max_toys": whole("max_toys", max_toys, 1)}
    return ask(UpperLimitToysResult, bound, _core.upper_limit_toys, run, progress, "toys", settings, confidence_level,
               test_stat, scan)


def _from_toys(calctype: Any) -> bool:
    """Whether toys answer a question; any other name than those of the engine raises."""
    return _core.uses_toys(one_of_the_names("calctype", calctype))


def significance(model: ModelLike, *, calctype: str = "asymptotics", n_toys: int = 1000, seed: int = 42,
                 progress: Progress = None, **options: Any) -> SignificanceResult:
    """Discovery significance: p0 and Z, observed and expected."""
    bound = as_model(model)
    run = run_options(bound, **options)
    if not _from_toys(calctype):
        return ask(SignificanceResult, bound, _core.significance, run, progress, "significance")
    return ask(SignificanceToysResult, bound, _core.significance_toys, run, progress, "toys", toy_settings(n_toys, seed))


def goodness_of_fit(model: ModelLike, *, toys: int = 0, seed: int = 42, progress: Progress = None,
                    **options: Any) -> GoodnessOfFitResult:
    """Goodness of fit: chi2 against the saturated model and its p-value; with `toys`, also the p-value from toys."""
    bound = as_model(model)
    run = run_options(bound, **options)
    if toys == 0:
        return ask(GoodnessOfFitResult, bound, _core.goodness_of_fit, run, progress, "goodness of fit")
    return ask(GoodnessOfFitToysResult, bound, _core.goodness_of_fit_toys, run, progress, "toys", toy_settings(toys, seed))


def feldman_cousins(model: ModelLike, *, parameter: str | None = None, confidence_level: float = 0.6827,
                    n_toys: int = 1000, seed: int = 42, values: npt.ArrayLike | None = None, progress: Progress = None,
                    **options: Any) -> FeldmanCousinsResult:
    """The Feldman-Cousins interval of a parameter, with toys at every value."""
    bound = as_model(model)
    return ask(FeldmanCousinsResult, bound, _core.feldman_cousins, run_options(bound, **options), progress, "toys",
               toy_settings(n_toys, seed), name_or_none("parameter", parameter), real("confidence_level", confidence_level),
               None if values is None else row_of_numbers("values", values))


def _model_to_scan(model: ModelLike, measurement: str | None) -> Model:
    if isinstance(model, InSession):
        fail("models", "a session answers for one model, and a mass scan opens its own", "give the models of the sessions")
    if isinstance(model, Model) or measurement is None:
        return as_model(model)
    return Model.from_workspace(model, measurement=measurement)


def mass_scan(background: WorkspaceLike | None = None, patchset: Any = None, *,
              models: Mapping[str, ModelLike] | None = None, workspaces_dir: str | Path | None = None,
              measurement: str | None = None, confidence_level: float = 0.95, test_stat: str = "qtilde", mu: float = 1.0,
              rtol: float = 1e-4, shard: tuple[int, int] = (1, 1), starts: int | str = "auto", threads: int | None = None,
              device: str = "auto", fallback: bool = False, progress: Progress = None) -> MassScanResult:
    """Limits for every patch of a patchset on a background, for models by label, or for every workspace in a folder.

    shard=(i, n): only every n-th point, starting with the i-th.
    """
    run: dict[str, Any] = {"threads": threads_of(threads), "device": name_or_none("device", device) or "auto",
                           "fallback": flag("fallback", fallback), "starts": starts_of(starts)}
    number, count = part(shard)
    numbers: dict[str, Any] = {"confidence_level": confidence_level, "test_stat": one_of_the_names("test_stat", test_stat),
                               "mu": real("mu", mu), "rtol": real("rtol", rtol)}
    if background is not None and patchset is not None and models is None and workspaces_dir is None:
        text = document_text(background)
        return ask(MassScanResult, None, _core.mass_scan_patchset, run, progress, "mass scan", text,
                   document_text(patchset, "patchset"), digest=_core.digest(text), measurement=name_or_none("measurement", measurement),
                   shard=number, shards=count, **numbers)
    if patchset is not None:
        fail("patchset", "it needs background, and excludes models and workspaces_dir",
             "give background and patchset, or models, or workspaces_dir")
    found = list(models_to_scan(models, workspaces_dir, background).items())[number - 1::count]
    bound = [_model_to_scan(model, measurement) for _, model in found]
    return ask(MassScanResult, None, _core.mass_scan_models, run, progress, "mass scan", [str(label) for label, _ in found], bound,
               [[] for _ in bound], **numbers)


def models_to_scan(models: Mapping[str, ModelLike] | None, workspaces_dir: str | Path | None,
                   background: WorkspaceLike | None) -> Mapping[str, ModelLike]:
    """{label: model} to scan, if there is no patchset."""
    if workspaces_dir is not None and models is None and background is None:
        if not Path(workspaces_dir).is_dir():
            fail("workspaces_dir", f"{workspaces_dir} is not a folder", "give a folder of workspaces", "not_found")
        models = {path.stem: path for path in sorted(Path(workspaces_dir).glob("*.json"))}
    if models is not None and not isinstance(models, Mapping):
        fail("models", f"{type(models).__name__} is not a dictionary", "give {label: model}")
    if not models or background is not None:
        fail("mass_scan", "nothing to scan", "give background and patchset, models={label: model}, or workspaces_dir")
    return models
