#!/usr/bin/env python3
"""Writes the measured numbers of README.md, docs/performance.md and docs/statistics.md from bench/results.

    bench/tables.py           rewrites what stands between "<!-- results: NAME -->" and "<!-- end -->"
    bench/tables.py --check   exit 1 where a page and the results disagree
"""
import argparse
import json
import re
import statistics
import sys

import closure
from growth import figure
from record import ROOT, seconds

PAGES = ("README.md", "docs/performance.md", "docs/several-minima.md", "docs/statistics.md")
SECTION = re.compile(r"(<!-- results: (\S+) -->\n).*?(<!-- end -->)", re.S)


def results(name):
    file = name if name.startswith("gpu") else f"{name}-cpu"
    path = closure.RESULTS if name == "statistics" else ROOT / f"bench/results/{file}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def table(head, rows):
    """Columns of numbers stand to the right, columns of words to the left."""
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, *rows]]
    numbers = [not re.search("[A-Za-z]{3}", cell) for cell in rows[0]]
    lines.insert(1, "|" + "|".join("--:" if number else "---" for number in numbers) + "|")
    return "\n".join(lines) + "\n"


def times(ratio):
    return f"{ratio['median']:,.0f}" if ratio["median"] >= 10 else f"{ratio['median']:.2g}"


def conditions(record):
    machine = record["machine"]
    return f"\n{machine['processor']}, {machine['cores']} cores, {machine['system']}; commit {record['commit'][:10]}.\n"


def fits(record):
    rows = []
    for line in record["comparisons"]:
        above, theirs = line["ours_above_theirs"], line["theirs"]
        rows.append([
            f"{line['question']}, {line['workspace']}", line["against"], seconds(line["ours_s"]["median"]),
            seconds(line["theirs_s"]["median"]), times(line["ratio"]),
            f"{line['ours']['iterations']} / {theirs.get('iterations', '-')}",
            f"{line['ours']['nll']:.8f}", "-" if above is None else f"{-above:.1e}"])
    head = ["", "against", "ours", "theirs", "ratio", "iterations", "NLL", "theirs is higher by"]
    mean = record["geometric_mean"]
    return table(head, rows) + (f"\nGeometric mean of the fits against NextStat 0.10.1: {mean['ratio']:,.0f}.\n" if mean else "") + \
        conditions(record)


def toys(record):
    rows = [[f"{line['question'].replace('_', '-')}, {line['workspace']}", seconds(line["ours_s_per_toy"]),
             seconds(line["theirs_s_per_toy"]), f"{line['ratio']:,.0f}"] for line in record["comparisons"]]
    lanes = [[line["workspace"], line["instruction_set"], seconds(min(line["times"][line["instruction_set"]])),
              seconds(min(line["times"]["scalar"])), f"{line['ratio']:.1f}"] for line in record["lanes"]]
    grown = [[line["workspace"], *(f"{seconds(line['s_per_toy'][count])}, {line['peak_bytes'][count] / 1e6:.0f} MB"
                                   for count in line["s_per_toy"])] for line in record["growth"]]
    counts = [f"{int(count):,} toys" for count in record["growth"][0]["s_per_toy"]]
    many = [[line["workspace"], seconds(line["seconds"]), f"{line['cls']:.5f} ± {line['cls_error']:.5f}",
             f"{line['peak_bytes'] / 1e6:.0f} MB"] for line in record["million"]]
    return "\n".join([
        table(["", "a toy, ours", "a toy, NextStat 0.10.1", "ratio"], rows),
        "Lanes against one number at a time, on one thread:\n",
        table(["", "instruction set", "a toy", "a toy, scalar", "ratio"], lanes),
        "More toys take more time and no more memory; time of a toy and peak memory of the process:\n",
        table(["", *counts], grown),
        "`hypotest-toys` with 1,000,000 + 1,000,000 toys:\n",
        table(["", "time", "CLs", "peak memory"], many)]) + conditions(record)


def likelihood(record):
    rows = [[f"{line['what']}, {line['workspace']}", line["against"], seconds(line["ours_s"]["median"]),
             seconds(line["theirs_s"]["median"]), times(line["ratio"])] for line in record["ratios"]]
    file = record["large"]
    speed, memory = statistics.median(file["megabytes_per_second"]), max(file["peak_memory_over_size"])
    loading = f"\nA generated workspace of {file['bytes'] / 1e6:.0f} MB is ready at {speed:.0f} MB/s with {memory:.1f} times its size " \
        "in memory.\n"
    return table(["", "against", "ours", "theirs", "ratio"], rows) + loading + conditions(record)


def large(record):
    run, fit = record["runs"][0], record["fit_s"]
    rows = [[f"{run['parameters']:,}", f"{run['bins']:,}", str(run["threads"]), f"{run['load_s']:.1f} s", f"{fit['median']:.1f} s",
             str(run["iterations"]), f"{record['peak_bytes'] / 1e9:.2f} GB"]]
    return table(["parameters", "bins", "threads", "load", "fit with uncertainties", "iterations", "peak memory"], rows) + \
        conditions(record)


def growth(record):
    rows = []
    for family in record["families"].values():
        for point in family["points"]:
            rows.append([family["title"], f"{point['parameters']:,}", f"{point['bins']:,}", seconds(point["fit_s"]),
                         str(point["iterations"])])
    lines = [f"- {family['title']}: time ~ {family['against']}^{family['exponent']:.1f} at the largest two sizes\n"
             for family in record["families"].values()]
    picture = "![Time of a fit over the number of parameters or bins](growth.svg)\n\n"
    return picture + table(["family", "parameters", "bins", "fit with uncertainties", "iterations"], rows) + "\n" + "".join(lines) + \
        conditions(record)


def many(record):
    def cells(run):
        if run is None:
            return ["not measured", ""]
        if "refused" in run:
            return ["refused", ""]
        return [seconds(run["fit_s"]), f"{run['peak_bytes'] / 1e6:,.0f} MB"]

    rows = [[family["title"], f"{point['size']:,}", *cells(point.get("without")), *cells(point.get("with"))]
            for family in record["families"].values() for point in family["points"]]
    return table(["family", "parameters", "fit", "memory", "with uncertainties", "memory"], rows) + conditions(record)


def minima(record):
    """CLs and limits: from the suggested start, at the deepest minimum, and by pyhf."""
    rows = []
    for line in record["points"]:
        before, now, pyhf = line["before"], line["now"], line.get("pyhf", {})

        def both(key, form):
            return f"{before[key]:{form}} | {now[key]:{form}} | " + (f"{pyhf[key]:{form}}" if key in pyhf else "-")

        nll = f"{pyhf['nll_first']:.5f} | {pyhf['nll_deepest']:.5f}" if pyhf else f"{before['nll_at_1']:.5f} | {now['nll_at_1']:.5f}"
        rows.append(f"| {line['workspace']} | {nll} | {both('cls', '.4g')} | {both('limit', '.4g')} |")
    head = ("| | NLL at mu = 1 from the suggested start | deepest | CLs from the suggested start | deepest | pyhf | limit from the suggested "
            "start | deepest | pyhf |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
    return head + "\n".join(rows) + "\n" + conditions(record)


def starts(record):
    rows = [[question, line["workspace"], seconds(times["one_s"]), seconds(times["auto_s"])]
            for line in record["cost"] for question, times in line["questions"].items()]
    return table(["", "workspace", "one start", "auto"], rows) + conditions(record)


SUMMARY = ("pyhf 0.7.6 with Minuit", "pyhf 0.7.6 with JAX", "NextStat 0.10.1")


def summary(record):
    """The short table of the README: where pyhf was measured, every engine beside ours."""
    lines = {(line["question"], line["workspace"], line["against"]): line for line in record["comparisons"]}
    questions = list(dict.fromkeys((question, workspace) for question, workspace, against in lines if against == SUMMARY[0]))
    rows = []
    for question, workspace in questions:
        found = [lines.get((question, workspace, against)) for against in SUMMARY]
        ours = statistics.median(line["ours_s"]["median"] for line in found if line)
        rows.append([f"{question}, {workspace}", f"**{seconds(ours)}**",
                     *(f"{seconds(line['theirs_s']['median'])} ({times(line['ratio'])}x)" if line else "-" for line in found)])
    return table(["", "nextstat", *SUMMARY], rows)


def gpu_models(record):
    return [(name, result) for name, result in record["models"].items() if "toys" in result]


# Seconds of pyhf 0.7.6 with JAX on an H200, measured once: one NLL + gradient of 1,000 rows of thu, one fit of thu.
PYHF_JAX_GRADIENTS, PYHF_JAX_FIT = 3.9e-3, 0.47


def gpu_times(figure):
    """Time on the device, including rows finished on the host, and of the whole call."""
    return [seconds(figure["device_s"]["median"]), seconds(figure["call_s"]["median"])]


def gpu(record):
    toys, points, profiles = [], [], []
    for name, result in gpu_models(record):
        for line in result["toys"]:
            toys.append([name, f"{line['rows']:,}", *gpu_times(line), seconds(line["device_s"]["median"] / line["rows"]),
                         f"{line['sweeps_mean']:.1f}, {line['sweeps_most']:.0f}", str(line["rows_ended_on_host"]),
                         seconds(line["draw"]["device_s"]["median"])])
        values = result["nll_1000"]
        points.append([name, *gpu_times(values), *gpu_times(values["with_gradient"])])
        for key, what in (("fit", "fit"), ("scan_21", "scan, 21 points"), ("ranking", "ranking")):
            if key in result:
                profiles.append([f"{what}, {name}", str(result[key]["rows"]), *gpu_times(result[key])])
    start = ", ".join(f"{seconds(result['start_s'])} ({name})" for name, result in gpu_models(record))
    end_to_end = record["models"]["hypotest_toys"]["seconds_100000"]
    thu = record["models"]["thu"]
    many, gradients, fit = thu["toys"][-1], thu["nll_1000"]["with_gradient"]["call_s"]["median"], thu["fit"]["call_s"]["median"]
    share = many["draw"]["device_s"]["median"] / many["device_s"]["median"]
    return "\n".join([
        "Toys fitted. Sweeps are evaluations of a row: the mean, and the most that one needed.\n",
        table(["", "rows", "on the device", "the whole call", "a row", "sweeps", "rows finished on the host", "drawing"], toys),
        f"Drawing {many['rows']:,} toys of thu takes {100 * share:.1f}% of the time of their fits.\n",
        "1,000 points:\n",
        table(["", "NLL, on the device", "the whole call", "NLL + gradient, on the device", "the whole call"], points),
        "After the session exists:\n",
        table(["", "fits", "on the device", "the whole call"], profiles),
        f"Start-up, apart from all of these (driver, context, kernels, upload of the model):\n{start}.\n",
        "`nextstat hypotest-toys thu.json --gpu cuda --n-toys 100000`, 100,000 + 100,000 toys with start-up,\n"
        f"from the shell and back, best of three: {seconds(end_to_end['free'])}; with `--device-memory 200`: {seconds(end_to_end['200 MB'])}.\n",
        f"For scale: pyhf 0.7.6 with JAX on the same card needs {seconds(PYHF_JAX_GRADIENTS)} for one NLL + gradient of 1,000 rows of thu and\n"
        f"{seconds(PYHF_JAX_FIT)} for one fit: {PYHF_JAX_GRADIENTS / gradients:.1f} and {PYHF_JAX_FIT / fit:,.0f} times the whole calls above.\n",
        f"{record['device']}, medians of {record['models']['thu']['fit']['rounds']} rounds; commit {record['commit'][:10]}.\n"])


def gpu_summary(record):
    thu, tttt = record["models"]["thu"], record["models"]["tttt"]
    rows = [[f"{line['rows']:,} toys of {name} fitted", *gpu_times(line)]
            for name, result in (("thu", thu), ("tttt", tttt)) for line in result["toys"][-1:]]
    rows += [["1,000 NLLs of thu with gradients", *gpu_times(thu["nll_1000"]["with_gradient"])],
             ["one fit of thu", *gpu_times(thu["fit"])], [f"{thu['ranking']['rows']} fits of a ranking of thu", *gpu_times(thu["ranking"])]]
    end_to_end = record["models"]["hypotest_toys"]["seconds_100000"]["free"]
    return table([f"on one {record['device']}", "on the device", "the whole call"], rows) + \
        f"\n`hypotest-toys` with 100,000 + 100,000 toys of thu, the whole program: {seconds(end_to_end)}.\n"


def statistics_checks(record):
    def digits(check, value):
        return f"{value:.2g}" if check["p_value"] else f"{value:.4f}"

    rows = []
    for check in record["checks"]:
        found = digits(check, check["value"]) + (f" ± {check['error']:.4f}" if check["error"] else "")
        asked = f"> {check['allowed']:g}" if check["p_value"] else f"{check['expected']:.4f} ± {check['allowed']:.4f}"
        rows.append([check["group"], check["what"], found, asked, "yes" if check["met"] else "**no**"])
    return table(["", "", "measured", "required", "passed"], rows) + \
        f"\n{record['toys']:,} toys of every question and hypothesis; {record['failed']} without a converged fit.\n"


def few_events(record):
    rows = [[f"{each['mu']:g}", f"{each['toys']:.4f} ± {each['error']:.4f}", f"{each['exact']:.4f}", f"{each['asymptotic']:.4f}"]
            for each in record["few_cls"]]
    return table(["mu", "toys", "exact", "asymptotic"], rows)


# section -> (results file, how it is written, command that measures it)
SECTIONS = {
    "fits": ("fits", fits, "scripts/bench fits --save bench/results/fits-cpu.json"),
    "likelihood": ("likelihood", likelihood, "scripts/bench likelihood --save bench/results/likelihood-cpu.json"),
    "toys": ("toys", toys, "scripts/bench toys --save bench/results/toys-cpu.json"),
    "large": ("large", large, "scripts/bench large --save bench/results/large-cpu.json"),
    "many": ("many", many, "scripts/bench many --save bench/results/many-cpu.json"),
    "minima": ("minima", minima, "scripts/bench minima --save bench/results/minima-cpu.json"),
    "starts": ("minima", starts, "scripts/bench minima --save bench/results/minima-cpu.json"),
    "growth": ("growth", growth, "scripts/bench growth --save bench/results/growth-cpu.json --plot docs/growth.svg"),
    "statistics": ("statistics", statistics_checks, "scripts/bench statistics --save"),
    "few-events": ("statistics", few_events, "scripts/bench statistics --save"),
    "gpu": ("gpu-h200", gpu, "scripts/gpu-check"),
    "gpu-summary": ("gpu-h200", gpu_summary, "scripts/gpu-check"),
    "summary": ("fits", summary, "scripts/bench fits --save bench/results/fits-cpu.json"),
}


def section(name):
    source, write, command = SECTIONS[name]
    record = results(source)
    return write(record) if record else f"Not measured yet: `{command}`.\n"


def page(text):
    return SECTION.sub(lambda match: match[1] + section(match[2]) + match[3], text)


def differences(write):
    """Pages and figures that are not as the results say; brings them up to date where `write`."""
    wanted = {name: page((ROOT / name).read_text(encoding="utf-8")) for name in PAGES}
    if record := results("growth"):
        wanted["docs/growth.svg"] = figure(record["families"])
    if record := results("statistics"):
        wanted.update({f"docs/statistics/{name}.svg": make(record) for name, make in closure.FIGURES.items()})
    differing = []
    for name, text in wanted.items():
        path = ROOT / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        differing.append(name)
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return differing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 where something would change")
    check = parser.parse_args().check
    differing = differences(write=not check)
    for name in differing:
        print(f"{name}: {'not as bench/results says; run bench/tables.py' if check else 'written'}")
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
