#!/usr/bin/env python3
"""Measures fits, a profile scan and a ranking of nextstat against NextStat 0.10.1 and pyhf 0.7.6 in one run.

`scripts/bench` prepares and calls it. Every engine runs in a warm process of its own on one thread and starts each fit from the
model's suggested start with nothing kept from the one before. Our fits include uncertainties from the exact Hessian; pyhf's have
them with Minuit, and none with scipy. Two engines take turns in rounds and a ratio is formed within a round, so that a slow moment of the machine meets both;
medians are printed, with the smallest and the largest round in brackets. Exit 1 if a bar is missed or if our minimum lies above
the other's.
"""
import argparse
import json
import math
import statistics
import sys
from dataclasses import dataclass

import jsonpatch

from engines import LABELS, ROOT, Engine
from record import data_folder, save, seconds, spread

MEAN_BAR = 150  # geometric mean of the fits against the published engine
NLL_TOLERANCE = 1e-7  # by which our minimum may lie above another's


@dataclass(frozen=True)
class Match:
    """One question put to us and to another engine in turns."""
    question: str
    workspace: str
    other: str
    bar: float
    repeats: int  # of ours in a round; the other answers once
    rounds: int
    warm_up: str = ""  # for the other engine; "" = the question itself


WORKSPACES = ("sbottom-A/1300_205_60", "1lbb/C1N2_Wh_hbb_900_300", "stau-comb-400-40", "thu", "agc-ml", "cms-ttg-2l", "tttt")
MATCHES = (
    *(Match("fit", workspace, "peer", 60, repeats=30, rounds=7) for workspace in WORKSPACES),
    Match("scan", "thu", "peer", 500, repeats=10, rounds=3, warm_up="fit 1"),
    Match("ranking", "thu", "peer", 150, repeats=3, rounds=3, warm_up="fit 1"),
    Match("fit", "thu", "pyhf", 5000, repeats=30, rounds=2, warm_up="nll 10"),
    *(Match("fit", workspace, "pyhf-minuit", 1000, repeats=30, rounds=rounds, warm_up="nll 10")
      for workspace, rounds in (("sbottom-A/1300_205_60", 3), ("stau-comb-400-40", 3), ("thu", 1))),
    *(Match("fit", workspace, "pyhf-jax", bar, repeats=30, rounds=7)
      for workspace, bar in (("sbottom-A/1300_205_60", 50), ("stau-comb-400-40", 50), ("thu", 200))),
)


def prepare(data, name):
    """The workspace as a file, patched where the name has a point: the path that every engine loads."""
    stem, _, point = name.partition("/")
    if not point:
        return data / f"{name}.json"
    patchset, patch = data / f"{stem}.patchset.json", data / f"{stem}-{point}.patch.json"
    if patchset.is_file():
        patches = json.loads(patchset.read_text(encoding="utf-8"))["patches"]
        operations = next(each["patch"] for each in patches if each["metadata"]["name"] == point)
    else:
        operations = json.loads(patch.read_text(encoding="utf-8"))
    document = jsonpatch.apply_patch(json.loads((data / f"{stem}.bkg.json").read_text(encoding="utf-8")), operations)
    # A patch that removes a channel may leave its observations behind, which not every engine accepts.
    channels = {channel["name"] for channel in document["channels"]}
    document["observations"] = [each for each in document["observations"] if each["name"] in channels]
    path = ROOT / "build/bench" / f"{stem}-{point}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def check_same_function(ours, theirs):
    mine, other = ours.ask("value"), theirs.ask("value")
    if abs(mine - other) > 1e-8 * abs(mine):
        raise SystemExit(f"compare_fits: {LABELS[theirs.name]} has NLL {other!r} at the start where ours is {mine!r}")


def play(match, path, rounds):
    """The answers of both engines, [(ours, theirs)] by round."""
    with Engine("ours") as ours, Engine(match.other) as theirs:
        for engine in (ours, theirs):
            engine.ask(f"load {path}")
        check_same_function(ours, theirs)
        ours.ask(f"{match.question} {match.repeats}")
        theirs.ask(match.warm_up or f"{match.question} 1")
        answers = [(ours.ask(f"{match.question} {match.repeats}"), theirs.ask(f"{match.question} 1")) for _ in range(rounds)]
        return answers, {"ours": ours.ask("about"), match.other: theirs.ask("about")}


def highest_above(ours, theirs):
    """By how much our minima lie above the other engine's, at most. None where the question has no minima to compare."""
    if "nll" not in theirs:
        return None
    pairs = zip([ours["nll"], *ours.get("points", [])], [theirs["nll"], *theirs.get("points", [])])
    return max(mine - other for mine, other in pairs)


def judge(match, answers):
    mine = [statistics.median(ours["times"]) for ours, _ in answers]
    other = [statistics.median(theirs["times"]) for _, theirs in answers]
    ratio = spread([b / a for a, b in zip(mine, other)])
    ours, theirs = answers[-1]
    above = highest_above(ours, theirs)
    told = ("nll", "iterations", "converged", "poi", "sigma")
    return {
        "question": match.question, "workspace": match.workspace, "against": LABELS[match.other],
        "ours_s": spread(mine), "theirs_s": spread(other), "ratio": ratio, "bar": match.bar,
        "ours": {key: ours[key] for key in told if key in ours},
        "theirs": {key: theirs[key] for key in told if key in theirs},
        "ours_above_theirs": above,
        "met": ratio["median"] >= match.bar and bool(ours["converged"]) and (above is None or above <= NLL_TOLERANCE),
        "rounds": [{"ours_s": a, "theirs_s": b} for a, b in zip(mine, other)],
    }


FORM = "{:<8} {:<25} {:<20} {:>9} {:>9} {:>7} {:<17} {:>5} {:>11} {:>15} {:>9}  {}"


def print_line(line):
    ratio, above = line["ratio"], line["ours_above_theirs"]
    steps = "/".join(str(line[side].get("iterations", "-")) for side in ("ours", "theirs"))
    print(FORM.format(
        line["question"], line["workspace"], line["against"], seconds(line["ours_s"]["median"]),
        seconds(line["theirs_s"]["median"]), f"{ratio['median']:.0f}", f"[{ratio['min']:.0f} {ratio['max']:.0f}]",
        line["bar"], steps, f"{line['ours']['nll']:.8f}", "-" if above is None else f"{-above:.1e}",
        "pass" if line["met"] else "MISSED"), flush=True)


def geometric_mean(lines):
    fits = [line["ratio"]["median"] for line in lines if line["question"] == "fit" and line["against"] == LABELS["peer"]]
    if not fits:
        return None
    mean = math.exp(statistics.fmean(map(math.log, fits)))
    met = mean >= MEAN_BAR
    print(f"\nfits against {LABELS['peer']}: geometric mean {mean:.0f} over {len(fits)} workspaces "
          f"(bar {MEAN_BAR})  {'pass' if met else 'MISSED'}")
    return {"ratio": mean, "workspaces": len(fits), "bar": MEAN_BAR, "met": met}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, help="the most rounds of any comparison (default: each its own, 2 to 7)")
    parser.add_argument("--only", metavar="TEXT", default="", help="comparisons whose 'question workspace engine' holds this text")
    parser.add_argument("--save", metavar="FILE", help="write machine, commit, versions, command and all rounds as JSON")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    data = data_folder()
    matches = [each for each in MATCHES if arguments.only in f"{each.question} {each.workspace} {each.other}"]
    if not matches:
        sys.exit(f"compare_fits: no comparison has '{arguments.only}' in its name")
    lines, versions = [], {}
    print(FORM.format("", "", "against", "ours", "theirs", "ratio", "[min max]", "bar", "iterations", "our NLL", "lower by", ""))
    for match in matches:
        rounds = min(match.rounds, arguments.rounds or match.rounds)
        answers, about = play(match, prepare(data, match.workspace), rounds)
        versions.update(about)
        lines.append(judge(match, answers))
        print_line(lines[-1])
    mean = geometric_mean(lines)
    if arguments.save:
        save(arguments.save, {"about": versions, "comparisons": lines, "geometric_mean": mean})
    return 0 if all(line["met"] for line in lines) and (mean is None or mean["met"]) else 1


if __name__ == "__main__":
    sys.exit(main())
