"""The C++ examples at the top of every public header and in the pages compile as they stand.

A header's example is what is indented in its opening comment. Examples may use what ASSUMED names, as their readers would; the rest
they declare. A page's ```cpp block is one too, unless its first line is a comment that says to which file it belongs (recipes, tested
where they are followed) or it is a whole program, which tests/package builds, links and runs.
"""

import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
from cpp_headers import example, read_header  # noqa: E402

HEADERS = sorted((ROOT / "include/nextstat").glob("*.h"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^(?P<indent> *)```cpp\n(?P<code>.*?)^(?P=indent)```$", re.M | re.S)
RECIPE = re.compile(r"// \S+, (?:new|below: .*|instead of: .*)\n")
COMPILER = shutil.which("g++") or shutil.which("clang++")
# What stands at hand where an example begins.
ASSUMED = """\
  const Workspace& workspace, const Model& model, std::span<const double> data, const std::string& text,
  const std::string& background_text, const std::string& patchset_text, const Json& document, const Json& background,
  const Json& left, const Json& right"""


def fragments():
    """[(where, code)] of every example that is no program."""
    found = [(f"{path.relative_to(ROOT)}:{first_line(path)}", example(read_header(path))) for path in HEADERS]
    for page in PAGES:
        text = page.read_text()
        for match in BLOCK.finditer(text):
            code = match["code"]
            if not RECIPE.match(code.lstrip()) and "int main(" not in code:
                found.append((f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, match.start('code')) + 1}", code))
    return found


def first_line(path):
    """The line of a header where its example begins."""
    return next((number for number, line in enumerate(path.read_text().splitlines(), 1) if line.startswith("//   ")), 1)


def unit(examples):
    """One translation unit: a function for each example, in a scope of its own below what is assumed."""
    lines = [f"#include <nextstat/{path.name}>" for path in HEADERS] + ["#include <iostream>", "using namespace nextstat;"]
    for number, (where, code) in enumerate(examples):
        file, _, line = where.rpartition(":")
        body = re.sub(r"^#include .*$", "", code, flags=re.M)
        lines.append(f'void example_{number}(\n{ASSUMED}) {{\n{{\n#line {line} "{file}"\n{body}\n}}\n}}')
    return "\n".join(lines) + "\n"


def compile_errors(examples, folder):
    """What the compiler says about the examples; "" = they compile."""
    source = folder / "examples.cpp"
    source.write_text(unit(examples))
    # -w: an example may look at a value and do nothing with it.
    run = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-w", f"-I{ROOT / 'include'}", str(source)], capture_output=True,
                         text=True, timeout=300)
    return run.stderr if run.returncode else ""


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_a_header_says_what_it_is_for_and_shows_its_smallest_use(header):
    read = read_header(header)
    assert read.opening and read.opening[0] and not read.opening[0].startswith(" ")
    assert example(read), "indent the example by two spaces below what the header is for"


def test_the_examples_compile(tmp_path):
    examples = fragments()
    assert len(examples) > len(HEADERS), "the README has one more"
    assert compile_errors(examples, tmp_path) == ""


def test_includes_of_a_page_are_public_headers_or_the_standard_library():
    for page in PAGES:
        for block in BLOCK.finditer(page.read_text()):
            for name in [] if RECIPE.match(block["code"].lstrip()) else re.findall(r"#include <([^>]+)>", block["code"]):
                assert (ROOT / "include" / name).exists() or re.fullmatch(r"[a-z_]+", name), f"{page.relative_to(ROOT)}: {name}"


def test_an_example_that_does_not_compile_is_found(tmp_path):
    said = compile_errors([("a.h:1", "fit(model);"), ("b.h:7", "fit(model)->best_fit;")], tmp_path)
    assert "b.h:7" in said and "best_fit" in said and "a.h" not in said
