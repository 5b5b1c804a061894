"""Every device that is here gives the CPU's numbers, within the one table of tolerances that all device tests read."""

import json

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")

from conftest import ROOT

TABLE = json.loads((ROOT / "tests/conformance/device_tolerances.json").read_text())
WORKSPACES = [ROOT / "examples/simple.json", ROOT / "tests/data/all_modifiers.json"]
ABSENT = "; ".join(f"{entry['name']}: {entry['error']['reason']}" for entry in nextstat.devices() if entry["error"])


def present():
    found = [(f"{entry['type']}:{device['index']}", "f32" if device["fp64"] == "none" else "f64")
             for entry in nextstat.devices() if entry["type"] != "cpu" for device in entry["devices"]]
    return found or [pytest.param("", "", marks=pytest.mark.skip(reason=f"no device besides the CPU ({ABSENT})"))]


def close(precision, what, found, expected):
    line = TABLE[precision][what]
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    if line["bits"]:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, atol=line["absolute"], rtol=line["relative"])


devices = pytest.mark.parametrize("device, precision", present())
workspaces = pytest.mark.parametrize("workspace", WORKSPACES, ids=lambda path: path.stem)


def test_what_is_here_is_said():
    found = nextstat.devices()
    assert found[0]["type"] == "cpu" and found[0]["available"]
    assert found.recommended in {entry["type"] for entry in found if entry["available"]}
    for entry in found:
        assert entry["available"] == bool(entry["devices"]) and (entry["error"] is None) == entry["available"]
        assert entry["name"] in repr(found) and entry["name"] in found._repr_html_()
        if entry["error"]:
            assert entry["error"]["reason"] in repr(found)
    assert nextstat.has_cuda() == any(e["type"] == "cuda" and e["available"] for e in found)
    assert nextstat.has_opencl() == any(e["type"] == "opencl" and e["available"] for e in found)
    assert nextstat.has_metal() == any(e["type"] == "metal" and e["available"] for e in found)


@devices
@workspaces
def test_the_likelihood_on_a_device_is_that_of_the_cpu(device, precision, workspace):
    model = nextstat.Model.from_workspace(workspace)
    points = model.suggested_init + np.random.default_rng(2).uniform(-0.05, 0.05, (64, model.n_params))
    close(precision, "nll", model.nll(points, device=device), model.nll(points))
    close(precision, "gradient", model.grad_nll(points, device=device), model.grad_nll(points))
    data = nextstat.poisson_toys(model, n_toys=1, seed=3)[0]
    close(precision, "nll", model.nll(points, data, device=device), model.nll(points, data))
    with pytest.raises(nextstat.Error, match="abacus"):
        model.nll(points, device="abacus")


@devices
@workspaces
def test_a_fit_on_a_device_is_that_of_the_cpu(device, precision, workspace):
    cpu, found = (nextstat.fit(workspace, device=name) for name in ("cpu", device))
    assert found.device.startswith(device.split(":")[0]) and found.precision == precision and found.converged
    close(precision, "fit_nll", found.nll, cpu.nll)
    close(precision, "best_fit", found.bestfit, cpu.bestfit)
    close(precision, "uncertainty", found.uncertainties, cpu.uncertainties)


@devices
@workspaces
def test_many_fits_on_a_device_are_those_of_the_cpu(device, precision, workspace):
    data = nextstat.poisson_toys(workspace, n_toys=50, seed=6)
    cpu, found = (nextstat.fit_batch(workspace, data, device=name) for name in ("cpu", device))
    both = (cpu.converged_sets != 0) & (found.converged_sets != 0)
    assert both.sum() >= 45
    close(precision, "fit_nll", found.nll[both], cpu.nll[both])


@devices
def test_toys_on_a_device_are_those_of_the_cpu(device, precision):
    cpu, found = (nextstat.fit_toys(WORKSPACES[0], n_toys=100, seed=6, device=name) for name in ("cpu", device))
    close(precision, "fit_nll", found.nll, cpu.nll)


@devices
def test_questions_on_a_device_have_the_cpus_answers(device, precision):
    ask = [lambda name: nextstat.hypotest(1, WORKSPACES[0], device=name, return_result=True).cls,
           lambda name: nextstat.upper_limit(WORKSPACES[0], device=name).obs_limit,
           lambda name: nextstat.significance(WORKSPACES[0], device=name).z_obs]
    tolerance = 2e-4 if precision == "f64" else 2e-3
    for question in ask:
        assert question(device) == pytest.approx(question("cpu"), rel=tolerance)


def test_has_accelerate_says_what_is_true():
    """No build links Accelerate, and nobody has measured it: the documentation compares no speed."""
    assert nextstat.has_accelerate() is False
    assert "fast" not in nextstat.has_accelerate.__doc__
    assert "this version has nothing that uses Accelerate" in (ROOT / "cmake/NextstatDevices.cmake").read_text()
