"""Evaluations against pyhf itself, against finite differences, and one row against many."""

import json

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")
pyhf = pytest.importorskip("pyhf")

from conftest import ROOT
from test_hypotest import random_workspace

WORKSPACES = {"simple": json.loads((ROOT / "examples/simple.json").read_text()),
              "all modifiers": json.loads((ROOT / "tests/data/all_modifiers.json").read_text()),
              **{f"random {seed}": random_workspace(seed) for seed in range(6)}}


@pytest.fixture(scope="module", params=WORKSPACES)
def pair(request):
    """Our model, pyhf's, the data, and some points within the bounds."""
    workspace = pyhf.Workspace(WORKSPACES[request.param])
    theirs = workspace.model()
    ours = nextstat.Model.from_workspace(WORKSPACES[request.param])
    chance = np.random.default_rng(11)
    init, bounds = ours.suggested_init, ours.suggested_bounds
    points = init + chance.uniform(-0.2, 0.2, (7, ours.n_params))
    return ours, theirs, np.array(workspace.data(theirs)), np.clip(points, bounds[:, 0] + 1e-3, bounds[:, 1] - 1e-3)


def test_a_model_is_described_as_by_pyhf(pair):
    ours, theirs, data, _ = pair
    assert ours.parameter_names == list(theirs.config.par_names)
    assert ours.poi_index == theirs.config.poi_index and ours.n_params == theirs.config.npars
    np.testing.assert_array_equal(ours.suggested_init, theirs.config.suggested_init())
    np.testing.assert_array_equal(ours.suggested_bounds, theirs.config.suggested_bounds())
    np.testing.assert_array_equal(ours.suggested_fixed, theirs.config.suggested_fixed())
    np.testing.assert_array_equal(ours.observed_data, data)
    np.testing.assert_array_equal(ours.auxdata, theirs.config.auxdata)
    assert list(ours.channels) == list(theirs.config.channels)
    for name, place in ours.channels.items():
        assert place == theirs.config.channel_slices[name]
        np.testing.assert_array_equal(ours.observed_main_by_channel[name], data[place])


def test_the_likelihood_is_that_of_pyhf(pair):
    ours, theirs, data, points = pair
    for point in points:
        assert ours.nll(point) == pytest.approx(-theirs.logpdf(point, data)[0], rel=1e-11, abs=1e-11)
        other = data.copy()
        other[:ours.n_bins] += 1
        assert ours.nll(point, other) == pytest.approx(-theirs.logpdf(point, other)[0], rel=1e-11, abs=1e-11)
        np.testing.assert_allclose(ours.expected_data(point), theirs.expected_data(point), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(ours.expected_data(point, include_auxdata=False),
                                   theirs.expected_data(point, include_auxdata=False), rtol=1e-12, atol=1e-12)


def test_one_row_and_many_have_the_same_bits(pair):
    ours, _, data, points = pair
    nll, gradient, expected = ours.nll(points), ours.grad_nll(points), ours.expected_data(points)
    assert nll.shape == (7,) and gradient.shape == (7, ours.n_params) and expected.shape == (7, len(data))
    for row, point in enumerate(points):
        assert ours.nll(point) == nll[row] and isinstance(ours.nll(point), float)
        np.testing.assert_array_equal(ours.grad_nll(point), gradient[row])
        np.testing.assert_array_equal(ours.expected_data(point), expected[row])
        np.testing.assert_array_equal(ours.nll(point[np.newaxis]), nll[row:row + 1])
    np.testing.assert_array_equal(ours.nll(points[::2]), nll[::2])
    np.testing.assert_array_equal(ours.nll(np.asfortranarray(points)), nll)
    np.testing.assert_array_equal(ours.nll(points.tolist()), nll)


def slopes(function, point, step=1e-5):
    """Central differences along every parameter, [parameter, ...]."""
    rows = []
    for i in range(len(point)):
        up, down = point.copy(), point.copy()
        up[i] += step
        down[i] -= step
        rows.append((np.asarray(function(up)) - np.asarray(function(down))) / (2 * step))
    return np.array(rows)


def close(found, expected, tolerance):
    assert np.max(np.abs(found - expected) / (1 + np.max(np.abs(expected)))) < tolerance


def test_derivatives_are_those_of_finite_differences(pair):
    ours, _, _, points = pair
    for point in points[:2]:
        close(ours.grad_nll(point), slopes(ours.nll, point), 1e-7)
        hessian = ours.hessian(point)
        assert hessian.shape == (ours.n_params, ours.n_params)
        np.testing.assert_array_equal(hessian, hessian.T)
        close(hessian, slopes(ours.grad_nll, point), 1e-6)
        jacobian = ours.expected_jacobian(point)
        assert jacobian.shape == (ours.n_bins, ours.n_params)
        close(jacobian, slopes(lambda p: ours.expected_data(p, include_auxdata=False), point).T, 1e-7)


def test_samples_add_up_to_what_is_expected(pair):
    ours, _, _, points = pair
    for point in points[:3]:
        rates = ours.expected_main_by_channel_sample(point)
        expected = ours.expected_data(point, include_auxdata=False)
        assert list(rates) == list(ours.channels)
        for name, place in ours.channels.items():
            assert list(rates[name]) == ours.samples[name]
            np.testing.assert_allclose(sum(rates[name].values()), expected[place], rtol=1e-12, atol=1e-12)


def test_other_observations_make_another_model(pair):
    ours, _, _, points = pair
    counts = ours.observed_data[:ours.n_bins] + 2
    other = ours.with_observed_main(counts)
    np.testing.assert_array_equal(other.observed_data[:ours.n_bins], counts)
    np.testing.assert_array_equal(other.auxdata, ours.auxdata)
    assert other.nll(points[0]) == ours.nll(points[0], np.concatenate([counts, ours.auxdata])) != ours.nll(points[0])
    name = next(iter(ours.channels))
    place = ours.channels[name]
    part = ours.with_observed_main({name: counts[place]})
    np.testing.assert_array_equal(part.observed_main_by_channel[name], counts[place])
    assert np.array_equal(part.observed_data[place.stop:], ours.observed_data[place.stop:])


def test_another_nominal_makes_the_model_of_that_workspace(pair):
    ours, theirs, data, points = pair
    document = ours.workspace
    channel = document["channels"][0]
    sample = channel["samples"][0]
    values = [1.25 * value + 0.5 for value in sample["data"]]
    model = nextstat.Model.from_workspace(document)
    model.set_sample_nominal(channel["name"], sample["name"], values)
    sample["data"] = values
    expected = nextstat.Model.from_workspace(document)
    assert model.nll(points[0]) == expected.nll(points[0])
    np.testing.assert_array_equal(model.expected_data(points[0]), expected.expected_data(points[0]))
    assert model.workspace["channels"][0]["samples"][0]["data"] == values
    assert nextstat.fit(model) == nextstat.fit(expected)


def test_arrays_that_come_out_are_the_callers_own():
    model = nextstat.Model.from_workspace(WORKSPACES["all modifiers"])
    point = model.suggested_init
    point[:] = 0.0
    assert not np.array_equal(model.suggested_init, point)
    first = model.expected_data(model.suggested_init)
    kept = first.copy()
    model.expected_data(model.suggested_init * 1.1)
    np.testing.assert_array_equal(first, kept)


def test_arrays_may_lie_anywhere_in_any_number_format():
    model = nextstat.Model.from_workspace(WORKSPACES["all modifiers"])
    point = model.suggested_init
    expected = model.nll(point)
    askew = np.frombuffer(b"\0" + point.tobytes(), dtype=np.float64, offset=1)
    assert not askew.flags.aligned
    frozen = point.copy()
    frozen.flags.writeable = False
    for values in (askew, frozen, point.astype(">f8"), np.repeat(point, 3)[::3], point[::-1].copy()[::-1], list(point), tuple(point)):
        assert model.nll(values) == expected
    assert model.nll(np.ones_like(point, dtype=int)) == model.nll(np.ones_like(point)) == model.nll(np.ones_like(point, dtype=bool))


def test_rows_may_have_data_of_their_own():
    model = nextstat.Model.from_workspace(ROOT / "tests/data/all_modifiers.json")
    points = np.tile(model.suggested_init, (3, 1))
    data = nextstat.poisson_toys(model, n_toys=3, seed=5)
    together = model.nll(points, data=data)
    assert [model.nll(point, data=row) for point, row in zip(points, data)] == together.tolist()
    assert len(set(together.tolist())) == 3
    hessians = model.hessian(points, data=data)
    np.testing.assert_array_equal(hessians[2], model.hessian(points[2], data=data[2]))
    with pytest.raises(nextstat.InputError, match="once, or for every row"):
        model.nll(points, data=data[:2])


def test_data_that_are_no_numbers_raise():
    model = nextstat.Model.from_workspace(ROOT / "tests/data/all_modifiers.json")
    data = model.observed_data.copy()
    data[1] = np.nan
    with pytest.raises(nextstat.InputError, match="datum 1"):
        model.nll(model.suggested_init, data=data)
