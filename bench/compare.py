#!/usr/bin/env python3
"""Measures the likelihood of nextstat against pyhf 0.7.6 and the published NextStat 0.10.1 in one run.

`scripts/bench` prepares and calls it; fits are compared by bench/compare_fits.py.
Every call is at a new random point, on one thread, timed inside the engine's own warm process. The engines take turns in
rounds; a ratio is formed within a round, so that a slow moment of the machine meets all of them. Printed are medians over
the rounds with the smallest and largest round in brackets. Exit 1 if a bar is missed.
"""
import argparse
import statistics
import sys

from engines import LABELS, ROOT, Engine
from make_large_workspace import write_workspace
from record import data_folder, save, seconds, spread

# Calls per round, so that each engine's turn takes about a tenth of a second.
CALLS = {
    "ours": {"nll": 4000, "grad": 4000, "batch": 10},
    "peer": {"nll": 1000, "grad": 100},
    "pyhf": {"nll": 60},
}
LOADS = {"ours": 5, "peer": 5, "pyhf": 1}
PYHF_LOAD_ROUNDS = 3  # a load takes it about a second

WHAT = {
    "nll": "NLL",
    "grad": "NLL + gradient",
    "batch": "row of a batch of 1000, NLL + gradient",
    "load": "file to ready model",
}

# (our quantity, other engine, its quantity, bar, workspaces)
BARS = [
    ("nll", "peer", "nll", 8, ("thu", "tttt")),
    ("nll", "pyhf", "nll", 100, ("thu", "tttt")),
    ("grad", "peer", "nll", 4, ("thu", "tttt")),
    ("batch", "peer", "nll", 10, ("thu", "tttt")),
    ("load", "peer", "load", 2, ("thu", "tttt")),
    ("load", "pyhf", "load", 200, ("thu",)),
]
LARGE_MEGABYTES = 100
LARGE_SPEED_BAR = 100.0  # MB/s, at least
LARGE_MEMORY_BAR = 6.0  # peak memory / file size, below


def one_round(engines, path, with_pyhf_load):
    """{engine: {quantity: median seconds}} of one turn of every engine."""
    medians = {}
    for name, engine in engines.items():
        measured = {}
        if name != "pyhf" or with_pyhf_load:
            measured["load"] = statistics.median(engine.ask(f"load {path}") for _ in range(LOADS[name]))
        for quantity, calls in CALLS[name].items():
            measured[quantity] = statistics.median(engine.ask(f"{quantity} {calls}"))
        medians[name] = measured
    return medians


def check_same_function(engines):
    """The engines must agree on the NLL before their speeds may be compared."""
    values = {name: engine.ask("value") for name, engine in engines.items()}
    for name, value in values.items():
        if abs(value - values["pyhf"]) > 1e-8 * abs(values["pyhf"]):
            raise SystemExit(f"compare: {LABELS[name]} has NLL {value!r} where pyhf has {values['pyhf']!r}")
    return values


def measure_workspace(path, rounds):
    engines = {name: Engine(name) for name in CALLS}
    try:
        about = {name: engine.ask("about") for name, engine in engines.items()}
        one_round(engines, path, with_pyhf_load=True)  # warm-up, not counted
        values = check_same_function(engines)
        measured = [one_round(engines, path, index < PYHF_LOAD_ROUNDS) for index in range(rounds)]
    finally:
        for engine in engines.values():
            engine.stop()
    return {"about": about, "nll_at_initial_point": values, "rounds": measured}


def measure_large(repeats):
    """Loads of the generated workspace, each in a fresh process: megabytes per second, and peak memory / file size."""
    path = ROOT / "build/bench/large.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_workspace(path, int(1e6 * LARGE_MEGABYTES), seed=1)
    size = path.stat().st_size
    speeds, memories = [], []
    for _ in range(repeats):
        with Engine("ours") as engine:
            speeds.append(size / 1e6 / engine.ask(f"load {path}"))
        memories.append(engine.peak_bytes / size)
    return {"bytes": size, "megabytes_per_second": speeds, "peak_memory_over_size": memories}


def series(rounds, engine, quantity):
    return [measured[engine][quantity] for measured in rounds if quantity in measured[engine]]


def judge_workspace(name, rounds):
    """One line of the table per bar that concerns this workspace."""
    lines = []
    for quantity, other, other_quantity, bar, workspaces in BARS:
        if name not in workspaces:
            continue
        pairs = zip(series(rounds, "ours", quantity), series(rounds, other, other_quantity))
        ratio = spread([theirs / mine for mine, theirs in pairs])
        lines.append({
            "workspace": name, "what": WHAT[quantity], "against": f"{LABELS[other]} {WHAT[other_quantity]}",
            "ours_s": spread(series(rounds, "ours", quantity)), "theirs_s": spread(series(rounds, other, other_quantity)),
            "ratio": ratio, "bar": bar, "met": ratio["median"] >= bar,
        })
    return lines


def print_ratios(lines):
    form = "{:<5} {:<39} {:>9} {:>9}  {:<36} {:>6} {:<16} {:>4}  {}"
    print(form.format("", "ours", "", "theirs", "", "ratio", "[min max]", "bar", ""))
    for line in lines:
        ratio = line["ratio"]
        print(form.format(
            line["workspace"], line["what"], seconds(line["ours_s"]["median"]), seconds(line["theirs_s"]["median"]),
            line["against"], f"{ratio['median']:.3g}", f"[{ratio['min']:.3g} {ratio['max']:.3g}]", line["bar"],
            "pass" if line["met"] else "MISSED"))


def judge_large(large):
    speed, memory = spread(large["megabytes_per_second"]), spread(large["peak_memory_over_size"])
    large["met"] = speed["median"] >= LARGE_SPEED_BAR and memory["max"] < LARGE_MEMORY_BAR
    print(f"\ngenerated workspace of {large['bytes'] / 1e6:.0f} MB: {speed['median']:.0f} MB/s "
          f"[{speed['min']:.0f} {speed['max']:.0f}] from file to ready model (bar {LARGE_SPEED_BAR:.0f}), "
          f"peak memory {memory['max']:.2f} x file (bar {LARGE_MEMORY_BAR:.0f})  {'pass' if large['met'] else 'MISSED'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--save", metavar="FILE", help="write machine, commit, versions, command and all rounds as JSON")
    arguments = parser.parse_args()
    data = data_folder()
    names = ("thu", "tttt")

    measured = {name: measure_workspace(data / f"{name}.json", arguments.rounds) for name in names}
    lines = [line for name in names for line in judge_workspace(name, measured[name]["rounds"])]
    print_ratios(lines)
    large = measure_large(repeats=3)
    judge_large(large)
    if arguments.save:
        save(arguments.save, {"ratios": lines, "large": large, "workspaces": measured})
    return 0 if large["met"] and all(line["met"] for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
