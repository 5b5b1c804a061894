"""Vendors' libraries that find what a test wants, built from tests/data/fake_drivers."""

import os
import shutil
import subprocess

import pytest

from conftest import ROOT, answer, run_program


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
    return run_program(*arguments, env={**os.environ, "LD_LIBRARY_PATH": str(folder)})


def devices(folder, kind):
    """The entry of `nextstat devices` for one kind of device."""
    shown = answer("devices", env={**os.environ, "LD_LIBRARY_PATH": str(folder)})
    return next(entry for entry in shown["backends"] if entry["type"] == kind)
