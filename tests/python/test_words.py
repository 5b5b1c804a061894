"""Words that would mislead: installing by a name that is another project's on PyPI, entry points that a language does not have."""

import importlib.util
import re
import subprocess
import sys

import pytest

from conftest import ROOT

PLACES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml", "mkdocs.yml", "docs", "examples", "python", "src", "include",
          "cli", "scripts", "tests/python/package", "bench")
# An installer with the name as one of its arguments, or the name with extras, which only an installer knows.
BY_NAME = re.compile(r"""\b(?:pip3?|pipx|uv|conda|mamba|poetry)\b[^\n|;&`,]*?\b(?:install|add)\b[^\n|;&`,]*?[\s"'\\]nextstat(?![\w./-])
                         |\bnextstat\[\w""", re.X)


def text_files():
    for place in PLACES:
        path = ROOT / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts and file.suffix not in {".png", ".svg", ".so", ".pyc"}:
                yield file


def test_nothing_is_installed_by_a_name_that_belongs_to_another_project():
    files = list(text_files())
    assert len(files) > 500
    found = [f"{file.relative_to(ROOT)}:{number}: {line.strip()}" for file in files
             for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1) if BY_NAME.search(line)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("line, misleads", [
    ("pip install nextstat", True),
    ('python -m pip install --quiet "nextstat[plot]"', True),
    ("with `nextstat[plot]` installed", True),
    (r'match=\"pip install \"nextstat', True),
    ("conda install -c conda-forge nextstat", True),
    ('pip install ".[plot]"', False),
    ("pip install matplotlib, then import nextstat", False),
    ("auditwheel repair dist/nextstat-*.whl", False),
    ("pip install dist/nextstat-0.1.0.whl", False),
    ("`pip install .` installs the program `nextstat`", False),
])
def test_what_misleads_is_told_from_what_does_not(line, misleads):
    assert bool(BY_NAME.search(line)) is misleads


def test_the_entry_points_of_each_language_are_those_that_are_listed():
    folder = ROOT / "src/kernels"
    listed = {file: re.findall(r"`(\w+)`", names)
              for file, names in re.findall(r"^\| `(entry\.\w+)` \| (.*) \|$", (folder / "arguments.md").read_text(), re.M)}
    pattern = re.compile(r"^(?:EVALUATE|MINIMIZE)\((?!\.)(\w+)|(?:__kernel|^kernel|__global__) void (\w+)\((?!\w+, \w+\))", re.M)
    there = {file.name: ["".join(match) for match in pattern.findall(file.read_text())] for file in folder.glob("entry.*")}
    assert listed == there and len(there) == 3


# Strings of the library: what follows // is no string, and neither is an include.
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
VERBS = sorted(path.stem.removesuffix("_verb").replace("_", "-") for path in (ROOT / "cli/verbs").glob("*_verb.cpp"))
FLAG_OR_VERB = re.compile(r"(?<![\w-])--[a-z]|\bnextstat (?:" + "|".join(VERBS) + r")\b")


def strings(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.lstrip().startswith(("//", "#include", "*")):
            yield from ((number, text) for text in STRING.findall(line))


def test_the_library_does_not_speak_command_line():
    files = [path for path in sorted((ROOT / "src").rglob("*")) if path.suffix in {".h", ".cpp", ".cu", ".cl"}]
    assert len(files) > 200 and len(VERBS) > 20
    found = [f"{path.relative_to(ROOT)}:{number}: {text}" for path in files for number, text in strings(path) if FLAG_OR_VERB.search(text)]
    assert not found, "an error names fields, a warning none: include/nextstat/error.h\n" + "\n".join(found)


@pytest.mark.parametrize("text, speaks", [("widen it (--bounds NAME=LOW:HIGH)", True), ("`nextstat inspect` lists them", True),
                                          ("nextstat/fit/1", False), ("written by an earlier nextstat", False), ("a -- b", False)])
def test_command_line_is_recognized(text, speaks):
    assert bool(FLAG_OR_VERB.search(text)) is speaks


def test_python_does_not_repair_the_words_of_the_library():
    text = (ROOT / "python/nextstat/errors.py").read_text()
    assert not re.search(r"^import re$|^from re |\bre\.", text, re.M)


def voice(path):
    """{field: name} of a table of a voice."""
    return dict(re.findall(r'\{Field::(\w+), "([^"]+)",', (ROOT / path).read_text()))


def test_every_field_has_a_flag_and_an_argument():
    listed = re.search(r"enum class Field \{(.*?)\};", (ROOT / "include/nextstat/error.h").read_text(), re.S)[1]
    fields = set(re.findall(r"^\s+(\w+),$", listed, re.M)) - {"None"}
    assert len(fields) > 30
    assert set(voice("cli/screen/voice.cpp")) == set(voice("python/bindings/python_voice.cpp")) == fields
    assert set(re.findall(r"FieldName\{Field::(\w+),", (ROOT / "src/base/error.cpp").read_text())) == fields


def test_every_flag_of_the_voice_is_one_of_the_program(nextstat):
    offered = set()
    for verb in VERBS:
        words = verb.split("-") if verb in {"toys-run", "toys-merge", "toys-status"} else [verb]
        offered |= set(re.findall(r"--[a-z0-9-]+", nextstat(*words, "--help").stdout))
    missing = {field: flag for field, flag in voice("cli/screen/voice.cpp").items() if flag not in offered}
    assert not missing


# Names of NumPy and Minuit, and misspelled words that tests are about.
KNOWN_WORDS = ["merrors", "writeable", "chanels", "serch", "patchs", "outter", "staus", "aply"]


def written_files():
    """What people read: all text of the tree but licenses, pictures, measurements and what real workspaces print."""
    skipped = ("tests/golden/pyhf", "tests/golden/screens")
    return [file for place in (*PLACES, "tests") for file in ([ROOT / place] if (ROOT / place).is_file() else sorted((ROOT / place).rglob("*")))
            if file.is_file() and "__pycache__" not in file.parts and file.suffix not in {".png", ".svg", ".so", ".pyc", ".toys"}
            and not str(file.relative_to(ROOT)).startswith(("bench/results", *skipped))]


@pytest.mark.skipif(importlib.util.find_spec("codespell_lib") is None, reason="no codespell here")
def test_spelling():
    """American, as the interface has `minimize`."""
    command = [sys.executable, "-m", "codespell_lib", "--builtin", "clear,en-GB_to_en-US", "--ignore-words-list", ",".join(KNOWN_WORDS)]
    done = subprocess.run([*command, *map(str, written_files())], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = subprocess.run([*command, "-"], input="the col" + "our of the behav" + "iour", capture_output=True, text=True, timeout=60)
    assert "color" in wrong.stdout and "behavior" in wrong.stdout


def phrases():
    lines = (ROOT / "tests/phrases.txt").read_text().splitlines()
    return {odd: plain for odd, plain in (line.split(" -> ") for line in lines if line and not line.startswith("#"))}


def test_phrases_that_nobody_says():
    pattern = re.compile("|".join(rf"\b{re.escape(odd)}\b" for odd in phrases()), re.I)
    files = [file for file in written_files() if file.name != "phrases.txt"]
    assert len(files) > 500 and len(phrases()) > 8
    found = [f"{file.relative_to(ROOT)}:{number}: {match[0]} -> {phrases().get(match[0].lower(), '')}" for file in files
             for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1) if (match := pattern.search(line))]
    assert not found, "\n".join(found)
