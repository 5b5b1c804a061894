"""Parts of a question on the workers of a Dask cluster: sent, gathered in any order, cancelled, retried.

    gather(client, compute, model, jobs, use=lambda number, answer: ..., retries=3, progress=None, label="toys")

calls compute(model, job) for every job on some worker, and use(number, answer) here for each as it comes in.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from .. import _core
from ..errors import Error, fail
from ..progress import Progress, reporter

PARTS_PER_THREAD = 16  # a lost worker costs at most this fraction of what one thread has to do


class Answer(NamedTuple):
    """What a worker sends back."""

    version: str
    device: str
    value: Any


Compute = Callable[[Any, Any], tuple[str, Any]]  # (what all jobs share, job) -> (device, value)


def checked(client: Any) -> Any:
    """The client, if it is one; dask.distributed is imported here and not before."""
    try:
        import distributed
    except ImportError:
        raise ImportError("nextstat.distributed needs Dask, which is not installed: pip install distributed") from None
    if not isinstance(client, distributed.Client):
        fail("client", f"{type(client).__name__} is not a client of a Dask cluster", "give distributed.Client(...)")
    if client.asynchronous:
        fail("client", "the client is an asynchronous one", "give a client made without asynchronous=True")
    return client


def threads_of(client: Any) -> int:
    """Threads of all workers that are there now; a cluster that is still to grow counts as four."""
    return sum(client.nthreads().values()) or 4


def parts_of(client: Any, shards: int | None, most: int, per_thread: int = PARTS_PER_THREAD) -> int:
    """In how many parts to cut: as asked for, or several for each thread; never more than there are pieces."""
    if shards is None:
        return max(1, min(most, per_thread * threads_of(client)))
    if isinstance(shards, bool) or not isinstance(shards, int) or shards < 1:
        fail("shards", f"{shards!r} is not a number of shards", "give a whole number from 1, or None")
    return max(1, min(most, shards))


def _compute(compute: Compute, shared: Any, job: Any) -> Answer | Error:
    """On the worker. Errors of ours come back as values: to compute again would not help."""
    try:
        return Answer(_core.version(), *compute(shared, job))
    except Error as error:
        return error


def gather(client: Any, compute: Compute, shared: Any, jobs: Sequence[Any], *, use: Callable[[int, Answer], None],
           retries: int, progress: Progress, label: str) -> None:
    """compute(shared, job) for every job on the cluster; use(number, answer) here, in the order of completion."""
    import distributed

    name = f"nextstat-{label.replace(' ', '-')}-{uuid.uuid4().hex}"
    # A task, not scattered data: it can be made again when the worker that holds it is lost.
    common = client.submit(pickle.loads, pickle.dumps(shared), key=f"{name}-shared", retries=retries)
    sent: dict[str, tuple[int, Any, str]] = {}  # {key: (number, future, worker)} of what is on its way
    completed: Any = distributed.as_completed()  # type: ignore[no-untyped-call, unused-ignore]
    rest = iter(enumerate(jobs))

    def send() -> None:
        for worker, (number, job) in zip(_free_workers(client, [worker for _, _, worker in sent.values()]), rest):
            future = client.submit(_compute, compute, common, job, key=f"{name}-{number}", retries=retries,
                                   workers=[worker] if worker else None, allow_other_workers=bool(worker))
            sent[future.key] = number, future, worker
            completed.add(future)

    try:
        with reporter(progress, label) as report:
            send()
            for done, future in enumerate(completed, 1):
                number = sent.pop(future.key)[0]
                send()
                use(number, _answer(future, number, len(jobs)))
                if report is not None:
                    report(done, len(jobs))
    finally:
        if sent:
            client.cancel([future for _, future, _ in sent.values()])


def _free_workers(client: Any, busy: Sequence[str]) -> list[str]:
    """Workers that should get a job, as often as they have room for one: two for each thread. "": any that may come.

    A wish, not an order: left to itself the scheduler gives most jobs to the worker that was the first to have the model.
    """
    threads: dict[str, int] = client.nthreads()
    if not threads:
        return [""] * (2 * threads_of(client) - len(busy))
    return [worker for worker, number in threads.items() for _ in range(2 * number - busy.count(worker))]


def _answer(future: Any, number: int, parts: int) -> Answer:
    from distributed import KilledWorker

    try:
        answer: Answer | Error = future.result()
    except KilledWorker as killed:
        fail(f"part {number + 1} of {parts}", f"its workers died again and again: {killed}",
             "give the workers more memory, cut the work into more shards, or raise distributed.scheduler.allowed-failures",
             "device_unavailable")
    except ModuleNotFoundError as missing:
        fail("workers", f"they cannot import what the work needs: {missing}", "install nextstat in the workers' environment",
             "device_unavailable")
    if isinstance(answer, Error):
        raise answer
    if answer.version != _core.version():
        fail("workers", f"nextstat {answer.version} is there, {_core.version()} here", "install the same version everywhere",
             "device_unavailable")
    return answer


def mixed_devices(here: str, there: str) -> NoReturn:
    """Numbers of different devices do not belong into one result."""
    fail("device", f'some work was done on "{there}" and some on "{here}"', 'name the device for all, for example device="cpu"',
         "device_unavailable")


def kind_of(device: str) -> str:
    """"cuda" of "cuda:1": which of a worker's devices it was does not matter."""
    return device.split(":")[0]
