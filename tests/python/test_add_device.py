"""A device is added by the steps of docs/backends.md: a folder of src and one line of the registry, nothing else.

The tree is copied and configured anew, but only the new files and the registry are compiled; they are linked with what the build of
the program under test has.
"""

import os
import re
import shlex
import shutil
import subprocess

import pytest

from conftest import PROGRAM, ROOT, answer
from test_contributing import copy_tree, insert, recipe

BUILD = PROGRAM.parents[1]
REGISTRY = "src/device/backends.def"
STAND_INS = ROOT / "tests/data/fake_device"


def steps():
    return recipe("Adding a device", "docs/backends.md")


def test_the_steps_touch_one_folder_and_one_line():
    changes = steps()
    new = [file for file, how, _, _ in changes if how == "new"]
    assert new and len({os.path.dirname(file) for file in new}) == 1 and all(file.startswith("src/") for file in new)
    others = [(file, how, text) for file, how, _, text in changes if how != "new"]
    assert [(file, how) for file, how, _ in others] == [(REGISTRY, "instead of")]
    assert len(others[0][2].splitlines()) == 1


def run(*command, cwd):
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def cached(variable):
    found = re.search(rf"^{variable}:[A-Z]+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else ""


def configure(tree):
    kept = [f"-D{name}={cached(name)}" for name in ("CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS")]
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    run("cmake", "-S", tree, "-B", tree / "build", "-G", "Ninja", "-DNEXTSTAT_BUILD_TESTS=OFF", *kept, *launcher, cwd=tree)


def objects_of(tree, *sources):
    """Compiles what the new build has for these sources of src."""
    listed = run("ninja", "-t", "targets", "all", cwd=tree / "build")
    wanted = []
    for source in sources:
        found = [name for name in re.findall(r"^(\S+\.o): ", listed, re.M) if re.sub(r"CMakeFiles/\w+\.dir/", "", name) == f"src/{source}.o"]
        assert len(found) == 1, f"the build has {found} for src/{source}"
        wanted += found
    run("ninja", "-j2", *wanted, cwd=tree / "build")
    return [tree / "build" / name for name in wanted]


def link(objects, target):
    """As the program under test was linked, with these objects before its library."""
    command = run("ninja", "-t", "commands", "bin/nextstat", cwd=BUILD).splitlines()[-1]
    library = re.search(r"\S*libnextstat\.a", command)[0]
    assert " -o bin/nextstat " in command
    command = command.replace(" -o bin/nextstat ", f" -o {shlex.quote(str(target))} ")
    command = command.replace(library, " ".join([*(shlex.quote(str(one)) for one in objects), library]), 1)
    subprocess.run(["bash", "-c", command], cwd=BUILD, check=True)
    return target


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    for tool in ("cmake", "ninja", "cc"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")
    if not (BUILD / "build.ninja").exists() or not list(BUILD.glob("src/libnextstat.a")):
        pytest.skip(f"{BUILD} is no Ninja build with a static library")
    tree = tmp_path_factory.mktemp("tree")
    copy_tree(tree)
    (tree / "src/rocm").mkdir()
    shutil.copy(STAND_INS / "rocm_queue.cpp", tree / "src/rocm")
    for change in steps():
        insert(tree, *change)
    configure(tree)
    # The quick build has all of src/device in one object.
    device = [f"device/{path.name}" for path in sorted((tree / "src/device").glob("*.cpp"))]
    objects = objects_of(tree, "rocm/rocm_backend.cpp", "rocm/rocm_queue.cpp", *device)
    return link(objects, tree / "nextstat")


def ask(program, *arguments, libraries=""):
    return answer(*arguments, program=program, env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})


@pytest.mark.long
def test_a_new_device_is_seen_chosen_and_checked(program, tmp_path):
    rocm = {entry["type"]: entry for entry in ask(program, "devices")["backends"]}["rocm"]
    assert rocm["error"]["stage"] == "library missing" and "libamdhip64.so.6" in rocm["error"]["reason"]

    subprocess.run(["cc", "-shared", "-fPIC", STAND_INS / "libamdhip64.c", "-o", tmp_path / "libamdhip64.so.6"], check=True)
    shown = ask(program, "devices", libraries=tmp_path)
    rocm = {entry["type"]: entry for entry in shown["backends"]}["rocm"]
    assert [(device["name"], device["total_memory"]) for device in rocm["devices"]] == [("AMD GPU", 1 << 30), ("AMD GPU", 2 << 30)]
    others = [entry["type"] for entry in shown["backends"]]
    assert others == ["cpu", "cuda", "rocm", "metal", "opencl", "webgpu"]

    checked = {entry["type"]: entry for entry in ask(program, "doctor", libraries=tmp_path)["backends"]}["rocm"]
    assert [device["self_test"]["passed"] for device in checked["devices"]] == [True, True]
    fitted = ask(program, "evaluate", ROOT / "examples/simple.json", "--device", "rocm:1", libraries=tmp_path)
    plain = ask(program, "evaluate", ROOT / "examples/simple.json", libraries=tmp_path)
    assert fitted["nll"] == plain["nll"] and (fitted["device"], plain["device"]) == ("rocm:1", "cpu")
