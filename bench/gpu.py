#!/usr/bin/env python3
"""Measures models on CUDA device 0 against bars for one H200: times from launch to the end of the work on the device, data there.

`scripts/gpu-check` prepares and calls it. Every row must converge, and rows are compared with the CPU's to the bit. Exit 1 if a
bar is missed or a row differs.
"""
import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from record import ROOT, data_folder, save, seconds
from workspaces import eight_parameters, many_gammas

BINARIES = ROOT / "build/release/bin"
# Seconds on one H200: rows of toys, then batched NLLs, one fit, a scan of 21 points, the fits of a ranking.
BARS = {
    "thu": {"toys": {1000: 3e-3, 10000: 16e-3, 100000: 150e-3}, "nll_1000": 0.3e-3, "fit": 0.7e-3, "scan_21": 1.5e-3,
            "ranking": 4e-3},
    "tttt": {"toys": {1000: 4.5e-3, 10000: 22e-3, 100000: 200e-3}},
    "201 parameters": {"toys": {20000: 15e-3}},
    "8 parameters": {"toys": {1000: 0.6e-3}},
}
HYPOTEST_BAR = 3.0  # 100,000 + 100,000 toys of thu, the whole program


def workspaces():
    folder = ROOT / "build/bench"
    folder.mkdir(parents=True, exist_ok=True)
    paths = {"thu": data_folder() / "thu.json", "tttt": data_folder() / "tttt.json"}
    for name, make in (("201 parameters", many_gammas), ("8 parameters", eight_parameters)):
        paths[name] = folder / (name.replace(" ", "-") + ".json")
        paths[name].write_text(json.dumps(make()), encoding="utf-8")
    return paths


def measure(binary, path, rows, rounds, profile):
    command = [str(binary), str(path), "--rounds", str(rounds), "--rows", *map(str, rows)]
    done = subprocess.run(command + ([] if profile else ["--no-profile"]), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"gpu: {done.stderr.strip()}")
    return json.loads(done.stdout)


class Report:
    """Lines of a table; whether all bars were met."""

    def __init__(self, with_bars=True):
        self.met, self.with_bars = True, with_bars

    def line(self, name, figure, bar, rows=None, faults=0):
        bar = bar if self.with_bars else None
        median = figure["device_s"]["median"]
        good = (bar is None or median <= bar) and faults == 0
        self.met = self.met and good
        what = f"{name}, {rows:,} rows" if rows else name
        limit = "" if bar is None else f"  at most {seconds(bar)}"
        wrong = f"  {faults} ROWS WRONG" if faults else ""
        print(f"{'ok  ' if good else 'MISS'}  {what:38s} {seconds(median):>9s}  call {seconds(figure['call_s']['median']):>9s}"
              f"{limit}{wrong}", flush=True)


def report_model(report, name, result, bars):
    print(f"{name} on {result['device']}, ready after {seconds(result['start_s'])}")
    report.line("NLL", result["nll_1000"], bars.get("nll_1000"), 1000, 0 if result["nll_1000"]["same_bits_as_cpu"] else 1000)
    for toys in result["toys"]:
        faults = toys["rows"] - toys["converged"] + toys["rows_that_differ"]
        report.line("toys fitted", toys, bars["toys"].get(toys["rows"]), toys["rows"], faults)
    for key in ("fit", "scan_21", "ranking"):
        if key in result:
            row = result[key]
            report.line(key, row, bars.get(key), row["rows"], row["rows"] - row["converged"] + row["rows_that_differ"])


def hypotest(report, path, toys, *options):
    begin = time.perf_counter()
    done = subprocess.run([str(BINARIES / "nextstat"), "hypotest-toys", str(path), "--n-toys", str(toys), "--seed", "7",
                           "--mu", "0.1", "--expected-set", "--format", "json", *options], capture_output=True, text=True, check=False)
    passed = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"gpu: hypotest-toys: {done.stderr.strip()}")
    return json.loads(done.stdout), passed


def whole_program(report, path):
    """hypotest-toys from the command line: time, and the CPU's answer to the last digit, with plenty and with little memory."""
    answers = {}
    for name, options in (("cpu", ["--device", "cpu"]), ("cuda", ["--gpu", "cuda"]),
                          ("cuda, 200 MB", ["--gpu", "cuda", "--device-memory", "200"])):
        answer, _ = hypotest(report, path, 2000, *options)
        answers[name] = {key: answer[key] for key in ("cls", "clsb", "clb", "q_obs", "expected_set")}
    same = len({json.dumps(answer) for answer in answers.values()}) == 1
    times = {}
    for name, options in (("free", []), ("200 MB", ["--device-memory", "200"])):
        times[name] = min(hypotest(report, path, 100000, "--gpu", "cuda", *options)[1] for _ in range(3))
        good = times[name] <= HYPOTEST_BAR or not report.with_bars
        report.met = report.met and good
        print(f"{'ok  ' if good else 'MISS'}  hypotest-toys, 100,000 + 100,000, memory {name}: "
              f"{seconds(times[name])}  at most {seconds(HYPOTEST_BAR)}")
    report.met = report.met and same
    print(f"{'ok  ' if same else 'MISS'}  hypotest-toys, 2,000 + 2,000: the CPU's answer to the last digit")
    return {"answers_2000": answers, "same_as_cpu": same, "seconds_100000": times}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", help="file for the figures, as bench/results/gpu-h200.json")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--no-bars", action="store_true", help="only measure: the bars are those of an H200")
    options = parser.parse_args()
    report, results = Report(not options.no_bars), {}
    paths = workspaces()
    for name, bars in BARS.items():
        results[name] = measure(BINARIES / "gpu_bench", paths[name], bars["toys"], options.rounds, name in ("thu", "tttt"))
        report_model(report, name, results[name], bars)
    results["hypotest_toys"] = whole_program(report, paths["thu"])
    if options.save:
        save(options.save, {"device": results["thu"]["device"], "bars": {k: {**v, "toys": {str(n): s for n, s in v["toys"].items()}}
                                                                          for k, v in BARS.items()}, "models": results})
        print(f"saved {Path(options.save)}")
    return 0 if report.met else 1


if __name__ == "__main__":
    sys.exit(main())
