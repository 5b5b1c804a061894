#!/usr/bin/env python3
"""Measures time and memory of fits with very many parameters, with and without uncertainties, through the program.

Three families of generated models: shapefactors (30 for each bin, almost all of them flat), gammas (a staterror in every bin, 100
alphas) and alphas (200 bins, each variation in a fifth of them). Each fit is a process of its own on one thread.
"""
import argparse
import json
import mmap
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from record import ROOT, save, seconds

PROGRAM = os.environ.get("NEXTSTAT_BIN", str(ROOT / "build/release/bin/nextstat"))
MU = {"name": "mu", "type": "normfactor", "data": None}
LONGEST_S = 60.0  # a family ends where the next size would take longer


def counts(rng, rates):
    return [float(max(0, round(rng.gauss(rate, rate**0.5)))) for rate in rates]


def shapefactors(rng, parameters):
    bins = parameters // 30
    samples = [{"name": "signal", "data": [10.0] * bins, "modifiers": [MU]}]
    for k in range(30):
        samples.append({"name": f"b{k}", "data": [50.0] * bins,
                        "modifiers": [{"name": f"sf{k}", "type": "shapefactor", "data": None}]})
    yield samples, counts(rng, [1500.0] * bins)


def gammas(rng, parameters, bins=100):
    for channel in range(max(1, (parameters - 100) // bins)):
        rates = [rng.uniform(50, 70) for _ in range(bins)]
        modifiers = [{"name": f"stat{channel}", "type": "staterror", "data": [0.05 * rate for rate in rates]}]
        for k in sorted({(channel * 7 + 13 * step) % 100 for step in range(10)}):
            modifiers.append({"name": f"a{k}", "type": "normsys",
                              "data": {"lo": rng.uniform(0.96, 0.98), "hi": rng.uniform(1.02, 1.04)}})
        signal = [rng.uniform(0, 5) for _ in range(bins)]
        yield [{"name": "b", "data": rates, "modifiers": modifiers}, {"name": "s", "data": signal, "modifiers": [MU]}], counts(rng, rates)


def alphas(rng, parameters, channels=10, bins=20):
    for channel in range(channels):
        rates = [rng.uniform(200, 220) for _ in range(bins)]
        modifiers = [{"name": f"a{k}", "type": "histosys",
                      "data": {"lo_data": [rate * (1 - rng.uniform(0, 0.01)) for rate in rates],
                               "hi_data": [rate * (1 + rng.uniform(0, 0.01)) for rate in rates]}}
                     for k in range(parameters) if k % channels in (channel, (channel + 3) % channels)]
        signal = [rng.uniform(0, 5) for _ in range(bins)]
        yield [{"name": "b", "data": rates, "modifiers": modifiers}, {"name": "s", "data": signal, "modifiers": [MU]}], counts(rng, rates)


FAMILIES = {
    "shapefactors": ("shapefactors, 30 for each bin", shapefactors),
    "gammas": ("gammas, one for each bin, and 100 alphas", gammas),
    "alphas": ("alphas, 200 bins", alphas),
}
SIZES = (1000, 2000, 4000, 8000, 16000, 32000, 50000)


def workspace(family, parameters):
    channels, observations = [], []
    for number, (samples, observed) in enumerate(FAMILIES[family][1](random.Random(parameters), parameters)):
        channels.append({"name": f"c{number}", "samples": samples})
        observations.append({"name": f"c{number}", "data": observed})
    return {"version": "1.0.0", "channels": channels, "observations": observations,
            "measurements": [{"name": "m", "config": {"poi": "mu", "parameters": []}}]}


def fit(path, *options):
    """{fit_s, peak_bytes, converged} of one process, or {refused}."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([PROGRAM, "fit", str(path), "--threads", "1", "--starts", "1", "--format", "json", *options], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode == 2:
            return {"refused": json.loads(err.read())["errors"][0]["what"]}
        # A child's peak memory begins with what its parent has: this process stays small and reads no matrices.
        with mmap.mmap(out.fileno(), 0, access=mmap.ACCESS_READ) as text:
            time = float(re.search(rb'"wall_time_s": ?([-+.0-9e]+)', text).group(1))
            converged = re.search(rb'"converged": ?true', text) is not None
    return {"fit_s": time, "peak_bytes": usage.ru_maxrss * 1024, "converged": converged}


def measure(path, *options):
    """The quickest of up to three processes."""
    runs = [fit(path, *options)]
    while len(runs) < 3 and runs[0].get("fit_s", 100) < 5:
        runs.append(fit(path, *options))
    return min(runs, key=lambda run: run.get("fit_s", 0.0))


def measure_family(family, sizes):
    points, last = [], {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "workspace.json"
            subprocess.run([sys.executable, __file__, "--write", family, str(size), str(path)], check=True)
            point = {"size": size}
            for kind, options in (("without", ["--no-uncertainty"]), ("with", [])):
                if kind in last and last[kind] * 8 > LONGEST_S:
                    continue
                point[kind] = measure(path, *options)
                if "fit_s" in point[kind]:
                    last[kind] = point[kind]["fit_s"]
            points.append(point)
            print(family, size, {kind: (seconds(run["fit_s"]) if "fit_s" in run else run["refused"])
                                 for kind, run in point.items() if kind != "size"}, flush=True)
    return {"title": FAMILIES[family][0], "points": points}


def steps_above(families, most=8.0):
    """Steps whose time grows by more than `most` for a doubling: [(family, kind, size, ratio)]. Times below 10 ms are noise."""
    found = []
    for name, family in families.items():
        for kind in ("without", "with"):
            known = [(point["size"], point[kind]["fit_s"]) for point in family["points"] if "fit_s" in point.get(kind, {})]
            for (small, before), (large, after) in zip(known, known[1:]):
                ratio = (after / max(before, 0.01)) ** (1 / ((large / small - 1) if large < 2 * small else 1))
                if ratio > most:
                    found.append((name, kind, large, ratio))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--write", nargs=3, metavar=("FAMILY", "SIZE", "FILE"), help="write one of the models and end")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    arguments = parser.parse_args()
    if arguments.write:
        family, size, path = arguments.write
        Path(path).write_text(json.dumps(workspace(family, int(size))), encoding="utf-8")
        return
    families = {family: measure_family(family, arguments.sizes) for family in arguments.families}
    if arguments.save:
        save(arguments.save, {"families": families})
    for name, kind, size, ratio in steps_above(families):
        print(f"{name} {kind} uncertainties: {ratio:.1f} times longer at {size} parameters than at half of them")
    sys.exit(1 if steps_above(families) else 0)


if __name__ == "__main__":
    main()
