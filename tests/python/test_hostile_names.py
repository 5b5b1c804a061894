"""Names from files cannot steer a terminal: every verb prints them, in tables, in JSON and in messages, as visible characters."""

import hashlib
import json
import os
import re
import subprocess

import pytest

import hostile_names as names
from conftest import PROGRAM

COMMANDS = {
    "inspect": [["{workspace}"], ["{other poi}"]],
    "validate": [["{broken}"], ["{workspace}"]],
    "evaluate": [["{workspace}", "--gradient", "--expected", "--data", "{data}"], ["{workspace}", "--parameters", "{point}"]],
    "fit": [["{workspace}", "--all", "--minos", names.POI], ["{workspace}", "--validation-regions", names.OTHER_CHANNEL],
            ["{other poi}", "--fixed", names.ALPHA + "=0"]],
    "scan": [["{workspace}", "--points", "3"],
             ["{workspace}", "--points", "2", "--parameter2", names.ALPHA, "--start2", "0", "--stop2", "1", "--points2", "2"]],
    "interval": [["{workspace}", "--parameter", names.ALPHA]],
    "feldman-cousins": [["{workspace}", "--n-toys", "20", "--points", "2", "--start", "0", "--stop", "2"]],
    "ranking": [["{workspace}", "--groups", "{groups}"]],
    "hypotest": [["{workspace}"]],
    "hypotest-toys": [["{workspace}", "--n-toys", "20", "--out", "{new}"]],
    "cls": [["{workspace}"]],
    "upper-limit": [["{workspace}"], ["{workspace}", "--calctype", "toys", "--n-toys", "20", "--max-toys", "400"]],
    "significance": [["{workspace}"], ["{workspace}", "--calctype", "toys", "--n-toys", "20"]],
    "goodness-of-fit": [["{workspace}", "--toys", "20"]],
    "mass-scan": [["--workspaces-dir", "{folder}"], ["{workspace}", "--patchset", "{patchset}"]],
    "toys run": [["{workspace}", "--n-toys", "20", "--keep", names.ALPHA, "--out", "{new}"]],
    "toys merge": [["{run}", "--out", "{new}"]],
    "toys status": [["{run}"]],
    "digest": [["{workspace}"]],
    "combine": [["{workspace}", "{workspace}", "--join", "left outer"]],
    "prune": [["{workspace}", "-c", names.OTHER_CHANNEL]],
    "rename": [["{workspace}", "-c", names.CHANNEL, names.hostile("renamed")]],
    "sort": [["{workspace}"]],
    "patchset extract": [["{patchset}", "--name", "patch", "--with-metadata"]],
    "patchset apply": [["{workspace}", "{patchset}", "--name", "patch"]],
    "patchset verify": [["{workspace}", "{patchset}"]],
    "patchset inspect": [["{patchset}"]],
    "bench": [["--no-progress", "--compare", "{bench}"]],
    "devices": [["--detail"]],
    "doctor": [[]],
    "version": [[]],
}
# Verbs that say no name of the workspace in their result.
NAMELESS = {"cls", "digest", "goodness-of-fit", "patchset verify", "toys merge", "bench", "devices", "doctor", "version"}


def run(*words):
    words = [word if isinstance(word, bytes) else os.fsencode(str(word)) for word in words]
    return subprocess.run([PROGRAM, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


def check(done):
    names.assert_safe(done.stdout)
    names.assert_safe(done.stderr)
    assert b"internal error" not in done.stderr


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The documents that the commands name, in files with hostile names."""
    folder = tmp_path_factory.mktemp("files")
    paths = {"{folder}": folder / names.hostile("folder")}
    paths["{folder}"].mkdir()

    def keep(key, document, place=folder):
        paths[key] = place / names.hostile(key.strip("{}") + ".json")
        paths[key].write_text(names.text_of(document), encoding="utf-8")

    keep("{workspace}", names.workspace())
    keep("{of folder}", names.workspace(), paths["{folder}"])
    (paths["{folder}"] / (names.hostile("point") + ".json")).write_text(names.text_of(names.broken()), encoding="utf-8")
    keep("{broken}", names.broken())
    keep("{other poi}", names.workspace(poi=names.hostile("nowhere")))
    keep("{data}", {name: [50, 50] for name in (names.CHANNEL, names.OTHER_CHANNEL)})
    keep("{point}", [{names.POI: 1.0}, {names.POI: 2.0}])
    keep("{groups}", {names.GROUP: [names.ALPHA]})
    digest = run("digest", paths["{workspace}"]).stdout.decode().strip().partition(":")[2]
    keep("{patchset}", names.patchset(digest))
    keep("{other patchset}", names.patchset(names.hostile("digest"), names.hostile("patch")))
    case = {"name": "fit-small", "median_s": 1.0, "spread": 0.1, "n": 1}
    keep("{bench}", {"cases": [case], "instruction_set": names.hostile("set")})
    paths["{run}"] = folder / names.hostile("run")
    assert run("toys", "run", paths["{workspace}"], "--n-toys", "20", "--out", paths["{run}"]).returncode == 0
    return paths


@pytest.fixture
def words_of(files, tmp_path):
    def words(verb, arguments):
        paths = {**files, "{new}": tmp_path / names.hostile("new")}
        return [*verb.split(), *(paths.get(word, word) for word in arguments)]

    return words


def listed(*words):
    """The verbs that `nextstat WORDS --help` lists."""
    text = run(*words, "--help").stdout.decode()
    section = re.search(r"^(?:Verbs|SUBCOMMANDS|Subcommands):\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  ([a-z-]+) ", section[1], re.MULTILINE) if section else []


def test_every_verb_is_among_the_commands():
    verbs = [" ".join((verb, *inner)) for verb in listed() for inner in ([(sub,) for sub in listed(verb)] or [()])]
    assert sorted(verbs) == sorted(COMMANDS)


@pytest.mark.parametrize("output", ["table", "json"])
@pytest.mark.parametrize("verb", COMMANDS)
def test_results(verb, output, words_of):
    for number, arguments in enumerate(COMMANDS[verb]):
        words = words_of(verb, arguments)
        if "{new}" in arguments:  # a new folder for every run
            words = [f"{word}{number}{output}" if str(word).endswith("FORGED") and "new" in str(word) else word for word in words]
        done = run(*words, "--format", output)
        check(done)
        assert done.stdout and done.returncode in (0, 1, 2), done
        texts = list(names.strings_of(json.loads(done.stdout))) if output == "json" else []
        if number > 0 or verb in NAMELESS:
            continue
        if output == "json":
            assert any(names.ATTACK in text for text in texts), "JSON keeps names as they are"
        else:
            assert b"\\x1b[2J" in done.stdout or b"\\u001b[2J" in done.stdout, done


@pytest.mark.parametrize("output", ["table", "json"])
@pytest.mark.parametrize("verb", COMMANDS)
def test_errors(verb, output, words_of, files, tmp_path):
    """A file that is not there, a document that is wrong, and words that mean nothing."""
    missing, invalid = tmp_path / names.hostile("missing.json"), tmp_path / os.fsdecode(b"\xff\x9b31m.json")
    invalid.write_bytes(b'{"\xff\x1b[2J": 1}')
    for arguments in COMMANDS[verb]:
        replaced = [i for i, word in enumerate(arguments) if word.startswith("{") and word != "{new}"]
        for path in (missing, invalid, files["{broken}"], files["{other patchset}"]) if replaced else ():
            words = words_of(verb, arguments)
            words[len(verb.split()) + replaced[0]] = path
            done = run(*words, "--format", output)
            check(done)
            if output == "json" and done.stderr:
                json.loads(done.stderr[done.stderr.index(b"{"):])
    for wrong in (names.hostile("--unknown"), names.hostile("unexpected"), b"\xff\x9b31m"):
        done = run(*words_of(verb, COMMANDS[verb][0]), wrong, "--format", output)
        assert done.returncode == 2
        check(done)


def test_names_that_do_not_exist(files):
    """Messages that quote the name asked for and the names that there are."""
    for option in ("--measurement", "--parameter", "--poi"):
        done = run("scan", files["{workspace}"], option, names.hostile("nothing"), "--points", "2")
        assert done.returncode == 2
        check(done)
    for options in (["--fixed", names.hostile("x") + "=1"], ["--fit-regions", names.hostile("x")], ["--data", files["{groups}"]]):
        done = run("fit", files["{workspace}"], *options)
        assert done.returncode == 2
        check(done)


def test_documents_keep_their_digest(files, tmp_path):
    """Escapes in JSON are another spelling of the same text: value and digest (pyhf's formula) stay."""
    out = tmp_path / "sorted.json"
    assert run("sort", files["{workspace}"], "-o", out).returncode == 0
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["measurements"] == names.workspace()["measurements"]
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False).encode("utf-8")
    for path in (out, tmp_path / "raw.json"):
        path.write_bytes(canonical) if path != out else None
        assert run("digest", path).stdout.decode().strip() == "sha256:" + hashlib.sha256(canonical).hexdigest()
