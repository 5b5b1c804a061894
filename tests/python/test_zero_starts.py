"""Where the suggested start has no likelihood, fits begin at a point that has one, and say so."""

import json

import pytest


def workspace(signal_only, bounds=(0.0, 10.0), start=0.0):
    """A region with background, and one that only the signal can fill; the signal starts at 0."""
    mu = {"name": "mu", "type": "normfactor", "data": None}
    alpha = {"name": "a", "type": "normsys", "data": {"lo": 0.9, "hi": 1.1}}
    return {
        "version": "1.0.0",
        "channels": [
            {"name": "SR", "samples": [{"name": "s", "data": [8.0, 4.0], "modifiers": [mu, alpha]}]},
            {"name": "CR", "samples": [{"name": "b", "data": [50.0], "modifiers": [alpha]}]},
        ],
        "observations": [{"name": "SR", "data": signal_only}, {"name": "CR", "data": [55.0]}],
        "measurements": [
            {"name": "m", "config": {"poi": "mu", "parameters": [{"name": "mu", "inits": [start], "bounds": [list(bounds)]}]}}
        ],
    }


def answer(nextstat, tmp_path, document, verb, *options):
    path = tmp_path / "workspace.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    done = nextstat(verb, path, *options, "--format", "json")
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_the_fit_is_that_from_another_start(nextstat, tmp_path):
    moved = answer(nextstat, tmp_path, workspace([9.0, 3.0]), "fit")
    usual = answer(nextstat, tmp_path, workspace([9.0, 3.0], start=1.0), "fit")
    assert moved["converged"]
    assert moved["nll"] == pytest.approx(usual["nll"], abs=1e-10)
    assert moved["initial_nll"] is None
    text = [w for w in moved["warnings"] if "the likelihood is zero at the suggested start" in w]
    assert len(text) == 1
    assert "bins SR[0] (observed 9, expected 0), SR[1] (observed 3, expected 0)" in text[0]
    assert "the fit started at mu = " in text[0]
    assert not any("suggested start" in w for w in usual["warnings"])


@pytest.mark.parametrize("verb", ["hypotest", "upper-limit", "scan", "interval", "significance", "goodness-of-fit"])
def test_every_question_begins_elsewhere_and_says_so(nextstat, tmp_path, verb):
    moved = answer(nextstat, tmp_path, workspace([9.0, 3.0]), verb)
    usual = answer(nextstat, tmp_path, workspace([9.0, 3.0], start=1.0), verb)
    assert any("the likelihood is zero at the suggested start" in w for w in moved["warnings"])
    for key in ("mu_hat", "bestfit", "lower", "upper", "obs_limit", "cls", "chi2"):
        if isinstance(usual.get(key), float):
            assert moved[key] == pytest.approx(usual[key], rel=1e-5), key


def test_without_any_such_point_the_bins_are_named(nextstat, tmp_path):
    document = workspace([9.0, 3.0])
    path = tmp_path / "workspace.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    done = nextstat("fit", path, "--fixed", "mu=0")
    assert done.returncode == 2
    assert "no point within the bounds was found where it is not: bins SR[0] (observed 9, expected 0)" in done.stderr


def test_rates_that_numbers_do_not_hold_are_blamed(nextstat, tmp_path):
    mu = {"name": "mu", "type": "normfactor", "data": None}
    document = {
        "version": "1.0.0",
        "channels": [{"name": "c", "samples": [{"name": "s", "data": [5e-324], "modifiers": [mu]}]}],
        "observations": [{"name": "c", "data": [1]}],
        "measurements": [{"name": "m", "config": {"poi": "mu", "parameters": []}}],
    }
    path = tmp_path / "workspace.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    done = nextstat("fit", path)
    assert done.returncode == 2
    assert "bins c[0] (observed 1, expected 4.94066e-324)" in done.stderr
    assert "constraint" not in done.stderr
