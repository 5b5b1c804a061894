"""What the benchmarks share: medians with their extremes, readable seconds, and the record of a run as JSON."""
import json
import os
import platform
import statistics
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def seconds(value):
    """Three digits with a unit: 8.31 us."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 1.0:
            break
    return f"{value * factor:.3g} {unit}"


def data_folder():
    """The folder of real workspaces that NEXTSTAT_DATA names; ends the program where there is none."""
    folder = Path(os.environ.get("NEXTSTAT_DATA", ""))
    if not os.environ.get("NEXTSTAT_DATA") or not (folder / "thu.json").is_file():
        sys.exit("bench: set NEXTSTAT_DATA to the folder of public workspaces (thu.json, tttt.json, ...)")
    return folder


def machine():
    model = platform.processor()
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return {"processor": model, "cores": os.cpu_count(), "load_average": os.getloadavg()[0],
            "system": platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())}


def commit():
    def git(*arguments):
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    return (git("rev-parse", "HEAD") or "unknown") + (" with changes" if git("status", "--porcelain") else "")


def command():
    """The command line, with paths inside the repository relative to it."""
    return [word.removeprefix(f"{ROOT}/") for word in sys.argv]


def save(path, results):
    """Writes date, command, machine and commit with the results."""
    record = {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "command": command(), "machine": machine(),
              "commit": commit(), **results}
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
