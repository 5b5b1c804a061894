"""Benchmarks: the verb `bench`, the judgment of comparisons, and pages that agree with the measured results."""

import json
import sys
import xml.etree.ElementTree

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))
compare_fits = pytest.importorskip("compare_fits", reason="jsonpatch is not installed")
import growth  # noqa: E402
import tables  # noqa: E402
from svg_plot import Series, log_log_plot  # noqa: E402


# --- the verb -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(nextstat, tmp_path_factory):
    """A saved run: (path, document)."""
    path = tmp_path_factory.mktemp("bench") / "before.json"
    done = nextstat("bench", "--save", path, "--format", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(path.read_text())
    assert json.loads(done.stdout) == document
    return path, document


def check_schema(document):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(json.loads((ROOT / "docs/schemas/bench.json").read_text())).validate(document)


def test_a_run_is_as_its_schema_says_and_every_fit_converges(saved):
    _, document = saved
    check_schema(document)
    assert all(case["converged"] and case["median_s"] > 0 and case["n"] >= 7 for case in document["cases"])
    assert {case["name"].split("/")[0] for case in document["cases"]} >= {"load", "start-up", "gradient", "nll of 1000 points", "fit", "scan", "ranking", "upper-limit", "1000 toys"}


@pytest.mark.parametrize("factor, code", [(1000.0, 0), (0.001, 1)], ids=["faster", "slower"])
def test_comparison_exits_with_1_when_slower_beyond_noise(nextstat, saved, tmp_path, factor, code):
    _, document = saved
    before = {**document, "cases": [{**case, "median_s": factor * case["median_s"], "spread": 0.01} for case in document["cases"]]}
    (tmp_path / "before.json").write_text(json.dumps(before))
    done = nextstat("bench", "--compare", tmp_path / "before.json", "--format", "json")
    assert done.returncode == code, done.stderr
    shown = json.loads(done.stdout)
    check_schema(shown)
    assert [each["regression"] for each in shown["comparison"]] == [code == 1] * len(document["cases"])


def test_the_table_names_what_became_slower(nextstat, saved, tmp_path):
    _, document = saved
    cases = [{**case, "median_s": 1e-12, "spread": 0.0} for case in document["cases"][:1]]
    (tmp_path / "before.json").write_text(json.dumps({**document, "cases": cases, "threads": 64}))
    done = nextstat("bench", "--compare", tmp_path / "before.json", "--format", "table")
    assert done.returncode == 1
    assert "SLOWER" in done.stdout and "1 of 1 cases slower beyond noise" in done.stdout
    assert "the saved run had threads 64" in done.stderr


@pytest.mark.parametrize("text", ["{}", '{"cases": [{"name": 1}]}', "["])
def test_a_file_that_is_no_saved_run_is_an_error(nextstat, tmp_path, text):
    (tmp_path / "other.json").write_text(text)
    done = nextstat("bench", "--compare", tmp_path / "other.json")
    assert done.returncode == 2 and "hint" in done.stderr and "other.json" in done.stderr


def test_a_device_that_is_not_there_is_an_error(nextstat):
    assert nextstat("bench", "--device", "cuda").returncode == 3


# --- comparisons ----------------------------------------------------------------------------------------------------

MATCH = compare_fits.Match("fit", "thu", "peer", 60, repeats=1, rounds=1)


def fit_answer(seconds, nll=10.0, converged=True):
    return {"times": [seconds], "nll": nll, "iterations": 5, "converged": converged, "poi": 1.0, "sigma": 0.5}


@pytest.mark.parametrize("ours, theirs, met", [
    (fit_answer(0.001), fit_answer(0.1), True),
    (fit_answer(0.01), fit_answer(0.1), False),
    (fit_answer(0.001, nll=10.001), fit_answer(0.1), False),
    (fit_answer(0.001), fit_answer(0.1, nll=10.001), True),
    (fit_answer(0.001, converged=False), fit_answer(0.1), False),
], ids=["fast", "slow", "our minimum is higher", "their minimum is higher", "not converged"])
def test_a_bar_needs_speed_and_the_minimum(ours, theirs, met):
    assert compare_fits.judge(MATCH, [(ours, theirs)])["met"] is met


def test_a_point_of_a_scan_above_the_other_counts():
    ours, theirs = fit_answer(0.001) | {"points": [11.0, 12.1]}, fit_answer(0.1) | {"points": [11.0, 12.0]}
    assert compare_fits.judge(MATCH, [(ours, theirs)])["ours_above_theirs"] == pytest.approx(0.1)


def test_the_mean_is_over_fits_against_the_published_engine():
    def line(question, against, ratio):
        return {"question": question, "against": compare_fits.LABELS[against], "ratio": {"median": ratio}}

    mean = compare_fits.geometric_mean([line("fit", "peer", 100.0), line("fit", "peer", 400.0), line("scan", "peer", 1.0),
                                        line("fit", "pyhf", 1.0)])
    assert mean["ratio"] == pytest.approx(200.0) and mean["met"]


def test_every_question_of_the_comparison_has_its_bar():
    bars = {(match.question, match.workspace, match.other): match.bar for match in compare_fits.MATCHES}
    assert len(bars) == len(compare_fits.MATCHES) == 16
    assert bars["scan", "thu", "peer"] == 500 and bars["ranking", "thu", "peer"] == 150
    assert bars["fit", "thu", "pyhf"] == 5000 and bars["fit", "thu", "pyhf-jax"] == 200
    assert all(bars["fit", workspace, "pyhf-minuit"] == 1000 for workspace in ("sbottom-A/1300_205_60", "stau-comb-400-40", "thu"))


def test_patched_workspaces_have_no_observations_without_a_channel(data_dir, tmp_path, monkeypatch):
    monkeypatch.setattr(compare_fits, "ROOT", tmp_path)
    document = json.loads(compare_fits.prepare(data_dir, "sbottom-A/1300_205_60").read_text())
    assert {each["name"] for each in document["observations"]} == {each["name"] for each in document["channels"]}


# --- growth and pages -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", growth.FAMILIES)
def test_a_family_grows_in_one_direction(family):
    sizes = growth.sizes(family, 32)
    counts = [1 + size["samples"] * (size["normsys"] + size["histosys"]) + size["staterror-channels"] * size["bins"] for size in sizes]
    bins = [size["channels"] * size["bins"] for size in sizes]
    grows = bins if family == "bins" else counts
    assert grows == sorted(set(grows)) and len(grows) == 6
    assert len(set(counts if family == "bins" else bins)) == (6 if family == "gammas" else 1)


def test_the_exponent_of_a_cube_is_three():
    points = [{"parameters": n, "fit_s": 1e-9 * n**3} for n in (10, 100, 1000)]
    assert growth.exponent(points, "parameters") == pytest.approx(3.0)


def test_the_figure_is_well_formed_and_has_every_point():
    text = log_log_plot([Series("a < b", [(10, 0.001), (2000, 3.0)]), Series("c", [(5, 1.0)])], "x", "y")
    root = xml.etree.ElementTree.fromstring(text)
    assert len(root.findall("{*}circle")) == 3 and "a < b" in [each.text for each in root.findall("{*}text")]


def test_pages_agree_with_the_measured_results():
    assert tables.differences(write=False) == [], "run bench/tables.py"


def test_every_section_of_a_page_is_known_and_every_result_is_shown():
    shown = {name for page in tables.PAGES for _, name, _ in tables.SECTION.findall((ROOT / page).read_text())}
    assert shown == set(tables.SECTIONS)
