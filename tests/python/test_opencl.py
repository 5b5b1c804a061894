"""OpenCL: loaders that are not as they should be, each reported with its stage; the cache of built programs."""

import json
import os

import pytest

import fake_drivers
from conftest import SIMPLE, answer, needs_program, run_program

pytestmark = needs_program


def opencl_here():
    return next(entry for entry in answer("devices")["backends"] if entry["type"] == "opencl")


def needs_build():
    error = opencl_here()["error"]
    if error and error["stage"] == "not built":
        pytest.skip(error["reason"])


BAD_LOADERS = {
    "lacks the call that launches": (["LACKS_LAUNCH"], "symbol missing", ["libOpenCL.so.1", "clEnqueueNDRangeKernel"]),
    "has no platform": (["PLATFORMS=0"], "no device", ["has no platform"]),
    "says that there is no platform": (["PLATFORM_STATUS=-1001"], "no device", ["has no platform"]),
    "does not start": (["PLATFORM_STATUS=-6"], "initialization failed", ["clGetPlatformIDs: CL_OUT_OF_HOST_MEMORY (-6)"]),
    "has no device": (["DEVICES=0"], "no device", ["no OpenCL platform has a device"]),
    "cannot list devices": (["DEVICE_STATUS=-5"], "initialization failed", ["clGetDeviceIDs: CL_OUT_OF_RESOURCES (-5)"]),
}


@pytest.mark.parametrize("macros, stage, parts", BAD_LOADERS.values(), ids=BAD_LOADERS.keys())
def test_a_loader_that_fails_is_reported_with_its_stage(tmp_path, macros, stage, parts):
    needs_build()
    error = fake_drivers.devices(fake_drivers.build(tmp_path, "libOpenCL", *macros), "opencl")["error"]
    assert error["stage"] == stage
    for part in parts:
        assert part in error["reason"]
    assert error["hint"]


def test_a_library_that_is_none_is_reported(tmp_path):
    needs_build()
    for name in ("libOpenCL.so.1", "libOpenCL.so"):
        (tmp_path / name).write_text("not a library")
    error = fake_drivers.devices(tmp_path, "opencl")["error"]
    assert error["stage"] == "library missing" and "libOpenCL.so" in error["reason"] and "install" in error["hint"]


@pytest.mark.parametrize("macros, fp64, kind", [([], "full", "gpu"), (["FP64=0"], "none", "gpu"), (["GPU=0"], "full", "cpu")])
def test_what_a_loader_says_is_shown(tmp_path, macros, fp64, kind):
    needs_build()
    entry = fake_drivers.devices(fake_drivers.build(tmp_path, "libOpenCL", *macros), "opencl")
    device = entry["devices"][0]
    assert (device["name"], device["fp64"], device["kind"], device["driver"]) == ("Fake OpenCL card", fp64, kind, "31.4")
    assert device["total_memory"] == 8 << 30 and device["free_memory"] is None


BROKEN_DEVICES = {
    "no context": (["CONTEXT_STATUS=-2"], ["clCreateContext: CL_DEVICE_NOT_AVAILABLE (-2)"]),
    "no program": (["BUILD_STATUS=-11"], ["clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11)", "line 7: the fake compiler gives up"]),
    "no memory": ([], ["allocating the model", "clCreateBuffer: CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)"]),
}


@pytest.mark.parametrize("macros, parts", BROKEN_DEVICES.values(), ids=BROKEN_DEVICES.keys())
def test_a_device_that_does_not_open_says_why(tmp_path, macros, parts):
    needs_build()
    folder = fake_drivers.build(tmp_path, "libOpenCL", *macros)
    done = fake_drivers.run_with(folder, "fit", SIMPLE, "--device", "opencl:0")
    assert done.returncode == 3
    for part in parts:
        assert part in done.stderr


# --- the cache --------------------------------------------------------------------------------------------------------


def fit_with_cache(folder):
    return run_program("fit", SIMPLE, "--device", "opencl:0", "--format", "json", env={**os.environ, "XDG_CACHE_HOME": str(folder)}, timeout=300)


def test_programs_are_cached_and_bad_entries_are_made_again(tmp_path):
    if not opencl_here()["available"]:
        pytest.skip(opencl_here()["error"]["reason"])
    first = fit_with_cache(tmp_path)
    assert first.returncode == 0, first.stderr
    entries = list((tmp_path / "nextstat/opencl").iterdir())
    assert len(entries) == 1 and entries[0].suffix == ".bin"
    good = entries[0].read_bytes()
    for bad in (b"", b"nextstat opencl program 1\n", good[:-7], good[:200] + b"x" + good[201:], b"\0" * 5000):
        entries[0].write_bytes(bad)
        again = fit_with_cache(tmp_path)
        assert again.returncode == 0 and json.loads(again.stdout)["bestfit"] == json.loads(first.stdout)["bestfit"]
        assert entries[0].read_bytes().startswith(b"nextstat opencl program 1\n") and entries[0].read_bytes() != bad
    assert [entry.name for entry in (tmp_path / "nextstat/opencl").iterdir()] == [entries[0].name]


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path):
    if not opencl_here()["available"]:
        pytest.skip(opencl_here()["error"]["reason"])
    (tmp_path / "nextstat").write_text("a file where the folder would be")
    done = fit_with_cache(tmp_path)
    assert done.returncode == 0, done.stderr


def two_processors():
    """What PoCL calls two devices are two ways to run on one processor; None where it has only one."""
    env = {**os.environ, "POCL_DEVICES": "basic pthread"}
    entry = next(entry for entry in answer("devices", env=env)["backends"] if entry["type"] == "opencl")
    return env if len(entry["devices"]) == 2 else None


def test_all_devices_share_the_toys_of_a_run(tmp_path):
    """Waves go to both devices, and the folder has the bytes of the CPU; one device alone is all of them."""
    needs_build()
    env = two_processors()
    if env is None:
        pytest.skip("no OpenCL platform with two devices")
    answers, files = {}, {}
    for name, device in {"cpu": "cpu", "one": "opencl:1", "both": "opencl:all"}.items():
        answers[name] = answer("toys", "run", SIMPLE, "--n-toys", 3000, "--out", tmp_path / name, "--device", device, env=env)
        files[name] = {path.name: path.read_bytes() for path in sorted((tmp_path / name).rglob("*.toys"))}
    assert answers["both"]["device"] == "opencl:all" and answers["one"]["device"] == "opencl:1"
    assert files["cpu"] and files["both"] == files["one"] == files["cpu"]
    alone = answer("fit", SIMPLE, "--device", "opencl:all", env={**env, "POCL_DEVICES": "basic"})
    assert alone["device"] == "opencl:0" and alone["nll"] == answer("fit", SIMPLE)["nll"]


def test_all_devices_of_a_kind_that_is_not_there():
    done = run_program("fit", SIMPLE, "--device", "metal:all", "--format", "json")
    assert done.returncode == 3 and "metal:all" in done.stderr
