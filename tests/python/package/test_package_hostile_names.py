"""Names from workspaces in Python: reprs, HTML and exceptions show them as visible characters, by the rule of the command line."""

import os
import subprocess
import sys
import unicodedata

import pytest

nextstat = pytest.importorskip("nextstat")

import hostile_names as names  # noqa: E402
from nextstat import pyhf as on_nextstat  # noqa: E402
from nextstat.results import base  # noqa: E402


@pytest.fixture(scope="module")
def model():
    return nextstat.Model.from_workspace(names.workspace())


@pytest.fixture(scope="module")
def answers(model, tmp_path_factory):
    """The record of every question, with and without toys."""
    folder = tmp_path_factory.mktemp("toys") / names.hostile("folder")
    digest = nextstat.load_workspace(names.workspace()).digest()
    toys = {"n_toys": 20}
    return [
        nextstat.fit(model, minos=True),
        nextstat.fit_batch(model, [model.observed_data] * 2),
        nextstat.fit_toys(model, **toys),
        nextstat.profile_scan(model, [0.0, 1.0]),
        nextstat.profile_scan(model, [0.0, 1.0], parameter2=names.ALPHA, values2=[0.0, 1.0]),
        nextstat.profile_ci(model),
        nextstat.ranking(model, groups={names.GROUP: [names.ALPHA]}),
        nextstat.hypotest(1.0, model, return_result=True),
        nextstat.hypotest_toys(1.0, model, out=folder, return_result=True, **toys),
        nextstat.upper_limit(model),
        nextstat.upper_limit(model, calctype="toys", n_toys=20, max_toys=400),
        nextstat.significance(model),
        nextstat.significance(model, calctype="toys", **toys),
        nextstat.goodness_of_fit(model),
        nextstat.goodness_of_fit(model, toys=20),
        nextstat.feldman_cousins(model, values=[0.0, 1.0], **toys),
        nextstat.mass_scan(names.workspace(), names.patchset(digest)),
        nextstat.mass_scan(models={names.hostile("label"): model}),
    ]


def records_in(value):
    if isinstance(value, base.Record):
        yield value
        value = list(vars(value).values())
    if isinstance(value, (list, tuple)):
        for entry in value:
            yield from records_in(entry)


def kinds_below(kind):
    for below in kind.__subclasses__():
        yield below
        yield from kinds_below(below)


def assert_shown_safely(value):
    for text in (repr(value), str(value), f"{value}"):
        names.assert_safe(text)
    if hasattr(value, "_repr_html_"):
        names.assert_safe(value._repr_html_())


def test_every_record(answers):
    seen = list(records_in(answers))
    for record in seen:
        assert_shown_safely(record)
    missing = {kind for kind in kinds_below(base.Record)} - {type(record) for record in seen} - {base.Result, base.Searched}
    assert not missing, "every kind of record is shown here"
    assert any("\\x1b[2J" in repr(record) for record in seen)
    assert answers[0].poi == names.POI, "the fields keep the names"


def test_other_objects(model):
    workspace = nextstat.load_workspace(names.workspace())
    for value in (model, workspace, nextstat.devices(), *model.parameters):
        assert_shown_safely(value)


def raised(call, *arguments, **more):
    with pytest.raises(Exception) as caught:
        call(*arguments, **more)
    return caught.value


def test_exceptions(model, tmp_path):
    bad = names.hostile("nothing")
    errors = [
        raised(nextstat.load_workspace, names.broken()),
        raised(nextstat.load_workspace, tmp_path / names.hostile("missing.json")),
        raised(nextstat.load_workspace, os.fsdecode(b"\xff\x9b.json")),
        raised(nextstat.Model.from_workspace, names.workspace(), measurement=bad),
        raised(nextstat.fit, model, fixed={bad: 1.0}),
        raised(nextstat.fit, model, fixed=[bad]),
        raised(nextstat.fit, model, device=bad),
        raised(nextstat.profile_scan, model, [0.0], **{bad: 1}),
        raised(nextstat.profile_scan, model, [0.0], parameter=bad),
        raised(nextstat.fit(model).uncertainty_of, bad),
        raised(nextstat.toys_status, tmp_path / bad),
        raised(nextstat.load_workspace, ""),
    ]
    for error in errors:
        assert isinstance(error, nextstat.Error), error
        assert_shown_safely(error)
        for fault in error.faults:
            assert_shown_safely(fault)
    assert names.ATTACK in errors[4].faults[0].what, "faults keep the names"
    assert "the path is empty" in str(errors[-1])


def test_objects_and_exceptions_of_the_pyhf_interface():
    workspace = on_nextstat.Workspace(names.workspace())
    patches = on_nextstat.PatchSet(names.patchset("0" * 64))
    for value in (workspace, patches, patches["patch"]):
        assert_shown_safely(value)
    bad = names.hostile("nothing")
    for error in (
        raised(workspace.model, measurement_name=bad),
        raised(on_nextstat.Workspace, names.broken()),
        raised(on_nextstat.PatchSet, names.patchset("0" * 64, names.hostile("patch"))),
        raised(workspace.prune, channels=[bad]),
        raised(patches.__getitem__, bad),
        raised(patches.verify, workspace),
        raised(workspace.model, poi_name=bad),
        raised(on_nextstat.Workspace.combine, workspace, on_nextstat.Workspace(names.workspace(observed=(1.0, 2.0))), join="outer"),
    ):
        for text in (repr(error), str(error)):
            assert not {c for c in text if unicodedata.category(c) in names.HIDDEN} - {"\n", "\t"}, (error, text)


@pytest.mark.parametrize("words", [
    ["inspect", "{workspace}"], ["inspect", "{broken}"], ["sort", "{workspace}"], ["fit", "{workspace}"],
    ["prune", "{workspace}", "-c", names.hostile("nothing")], ["patchset", "inspect", "{patchset}"], ["patchset", "inspect", "{other}"],
    ["patchset", "verify", "{workspace}", "{patchset}"], ["digest", "{workspace}"], ["fit", "{missing}"], [names.hostile("what")],
    ["fit", "{workspace}", names.hostile("--option")],
], ids=lambda words: " ".join(words)[:24].encode("ascii", "replace").decode().split("?")[0].strip())
def test_the_command_line_of_the_pyhf_interface(words, tmp_path):
    documents = {"workspace": names.workspace(), "broken": names.broken(), "patchset": names.patchset("0" * 64),
                 "other": names.patchset("0" * 64, names.hostile("patch"))}
    for name, document in documents.items():
        (tmp_path / f"{name}.json").write_text(names.text_of(document), encoding="utf-8")
    paths = {f"{{{name}}}": tmp_path / f"{name}.json" for name in documents} | {"{missing}": tmp_path / names.hostile("m")}
    done = subprocess.run([sys.executable, "-m", "nextstat.pyhf", *(str(paths.get(word, word)) for word in words)],
                          capture_output=True, timeout=120)
    assert done.stdout or done.stderr
    for text in (done.stdout, done.stderr.replace(b"\t", b"")):
        names.assert_safe(text)


def test_one_rule_for_all_characters():
    """The rule is Unicode's: control and format characters and separators of lines are escaped, all others stay."""
    from nextstat import screen

    for code in range(0x110000):
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Cn" or category == "Cs":  # newer versions of Unicode may have assigned some
            continue
        hidden = category in names.HIDDEN
        shown = screen.printable(character)
        assert (shown != character) == hidden, f"U+{code:04X} {category}"
        if hidden:
            assert shown == ascii(character)[1:-1].replace("\\n", "\\x0a").replace("\\t", "\\x09").replace("\\r", "\\x0d")
    assert screen.printable_lines("a\nb\x1b") == "a\nb\\x1b"
    assert screen.printable("\udcff") == "\\udcff"


def test_what_is_written_in_place_and_empty_paths(tmp_path):
    path = tmp_path / "w.json"
    path.write_text(names.text_of(names.workspace()), encoding="utf-8")
    (tmp_path / "link").symlink_to(path)
    before = path.read_bytes()
    for words, said in ((["sort", path, "--output-file", tmp_path / "link"], b"would replace it"), (["sort", ""], b"path is empty"),
                        (["sort", path, "--output-file", ""], b"path is empty")):
        done = subprocess.run([sys.executable, "-m", "nextstat.pyhf", *map(str, words)], capture_output=True, timeout=120)
        assert done.returncode == 2 and said in done.stderr, done
    assert path.read_bytes() == before
