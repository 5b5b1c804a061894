"""Models come from anything that holds a workspace, and data, start values, fixed parameters and bounds in any form."""

import io
import json
import pickle

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")
pyhf = pytest.importorskip("pyhf")

from conftest import ALL_MODIFIERS as ALL, ROOT, SIMPLE

DOCUMENT = json.loads(ALL.read_text())

SOURCES = {
    "path text": lambda: str(ALL),
    "path": lambda: ALL,
    "dictionary": lambda: DOCUMENT,
    "JSON text": lambda: json.dumps(DOCUMENT),
    "JSON text after spaces": lambda: "\n  " + json.dumps(DOCUMENT),
    "open file": lambda: open(ALL),
    "open binary file": lambda: open(ALL, "rb"),
    "text in memory": lambda: io.StringIO(ALL.read_text()),
    "Workspace": lambda: nextstat.load_workspace(ALL),
    "pyhf.Workspace": lambda: pyhf.Workspace(DOCUMENT),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_models_come_from_anything_that_holds_a_workspace(kind):
    expected = nextstat.Model.from_workspace(ALL)
    for make in (nextstat.Model.from_workspace, nextstat.from_pyhf):
        model = make(SOURCES[kind]())
        assert model.parameters == expected.parameters
        np.testing.assert_array_equal(model.observed_data, expected.observed_data)
        assert model.nll(model.suggested_init) == expected.nll(expected.suggested_init)
    assert nextstat.fit(SOURCES[kind]()) == nextstat.fit(expected)
    if "file" not in kind and "memory" not in kind:
        assert nextstat.load_workspace(SOURCES[kind]()).digest() == nextstat.load_workspace(ALL).digest()


def test_a_model_of_pyhf_is_the_same_model():
    workspace = pyhf.Workspace(DOCUMENT)
    theirs = workspace.model()
    ours = nextstat.from_pyhf(theirs)
    data = workspace.data(theirs)
    assert ours.parameter_names == list(theirs.config.par_names)
    assert ours.poi_name == theirs.config.poi_name
    point = np.array(theirs.config.suggested_init()) * 1.01
    assert ours.nll(point, data) == pytest.approx(-theirs.logpdf(point, data)[0], rel=1e-12)
    expected = nextstat.fit(ALL)
    for model in (theirs, ours):
        found = nextstat.fit(model, data=data)
        assert found.nll == expected.nll
        np.testing.assert_array_equal(found.bestfit, expected.bestfit)


def test_a_model_of_pyhf_without_a_poi_has_none():
    theirs = pyhf.Model({"channels": DOCUMENT["channels"], "parameters": DOCUMENT["measurements"][0]["config"]["parameters"]},
                        poi_name=None)
    assert nextstat.from_pyhf(theirs).poi_index is None


def test_interpolation_codes_of_a_pyhf_model_are_kept():
    codes = {"normsys": {"interpcode": "code1"}, "histosys": {"interpcode": "code0"}}
    theirs = pyhf.Workspace(DOCUMENT).model(modifier_settings=codes)
    ours = nextstat.from_pyhf(theirs)
    point = np.array(theirs.config.suggested_init()) + 0.05
    np.testing.assert_allclose(ours.expected_data(point), theirs.expected_data(point), rtol=1e-12)
    other = nextstat.Model.from_workspace(ALL)
    assert not np.allclose(ours.expected_data(point), other.expected_data(point), rtol=1e-9)


def test_the_way_back_to_pyhf():
    model = nextstat.Model.from_workspace(ALL, normsys_code="code1", histosys_code="code0")
    theirs = model.to_pyhf()
    point = model.suggested_init + 0.03
    np.testing.assert_allclose(model.expected_data(point), theirs.expected_data(point), rtol=1e-12)
    assert nextstat.from_pyhf(theirs).parameter_names == model.parameter_names


def test_options_of_the_model():
    names = [measurement["name"] for measurement in DOCUMENT["measurements"]]
    assert nextstat.Model.from_workspace(ALL, measurement=names[-1]).measurement == names[-1]
    assert nextstat.Model.from_workspace(ALL, poi="").poi_name is None
    assert nextstat.Model.from_workspace(ALL, poi="lumi").poi_name == "lumi"
    channel = DOCUMENT["channels"][0]["name"]
    only = nextstat.Model.from_workspace(ALL, channels=[channel])
    assert list(only.channels) == [channel] and only.n_bins == len(DOCUMENT["channels"][0]["samples"][0]["data"])
    patch = [{"op": "replace", "path": "/observations/0/data/0", "value": 7}]
    patched = nextstat.Model.from_workspace(ALL, patches=[patch])
    assert patched.workspace["observations"][0]["data"][0] == 7
    assert nextstat.load_workspace(ALL).patched(patch)["observations"][0]["data"][0] == 7


def test_a_pickled_model_is_the_same_model():
    model = nextstat.Model.from_workspace(ALL, poi="lumi").with_observed_main(np.arange(1.0, 1 + nextstat.Model.from_workspace(ALL).n_bins))
    again = pickle.loads(pickle.dumps(model))
    assert again.parameters == model.parameters and again.poi_name == "lumi"
    np.testing.assert_array_equal(again.observed_data, model.observed_data)
    assert nextstat.fit(again) == nextstat.fit(model)


def same(first, second):
    np.testing.assert_array_equal(first.bestfit, second.bestfit)
    assert first.nll == second.nll and first.fixed == second.fixed


def test_data_come_in_all_forms():
    model = nextstat.Model.from_workspace(ALL)
    main = np.round(model.observed_data[:model.n_bins] * 1.3) + 1
    whole = np.concatenate([main, model.auxdata])
    expected = nextstat.fit(model.with_observed_main(main))
    by_channel = {name: main[place] for name, place in model.channels.items()}
    for found in (nextstat.fit(model, data=main), nextstat.fit(model, data=whole), nextstat.fit(model, data=list(whole)),
                  nextstat.fit(model, data=tuple(main)), nextstat.fit(model, data=main.astype(np.int64)),
                  nextstat.fit(model, data=main.astype(np.float32)), nextstat.fit(model, data=np.repeat(whole, 2)[::2]),
                  nextstat.fit(model.with_data(whole)), nextstat.fit(model.with_observed_main(by_channel))):
        same(found, expected)
    assert nextstat.fit(model) != expected, "the other data matter"


def test_start_values_come_in_all_forms():
    model = nextstat.Model.from_workspace(ALL)
    start = model.suggested_init
    start[model.poi_index] = 1.7
    expected = nextstat.fit(model, init_pars={"mu": 1.7})
    for init in (start, list(start), tuple(start), dict(zip(model.parameter_names, start))):
        found = nextstat.fit(model, init_pars=init)
        same(found, expected)
        assert found.initial_nll == expected.initial_nll == model.nll(start)


def test_fixed_parameters_come_in_all_forms():
    model = nextstat.Model.from_workspace(ALL)
    members = [p.name for p in model.parameters if p.set == "counts"]
    assert len(members) > 1
    held = ["lumi", *members]
    start = dict(zip(model.parameter_names, model.suggested_init))
    mask = model.suggested_fixed | np.array([name in held for name in model.parameter_names])
    expected = nextstat.fit(model, fixed={name: start[name] for name in held})
    for fixed in (held, tuple(held), ["lumi", "counts"], mask, mask.tolist(), {"lumi": start["lumi"], "counts": 1.0}):
        same(nextstat.fit(model, fixed=fixed), expected)
    same(nextstat.fit(model, fixed="lumi"), nextstat.fit(model, fixed=["lumi"]))
    moved = nextstat.fit(model, fixed=["lumi"], init_pars={"lumi": 1.02})
    assert moved["lumi"] == 1.02 and moved.uncertainty_of("lumi") == 0


def test_bounds_come_in_all_forms():
    model = nextstat.Model.from_workspace(ALL)
    rows = model.suggested_bounds
    rows[model.poi_index] = (0.0, 0.4)
    start = {"mu": 0.2}
    expected = nextstat.fit(model, init_pars=start, bounds={"mu": (0, 0.4)})
    assert expected["mu"] == 0.4 and "mu" in expected.at_bound
    for bounds in (rows, rows.tolist(), [tuple(row) for row in rows]):
        same(nextstat.fit(model, init_pars=start, bounds=bounds), expected)


def test_many_datasets_in_one_call():
    model = nextstat.Model.from_workspace(ALL)
    data = nextstat.poisson_toys(model, n_toys=5, seed=9)
    batch = nextstat.fit_batch(model, data)
    assert len(batch) == 5 and batch.bestfit.shape == (5, model.n_params)
    for row in range(5):
        one = nextstat.fit_batch(model, data[row:row + 1])
        np.testing.assert_array_equal(one.bestfit[0], batch.bestfit[row])
        assert nextstat.fit(model, data=data[row]).nll == pytest.approx(batch.nll[row], abs=1e-9)
    main = nextstat.fit_batch(model, data[:, :model.n_bins])
    aux = nextstat.fit_batch(model, np.hstack([data[:, :model.n_bins], np.tile(model.auxdata, (5, 1))]))
    np.testing.assert_array_equal(main.bestfit, aux.bestfit)


def test_toys_are_those_that_are_drawn():
    model = nextstat.Model.from_workspace(ALL)
    point = model.suggested_init
    toys = nextstat.fit_toys(model, point, n_toys=6, seed=4)
    fits = nextstat.fit_batch(model, nextstat.poisson_toys(model, point, n_toys=6, seed=4))
    np.testing.assert_allclose(toys.nll, fits.nll, atol=1e-9)
    np.testing.assert_array_equal(toys.truth, point)
    around = nextstat.fit_toys_from_data(model, nextstat.asimov_data(model, point), n_toys=6, seed=4)
    np.testing.assert_allclose(around.nll, toys.nll, atol=1e-9)
    np.testing.assert_array_equal(nextstat.asimov_data(model, point), model.expected_data(point))


def test_workspaces_are_dictionaries_with_operations():
    workspace = nextstat.load_workspace(SIMPLE)
    assert workspace == json.loads(SIMPLE.read_text()) == workspace.to_dict()
    assert workspace.digest() == pyhf.utils.digest(dict(workspace))
    renamed = workspace.rename(modifiers={"mu": "strength"})
    assert nextstat.Model.from_workspace(renamed).poi_name == "strength"
    assert workspace.sorted().digest() == pyhf.utils.digest(dict(pyhf.Workspace.sorted(pyhf.Workspace(dict(workspace)))))
    assert json.loads(workspace.to_json()) == workspace and "Workspace: 2 channels" in repr(workspace)


def test_a_mask_frees_what_the_measurement_holds():
    document = json.loads((ROOT / "examples/simple.json").read_text())
    document["measurements"][0]["config"]["parameters"][2]["fixed"] = True
    model = nextstat.Model.from_workspace(document)
    place = model.parameter_names.index("top_normalisation")
    assert model.suggested_fixed[place] and nextstat.fit(model).uncertainties[place] == 0
    freed = nextstat.fit(model, fixed=np.zeros(model.n_params, dtype=bool))
    assert freed.uncertainties[place] > 0 and freed.fixed == ()
    plain = nextstat.fit(ROOT / "examples/simple.json")
    assert freed.nll == pytest.approx(plain.nll, abs=1e-9)
    assert nextstat.fit(model, fixed=["lumi"]).fixed == ("lumi", "top_normalisation")


def test_another_parameter_of_interest_keeps_the_data():
    model = nextstat.Model.from_workspace(ROOT / "examples/simple.json")
    model = model.with_observed_main(model.observed_data[:model.n_bins] + 1)
    other = model.with_poi("top_normalisation")
    assert other.poi_name == "top_normalisation" and model.poi_name == "mu" and model.with_poi(None).poi_name is None
    np.testing.assert_array_equal(other.observed_data, model.observed_data)
    assert nextstat.fit(other).nll == nextstat.fit(model).nll
    with pytest.raises(nextstat.NotFoundError, match="nope"):
        model.with_poi("nope")
