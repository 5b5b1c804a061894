"""scripts/gpu-check: what it says without a GPU, and how it judges what programs print. With a GPU it is its own test."""

import json
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))
import gpu_check  # noqa: E402


def start(*options):
    return subprocess.run([ROOT / "scripts/gpu-check", *options], capture_output=True, text=True, timeout=60)


@pytest.mark.skipif(bool(gpu_check.drivers()), reason="there is a GPU here")
def test_without_a_gpu_it_says_so_and_builds_nothing(tmp_path):
    done = start("--out", str(tmp_path / "report"))
    assert done.returncode == 3 and "no GPU here" in done.stderr
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("options", [["--fast"], ["--out"]])
def test_a_wrong_option_is_exit_2(options):
    done = start(*options)
    assert done.returncode == 2 and done.stderr.startswith("gpu-check: ")


def test_help_names_every_option_and_exit_code():
    shown = start("--help").stdout
    assert all(word in shown for word in ("--no-build", "--out DIR", "NEXTSTAT_DATA", "Exit code 0", "3: there is no GPU"))
    assert "shellcheck" not in shown


def device(kind, fp64="full", index=0):
    return {"index": index, "name": kind.upper(), "kind": kind, "fp64": fp64}


def test_processors_are_no_gpus():
    shown = {"backends": [{"type": "cpu", "devices": [device("cpu")]}, {"type": "cuda", "devices": [device("gpu"), device("gpu", index=1)]},
                          {"type": "opencl", "devices": [device("cpu"), device("igpu", "none", 1)]}]}
    assert gpu_check.gpus(shown) == [("cuda:0", "f64", "GPU"), ("cuda:1", "f64", "GPU"), ("opencl:1", "f32", "IGPU")]


def test_a_filter_that_no_test_has_is_a_failure():
    assert gpu_check.tests_that_ran("[  PASSED  ] 12 tests.\n[  SKIPPED ] 4 tests, listed below:\n") == "12 tests passed, 4 skipped"
    for printed in ("[==========] 0 tests ran.\n[  PASSED  ] 0 tests.\n", ""):
        with pytest.raises(gpu_check.Failed, match="no test ran"):
            gpu_check.tests_that_ran(printed)


@pytest.mark.parametrize("printed, reason", [
    ("========= ERROR SUMMARY: 3 errors\n[  PASSED  ] 2 tests.\n", "3 errors"),
    ("========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)\n[  PASSED  ] 2 tests.\n", "2 hazards"),
    ("[  PASSED  ] 2 tests.\n", "no summary"),
    ("========= ERROR SUMMARY: 0 errors\n[  PASSED  ] 0 tests.\n", "no test ran"),
])
def test_what_a_sanitizer_finds_is_a_failure(printed, reason):
    with pytest.raises(gpu_check.Failed, match=reason):
        gpu_check.clean(printed)


def test_a_clean_sanitizer_passes():
    assert gpu_check.clean("========= ERROR SUMMARY: 0 errors\n[  PASSED  ] 2 tests.\n") == "0 errors, 2 tests passed"
    shown = "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n[  PASSED  ] 2 tests.\n"
    assert gpu_check.clean(shown) == "0 hazards, 2 tests passed"


def comparison(*found):
    return {"comparison": [{"name": name, "ratio": 1.3, "limit": 1.25 if slower else 1.5, "regression": slower} for name, slower in found]}


def test_a_planted_slowdown_has_to_be_found_on_the_device():
    assert gpu_check.planted({"cases": [{"name": "fit", "median_s": 1.3}]})["cases"][0]["median_s"] == 1.0
    assert gpu_check.slower_cases(comparison(("load/medium", True), ("fit/small", True), ("scan/small", False))) == \
        "found in 1 of 2 cases; within noise: scan/small (ratio 1.30, limit 1.50)"
    with pytest.raises(gpu_check.Failed, match="not found: fit/small"):
        gpu_check.slower_cases(comparison(("load/medium", True), ("fit/small", False)))


def test_a_report_has_every_check_with_its_reason(tmp_path):
    def fail():
        checks.run(sys.executable, "-c", "print('wrong'); raise SystemExit(5)", log="fails")

    def skip():
        raise gpu_check.Skipped("no such tool")

    checks = gpu_check.GpuChecks(tmp_path)
    for name, work in (("good", lambda: "fine"), ("bad", fail), ("away", skip)):
        checks.check(name, work)
    gpu_check.report(checks, 1.0)
    record = json.loads((tmp_path / "report.json").read_text())
    assert (record["passed"], record["failed"], record["skipped"]) == (False, ["bad"], ["away"])
    assert [each["words"] for each in record["checks"]] == ["fine", "exit 5: wrong (logs/fails.txt)", "no such tool"]
    text = (tmp_path / "report.txt").read_text()
    assert "failed: bad" in text and "skipped: away" in text and "[exit 5]" in (tmp_path / "logs/fails.txt").read_text()
