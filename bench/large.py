#!/usr/bin/env python3
"""Fits a generated model of 5,101 parameters with uncertainties, each time in a fresh process: time and peak memory.

50 channels x 200 bins, 10 samples, each with 100 normsys and 50 histosys of its own in every channel, staterror in 18 of the
channels, and mu. The model is made in memory by build/release/bin/large_model. Exit 1 if a bar is missed.
"""
import argparse
import json
import subprocess
import sys

from record import ROOT, save, spread

PROGRAM = ROOT / "build/release/bin/large_model"
SECONDS_BAR = 30.0
BYTES_BAR = 6e9


def fit_in_fresh_process(*options):
    """What large_model tells of one run with these options."""
    done = subprocess.run([PROGRAM, *map(str, options)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"bench: large_model failed ({done.returncode}): {done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--save", metavar="FILE", help="write machine, commit, command and all runs as JSON")
    arguments = parser.parse_args()
    runs = [fit_in_fresh_process("--threads", arguments.threads) for _ in range(arguments.repeats)]
    seconds = spread([run["fit_s"][0] for run in runs])
    peak = max(run["peak_bytes"] for run in runs)
    met = seconds["median"] < SECONDS_BAR and peak < BYTES_BAR
    print(f"{runs[0]['parameters']} parameters, {runs[0]['bins']} bins, {arguments.threads} threads: fit with uncertainties in "
          f"{seconds['median']:.2f} s [{seconds['min']:.2f} {seconds['max']:.2f}] (bar {SECONDS_BAR:.0f} s) after "
          f"{runs[0]['iterations']} iterations, load {runs[0]['load_s']:.2f} s, peak memory {peak / 1e9:.2f} GB "
          f"(bar {BYTES_BAR / 1e9:.0f} GB)  {'pass' if met else 'MISSED'}")
    if arguments.save:
        save(arguments.save, {"fit_s": seconds, "peak_bytes": peak, "seconds_bar": SECONDS_BAR, "bytes_bar": BYTES_BAR,
                              "met": met, "runs": runs})
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
