"""Parts of a computation on the workers of a Dask cluster: sent, gathered in any order, canceled, retried.

    gather(client, compute, model, jobs, use=lambda number, answer: ..., retries=3, progress=None, label="toys")

calls compute(model, job) for every job on some worker, and use(number, answer) here for each answer as it arrives.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from .. import _core
from ..errors import Error, fail
from ..progress import Progress, reporter

PARTS_PER_THREAD = 16  # small parts: a lost worker costs little


class Answer(NamedTuple):
    """What a worker sends back."""

    version: str
    device: str
    value: Any


Compute = Callable[[Any, Any], tuple[str, Any]]  # (what all jobs share, job) -> (device, value)


def checked(client: Any) -> Any:
    """The client, after a check that it is one; dask.distributed is imported only here."""
    try:
        import distributed
    except ImportError:
        raise ImportError("nextstat.distributed needs Dask, which is not installed: pip install distributed") from None
    if not isinstance(client, distributed.Client):
        fail("client", f"{type(client).__name__} is not a Dask client", "give distributed.Client(...)")
    if client.asynchronous:
        fail("client", "the client is asynchronous", "give a client made without asynchronous=True")
    return client


def threads_of(client: Any) -> int:
    """Threads of all current workers; 4 for a cluster without workers yet."""
    return sum(client.nthreads().values()) or 4


def parts_of(client: Any, shards: int | None, most: int, per_thread: int = PARTS_PER_THREAD) -> int:
    """The number of parts: as requested, or several per thread; never more than `most`."""
    if shards is None:
        return max(1, min(most, per_thread * threads_of(client)))
    if isinstance(shards, bool) or not isinstance(shards, int) or shards < 1:
        fail("shards", f"{shards!r} is not a number of shards", "give a whole number of at least 1, or None")
    return max(1, min(most, shards))


def _compute(compute: Compute, shared: Any, job: Any) -> Answer | Error:
    """On the worker. nextstat's errors are returned as values: a retry would not help."""
    try:
        return Answer(_core.version(), *compute(shared, job))
    except Error as error:
        return error


def gather(client: Any, compute: Compute, shared: Any, jobs: Sequence[Any], *, use: Callable[[int, Answer], None],
           retries: int, progress: Progress, label: str) -> None:
    """Calls compute(shared, job) for every job on the cluster, and use(number, answer) here in order of completion."""
    import distributed

    name = f"nextstat-{label.replace(' ', '-')}-{uuid.uuid4().hex}"
    # A task, not scattered data: it can be computed again if the worker that holds it is lost.
    common = client.submit(pickle.loads, pickle.dumps(shared), key=f"{name}-shared", retries=retries)
    sent: dict[str, tuple[int, Any, str]] = {}  # {key: (number, future, worker)} of unfinished jobs
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
    """Workers that should get a job, once per free slot; a thread has two slots. "": any worker that joins later.

    Only a preference: by default the scheduler gives most jobs to the worker that got the model first.
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
        fail(f"part {number + 1} of {parts}", f"its workers died repeatedly: {killed}",
             "give the workers more memory, split the work into more shards, or raise distributed.scheduler.allowed-failures",
             "device_unavailable")
    except ModuleNotFoundError as missing:
        fail("workers", f"they cannot import a required module: {missing}", "install nextstat in the workers' environment",
             "device_unavailable")
    if isinstance(answer, Error):
        raise answer
    if answer.version != _core.version():
        fail("workers", f"they have nextstat {answer.version}, the client has {_core.version()}",
             "install the same version everywhere", "device_unavailable")
    return answer


def mixed_devices(here: str, there: str) -> NoReturn:
    """Raises: numbers from different devices must not be mixed in one result."""
    fail("device", f'some work was done on "{there}" and some on "{here}"', 'name one device for all, for example device="cpu"',
         "device_unavailable")


def kind_of(device: str) -> str:
    """"cuda" for "cuda:1": which of a worker's devices it was does not matter."""
    return device.split(":")[0]
