"""The program is pyhf at given parameters: names, order, settings, expected data and NLL, on real workspaces and our own.

Tolerances: expected data 1e-12 of the sum of absolute terms, NLL 1e-10 relative (absolute below 1). Points where pyhf is
not finite are left out; the report counts them.
"""

import math
import zlib

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("pyhf")
pytest.importorskip("jsonpatch")

from conftest import NO_DATA, answer, write
from model_cases import CASES, CODES, OWN, Case, pyhf_model, workspace_of
from reference_mpmath import ReferenceModel

EXPECTED_TOLERANCE = 1e-12  # a rate is a product of up to a hundred factors, each good to an ulp or two
NLL_TOLERANCE = 1e-10  # what pyhf's own sum of large terms leaves
RANDOM_POINTS = 20
# Auxiliary data of 1.9e11: the plain Poisson form of pyhf loses 1e-3 there, so 40 digits are the witness of the NLL.
PYHF_LOSES_DIGITS = ["3lrj-500-0"]
PATCHED = [case for case in CASES if isinstance(case, Case) and len(case.files) > 1]


def points_of(case, config):
    """The initial point and random ones: alphas + N(0, 1), gammas and factors + 0.1 N(0, 1), the POI +- 2; clipped."""
    random = np.random.default_rng(zlib.crc32(case.name.encode()))
    init = np.array(config.suggested_init())
    low, high = np.array(config.suggested_bounds()).T
    alphas = [is_alpha(config.param_set(name)) for name in sets_of(config)]
    spread = np.where(alphas, 1.0, 0.1)
    points = [init]
    for _ in range(RANDOM_POINTS):
        point = init + spread * random.standard_normal(len(init))
        if config.poi_index is not None:
            point[config.poi_index] = init[config.poi_index] + random.uniform(-2, 2)
        points.append(np.clip(point, low, high))
    return points


def sets_of(config):
    """The parameter set of every flat parameter."""
    return [name for name in config.par_order for _ in range(config.param_set(name).n_parameters)]


def is_alpha(settings):
    """An alpha of normsys or histosys, not a factor around 1."""
    return settings.constrained and settings.pdf_type == "normal" and settings.is_scalar and settings.name != "lumi"


def sum_of_absolute_terms(model, point):
    """Per bin: sum over samples of |product of factors| * (|nominal| + sum |delta|)."""
    deltas, factors = model.main_model._modifications(point)
    terms = np.concatenate([np.abs(delta) for delta in deltas] + [np.abs(model.main_model.nominal_rates)]).sum(axis=0)
    for factor in factors:
        terms = terms * np.abs(np.prod(factor, axis=0))
    return terms.sum(axis=0)[0]


def evaluate(case, codes, points, names, folder):
    rows = write(folder / "rows.json", [dict(zip(names, map(float, point))) for point in points])
    return answer("evaluate", *case.arguments, *CODES[codes][0], "--parameters", rows, "--expected")["rows"]


class Worst:
    """The largest differences of the whole run, for the end of the report."""

    def __init__(self):
        self.nll, self.expected, self.compared, self.left_out = (0.0, ""), (0.0, ""), 0, {}

    def see(self, name, nll, expected):
        self.nll, self.expected = max(self.nll, (nll, name)), max(self.expected, (expected, name))
        self.compared += 1


@pytest.fixture(scope="module")
def worst(remark):
    seen = Worst()
    yield seen
    remark(
        f"parity: {seen.compared} points; largest difference of the NLL {seen.nll[0]:.1e} ({seen.nll[1]}), of expected data "
        f"{seen.expected[0]:.1e} ({seen.expected[1]}); {sum(seen.left_out.values())} points left out where pyhf is not "
        f"finite ({', '.join(f'{name} {count}' for name, count in seen.left_out.items())})"
    )


def test_every_kind_of_modifier_is_among_our_own_files():
    kinds = set()
    for case in OWN:
        for channel in workspace_of(case)["channels"]:
            kinds |= {m["type"] for sample in channel["samples"] for m in sample["modifiers"]}
    assert kinds == {"histosys", "lumi", "normfactor", "normsys", "shapefactor", "shapesys", "staterror"}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_parameters_and_their_settings_are_pyhfs(case):
    config = pyhf_model(case, "code4-code4p")[0].config
    shown = answer("inspect", *case.arguments)
    parameters = shown["parameters"]
    assert [p["name"] for p in parameters] == config.par_names
    assert [p["set"] for p in parameters] == sets_of(config)
    assert [p["init"] for p in parameters] == config.suggested_init()
    assert [tuple(p["bounds"]) for p in parameters] == [tuple(bounds) for bounds in config.suggested_bounds()]
    assert [p["fixed"] for p in parameters] == config.suggested_fixed()
    assert shown["poi_index"] == config.poi_index
    assert [channel["name"] for channel in shown["channels"]] == config.channels
    assert shown["bins"] == config.nmaindata
    assert len(parameters) == config.npars


@pytest.mark.parametrize("case", CASES, ids=str)
def test_auxiliary_data_stand_in_pyhfs_order(case):
    config = pyhf_model(case, "code4-code4p")[0].config
    shown = answer("inspect", *case.arguments)
    constraints = [p["constraint"] for p in shown["parameters"] if p["constraint"]]
    assert [c["center"] for c in constraints] == pytest.approx(config.auxdata, rel=4e-16, abs=0)
    widths = []
    for name in config.auxdata_order:
        settings = config.param_set(name)
        widths += list(settings.factors if settings.pdf_type == "poisson" else settings.width())
    assert [c.get("sigma", c.get("tau")) for c in constraints] == pytest.approx(widths, rel=1e-14, abs=0)


@pytest.mark.parametrize("codes", CODES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_nll_and_expected_data_are_pyhfs(case, codes, worst, tmp_path):
    model, data = pyhf_model(case, codes)
    names, points = model.config.par_names, points_of(case, model.config)
    rows = evaluate(case, codes, points, names, tmp_path)
    assert len(rows) == len(points)
    exact = None
    if case.name in PYHF_LOSES_DIGITS:
        exact = ReferenceModel(workspace_of(case), case.measurement, *codes.split("-"))
    compared = 0
    for point, row in zip(points, rows):
        expected = model.expected_data(point)
        scale = np.concatenate([sum_of_absolute_terms(model, point), np.abs(expected[model.config.nmaindata :])])
        main = [rate for channel in model.config.channels for rate in row["expected_data"]["main"][channel]]
        ours = np.array(main + row["expected_data"]["auxiliary"])
        nll = float(exact.nll(dict(zip(names, point)))) if exact else -float(model.logpdf(point, data)[0])
        if not math.isfinite(nll):
            worst.left_out[case.name] = worst.left_out.get(case.name, 0) + 1
            assert row["nll"] is None, "pyhf is not finite"
            continue
        off_expected = np.max(np.abs(ours - expected) / np.where(scale > 0, scale, 1))
        off_nll = abs(row["nll"] - nll) / max(1, abs(nll))
        worst.see(f"{case.name} {codes}", off_nll, off_expected)
        compared += 1
        assert row["twice_nll"] == 2 * row["nll"]
        assert off_expected < EXPECTED_TOLERANCE
        assert off_nll < NLL_TOLERANCE, f"{row['nll']} instead of {nll}"
    assert compared > 0, "pyhf is finite nowhere: this compares nothing"


# Forty digits of the largest model take long: with one pair of codes unless long tests are asked for.
IN_FORTY_DIGITS = [
    pytest.param(case, codes, marks=[pytest.mark.long] * (case.name.startswith("search/") and codes != "code4-code4p"))
    for case in OWN for codes in ("code4-code4p", "code1-code0", "code4-code2", "code1-code4p")
]


@pytest.mark.parametrize("case, codes", IN_FORTY_DIGITS, ids=str)
def test_nll_is_that_of_forty_digits(case, codes, tmp_path):
    """Every pair of codes, code2 too, where pyhf is not continuous."""
    config = pyhf_model(case, "code4-code4p")[0].config
    normsys, histosys = codes.split("-")
    exact = ReferenceModel(workspace_of(case), case.measurement, normsys, histosys)
    points = [dict(zip(config.par_names, map(float, point))) for point in points_of(case, config)]
    options = ["--normsys-code", normsys, "--histosys-code", histosys, "--parameters", write(tmp_path / "rows.json", points)]
    rows = answer("evaluate", *case.arguments, *options)["rows"]
    for point, row in zip(points, rows):
        nll = float(exact.nll(point))
        assert row["nll"] == (pytest.approx(nll, rel=1e-13, abs=1e-13) if math.isfinite(nll) else None)


@pytest.mark.parametrize("case", PATCHED or [pytest.param(None, marks=pytest.mark.skip(reason=NO_DATA))], ids=str)
def test_a_patched_file_and_a_patch_on_the_way_are_the_same(case, tmp_path):
    answers = []
    for arguments in (case.arguments, (write(tmp_path / "patched.json", workspace_of(case)),)):
        shown = answer("evaluate", *arguments, "--gradient", "--expected")
        answers.append({key: value for key, value in shown.items() if not key.endswith("_time_s")})
    assert answers[0] == answers[1]


def test_real_workspaces_are_all_here(data_dir):
    """The cases above come from a search for files: a folder that lacks some must not pass unseen."""
    names = {case.name for case in CASES}
    assert sum(name.startswith("1lbb/") for name in names) == 8
    assert sum(name.startswith("sbottom-A/") for name in names) == 2
    assert {"thu", "tttt", "1lbb.bkg", "sbottom-A.bkg", "3lresonance.bkg", "3lrj-500-0", "row-01-hello-world"} <= names
