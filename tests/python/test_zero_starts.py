"""Where the suggested start has no likelihood, fits begin at a point that has one, and say so."""

import pytest

from conftest import answer, run_program, write
from small_workspaces import MU, normsys, one_channel, sample, several_channels


def only_signal(counts, start=0.0):
    """A region that only the signal can fill, and one with background; the signal starts at 0."""
    alpha = normsys("a", 0.9, 1.1)
    regions = {"SR": [sample("s", [8.0, 4.0], MU, alpha)], "CR": [sample("b", [50.0], alpha)]}
    return several_channels(regions, {"SR": counts, "CR": [55.0]}, [{"name": "mu", "inits": [start], "bounds": [[0.0, 10.0]]}])


def ask(tmp_path, document, verb):
    return answer(verb, write(tmp_path / "workspace.json", document), code=(0, 1))


def test_the_fit_is_that_from_another_start(tmp_path):
    moved = ask(tmp_path, only_signal([9.0, 3.0]), "fit")
    usual = ask(tmp_path, only_signal([9.0, 3.0], start=1.0), "fit")
    assert moved["converged"]
    assert moved["nll"] == pytest.approx(usual["nll"], abs=1e-10)
    assert moved["initial_nll"] is None
    text = [w for w in moved["warnings"] if "the likelihood is zero at the suggested start" in w]
    assert len(text) == 1
    assert "bins SR[0] (observed 9, expected 0), SR[1] (observed 3, expected 0)" in text[0]
    assert "the fit started at mu = " in text[0]
    assert not any("suggested start" in w for w in usual["warnings"])


@pytest.mark.parametrize("verb", ["hypotest", "upper-limit", "scan", "interval", "significance", "goodness-of-fit"])
def test_every_question_begins_elsewhere_and_says_so(tmp_path, verb):
    moved = ask(tmp_path, only_signal([9.0, 3.0]), verb)
    usual = ask(tmp_path, only_signal([9.0, 3.0], start=1.0), verb)
    assert any("the likelihood is zero at the suggested start" in w for w in moved["warnings"])
    for key in ("mu_hat", "bestfit", "lower", "upper", "obs_limit", "cls", "chi2"):
        if isinstance(usual.get(key), float):
            assert moved[key] == pytest.approx(usual[key], rel=1e-5), key


def test_without_any_such_point_the_bins_are_named(tmp_path):
    done = run_program("fit", write(tmp_path / "workspace.json", only_signal([9.0, 3.0])), "--fixed", "mu=0")
    assert done.returncode == 2
    assert "no point within the bounds was found where it is not: bins SR[0] (observed 9, expected 0)" in done.stderr


def test_rates_that_numbers_do_not_hold_are_blamed(tmp_path):
    done = run_program("fit", write(tmp_path / "workspace.json", one_channel([sample("s", [5e-324], MU)], [1])))
    assert done.returncode == 2
    assert "bins c[0] (observed 1, expected 4.94066e-324)" in done.stderr
    assert "constraint" not in done.stderr
