"""`nextstat fit` through the program: the options that all fits share, regions, screens, errors with a next step, Ctrl-C."""

import json
import re
import subprocess

import pytest

from conftest import ALL_MODIFIERS, SIMPLE, answer, needs_program, on_terminal, run_program, write
from small_workspaces import modifier, workspace

CLOSURE = 1e-6  # a fit to Asimov data gives back the parameters that made them

pytestmark = needs_program


def fit(*arguments, **options):
    return answer("fit", *arguments, **options)


def screen(*arguments, code=0):
    done = run_program("fit", *arguments, "--format", "table")
    assert done.returncode == code, done.stderr
    return done.stdout


def of(result, name, key="bestfit"):
    return result[key][result["parameter_names"].index(name)]


def counting(observed, signal=(5.0, 10.0), background=(50.0, 60.0), modifiers=()):
    return workspace(signal, background, observed, modifiers)


# --- the result -----------------------------------------------------------------------------------------------------


def test_the_result_is_complete_and_consistent(schema):
    shown = fit(SIMPLE)
    schema("fit", shown)
    assert shown["converged"] and shown["termination_reason"] in ("converged", "rounding") and not shown["interrupted"]
    assert shown["twice_nll"] == 2 * shown["nll"] and shown["nll"] < shown["initial_nll"]
    size = len(shown["parameter_names"])
    assert shown["poi"] == "mu" and shown["parameter_names"][shown["poi_index"]] == "mu"
    for i in range(size):
        sigma = shown["uncertainties"][i]
        assert shown["covariance"][i][i] == pytest.approx(sigma**2, rel=1e-12)
        assert shown["correlation"][i][i] == 1
        for j in range(size):
            product = sigma * shown["uncertainties"][j]
            assert shown["covariance"][i][j] == pytest.approx(shown["correlation"][i][j] * product, abs=1e-12 * product)
    goodness = shown["goodness_of_fit"]
    assert goodness["chi2"] == pytest.approx(2 * (shown["nll"] - goodness["nll_saturated"]), abs=1e-12)
    assert goodness["ndof"] == 7 - 2 and 0 <= goodness["p_value"] <= 1
    assert shown["fit_regions"] is None and shown["validation_regions"] is None and shown["minos"] == {}


@pytest.mark.parametrize("options", [
    ["--no-uncertainty"], ["--minos"], ["--asimov"], ["--fixed", "mu=0"], ["--fit-regions", "signal_region"],
    ["--bounds", "mu=0:0.5", "--init", "mu=0.3"], ["--poi", ""], ["--interp-defaults", "pyhf"],
], ids=" ".join)
def test_results_of_every_shape_are_as_the_schema_says(options, schema):
    schema("fit", fit(SIMPLE, *options))


def test_every_measurement_fits_and_has_a_screen(schema):
    for measurement in (0, 1, 2):
        schema("fit", fit(ALL_MODIFIERS, "--measurement", measurement))
        assert len(screen(ALL_MODIFIERS, "--measurement", measurement).splitlines()) < 40


def test_without_uncertainty_there_is_none():
    shown = fit(SIMPLE, "--no-uncertainty")
    assert shown["uncertainties"] is None and shown["covariance"] is None and shown["correlation"] is None
    assert shown["bestfit"] == fit(SIMPLE)["bestfit"]


def test_minos_of_one_of_a_list_of_a_set_and_of_all():
    assert set(fit(SIMPLE, "--minos", "mu")["minos"]) == {"mu"}
    assert set(fit(SIMPLE, "--minos", "mu", "lumi")["minos"]) == {"mu", "lumi"}
    assert set(fit(SIMPLE, "--minos", "mu,lumi")["minos"]) == {"mu", "lumi"}
    bins = {f"staterror_signal_region[{i}]" for i in range(4)}
    assert set(fit(SIMPLE, "--minos", "staterror_signal_region")["minos"]) == bins
    shown = fit(SIMPLE, "--minos", "--fixed", "lumi=1")
    assert set(shown["minos"]) == set(shown["parameter_names"]) - {"lumi"}
    for name, (down, up) in shown["minos"].items():
        assert down < 0 < up and (up - down) / 2 == pytest.approx(of(shown, name, "uncertainties"), rel=0.2)


def large(parameters):
    """One channel with a bin per gamma."""
    counts = [100.0 + (i % 7) for i in range(parameters - 1)]
    return workspace([1.0] * len(counts), counts, counts, [modifier("stat", "staterror", [5.0] * len(counts))])


def test_large_matrices_are_left_out_unless_asked_for(tmp_path, schema):
    path = write(tmp_path / "large.json", large(1001))
    shown = fit(path)
    schema("fit", shown)
    assert shown["covariance"] is None and shown["correlation"] is None and None not in shown["uncertainties"]
    assert any("are left out" in warning for warning in shown["warnings"])
    assert "left out" not in screen(path), "the screen has no matrices anyway"
    whole = fit(path, "--covariance")
    assert len(whole["covariance"]) == len(whole["correlation"][-1]) == 1001
    assert not any("left out" in warning for warning in whole["warnings"])


def test_threads_and_instruction_sets_do_not_change_a_byte():
    def text(*options):
        return re.sub(r'"(wall|load)_time_s": [^,\n]*|"instruction_set": [^,\n]*', "", run_program("fit", ALL_MODIFIERS, "--minos", *options).stdout)

    assert len({text("--threads", threads) for threads in (0, 1, 2, 4)}) == 1


# --- data, start, bounds, fixed -------------------------------------------------------------------------------------


@pytest.mark.parametrize("workspace, point", [
    (SIMPLE, {}),
    (SIMPLE, {"mu": 2.5, "lumi": 1.01, "jet_energy_scale": 0.3}),
    (SIMPLE, {"mu": 0.25, "signal_efficiency": -1.2, "top_normalisation": 0.9}),
])
def test_a_fit_to_asimov_data_gives_the_parameters_back(workspace, point, tmp_path):
    words = [f"{name}={value}" for name, value in point.items()]
    shown = fit(workspace, "--asimov", *words)
    init = {p["name"]: p["init"] for p in answer("inspect", workspace)["parameters"]}
    for name, value in {**init, **point}.items():
        assert of(shown, name) == pytest.approx(value, abs=CLOSURE), name
    assert shown["goodness_of_fit"]["chi2"] == pytest.approx(0, abs=1e-9)
    if point:
        from_file = fit(workspace, "--asimov", write(tmp_path / "point.json", point))
        assert from_file["bestfit"] == shown["bestfit"]


def test_other_data_move_the_fit(tmp_path):
    counts = {"control_region": [340, 270.5, 150], "signal_region": [180, 71, 39, 22]}
    document = json.loads(SIMPLE.read_text())
    document["observations"] = [{"name": name, "data": data} for name, data in counts.items()]
    truth = fit(write(tmp_path / "other.json", document))
    got = fit(SIMPLE, "--data", write(tmp_path / "counts.json", counts))
    assert got["bestfit"] == truth["bestfit"] and got["nll"] == truth["nll"]
    assert got["nll"] != fit(SIMPLE)["nll"]


def test_fixed_parameters_stay_and_have_no_uncertainty():
    shown = fit(SIMPLE, "--fixed", "mu=0.5", "--fixed", "staterror_signal_region=1.02")
    assert shown["fixed"] == ["mu", *(f"staterror_signal_region[{i}]" for i in range(4))]
    assert of(shown, "mu") == 0.5 and of(shown, "mu", "uncertainties") == 0
    assert of(shown, "staterror_signal_region[3]") == 1.02
    assert shown["nll"] > fit(SIMPLE)["nll"]
    assert "mu = 0.5 fixed" in screen(SIMPLE, "--fixed", "mu=0.5")


def test_options_take_one_word_each_before_the_workspace_or_after():
    behind = fit(SIMPLE, "--fixed", "mu=0.5", "--init", "lumi=1.01", "--bounds", "top_normalisation=0:2")
    before = fit("--fixed", "mu=0.5", "--init", "lumi=1.01", "--bounds", "top_normalisation=0:2", SIMPLE)
    assert before["bestfit"] == behind["bestfit"]


def test_the_start_moves_and_the_minimum_does_not():
    near, far = fit(SIMPLE), fit(SIMPLE, "--init", "mu=7", "--init", "jet_energy_scale=-2")
    assert far["initial_nll"] > near["initial_nll"] + 1
    assert far["nll"] == pytest.approx(near["nll"], abs=1e-9)


def test_bounds_hold_and_are_said(tmp_path):
    shown = fit(SIMPLE, "--bounds", "mu=2:10", "--init", "mu=3")
    assert of(shown, "mu") == 2 and of(shown, "mu", "uncertainties") is None
    assert shown["at_bound"] == ["mu"] and shown["n_active_bounds"] == 1
    assert any("mu" in warning and "bound" in warning for warning in shown["warnings"])
    seen = screen(SIMPLE, "--bounds", "mu=2:10", "--init", "mu=3")
    assert "mu = 2 at bound" in seen and "warning: mu is at its lower bound 2" in seen


# --- regions --------------------------------------------------------------------------------------------------------


def test_fit_regions_are_the_fit_of_the_pruned_workspace(tmp_path):
    run_program("prune", SIMPLE, "--channel", "control_region", "-o", tmp_path / "pruned.json")
    truth, got = fit(tmp_path / "pruned.json"), fit(SIMPLE, "--fit-regions", "signal_region")
    left_out = fit(SIMPLE, "--validation-regions", "control_region")
    for key in ("parameter_names", "bestfit", "uncertainties", "nll"):
        assert got[key] == truth[key] == left_out[key]
    assert got["fit_regions"] == left_out["fit_regions"] == ["signal_region"]
    assert got["validation_regions"] == left_out["validation_regions"]
    assert "staterror_control_region[0]" not in got["parameter_names"]


def test_validation_regions_are_the_whole_model_at_the_best_fit(tmp_path):
    shown = fit(SIMPLE, "--fit-regions", "signal_region")
    point = write(tmp_path / "point.json", dict(zip(shown["parameter_names"], shown["bestfit"])))
    truth = answer("evaluate", SIMPLE, "--parameters", point, "--expected")
    (region,) = shown["validation_regions"]
    assert region["name"] == "control_region"
    assert region["expected"] == truth["expected_data"]["main"]["control_region"]
    observed = {o["name"]: o["data"] for o in json.loads(SIMPLE.read_text())["observations"]}
    assert region["observed"] == observed["control_region"]
    assert any("initial values" in warning for warning in shown["warnings"])
    assert re.search(r"control_region +3 +\d+", screen(SIMPLE, "--fit-regions", "signal_region"))


def test_parameters_of_a_set_over_several_channels_go_with_their_bins(tmp_path):
    """A staterror numbers its bins through all channels: without the first channel every number moves."""
    def channel(name, data):
        modifiers = [{"name": "stat", "type": "staterror", "data": [0.2 * n for n in data]}]
        norm = {"name": f"norm_{name}", "type": "normsys", "data": {"hi": 1.05, "lo": 0.95}}
        return {"name": name, "samples": [{"name": "b", "data": data, "modifiers": [*modifiers, norm]}]}

    document = {
        "version": "1.0.0",
        "channels": [channel("a", [100.0, 100.0]), channel("b", [50.0]), channel("c", [80.0, 20.0])],
        "observations": [{"name": "a", "data": [150, 60]}, {"name": "b", "data": [55]}, {"name": "c", "data": [60, 31]}],
        "measurements": [{"name": "m", "config": {"poi": "", "parameters": []}}],
    }
    shown = fit(write(tmp_path / "stat.json", document), "--fit-regions", "b,c")
    regions = {region["name"]: region for region in shown["validation_regions"]}
    assert set(regions) == {"a"} and regions["a"]["expected"] == pytest.approx([100, 100], rel=1e-12)
    shown = fit(tmp_path / "stat.json", "--fit-regions", "a", "--validation-regions", "c")
    assert shown["fit_regions"] == ["a"] and [r["name"] for r in shown["validation_regions"]] == ["c"]
    assert shown["validation_regions"][0]["expected"] == pytest.approx([80, 20], rel=1e-12)


def test_regions_of_other_data_and_asimov_data(tmp_path):
    shown = fit(SIMPLE, "--validation-regions", "control_region", "--asimov", "mu=2")
    (region,) = shown["validation_regions"]
    assert region["observed"] == pytest.approx(region["expected"], rel=1e-6)
    counts = write(tmp_path / "counts.json", {"control_region": [1, 2, 3], "signal_region": [80, 71, 39, 22]})
    (region,) = fit(SIMPLE, "--validation-regions", "control_region", "--data", counts)["validation_regions"]
    assert region["observed"] == [1, 2, 3]


# --- errors ---------------------------------------------------------------------------------------------------------

WRONG = {
    "asimov took the workspace": (["--asimov", SIMPLE], "put the workspace before --asimov"),
    "minos took the workspace": (["--minos", SIMPLE], "put the workspace before --minos"),
    "asimov and data": ([SIMPLE, "--asimov", "--data", "x.json"], "both set the data"),
    "asimov of no parameter": ([SIMPLE, "--asimov", "muu=1"], "did you mean 'mu'?"),
    "no such data": ([SIMPLE, "--data", "nowhere.json"], "nowhere.json"),
    "fixed without a value": ([SIMPLE, "--fixed", "mu"], "--fixed mu=1.5"),
    "fixed at no number": ([SIMPLE, "--fixed", "mu=one"], "not a finite number"),
    "fixed twice": ([SIMPLE, "--fixed", "mu=1", "--fixed", "mu=2"], "given twice"),
    "fixed of no parameter": ([SIMPLE, "--fixed", "muu=1"], "did you mean 'mu'?"),
    "init of no parameter": ([SIMPLE, "--init", "lumii=1"], "did you mean 'lumi'?"),
    "start outside the bounds": ([SIMPLE, "--init", "mu=20"], "outside the bounds [0, 10]"),
    "bounds with one number": ([SIMPLE, "--bounds", "mu=3"], "LOW:HIGH"),
    "bounds the wrong way round": ([SIMPLE, "--bounds", "mu=3:1"], "lower bound first"),
    "minos of no parameter": ([SIMPLE, "--minos", "muu"], "did you mean 'mu'?"),
    "no such region": ([SIMPLE, "--fit-regions", "signal_regio"], "did you mean 'signal_region'?"),
    "no region left": ([SIMPLE, "--validation-regions", "signal_region,control_region"], "no channel is left"),
    "a region twice": ([SIMPLE, "--fit-regions", "signal_region", "--validation-regions", "signal_region"], "give it once"),
    "device and gpu": ([SIMPLE, "--device", "cpu", "--gpu", "cuda"], "give one of them"),
    "two from standard input": (["-", "--data", "-"], "standard input"),
    "no such poi": ([SIMPLE, "--poi", "nu"], "nu"),
}


@pytest.mark.parametrize("arguments, part", WRONG.values(), ids=WRONG)
def test_wrong_use_is_exit_2_with_a_next_step(arguments, part, schema):
    done = run_program("fit", *arguments, stdin="")
    assert done.returncode == 2 and done.stdout == ""
    assert part in done.stderr and "hint:" in done.stderr
    report = json.loads(run_program("fit", *arguments, "--format", "json", stdin="").stderr)
    schema("error", report)


@pytest.mark.parametrize("option, name", [("--device", "cuda"), ("--device", "opencl:1"), ("--gpu", "metal")])
def test_a_device_that_is_not_there_is_exit_3_unless_fallback_is_allowed(option, name):
    done = run_program("fit", SIMPLE, option, name)
    assert done.returncode == 3 and done.stdout == ""
    assert f'"{name}" is not available: ' in done.stderr and "--fallback" in done.stderr
    reasons = {entry["type"]: entry["error"] for entry in answer("devices")["backends"]}
    why = reasons[name.partition(":")[0]]
    assert (why["reason"] if why else "there is no device") in done.stderr
    allowed = run_program("fit", SIMPLE, option, name, "--fallback")
    assert allowed.returncode == 0 and json.loads(allowed.stdout)["device"] == "cpu"
    assert "warning" in allowed.stderr and name in allowed.stderr


def test_the_cpu_is_always_there():
    for options in (["--device", "cpu"], ["--device", "auto"], ["--fallback"]):
        done = run_program("fit", SIMPLE, *options)
        assert done.returncode == 0 and done.stderr == ""


def test_counts_where_the_model_has_no_rate_are_named(tmp_path):
    path = write(tmp_path / "w.json", counting([52, 7], signal=(5, 0), background=(50, 0)))
    done = run_program("fit", path)
    assert done.returncode == 2 and "c[1]" in done.stderr and "observed 7" in done.stderr and "hint:" in done.stderr


# --- the screen -----------------------------------------------------------------------------------------------------


def test_the_screen_answers_did_it_converge_and_what_is_the_result():
    lines = screen(SIMPLE).splitlines()
    assert lines[0].startswith("Fit converged")
    shown = fit(SIMPLE)
    assert re.match(r"mu = 1\.1 ± 0\.5", lines[2]) and of(shown, "mu") == pytest.approx(1.14, abs=0.01)
    assert f"NLL = {shown['nll']:.7f}" in lines[3] and "chi2" in lines[4] and len(lines) < 40


def test_the_screen_sorts_by_pull_and_all_shows_everything(tmp_path):
    path = write(tmp_path / "large.json", large(60))
    short, whole = screen(path), screen(path, "--all")
    assert len(short.splitlines()) < 40 and "--all shows them" in short and "--all" not in whole
    pulls = [abs(float(row.split()[4])) for row in whole.splitlines() if row.startswith("stat[")]
    assert len(pulls) == 59 and pulls == sorted(pulls, reverse=True)
    shown = [row for row in short.splitlines() if row.startswith("stat[")]
    assert [row for row in whole.splitlines() if row.startswith("stat[")][: len(shown)] == shown


def test_the_screen_of_the_worst_model_is_under_40_lines(tmp_path):
    """Many warnings, many free parameters, many regions."""
    channels, observations = [], []
    for i in range(12):
        modifiers = [{"name": f"k{i}", "type": "normfactor", "data": None}, {"name": f"s{i}", "type": "staterror", "data": [9.0, 9.0]}]
        channels.append({"name": f"c{i}", "samples": [{"name": "b", "data": [100.0, 90.0], "modifiers": modifiers}]})
        observations.append({"name": f"c{i}", "data": [0, 0] if i % 2 else [5000, 5000]})
    document = {"version": "1.0.0", "channels": channels, "observations": observations,
                "measurements": [{"name": "m", "config": {"poi": "k0", "parameters": []}}]}
    path = write(tmp_path / "worst.json", document)
    seen = run_program("fit", path, "--validation-regions", "c0,c1,c2,c3,c4,c5,c6,c7", "--format", "table")
    assert len(seen.stdout.splitlines()) < 40 and not re.search(r"\b(nan|inf)\b", seen.stdout)
    seen = run_program("fit", path, "--format", "table")
    assert len(seen.stdout.splitlines()) < 40 and "12 parameters are at a bound" in seen.stdout


def test_names_of_a_file_cannot_reach_the_terminal(tmp_path):
    document = counting([52, 64])
    text = json.dumps(document).replace('"mu"', '"m\\u001b[31mu"')
    (tmp_path / "w.json").write_text(text)
    assert "\x1b" not in screen(tmp_path / "w.json")


# --- progress and Ctrl-C --------------------------------------------------------------------------------------------


def long_work(tmp_path, parameters=1500):
    """MINOS of every parameter of a model whose fits are slow enough."""
    return ["fit", write(tmp_path / "slow.json", large(parameters)), "--minos", "--threads", "1", "--format", "json"]


def test_progress_is_for_terminals_only(tmp_path):
    done = run_program(*long_work(tmp_path))
    assert done.returncode == 0 and done.stderr == ""


def test_progress_on_a_terminal_is_one_line_that_goes_away(tmp_path):
    def seen_of(*arguments):
        code, seen = on_terminal(*arguments, stdout=subprocess.DEVNULL)
        assert code == 0
        return seen

    seen = seen_of(*long_work(tmp_path))
    assert re.search(r"\r\[#*\.*\] \d+/\d+  [\d.e+]+/s  .* left\x1b\[K", seen)
    assert "\n" not in seen and seen.endswith("\r\x1b[K")
    assert seen_of(*long_work(tmp_path), "--no-progress") == ""
    assert seen_of("fit", SIMPLE) == "", "a quick answer has no progress line"
