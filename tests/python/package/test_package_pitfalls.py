"""What is easily meant otherwise than it is taken: nothing is ignored, nothing is taken for something else."""

import json
import subprocess
import sys

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")
pyhf = pytest.importorskip("pyhf")

from conftest import SIMPLE


@pytest.fixture(name="model")
def new_model():
    return nextstat.Model.from_workspace(SIMPLE)


REFUSED = {
    "empty data": (lambda m: m.nll(m.suggested_init, []), "no numbers"),
    "empty params": (lambda m: nextstat.fit_toys(m, [], n_toys=5), "no numbers"),
    "empty values": (lambda m: nextstat.feldman_cousins(m, values=[]), "shape"),
    "params and mu": (lambda m: nextstat.fit_toys(m, m.suggested_init, mu=2.0), "both params and mu"),
    "second parameter alone": (lambda m: nextstat.profile_scan(m, [0], parameter2="lumi"), "no values2"),
    "plane of values": (lambda m: nextstat.profile_scan(m, [[0, 1]]), "one-dimensional"),
    "parameter by number": (lambda m: nextstat.profile_scan(m, [0], parameter=0), "not a name"),
    "measurement by number": (lambda m: nextstat.Model.from_workspace(SIMPLE, measurement=0), "not a name"),
    "no channels": (lambda m: nextstat.Model.from_workspace(SIMPLE, channels=[]), "the list is empty"),
    "name that is a number": (lambda m: nextstat.fit(m, fixed={1: 2.0}), "wrong type"),
    "seed too large": (lambda m: nextstat.fit_toys(m, seed=2**64), "2\\^64"),
    "too many toys": (lambda m: nextstat.poisson_toys(m, n_toys=2**62), "memory"),
    "flag that is none": (lambda m: nextstat.fit(m, uncertainties=None), "neither True nor False"),
    "level that is a word": (lambda m: nextstat.profile_ci(m, confidence_level="x"), "not a number"),
    "statistic that is none": (lambda m: nextstat.hypotest(1, m, test_stat=None), "is not a name"),
    "device that is a number": (lambda m: m.nll(m.suggested_init, device=3), "not the name of a device"),
    "fixed that is a number": (lambda m: nextstat.fit(m, fixed=5), "not a list"),
    "bounds that are a number": (lambda m: nextstat.fit(m, bounds=7), "not a list of bounds"),
    "unknown option": (lambda m: nextstat.ranking(m, fixt=[]), "no such option"),
    "models in a list": (lambda m: nextstat.mass_scan(models=[m]), "not a dictionary"),
    "no such folder": (lambda m: nextstat.mass_scan(workspaces_dir="nowhere"), "not a folder"),
    "rates at NaN": (lambda m: m.expected_jacobian(m.suggested_init * np.nan), "not finite"),
    "data that are NaN": (lambda m: m.with_data(m.observed_data * np.nan), "datum 0"),
    "negative counts": (lambda m: m.with_observed_main(-m.observed_data[:m.n_bins]), "not a count"),
    "bytes that are no text": (lambda m: nextstat.load_workspace(b"\xff\xfe{"), "UTF-8"),
    "words in batches": (lambda m: nextstat.fit_batch(m, [["a"]]), "not an array of numbers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused(model, case):
    call, words = REFUSED[case]
    with pytest.raises(nextstat.Error, match=words):
        call(model)


def test_a_model_of_pyhf_has_no_data_until_it_gets_some(model):
    theirs = pyhf.Workspace(json.loads(SIMPLE.read_text())).model()
    with pytest.raises(nextstat.InputError, match="which has no data"):
        nextstat.fit(theirs)
    with pytest.raises(nextstat.InputError, match="which has no data"):
        nextstat.upper_limit(theirs)
    assert nextstat.fit(theirs, data=model.observed_data).nll == nextstat.fit(model).nll
    assert nextstat.fit_batch(theirs, [model.observed_data]).n_converged == 1


def test_a_model_of_some_channels_is_that_model_in_pyhf():
    model = nextstat.Model.from_workspace(SIMPLE, channels=["signal_region"])
    theirs = model.to_pyhf()
    assert theirs.config.npars == model.n_params and theirs.config.channels == ["signal_region"]
    point = model.suggested_init
    assert -theirs.logpdf(point, model.observed_data)[0] == pytest.approx(model.nll(point), rel=1e-10)


def test_sets_are_held_where_they_begin(model):
    start = {"staterror_signal_region": 1.1}
    result = nextstat.fit(model, init_pars=start, fixed=["staterror_signal_region"])
    assert [result[name] for name in result if name.startswith("staterror_signal_region")] == [1.1] * 4
    assert nextstat.fit(model, fixed=[]) == nextstat.fit(model)


def test_what_a_model_gives_away_is_not_its_own(model):
    model.parameter_names.remove("mu")
    assert model.poi_name == "mu" and "mu" in model.parameter_names
    with pytest.raises(ValueError, match="read-only"):
        model.prefit_sigmas[:] = 7


def test_fitted_parameters_of_a_scan_heed_every_form_of_fixed(model):
    mask = model.suggested_fixed.copy()
    mask[model.parameter_names.index("lumi")] = True
    for fixed in (["lumi"], mask, {"lumi": 1.0}):
        result, rows = nextstat.profile_scan(model, [0.5, 1], fixed=fixed, return_params=True)
        assert rows.shape == (2, model.n_params) and (rows[:, model.parameter_names.index("lumi")] == 1).all()
        np.testing.assert_allclose([model.nll(row) for row in rows], [point.nll_mu for point in result.points], rtol=1e-9)


def test_one_patch_may_stand_alone(model, tmp_path):
    operations = [{"op": "replace", "path": "/observations/0/data/0", "value": 1000}]
    file = tmp_path / "patch.json"
    file.write_text(json.dumps(operations))
    models = [nextstat.Model.from_workspace(SIMPLE, patches=patches)
              for patches in (operations, [operations], str(file), file, [file], operations[0])]
    assert len({tuple(m.observed_data) for m in models}) == 1
    assert tuple(models[0].observed_data) != tuple(model.observed_data)


def test_documents_come_in_every_form(model):
    text = SIMPLE.read_text()
    with_arrays = json.loads(text)
    with_arrays["observations"][0]["data"] = np.array(with_arrays["observations"][0]["data"])
    for source in ("\ufeff" + text, text.encode(), with_arrays):
        np.testing.assert_array_equal(nextstat.Model.from_workspace(source).observed_data, model.observed_data)
    assert nextstat.fit(nextstat.Model(SIMPLE)) == nextstat.fit(model)


def test_main_bins_alone_get_the_auxiliary_data(model):
    point = model.suggested_init
    assert model.nll(point, data=model.observed_data[:model.n_bins]) == model.nll(point)


def test_too_large_a_number_of_threads_leaves_the_old_one():
    with pytest.raises(nextstat.InputError):
        nextstat.set_threads(10**30)
    assert nextstat.get_threads() == 0


def test_rates_beyond_what_doubles_hold_end_the_fit():
    """It went on for ever once, and nothing but SIGKILL ended it."""
    code = """
import json, nextstat
document = json.load(open(%r))
document["channels"] = [{"name": "c", "samples": [
    {"name": "s", "data": [1e200], "modifiers": [{"name": "mu", "type": "normfactor", "data": None}]},
    {"name": "b", "data": [6.0], "modifiers": []}]}]
document["observations"] = [{"name": "c", "data": [10.0]}]
document["measurements"] = [{"name": "m", "config": {"poi": "mu", "parameters": []}}]
try:
    print(nextstat.fit(document).converged)
except nextstat.Error as error:
    print("refused:", error)
""" % str(SIMPLE)
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert answer.stdout.startswith(("refused:", "False"))


def test_faults_name_the_file_they_are_in(tmp_path):
    file = tmp_path / "broken.json"
    file.write_text('{"channels": [}')
    for call in (nextstat.fit, nextstat.load_workspace, nextstat.Model.from_workspace):
        for source in (file, str(file)):
            with pytest.raises(nextstat.InputError, match=r"broken\.json .*line 1"):
                call(source)
    with pytest.raises(nextstat.InputError) as raised:
        nextstat.fit(file.read_text())
    assert "broken" not in str(raised.value) and raised.value.faults[0].where.startswith("/channels")
    with pytest.raises(nextstat.NotFoundError, match=r"simple\.json .*no measurement"):
        nextstat.Model.from_workspace(SIMPLE, measurement="nope")
