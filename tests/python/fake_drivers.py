"""Vendors' libraries that find what a test wants, built from tests/data/fake_drivers."""

import json
import os
import shutil
import subprocess

import pytest

from conftest import PROGRAM, ROOT


def build(folder, library, *macros):
    """library = "libcuda": libcuda.so.1 in the folder, from libcuda.c."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler here")
    source = ROOT / f"tests/data/fake_drivers/{library}.c"
    target = folder / f"{library}.so.1"
    defines = [f"-D{macro}" for macro in macros]
    subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Werror", *defines, source, "-o", target], check=True)
    return folder


def run_with(folder, *arguments):
    """The program where the loader looks into the folder first."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=120)


def devices(folder, kind):
    """The entry of `nextstat devices` for one kind of device."""
    done = run_with(folder, "devices", "--format", "json")
    assert done.returncode == 0, done.stderr
    return next(entry for entry in json.loads(done.stdout)["backends"] if entry["type"] == kind)
