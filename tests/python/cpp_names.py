"""Names that the public headers declare, as clang lists them: nothing of this is shared with what writes the reference."""

import functools
import re
import shutil
import subprocess

import pytest

from conftest import ROOT

# Forward declarations of internals, parameters of templates, and what no user writes: moves, destructors, private members.
INTERNAL = re.compile(r"nextstat::(?:CompiledModel|CheckedWorkspace|compiled_model|LentSession|lend|Session::(?:Opened|Session|opened|answer_here|operator=|~Session)|Model::(?:Data|Model|made|operator=)|Likelihood::(?:Ready|Likelihood|operator=|~Likelihood)"
                      r"|PatchSet::PatchSet|(?:Named::)?Value|Result::(?:T|checked)|.*_)")


@functools.cache
def declared_names():
    """{"nextstat::fit", "nextstat::FitResult::nll", ...}."""
    compiler = next(filter(shutil.which, ("clang++", "clang++-19", "clang++-18")), None)
    if compiler is None:
        pytest.skip("no clang++ here; scripts/bootstrap --test installs one")
    source = "".join(f"#include <nextstat/{path.name}>\n" for path in sorted((ROOT / "include/nextstat").glob("*.h")))
    run = subprocess.run([compiler, "-std=c++20", f"-I{ROOT / 'include'}", "-fsyntax-only", "-Xclang", "-ast-list", "-x", "c++", "-"],
                         input=source, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    names = {re.sub(r"<T>$", "", line) for line in run.stdout.splitlines() if line.startswith("nextstat::")}
    return {name for name in names if not INTERNAL.fullmatch(name)}
