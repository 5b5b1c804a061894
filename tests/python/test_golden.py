"""Numbers that others published or computed, and pyhf's for our own workspaces as stored in tests/golden.

The published ones come from pyhf's own tests and documentation (named with each case), sharpened where an independent
computation knows more digits; those of real workspaces from references.json in NEXTSTAT_DATA.
"""

import hashlib
import json

import pytest

from conftest import DATA, ROOT, answer, references, write
from small_workspaces import MU, histosys, normsys, one_channel, sample, several_channels, shapesys, two_bins, workspace

LOGPDF_TOLERANCE = 1e-10  # relative: two evaluators in double, summed in different orders
GOLDEN = sorted((ROOT / "tests/golden").glob("*.json"))


def evaluate(folder, workspace, points, *options):
    """One row per point; `workspace` is a path or a document."""
    if isinstance(workspace, dict):
        workspace = write(folder / "workspace.json", workspace)
    return answer("evaluate", workspace, "--parameters", write(folder / "rows.json", points), "--expected", *options)["rows"]


# --- small models of pyhf's tests and documentation -----------------------------------------------------------------


TWO_BINS = workspace([30, 95], [100, 150], [120, 180], [histosys("alpha", [98, 100], [102, 190])])
LOGPDF_AT_INIT = {
    "uncorrelated background, mle documentation": (two_bins(), -30.7752543463 / 2, 1e-10),
    "one bin, test_pdf": (workspace([10], [50], [55], [shapesys(7.0)]), -6.02517922820991, 1e-13),
    "two bins histosys, test_tensor": (TWO_BINS, -17.648827643136, 1e-12),
    "two bins shapesys, test_tensor": (workspace([30, 95], [100, 150], [120, 180], [shapesys(10, 10)]), -23.579605171119, 1e-12),
}


@pytest.mark.parametrize("workspace, logpdf, digits", LOGPDF_AT_INIT.values(), ids=LOGPDF_AT_INIT)
def test_published_logpdf_at_the_initial_point(workspace, logpdf, digits, tmp_path):
    (row,) = evaluate(tmp_path, workspace, [{}])
    assert row["nll"] == pytest.approx(-logpdf, rel=digits)


def test_published_expected_data_of_one_bin(tmp_path):
    """test_pdf: [60, 51.02040863]"""
    (row,) = evaluate(tmp_path, LOGPDF_AT_INIT["one bin, test_pdf"][0], [{}])
    assert row["expected_data"]["main"]["c"] + row["expected_data"]["auxiliary"] == pytest.approx([60, 51.02040863], rel=1e-8)
    assert row["expected_data"]["auxiliary"] == [pytest.approx((50 / 7) ** 2, rel=1e-15)]


def test_published_minimum_over_alpha_of_two_bins(tmp_path):
    """test_optim: 2 NLL at mu = 1 is 17.52954975, sharpened to 17.5295496324; Newton's steps with our own derivatives."""
    point, step = {"mu": 1.0, "alpha": 0.0}, 1.0
    for _ in range(50):
        (row,) = evaluate(tmp_path, TWO_BINS, [point], "--gradient", "--hessian")
        names = ["alpha", "mu"]  # histosys before normfactor
        step = -row["gradient"][names.index("alpha")] / abs(row["hessian"][0][0])
        if abs(step) < 1e-12:
            break
        point["alpha"] += max(-0.5, min(0.5, step))
    assert row["twice_nll"] == pytest.approx(17.5295496324, rel=1e-11)


@pytest.mark.parametrize("code", ["code0", "code2", "code4p"])
def test_published_histosys_rates(code, tmp_path):
    """test_pdf: at alpha = +-1 the variations themselves; code0 and code4p go on straight."""
    table = {(0, 1): [102, 190], (0, -1): [98, 100], (1, 1): [132, 285]}
    if code != "code2":
        table |= {(0, 2): [104, 230], (0, -2): [96, 50]}
    points = [{"mu": mu, "alpha": alpha} for mu, alpha in table]
    rows = evaluate(tmp_path, TWO_BINS, points, "--histosys-code", code)
    assert [row["expected_data"]["main"]["c"] for row in rows] == list(table.values())


def test_published_negative_rates_pass_through(tmp_path):
    """test_pdf_clipping: two histosys at -0.6, known to 1e-3."""
    down, up = ([175.0, 10.0], [1200.0]), ([125.0, 75.0], [15500.0])
    channels = {
        name: [sample("signal", nominal, MU, *(histosys(np, down[i], up[i]) for np in ("np_1", "np_2")))]
        for i, (name, nominal) in enumerate({"ch1": [100.0, 100.0], "ch2": [15000.0]}.items())
    }
    document = several_channels(channels, {"ch1": [100, 100], "ch2": [0]})
    (row,) = evaluate(tmp_path, document, [{"np_1": -0.6, "np_2": -0.6}])
    rates = row["expected_data"]["main"]
    assert rates["ch1"] + rates["ch2"] == pytest.approx([183.0496, -0.00704, -635.5968], abs=1e-9)


@pytest.mark.parametrize("code, rates", [
    ("code0", [0, 0.5, 1, 2, 3]),  # test_interpolate
    # pyhf's jumps at +-1; ours is the parabola, continued with its value and slope there: A = 1/4, B = 3/4
    ("code2", [0.25, 0.5, 1, 2, 3.25]),
    ("code4p", [0, 0.5, 1, 2, 3]),
])
def test_histosys_codes_at_whole_alphas(code, rates, tmp_path):
    document = one_channel([sample("s", [1.0], histosys("alpha", [0.5], [2.0]))], [1], poi="alpha")
    rows = evaluate(tmp_path, document, [{"alpha": a} for a in (-2, -1, 0, 1, 2)], "--histosys-code", code)
    assert [row["expected_data"]["main"]["c"][0] for row in rows] == pytest.approx(rates, abs=1e-15)


def test_interpolation_between_whole_alphas(tmp_path):
    """code4 of (0.9, 1.1) and code4p of (98, 100, 110), computed independently."""
    document = one_channel([sample("s", [1.0], normsys("a", 0.9, 1.1))], [1], poi="a")
    rows = evaluate(tmp_path, document, [{"a": 0.3}, {"a": -0.7}, {"a": 2.5}])
    rates = [row["expected_data"]["main"]["c"][0] for row in rows]
    assert rates == pytest.approx([1.0296931157825733, 0.9290931648430459, 1.2690587062858836], rel=4e-16)
    document = one_channel([sample("s", [100.0], histosys("a", [98.0], [110.0]))], [1], poi="a")
    rows = evaluate(tmp_path, document, [{"a": 0.3}, {"a": -0.7}])
    assert [row["expected_data"]["main"]["c"][0] - 100 for row in rows] == pytest.approx([2.4355935, -1.5490265], rel=1e-13)


# --- pyhf's numbers for our own workspaces --------------------------------------------------------------------------


def golden_cases():
    for file in GOLDEN:
        document = json.loads(file.read_text())
        for case in document["cases"]:
            label = f"{file.stem}-{case['measurement']}-{case['normsys_code']}-{case['histosys_code']}"
            yield pytest.param(ROOT / document["workspace"], case, id=label)


@pytest.mark.parametrize("file", GOLDEN, ids=lambda path: path.stem)
def test_stored_numbers_belong_to_the_workspace_of_today(file):
    document = json.loads(file.read_text())
    workspace = json.loads((ROOT / document["workspace"]).read_text())
    canonical = json.dumps(workspace, sort_keys=True, ensure_ascii=False)
    assert document["workspace_digest"] == hashlib.sha256(canonical.encode()).hexdigest(), "run tests/golden/make_golden.py"
    assert document["made_with"]["pyhf"] == "0.7.6"


def test_there_are_stored_numbers():
    assert {file.stem for file in GOLDEN} >= {"simple", "all_modifiers"}


@pytest.mark.parametrize("path, case", golden_cases())
def test_own_workspaces_are_as_pyhf_saw_them(path, case, tmp_path):
    choice = ["--measurement", case["measurement"]]
    shown = answer("inspect", path, *choice)
    parameters = shown["parameters"]
    for key, ours in {
        "parameter_names": [p["name"] for p in parameters],
        "init": [p["init"] for p in parameters],
        "bounds": [p["bounds"] for p in parameters],
        "fixed": [p["fixed"] for p in parameters],
        "poi_index": shown["poi_index"],
    }.items():
        assert ours == case[key], key
    centers = [p["constraint"]["center"] for p in parameters if p["constraint"]]
    assert centers == pytest.approx(case["data"][shown["bins"] :], rel=4e-16)
    points = [dict(zip(case["parameter_names"], point)) for point in case["points"]]
    codes = ["--normsys-code", case["normsys_code"], "--histosys-code", case["histosys_code"]]
    rows = evaluate(tmp_path, path, points, *choice, *codes)
    assert [row["nll"] for row in rows] == pytest.approx(case["nll"], rel=LOGPDF_TOLERANCE, abs=LOGPDF_TOLERANCE)
    order = [channel["name"] for channel in shown["channels"]]
    for row, expected in zip(rows, case["expected_data"]):
        main = [rate for channel in order for rate in row["expected_data"]["main"][channel]]
        assert main + row["expected_data"]["auxiliary"] == pytest.approx(expected, rel=1e-12, abs=1e-12)


# --- real workspaces ------------------------------------------------------------------------------------------------


def forty_digits(name, points):
    """3lrj has auxiliary data of 1.9e11: the stored numbers are off by up to 1e-3 there."""
    pytest.importorskip("mpmath")
    from reference_mpmath import ReferenceModel

    exact = ReferenceModel(json.loads((DATA / f"{name}.json").read_text()))
    return [-float(exact.nll(point)) for point in points]


@pytest.mark.parametrize("name, entry", references("logpdf"))
def test_logpdf_of_real_workspaces(name, entry, tmp_path):
    points = [dict(zip(entry["parameters"], point)) for point in entry["points"]]
    rows = evaluate(tmp_path, DATA / f"{name}.json", points)
    ours = [-row["nll"] for row in rows]
    assert len(ours) == len(entry["points"]) > 0
    if name.startswith("3lrj"):
        assert ours == pytest.approx(forty_digits(name, points), rel=1e-12)
        assert ours == pytest.approx(entry["published_logpdf"], rel=1e-4)
        return
    for published in (entry["published_logpdf"], entry["independent_logpdf"]):
        assert ours == pytest.approx(published, rel=LOGPDF_TOLERANCE)


@pytest.mark.parametrize("name, entry", references("fits"))
def test_logpdf_at_init_of_real_workspaces(name, entry, tmp_path):
    """Some are stored with 10 decimals."""
    (row,) = evaluate(tmp_path, DATA / f"{name}.json", [{}])
    expected = forty_digits(name, [{}])[0] if name.startswith("3lrj") else entry["logpdf_init"]
    assert -row["nll"] == pytest.approx(expected, rel=LOGPDF_TOLERANCE, abs=5.1e-11)
    assert len(answer("inspect", DATA / f"{name}.json")["parameters"]) == entry["params"]
