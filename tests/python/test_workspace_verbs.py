"""The workspace verbs give what pyhf gives, on real files and on small ones made for a rule, and refuse what it refuses."""

import copy
import json

import pytest

from conftest import needs_program, run_program, write
from small_workspaces import histosys, normsys, sample
from workspace_cases import DATA, SMALL, assert_same, load, real_workspaces, regions

pyhf = pytest.importorskip("pyhf")
jsonpatch = pytest.importorskip("jsonpatch")
pytestmark = needs_program

JOINS = ["none", "outer", "left outer", "right outer"]


# --- digest ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", real_workspaces(), ids=lambda path: path.stem)
def test_digest_equals_pyhf(path):
    spec = json.loads(path.read_text())
    result = run_program("digest", path, "-a", "sha256", "-a", "md5")
    assert result.returncode == 0, result.stderr
    expected = [f"{name}:{pyhf.utils.digest(spec, algorithm=name)}" for name in ("sha256", "md5")]
    assert result.stdout.splitlines() == expected


@pytest.mark.parametrize("name", SMALL)
def test_digest_of_standard_input_equals_pyhf(name):
    result = run_program("digest", stdin=json.dumps(SMALL[name], ensure_ascii=False))
    assert result.stdout == f"sha256:{pyhf.utils.digest(SMALL[name])}\n"


ALGORITHMS = "md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s".split()


def test_digest_has_the_algorithms_of_hashlib(tmp_path):
    path = write(tmp_path / "two.json", SMALL["two"])
    options = [word for name in ALGORITHMS for word in ("-a", name)]
    digests = json.loads(run_program("digest", path, "--json", *options).stdout)
    assert digests == {name: pyhf.utils.digest(SMALL["two"], algorithm=name) for name in ALGORITHMS}


def test_digest_of_every_point_of_1lbb_equals_pyhf(tmp_path):
    background, patchset = load("1lbb.bkg"), pyhf.PatchSet(load("1lbb.patchset"))
    assert len(patchset) == 8
    for patch in patchset:
        path = write(tmp_path / f"{patch.name}.json", patch.apply(background))
        assert run_program("digest", path).stdout == f"sha256:{pyhf.utils.digest(patch.apply(background))}\n"


@pytest.mark.parametrize("point", ["1300_205_60", "1400_950_60"])
def test_digest_of_patched_sbottom_equals_pyhf(tmp_path, point):
    patched = jsonpatch.JsonPatch(load(f"sbottom-A-{point}.patch")).apply(load("sbottom-A.bkg"))
    path = write(tmp_path / f"{point}.json", patched)
    assert run_program("digest", path).stdout == f"sha256:{pyhf.utils.digest(patched)}\n"


# --- sort -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", real_workspaces(), ids=lambda path: path.stem)
def test_sort_equals_pyhf_on_real_files(path):
    spec = json.loads(path.read_text())
    assert_same(lambda: pyhf.Workspace.sorted(pyhf.Workspace(spec, validate=False)), "sort", path)


@pytest.mark.parametrize("name", SMALL)
def test_sort_equals_pyhf(tmp_path, name):
    path = write(tmp_path / "workspace.json", SMALL[name])
    assert assert_same(lambda: pyhf.Workspace.sorted(pyhf.Workspace(SMALL[name])), "sort", path)


# --- prune ----------------------------------------------------------------------------------------------------------

FLAGS = {"channels": "-c", "samples": "-s", "modifiers": "-m", "modifier_types": "-t", "measurements": "--measurement"}


def prune_both(path, spec, **request):
    options = [word for kind, names in request.items() for name in names for word in (FLAGS[kind], name)]
    return assert_same(lambda: pyhf.Workspace(spec, validate=False).prune(**request), "prune", path, *options)


@pytest.mark.parametrize("name", ["agc", "stanhf-allmods", "negbins-dummy", "displaced-leptons", "3lrj-500-0", "sbottom-A.bkg"])
def test_prune_equals_pyhf_on_real_files(name):
    spec = load(name)
    path, ws = DATA / f"{name}.json", pyhf.Workspace(spec)
    requests = [{"channels": [channel]} for channel in ws.channels[:2]]
    requests += [{"samples": [name]} for name in ws.samples[-2:]]
    requests += [{"modifiers": [ws.modifiers[0][0], ws.modifiers[-1][0]]}]
    requests += [{"modifier_types": [kind]} for kind in sorted(set(dict(ws.modifiers).values()))]
    requests += [{"channels": ws.channels[:1], "samples": ws.samples[:1], "modifiers": [ws.modifiers[1][0]]}]
    for request in requests:
        prune_both(path, spec, **request)


PRUNE_REQUESTS = [
    {},
    {"channels": ["SR"]},
    {"samples": ["signal"]},
    {"modifiers": ["zeta", "alpha"]},
    {"modifiers": ["mu"]},
    {"modifier_types": ["normsys"]},
    {"modifier_types": ["normsys", "normfactor"]},
    {"channels": ["CR"], "samples": ["background"], "modifier_types": ["normfactor"]},
]


@pytest.mark.parametrize("request_number", range(len(PRUNE_REQUESTS)))
def test_prune_equals_pyhf(tmp_path, request_number):
    path = write(tmp_path / "workspace.json", SMALL["two"])
    assert prune_both(path, SMALL["two"], **PRUNE_REQUESTS[request_number])


def test_prune_takes_parameter_settings_and_measurements_along(tmp_path):
    spec = copy.deepcopy(SMALL["parameters_too"])
    spec["measurements"] += SMALL["other_channels"]["measurements"]
    path = write(tmp_path / "workspace.json", spec)
    assert prune_both(path, spec, modifiers=["alpha"])
    assert prune_both(path, spec, measurements=["meas"])
    assert prune_both(path, spec, measurements=["other"], modifiers=["mu"])


def test_prune_finds_a_type_whose_names_all_have_another_type_too(tmp_path):
    """A difference from pyhf, which looks for types in {name: one type} and then refuses a type that is there."""
    shape = histosys("syst", [1, 2], [2, 3])
    spec = regions({"SR": [sample("both", (1.0, 2), shape, normsys("syst", 0.9, 1.1))]})
    with pytest.raises(pyhf.exceptions.InvalidWorkspaceOperation):
        pyhf.Workspace(spec).prune(modifier_types=["histosys"])
    pruned = run_program("prune", write(tmp_path / "workspace.json", spec), "-t", "histosys")
    spec["channels"][0]["samples"][0]["modifiers"].remove(shape)
    assert json.loads(pruned.stdout) == spec


REFUSED_PRUNES = [
    {"channels": ["SRR"]},
    {"samples": ["nothing"]},
    {"modifiers": ["alphaa"]},
    {"modifier_types": ["staterror"]},
    {"measurements": ["meas2"]},
    {"channels": ["SR", "CR"]},
    {"samples": ["signal", "background"]},
    {"measurements": ["meas"]},
]


@pytest.mark.parametrize("request_number", range(len(REFUSED_PRUNES)))
def test_prune_refuses_what_pyhf_refuses(tmp_path, request_number):
    path = write(tmp_path / "workspace.json", SMALL["two"])
    assert not prune_both(path, SMALL["two"], **REFUSED_PRUNES[request_number])


# --- rename ---------------------------------------------------------------------------------------------------------


def rename_both(path, spec, **request):
    options = [
        word for kind, names in request.items() for old, new in names.items() for word in (FLAGS[kind], old, new)
    ]
    return assert_same(lambda: pyhf.Workspace(spec, validate=False).rename(**request), "rename", path, *options)


@pytest.mark.parametrize("name", ["agc", "stanhf-allmods", "negbins-dummy", "displaced-leptons", "tttt", "1lbb.bkg"])
def test_rename_equals_pyhf_on_real_files(name):
    spec = load(name)
    path, ws = DATA / f"{name}.json", pyhf.Workspace(spec, validate=False)
    not_lumi = [modifier_name for modifier_name, kind in ws.modifiers if kind != "lumi"]
    assert rename_both(path, spec, channels={ws.channels[0]: "new channel"}, samples={ws.samples[0]: "νeu"})
    assert rename_both(path, spec, modifiers={not_lumi[0]: "first", not_lumi[-1]: "last"})
    assert rename_both(path, spec, measurements={ws.measurement_names[0]: "-1"})


RENAME_REQUESTS = [
    {},
    {"channels": {"SR": "signal region", "CR": "SR"}},
    {"samples": {"signal": "ttH→bb"}},
    {"modifiers": {"mu": "SigXsec"}},
    {"modifiers": {"zeta": "a", "alpha": "z"}},
    {"measurements": {"meas": "NormalMeasurement"}},
    {"channels": {"SR": "S"}, "samples": {"background": "b"}, "modifiers": {"mu": "m"}, "measurements": {"meas": "x"}},
    {"channels": {"SR": "[a,b]"}, "samples": {"signal": "--sample"}},
]


@pytest.mark.parametrize("request_number", range(len(RENAME_REQUESTS)))
def test_rename_equals_pyhf(tmp_path, request_number):
    path = write(tmp_path / "workspace.json", SMALL["two"])
    assert rename_both(path, SMALL["two"], **RENAME_REQUESTS[request_number])


@pytest.mark.parametrize("name", ["parameters", "parameters_too", "ünïcode"])
def test_rename_takes_parameter_settings_and_poi_along(tmp_path, name):
    path = write(tmp_path / "workspace.json", SMALL[name])
    poi = SMALL[name]["measurements"][0]["config"]["poi"]
    assert rename_both(path, SMALL[name], modifiers={poi: "new"})


@pytest.mark.parametrize("kind", ["channels", "samples", "modifiers", "measurements"])
def test_rename_refuses_what_pyhf_refuses(tmp_path, kind):
    path = write(tmp_path / "workspace.json", SMALL["two"])
    assert not rename_both(path, SMALL["two"], **{kind: {"missing": "new"}})


# --- combine --------------------------------------------------------------------------------------------------------


def combine_both(left, right, left_spec, right_spec, join, merge_channels):
    def reference():
        sides = [pyhf.Workspace(spec, validate=False) for spec in (left_spec, right_spec)]
        return pyhf.Workspace.combine(*sides, join=join, merge_channels=merge_channels)

    merge = ["--merge-channels"] if merge_channels else ["--no-merge-channels"]
    return assert_same(reference, "combine", left, right, "-j", join, *merge)


PAIRS = [
    ("two", "same_again"),
    ("two", "same_as_floats"),
    ("two", "other_channels"),
    ("two", "same_measurement"),
    ("two", "other_poi"),
    ("parameters", "parameters_too"),
    ("parameters", "parameters_clash"),
    ("two", "more_samples"),
    ("two", "different_sample"),
    ("two", "different_data"),
    ("more_samples", "two"),
    ("two", "ünïcode"),
]


@pytest.mark.parametrize("merge_channels", [False, True])
@pytest.mark.parametrize("join", JOINS)
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_combine_equals_pyhf(tmp_path, pair, join, merge_channels):
    left, right = (write(tmp_path / f"{side}.json", SMALL[name]) for side, name in zip(("left", "right"), pair))
    combine_both(left, right, SMALL[pair[0]], SMALL[pair[1]], join, merge_channels)


def test_the_pairs_above_reach_both_ends(tmp_path):
    left, right = write(tmp_path / "left.json", SMALL["parameters"]), write(tmp_path / "right.json", SMALL["parameters_too"])
    assert combine_both(left, right, SMALL["parameters"], SMALL["parameters_too"], "outer", False)
    assert not combine_both(left, right, SMALL["parameters"], SMALL["parameters_too"], "none", False)


@pytest.mark.parametrize("join", JOINS)
@pytest.mark.parametrize("pair", [("agc", "stanhf-allmods"), ("displaced-leptons", "negbins-dummy"), ("agc", "agc"),
                                  pytest.param(("thu", "tttt"), marks=pytest.mark.long)])
def test_combine_equals_pyhf_on_real_files(pair, join):
    specs = [load(name) for name in pair]
    paths = [DATA / f"{name}.json" for name in pair]
    for merge_channels in (False, True):
        combine_both(*paths, *specs, join, merge_channels)


# --- the frame ------------------------------------------------------------------------------------------------------


def test_a_wrong_word_is_answered_with_the_right_one():
    for arguments, right in [(["digset"], "digest"), (["digest", "--algoritm"], "--algorithm"), (["patchset", "aply"], "apply")]:
        result = run_program(*arguments)
        assert result.returncode == 2
        assert f"did you mean '{right}'?" in result.stderr


def test_errors_are_json_on_request(tmp_path):
    path = write(tmp_path / "workspace.json", SMALL["two"])
    result = run_program("prune", path, "-s", "signl", "-c", "nothing", "--format", "json")
    report = json.loads(result.stderr)
    assert result.returncode == 2
    assert [error["code"] for error in report["errors"]] == ["not_found", "not_found"]
    assert report["where"] == str(path) and report["hint"] == "did you mean 'signal'?"


def test_output_goes_to_the_file(tmp_path):
    path, output = write(tmp_path / "workspace.json", SMALL["two"]), tmp_path / "out.json"
    for flag in ("-o", "--output", "--output-file"):
        result = run_program("sort", "-i", path, flag, output)
        assert (result.returncode, result.stdout) == (0, "")
        assert json.loads(output.read_text()) == dict(pyhf.Workspace.sorted(pyhf.Workspace(SMALL["two"])))


def test_an_output_that_cannot_be_written_is_an_error(tmp_path):
    path = write(tmp_path / "workspace.json", SMALL["two"])
    result = run_program("sort", path, "-o", tmp_path / "no folder" / "out.json")
    assert result.returncode == 2 and "cannot be written" in result.stderr


@pytest.mark.parametrize("text", ["", "{", "[1,]", "{'a': 1}", '{"a": NaN}', '{"a": 1} x', "\ufeff{}", "[" * 5000])
def test_a_text_that_is_no_json_is_an_error_with_its_place(text):
    result = run_program("digest", stdin=text)
    assert result.returncode == 2
    assert "standard input" in result.stderr and "line 1, column " in result.stderr and "hint:" in result.stderr
