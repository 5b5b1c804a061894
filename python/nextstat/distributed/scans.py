"""Mass scans and rankings on a cluster: points and entries are computed independently and put in order here."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import _core, questions
from ..errors import Interrupted
from ..model import Model, ModelLike, as_model
from ..progress import Progress
from ..results import MassScanResult, RankingResult
from ..run import ask, run_options
from ..workspace import WorkspaceLike, document_text
from .cluster import Answer, Compute, checked, gather, kind_of, mixed_devices, parts_of


def _scan_patches(shared: tuple[str, str, dict[str, Any]], shard: tuple[int, int]) -> tuple[str, MassScanResult]:
    """On the worker: the points of one shard of a patchset."""
    background, patchset, options = shared
    result = questions.mass_scan(background, patchset, shard=shard, progress=False, **options)
    return kind_of(result.device), result


def _scan_models(options: dict[str, Any], models: Mapping[str, Model]) -> tuple[str, MassScanResult]:
    """On the worker: the points of some models."""
    result = questions.mass_scan(models=models, progress=False, **options)
    return kind_of(result.device), result


def _joined(found: dict[int, MassScanResult], parts: int, begun: float, interrupted: bool) -> MassScanResult:
    """Part i has the points i, i + parts, ...: puts them back in order."""
    ordered = [found[i] for i in sorted(found)]
    with_numbers = [part for part in ordered if any(not point.errors for point in part.points)] or ordered
    for part in with_numbers:
        if kind_of(part.device) != kind_of(with_numbers[0].device):
            mixed_devices(with_numbers[0].device, part.device)
    longest = max(len(part.points) for part in ordered)
    points = tuple(found[i].points[row] for row in range(longest) for i in range(parts)
                   if i in found and row < len(found[i].points))
    return replace(with_numbers[0], points=points, wall_time_s=time.perf_counter() - begun, interrupted=interrupted,
                   converged=not interrupted and all(part.converged for part in ordered),
                   n_fits=sum(part.n_fits for part in ordered), n_iter=sum(part.n_iter for part in ordered))


_Jobs = tuple[Compute, Any, Sequence[Any]]  # what to compute, what all jobs share, the jobs


def _patchset_jobs(client: Any, background: WorkspaceLike, patchset: Any, shards: int | None,
                   settings: dict[str, Any]) -> _Jobs:
    texts = document_text(background), document_text(patchset, "patchset")
    # A shard beyond the last point: wrong input raises before anything is sent.
    questions.mass_scan(*texts, shard=(10**9, 10**9), progress=False, **settings)
    parts = parts_of(client, shards, len(json.loads(texts[1])["patches"]))
    return _scan_patches, (*texts, settings), [(i + 1, parts) for i in range(parts)]


def _model_jobs(client: Any, models: Mapping[str, ModelLike], shards: int | None, settings: dict[str, Any]) -> _Jobs:
    bound = [(label, as_model(model)) for label, model in models.items()]
    parts = parts_of(client, shards, len(bound))
    return _scan_models, settings, [dict(bound[i::parts]) for i in range(parts)]


def mass_scan(client: Any, background: WorkspaceLike | None = None, patchset: Any = None, *,
              models: Mapping[str, ModelLike] | None = None, workspaces_dir: str | Path | None = None,
              shards: int | None = None, retries: int = 3, threads: int = 1, progress: Progress = None,
              **options: Any) -> MassScanResult:
    """nextstat.mass_scan() on a cluster: the same limits in the same order.

    shards: number of parts, default several per thread of the cluster. threads: threads per part. retries: how often to
    retry a part that failed on a worker. Ctrl-C raises nextstat.Interrupted with the finished points in .result.
    """
    client, begun = checked(client), time.perf_counter()
    settings = options | {"threads": threads}
    if background is not None and patchset is not None and models is None and workspaces_dir is None:
        compute, shared, jobs = _patchset_jobs(client, background, patchset, shards, settings)
    else:
        found_models = questions.models_to_scan(models, workspaces_dir, background)
        compute, shared, jobs = _model_jobs(client, found_models, shards, settings)
    found: dict[int, MassScanResult] = {}

    def use(number: int, answer: Answer) -> None:
        found[number] = answer.value

    try:
        gather(client, compute, shared, jobs, use=use, retries=retries, progress=progress, label="mass scan")
    except KeyboardInterrupt:
        if not found:
            raise
        raise Interrupted(_joined(found, len(jobs), begun, True)) from None
    return _joined(found, len(jobs), begun, False)


def _rank(model: Model, job: tuple[dict[str, Any], dict[str, Any]]) -> tuple[str, list[tuple[Any, ...]]]:
    """On the worker: the impacts of some parameters."""
    settings, options = job
    model._digest()
    answer = _core.ranking(model, run_options(model, **options), **settings)
    return kind_of(answer["device"]), answer["impacts"]


def ranking(client: Any, model: ModelLike, *, impact: str = "postfit", groups: Mapping[str, Sequence[str]] | None = None,
            top: int | None = None, shards: int | None = None, retries: int = 3, threads: int = 1,
            progress: Progress = None, **options: Any) -> RankingResult:
    """nextstat.ranking() on a cluster: the same entries and groups.

    The client and every part do the best fit; each part then does the fits for its parameters. shards, threads, retries and
    Ctrl-C as in mass_scan(); other options as in nextstat.ranking().
    """
    client, bound = checked(client), as_model(model)
    names = [name for i, name in enumerate(bound.parameter_names) if i != bound.poi_index]
    parts = parts_of(client, shards, len(names), per_thread=2)
    settings = questions.ranking_settings(impact, groups)
    sent = options | {"threads": threads}
    jobs = [(settings | {"parameters": names[i::parts]}, sent) for i in range(parts)]
    known: list[tuple[Any, ...]] = []
    finished: list[str] = []
    devices: set[str] = set()

    def use(number: int, answer: Answer) -> None:
        known.extend(answer.value)
        finished.extend(names[number::parts])
        devices.add(answer.device)

    def joined(only: list[str]) -> RankingResult:
        asked = settings | {"top": top or 0, "parameters": only, "known": known}
        result = ask(RankingResult, bound, _core.ranking, run_options(bound, **options), False, "ranking", **asked)
        for device in devices - {kind_of(result.device)}:
            mixed_devices(result.device, device)
        return result

    try:
        gather(client, _rank, bound, jobs, use=use, retries=retries, progress=progress, label="ranking")
    except KeyboardInterrupt:
        if not finished:
            raise
        raise Interrupted(replace(joined(finished), interrupted=True, converged=False)) from None
    return joined([])
