"""NEXTSTAT_WITH_*: AUTO says what is built and why not, ON fails where it cannot, OFF leaves out."""

import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

pytestmark = pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="no cmake and ninja here")
NO_NVCC, NO_HEADERS = "-DNEXTSTAT_NVCC=", "-DNEXTSTAT_OPENCL_HEADERS="


def configure(folder, *options):
    command = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DNEXTSTAT_BUILD_TESTS=OFF", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("options, part", [
    ([NO_NVCC], "without CUDA: no nvcc was found"),
    ([NO_HEADERS], "without OPENCL: no OpenCL headers (CL/cl.h) were found"),
    (["-DNEXTSTAT_WITH_CUDA=OFF"], "without CUDA: switched off when it was built"),
    (["-DNEXTSTAT_WITH_OPENCL=OFF"], "without OPENCL: switched off when it was built"),
    ([], "without ROCM: this version has no ROCm session"),
    ([], "without WEBGPU: this version has no WebGPU session"),
])
def test_the_configure_step_says_what_is_built(tmp_path, options, part):
    code, said = configure(tmp_path, *options)
    assert code == 0 and f"Devices: {part}" in said, said


def test_a_compiler_that_is_found_is_used(tmp_path):
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\necho sm_50 sm_75 sm_90\n")
    nvcc.chmod(0o755)
    code, said = configure(tmp_path / "build", f"-DNEXTSTAT_NVCC={nvcc}", "-DNEXTSTAT_WITH_CUDA=ON")
    assert code == 0 and f"Devices: with CUDA: kernels by {nvcc}" in said, said
    assert "compute capabilities 75, 90" in said


@pytest.mark.parametrize("options, part", [
    (["-DNEXTSTAT_WITH_CUDA=ON", NO_NVCC], "NEXTSTAT_WITH_CUDA=ON: no nvcc was found"),
    (["-DNEXTSTAT_WITH_OPENCL=ON", NO_HEADERS], "NEXTSTAT_WITH_OPENCL=ON: no OpenCL headers"),
    (["-DNEXTSTAT_WITH_ROCM=ON"], "NEXTSTAT_WITH_ROCM=ON: this version has no ROCm session"),
    (["-DNEXTSTAT_WITH_WEBGPU=ON"], "NEXTSTAT_WITH_WEBGPU=ON: this version has no WebGPU session"),
    (["-DNEXTSTAT_WITH_CUDA=PERHAPS"], "it may be AUTO, ON or OFF"),
])
def test_on_fails_where_it_cannot_be_built(tmp_path, options, part):
    code, said = configure(tmp_path, *options)
    assert code != 0 and part in said, said


@pytest.mark.skipif(sys.platform == "darwin", reason="this is macOS")
@pytest.mark.parametrize("name", ["METAL", "ACCELERATE"])
def test_what_belongs_to_macos_is_refused_elsewhere(tmp_path, name):
    code, said = configure(tmp_path, f"-DNEXTSTAT_WITH_{name}=ON")
    assert code != 0 and "this is not macOS" in said
