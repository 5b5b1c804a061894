"""The program and the Python module are hardened (cmake/NextstatHardening.cmake): read from the files as they were built.

Position independent, no memory that can be written and run, every symbol bound at start and its table read-only (full RELRO),
stack protector, checked calls of the C library, and on x86 marks where indirect calls may land (CET).
"""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess

import pytest

import elf_file
from conftest import PROGRAM, ROOT
from elf_file import ElfFile, missing_hardening

SANITIZERS = {"__asan_init", "__tsan_init", "__ubsan_handle_add_overflow"}
ENDBR64 = bytes.fromhex("f30f1efa")
START_FILES = {"program": ("Scrt1.o", "crti.o", "crtbeginS.o"), "module": ("crti.o", "crtbeginS.o")}


def module():
    try:
        found = importlib.util.find_spec("nextstat._core")
    except ImportError:
        found = None
    if found is None:
        pytest.skip("the package is not built: NEXTSTAT_BUILD_PYTHON=ON")
    return pathlib.Path(found.origin)


def read(path):
    """The file, where the promises are made for its kind."""
    try:
        file = ElfFile(path)
    except ValueError as reason:
        pytest.skip(str(reason))
    if file.imports & SANITIZERS:
        pytest.skip(f"{path} is built with a sanitizer, which replaces the checks")
    return file


@pytest.fixture(scope="module", params=["program", "module"])
def built(request):
    """(kind, file)"""
    if request.param == "program" and not PROGRAM.exists():
        pytest.skip(f"no program at {PROGRAM}; build it or set NEXTSTAT_BIN")
    return request.param, read(PROGRAM if request.param == "program" else module())


def test_the_file_is_hardened(built):
    assert not missing_hardening(*built)


def start_files(kind):
    """What the compiler links in front of our code, whose marks the linker wants too; [] where the compiler does not tell."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        return []
    paths = [pathlib.Path(subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip())
             for name in START_FILES[kind]]
    return paths if all(path.is_absolute() and path.exists() for path in paths) else []


def test_indirect_calls_land_on_marks(built):
    """The file claims it as a whole only where the system's start files do: those of Debian 12 do not, those of Ubuntu do."""
    kind, file = built
    if file.machine != elf_file.X86_64:
        pytest.skip("not x86-64")
    marks = file.code().count(ENDBR64)
    assert marks > 1000
    starts = start_files(kind)
    wanted = elf_file.IBT | elf_file.SHSTK
    if starts and all(ElfFile(path).features & wanted == wanted for path in starts):
        assert file.features & wanted == wanted


@pytest.mark.parametrize("options, missing", [
    ([], set()),
    (["-no-pie"], {"position independent", "a program that is placed anywhere"}),
    (["-Wl,-z,lazy"], {"all symbols bound at start"}),
    (["-Wl,-z,norelro"], {"a table of symbols that is read-only"}),
    (["-Wl,-z,execstack"], {"a stack that is not run"}),
    (["-fno-stack-protector"], {"a stack protector"}),
    (["-U_FORTIFY_SOURCE"], {"checked calls of the C library"}),
])
def test_what_is_missing_is_found(tmp_path, options, missing):
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no compiler here")
    source = tmp_path / "main.cpp"
    source.write_text("#include <cstdio>\nint main(int n, char** words) {\n  char text[9];\n"
                      '  std::snprintf(text, static_cast<unsigned>(n) * 3, "%s", words[0]);\n  return std::puts(text);\n}\n')
    hardened = ["-O2", "-fPIE", "-pie", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro,-z,now"]
    subprocess.run([compiler, *hardened, str(source), *options, "-o", str(tmp_path / "main")], check=True)
    assert set(missing_hardening("program", read(tmp_path / "main"))) == missing


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="no cmake and ninja here")
@pytest.mark.parametrize("options, hardened", [
    (["-DCMAKE_BUILD_TYPE=Release"], {"-fstack-protector-strong", "-D_FORTIFY_SOURCE"}),
    (["-DCMAKE_BUILD_TYPE=Debug"], {"-fstack-protector-strong"}),  # checked calls need the optimizer
    (["-DNEXTSTAT_HARDENING=OFF"], set()),
    (["-DCMAKE_CXX_FLAGS=-fsanitize=address"], set()),
])
def test_every_source_is_compiled_alike(tmp_path, options, hardened):
    subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DNEXTSTAT_BUILD_TESTS=OFF", *options], check=True, capture_output=True)
    commands = [entry["command"] for entry in json.loads((tmp_path / "compile_commands.json").read_text())]
    found = [{flag for flag in ("-fstack-protector-strong", "-D_FORTIFY_SOURCE") if flag in command} for command in commands]
    assert len(found) > 150 and all(flags == hardened for flags in found)
