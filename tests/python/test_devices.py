"""nextstat devices, nextstat doctor, --device: what is here, why the rest is not, and what is done about it."""

import json
import time

import pytest

import fake_drivers
from conftest import SIMPLE, answer, needs_program, run_program

pytestmark = [needs_program, pytest.mark.alone]

TYPES = ["cpu", "cuda", "rocm", "metal", "opencl", "webgpu"]
STAGES = {"not built", "library missing", "symbol missing", "initialization failed", "no device", "no fp64",
          "too little memory", "self-check failed"}


# --- nextstat devices -------------------------------------------------------------------------------------------------


def test_every_backend_is_listed_with_devices_or_a_reason(schema):
    shown = answer("devices")
    schema("devices", shown)
    assert [entry["type"] for entry in shown["backends"]] == TYPES
    for entry in shown["backends"]:
        assert entry["available"] == bool(entry["devices"]) == (entry["error"] is None)
        if entry["error"]:
            assert entry["error"]["stage"] in STAGES and entry["error"]["reason"] and entry["error"]["hint"]
    assert shown["backends"][0]["available"]
    assert shown["recommended"] in [entry["type"] for entry in shown["backends"] if entry["available"]]


def test_the_processor_is_measured():
    device = answer("devices")["backends"][0]["devices"][0]
    assert device["kind"] == "cpu" and device["fp64"] == "full" and device["name"]
    total = int(next(line for line in open("/proc/meminfo") if line.startswith("MemTotal")).split()[1]) * 1024
    assert 0 < device["free_memory"] <= device["total_memory"] <= total


def test_the_text_is_that_of_the_docs():
    done = run_program("devices", "--format", "table")
    lines = done.stdout.splitlines()
    assert lines[0] == "=== Available Backends ===" and lines[1] == "✓ CPU (CPU)"
    assert lines[-2] == "" and lines[-1].startswith("Recommended backend: ")
    for entry in answer("devices")["backends"]:
        mark = "✓" if entry["available"] else "✗"
        assert f"{mark} {entry['name']} ({entry['name']})" in lines
        if entry["error"]:
            assert f"    Error: {entry['error']['reason']}" in lines
    detail = run_program("devices", "--detail", "--format", "table").stdout
    assert detail.startswith(done.stdout.partition("GB (")[0]) and "hint: " in detail and "cpu:0" in detail


def test_without_a_driver_it_takes_a_moment():
    if answer("devices")["recommended"] != "cpu":
        pytest.skip("a device is here")
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run_program("devices")
        times.append(time.perf_counter() - start)
    assert min(times) < 0.3


# --- drivers that are not as they should be ---------------------------------------------------------------------------

BAD_DRIVERS = {
    "lacks the call that launches": (["LACKS_LAUNCH"], "symbol missing", ["libcuda.so.1", "cuLaunchKernel"]),
    "lacks several calls": (["LACKS_DEVICES"], "symbol missing", ["cuDeviceGet, cuDeviceGetName"]),
    "does not start": (["INIT=999"], "initialization failed", ["cuInit: CUDA_ERROR_UNKNOWN (unknown error)"]),
    "fails without a name": (["INIT=42"], "initialization failed", ["cuInit: error 42"]),
    "does not count": (["COUNT=3"], "initialization failed", ["cuDeviceGetCount: CUDA_ERROR_NOT_INITIALIZED"]),
    "says that there is no device": (["INIT=100"], "no device", ["CUDA 12.8", "sees no device"]),
    "counts no device": (["DEVICES=0"], "no device", ["CUDA 12.8", "sees no device"]),
    "does not know the memory": (["TOTAL=999"], "initialization failed", ["device 0: cuDeviceTotalMem"]),
    "has a broken device": (["BROKEN=1"], "initialization failed", ["device 0: cuDeviceGetName"]),
}


@pytest.mark.parametrize("macros, stage, parts", BAD_DRIVERS.values(), ids=BAD_DRIVERS)
def test_a_driver_that_fails_is_reported_with_its_stage(tmp_path, macros, stage, parts):
    folder = fake_drivers.build(tmp_path, "libcuda", *macros)
    entry = fake_drivers.devices(folder, "cuda")
    assert not entry["available"] and entry["error"]["stage"] == stage
    for part in parts:
        assert part in entry["error"]["reason"]
    done = fake_drivers.run_with(folder, "fit", SIMPLE, "--gpu", "cuda")
    assert done.returncode == 3 and entry["error"]["reason"] in done.stderr


def test_a_library_that_is_none_is_reported(tmp_path):
    (tmp_path / "libcuda.so.1").write_text("not a library")
    error = fake_drivers.devices(tmp_path, "cuda")["error"]
    assert error["stage"] == "library missing" and "libcuda.so.1" in error["reason"]


def test_no_library_is_reported():
    if any(entry["type"] == "cuda" and (entry["error"] or {}).get("stage") != "library missing"
           for entry in answer("devices")["backends"]):
        pytest.skip("a driver is here")
    error = answer("devices")["backends"][1]["error"]
    assert "no NVIDIA driver" in error["reason"] and "libcuda.so.1" in error["reason"] and "install" in error["hint"]


GOOD_DRIVERS = {
    "one device": ([], [("Fake card", 20 << 30)]),
    "two devices": (["DEVICES=2"], [("Fake card", 20 << 30), ("Second fake card", 20 << 30)]),
    "free memory cannot be asked": (["FREE=999"], [("Fake card", None)]),
    "no context to ask with": (["CONTEXT=999"], [("Fake card", None)]),
    "a broken device before a good one": (["DEVICES=2", "BROKEN=1"], [("Second fake card", 20 << 30)]),
}


@pytest.mark.parametrize("macros, expected", GOOD_DRIVERS.values(), ids=GOOD_DRIVERS)
def test_what_a_driver_says_is_shown(tmp_path, macros, expected):
    entry = fake_drivers.devices(fake_drivers.build(tmp_path, "libcuda", *macros), "cuda")
    if (entry["error"] or {}).get("stage") == "not built":  # said only where there is something to use
        assert "built without CUDA kernels" in entry["error"]["reason"]
        assert expected[0][0] in entry["error"]["reason"] and "NEXTSTAT_WITH_CUDA" in entry["error"]["hint"]
        return
    assert [(device["name"], device["free_memory"]) for device in entry["devices"]] == expected
    for device in entry["devices"]:
        assert device["total_memory"] == 24 << 30 and device["compute_capability"] == "9.1"
        assert device["kind"] == "gpu" and device["fp64"] == "slow" and device["driver"] == "12.8"
        assert device["index"] == (0 if device["name"] == "Fake card" else 1)


@pytest.mark.parametrize("macros, free", [([], 11 << 30), (["INIT=9"], 20 << 30), (["TOTAL_GB=80"], 20 << 30)],
                         ids=["known", "does not start", "another size: a part of a card"])
def test_free_memory_is_asked_of_the_management_library_first(tmp_path, macros, free):
    """The driver says 20 GB in a context, and the management library 11 GB without one."""
    folder = fake_drivers.build(tmp_path, "libcuda", "DEVICES=2")
    fake_drivers.build(folder, "libnvidia-ml", *macros)
    entry = fake_drivers.devices(folder, "cuda")
    if (entry["error"] or {}).get("stage") == "not built":
        pytest.skip("this build has no CUDA kernels")
    assert [device["free_memory"] for device in entry["devices"]] == [free, free]


def test_no_context_is_made_where_the_management_library_answers(tmp_path):
    folder = fake_drivers.build(tmp_path, "libcuda", "CONTEXT=999")
    fake_drivers.build(folder, "libnvidia-ml")
    entry = fake_drivers.devices(folder, "cuda")
    if (entry["error"] or {}).get("stage") == "not built":
        pytest.skip("this build has no CUDA kernels")
    assert entry["devices"][0]["free_memory"] == 11 << 30


def test_a_driver_that_cannot_compute_is_not_recommended(tmp_path):
    folder = fake_drivers.build(tmp_path, "libcuda")
    done = fake_drivers.run_with(folder, "devices", "--format", "json")
    assert json.loads(done.stdout)["recommended"] != "cuda"


# --- nextstat doctor --------------------------------------------------------------------------------------------------


def test_doctor_tests_every_device_that_is_here(schema):
    shown = answer("doctor")
    schema("doctor", shown)
    assert shown["ok"] and shown["instruction_set"] == answer("version")["instruction_set"]
    assert [entry["type"] for entry in shown["backends"]] == TYPES
    tests = [device["self_test"] for entry in shown["backends"] for device in entry["devices"]]
    assert tests and all(test["passed"] and test["error"] is None for test in tests)
    table = run_program("doctor", "--format", "table").stdout
    assert "self-test passed" in table and table.endswith("all available devices passed\n")


def test_doctor_finds_a_device_that_does_not_work(tmp_path, schema):
    folder = fake_drivers.build(tmp_path, "libcuda")
    done = fake_drivers.run_with(folder, "doctor", "--format", "json")
    shown = json.loads(done.stdout)
    schema("doctor", shown)
    cuda = shown["backends"][1]
    if cuda["devices"]:
        assert done.returncode == 3 and not shown["ok"] and not cuda["devices"][0]["self_test"]["passed"]
    else:
        assert done.returncode == 0 and cuda["error"]["stage"] == "not built"


# --- where questions are computed -------------------------------------------------------------------------------------

QUESTIONS = {
    "fit": ["fit", SIMPLE],
    "scan": ["scan", SIMPLE, "--points", "3"],
    "interval": ["interval", SIMPLE],
    "ranking": ["ranking", SIMPLE],
    "hypotest": ["hypotest", SIMPLE],
    "hypotest-toys": ["hypotest-toys", SIMPLE, "--n-toys", "20"],
    "cls": ["cls", SIMPLE],
    "upper-limit": ["upper-limit", SIMPLE],
    "significance": ["significance", SIMPLE],
    "goodness-of-fit": ["goodness-of-fit", SIMPLE],
    "goodness-of-fit-toys": ["goodness-of-fit", SIMPLE, "--toys", "20"],
    "toys-run": ["toys", "run", SIMPLE, "--n-toys", "20"],
    "feldman-cousins": ["feldman-cousins", SIMPLE, "--n-toys", "5"],
    "evaluate": ["evaluate", SIMPLE],
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_results_say_where_and_why(name, schema):
    done = run_program(*QUESTIONS[name], "--format", "json")
    shown = json.loads(done.stdout)
    schema(name, shown)
    assert (shown["device"], shown["precision"]) == ("cpu", "f64")
    assert shown["device_choice"] == "auto: too little work for a GPU"


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_device_that_is_not_there_is_exit_3_or_the_cpu_with_a_warning(name, schema):
    refused = run_program(*QUESTIONS[name], "--device", "webgpu")
    assert refused.returncode == 3 and refused.stdout == ""
    assert 'the device "webgpu" is not available: built without WebGPU' in refused.stderr and "--fallback" in refused.stderr
    allowed = run_program(*QUESTIONS[name], "--device", "webgpu", "--fallback", "--format", "json")
    shown = json.loads(allowed.stdout)
    schema(name, shown)
    assert shown["device"] == "cpu" and shown["device_choice"].startswith("fallback: ")
    assert "warning" in allowed.stderr and "the CPU is used instead" in allowed.stderr
    if "warnings" in shown:
        assert sum("the CPU is used instead" in warning for warning in shown["warnings"]) == 1


def test_a_mass_scan_asks_for_its_device_once(tmp_path, schema):
    folder = tmp_path / "points"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.json").write_text(SIMPLE.read_text())
    shown = answer("mass-scan", "--workspaces-dir", folder)
    schema("mass-scan", shown)
    assert shown["device"] == "cpu" and shown["device_choice"] == "auto: too little work for a GPU"
    refused = run_program("mass-scan", "--workspaces-dir", folder, "--device", "webgpu")
    assert refused.returncode == 3 and refused.stdout == ""
    allowed = run_program("mass-scan", "--workspaces-dir", folder, "--device", "webgpu", "--fallback", "--format", "json")
    assert allowed.returncode == 0 and allowed.stderr.count("the CPU is used instead") == 1
    assert run_program("mass-scan", "--workspaces-dir", folder, "--device", "gpuu").returncode == 2


@pytest.mark.parametrize("options, part", [
    (["--device", "gpu"], "there are auto, cpu, cuda"),
    (["--device", "cudaa"], "did you mean 'cuda'?"),
    (["--gpu", "cpu"], "is not a GPU"),
    (["--gpu", "auto"], "is not a GPU"),
    (["--gpu", ""], "is not a kind of device"),
    (["--device", "cuda:x"], "cuda:1"),
    (["--device", "cpu", "--gpu", "cuda"], "give one of them"),
])
def test_names_that_mean_nothing_are_exit_2(options, part):
    for verb in ("fit", "evaluate", "upper-limit"):
        done = run_program(verb, SIMPLE, *options)
        assert done.returncode == 2 and part in done.stderr, done.stderr
