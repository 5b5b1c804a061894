"""Errors as people read them: tests/golden/errors.txt has every one as the command line prints it and as Python raises it."""

import inspect
import json
import os
import re
import shlex

import pytest

import nextstat
from conftest import ROOT, needs_program, run_program
from nextstat.run import run_options

FILE = ROOT / "tests/golden/errors.txt"
HEADER, *BLOCKS = re.split(r"^## ", FILE.read_text(), flags=re.M)


def title(block):
    return block.partition("\n")[0]


def changed(document, change):
    copy = json.loads(json.dumps(document))
    change(copy)
    return copy


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Workspaces that are fine, and some with one fault each."""
    at = tmp_path_factory.mktemp("errors")
    simple = json.loads((ROOT / "examples/simple.json").read_text())
    documents = {
        "simple": simple,
        "all": json.loads((ROOT / "tests/data/all_modifiers.json").read_text()),
        "background": changed(simple, lambda d: [c["samples"].__delitem__(i) for c in d["channels"]
                                                 for i in reversed(range(len(c["samples"]))) if c["samples"][i]["name"] == "signal"]),
        "unobserved": changed(simple, lambda d: d["observations"].pop()),
        "short": changed(simple, lambda d: d["channels"][0]["samples"][0]["data"].pop()),
        "unknown_modifier": changed(simple, lambda d: d["channels"][0]["samples"][0]["modifiers"][0].update(type="normfaktor")),
        "nothing": changed(simple, lambda d: [s.update(data=[0.0] * len(s["data"]), modifiers=[]) for c in d["channels"]
                                              for s in c["samples"] if s["name"] != "signal"]
                           + [s.update(data=[0.0] * len(s["data"]), modifiers=[{"name": "mu", "type": "normfactor", "data": None}])
                              for c in d["channels"] for s in c["samples"] if s["name"] == "signal"]),
        "two": [{"name": "signal_region", "data": [1, 2]}, {"name": "control_region", "data": [1, 2, 3]}],
        "negative": [{"name": "signal_region", "data": [-1, 2, 3, 4]}, {"name": "control_region", "data": [5, 6, 7]}],
        "groups": {"theory": ["zzzz"]},
        "patch": [{"op": "remove", "path": "/channel/0"}],
    }
    for name, document in documents.items():
        (at / f"{name}.json").write_text(json.dumps(document, indent=1))
    (at / "cut.json").write_text((ROOT / "examples/simple.json").read_text()[:300])
    (at / "twice.json").write_text((ROOT / "examples/simple.json").read_text().replace('"version"', '"channels": [], "version"'))
    (at / "folder").mkdir()
    assert run_program("toys", "run", "simple.json", "--n-toys", 20, "--out", "done", cwd=at).returncode == 0
    return at


def said(block, folder, monkeypatch):
    command, question = re.search(r"^\$ nextstat (.*)$", block, re.M)[1], re.search(r"^>>> (.*)$", block, re.M)[1]
    done = run_program(*shlex.split(command), "--format", "table", cwd=folder)
    assert done.returncode != 0, done.stdout
    monkeypatch.chdir(folder)
    with pytest.raises(nextstat.Error) as caught:
        eval(question, {"nextstat": nextstat})  # noqa: S307 - our own file
    raised = f"{type(caught.value).__name__}: {caught.value}"
    text = f"{title(block)}\n$ nextstat {command}\n{done.stderr}>>> {question}\n{raised}\n\n"
    return re.sub("(available here: ).*(; or leave)", r"\1(those of the processor)\2", text)


@needs_program
@pytest.mark.parametrize("block", BLOCKS, ids=title)
def test_error_words(block, folder, monkeypatch):
    text = said(block, folder, monkeypatch)
    if os.environ.get("NEXTSTAT_UPDATE_SCREENS"):
        FILE.write_text(FILE.read_text().replace(f"## {block}", f"## {text}"))
    else:
        assert text.rstrip() == block.rstrip()


def test_there_are_enough():
    assert len(BLOCKS) >= 60 and len({title(block) for block in BLOCKS}) == len(BLOCKS)


def test_every_argument_of_the_voice_is_one_of_the_package():
    functions = [getattr(nextstat, name) for name in nextstat.__all__]
    functions = [function for function in functions if inspect.isfunction(function)]
    functions += [run_options, nextstat.Model.from_workspace, nextstat.Workspace.combine, nextstat.Workspace.digest]
    names = {name for function in functions for name in inspect.signature(function).parameters}
    names |= set(dir(nextstat.Model))
    table = (ROOT / "python/bindings/python_voice.cpp").read_text()
    missing = [name for name in re.findall(r'\{Field::\w+, "([^"]+)",', table) if name not in names]
    assert not missing
