"""The shell blocks of a page run as somebody would type them: from the top, in one shell, in a new folder with examples/*.json.

A ```console block has commands after "$ " and what they print; a line "..." stands for any number of lines. A ```sh block has
commands alone, and each must succeed. A variable that no block sets is an error. <!-- not run: reason --> above a block leaves it out.
Every block names its language, so that no command hides in a block without one. nextstat and python are on the PATH.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
BLOCK = re.compile(r"(?P<reason><!-- not run: [^>]+ -->\n+)?^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.M | re.S)
LANGUAGES = {"cmake", "console", "cpp", "json", "python", "sh", "text", "xml"}


def blocks(text):
    """(line, language, text) of every block that is not left out."""
    for match in BLOCK.finditer(text):
        if match["reason"] is None:
            yield text.count("\n", 0, match.start("text")) + 1, match["language"], match["text"]


def commands(text):
    """(line, command, what it prints or None) in the order of the page. None: commands that must succeed."""
    for line, language, block in blocks(text):
        if language == "sh":
            yield line, block, None
        elif language == "console":
            parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block, flags=re.M)
            assert parts[0].strip() == "", f"line {line}: a console block starts with a command"
            yield from ((line, command, shown) for command, shown in zip(parts[1::2], parts[2::2]))


def matches(expected, printed):
    pattern = "".join(".*" if line == "..." else re.escape(line) + r"\n" for line in expected.splitlines())
    return re.fullmatch(pattern, printed, re.S)


def script(steps, answers):
    """One shell for the whole page. It ends at a variable that is not set, and in a block of commands at the first that fails."""
    lines = ["set -u"]
    for number, (_, command, shown) in enumerate(steps):
        strict, free = ("set -e\n", "\nset +e") if shown is None else ("", "")
        lines.append(f"exec > {answers}/{number} 2>&1 < /dev/null\n{strict}{command}{free}\necho $? > {answers}/{number}.code")
    return "\n".join(lines) + "\n"


def fault(shown, answer):
    """What is wrong with an answer, or None. Where an error is shown, the exit code may be one."""
    printed = answer.read_text() if answer.exists() else ""
    code = answer.with_suffix(".code")
    if not code.exists():
        return f"the shell ended\n--- printed\n{printed}"
    if shown is not None and not matches(shown, printed):
        return f"--- shown\n{shown}--- printed\n{printed}"
    failed = code.read_text().strip() != "0"
    if failed and all(line == "..." for line in (shown or "").splitlines()):
        return f"exit {code.read_text()}--- printed\n{printed}"
    return None


def faults(text, folder):
    """Runs the commands of a page in a new folder; (line, command, what is wrong) of the first that goes wrong, or None."""
    page, answers = folder / "page", folder / "answers"
    shutil.copytree(ROOT / "examples", page / "examples", ignore=lambda path, names: [n for n in names if not n.endswith(".json")])
    answers.mkdir()
    steps = list(commands(text))
    environment = {name: os.environ[name] for name in ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH") if name in os.environ}
    environment["PATH"] = os.pathsep.join([str(PROGRAM.parent), os.path.dirname(sys.executable), os.environ["PATH"]])
    subprocess.run(["bash", "-c", script(steps, answers)], cwd=page, env=environment, timeout=300)
    for number, (line, command, shown) in enumerate(steps):
        wrong = fault(shown, answers / str(number))
        if wrong:
            return f"line {line}\n$ {command}\n{wrong}"
    return None


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES if any(commands(page.read_text()))])
def test_a_page_can_be_followed_from_the_top(page, tmp_path, nextstat):
    wrong = faults(page.read_text(), tmp_path)
    assert wrong is None, f"{page.relative_to(ROOT)}, {wrong}"


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES])
def test_every_block_names_its_language(page):
    text = page.read_text()
    found = {(text.count("\n", 0, match.start()) + 1, match["language"]) for match in BLOCK.finditer(text)}
    assert 2 * len(found) == len(re.findall(r"^ *```", text, re.M)), "a block is not closed as it is opened"
    assert not [(line, language) for line, language in found if language not in LANGUAGES]


def console(*lines):
    return "```console\n" + "\n".join(lines) + "\n```\n"


@pytest.mark.parametrize("text, wrong", [
    (console("$ echo 1 > made", "$ ls -d examples made", "examples", "made") + "then\n```sh\nwc -l made\n```\n", None),
    (console("$ word=here") + console("$ echo $word", "here"), None),
    (console("$ echo one \\", "  two", "one two"), None),
    (console("$ seq 3", "1", "...", "3"), None),
    (console("$ ls absent", "...absent...", "..."), "--- shown"),
    (console("$ ls absent", "ls: cannot access 'absent': No such file or directory"), None),
    ("<!-- not run: reason -->\n```sh\nfalse\n```\n", None),
    ("```sh\nfalse\ntrue\n```\n", "the shell ended"),
    (console("$ false"), "exit 1"),
    (console("$ ls absent", "..."), "exit 2"),
    (console("$ mkdir run") + console("$ mkdir run"), "--- shown"),
    (console("$ echo 1 > $TMP/made", "..."), "TMP: unbound variable"),
    (console("$ echo 1", "2"), "--- printed\n1"),
])
def test_a_page_that_cannot_be_followed_is_found(text, wrong, tmp_path, monkeypatch):
    monkeypatch.setenv("TMP", str(tmp_path))
    found = faults(text, tmp_path)
    assert found is None if wrong is None else wrong in found, found
