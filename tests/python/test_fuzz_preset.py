"""The preset `fuzz` takes the newest clang++ on the PATH that can link a fuzz target, and says what to install where none can."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT

TOOLS = {name: shutil.which(name) for name in ("cmake", "ninja", "g++", "as", "ld", "sh")}
pytestmark = pytest.mark.skipif(not all(TOOLS.values()), reason="no cmake, ninja and g++ here")

# Passes for a clang++ with libFuzzer: g++ without the options that it does not know.
FIT = """#!/bin/sh
for argument do
  shift
  case $argument in -fsanitize=*) ;; *) set -- "$@" "$argument" ;; esac
done
case "$*" in *fuzz_probe.cpp*) exit 0 ;; esac
exec {compiler} "$@"
"""
UNFIT = "#!/bin/sh\nexit 1\n"


def configure(folder, path, *options):
    """(exit code, the compiler of the build or None, what was said) of `cmake --preset fuzz` with this PATH."""
    command = [TOOLS["cmake"], "--preset", "fuzz", "-B", folder, f"-DCMAKE_MAKE_PROGRAM={TOOLS['ninja']}", "-DNEXTSTAT_BUILD_TESTS=OFF", *options]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PATH": str(path)}, capture_output=True, text=True)
    cache = folder / "CMakeCache.txt"
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    return done.returncode, compiler and compiler[1], " ".join((done.stdout + done.stderr).split())


@pytest.fixture
def programs(tmp_path):
    """programs(clang++-19=FIT, ...): a folder that has these scripts and what a compiler itself calls."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("as", "ld", "sh"):
        (folder / name).symlink_to(TOOLS[name])

    def put(scripts):
        for name, text in scripts.items():
            (folder / name).write_text(text.format(compiler=TOOLS["g++"]))
            (folder / name).chmod(0o755)
        return folder

    return put


@pytest.mark.parametrize("scripts, chosen", [
    ({"clang++": FIT, "clang++-16": FIT, "clang++-21": FIT}, "clang++-21"),
    ({"clang++": FIT, "clang++-16": FIT, "clang++-21": UNFIT}, "clang++-16"),
    ({"clang++": FIT}, "clang++"),
])
def test_the_newest_fit_compiler_is_chosen(tmp_path, programs, scripts, chosen):
    folder = programs(scripts)
    code, compiler, said = configure(tmp_path / "build", folder)
    assert (code, compiler) == (0, str(folder / chosen)), said


def test_a_compiler_that_is_named_is_taken(tmp_path, programs):
    folder = programs({"clang++-21": FIT, "mine": FIT})
    code, compiler, said = configure(tmp_path / "build", folder, f"-DCMAKE_CXX_COMPILER={folder}/mine")
    assert (code, compiler) == (0, str(folder / "mine")), said


@pytest.mark.parametrize("scripts, found", [({}, "none"), ({"clang++-15": UNFIT}, "{folder}/clang++-15")])
def test_without_a_fit_compiler_the_error_says_what_to_install(tmp_path, programs, scripts, found):
    folder = programs(scripts)
    code, _, said = configure(tmp_path / "build", folder)
    assert code != 0
    assert f"found without them: {found.format(folder=folder)}." in said and "libclang-rt-19-dev" in said, said


@pytest.mark.skipif(not any(shutil.which(name) for name in ("clang++", *(f"clang++-{version}" for version in range(14, 41)))),
                    reason="no clang++ here")
def test_the_compilers_of_this_machine_configure(tmp_path):
    code, compiler, said = configure(tmp_path, os.environ["PATH"])
    if "found without them: /" in said:
        pytest.skip("no clang++ here has libFuzzer")
    assert code == 0 and "clang++" in compiler, said
