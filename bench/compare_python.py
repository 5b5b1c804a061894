#!/usr/bin/env python3
"""Measures what a call from Python costs over the same call from C++: 1,000 toys, 1,000 evaluations in a batch, one NLL.

`scripts/bench python` prepares and calls it. The C++ side is bench/compare_probe.cpp in a process of its own; both sides take
turns, a ratio or difference is formed within a pair, and medians are printed, with the smallest and the largest in brackets.
Exit 1 if a bar is missed.
"""
import argparse
import statistics
import sys
import time

import numpy as np

import nextstat
from engines import Engine
from record import data_folder, save, seconds, spread

TOYS_BAR = 1.05  # Python over C++, 1,000 toys
BATCH_BAR = 1.05  # the same, 1,000 points with gradient
CALL_BAR = 1.5e-6  # seconds that one nll(p) takes longer
CALLS = 2000
PAIRS = 15


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def random_points(model, count, generator):
    """As bench_model.h draws them."""
    start = model.suggested_init
    width = np.where(start == 0, 1.0, 0.1)
    return np.clip(start + width * generator.standard_normal((count, start.size)), *model.suggested_bounds.T)


def toys_pair(engine, model):
    ours = timed(lambda: nextstat.fit_toys(model, model.suggested_init, n_toys=1000, seed=42, threads=1, progress=False))
    return ours, engine.ask("toys 1000 1")["seconds"]


def batch_pair(engine, model, generator):
    points = random_points(model, 1000, generator)
    model.grad_nll(points[:3])
    return timed(lambda: model.grad_nll(points)) / 1000, engine.ask("batch 1")[0]


def call_pair(engine, model, generator):
    points = list(random_points(model, CALLS, generator))
    nll = model.nll
    times = []
    for point in points:
        start = time.perf_counter_ns()
        nll(point)
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) * 1e-9, statistics.median(engine.ask(f"nll {CALLS}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"pairs of each measurement (default {PAIRS})")
    arguments = parser.parse_args()
    path = data_folder() / "thu.json"
    generator = np.random.default_rng(1)
    nextstat.set_threads(1)
    model = nextstat.Model.from_workspace(path)
    with Engine("ours") as engine:
        engine.ask(f"load {path}")
        toys = [toys_pair(engine, model) for _ in range(arguments.pairs)]
        batches = [batch_pair(engine, model, generator) for _ in range(arguments.pairs)]
        calls = [call_pair(engine, model, generator) for _ in range(arguments.pairs)]
    results = {
        "workspace": "thu", "pairs": arguments.pairs, "python": sys.version.split()[0],
        "toys_1000": {"python_s": spread([a for a, _ in toys]), "cpp_s": spread([b for _, b in toys]),
                      "ratio": spread([a / b for a, b in toys]), "bar": TOYS_BAR},
        "gradients_1000": {"python_s": spread([a for a, _ in batches]), "cpp_s": spread([b for _, b in batches]),
                           "ratio": spread([a / b for a, b in batches]), "bar": BATCH_BAR},
        "nll_call": {"python_s": spread([a for a, _ in calls]), "cpp_s": spread([b for _, b in calls]),
                     "difference_s": spread([a - b for a, b in calls]), "bar_s": CALL_BAR},
    }
    met = True
    for name in ("toys_1000", "gradients_1000"):
        ratio = results[name]["ratio"]
        met = met and ratio["median"] <= results[name]["bar"]
        print(f"{name}: Python {seconds(results[name]['python_s']['median'])}, C++ "
              f"{seconds(results[name]['cpp_s']['median'])}, ratio {ratio['median']:.3f} "
              f"[{ratio['min']:.3f}, {ratio['max']:.3f}], bar {results[name]['bar']}")
    call = results["nll_call"]
    met = met and call["difference_s"]["median"] <= CALL_BAR
    print(f"nll_call: Python {seconds(call['python_s']['median'])}, C++ {seconds(call['cpp_s']['median'])}, difference "
          f"{1e6 * call['difference_s']['median']:.2f} us, bar {1e6 * CALL_BAR} us")
    if arguments.save:
        save(arguments.save, results)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
