"""Errors that once were hard to understand: each says where, what and a next step in the words of who asked."""

import json

import pytest

from conftest import SIMPLE, needs_program, run_program, write

pytestmark = needs_program

# Options, the place that the error names, words of its sentence, words of its hint.
WRONG = {
    "negative Asimov data": (["fit", "--asimov", "mu=-3"], "--asimov", "expected data are negative: -1.2 in signal_region[3]", "every bin"),
    "alpha of two": (["upper-limit", "--alpha", "2"], "--alpha", "alpha 2 is not between 0 and 1", "0.05"),
    "alpha of a mass scan": (["mass-scan", "--alpha", "0"], "--alpha", "alpha 0 is not between 0 and 1", "0.05"),
    "level of 95": (["upper-limit", "--cl", "95"], "--cl", "confidence level 95", "0.95"),
    "minos outside the regions": (["fit", "--fit-regions", "control_region", "--minos", "staterror_signal_region"], "--minos",
                                  '"staterror_signal_region" does not affect the fitted regions', "leave it out"),
    "instruction set nearly right": (["fit", "--instruction-set", "x86-64-v9"], "--instruction-set", "'x86-64-v9'", "available here: "),
    "instruction set of evaluate": (["evaluate", "--instruction-set", "mmx"], "--instruction-set", "'mmx'", "available here: "),
    "fixed": (["scan", "--fixed", "muu=1"], "--fixed", '"muu"', "did you mean 'mu'?"),
    "init": (["ranking", "--init", "muu=1"], "--init", '"muu"', "did you mean 'mu'?"),
    "bounds": (["interval", "--bounds", "muu=1:2"], "--bounds", '"muu"', "did you mean 'mu'?"),
    "start outside the only value": (["fit", "--bounds", "mu=1:1", "--init", "mu=2"], "--init", "outside the bounds [1, 1]", "leave it out"),
    "no POI": (["hypotest", "--poi", ""], "--poi", "no parameter of interest", "--poi NAME"),
    "fixed POI": (["significance", "--bounds", "mu=1:1"], "--poi", '"mu" is fixed', "leave it free"),
    "scanned parameter": (["scan", "--parameter", "muu"], "--parameter", '"muu"', "did you mean 'mu'?"),
    "unknown option": (["fit", "--gradien"], "nextstat fit", "--gradien", "--help"),
}


@pytest.mark.parametrize("question, where, what, hint", WRONG.values(), ids=WRONG)
def test_wrong_options_are_named(question, where, what, hint, schema):
    done = run_program(question[0], SIMPLE, *question[1:], "--format", "json")
    assert done.returncode == 2 and done.stdout == ""
    report = json.loads(done.stderr)
    schema("error", report)
    assert report["where"] == where and what in report["what"] and hint in report["hint"]


def test_counts_too_large_are_named(tmp_path):
    counts = {"signal_region": [80, 1e300, 39, 22], "control_region": [340, 270, 200]}
    done = run_program("fit", SIMPLE, "--data", write(tmp_path / "data.json", counts))
    assert done.returncode == 2
    assert "signal_region[1]" in done.stderr and "1e+300" in done.stderr and "larger than" in done.stderr


def test_errors_of_the_fit_itself_name_the_workspace(tmp_path):
    document = json.loads(SIMPLE.read_text())
    for channel in document["channels"]:
        for sample in channel["samples"]:
            sample["data"] = [0.0] * len(sample["data"])
            sample["modifiers"] = [m for m in sample["modifiers"] if m["type"] == "normfactor"]
    done = run_program("fit", write(tmp_path / "nothing.json", document), "--format", "json")
    assert done.returncode == 2 and json.loads(done.stderr)["where"].endswith("nothing.json")


@pytest.mark.parametrize("verb", ["fit", "goodness-of-fit", "scan"])
def test_bounds_of_one_value_are_the_same_as_fixing_it(verb):
    texts = []
    for option in ("--fixed", "--bounds"):
        value = "top_normalisation=1.1" + (":1.1" if option == "--bounds" else "")
        shown = json.loads(run_program(verb, SIMPLE, option, value).stdout)
        texts.append({key: shown[key] for key in shown if key != "wall_time_s"})
    assert texts[0] == texts[1]
