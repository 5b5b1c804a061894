"""Records: frozen, compared by content, pickled, readable as text and as HTML, written as JSON."""

import copy
import dataclasses
import json
import math
import pickle

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")

from conftest import ALL_MODIFIERS as ALL, SIMPLE


ANSWERS = {
    "fit": lambda: nextstat.fit(ALL, minos="mu"),
    "fit_batch": lambda: nextstat.fit_batch(SIMPLE, nextstat.poisson_toys(SIMPLE, n_toys=3)),
    "fit_toys": lambda: nextstat.fit_toys(SIMPLE, n_toys=20),
    "profile_scan": lambda: nextstat.profile_scan(SIMPLE, [0, 1, 2]),
    "profile_ci": lambda: nextstat.profile_ci(SIMPLE),
    "ranking": lambda: nextstat.ranking(ALL, groups={"all": ["*"]}),
    "hypotest": lambda: nextstat.hypotest(1, SIMPLE, return_result=True),
    "hypotest_toys": lambda: nextstat.hypotest_toys(1, SIMPLE, n_toys=20, return_result=True),
    "upper_limit": lambda: nextstat.upper_limit(SIMPLE),
    "significance": lambda: nextstat.significance(SIMPLE),
    "significance with toys": lambda: nextstat.significance(SIMPLE, calctype="toys", n_toys=20),
    "goodness_of_fit": lambda: nextstat.goodness_of_fit(SIMPLE),
    "goodness_of_fit with toys": lambda: nextstat.goodness_of_fit(SIMPLE, toys=20),
    "feldman_cousins": lambda: nextstat.feldman_cousins(SIMPLE, n_toys=20, values=[0.0, 1.0, 2.0]),
    "mass_scan": lambda: nextstat.mass_scan(models={"one": SIMPLE, "two": ALL}),
}


@pytest.fixture(scope="module", params=ANSWERS)
def answer(request):
    return ANSWERS[request.param]()


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for entry in value:
            yield from arrays_in(entry)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from arrays_in(getattr(value, field.name))


def test_records_do_not_change(answer):
    for field in dataclasses.fields(answer):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(answer, field.name, None)
    for array in arrays_in(answer):
        assert not array.flags.writeable
    with pytest.raises(TypeError):
        hash(answer)


def test_a_pickled_record_is_the_same_and_as_frozen(answer):
    for again in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
        assert again == answer and again is not answer
        assert again.wall_time_s == answer.wall_time_s
        assert not any(array.flags.writeable for array in arrays_in(again))


def test_records_are_equal_where_all_but_the_time_is(answer):
    assert dataclasses.replace(answer, wall_time_s=answer.wall_time_s + 1) == answer
    assert dataclasses.replace(answer, warnings=("another",)) != answer
    assert answer != answer.to_dict()
    assert (answer == 3) is False


def test_asking_again_gives_an_equal_record(request, answer):
    name = request.node.callspec.params["answer"]
    assert ANSWERS[name]() == answer


def test_nan_equals_nan_but_nothing_else():
    result = nextstat.fit(SIMPLE)
    first = dataclasses.replace(result, edm=math.nan, bestfit=np.array([1.0, math.nan, 2.0]))
    assert first == dataclasses.replace(result, edm=math.nan, bestfit=np.array([1.0, math.nan, 2.0]))
    assert first != dataclasses.replace(result, edm=0.0, bestfit=np.array([1.0, math.nan, 2.0]))
    assert first != dataclasses.replace(result, edm=math.nan, bestfit=np.array([1.0, 3.0, 2.0]))
    assert first != dataclasses.replace(result, edm=math.nan, bestfit=np.array([1.0, math.nan]))
    assert dataclasses.replace(result, minos={"mu": (math.nan, 1.0)}) == dataclasses.replace(result, minos={"mu": (math.nan, 1.0)})
    assert dataclasses.replace(result, minos={"mu": (math.nan, 1.0)}) != dataclasses.replace(result, minos={"mu": (math.nan, 2.0)})


def test_json_has_null_where_there_is_no_number(answer, tmp_path):
    text = answer.to_json(tmp_path / "answer.json")
    assert json.loads((tmp_path / "answer.json").read_text()) == json.loads(text) == answer.to_dict()
    assert "NaN" not in text and "Infinity" not in text


def test_texts_and_html_name_the_record(answer):
    assert repr(answer).startswith(type(answer).__name__)
    assert answer._repr_html_().startswith("<div>") and type(answer).__name__ in answer._repr_html_()


def test_html_escapes_every_name():
    evil = "<img src=x onerror='alert(1)'>&"
    document = json.loads(SIMPLE.read_text())
    text = json.dumps(document).replace('"mu"', json.dumps(evil))
    model = nextstat.Model.from_workspace(text)
    records = [nextstat.fit(model, minos=True), nextstat.ranking(model, groups={evil: ["*"]}), nextstat.profile_ci(model),
               nextstat.profile_scan(model, [0, 1]), nextstat.upper_limit(model), nextstat.significance(model),
               nextstat.hypotest(1, model, return_result=True), nextstat.mass_scan(models={evil: model}),
               nextstat.fit_toys(model, n_toys=5), nextstat.feldman_cousins(model, n_toys=20, values=[0.0, 1.0])]
    assert any("&lt;img" in record._repr_html_() for record in records)
    for record in records:
        record = dataclasses.replace(record, warnings=(f"something about {evil}",))
        assert "<img" not in record._repr_html_()
        assert "&lt;img src=x onerror=&#x27;alert(1)&#x27;&gt;&amp;" in record._repr_html_()
    assert "<img" not in nextstat.devices()._repr_html_()


GOLDEN = {
    "interval": (lambda: nextstat.profile_ci(SIMPLE), """\
IntervalResult: converged
mu = 1.1418, [0.62468, 1.701] at 68.27% CL"""),
    "scan": (lambda: nextstat.profile_scan(SIMPLE, [0, 1]), """\
ScanResult: converged, best fit mu = 1.1418, 2 points
  mu  2 delta NLL     NLL
  0         5.376  5.0422
  1      0.071133  2.3897"""),
    "limit": (lambda: nextstat.upper_limit(SIMPLE), """\
UpperLimitResult: converged
mu < 2.0904 observed, 0.9797 expected at 95% CL
  expected    limit
  -2 sigma  0.50535
  -1 sigma  0.68913
  median     0.9797
  +1 sigma   1.4098
  +2 sigma   1.9694"""),
    "significance": (lambda: nextstat.significance(SIMPLE), """\
SignificanceResult: converged
observed Z = 2.319 (p0 = 0.01021), expected Z = 2.069, mu = 1.1418"""),
    "goodness of fit": (lambda: nextstat.goodness_of_fit(SIMPLE), """\
GoodnessOfFitResult: converged
chi2 / ndof = 0.35748 / 5, p = 0.9964"""),
    "hypotest": (lambda: nextstat.hypotest(1, SIMPLE, return_result=True), """\
HypotestResult: converged, qtilde at mu = 1
CLs = 0.51172 (CLsb = 0.5, CLb = 0.9771)
  expected        CLs
  -2 sigma   0.001408
  -1 sigma  0.0085836
  median     0.045791
  +1 sigma    0.18935
  +2 sigma    0.51274"""),
    "mass scan": (lambda: nextstat.mass_scan(models={"a": SIMPLE}), """\
MassScanResult: converged, 1 points at 95% CL
  point   limit  expected      CLs
  a      2.0904    0.9797  0.51172"""),
    "model": (lambda: nextstat.Model.from_workspace(ALL), "Model: 24 parameters, 10 bins in 4 channels, parameter of interest mu, "
              "measurement nominal"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_results_print_as_the_golden_text(name):
    ask, text = GOLDEN[name]
    assert repr(ask()) == text


def test_fits_print_the_parameter_of_interest_first_in_aligned_columns():
    result = nextstat.fit(SIMPLE)
    lines = repr(result).splitlines()
    assert lines[0] == f"FitResult: converged, NLL {result.nll:.6f}, {result.n_iter} iterations on cpu"
    assert lines[1].startswith("goodness of fit: chi2 / ndof = ")
    assert lines[2].split() == ["parameter", "best", "fit", "uncertainty"]
    assert lines[3].split()[:2] == ["mu", "(POI)"]
    assert len({len(line) for line in lines[2:] if not line.startswith("warning")}) == 1, "columns are aligned"


def test_long_tables_say_what_is_left_out():
    model = nextstat.Model.from_workspace(ALL)
    values = np.linspace(0, 2, 50)
    text = repr(nextstat.profile_scan(model, values))
    assert text.splitlines()[-1].strip() == "... and 10 more points"
    assert "... and 10 more points" in nextstat.profile_scan(model, values)._repr_html_()


def test_an_answer_that_is_not_good_says_so():
    result = dataclasses.replace(nextstat.fit(SIMPLE), converged=False, warnings=("look here",))
    assert repr(result).splitlines()[0].startswith("FitResult: NOT CONVERGED")
    assert repr(result).splitlines()[-1] == "warning: look here"
    assert "interrupted" in repr(dataclasses.replace(result, interrupted=True)).splitlines()[0]


def test_names_of_cabinetry_are_there():
    fit = nextstat.fit(ALL, minos="mu")
    assert fit.labels == list(fit.parameter_names) and fit.best_twice_nll == fit.twice_nll == 2 * fit.nll
    np.testing.assert_array_equal(fit.uncertainty, fit.uncertainties)
    np.testing.assert_array_equal(fit.corr_mat, fit.correlation)
    assert set(fit.minos_uncertainty) == {"mu"} and float(fit.goodness_of_fit) == fit.goodness_of_fit.p_value
    ranking = nextstat.ranking(ALL)
    assert ranking.labels == [entry.name for entry in ranking.entries] and len(ranking.prefit_up) == len(ranking)
    limit = nextstat.upper_limit(SIMPLE)
    assert limit.observed_limit == limit.obs_limit and len(limit.observed_CLs) == len(limit.poi_values)
    scan = nextstat.profile_scan(SIMPLE, np.linspace(0, 3, 31))
    assert scan.name == "mu" and scan.bestfit == scan.mu_hat and 0.3 < scan.uncertainty < 0.8 and len(scan.delta_nlls) == 31


def test_values_by_name():
    fit = nextstat.fit(SIMPLE)
    assert fit["mu"] == fit.bestfit[fit.poi_index] and fit.uncertainty_of("mu") == fit.uncertainties[fit.poi_index]
    with pytest.raises(nextstat.NotFoundError, match='no parameter "mux".*did you mean "mu"'):
        fit["mux"]
    toys = nextstat.fit_toys(SIMPLE, n_toys=5, keep=["mu"])
    np.testing.assert_array_equal(toys.column("mu"), toys.mu_hat)
    with pytest.raises(nextstat.NotFoundError, match='no column "nle"'):
        toys.column("nle")
    with pytest.raises(ValueError, match="collect=True"):
        nextstat.fit_toys(SIMPLE, n_toys=5, collect=False).column("nll")
