"""to_dict() of every result is the JSON that the command line prints for the same question, and as docs/schemas says."""

import json
import shutil

import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")

from conftest import ALL_MODIFIERS as ALL, SIMPLE, answer, needs_program, write
from small_workspaces import mass_points

pytestmark = needs_program

GROUPS = {"statistics": ["counts*"], "theory": ["theory", "energy_scale"]}
TOYS = ("--n-toys", 60, "--seed", 3)
POINTS = ("--start", 0, "--stop", 2, "--points", 5)


def result_of_hypotest(model, test_stat="qtilde", mu=1.0, **more):
    return nextstat.hypotest(mu, model, test_stat=test_stat, return_result=True, **more)


# name of the schema: (arguments of the program, the same question in Python)
QUESTIONS = {
    "fit": (["fit", ALL], lambda: nextstat.fit(ALL)),
    "fit with MINOS": (["fit", ALL, "--minos", "mu", "lumi"], lambda: nextstat.fit(ALL, minos=["mu", "lumi"])),
    "fit with all MINOS": (["fit", SIMPLE, "--minos"], lambda: nextstat.fit(SIMPLE, minos=True)),
    "fit without uncertainties": (["fit", ALL, "--no-uncertainty"], lambda: nextstat.fit(ALL, uncertainties=False)),
    "fit with options": (
        ["fit", ALL, "--fixed", "lumi=1.01", "--init", "mu=2", "--bounds", "mu=0:3"],
        lambda: nextstat.fit(ALL, fixed={"lumi": 1.01}, init_pars={"mu": 2}, bounds={"mu": (0, 3)})),
    "fit without a POI": (["fit", ALL, "--poi", ""],
                          lambda: nextstat.fit(nextstat.Model.from_workspace(ALL, poi=""))),
    "scan": (["scan", ALL, *POINTS], lambda: nextstat.profile_scan(ALL, [0, 0.5, 1, 1.5, 2])),
    "scan of a parameter": (["scan", ALL, "--parameter", "lumi", "--start", 0.9, "--stop", 1.1, "--points", 3],
                            lambda: nextstat.profile_scan(ALL, [0.9, 1.0, 1.1], parameter="lumi")),
    "scan of a plane": (
        ["scan", ALL, *POINTS, "--parameter2", "lumi", "--start2", 0.9, "--stop2", 1.1, "--points2", 3],
        lambda: nextstat.profile_scan(ALL, [0, 0.5, 1, 1.5, 2], parameter2="lumi", values2=[0.9, 1.0, 1.1])),
    "interval": (["interval", ALL, "--cl", 0.9], lambda: nextstat.profile_ci(ALL, confidence_level=0.9)),
    "interval of a parameter": (["interval", ALL, "--parameter", "lumi"],
                                lambda: nextstat.profile_ci(ALL, parameter="lumi")),
    "ranking": (["ranking", ALL, "--groups", "GROUPS", "--impact", "prefit"],
                lambda: nextstat.ranking(ALL, groups=GROUPS, impact="prefit")),
    "ranking, the top": (["ranking", ALL, "--top", 2], lambda: nextstat.ranking(ALL, top=2)),
    **{f"hypotest {kind}": (["hypotest", ALL, "--mu", mu, "--test-stat", kind],
                            lambda kind=kind, mu=mu: result_of_hypotest(ALL, kind, mu))
       for kind, mu in (("qtilde", 1.5), ("q", 1.5), ("q0", 0), ("t", 1.5), ("ttilde", 1.5))},
    **{f"hypotest-toys {kind}": (["hypotest-toys", ALL, "--mu", mu, "--test-stat", kind, "--expected-set", *TOYS],
                                 lambda kind=kind, mu=mu: nextstat.hypotest_toys(mu, ALL, test_stat=kind, n_toys=60, seed=3,
                                                                                 expected_set=True, return_result=True))
       for kind, mu in (("qtilde", 1.5), ("q", 1.5), ("q0", 0))},
    "hypotest-toys without the expected set": (
        ["hypotest-toys", ALL, "--mu", 1, *TOYS],
        lambda: nextstat.hypotest_toys(1, ALL, n_toys=60, seed=3, return_result=True)),
    "upper-limit": (["upper-limit", ALL], lambda: nextstat.upper_limit(ALL)),
    "upper-limit, scan": (["upper-limit", ALL, "--scan-points", 9, "--scan-start", 0, "--scan-stop", 8],
                          lambda: nextstat.upper_limit(ALL, scan=[0, 1, 2, 3, 4, 5, 6, 7, 8])),
    "upper-limit-toys": (
        ["upper-limit", SIMPLE, "--calctype", "toys", "--n-toys", 200, "--seed", 5, "--toy-error", 0.2],
        lambda: nextstat.upper_limit(SIMPLE, calctype="toys", n_toys=200, seed=5, error=0.2)),
    "significance": (["significance", ALL], lambda: nextstat.significance(ALL)),
    "significance-toys": (["significance", ALL, "--calctype", "toys", *TOYS],
                          lambda: nextstat.significance(ALL, calctype="toys", n_toys=60, seed=3)),
    "goodness-of-fit": (["goodness-of-fit", ALL], lambda: nextstat.goodness_of_fit(ALL)),
    "goodness-of-fit-toys": (["goodness-of-fit", ALL, "--toys", 60, "--seed", 3],
                             lambda: nextstat.goodness_of_fit(ALL, toys=60, seed=3)),
    "feldman-cousins": (["feldman-cousins", SIMPLE, *TOYS],
                        lambda: nextstat.feldman_cousins(SIMPLE, n_toys=60, seed=3)),
    "toys-run": (["toys", "run", ALL, *TOYS], lambda: nextstat.fit_toys(ALL, n_toys=60, seed=3, keep=[])),
    "toys-run at mu": (["toys", "run", ALL, "--mu", 1, *TOYS, "--keep", "lumi"],
                       lambda: nextstat.fit_toys(ALL, mu=1, n_toys=60, seed=3, keep=["lumi"])),
    "toys-run in a folder": (["toys", "run", ALL, *TOYS, "--out", "FOLDER", "--shard", "1/2"],
                             lambda folder: nextstat.fit_toys(ALL, n_toys=60, seed=3, out=str(folder), shard=(1, 2))),
    "hypotest-toys in a folder": (
        ["hypotest-toys", ALL, "--mu", 1, "--expected-set", *TOYS, "--out", "FOLDER"],
        lambda folder: nextstat.hypotest_toys(1, ALL, n_toys=60, seed=3, expected_set=True, out=str(folder), return_result=True)),
}


def schema_of(name, document):
    words = name.split(" ")[0].rstrip(",")
    return words if words.endswith(("-toys", "-run")) else document["schema"].split("/")[1]


def asked(ask, tmp_path):
    """The question in Python; those that keep files get a folder."""
    return ask(tmp_path / "run") if ask.__code__.co_varnames[:1] == ("folder",) else ask()


def printed(arguments, tmp_path):
    places = {"GROUPS": write(tmp_path / "groups.json", GROUPS), "FOLDER": tmp_path / "run"}
    shutil.rmtree(tmp_path / "run", ignore_errors=True)
    return answer(*[places.get(word, word) for word in arguments], code=(0, 1))


def without_time(document):
    return {key: value for key, value in document.items() if key != "wall_time_s"}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_result_is_what_the_command_line_prints(name, tmp_path, schema):
    arguments, ask = QUESTIONS[name]
    result = asked(ask, tmp_path)
    found, expected = result.to_dict(), printed(arguments, tmp_path)
    assert without_time(found) == without_time(expected)
    assert json.loads(result.to_json()) == found
    schema(schema_of(name, found), found)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_printed_json_reads_back_as_the_same_record(name, tmp_path):
    result = asked(QUESTIONS[name][1], tmp_path)
    again = type(result).from_json(result.to_dict())
    assert again.to_dict() == result.to_dict()


def mass_scan_files(tmp_path):
    points = {"m300": (300, 1.0), "m400": (400, 0.5), "m500": (500, 2.0)}
    background, patchset = mass_points(json.loads(SIMPLE.read_text()), points, "m400")
    return write(tmp_path / "background.json", background), write(tmp_path / "patchset.json", patchset)


def test_a_mass_scan_is_what_the_command_line_prints(tmp_path, schema):
    background, patchset = mass_scan_files(tmp_path)
    result = nextstat.mass_scan(background, patchset)
    expected = printed(["mass-scan", background, "--patchset", patchset], tmp_path)
    assert [bool(point.errors) for point in result.points] == [False, True, False]
    assert without_time(result.to_dict()) == without_time(expected)
    schema("mass-scan", result.to_dict())
    assert type(result).from_json(result.to_dict()) == result


def test_a_mass_scan_of_a_folder_is_what_the_command_line_prints(tmp_path):
    for name in ("a", "b"):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{name}.json").write_text(SIMPLE.read_text())
    result = nextstat.mass_scan(workspaces_dir=tmp_path / "in")
    expected = printed(["mass-scan", "--workspaces-dir", tmp_path / "in"], tmp_path)
    assert without_time(result.to_dict()) == without_time(expected)
