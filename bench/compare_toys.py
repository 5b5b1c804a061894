#!/usr/bin/env python3
"""Measures toys of nextstat against NextStat 0.10.1, lanes against one number at a time, and how time and memory grow.

`scripts/bench toys` prepares and calls it. Start-up (loading the model) is left out; both engines get the same threads and take
turns in the same run; the best of the rounds counts on either side. Times are per toy: the other engine fits fewer of them. Exit 1
if a bar is missed or a toy of ours failed.
"""
import argparse
import json
import sys
from dataclasses import dataclass

from engines import LABELS, ROOT, Engine
from record import data_folder, save, seconds
from workspaces import eight_parameters, many_gammas, two_bins

THREADS = 2


@dataclass(frozen=True)
class Match:
    question: str  # toys, hypotest_toys
    workspace: str
    ours: int  # toys in a round
    theirs: int
    bar: float
    their_rounds: int = 5


MATCHES = (
    Match("toys", "thu", 1000, 20, 500),
    Match("toys", "tttt", 1000, 20, 300),
    Match("hypotest_toys", "generated, 201 parameters", 10000, 10000, 20, their_rounds=2),
)
LANES_BAR = 2.5
GROWTH = (1000, 10000, 100000)
GROWTH_BAR = 1.2
MEMORY_BAR = 300e6
MILLION = (("two bins, 3 parameters", 120.0), ("2 channels, 8 parameters", 120.0))


GENERATED = {"generated, 201 parameters": many_gammas, "two bins, 3 parameters": two_bins, "2 channels, 8 parameters": eight_parameters}


def path_of(name):
    if name not in GENERATED:
        return data_folder() / f"{name}.json"
    path = ROOT / "build/bench" / (name.replace(",", "").replace(" ", "-") + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(GENERATED[name]()), encoding="utf-8")
    return path


def per_toy(question, answer, toys):
    return answer["seconds"] / (toys * (2 if question == "hypotest_toys" else 1))


def compare(match, rounds):
    with Engine("ours", THREADS) as ours, Engine("peer", THREADS) as theirs:
        for engine in (ours, theirs):
            engine.ask(f"load {path_of(match.workspace)}")
        ours.ask(f"{match.question} {match.ours} {THREADS}")
        mine, other, failed = [], [], 0
        for number in range(rounds):
            answer = ours.ask(f"{match.question} {match.ours} {THREADS}")
            failed += answer["failed"]
            mine.append(per_toy(match.question, answer, match.ours))
            if number < match.their_rounds:
                other.append(per_toy(match.question, theirs.ask(f"{match.question} {match.theirs} {THREADS}"), match.theirs))
    ratio = min(other) / min(mine)
    line = {"question": match.question, "workspace": match.workspace, "against": LABELS["peer"], "threads": THREADS,
            "ours_s_per_toy": min(mine), "theirs_s_per_toy": min(other), "rounds": {"ours": mine, "theirs": other},
            "ratio": ratio, "bar": match.bar, "failed": failed, "met": ratio >= match.bar and failed == 0}
    print(f"{match.question:<14} {match.workspace:<26} {seconds(min(mine)):>9} {seconds(min(other)):>9}  {ratio:7.0f}  "
          f"(bar {match.bar})  {'pass' if line['met'] else 'MISSED'}", flush=True)
    return line


def lanes(workspace_name, rounds):
    """The widest instruction set against one number at a time, one thread, in turns."""
    with Engine("ours") as ours:
        widest = ours.ask("about")["instruction_set"]
        ours.ask(f"load {path_of(workspace_name)}")
        times = {"scalar": [], widest: []}
        for _ in range(rounds):
            for name, values in times.items():
                values.append(ours.ask(f"toys 300 1 {name}")["seconds"] / 300)
    ratio = min(times["scalar"]) / min(times[widest])
    met = ratio >= LANES_BAR or widest != "x86-64-v4"
    print(f"lanes of {widest} on {workspace_name}: {seconds(min(times[widest]))} a toy, scalar {seconds(min(times['scalar']))}: "
          f"{ratio:.1f}x  (bar {LANES_BAR})  {'pass' if met else 'MISSED'}", flush=True)
    return {"workspace": workspace_name, "instruction_set": widest, "ratio": ratio, "bar": LANES_BAR, "times": times, "met": met}


def growth(workspace_name, rounds):
    """Time per toy and peak memory for more and more toys, in turns."""
    engines = {count: Engine("ours", THREADS) for count in GROWTH}
    times = {count: [] for count in GROWTH}
    for count, engine in engines.items():
        engine.ask(f"load {path_of(workspace_name)}")
        engine.ask(f"toys 200 {THREADS}")
    for _ in range(rounds):
        for count, engine in engines.items():
            times[count].append(engine.ask(f"toys {count} {THREADS}")["seconds"] / count)
    for engine in engines.values():
        engine.stop()
    times = {count: min(values) for count, values in times.items()}
    memory = {count: engine.peak_bytes for count, engine in engines.items()}
    ratio = max(times.values()) / min(times.values())
    met = ratio <= GROWTH_BAR and max(memory.values()) <= MEMORY_BAR
    print(f"{workspace_name}, " + ", ".join(f"{count:,} toys: {seconds(times[count])} a toy, {memory[count] / 1e6:.0f} MB"
                                            for count in GROWTH) + f"  {'pass' if met else 'MISSED'}", flush=True)
    return {"workspace": workspace_name, "s_per_toy": times, "peak_bytes": memory, "largest_over_smallest": ratio,
            "bar": GROWTH_BAR, "memory_bar": MEMORY_BAR, "met": met}


def million(workspace_name, bar):
    with Engine("ours", THREADS) as ours:
        ours.ask(f"load {path_of(workspace_name)}")
        answer = ours.ask(f"hypotest_toys 1000000 {THREADS}")
    met = answer["seconds"] <= bar and answer["failed"] == 0
    print(f"1,000,000 + 1,000,000 toys of {workspace_name}: {seconds(answer['seconds'])}, CLs = {answer['cls']:.6f} +- "
          f"{answer['cls_error']:.6f}, {ours.peak_bytes / 1e6:.0f} MB  (bar {bar:.0f} s)  {'pass' if met else 'MISSED'}", flush=True)
    return {"workspace": workspace_name, **answer, "peak_bytes": ours.peak_bytes, "bar": bar, "met": met}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("peer", "lanes", "growth", "million"), help="this part alone")
    parser.add_argument("--save", metavar="FILE", help="write machine, commit, command and all rounds as JSON")
    arguments = parser.parse_args()
    wanted = {arguments.only} if arguments.only else {"peer", "lanes", "growth", "million"}
    results = {}
    if "peer" in wanted:
        results["comparisons"] = [compare(match, arguments.rounds) for match in MATCHES]
    if "lanes" in wanted:
        results["lanes"] = [lanes(name, arguments.rounds) for name in ("thu", "tttt")]
    if "growth" in wanted:
        results["growth"] = [growth(name, arguments.rounds) for name in ("thu", "2 channels, 8 parameters")]
    if "million" in wanted:
        results["million"] = [million(name, bar) for name, bar in MILLION]
    if arguments.save:
        save(arguments.save, results)
    return 0 if all(line["met"] for lines in results.values() for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
