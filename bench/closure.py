#!/usr/bin/env python3
"""Statistics of 10,000 toys: pulls, coverage, test statistics against their asymptotic laws, CLs, injected signals.

`scripts/bench statistics` builds and calls it. What is asked of the numbers stands in tests/closure; a test asks the same. The
numbers depend on the seed alone, not on the machine. Exit 1 where something is not met. --save writes
bench/results/statistics.json; bench/tables.py then writes docs/statistics.md and its figures.
"""
import argparse
import json
import math
import subprocess
import sys

from record import ROOT
from svg_plot import COLORS, Linear, Logarithmic, Series, plot

RESULTS = ROOT / "bench/results/statistics.json"
BLUE, ORANGE = COLORS[:2]


def bars(histogram, title):
    """Toys in the bins as points with errors; empty bins have none."""
    width = (histogram["high"] - histogram["low"]) / len(histogram["toys"])
    filled = [(histogram["low"] + (number + 0.5) * width, count) for number, count in enumerate(histogram["toys"]) if count]
    return Series(title, filled, [math.sqrt(count) for _, count in filled], "points")


def law(histogram, title, least=0.0, style="line"):
    width = (histogram["high"] - histogram["low"]) / len(histogram["expected"])
    places = [(histogram["low"] + (number + 0.5) * width, value) for number, value in enumerate(histogram["expected"])]
    return Series(title, [(x, value) for x, value in places if value > least], style=style)


def pulls_figure(record):
    return plot([bars(record["pulls"], "toys"), law(record["pulls"], "normal, width 1")], Linear(-4, 4, 1), Linear(0, 1000, 200),
                "pull of mu", "toys in 0.2")


def q0_figure(record):
    return plot([bars(record["q0"], "toys of background"), law(record["q0"], "half of a chi-square", 0.1)], Linear(0, 15, 5),
                Logarithmic(0.1, 1e4), "q0", "toys in 0.5", legend_at=0.55)


def qtilde_figure(record):
    signal, background = record["qtilde_signal"], record["qtilde_background"]
    series = [bars(signal, "toys of signal"), law(signal, "asymptotic", 0.1),
              bars(background, "toys of background"), law(background, "asymptotic", 0.1)]
    return plot(series, Linear(0, 15, 5), Logarithmic(0.1, 1e4), "qtilde at mu = 1", "toys in 0.5", legend_at=0.55,
                colors=(BLUE, BLUE, ORANGE, ORANGE))


def cls_figure(record):
    def points(name, key):
        return [(each["mu"], each[key]) for each in record[name]]

    def toys(name, title):
        return Series(title, points(name, "toys"), [each["error"] for each in record[name]], "points")

    series = [toys("cls", "many events: toys"), Series("many events: asymptotic", points("cls", "asymptotic"), style="line"),
              toys("few_cls", "few events: toys"), Series("few events: exact", points("few_cls", "exact"), style="line"),
              Series("few events: asymptotic", points("few_cls", "asymptotic"), style="dashed")]
    return plot(series, Linear(0, 2.5, 0.5), Logarithmic(1e-3, 1), "mu", "CLs", legend_at=0.6,
                colors=(BLUE, BLUE, ORANGE, ORANGE, ORANGE))


def injection_figure(record):
    injections = record["injections"]
    truths = [each["mu_true"] for each in injections]
    series = [Series("mean of the toys", [(each["mu_true"], each["mean"] - each["mu_true"]) for each in injections],
                     [each["error"] for each in injections], "points"),
              Series("slope off by +1%", [(mu, 0.01 * mu) for mu in truths], style="dashed"),
              Series("slope off by -1%", [(mu, -0.01 * mu) for mu in truths], style="dashed")]
    return plot(series, Linear(0, 4, 1), Linear(-0.04, 0.06, 0.02), "mu of the truth", "mean of mu_hat - mu of the truth",
                colors=(BLUE, ORANGE, ORANGE))


FIGURES = {"pulls": pulls_figure, "q0": q0_figure, "qtilde": qtilde_figure, "cls": cls_figure, "injection": injection_figure}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.relative_to(ROOT)}")
    parser.add_argument("--toys", type=int, default=10000, help="of every question and hypothesis (default 10000)")
    parser.add_argument("--seed", type=int, default=42)
    arguments = parser.parse_args()
    words = [str(ROOT / "build/release/bin/closure"), "--toys", str(arguments.toys), "--seed", str(arguments.seed)]
    record = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    for check in record["checks"]:
        error = f" +- {check['error']:.4f}" if check["error"] else ""
        print(f"{check['group']}, {check['what']}: {check['value']:.4f}{error}{'' if check['met'] else '  NOT MET'}")
    if arguments.save:
        RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0 if all(check["met"] for check in record["checks"]) and record["failed"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
