"""Scans, intervals and rankings agree with pyhf's conditional fits and with iminuit's MINOS; same bytes for any thread count.

pyhf's own minimizer stops early, so iminuit minimizes pyhf's likelihood here; ours may only be lower than that by what it left.
"""

import functools
import json
import math

import pytest

np = pytest.importorskip("numpy")
pyhf = pytest.importorskip("pyhf")
iminuit = pytest.importorskip("iminuit")

from conftest import ALL_MODIFIERS, SIMPLE, answer, needs_program, run_program, without_times, write
from small_workspaces import two_bins

pytestmark = needs_program

ONE_SIGMA = 0.6826894921370859  # 2 dNLL = 1
NLL_TOLERANCE = 1e-5  # what Minuit leaves above the minimum
MINOS_TOLERANCE = 1e-3  # of sigma: Minuit's own tolerance of a crossing is 0.01 in 2 dNLL
WIDE = [{"name": "mu", "bounds": [[-5, 10]]}]


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory):
    path = write(tmp_path_factory.mktemp("profile") / "two_bins.json", two_bins(observed=[60, 62], parameters=WIDE))
    return {"two_bins": path, "simple": SIMPLE, "all_modifiers": ALL_MODIFIERS}


class Witness:
    """pyhf's likelihood of a workspace, minimized by Minuit."""

    def __init__(self, path):
        workspace = pyhf.Workspace(json.loads(path.read_text()))
        self.model = workspace.model(measurement_name=workspace.measurement_names[0])
        self.data = np.asarray(workspace.data(self.model))
        self.names = self.model.config.par_names

    def minuit(self, fixed=()):
        def nll(parameters):
            with np.errstate(all="ignore"):
                value = -float(self.model.logpdf(parameters, self.data)[0])
            return value if math.isfinite(value) else 1e6

        minuit = iminuit.Minuit(nll, np.asarray(self.model.config.suggested_init()), name=self.names)
        minuit.errordef = 0.5
        minuit.strategy = 2
        minuit.tol = 1e-5
        minuit.limits = self.model.config.suggested_bounds()
        for name, is_fixed in zip(self.names, self.model.config.suggested_fixed()):
            minuit.fixed[name] = is_fixed
        for name, value in fixed:
            minuit.values[name] = value
            minuit.fixed[name] = True
        for _ in range(3):
            minuit.migrad(ncall=100000)
        return minuit


@functools.lru_cache(maxsize=None)
def witness(path):
    return Witness(path)


@pytest.mark.parametrize("name", ["two_bins", "simple", "all_modifiers"])
def test_scan_is_the_profile_likelihood_of_pyhf(name, workspaces):
    path = workspaces[name]
    found = answer("scan", path, "--start", 0, "--stop", 2, "--points", 3)
    free = witness(path).minuit()
    assert found["nll_hat"] <= free.fval + 1e-7
    assert found["nll_hat"] == pytest.approx(free.fval, abs=NLL_TOLERANCE)
    assert found["converged"] and len(found["points"]) == 3
    for point in found["points"]:
        there = witness(path).minuit([(found["parameter"], point["mu"])]).fval
        assert point["nll_mu"] <= there + 1e-7
        assert point["nll_mu"] == pytest.approx(there, abs=NLL_TOLERANCE)
        assert point["twice_delta_nll"] == pytest.approx(2 * (point["nll_mu"] - found["nll_hat"]), abs=1e-12)
        assert point["q_mu"] == (0 if point["mu"] < found["mu_hat"] else max(0, point["twice_delta_nll"]))


@pytest.mark.parametrize("name", ["two_bins", "simple"])
def test_interval_is_minos(name, workspaces):
    path = workspaces[name]
    minuit = witness(path).minuit()
    for parameter in ("mu", witness(path).names[-1]):
        found = answer("interval", path, "--parameter", parameter, "--cl", ONE_SIGMA)
        minuit.minos(parameter, ncall=100000)
        minos = minuit.merrors[parameter]
        sigma = minuit.errors[parameter]
        assert found["level"] == pytest.approx(1, abs=1e-12)
        assert found["lower"] - found["bestfit"] == pytest.approx(minos.lower, abs=MINOS_TOLERANCE * sigma)
        assert found["upper"] - found["bestfit"] == pytest.approx(minos.upper, abs=MINOS_TOLERANCE * sigma)


def test_ranking_is_the_shift_of_conditional_fits(workspaces):
    path = workspaces["two_bins"]
    found = answer("ranking", path)
    poi_hat, sigmas = found["mu_hat"], dict(zip(witness(path).names, witness(path).minuit().errors))
    assert [entry["name"] for entry in found["entries"]] == ["uncorr_bkguncrt[1]", "uncorr_bkguncrt[0]"]
    for entry in found["entries"]:
        name = entry["name"]
        tau = {"uncorr_bkguncrt[0]": (50 / 3) ** 2, "uncorr_bkguncrt[1]": (52 / 7) ** 2}[name]
        for key, value in (("impact_up_prefit", 1 + tau**-0.5), ("impact_down_prefit", 1 - tau**-0.5)):
            shifted = witness(path).minuit([(name, value)]).values["mu"] - poi_hat
            assert entry[key] == pytest.approx(shifted, abs=1e-3 * found["mu_sigma"])
        assert entry["constraint"] == pytest.approx(sigmas[name] * tau**0.5, rel=1e-2)
        assert abs(entry["pull"]) < 1 and entry["converged"]


def test_groups_are_the_difference_of_two_uncertainties(workspaces, tmp_path):
    groups = tmp_path / "groups.json"
    groups.write_text(json.dumps({"stat": ["staterror_*"], "scale": ["jet_energy_scale"], "all": ["*"]}))
    found = answer("ranking", SIMPLE, "--groups", groups, "--top", 1)
    assert len(found["entries"]) == 1
    by_name = {group["name"]: group for group in found["groups"]}
    assert by_name["scale"]["members"] == 1
    assert 0 < by_name["scale"]["impact"] < by_name["all"]["impact"] < found["mu_sigma"]
    assert by_name["scale"]["impact"] == pytest.approx(
        (abs(found["entries"][0]["impact_up"]) + abs(found["entries"][0]["impact_down"])) / 2, rel=0.05)


@pytest.mark.parametrize("text, word", [
    ("[1]", "not an object"), ('{"a": "mu"}', "not a list"), ('{"a": [1]}', "not a name"),
    ('{"a": ["nothing*"]}', "nothing*"), ('{"a": ["lmui"]}', "lumi"), ("{", "groups.json")])
def test_groups_that_make_no_sense_are_refused(text, word, tmp_path):
    groups = tmp_path / "groups.json"
    groups.write_text(text)
    done = run_program("ranking", SIMPLE, "--groups", groups)
    assert done.returncode == 2 and word in done.stderr and done.stdout == ""


@pytest.mark.parametrize("question, word", [
    (["scan", "--parameter", "nothing"], "nothing"),
    (["scan", "--points", "0"], "points"),
    (["scan", "--parameter2", "lumi"], "start2"),
    (["scan", "--parameter2", "mu", "--start2", "0", "--stop2", "1"], "two different"),
    (["scan", "--parameter", "staterror_signal_region"], "set of 4"),
    (["interval", "--cl", "95"], "0.95"),
    (["interval", "--fixed", "mu=1"], "fixed"),
    (["ranking", "--fixed", "mu=1"], "fixed"),
    (["ranking", "--poi", ""], "parameter of interest"),
    (["ranking", "--impact", "both"], "postfit"),
])
def test_questions_that_make_no_sense_are_refused(question, word):
    done = run_program(question[0], SIMPLE, *question[1:])
    assert done.returncode == 2 and word in done.stderr and done.stdout == ""


@pytest.mark.parametrize("verb", ["scan", "interval", "ranking"])
def test_poi_at_its_bound(verb, tmp_path):
    found = answer(verb, write(tmp_path / "deficit.json", two_bins()))
    assert found["converged"]
    if verb == "scan":
        assert found["mu_hat"] == 0 and found["points"][0]["twice_delta_nll"] == pytest.approx(0, abs=1e-10)
    if verb == "interval":
        assert found["lower"] == 0 and found["lower_at_bound"] and any("bound" in text for text in found["warnings"])
    if verb == "ranking":
        assert found["mu_sigma"] is None and any("one-sided" in text for text in found["warnings"])


def test_results_of_every_shape_are_as_their_schema_says(tmp_path, schema):
    groups, deficit = write(tmp_path / "groups.json", {"all": ["*"]}), write(tmp_path / "deficit.json", two_bins(observed=[0, 0]))
    plane = ["--parameter2", "lumi", "--start2", "0.9", "--stop2", "1.1", "--points2", "3", "--points", "2"]
    for question in (["scan", SIMPLE, *plane], ["scan", deficit, "--start", -10, "--points", 2], ["interval", deficit],
                     ["interval", ALL_MODIFIERS, "--parameter", "second_free_shape[0]"], ["ranking", deficit, "--groups", groups],
                     ["ranking", ALL_MODIFIERS, "--groups", groups, "--impact", "prefit"]):
        schema(question[0], answer(*question, code=(0, 1)))


QUESTIONS = [["scan", "--points", "7"], ["interval", "--cl", "0.95"], ["ranking"]]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda words: words[0])
@pytest.mark.parametrize("name", ["thu", "tttt"])
def test_threads_do_not_change_a_byte(question, name, data_dir):
    path = data_dir / f"{name}.json"
    texts = {without_times(run_program(question[0], path, *question[1:], "--format", "json", "--threads", n).stdout)
             for n in (1, 2, 4)}
    assert len(texts) == 1 and "nextstat/" in texts.pop()


@pytest.mark.parametrize("name, poi, sigma", [("thu", -0.030269246, 0.153714186), ("tttt", 2.017502, None)])
def test_real_workspaces(name, poi, sigma, data_dir, remark):
    path = data_dir / f"{name}.json"
    ranked = answer("ranking", path, "--threads", 1)
    assert ranked["converged"] and ranked["mu_hat"] == pytest.approx(poi, abs=1e-6)
    if sigma:
        assert ranked["mu_sigma"] == pytest.approx(sigma, rel=1e-6)
    for entry in ranked["entries"]:  # a nuisance parameter moves the POI by less than the POI's own sigma
        assert max(abs(entry["impact_up"]), abs(entry["impact_down"])) < ranked["mu_sigma"]
    interval = answer("interval", path, "--cl", ONE_SIGMA)
    ends = [interval["lower"], interval["upper"]]
    scanned = answer("scan", path, "--start", ends[0], "--stop", ends[1], "--points", 2)
    assert [point["mu"] for point in scanned["points"]] == ends
    for point in scanned["points"]:
        assert point["twice_delta_nll"] == pytest.approx(1, abs=1e-8)
    remark(f"ranking of {name}: {ranked['n_fits']} fits, {ranked['n_iter'] / ranked['n_fits']:.2f} steps each, "
           f"{1e3 * ranked['wall_time_s']:.0f} ms on one thread")
