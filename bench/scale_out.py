#!/usr/bin/env python3
"""How toys scale from one worker process to two: the same run on a local Dask cluster, about a minute of work for one.

    bench/scale_out.py                        the figures, as a table
    bench/scale_out.py --save bench/results/scale-out.json

Needs the package and dask (pip install ".[distributed]"). Each worker has one thread. The best of --repeats runs counts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

import distributed
import nextstat

ROOT = Path(__file__).resolve().parents[1]


def seconds_of(workers: int, model: nextstat.Model, toys: int) -> float:
    """The time of one run on a fresh cluster that is ready when the clock starts."""
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0",
                                  silence_logs=50) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(workers)
        nextstat.distributed.fit_toys(client, model, n_toys=100, collect=False)  # imports, first calls
        begun = time.perf_counter()
        result = nextstat.distributed.fit_toys(client, model, n_toys=toys, seed=1, collect=False, keep=[])
        took = time.perf_counter() - begun
        assert result.complete
        return took


def toys_for(model: nextstat.Model, seconds: float) -> int:
    """How many toys take one thread about so long. What a run does once, whatever its toys, is not counted."""
    few, many = 1000, 11000
    times = []
    for toys in (few, many):
        begun = time.perf_counter()
        nextstat.fit_toys(model, n_toys=toys, seed=1, collect=False, threads=1)
        times.append(time.perf_counter() - begun)
    return int((many - few) * seconds / (times[1] - times[0]))


def measured(workspace: Path, seconds: float, repeats: int) -> dict[str, object]:
    model = nextstat.Model.from_workspace(workspace)
    toys = toys_for(model, seconds)
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeats):
        for workers in times:
            times[workers].append(seconds_of(workers, model, toys))
    one, two = min(times[1]), min(times[2])
    return {"workspace": workspace.name, "n_toys": toys, "seconds_one_worker": one, "seconds_two_workers": two,
            "speedup": one / two, "repeats": repeats, "cores": os.cpu_count(), "processor": platform.processor(),
            "python": platform.python_version(), "distributed": distributed.__version__,
            "nextstat_version": nextstat.__version__}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workspace", type=Path, default=ROOT / "examples/search.json")
    parser.add_argument("--seconds", type=float, default=60, help="work for one worker (60)")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--save", type=Path, help="also write the JSON here")
    options = parser.parse_args()
    figures = measured(options.workspace, options.seconds, options.repeats)
    text = json.dumps(figures, indent=2)
    if options.save:
        options.save.write_text(text + "\n")
    if options.json:
        print(text)
    else:
        print(f"{figures['n_toys']} toys of {figures['workspace']}: one worker {figures['seconds_one_worker']:.1f} s, two "
              f"{figures['seconds_two_workers']:.1f} s, {figures['speedup']:.2f} times as fast")
    return 0


if __name__ == "__main__":
    sys.exit(main())
