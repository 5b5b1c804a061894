#!/usr/bin/env python3
"""Two builds of the program against each other: fits, rankings and toys of workspaces, in pairs that take turns.

    bench/compare_builds.py OLD/nextstat NEW/nextstat thu.json tttt.json
    bench/compare_builds.py OLD/nextstat NEW/nextstat thu.json --pairs 41

One thread. Of a fit the time that it reports counts, of the others the processor time of the whole call, which other work on the
machine changes least. Ratios are new / old: of the medians, of the minima, and the median of the pairs' own ratios. Three copies of each
program take part: where a file happens to lie in memory changes a short fit by two percent.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path


def processor_time(program: Path, arguments: list[str]) -> float:
    """User and system seconds of a call."""
    child = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in (0, 1), f"{program} {arguments} ended with {child.returncode}"
    return usage.ru_utime + usage.ru_stime


def reported_time(program: Path, arguments: list[str]) -> float:
    """The `wall_time_s` of a call's answer."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        subprocess.run([program, *arguments, "-o", answer], check=True, stdout=subprocess.DEVNULL)
        return float(json.loads(answer.read_text())["wall_time_s"])


def cases(workspaces: list[Path], toys: int):
    """(name, how it is timed, arguments)"""
    yield "start", processor_time, ["version"]
    for workspace in workspaces:
        common = [str(workspace), "--threads", "1", "--format", "json"]
        yield f"fit {workspace.stem}", reported_time, ["fit", *common]
        yield f"ranking {workspace.stem}", processor_time, ["ranking", *common]
        yield f"toys {workspace.stem}", processor_time, ["toys", "run", *common, "--n-toys", str(toys)]


def pairs(clock, arguments: list[str], old: list[Path], new: list[Path], count: int) -> tuple[list[float], list[float]]:
    """Times of both, taking turns; who begins alternates, and so do the copies."""
    times: dict[int, list[float]] = {0: [], 1: []}
    for program in (*old, *new):
        clock(program, arguments)  # the files come from the disk once
    for i in range(count):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            copies = (old, new)[which]
            times[which].append(clock(copies[i % len(copies)], arguments))
    return times[0], times[1]


def copies_of(program: Path, folder: Path) -> list[Path]:
    return [Path(shutil.copy(program, folder / f"{folder.name}-{number}")) for number in range(3)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("workspaces", type=Path, nargs="+")
    parser.add_argument("--pairs", type=int, default=21)
    parser.add_argument("--toys", type=int, default=2000)
    options = parser.parse_args()
    print(f"{'case':24} {'old':>10} {'new':>10}  medians  minima   pairs")
    with tempfile.TemporaryDirectory() as old_folder, tempfile.TemporaryDirectory() as new_folder:
        programs = copies_of(options.old, Path(old_folder)), copies_of(options.new, Path(new_folder))
        for name, clock, arguments in cases(options.workspaces, options.toys):
            old, new = pairs(clock, arguments, *programs, options.pairs)
            medians = statistics.median(new) / statistics.median(old)
            own = statistics.median(b / a for a, b in zip(old, new))
            print(f"{name:24} {1e3 * statistics.median(old):7.2f} ms {1e3 * statistics.median(new):7.2f} ms  {medians:7.4f} "
                  f"{min(new) / min(old):7.4f} {own:7.4f}", flush=True)


if __name__ == "__main__":
    main()
