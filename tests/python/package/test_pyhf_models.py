"""Models of nextstat.pyhf are pyhf's: names, order, densities, expected data, toys, shapes and errors."""

import copy
import pickle

import numpy as np
import pytest
from pyhf_pairs import ALL_MODIFIERS, OBSERVED, OBSERVED_CONTROL, points, quiet, workspace

ours = pytest.importorskip("nextstat.pyhf")
theirs = pytest.importorskip("pyhf")

SETTINGS = [
    None,
    {"normsys": {"interpcode": "code1"}, "histosys": {"interpcode": "code0"}},
    {"normsys": {"interpcode": "code1"}},
    {"normsys": {"interpcode": "code4"}, "histosys": {"interpcode": "code2"}},
]


def pair(spec=ALL_MODIFIERS, **settings):
    return theirs.Model(copy.deepcopy(spec), **settings), ours.Model(copy.deepcopy(spec), **settings)


def data_of(model):
    return np.array([*OBSERVED_CONTROL, *OBSERVED, *model.config.auxdata])


@pytest.mark.parametrize("settings", [2, 1])
def test_config_is_pyhfs(settings):
    """With the settings of lumi and mu, and with those of lumi alone: mu has its defaults then."""
    one, two = pair({**ALL_MODIFIERS, "parameters": ALL_MODIFIERS["parameters"][:settings]})
    for name in ("par_order par_names parameters poi_name poi_index auxdata_order nmaindata nauxdata npars channels "
                 "samples modifiers channel_nbins channel_slices").split():
        assert getattr(one.config, name) == getattr(two.config, name), name
    for name in ("suggested_init", "suggested_bounds", "suggested_fixed"):
        assert np.array_equal(np.array(getattr(one.config, name)()), np.array(getattr(two.config, name)())), name
    np.testing.assert_allclose(one.config.auxdata, two.config.auxdata, rtol=1e-14)
    for name in one.config.par_order:
        first, second = one.config.param_set(name), two.config.param_set(name)
        assert first.n_parameters == second.n_parameters and first.is_scalar == second.is_scalar
        assert one.config.par_slice(name) == two.config.par_slice(name)
        if first.constrained:
            np.testing.assert_allclose(first.width(), second.width(), rtol=1e-14)


@pytest.mark.parametrize("settings", SETTINGS)
def test_densities_and_expected_data_are_pyhfs(settings):
    keywords = {} if settings is None else {"modifier_settings": settings}
    one, two = pair(**keywords)
    data = data_of(one)
    for point in points(one.config):
        assert one.logpdf(point, data).shape == two.logpdf(point, data).shape == (1,)
        np.testing.assert_allclose(two.logpdf(point, data), one.logpdf(point, data), rtol=1e-12)
        np.testing.assert_allclose(two.pdf(point, data), one.pdf(point, data), rtol=1e-9)
        np.testing.assert_allclose(two.expected_data(point), one.expected_data(point), rtol=1e-12)
        np.testing.assert_allclose(two.expected_actualdata(point), one.expected_actualdata(point), rtol=1e-12)
        np.testing.assert_allclose(two.expected_auxdata(point), one.expected_auxdata(point), rtol=1e-12)
        main, auxiliary = data[: one.config.nmaindata], data[one.config.nmaindata :]
        np.testing.assert_allclose(two.mainlogpdf(main, point), one.mainlogpdf(main, point), rtol=1e-12)
        np.testing.assert_allclose(two.constraint_logpdf(auxiliary, point), one.constraint_logpdf(auxiliary, point), rtol=1e-12)
        np.testing.assert_allclose(
            two.main_model.expected_data(point, return_by_sample=True),
            one.main_model.expected_data(point, return_by_sample=True), rtol=1e-12, atol=1e-12,
        )
    assert np.array_equal(one.nominal_rates, two.nominal_rates)


def test_batches_have_pyhfs_shapes():
    one, two = pair(batch_size=3)
    data = data_of(one)
    rows = np.array(points(one.config, count=3))
    for given in (data, np.stack([data, data + 1, data * 1.1])):
        expected = one.logpdf(rows, given)
        assert two.logpdf(rows, given).shape == expected.shape == (3,)
        np.testing.assert_allclose(two.logpdf(rows, given), expected, rtol=1e-12)
    assert two.expected_data(rows).shape == one.expected_data(rows).shape
    np.testing.assert_allclose(two.expected_data(rows), one.expected_data(rows), rtol=1e-12)
    np.testing.assert_allclose(
        two.main_model.expected_data(rows, return_by_sample=True), one.main_model.expected_data(rows, return_by_sample=True),
        rtol=1e-12, atol=1e-12,
    )


def test_seeded_toys_are_pyhfs():
    one, two = pair()
    point = points(one.config)[1]
    samples = []
    for model in (one, two):
        np.random.seed(11)
        samples.append(model.make_pdf(np.array(point)).sample((20,)))
    np.testing.assert_allclose(samples[1], samples[0], rtol=1e-13)


@pytest.mark.parametrize("clip", [{"clip_sample_data": 45.0}, {"clip_bin_data": 70.0}])
def test_clipped_rates_are_pyhfs(clip):
    with quiet():
        one, two = pair(**clip)
    data = data_of(one)
    for point in points(one.config):
        np.testing.assert_allclose(two.expected_data(point), one.expected_data(point), rtol=1e-12)
        np.testing.assert_allclose(two.logpdf(point, data), one.logpdf(point, data), rtol=1e-12)


def broken(change):
    spec = copy.deepcopy(ALL_MODIFIERS)
    change(spec)
    return spec


def _sample(spec, index):
    return spec["channels"][0]["samples"][index]


WRONG = {
    "two settings of one parameter": lambda spec: spec["parameters"].append({"name": "mu"}),
    "wrong number of settings": lambda spec: spec["parameters"].append({"name": "own", "inits": [1.0]}),
    "setting that is not used": lambda spec: spec["parameters"][1].update(sigmas=[1.0]),
    "name reused": lambda spec: _sample(spec, 2)["modifiers"].append({"name": "mu", "type": "normsys", "data": {"lo": 0.9, "hi": 1.1}}),
    "shapesys shared": lambda spec: _sample(spec, 2)["modifiers"].append({"name": "own", "type": "shapesys", "data": [1.0, 1.0, 1.0]}),
    "sample too short": lambda spec: _sample(spec, 1).update(data=[1.0]),
    "histosys too short": lambda spec: _sample(spec, 0)["modifiers"][2].update(data={"lo_data": [1.0], "hi_data": [1.0]}),
    "staterror too short": lambda spec: _sample(spec, 1)["modifiers"][2].update(data=[1.0]),
    "unknown modifier": lambda spec: _sample(spec, 1)["modifiers"][0].update(type="other"),
    "no samples": lambda spec: spec["channels"][0].update(samples=[]),
    "text for numbers": lambda spec: _sample(spec, 1).update(data=["a", "b", "c"]),
    "no channels": lambda spec: spec.update(channels=[]),
    "surplus entry": lambda spec: spec.update(surplus=1),
    "bounds not nested": lambda spec: spec["parameters"][1].update(bounds=[0, 1]),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_specifications_raise_pyhfs_exceptions(what):
    spec = broken(WRONG[what])
    with pytest.raises(Exception) as expected:
        theirs.Model(copy.deepcopy(spec))
    with pytest.raises(Exception) as raised:
        ours.Model(copy.deepcopy(spec))
    assert type(raised.value).__name__ == type(expected.value).__name__
    assert str(raised.value)


@pytest.mark.parametrize("settings", [{"poi_name": "nothing"}, {"poi_name": "own"}, {"surplus": 1}])
def test_wrong_settings_raise_pyhfs_exceptions(settings):
    with pytest.raises(Exception) as expected:
        theirs.Model(ALL_MODIFIERS, **settings)
    with pytest.raises(Exception) as raised:
        ours.Model(ALL_MODIFIERS, **settings)
    assert type(raised.value).__name__ == type(expected.value).__name__


def test_wrong_lengths_raise_pyhfs_exceptions():
    _, model = pair()
    start, data = model.config.suggested_init(), data_of(model)
    with quiet():
        with pytest.raises(ours.exceptions.InvalidPdfParameters, match=f"{len(start)} was expected"):
            model.logpdf([*start, 1.0], data)
        with pytest.raises(ours.exceptions.InvalidPdfData, match=f"{len(data)} was expected"):
            model.logpdf(start, data[:-1])


def test_nan_is_refused_by_name():
    _, model = pair()
    start, data = model.config.suggested_init(), data_of(model)
    with quiet():
        with pytest.raises(ours.exceptions.InvalidPdfParameters, match="NaN for energy"):
            model.logpdf([np.nan, *start[1:]], data)
        for _ in range(2):
            with pytest.raises((ours.exceptions.InvalidPdfData, ours.exceptions.FailedMinimization), match="NaN|finite|number"):
                ours.infer.mle.fit([np.nan, *data[1:]], model)
            ours.infer.mle.fit(list(data), model)


def test_custom_modifiers_are_refused_with_a_way_out():
    custom = {**theirs.modifiers.histfactory_set, "mine": (object, object)}
    with pytest.raises(ours.exceptions.InvalidModifier, match="mine: custom modifiers are Python code.*normsys"):
        ours.Model(ALL_MODIFIERS, modifier_set=custom)


def test_a_model_without_parameter_of_interest():
    one, two = pair(poi_name=None)
    assert two.config.poi_index is None and two.config.poi_name is None
    data = data_of(one)
    np.testing.assert_allclose(two.logpdf(points(one.config)[2], data), one.logpdf(points(one.config)[2], data), rtol=1e-12)
    with pytest.raises(ours.exceptions.UnspecifiedPOI):
        ours.infer.hypotest(1.0, list(data), two)


def test_arrays_in_the_specification():
    spec = copy.deepcopy(ALL_MODIFIERS)
    for channel in spec["channels"]:
        for sample in channel["samples"]:
            sample["data"] = np.array(sample["data"])
    model = ours.Model(spec)
    plain = ours.Model(ALL_MODIFIERS)
    start = plain.config.suggested_init()
    assert np.array_equal(model.expected_data(start), plain.expected_data(start))


def test_measurements_patches_and_data():
    document = workspace()
    one, two = theirs.Workspace(document), ours.Workspace(document)
    patch = [{"op": "replace", "path": "/channels/0/samples/0/data", "value": [6.0, 11.0, 4.0]}]
    for settings in ({}, {"measurement_name": "second"}, {"measurement_index": 1}, {"patches": [patch]}, {"poi_name": "lumi"}):
        with quiet():
            first, second = one.model(**settings), two.model(**settings)
        assert first.config.poi_name == second.config.poi_name
        assert first.config.suggested_init() == second.config.suggested_init()
        assert one.data(first) == two.data(second)
        assert one.data(first, include_auxdata=False) == two.data(second, include_auxdata=False)
        start = first.config.suggested_init()
        np.testing.assert_allclose(second.expected_data(start), first.expected_data(start), rtol=1e-12)


def test_standard_names_with_other_code_behind_them_are_refused():
    assert ours.Model(ALL_MODIFIERS, modifier_set=theirs.modifiers.histfactory_set)
    assert ours.Model(ALL_MODIFIERS, modifier_set=ours.modifiers.histfactory_set)
    with pytest.raises(ours.exceptions.InvalidModifier, match="normsys: custom modifiers"):
        ours.Model(ALL_MODIFIERS, modifier_set={**theirs.modifiers.histfactory_set, "normsys": (object, object)})


@pytest.mark.parametrize("used", [False, True])
def test_models_can_be_copied_and_pickled(used):
    model = ours.Model(ALL_MODIFIERS)
    start = model.config.suggested_init()
    if used:
        model.expected_data(start)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.config.par_names == model.config.par_names
        assert np.array_equal(other.expected_data(start), model.expected_data(start))


def test_the_parameter_of_interest_can_be_changed():
    model = ours.Model(ALL_MODIFIERS)
    model.config.set_poi("rate")
    fitted = ours.infer.mle.fixed_poi_fit(0.4, list(data_of(model)), model)
    assert fitted[model.config.par_slice("rate")].tolist() == [0.4]


@pytest.mark.parametrize("settings", SETTINGS[:3])
@pytest.mark.parametrize("batch", [None, 3])
def test_modifications_are_pyhfs(settings, batch):
    keywords = {} if settings is None else {"modifier_settings": settings}
    one, two = pair(batch_size=batch, **keywords)
    rows = np.array(points(one.config, count=3))
    given = rows[1] if batch is None else rows
    for theirs_part, our_part in zip(one._modifications(given), two._modifications(given), strict=True):
        assert len(theirs_part) == len(our_part)
        for expected, got in zip(theirs_part, our_part):
            assert expected.shape == got.shape
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
