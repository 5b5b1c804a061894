"""Toys on a cluster: each task computes one shard of the run in a folder of its worker, and the client writes the files.

The resulting folder has the same bytes as a run in one process, whatever the number of shards and workers.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from .. import checks, fits, questions
from ..errors import Interrupted, fail
from ..model import Model, ModelLike, as_model
from ..progress import Progress
from ..results import ToysResult
from ..toy_files import toys_status
from .cluster import Answer, checked, gather, kind_of, parts_of

_NO_BLOCKS = (10_000_001, 10_000_001)  # a shard beyond the last block: makes and checks the folder, computes nothing


class _Job(NamedTuple):
    ask: Callable[..., Any]
    options: dict[str, Any]
    shard: tuple[int, int]


def _fit(model: Model, **options: Any) -> Any:
    return fits.fit_toys(model, options.pop("params"), **options)


def _hypotest(model: Model, **options: Any) -> Any:
    return questions.hypotest_toys(options.pop("poi_test"), model, return_result=True, **options)


def _shard(model: Model, job: _Job) -> tuple[str, list[tuple[str, bytes]]]:
    """On the worker: the files of one shard. Uses the worker's own folder, which Dask removes if the worker is killed."""
    import distributed

    with tempfile.TemporaryDirectory(prefix="nextstat-toys-", dir=distributed.get_worker().local_directory) as place:
        folder = Path(place) / "run"
        result = job.ask(model, **job.options, out=str(folder), shard=job.shard, collect=False, progress=False)
        files = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
        return kind_of(result.device), [(path.name, path.read_bytes()) for path in files]


def _write(folder: Path, files: Sequence[tuple[str, bytes]]) -> None:
    """Writes each file under a hidden name, syncs it to disk and renames it: a file with its final name is complete."""
    for name, content in files:
        if name == "run.json":
            continue  # made here before the work started
        hidden = folder / f".{name}.{os.getpid()}.part"
        with open(hidden, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        hidden.replace(folder / name)


def _run(client: Any, ask: Callable[..., Any], model: Model, options: dict[str, Any], folder: str, *, resume: bool,
         collect: bool, shards: int | None, retries: int, threads: int, progress: Progress) -> Any:
    """Computes all shards missing in the folder; returns the result as the ordinary function reads it from there."""
    begun = ask(model, **options, out=folder, resume=resume, shard=_NO_BLOCKS, collect=False, progress=False)
    parts = parts_of(client, shards, toys_status(folder)["blocks"])
    status = toys_status(folder, shards=parts)["shards"]
    missing = [i + 1 for i, shard in enumerate(status) if shard["blocks_done"] < shard["blocks"]]
    # The device that this run started with, so that all shards are computed on one type of device.
    sent = options | {"device": kind_of(begun.device), "backend": None, "threads": threads}
    jobs = [_Job(ask, sent, (i, parts)) for i in missing]

    def use(_number: int, answer: Answer) -> None:
        _write(Path(folder), answer.value)

    try:
        gather(client, _shard, model, jobs, use=use, retries=retries, progress=progress, label="toys")
    except KeyboardInterrupt:
        kept = _read(ask, model, options, folder, collect)
        raise Interrupted(replace(kept, interrupted=True)) from None
    result = _read(ask, model, options, folder, collect)
    if not result.complete:
        fail(folder, "blocks of toys that the workers sent are missing",
             "check with nextstat.toys_status(), and call again with resume=True")
    return result


def _read(ask: Callable[..., Any], model: Model, options: dict[str, Any], folder: str, collect: bool) -> Any:
    """The content of the folder, as the ordinary function returns it; computes no toys."""
    result = ask(model, **options, out=folder, resume=True, shard=_NO_BLOCKS, collect=collect, progress=False)
    return replace(result, shard="1/1")


def _in_folder(client: Any, ask: Callable[..., Any], model: Model, options: dict[str, Any],
               out: str | os.PathLike[str] | None, resume: bool, **more: Any) -> Any:
    if "shard" in options:
        fail("shard", "the cluster computes all shards", "give shards= for the number of shards, or leave it out")
    if checks.folder(out, resume):
        return _run(client, ask, model, options, checks.folder(out), resume=resume, **more)
    with tempfile.TemporaryDirectory(prefix="nextstat-toys-") as place:
        try:
            kept = _run(client, ask, model, options, os.path.join(place, "run"), resume=False, **more)
        except Interrupted as interrupted:
            raise Interrupted(_without_folder(interrupted.result)) from None
        return _without_folder(kept)


def _without_folder(result: Any) -> Any:
    return replace(result, folder=None, shard=None)


def fit_toys(client: Any, model: ModelLike, params: npt.ArrayLike | None = None, *, n_toys: int = 1000, seed: int = 42,
             mu: float | None = None, keep: Sequence[str] | None = None, collect: bool = True,
             out: str | os.PathLike[str] | None = None, resume: bool = False, shards: int | None = None,
             retries: int = 3, threads: int = 1, progress: Progress = None, **options: Any) -> ToysResult:
    """nextstat.fit_toys() on a cluster: the same result, and the same bytes in the folder `out`.

    shards: number of parts, default several per thread of the cluster. threads: threads per part. retries: how often to
    retry a part that failed on a worker (nextstat's errors are raised at once). Ctrl-C keeps the finished parts; with `out`,
    resume=True continues the run. Other options as in nextstat.fit_toys().
    """
    bound = as_model(model)
    if keep is None and out is None:
        keep = bound.parameter_names
    asked = options | {"params": params, "n_toys": n_toys, "seed": seed, "mu": mu, "keep": keep}
    result: ToysResult = _in_folder(checked(client), _fit, bound, asked, out, resume, collect=collect, shards=shards,
                                    retries=retries, threads=threads, progress=progress)
    return result


def hypotest_toys(client: Any, poi_test: float, model: ModelLike, *, n_toys: int = 1000, seed: int = 42,
                  test_stat: str = "qtilde", expected_set: bool = False, collect: bool = True,
                  return_tail_probs: bool = False, return_expected: bool = False, return_expected_set: bool = False,
                  return_result: bool = False, out: str | os.PathLike[str] | None = None, resume: bool = False,
                  shards: int | None = None, retries: int = 3, threads: int = 1, progress: Progress = None, **options: Any) -> Any:
    """nextstat.hypotest_toys() on a cluster: the same result, and the same bytes in the folder `out`.

    Cluster arguments as in fit_toys(), others as in nextstat.hypotest_toys().
    """
    wanted = expected_set or return_expected or return_expected_set
    asked = options | {"poi_test": poi_test, "n_toys": n_toys, "seed": seed, "test_stat": test_stat, "expected_set": wanted}
    result = _in_folder(checked(client), _hypotest, as_model(model), asked, out, resume, collect=collect, shards=shards,
                        retries=retries, threads=threads, progress=progress)
    return questions.in_pyhf_shape(result, return_tail_probs, return_expected, return_expected_set, return_result)
