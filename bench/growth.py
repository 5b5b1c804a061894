#!/usr/bin/env python3
"""Measures how the time of a fit with uncertainties grows with the number of parameters and of bins.

Three families of generated models, each changing one thing: alphas (normsys and histosys that many bins share), gammas (a
staterror in more and more channels), bins. Each size runs in a fresh process on one thread; the median of its fits is kept.
Writes bench/results/growth-cpu.json and the figure docs/growth.svg where asked.
"""
import argparse
import math
import statistics
import sys

from large import fit_in_fresh_process
from record import save, seconds
from svg_plot import Series, log_log_plot

LONG_S = 1.0  # fits that take longer are measured 3 times instead of 9


def sizes(family, largest):
    """[options of large_model] from small to large."""
    steps = [step for step in (1, 2, 4, 8, 16, 32) if step <= largest]
    if family == "alphas":
        return [{"channels": 10, "bins": 20, "samples": 10, "normsys": 4 * k, "histosys": 2 * k, "staterror-channels": 0}
                for k in steps]
    if family == "gammas":
        return [{"channels": 2 * k, "bins": 50, "samples": 5, "normsys": 4, "histosys": 4, "staterror-channels": 2 * k}
                for k in steps]
    return [{"channels": 10, "bins": 10 * k, "samples": 5, "normsys": 10, "histosys": 10, "staterror-channels": 0}
            for k in steps]


FAMILIES = {
    "alphas": ("parameters", "alphas, 200 bins"),
    "gammas": ("parameters", "gammas, one for each bin"),
    "bins": ("bins", "bins, 101 parameters"),
}


def measure(options):
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    first = fit_in_fresh_process(*words, "--threads", 1, "--repeats", 2)
    repeats = 3 if first["fit_s"][1] > LONG_S else 9
    run = fit_in_fresh_process(*words, "--threads", 1, "--repeats", repeats + 1)
    times = run["fit_s"][1:]  # the first warms up
    return {"options": options, "parameters": run["parameters"], "bins": run["bins"], "fit_s": statistics.median(times),
            "fastest_s": min(times), "slowest_s": max(times), "iterations": run["iterations"], "peak_bytes": run["peak_bytes"]}


def exponent(points, key):
    """p of time ~ size^p between the two largest sizes."""
    small, large = points[-2:]
    return math.log(large["fit_s"] / small["fit_s"]) / math.log(large[key] / small[key])


def measure_family(family, largest):
    key, title = FAMILIES[family]
    points = []
    for options in sizes(family, largest):
        points.append(measure(options))
        print(f"{family:<7} {points[-1]['parameters']:>6} parameters {points[-1]['bins']:>6} bins  "
              f"{seconds(points[-1]['fit_s']):>9}  {points[-1]['iterations']:>3} iterations  "
              f"{points[-1]['peak_bytes'] / 1e6:>6.0f} MB", flush=True)
    return {"title": title, "against": key, "points": points, "exponent": exponent(points, key)}


def figure(families):
    series = [Series(each["title"], [(point[each["against"]], point["fit_s"]) for point in each["points"]])
              for each in families.values()]
    return log_log_plot(series, x_title="parameters (or bins)", y_title="fit with uncertainties, s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=32, help="largest step of each family: 2, 4, 8, 16 or 32 (default 32)")
    parser.add_argument("--save", metavar="FILE", help="write machine, commit, command and all sizes as JSON")
    parser.add_argument("--plot", metavar="FILE", help="write the figure, SVG")
    arguments = parser.parse_args()
    if arguments.largest < 2:
        parser.error("--largest: growth needs two sizes")
    families = {name: measure_family(name, arguments.largest) for name in FAMILIES}
    for name, family in families.items():
        print(f"{name}: time ~ {family['against']}^{family['exponent']:.2f} at the largest sizes")
    if arguments.save:
        save(arguments.save, {"families": families})
    if arguments.plot:
        with open(arguments.plot, "w", encoding="utf-8", newline="\n") as out:
            out.write(figure(families))
    return 0


if __name__ == "__main__":
    sys.exit(main())
