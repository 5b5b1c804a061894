"""One folder of toys, whoever works on it: the command line, Python, a Dask cluster; however the model was loaded and the options
were written. The bytes are those of one run of the command line."""

import json
import shutil

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")

from conftest import ALL_MODIFIERS as ALL, ROOT, SIMPLE, answer, needs_program, run_program
from toy_verbs import blocks, content

pytestmark = needs_program

KINDS = ["toys", "hypotest-toys"]
N_TOYS, SEED = 120, 11


def on_command_line(kind, workspace, *words):
    verb = ["toys", "run"] if kind == "toys" else [kind]
    return answer(*verb, workspace, "--mu", 1, "--n-toys", N_TOYS, "--seed", SEED, *words)


def in_python(kind, model, folder, module=nextstat, before=(), resume=True, **options):
    """The record. `before`: a client."""
    common = {"n_toys": N_TOYS, "seed": SEED, "out": folder, "resume": resume} | options
    if kind == "toys":
        return module.fit_toys(*before, model, mu=1.0, **common)
    return module.hypotest_toys(*before, 1.0, model, return_result=True, **common)


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=":0",
                                  silence_logs=50) as cluster, distributed.Client(cluster) as made:
        yield made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workspace", [SIMPLE, ALL], ids=["simple", "all modifiers"])
def test_a_folder_goes_from_hand_to_hand(kind, workspace, client, tmp_path):
    """Command line -> Python -> Dask -> command line, each with a part of the run."""
    alone = on_command_line(kind, workspace, "--out", tmp_path / "alone")
    run, counts = tmp_path / "run", []
    on_command_line(kind, workspace, "--shard", "1/4", "--resume", run, "--threads", 1)
    counts.append(blocks(run))
    in_python(kind, workspace, run, shard=(2, 4), batch=7)
    counts.append(blocks(run))

    def stop(done, total):
        if done == total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_python(kind, workspace, run, module=nextstat.distributed, before=(client,), shards=blocks(tmp_path / "alone"),
                  progress=stop)
    counts.append(blocks(run))
    last = on_command_line(kind, workspace, "--resume", run)
    counts.append(blocks(run))
    assert counts == sorted(set(counts)), "each had a part of the work"
    assert content(run) == content(tmp_path / "alone")
    for key in ("wall_time_s", "folder"):
        alone.pop(key), last.pop(key)
    assert last == alone
    # Nothing is left to do, for anybody.
    in_python(kind, workspace, run, module=nextstat.distributed, before=(client,))
    assert in_python(kind, workspace, run).complete and content(run) == content(tmp_path / "alone")


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_begun_by_python_goes_on_by_the_command_line(kind, tmp_path):
    on_command_line(kind, ALL, "--out", tmp_path / "alone")
    in_python(kind, ALL, tmp_path / "run", resume=False, shard=(1, 3))
    on_command_line(kind, ALL, "--resume", tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "alone")


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_begun_by_dask_goes_on_by_the_command_line(kind, client, tmp_path):
    on_command_line(kind, SIMPLE, "--out", tmp_path / "alone")
    in_python(kind, SIMPLE, tmp_path / "run", module=nextstat.distributed, before=(client,), resume=False)
    assert content(tmp_path / "run") == content(tmp_path / "alone")
    (tmp_path / "run/block-00000003.toys").unlink()
    on_command_line(kind, SIMPLE, "--resume", tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "alone")


# --- one model, many ways to it --------------------------------------------------------------------------------------


def changed_and_back():
    model = nextstat.Model.from_workspace(SIMPLE)
    channel = model.workspace["channels"][0]
    sample = channel["samples"][0]
    for shift in (1, 0):
        model.set_sample_nominal(channel["name"], sample["name"], [value + shift for value in sample["data"]])
    return model


def turned():
    """Another text of the same workspace: other order, other spaces, 1.0 for 1."""
    document = json.loads(SIMPLE.read_text(), parse_int=float)
    for channel in document["channels"]:
        channel["samples"].reverse()
    return json.loads(json.dumps(dict(reversed(document.items()))))


def pyhf_workspace():
    return pytest.importorskip("pyhf").Workspace(json.loads(SIMPLE.read_text()))


MODELS = {
    "path": lambda: str(SIMPLE),
    "dictionary": lambda: json.loads(SIMPLE.read_text()),
    "text in another order": turned,
    "model": lambda: nextstat.Model.from_workspace(SIMPLE),
    "empty patch": lambda: nextstat.Model.from_workspace(SIMPLE, patches=[[]]),
    "all channels by name": lambda: nextstat.Model.from_workspace(
        SIMPLE, channels=list(nextstat.Model.from_workspace(SIMPLE).channels)),
    "changed and changed back": changed_and_back,
    "another poi and back": lambda: nextstat.Model.from_workspace(SIMPLE).with_poi(None).with_poi("mu"),
    "pyhf's workspace": pyhf_workspace,
    "pyhf's model": lambda: pyhf_workspace().model(),
}


@pytest.mark.parametrize("way", MODELS)
@pytest.mark.parametrize("kind", KINDS)
def test_equal_models_are_one_run_however_they_were_loaded(kind, way, tmp_path):
    without_data = way == "pyhf's model"
    data = nextstat.Model.from_workspace(SIMPLE).observed_data if without_data else None
    on_command_line(kind, SIMPLE, "--resume", tmp_path / "run", "--shard", "1/2")
    half = blocks(tmp_path / "run")
    assert in_python(kind, MODELS[way](), tmp_path / "run", data=data).complete
    on_command_line(kind, SIMPLE, "--out", tmp_path / "alone")
    assert half < blocks(tmp_path / "alone") and content(tmp_path / "run") == content(tmp_path / "alone")


def test_other_data_are_the_same_run_by_option_and_in_the_model(tmp_path):
    model = nextstat.Model.from_workspace(SIMPLE)
    counts = model.observed_data[:model.n_bins] + 2
    by_channel = {name: counts[place].tolist() for name, place in model.channels.items()}
    (tmp_path / "data.json").write_text(json.dumps(by_channel))
    on_command_line("toys", SIMPLE, "--data", tmp_path / "data.json", "--resume", tmp_path / "run", "--shard", "1/3")
    in_python("toys", model.with_observed_main(by_channel), tmp_path / "run", shard=(2, 3))
    assert in_python("toys", SIMPLE, tmp_path / "run", data=counts).complete
    with pytest.raises(nextstat.InputError, match="settings/data/sha256"):
        in_python("toys", SIMPLE, tmp_path / "run")


def test_options_are_the_same_run_however_they_are_written(tmp_path):
    model = nextstat.Model.from_workspace(ALL)
    names, gammas = model.parameter_names, next(p.set for p in model.parameters if p.type == "staterror")
    members = [p.name for p in model.parameters if p.set == gammas]
    on_command_line("toys", ALL, "--fixed", f"{gammas}=1", "--init", "mu=0.5", "--bounds", "mu=-5:20", "--resume", tmp_path / "run",
                    "--shard", "1/3")
    options = {"fixed": dict.fromkeys(reversed(members), 1.0), "init_pars": {"mu": 0.5}, "bounds": {"mu": (-5, 20)}}
    in_python("toys", model, tmp_path / "run", shard=(2, 3), **options)
    init = model.suggested_init
    init[names.index("mu")] = 0.5
    bounds = model.suggested_bounds
    bounds[names.index("mu")] = -5, 20
    mask = model.suggested_fixed | np.isin(names, members)
    assert in_python("toys", model, tmp_path / "run", fixed=mask, init_pars=init, bounds=bounds).complete
    settings = json.loads((tmp_path / "run/run.json").read_text())["settings"]
    assert settings["init"] == {"mu": 0.5} and settings["bounds"] == {"mu": [-5.0, 20.0]}
    assert set(settings["fixed"]) <= set(members) and set(settings["fixed"].values()) == {1.0}


def test_toys_at_given_parameters_do_not_ask_for_data(tmp_path):
    """pyhf's model has none."""
    model = nextstat.Model.from_workspace(SIMPLE)
    at = model.suggested_init
    (tmp_path / "at.json").write_text(json.dumps(dict(zip(model.parameter_names, at.tolist()))))
    answer("toys", "run", SIMPLE, "--parameters", tmp_path / "at.json", "--n-toys", 40, "--resume", tmp_path / "run", "--shard", "1/2")
    assert nextstat.fit_toys(pyhf_workspace().model(), at, n_toys=40, out=tmp_path / "run", resume=True).complete
    with pytest.raises(nextstat.InputError, match="settings/truth_sha256"):
        nextstat.fit_toys(model, at * 1.01, n_toys=40, out=tmp_path / "run", resume=True)
    answer("toys", "run", SIMPLE, "--parameters", tmp_path / "at.json", "--n-toys", 40, "--fixed-aux", "--resume", tmp_path / "fixed")
    with pytest.raises(nextstat.InputError, match="settings/data/auxiliary_sha256"):
        nextstat.fit_toys(model.with_data(model.observed_data * 1.01), at, n_toys=40, fixed_aux=True, out=tmp_path / "fixed", resume=True)


def test_another_model_is_one_error_that_names_it(tmp_path):
    on_command_line("toys", SIMPLE, "--resume", tmp_path / "run")
    for other in (nextstat.Model.from_workspace(SIMPLE, histosys_code="code0", normsys_code="code1"), ALL,
                  nextstat.Model.from_workspace(SIMPLE).with_poi("top_normalisation")):
        with pytest.raises(nextstat.InputError, match="is not the run in .* here, .* there") as raised:
            in_python("toys", other, tmp_path / "run")
        assert len(raised.value.faults) == 1


def test_a_person_can_read_what_a_run_is(tmp_path):
    on_command_line("hypotest-toys", SIMPLE, "--fixed", "lumi=1", "--out", tmp_path / "run")
    run = json.loads((tmp_path / "run/run.json").read_text())
    assert run["schema"] == "nextstat/toy-run/2" and run["kind"] == "hypotest-toys" and run["seed"] == SEED
    model = nextstat.Model.from_workspace(SIMPLE)
    assert run["labels"] == {"measurement": model.measurement, "workspace_digest": nextstat.load_workspace(SIMPLE).digest()}
    settings = run["settings"]
    digests = settings["model"].pop("sha256"), settings["data"].pop("sha256")
    assert all(len(digest) == 64 for digest in digests)
    assert settings == {
        "data": {"events": float(model.observed_data[:model.n_bins].sum())}, "fixed": {"lumi": 1.0}, "fixed_aux": False,
        "histosys_code": "code4p", "normsys_code": "code4", "mu": 1.0, "poi": "mu", "precision": "f64", "starts": "auto",
        "test_stat": "qtilde",
        "model": {"channels": len(model.channels), "bins": model.n_bins, "parameters": model.n_params}}
    screen = run_program("toys", "status", tmp_path / "run", "--format", "table").stdout
    for words in ("histosys_code", "code4p", "fixed", "lumi = 1.0", "measurement"):
        assert words in screen


@pytest.mark.parametrize("kind", KINDS)
def test_earlier_folders_are_read_by_python(kind, tmp_path):
    """tests/python/test_toys_earlier.py asks the command line."""
    earlier = ROOT / "tests/data/toy_runs_1"
    for who in ("cli", "python"):
        folder = tmp_path / f"{who}-{kind}"
        shutil.copytree(earlier / f"{who}-{kind}", folder)
        ask = {"toys": lambda at=folder: nextstat.fit_toys(SIMPLE, mu=1.0, n_toys=20, out=at, resume=True),
               "hypotest-toys": lambda at=folder: nextstat.hypotest_toys(2.0, SIMPLE, n_toys=20, out=at, resume=True, return_result=True)}[kind]
        assert nextstat.toys_status(folder)["complete"] and ask().complete
        (folder / "block-00000001.toys").unlink()
        with pytest.raises(nextstat.InputError, match="nextstat/toy-run/1") as raised:
            ask()
        assert len(raised.value.faults) == 1
