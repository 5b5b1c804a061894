"""The command line keeps its word: help that runs, tables for people and JSON for programs, exit codes, where the
workspace comes from, and results as docs/schemas describes them."""

import functools
import json
import re
import shlex
import subprocess

import pytest

from conftest import ALL_MODIFIERS, PROGRAM, SIMPLE, answer, needs_program, on_terminal, run_program, without_times, write
from small_workspaces import patchset_of
from toy_runs import write_run

HEADER = ["schema", "nextstat_version", "workspace_digest", "device", "precision", "wall_time_s"]

pytestmark = needs_program


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


# --- help -----------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def verbs_of(*words):
    """The verbs that `nextstat WORDS --help` lists."""
    if not PROGRAM.exists():
        return []
    section = re.search(r"^Verbs:\n((?:  .*\n)+)", run_program(*words, "--help").stdout, re.MULTILINE)
    return re.findall(r"^  (\S+)", section[1], re.MULTILINE) if section else []


COMMANDS = [()] + [(verb,) for verb in verbs_of()] + [(verb, inner) for verb in verbs_of() for inner in verbs_of(verb)]


def examples_of(help_text):
    lines = re.findall(r"^Example: (.+)$", help_text, re.MULTILINE)
    if "Examples:\n" in help_text:
        lines += re.findall(r"^  (nextstat .+)$", help_text.split("Examples:\n")[1], re.MULTILINE)
    return lines


@pytest.fixture
def desk(tmp_path):
    """A folder with the files that the examples of the help name."""
    text = SIMPLE.read_text().replace("search", "Nominal").replace("control_region", "CR_top")
    workspace = json.loads(text)
    write(tmp_path / "workspace.json", workspace)
    write(tmp_path / "electrons.json", workspace)
    muons = json.loads(text.replace("CR_top", "CR_mu").replace("signal_region", "SR_mu"))
    write(tmp_path / "muons.json", muons)
    background, signals = json.loads(text), []
    for number, channel in enumerate(background["channels"]):
        signals.append({"op": "add", "path": f"/channels/{number}/samples/0", "value": channel["samples"].pop(0)})
    write(tmp_path / "background.json", background)
    write(tmp_path / "patchset.json", patchset_of(background, {"C1N2_Wh_hbb_300_75": ([300, 75], signals)}, ["m1", "m2"]))
    write_run(tmp_path / "run")
    write_run(tmp_path / "shard-1", (1, 2))
    write_run(tmp_path / "shard-2", (2, 2))
    return tmp_path


def test_help_lists_verbs():
    assert {("inspect",), ("evaluate",), ("validate",), ("patchset", "apply")} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words) or "nextstat")
def test_help_shows_an_example_that_runs(command, desk):
    shown = run_program(*command, "--help")
    assert shown.returncode == 0 and shown.stderr == ""
    examples = examples_of(shown.stdout)
    assert examples, "the help of a command ends with an example"
    for example in examples:
        words = shlex.split(example)
        assert words[0] == "nextstat" and tuple(words[1 : 1 + len(command)]) == command
        done = run_program(*words[1:], cwd=desk)
        assert done.returncode == 0, f"{example}\n{done.stderr}"


def test_without_words_the_help_goes_to_standard_error():
    done = run_program()
    assert done.returncode == 2 and done.stdout == "" and "Verbs:" in done.stderr


# --- tables and JSON ------------------------------------------------------------------------------------------------

QUESTIONS = {
    "inspect": (["inspect", SIMPLE], "top_normalisation"),
    "validate": (["validate", SIMPLE], "valid"),
    "evaluate": (["evaluate", SIMPLE, "--gradient", "--expected", "--hessian"], "2 NLL"),
    "version": (["version"], "instruction set"),
    "fit": (["fit", SIMPLE], "converged"),
    "scan": (["scan", SIMPLE, "--points", "5"], "2 dNLL"),
    "interval": (["interval", SIMPLE], "confidence level"),
    "ranking": (["ranking", SIMPLE], "jet_energy_scale"),
    "hypotest": (["hypotest", SIMPLE], "CLsb"),
    "cls": (["cls", SIMPLE], "CLs of mu = 1"),
    "upper-limit": (["upper-limit", SIMPLE], "is excluded at 95% CL"),
    "significance": (["significance", SIMPLE], "expected at mu = 1"),
    "goodness-of-fit": (["goodness-of-fit", SIMPLE], "saturated"),
}


@pytest.mark.parametrize("question, word", QUESTIONS.values(), ids=QUESTIONS)
def test_a_table_on_a_terminal_and_json_in_a_pipe(question, word):
    code, seen = on_terminal(*question, stderr=subprocess.DEVNULL)
    assert code == 0 and word in seen and not is_json(seen)
    assert is_json(run_program(*question).stdout)


@pytest.mark.parametrize("question, word", QUESTIONS.values(), ids=QUESTIONS)
def test_format_decides_both_ways(question, word):
    code, seen = on_terminal(*question, "--format", "json", stderr=subprocess.DEVNULL)
    assert code == 0 and is_json(seen)
    table = run_program(*question, "--format", "table").stdout
    assert word in table and not is_json(table)
    assert table == on_terminal(*question, stderr=subprocess.DEVNULL)[1]


@pytest.mark.parametrize("question, word", QUESTIONS.values(), ids=QUESTIONS)
def test_output_is_json_whoever_watches(question, word, tmp_path):
    code, seen = on_terminal(*question, "-o", tmp_path / "terminal.json", stderr=subprocess.DEVNULL)
    assert code == 0 and word in seen and not is_json(seen)
    piped = run_program(*question, "--output", tmp_path / "pipe.json")
    assert piped.returncode == 0 and piped.stdout == ""
    texts = [without_times((tmp_path / name).read_text()) for name in ("terminal.json", "pipe.json")]
    assert texts[0] == texts[1] == without_times(run_program(*question).stdout)


# --- exit codes and messages ----------------------------------------------------------------------------------------

WRONG = {
    "no such verb": (["evaluat"], "did you mean 'evaluate'?"),
    "no such option": (["evaluate", SIMPLE, "--gradien"], "did you mean '--gradient'?"),
    "no such file": (["inspect", "nowhere.json"], "nowhere.json"),
    "given twice": (["inspect", SIMPLE, "-i", SIMPLE], "twice"),
    "no such measurement": (["inspect", SIMPLE, "--measurement", "serch"], "search"),
    "measurement out of range": (["inspect", SIMPLE, "--measurement", "1"], "counted from 0"),
    "no such parameter": (["evaluate", SIMPLE, "--parameters", "muu=1"], "did you mean 'mu'?"),
    "value without a number": (["evaluate", SIMPLE, "--parameters", "mu=one"], "mu=one"),
    "value not finite": (["evaluate", SIMPLE, "--parameters", "mu=inf"], "mu=inf"),
    "no such code": (["evaluate", SIMPLE, "--histosys-code", "code4"], "code4p"),
    "no such POI": (["evaluate", SIMPLE, "--poi", "nu"], "nu"),
    "patchset without a name": (["evaluate", SIMPLE, "--patchset", SIMPLE], "--patch-name"),
    "no such instruction set": (["evaluate", SIMPLE, "--instruction-set", "mmx"], "mmx"),
    "negative threads": (["evaluate", SIMPLE, "--threads", "-1"], "--threads"),
    "one word too many": (["inspect", SIMPLE, "--measurement", "search", "more.json"], "more.json"),
    "output nowhere": (["inspect", SIMPLE, "-o", "/nowhere/out.json"], "/nowhere/out.json"),
}


@pytest.mark.parametrize("arguments, part", WRONG.values(), ids=WRONG)
def test_wrong_use_is_exit_2_with_a_next_step(arguments, part):
    done = run_program(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert part in done.stderr and "hint:" in done.stderr


@pytest.mark.parametrize("arguments, part", WRONG.values(), ids=WRONG)
def test_errors_are_json_when_asked(arguments, part, schema):
    done = run_program(*arguments, "--format", "json")
    assert done.returncode == 2 and done.stdout == ""
    report = json.loads(done.stderr)
    schema("error", report)
    assert part in report["where"] + report["what"] + report["hint"]


def test_a_broken_workspace_is_exit_2_for_every_verb(tmp_path):
    document = json.loads(SIMPLE.read_text())
    document["channels"][1]["samples"][0]["data"].append(1.0)
    path = write(tmp_path / "broken.json", document)
    for verb in ("inspect", "evaluate"):
        done = run_program(verb, path)
        assert done.returncode == 2 and "/channels/1/samples/0" in done.stderr
    report = answer("validate", path, code=2)
    assert report["ok"] is False and "/channels/1/samples/0" in report["errors"][0]["where"]


# --- where the workspace comes from ---------------------------------------------------------------------------------


def test_standard_input_and_input_option_are_the_argument():
    text = SIMPLE.read_text()
    asked = [
        run_program("evaluate", SIMPLE),
        run_program("evaluate", "-", stdin=text),
        run_program("evaluate", stdin=text),
        run_program("evaluate", "-i", SIMPLE),
        run_program("evaluate", "--input", "-", stdin=text),
    ]
    assert {without_times(done.stdout) for done in asked} == {without_times(asked[0].stdout)}
    assert all(done.returncode == 0 for done in asked)


def test_on_a_terminal_a_missing_workspace_is_an_error_not_a_wait():
    code, _ = on_terminal("inspect", stderr=subprocess.DEVNULL)
    assert code == 2


def test_measurement_by_name_and_by_number():
    by_name = [answer("evaluate", ALL_MODIFIERS, "--measurement", name)["nll"] for name in ("nominal", "overrides", "no_poi")]
    by_number = [answer("evaluate", ALL_MODIFIERS, "--measurement", number)["nll"] for number in (0, 1, 2)]
    assert by_name == by_number and len(set(by_name)) == 3
    assert answer("evaluate", ALL_MODIFIERS)["nll"] == by_name[0]
    assert answer("inspect", ALL_MODIFIERS, "--measurement", "1")["measurement"] == "overrides"


def test_poi_can_be_chosen_or_left_out():
    names = answer("evaluate", SIMPLE)["parameter_names"]
    assert answer("evaluate", SIMPLE, "--poi", "top_normalisation")["poi_index"] == names.index("top_normalisation")
    assert answer("evaluate", SIMPLE, "--poi", "")["poi_index"] is None
    assert answer("inspect", ALL_MODIFIERS, "--measurement", "no_poi")["poi"] is None


def test_a_background_only_file_is_inspected_and_evaluated(desk):
    for verb in ("inspect", "evaluate"):
        shown = answer(verb, desk / "background.json")
        assert shown["poi_index"] is None
        assert any("mu" in warning for warning in shown["warnings"]), shown["warnings"]
    assert answer("inspect", desk / "background.json")["poi"] == "mu"


def test_patches_and_patchsets_make_the_same_model(desk):
    patch = json.loads((desk / "patchset.json").read_text())["patches"][0]["patch"]
    write(desk / "patch.json", patch)
    by_name = answer("evaluate", desk / "background.json", "--patchset", desk / "patchset.json",
                     "--patch-name", "C1N2_Wh_hbb_300_75")
    by_file = answer("evaluate", desk / "background.json", "-p", desk / "patch.json")
    in_two = [write(desk / f"patch{i}.json", [operation]) for i, operation in enumerate(patch)]
    by_files = answer("evaluate", desk / "background.json", "-p", in_two[0], "--patch", in_two[1])
    whole = answer("evaluate", desk / "workspace.json")
    assert by_name["nll"] == by_file["nll"] == by_files["nll"] == whole["nll"]
    assert by_name["workspace_digest"] == by_file["workspace_digest"] == whole["workspace_digest"]


def test_a_patch_takes_one_word(desk):
    patch = write(desk / "patch.json", [])
    assert answer("evaluate", "-p", patch, desk / "workspace.json")["nll"] == answer("evaluate", desk / "workspace.json")["nll"]


# --- results --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", [question for question, _ in QUESTIONS.values()], ids=QUESTIONS)
def test_every_result_carries_the_header(question):
    shown = answer(*question)
    assert not [key for key in HEADER if key not in shown]
    assert shown["schema"] == f"nextstat/{question[0]}/1"
    assert shown["device"] == "cpu" and shown["precision"] == "f64"
    assert shown["wall_time_s"] >= 0
    assert shown["nextstat_version"] == answer("version")["nextstat_version"]
    if question[0] != "version":
        assert shown["workspace_digest"] == answer("digest", SIMPLE, "--json")["sha256"]


@pytest.mark.parametrize("verb", [verb for verb in QUESTIONS if verb != "version"])
def test_the_time_of_loading_is_given_when_asked_for(verb, schema):
    question = QUESTIONS[verb][0]
    assert "load_time_s" not in answer(*question)
    shown = answer(*question, "--timings")
    assert shown["load_time_s"] > 0
    schema(verb, shown)


@pytest.mark.parametrize("question", [question for question, _ in QUESTIONS.values()], ids=QUESTIONS)
def test_results_are_as_their_schema_says(question, schema):
    schema(question[0], answer(*question))


def test_results_of_every_shape_are_as_their_schema_says(schema, tmp_path, desk):
    rows = write(tmp_path / "rows.json", [{"mu": -100}, {}])
    schema("evaluate", answer("evaluate", SIMPLE, "--parameters", rows, "--gradient", "--hessian", "--expected"))
    schema("evaluate", answer("evaluate", desk / "background.json"))
    for measurement in (0, 1, 2):
        schema("inspect", answer("inspect", ALL_MODIFIERS, "--measurement", measurement))
    schema("validate", answer("validate", "-", stdin="{}", code=2))
    schema("validate", answer("validate", "-", stdin="{", code=2))
    schema("digest", answer("digest", SIMPLE, "--json", "-a", "md5", "-a", "sha256"))
    schema("hypotest", answer("hypotest", SIMPLE, "--test-stat", "q0"))
    schema("upper-limit", answer("upper-limit", SIMPLE, "--scan-points", "3"))
    scanned = answer("mass-scan", desk / "background.json", "--patchset", desk / "patchset.json")
    schema("mass-scan", scanned)
    with pytest.raises(AssertionError):
        schema("mass-scan", {**scanned, "more": 1})
    (desk / "folder").mkdir()
    write(desk / "folder/broken.json", {})
    schema("mass-scan", answer("mass-scan", "--workspaces-dir", desk / "folder", code=1))


def test_a_result_with_one_key_more_is_not_as_its_schema_says(schema):
    for name in ("inspect", "evaluate", "validate", "version", "fit", "scan", "interval", "ranking", "hypotest", "cls",
                 "upper-limit", "significance", "goodness-of-fit"):
        document = answer(*QUESTIONS[name][0])
        with pytest.raises(AssertionError):
            schema(name, {**document, "more": 1})
        with pytest.raises(AssertionError):
            schema(name, {key: value for key, value in document.items() if key != "warnings" and key != "compiler"})


def test_version_says_what_this_build_is():
    shown = answer("version")
    assert re.fullmatch(r"\d+\.\d+\.\d+", shown["nextstat_version"])
    assert shown["compiler"] and shown["build_type"]
    assert run_program("--version").stdout == f"nextstat {shown['nextstat_version']}\n"
    assert answer("evaluate", SIMPLE)["instruction_set"] == shown["instruction_set"]
