"""`pip install .` in a new virtual environment: the package, the command line program, types, and a quick import."""

import importlib.util
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import PROGRAM, ROOT
from elf_file import ElfFile, missing_hardening

MOST_SECONDS = 360  # on two cores with nothing else to do
MOST_IMPORT_SECONDS = 0.15  # beyond NumPy's own

IMPORT = """
import time
import numpy
start = time.perf_counter()
import nextstat
print(time.perf_counter() - start)
"""
# What an import must not load: it is the user's to ask for.
HEAVY = ("matplotlib", "dask", "distributed", "scipy", "pyhf", "cabinetry", "tqdm", "rich", "IPython")


def test_importing_loads_numpy_and_nothing_heavy():
    code = f"import sys, nextstat; print([name for name in {HEAVY!r} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_importing_is_quick():
    """The best of several: the machine may be busy."""
    times = [float(subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout)
             for _ in range(7)]
    assert min(times) < MOST_IMPORT_SECONDS


def libraries(file):
    """{name: path} of the shared libraries that a file needs, itself or through others; without the C library and the loader."""
    run = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=True)
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", run.stdout, re.M))
    return {name: path for name, path in found.items() if not re.match(r"lib(c|m|dl|rt|pthread)\.so", name)}


def debian_package(path):
    """The package that a file belongs to, or None. Packages have a file where it lies, which a link above may hide."""
    for name in (path, str(Path(path).resolve()), path.removeprefix("/usr"), "/usr" + path):
        run = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False)
        if run.returncode == 0:
            return run.stdout.partition(":")[0]
    return None


@pytest.mark.skipif(not (shutil.which("ldd") and shutil.which("dpkg")), reason="not a Debian system")
def test_the_page_names_the_packages_of_every_library():
    module = Path(importlib.util.find_spec("nextstat._core").origin)
    page = (ROOT / "docs/install.md").read_text()
    packages = {name: debian_package(path) for name, path in libraries(module).items()}
    assert "libcrypto.so.3" in packages
    missing = {name: package for name, package in packages.items() if package and f"`{package}`" not in page}
    assert not missing


@pytest.mark.skipif(not shutil.which("ldd"), reason="no ldd here")
def test_the_program_needs_what_the_module_needs(nextstat):
    """The page shows what is missing by the program."""
    module = importlib.util.find_spec("nextstat._core").origin
    assert libraries(module) == libraries(PROGRAM)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """(environment's folder of programs, seconds that the installation took)."""
    folder = tmp_path_factory.mktemp("install") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    start = time.perf_counter()
    done = subprocess.run([str(folder / "bin/pip"), "install", "--disable-pip-version-check", str(ROOT)],
                          capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-4000:]
    return folder / "bin", time.perf_counter() - start


@pytest.mark.long
def test_an_installation_takes_minutes_and_answers(installed, tmp_path):
    programs, seconds = installed
    code = f"import nextstat; print(nextstat.fit({str(ROOT / 'examples/search.json')!r}))"
    answer = subprocess.run([str(programs / "python"), "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "FitResult: converged" in answer.stdout and "mu (POI)" in answer.stdout
    fit = subprocess.run([str(programs / "nextstat"), "version"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "0.1.0" in fit.stdout
    typed = subprocess.run([str(programs / "python"), "-c", "import nextstat, pathlib; "
                            "print((pathlib.Path(nextstat.__file__).parent / 'py.typed').is_file(),"
                            " (pathlib.Path(nextstat.__file__).parent / '_core.pyi').is_file())"],
                           capture_output=True, text=True, check=True, cwd=tmp_path)
    assert typed.stdout.split() == ["True", "True"]
    assert seconds < MOST_SECONDS


@pytest.mark.long
def test_an_installation_is_hardened(installed):
    programs, _ = installed
    (module,) = programs.parent.glob("lib/python*/site-packages/nextstat/_core*.so")
    assert not missing_hardening("program", ElfFile(programs / "nextstat"))
    assert not missing_hardening("module", ElfFile(module))
