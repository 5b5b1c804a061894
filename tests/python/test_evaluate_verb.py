"""`nextstat evaluate`: points, derivatives, expected data, observations, and the same bytes whatever computes them."""

import json
import re

import pytest

from conftest import ALL_MODIFIERS, SIMPLE, answer, needs_program, run_program, without_times, write

pytestmark = needs_program


def test_parameters_as_init_words_file_and_list(tmp_path):
    point = {"mu": 1.5, "jet_energy_scale": -0.25}
    one = write(tmp_path / "one.json", point)
    many = write(tmp_path / "many.json", [{}, point])
    init = answer("evaluate", SIMPLE)
    assert answer("evaluate", SIMPLE, "--parameters", "init")["nll"] == init["nll"]
    words = answer("evaluate", SIMPLE, "--parameters", "mu=1.5", "jet_energy_scale=-0.25")
    assert words["nll"] != init["nll"]
    assert answer("evaluate", SIMPLE, "--parameters", one)["nll"] == words["nll"]
    rows = answer("evaluate", SIMPLE, "--parameters", many)["rows"]
    assert [row["nll"] for row in rows] == [init["nll"], words["nll"]]
    assert [row["twice_nll"] for row in rows] == [2 * init["nll"], 2 * words["nll"]]


@pytest.mark.parametrize("document, part", [
    ([], "empty"),
    ({"muu": 1}, "/muu"),
    ([{"mu": 1}, {"mu": "1"}], "/1/mu"),
    ([{"mu": 1}, 3], "/1"),
    (3, "object"),
])
def test_a_wrong_parameters_file_is_exit_2(document, part, tmp_path):
    done = run_program("evaluate", SIMPLE, "--parameters", write(tmp_path / "point.json", document))
    assert done.returncode == 2 and part in done.stderr and "point.json" in done.stderr


def test_derivatives_and_expected_data_have_their_shapes():
    shown = answer("evaluate", SIMPLE, "--gradient", "--hessian", "--expected")
    parameters = answer("inspect", SIMPLE)["parameters"]
    size = len(shown["parameter_names"])
    assert shown["parameter_names"] == [p["name"] for p in parameters]
    assert len(shown["gradient"]) == size
    assert [len(row) for row in shown["hessian"]] == [size] * size
    assert {name: len(bins) for name, bins in shown["expected_data"]["main"].items()} == {"signal_region": 4, "control_region": 3}
    assert len(shown["expected_data"]["auxiliary"]) == sum(p["constraint"] is not None for p in parameters)
    assert not {"gradient", "hessian", "expected_data"} & set(answer("evaluate", SIMPLE))


def test_derivatives_are_those_of_the_nll(tmp_path):
    """Against differences: a gross check of signs, order and rows; the exact one is with the C++ tests."""
    point, step = {"mu": 1.3, "jet_energy_scale": 0.4, "top_normalisation": 0.9, "signal_efficiency": 1.6}, 1e-5
    names = answer("evaluate", SIMPLE)["parameter_names"]
    init = {p["name"]: p["init"] for p in answer("inspect", SIMPLE)["parameters"]}
    start = {**init, **point}
    rows = [start] + [{**start, name: start[name] + sign * step} for name in names for sign in (1, -1)]
    got = answer("evaluate", SIMPLE, "--gradient", "--hessian", "--parameters", write(tmp_path / "rows.json", rows))["rows"]
    for i in range(len(names)):
        above, below = got[1 + 2 * i], got[2 + 2 * i]
        slope = (above["nll"] - below["nll"]) / (2 * step)
        assert got[0]["gradient"][i] == pytest.approx(slope, rel=1e-6, abs=1e-5)
        for j in range(len(names)):
            curvature = (above["gradient"][j] - below["gradient"][j]) / (2 * step)
            assert got[0]["hessian"][i][j] == pytest.approx(curvature, rel=1e-6, abs=1e-4)
            assert got[0]["hessian"][i][j] == got[0]["hessian"][j][i]


def test_data_in_both_forms_replace_the_observations(tmp_path):
    document = json.loads(SIMPLE.read_text())
    counts = {"control_region": [340, 270.5, 0], "signal_region": [80, 71, 39, 22]}
    document["observations"] = [{"name": name, "data": data} for name, data in counts.items()]
    truth = answer("evaluate", write(tmp_path / "other.json", document), "--gradient")
    assert truth["nll"] != answer("evaluate", SIMPLE)["nll"]
    for name, form in {"object": counts, "list": document["observations"]}.items():
        got = answer("evaluate", SIMPLE, "--data", write(tmp_path / f"{name}.json", form), "--gradient")
        assert got["nll"] == truth["nll"] and got["gradient"] == truth["gradient"]


@pytest.mark.parametrize("counts, part", [
    ({"signal_region": [1, 2, 3, 4]}, "control_region"),
    ({"signal_region": [1, 2, 3], "control_region": [1, 2, 3]}, "/signal_region"),
    ({"signal_region": [1, 2, 3, -4], "control_region": [1, 2, 3]}, "/signal_region/3"),
    ([{"name": "signal_region"}], "/0"),
    (7, "list"),
])
def test_wrong_data_are_exit_2(counts, part, tmp_path):
    done = run_program("evaluate", SIMPLE, "--data", write(tmp_path / "data.json", counts))
    assert done.returncode == 2 and part in done.stderr and "data.json" in done.stderr


def random_rows(path, count):
    names = answer("evaluate", ALL_MODIFIERS)["parameter_names"]
    values = [0.75 + 0.5 * ((7919 * i) % 1009) / 1009 for i in range(count * len(names))]
    return write(path, [dict(zip(names, values[i * len(names) :])) for i in range(count)])


def test_threads_do_not_change_a_byte(tmp_path):
    question = ["evaluate", ALL_MODIFIERS, "--parameters", random_rows(tmp_path / "rows.json", 300), "--gradient", "--expected"]
    texts = {without_times(run_program(*question, "--threads", threads).stdout) for threads in (0, 1, 2, 3, 8)}
    assert len(texts) == 1 and '"rows"' in texts.pop()


def test_instruction_sets_do_not_change_a_byte_but_their_name(tmp_path):
    question = ["evaluate", ALL_MODIFIERS, "--parameters", random_rows(tmp_path / "rows.json", 101), "--gradient", "--expected"]
    hint = json.loads(run_program(*question, "--instruction-set", "none", "--format", "json").stderr)["hint"]
    sets = re.findall(r"[\w-]*\d[\w-]*|aarch64", hint)
    assert sets, hint
    texts, ran = set(), []
    for name in sets:
        done = run_program(*question, "--instruction-set", name)
        if done.returncode == 3:  # this processor does not have it
            continue
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["instruction_set"] == name
        ran.append(name)
        texts.add(without_times(done.stdout).replace(f'"{name}"', ""))
    assert answer("version")["instruction_set"] in ran
    assert len(texts) == 1, f"{ran} differ"


def test_numbers_that_do_not_exist_are_null_with_a_warning(tmp_path):
    rows = write(tmp_path / "rows.json", [{"mu": -100}, {"mu": 1}])
    done = run_program("evaluate", SIMPLE, "--parameters", rows, "--gradient", "--hessian", "--expected")
    assert done.returncode == 0 and not re.search(r"\b(nan|inf(inity)?)\b", done.stdout, re.IGNORECASE)
    shown = json.loads(done.stdout)
    gone, there = shown["rows"]
    assert gone["nll"] is None and gone["twice_nll"] is None and set(gone["gradient"]) == {None}
    assert all(set(row) == {None} for row in gone["hessian"])
    assert min(gone["expected_data"]["main"]["signal_region"]) < 0, "negative rates pass through"
    assert there["nll"] is not None and None not in there["gradient"]
    assert len([w for w in shown["warnings"] if "row 0" in w]) == 1 and not any("row 1" in w for w in shown["warnings"])
    table = run_program("evaluate", SIMPLE, "--parameters", "mu=-100", "--format", "table").stdout
    assert "warning" in table and not re.search(r"\b(nan|inf)\b", table)
