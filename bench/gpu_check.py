#!/usr/bin/env python3
"""Checks everything about the GPUs of this machine and writes one report. scripts/gpu-check builds first and calls this.

    bench/gpu_check.py --find        exit 0 where a driver shows a GPU, else 3; nothing has to be built
    bench/gpu_check.py [--out DIR]   DIR/report.txt, DIR/report.json, and what every command printed in DIR/logs

Exit 0 if every check passed (what was skipped is named), 1 if one failed, 3 without a GPU.
"""
import argparse
import contextlib
import ctypes
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from record import ROOT, save, seconds

BINARIES = ROOT / "build/release/bin"
SANITIZED = "*MinimizeRowsOfEveryKind/cuda*:*HaveTheCanonical*/cuda*"  # evaluations and rows of every kind, in some seconds
PLANTED = 1.3
# What may differ between two runs of one question.
PLACE = re.compile(r'^ *"(wall_time_s|folder|device|device_choice|instruction_set)": .*\n', re.M)


# --- devices --------------------------------------------------------------------------------------------------------


def drivers():
    """What the vendors' libraries show, as "CUDA: 1"; asked without our program, and in a process of their own: loaded here they
    might change what the programs that we start see."""
    done = subprocess.run([sys.executable, __file__, "--ask-drivers"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def ask_drivers():
    found, count = [], ctypes.c_uint(0)
    with contextlib.suppress(OSError, AttributeError):
        cuda = ctypes.CDLL("libcuda.so.1")
        if cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value:
            found.append(f"CUDA: {count.value}")
    with contextlib.suppress(OSError, AttributeError):
        opencl = ctypes.CDLL("libOpenCL.so.1")
        platforms = (ctypes.c_void_p * 16)()
        if opencl.clGetPlatformIDs(16, platforms, ctypes.byref(count)) != 0:
            return found
        for platform in platforms[:min(count.value, 16)]:
            gpu_or_accelerator = ctypes.c_uint64(4 | 8)
            if opencl.clGetDeviceIDs(ctypes.c_void_p(platform), gpu_or_accelerator, 0, None, ctypes.byref(count)) == 0 and count.value:
                found.append(f"OpenCL: {count.value}")
    return found


def gpus(shown):
    """[(name, precision, title)] of `nextstat devices`, processors left out."""
    return [(f"{entry['type']}:{device['index']}", "f32" if device["fp64"] == "none" else "f64", device["name"])
            for entry in shown["backends"] for device in entry["devices"] if device["kind"] != "cpu"]


# --- running checks -------------------------------------------------------------------------------------------------


class Failed(Exception):
    """The check failed; says how."""


class Skipped(Exception):
    """The check cannot be made here; says why."""


class Checks:
    """Runs checks one after the other and keeps what became of them."""

    def __init__(self, folder):
        self.folder, self.results, self.commands = folder, [], []

    def run(self, *command, codes=(0,), log="log"):
        """What the command printed. An exit code other than those fails the check."""
        words = [str(word) for word in command]
        self.commands.append(shlex.join(word.removeprefix(f"{ROOT}/") for word in words))
        done = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        logs = self.folder / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        with (logs / f"{log}.txt").open("a", encoding="utf-8") as file:
            file.write(f"$ {self.commands[-1]}\n{done.stdout}{done.stderr}[exit {done.returncode}]\n")
        if done.returncode not in codes:
            words = (done.stderr.strip() or done.stdout.strip()).splitlines()
            raise Failed(f"exit {done.returncode}: {words[-1] if words else 'no output'} (logs/{log}.txt)")
        return done

    def check(self, name, work):
        """`work` gives a sentence, or raises Failed or Skipped."""
        self.commands, begin = [], time.perf_counter()
        try:
            status, words = "passed", work()
        except Failed as reason:
            status, words = "FAILED", str(reason)
        except Skipped as reason:
            status, words = "skipped", str(reason)
        passed = time.perf_counter() - begin
        self.results.append({"name": name, "status": status.lower(), "words": words, "seconds": passed, "commands": self.commands})
        print(f"{status:7s}  {name:28s} {passed:6.1f} s  {words}", flush=True)

    def with_status(self, status):
        return [result["name"] for result in self.results if result["status"] == status]


# --- judgments -----------------------------------------------------------------------------------------------------


def tests_that_ran(printed):
    """A sentence on the output of a gtest program; none that ran is a failure."""
    passed = re.search(r"\[  PASSED  \] (\d+) test", printed)
    skipped = re.search(r"\[  SKIPPED \] (\d+) test", printed)
    if not passed or int(passed[1]) == 0:
        raise Failed("no test ran")
    return f"{passed[1]} tests passed" + (f", {skipped[1]} skipped" if skipped else "")


def clean(printed):
    """A sentence on the output of compute-sanitizer."""
    summaries = re.findall(r"SUMMARY: (\d+) (errors|hazards)", printed)
    if not summaries:
        raise Failed("compute-sanitizer gave no summary")
    if any(int(count) for count, _ in summaries):
        raise Failed("; ".join(f"{count} {what}" for count, what in summaries))
    return f"{summaries[0][0]} {summaries[0][1]}, {tests_that_ran(printed)}"


def planted(record):
    """The record of a run that was faster: today's is then slower by as much."""
    return {**record, "cases": [{**case, "median_s": case["median_s"] / PLANTED} for case in record["cases"]]}


def slower_cases(shown):
    """A sentence on a comparison with a planted slowdown. Loading a workspace needs no device, so it does not count."""
    cases = [case for case in shown["comparison"] if not case["name"].startswith("load/")]
    missed = [f"{case['name']} (ratio {case['ratio']:.2f}, limit {case['limit']:.2f})" for case in cases if not case["regression"]]
    if len(missed) == len(cases):
        raise Failed(f"a slowdown of {PLANTED} was not found: {', '.join(missed)}")
    return f"found in {len(cases) - len(missed)} of {len(cases)} cases" + (f"; within noise: {', '.join(missed)}" if missed else "")


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


# --- the checks -----------------------------------------------------------------------------------------------------


class GpuChecks(Checks):
    def __init__(self, folder):
        super().__init__(folder)
        self.program = BINARIES / "nextstat"
        self.devices, self.suites = [], []

    def workspace(self):
        thu = Path(os.environ.get("NEXTSTAT_DATA") or "/nowhere") / "thu.json"
        return thu if thu.is_file() else ROOT / "examples/search.json"

    def has_cuda(self):
        if not any(name.startswith("cuda:") for name, _, _ in self.devices):
            raise Skipped("no CUDA device here")

    def list_devices(self):
        self.run(self.program, "devices", "--detail", "--format", "table", log="devices")
        shown = json.loads(self.run(self.program, "devices", "--format", "json", log="devices").stdout)
        self.devices = gpus(shown)
        for found in drivers():
            kind = found.partition(":")[0]
            entry = next(each for each in shown["backends"] if each["name"] == kind)
            if not any(device["kind"] != "cpu" for device in entry["devices"]):
                reason = entry["error"]["reason"] if entry["error"] else "only a processor is listed"
                raise Failed(f"the driver shows a device of {found}, the program none: {reason}")
        return ", ".join(f"{name} {title} ({precision})" for name, precision, title in self.devices)

    def doctor(self):
        self.run(self.program, "doctor", "--format", "json", log="doctor")
        return "every device has the numbers of the CPU"

    def find_suites(self):
        """Names that the conformance suite has for our devices: cuda_0_f64, opencl_0_f64, opencl_0_f32."""
        listed = self.run(BINARIES / "devices_test", "--gtest_list_tests", log="conformance").stdout
        names = dict.fromkeys(re.findall(r"^  HaveTheCanonicalPoissonNll/(\w+)", listed, re.M))
        ours = [name.replace(":", "_") + "_" for name, _, _ in self.devices]
        self.suites = [name for name in names if any(name.startswith(each) for each in ours)]
        if len(self.suites) < len(ours):
            raise Failed(f"the suite knows {', '.join(self.suites) or 'none'} of these devices")
        return ", ".join(self.suites)

    def conformance(self, suite):
        done = self.run(BINARIES / "devices_test", f"--gtest_filter=*/{suite}", log=f"conformance-{suite}")
        no_data = "" if os.environ.get("NEXTSTAT_DATA") else "; NEXTSTAT_DATA names no real workspaces"
        return tests_that_ran(done.stdout) + no_data

    def command_line(self):
        python = ROOT / "build/venv/bin/python"
        if not python.exists():
            if importlib.util.find_spec("pytest") is None:
                raise Skipped("no pytest here; scripts/bootstrap --test makes build/venv")
            python = Path(sys.executable)
        done = self.run(python, "-m", "pytest", "-q", "tests/python/test_device_parity.py", log="command-line")
        return done.stdout.strip().splitlines()[-1]

    def answers(self, device, run):
        """The JSON of hypotest-toys and of toys run without what may differ, and the files of the latter."""
        folder = self.folder / f"toys-{device.replace(':', '-')}-{run}"
        shutil.rmtree(folder, ignore_errors=True)
        common = ["--n-toys", "2000", "--seed", "7", "--device", device, "--format", "json"]
        test = self.run(self.program, "hypotest-toys", self.workspace(), "--mu", "0.5", "--expected-set", *common, log="same-bytes")
        toys = self.run(self.program, "toys", "run", self.workspace(), "--mu", "0.5", "--out", folder, *common, log="same-bytes")
        found = [PLACE.sub("", test.stdout), PLACE.sub("", toys.stdout), content(folder)]
        shutil.rmtree(folder)
        return found

    def same_bytes(self, device, precision):
        first, second = (self.answers(device, run) for run in (1, 2))
        if first != second:
            raise Failed("two runs differ")
        words = f"two runs of 2,000 toys of {self.workspace().stem} are equal"
        if precision == "f32":
            return words
        if first != self.answers("cpu", 1):
            raise Failed("two runs are equal, and differ from the CPU's")
        return words + ", and equal to the CPU's"

    def sanitizer(self, tool):
        self.has_cuda()
        places = [os.environ.get("CUDA_HOME", "") + "/bin", "/usr/local/cuda/bin"]
        program = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path=os.pathsep.join(places))
        if program is None:
            raise Skipped("no compute-sanitizer here; it comes with the CUDA toolkit")
        done = self.run(program, "--tool", tool, "--error-exitcode", "9", BINARIES / "devices_test", f"--gtest_filter={SANITIZED}",
                        log=tool)
        return clean(done.stdout + done.stderr)

    def speed(self):
        self.has_cuda()
        if not os.environ.get("NEXTSTAT_DATA"):
            raise Skipped("NEXTSTAT_DATA names no folder with thu.json and tttt.json")
        if not (BINARIES / "gpu_bench").exists():
            raise Skipped("gpu_bench is not built (NEXTSTAT_BUILD_BENCHMARKS)")
        title = next(title for name, _, title in self.devices if name == "cuda:0")
        bars = [] if "H200" in title else ["--no-bars"]
        done = self.run(sys.executable, ROOT / "bench/gpu.py", "--save", self.folder / "gpu.json", *bars, codes=(0, 1), log="speed")
        missed = [line for line in done.stdout.splitlines() if line.startswith("MISS")]
        if done.returncode or missed:
            raise Failed("; ".join(" ".join(line.split()[1:]) for line in missed) or "see logs/speed.txt")
        return f"{done.stdout.count('ok  ')} figures in gpu.json" + (", held to no bars: they are an H200's" if bars else " within their bars")

    def bench(self, device, *options, codes=(0,)):
        done = self.run(self.program, "bench", "--device", device, "--format", "json", "--no-progress", *options, codes=codes, log="bench")
        return json.loads(done.stdout)

    def compare(self, device):
        saved, slow = self.folder / "bench.json", self.folder / "bench-planted.json"
        record = self.bench(device, "--save", saved)
        self.bench(device, "--compare", saved)
        slow.write_text(json.dumps(planted(record)), encoding="utf-8")
        return f"against itself nothing; {PLANTED} times slower " + slower_cases(self.bench(device, "--compare", slow, codes=(0, 1)))

    def run_all(self):
        self.check("devices", self.list_devices)
        self.check("doctor", self.doctor)
        self.check("conformance", self.find_suites)
        for suite in self.suites:
            self.check(f"conformance {suite}", lambda suite=suite: self.conformance(suite))
        self.check("command line", self.command_line)
        for name, precision, _ in self.devices:
            self.check(f"same bytes {name}", lambda name=name, precision=precision: self.same_bytes(name, precision))
        for tool in ("memcheck", "racecheck", "initcheck"):
            self.check(tool, lambda tool=tool: self.sanitizer(tool))
        self.check("speed", self.speed)
        if self.devices:
            self.check("bench --compare", lambda: self.compare(self.devices[0][0]))


def report(checks, passed_s):
    failed, skipped = checks.with_status("failed"), checks.with_status("skipped")
    lines = [f"{result['status']:7s}  {result['name']:28s} {result['seconds']:6.1f} s  {result['words']}" for result in checks.results]
    lines += ["", f"failed: {', '.join(failed) or 'none'}", f"skipped: {', '.join(skipped) or 'none'}", f"total: {seconds(passed_s)}"]
    (checks.folder / "report.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    save(checks.folder / "report.json", {
        "devices": [{"name": name, "precision": precision, "title": title} for name, precision, title in checks.devices],
        "passed": not failed, "failed": failed, "skipped": skipped, "checks": checks.results})
    print("\n".join(lines[-4:]))
    print(f"report: {checks.folder}/report.txt and report.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--find", action="store_true", help="only say whether there is a GPU")
    parser.add_argument("--out", type=Path, default=ROOT / "build/gpu-check", help="folder of the report")
    parser.add_argument("--ask-drivers", action="store_true", help="only what the vendors' libraries show, a line each")
    options = parser.parse_args()
    if options.ask_drivers:
        print("".join(f"{line}\n" for line in ask_drivers()), end="")
        return 0
    found = drivers()
    if not found:
        print("gpu-check: no GPU here: neither libcuda.so.1 nor libOpenCL.so.1 shows one", file=sys.stderr)
        return 3
    if options.find:
        print(f"gpu-check: {', '.join(found)}")
        return 0
    missing = [name for name in ("nextstat", "devices_test") if not (BINARIES / name).exists()]
    if missing:
        print(f"gpu-check: not built: {', '.join(missing)}; run scripts/gpu-check without --no-build", file=sys.stderr)
        return 1
    folder = options.out.absolute()
    shutil.rmtree(folder / "logs", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    checks = GpuChecks(folder)
    checks.run_all()
    report(checks, time.perf_counter() - begin)
    return 1 if checks.with_status("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
