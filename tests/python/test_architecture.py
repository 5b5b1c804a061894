"""Data flow one way: the includes of the source tree follow the arrows below, and nothing else.

A line of ARROWS is read "this folder may include from those"; "model/" is that folder with all of its rooms.
"""

import re
import shutil
import subprocess

import pytest

from conftest import ROOT

# folder of the including file -> folders it may include from (besides its own)
ARROWS = {
    "base": set(),
    "base/algebra": {"base"},
    "base/files": {"base"},
    "base/json": {"base"},
    "kernels": set(),
    "kernels/cuda": {"kernels"},
    "model/modifiers": set(),
    "model/parameters": {"base/", "model/modifiers"},
    "model/workspace": {"base/", "model/modifiers", "model/parameters"},
    "model/documents": {"base/", "model/workspace"},
    "model/compile": {"base/", "kernels", "model/parameters"},
    "model/data": {"base/", "kernels", "model/compile"},
    "model/draw": {"base/", "kernels", "model/compile"},
    "model/derivatives": {"base/", "kernels", "model/compile", "model/data"},
    "model": {"base/", "model/compile", "model/parameters", "model/workspace"},
    "device": {"base/", "kernels", "model/"},
    "cpu": {"base/", "kernels", "model/", "device"},
    "gpu": {"base/", "kernels", "model/", "device"},
    "cuda": {"base/", "kernels", "gpu", "device"},
    "opencl": {"base/", "kernels", "gpu", "device"},
    "minimize/curvature": {"base/", "kernels", "model/", "device"},
    "minimize/rows": {"base/", "kernels", "model/", "device", "minimize/curvature"},
    "minimize/basins": {"base/", "kernels", "model/", "device", "minimize/curvature", "minimize/rows"},
    "minimize": {"base/", "kernels", "model/", "device", "minimize/curvature", "minimize/rows", "minimize/basins"},
    "toy_folder": {"base/"},
    "infer/setup": {"base/", "model/", "device", "minimize/"},
    "infer/evaluate": {"base/", "model/", "device", "infer/setup"},
    "infer/profile": {"base/", "model/", "device", "minimize/", "infer/setup"},
    "infer/asymptotic": {"base/", "model/", "device", "minimize/", "infer/setup", "infer/profile"},
    "infer/toys": {"base/", "model/", "device", "minimize/", "toy_folder", "infer/setup", "infer/profile", "infer/asymptotic"},
    "infer/fit": {"base/", "model/", "device", "minimize/", "infer/setup", "infer/profile", "infer/toys"},
    "result": {"base/", "model/", "device", "infer/", "toy_folder"},
    # What people run is made of public headers alone: what it can do, a C++ program can.
    "cli": set(),
    "python": set(),
}
# folder -> the public headers that it implements, in files of the same name. They are the vocabulary of the library: including one
# is an arrow to its folder, not to a room of it.
HOMES = {
    "base": {"error", "matrix", "names", "result", "text", "threads", "version"},
    "base/files": {"files"},
    "base/json": {"json"},
    "model": {"model"},
    "model/documents": {"documents", "observations", "patchset"},
    "model/workspace": {"workspace"},
    "device": {"backends"},
    "cpu": {"likelihood"},
    "minimize/rows": {"termination"},
    "toy_folder": {"toy_folder"},
    "result": {"result_json"},
    "infer/setup": {"run", "session"},
    "infer/evaluate": {"evaluate", "rates", "regions"},
    "infer/profile": {"interval", "minima", "ranking", "scan"},
    "infer/asymptotic": {"hypotest", "mass_scan", "significance", "upper_limit"},
    "infer/toys": {"feldman_cousins", "goodness_of_fit_toys", "hypotest_toys", "significance_toys", "toys", "upper_limit_toys"},
    "infer/fit": {"fit", "fit_batch", "goodness_of_fit"},
}
HOME_OF = {f"nextstat/{name}.h": folder for folder, names in HOMES.items() for name in names}
# Headers that are implemented otherwise: nothing to implement, a file of another name, or the whole folder.
IMPLEMENTED_IN = {
    "matrix": None, "result": None,
    "threads": "base/parallel.cpp", "json": "base/json/json_text.cpp", "termination": "minimize/rows/row_task.cpp", "run": "infer/setup/setup.cpp",
    "minima": "infer/profile/minima_log.cpp", "workspace": "model/workspace/workspace_check.cpp",
    "documents": "model/documents/", "backends": "device/", "toy_folder": "toy_folder/", "result_json": "result/",
}
# What is made of public headers alone may include all of them.
INCLUDE_ALL = {"cli", "python"}
# Of the kernels, host code sees the layout of the tables and the scalar math; bodies belong to devices.
KERNELS_FOR_HOST = {"kernels/host.h", "kernels/layout.h", "kernels/solver_layout.h", "kernels/draw_layout.h"}
# Files that put bodies between the macros of the dialect, and what they include in the middle.
KERNELS_INSIDE = {
    "kernels/host.h": {"kernels/counts.h", "kernels/math.h", "kernels/interpolation.h", "kernels/draw_layout.h", "kernels/random.h", "kernels/normal.h",
                       "kernels/draw.h", "kernels/factorial.h"},
    "kernels/cuda/block.h": {"kernels/cuda/rows.h", "kernels/cuda/totals.h", "kernels/math.h", "kernels/interpolation.h",
                             "kernels/loops.h", "kernels/forward.h", "kernels/backward.h", "kernels/evaluate_row.h",
                             "kernels/solver.h", "kernels/control.h", "kernels/counts.h", "kernels/load_row.h",
                             "kernels/minimize_row.h"},
}
KERNEL_BODIES_FOR = {"cpu"}
# Compiled with the flags of an instruction set. An inline function of the standard library compiled there could be linked
# everywhere and fault on older machines, so nothing but dialect headers and these may be included.
PER_INSTRUCTION_SET = ["base/algebra/dense_kernel.cpp", "cpu/isa.cpp"]
DIALECT = {"base/algebra/dense_kernel.h", "cpu/kernels.h", "cpu/lanes.h",
           "cpu/metric_by_four.h",
           "kernels/layout.h", "kernels/loops.h", "kernels/math.h", "kernels/interpolation.h", "kernels/forward.h", "kernels/backward.h",
           "kernels/evaluate_row.h", "kernels/solver_layout.h", "kernels/solver.h", "kernels/control.h",
           "kernels/minimize_row.h"}
MOST_LINES = 400

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
STANDARD = re.compile(r"[a-z_0-9]+")  # <vector>, <cstdint>: no folder, no extension


def sources(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp"))


def includes(path):
    """[(name, quoted)] in the order of the file."""
    return [(a or b, bool(a)) for a, b in INCLUDE.findall(path.read_text())]


def folder_of(path):
    relative = path.relative_to(ROOT)
    if relative.parts[0] == "include":
        return HOME_OF[f"nextstat/{path.name}"]
    return str(relative.parent.relative_to("src")) if relative.parts[0] == "src" else relative.parts[0]


def top(folder):
    return folder.split("/")[0]


def may_include(source, target):
    return target == source or any(target == allowed or (allowed.endswith("/") and f"{target}/".startswith(allowed)) for allowed in ARROWS[source])


def may_speak_of(source, home):
    """Public headers, by folders alone."""
    return top(home) == top(source) or any(top(allowed) == top(home) for allowed in ARROWS[source])


def target_folder(path, name):
    """The folder that an include of the tree leads to; None for libraries and public headers."""
    if (ROOT / "src" / name).exists():
        return name.rpartition("/")[0]
    if path.is_relative_to(ROOT / "cli") and (ROOT / "cli" / name).exists():
        return "cli"
    if path.is_relative_to(ROOT / "python") and (ROOT / "python/bindings" / name).exists():
        return "python"
    return None


def wrong_arrows(path, listed):
    source = folder_of(path)
    for name, quoted in listed:
        target = target_folder(path, name)
        if name in HOME_OF and not quoted:
            home = HOME_OF[name]
            if source not in INCLUDE_ALL and not may_speak_of(source, home):
                yield f"{path.relative_to(ROOT)}: <{name}> belongs to {home}, and {source} may not include from there"
            continue
        if not quoted:
            if target is not None:
                yield f"{path.relative_to(ROOT)}: <{name}> is ours and wants quotes"
            continue
        if target is None:
            yield f'{path.relative_to(ROOT)}: "{name}" is no file of src or cli'
        elif top(target) == "kernels" and top(source) not in ("kernels", *KERNEL_BODIES_FOR) and name not in KERNELS_FOR_HOST:
            yield f'{path.relative_to(ROOT)}: "{name}" is for devices; host code includes {sorted(KERNELS_FOR_HOST)}'
        elif not may_include(source, target):
            yield f'{path.relative_to(ROOT)}: "{name}": {source} may not include from {target}'


def test_every_folder_of_the_library_has_a_line_in_the_table():
    folders = {folder_of(path) for path in sources("src")}
    assert folders <= set(ARROWS), "say in ARROWS what the new folder may include"
    assert set(ARROWS) - folders == {"cli", "python"}, "folders that are gone"


def test_the_table_has_no_circles():
    done = set()

    def below(folder, seen=()):
        assert folder not in seen, f"a circle: {' -> '.join([*seen, folder])}"
        if folder in done:
            return
        for target in ARROWS:
            if target != folder and may_include(folder, target):
                below(target, (*seen, folder))
        done.add(folder)

    for folder in ARROWS:
        below(folder)


def test_every_public_header_has_one_home():
    headers = {f"nextstat/{path.name}" for path in (ROOT / "include/nextstat").glob("*.h")} - {"nextstat/nextstat.h"}
    assert headers == set(HOME_OF), "say in HOMES which folder implements the header"
    assert sum(map(len, HOMES.values())) == len(HOME_OF)


def test_every_public_header_is_implemented_where_one_looks():
    for header, folder in HOME_OF.items():
        name = header.removeprefix("nextstat/").removesuffix(".h")
        place = IMPLEMENTED_IN.get(name, f"{folder}/{name}.cpp")
        if place is None:
            continue
        files = sorted((ROOT / "src" / place).glob("*.cpp")) if place.endswith("/") else [ROOT / "src" / place]
        own = [path.with_suffix(".h") for path in files if path.with_suffix(".h").exists()]
        assert files and any(f"<{header}>" in path.read_text() for path in [*files, *own]), f"{header} is not implemented in src/{place}"


def test_includes_follow_the_arrows():
    wrong = [line for path in sources("src", "cli", "python", "include") if path.name != "nextstat.h" for line in wrong_arrows(path, includes(path))]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("file, line", [
    ("src/base/files/files.cpp", '#include "base/json/fault_list.h"'),
    ("src/model/model.cpp", '#include "cpu/cpu_session.h"'),
    ("src/model/compile/compile.cpp", '#include "kernels/forward.h"'),
    ("src/infer/evaluate/evaluate.cpp", '#include "result/common_json.h"'),
    ("src/device/device_session.h", '#include "cpu/cpu_session.h"'),
    ("src/device/registry.cpp", '#include "cuda/cuda_backend.h"'),
    ("src/infer/setup/setup.cpp", '#include "cpu/cpu_session.h"'),
    ("src/gpu/queue.h", '#include "cuda/cuda_driver.h"'),
    ("src/cuda/cuda_backend.cpp", '#include "opencl/opencl_loader.h"'),
    ("src/cuda/cuda_queue.cpp", '#include "kernels/forward.h"'),
    ("src/toy_folder/merge.cpp", '#include "model/workspace/document_shape.h"'),
    ("cli/verbs/evaluate_verb.cpp", '#include "cpu/cpu_session.h"'),
    ("python/bindings/bind_fit.cpp", '#include "infer/setup/setup.h"'),
    ("src/model/model.cpp", "#include <base/json/fault_list.h>"),
    ("src/minimize/rows/solve.h", "#include <nextstat/fit.h>"),
    ("src/base/hash.cpp", "#include <nextstat/documents.h>"),
    ("include/nextstat/model.h", "#include <nextstat/run.h>"),
    ("src/model/model.cpp", '#include "fmt/format.h"'),
    ("src/model/parameters/sorted_view.h", '#include "model/workspace/workspace_reader.h"'),
    ("src/infer/profile/scan.cpp", '#include "infer/toys/toy_fits.h"'),
    ("src/base/parallel.cpp", '#include "base/json/fault_list.h"'),
])
def test_a_wrong_arrow_is_seen(file, line):
    """The test above can fail."""
    listed = [(a or b, bool(a)) for a, b in INCLUDE.findall(line + "\n")]
    assert len(list(wrong_arrows(ROOT / file, listed))) == 1


# Documents and results as JSON: headers that say that they need it, and that no other public header includes.
WITH_JSON = {"nextstat/json.h", "nextstat/documents.h", "nextstat/patchset.h", "nextstat/toy_folder.h", "nextstat/result_json.h"}


def test_public_headers_need_the_standard_library_only():
    wrong = []
    for path in sources("include"):
        for name, quoted in includes(path):
            needs_json = str(path.relative_to(ROOT / "include")) in WITH_JSON
            ours = name.startswith("nextstat/") and (ROOT / "include" / name).exists() and (needs_json or name not in WITH_JSON)
            assert not needs_json or "Needs nlohmann-json." in path.read_text(), path
            if quoted or not (ours or STANDARD.fullmatch(name) or (needs_json and name == "nlohmann/json.hpp")):
                wrong.append(f"{path.relative_to(ROOT)}: {name}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_nextstat_h_includes_every_public_header_that_needs_no_json():
    path = ROOT / "include/nextstat/nextstat.h"
    opening = path.read_text().partition("#pragma once")[0]
    others = {f"nextstat/{header.name}" for header in sources("include")} - {"nextstat/nextstat.h"}
    assert WITH_JSON <= others
    assert sorted(name for name, _ in includes(path)) == sorted(others - WITH_JSON)
    assert {f"nextstat/{name}" for name in re.findall(r"\w+\.h\b", opening)} == WITH_JSON, "its opening names those that it leaves out"


def test_kernel_headers_include_nothing():
    for path in sources("src/kernels"):
        relative = str(path.relative_to(ROOT / "src"))
        inside = KERNELS_INSIDE.get(relative, set())
        extra = [name for name, quoted in includes(path) if name not in inside and not (inside and not quoted)]
        assert not extra, f"{relative} includes {extra}"


def test_files_per_instruction_set_include_the_dialect_only():
    seen, waiting = set(), list(PER_INSTRUCTION_SET)
    while waiting:
        file = waiting.pop()
        for name, _ in includes(ROOT / "src" / file):
            assert name in DIALECT, f"{file} includes {name}, which is no dialect header"
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    assert seen, "nothing was read"
    unused = DIALECT - seen
    assert not unused, f"no longer included there: {sorted(unused)}"


def test_what_is_compiled_per_instruction_set_is_that_file():
    flags = re.compile(r"-march=|-mavx|-mprefer")
    for path in cmake_files():
        for line in path.read_text().splitlines():
            if flags.search(line):
                assert path.name == "NextstatInstructionSets.cmake", f"{path.relative_to(ROOT)}: {line.strip()}"


def cmake_files():
    if shutil.which("git") and (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*CMakeLists.txt", "*.cmake"],
                                cwd=ROOT, capture_output=True, text=True, check=True)
        files = [ROOT / name for name in listed.stdout.split()]
    else:
        files = [*ROOT.glob("*/**/CMakeLists.txt"), *ROOT.glob("cmake/*.cmake"), ROOT / "CMakeLists.txt"]
    return [path for path in files if path.exists()]


def test_cmake_lists_its_files_by_name():
    assert cmake_files()
    wrong = [str(p.relative_to(ROOT)) for p in cmake_files() if re.search(r"\bGLOB(_RECURSE)?\b|aux_source_directory", p.read_text())]
    assert not wrong, f"explicit file lists, no GLOB: {wrong}"


def test_no_file_needs_a_table_of_contents():
    lengths = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in sources("src", "cli", "include", "python")}
    lengths |= {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in (ROOT / "python").rglob("*.py")}
    offenders = [f"{name}: {length} lines" for name, length in lengths.items() if length > MOST_LINES]
    assert not offenders, f"over {MOST_LINES} lines, make two of each:\n" + "\n".join(offenders)


# Of C++ files, wherever they are, so that a name in a message or an editor's tab means one file. Examples are for users.
WITH_UNIQUE_NAMES = ("src", "cli", "include", "python", "tests", "bench")


def test_every_file_has_a_name_of_its_own():
    places = {}
    for folder in WITH_UNIQUE_NAMES:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".h", ".cpp", ".cu", ".cl", ".metal") and "tests/data" not in str(path):
                places.setdefault(path.name, []).append(str(path.relative_to(ROOT)))
    shared = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert len(places) > 500
    assert not shared, shared
