"""The workspace verbs give what pyhf gives, on real files and on small ones made for a rule, and refuse what it refuses.

NEXTSTAT_BIN is the program (default build/release/bin/nextstat), NEXTSTAT_DATA a folder of real workspaces.
"""

import copy
import json
import os
import pathlib
import subprocess

import pytest

pyhf = pytest.importorskip("pyhf")
jsonpatch = pytest.importorskip("jsonpatch")

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("NEXTSTAT_BIN", ROOT / "build/release/bin/nextstat"))
DATA = pathlib.Path(os.environ.get("NEXTSTAT_DATA", ROOT / "no-data"))
JOINS = ["none", "outer", "left outer", "right outer"]

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason=f"no program at {PROGRAM}; set NEXTSTAT_BIN")


def real_workspaces():
    files = sorted(DATA.glob("*.json")) + sorted(DATA.glob("validation/*.json"))
    no_workspace = (".patchset.json", ".patch.json", "references.json")
    return [path for path in files if not path.name.endswith(no_workspace)]


def load(name):
    path = DATA / f"{name}.json"
    if not path.exists():
        pytest.skip(f"no {name}.json in NEXTSTAT_DATA ({DATA})")
    return json.loads(path.read_text())


def run(*arguments, stdin=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=120)


def exact(document):
    """Text that tells 1 from 1.0, which comparing trees in Python does not."""
    return json.dumps(document, sort_keys=True, ensure_ascii=False)


def write(folder, name, document):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(document))
    return path


def assert_same(reference, *arguments):
    """`reference` is a call of pyhf: where it raises, the program must exit 2 with a hint; else give the same document."""
    result_of_program = run(*arguments)
    try:
        expected = reference()
    except Exception as refusal:  # pyhf raises its own types, jsonschema's and ValueError
        assert result_of_program.returncode == 2, f"pyhf refuses: {refusal}"
        assert "hint:" in result_of_program.stderr
        assert result_of_program.stdout == ""
        return False
    assert result_of_program.returncode == 0, result_of_program.stderr
    assert exact(json.loads(result_of_program.stdout)) == exact(expected)
    return True


def modifier(kind="normsys", name="syst"):
    data = {"normsys": {"lo": 0.9, "hi": 1.1}, "normfactor": None, "lumi": None}[kind]
    return {"name": name, "type": kind, "data": data}


def sample(name, data=(1.0, 2), modifiers=()):
    return {"name": name, "data": list(data), "modifiers": list(modifiers)}


def workspace(channels, measurements=None, observed=(3, 4.0)):
    """channels: {name: [sample, ...]}; measurements: {name: (poi, [parameter, ...])}."""
    measurements = measurements or {"meas": ("mu", [])}
    return {
        "channels": [{"name": name, "samples": samples} for name, samples in channels.items()],
        "observations": [{"name": name, "data": list(observed)} for name in channels],
        "measurements": [
            {"name": name, "config": {"poi": poi, "parameters": parameters}}
            for name, (poi, parameters) in measurements.items()
        ],
        "version": "1.0.0",
    }


def signal_and_background():
    return [
        sample("signal", modifiers=[modifier("normfactor", "mu")]),
        sample("background", (5, 6.5), [modifier("normsys", "zeta"), modifier("normsys", "alpha")]),
    ]


SMALL = {
    "two": workspace({"SR": signal_and_background(), "CR": signal_and_background()}),
    "same_again": workspace({"SR": signal_and_background(), "CR": signal_and_background()}),
    "same_as_floats": workspace({"SR": signal_and_background()}, observed=(3.0, 4)),
    "other_channels": workspace({"VR": signal_and_background()}, {"other": ("mu", [])}),
    "same_measurement": workspace({"VR": signal_and_background()}),
    "other_poi": workspace({"VR": signal_and_background()}, {"meas": ("syst", [])}),
    "parameters": workspace({"VR": signal_and_background()}, {"meas": ("mu", [{"name": "alpha", "fixed": True}])}),
    "parameters_too": workspace(
        {"WR": signal_and_background()},
        {"meas": ("mu", [{"name": "mu", "bounds": [[0, 5]]}, {"name": "alpha", "fixed": True}])},
    ),
    "parameters_clash": workspace({"WR": signal_and_background()}, {"meas": ("mu", [{"name": "alpha", "fixed": False}])}),
    "more_samples": workspace({"SR": [*signal_and_background()[1:], sample("fakes", (0, 1))]}),
    "different_sample": workspace({"SR": [sample("signal", (9, 9), [modifier("normfactor", "mu")])]}),
    "different_data": workspace({"SR": signal_and_background()}, observed=(30, 40)),
    "ünïcode": workspace({"Kanäle ☃": [sample("ttH→bb", (1e-5, 1e16), [modifier("normfactor", "µ")])]}, {"м": ("µ", [])}),
}


# --- digest ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", real_workspaces(), ids=lambda path: path.stem)
def test_digest_equals_pyhf(path):
    spec = json.loads(path.read_text())
    result = run("digest", path, "-a", "sha256", "-a", "md5")
    assert result.returncode == 0, result.stderr
    expected = [f"{name}:{pyhf.utils.digest(spec, algorithm=name)}" for name in ("sha256", "md5")]
    assert result.stdout.splitlines() == expected


@pytest.mark.parametrize("name", SMALL)
def test_digest_of_standard_input_equals_pyhf(name):
    result = run("digest", stdin=json.dumps(SMALL[name], ensure_ascii=False))
    assert result.stdout == f"sha256:{pyhf.utils.digest(SMALL[name])}\n"


ALGORITHMS = "md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s".split()


def test_digest_has_the_algorithms_of_hashlib(tmp_path):
    path = write(tmp_path, "two", SMALL["two"])
    options = [word for name in ALGORITHMS for word in ("-a", name)]
    digests = json.loads(run("digest", path, "--json", *options).stdout)
    assert digests == {name: pyhf.utils.digest(SMALL["two"], algorithm=name) for name in ALGORITHMS}


def test_digest_of_every_point_of_1lbb_equals_pyhf(tmp_path):
    background, patchset = load("1lbb.bkg"), pyhf.PatchSet(load("1lbb.patchset"))
    assert len(patchset) == 8
    for patch in patchset:
        path = write(tmp_path, patch.name, patch.apply(background))
        assert run("digest", path).stdout == f"sha256:{pyhf.utils.digest(patch.apply(background))}\n"


@pytest.mark.parametrize("point", ["1300_205_60", "1400_950_60"])
def test_digest_of_patched_sbottom_equals_pyhf(tmp_path, point):
    patched = jsonpatch.JsonPatch(load(f"sbottom-A-{point}.patch")).apply(load("sbottom-A.bkg"))
    path = write(tmp_path, point, patched)
    assert run("digest", path).stdout == f"sha256:{pyhf.utils.digest(patched)}\n"


# --- sort -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", real_workspaces(), ids=lambda path: path.stem)
def test_sort_equals_pyhf_on_real_files(path):
    spec = json.loads(path.read_text())
    assert_same(lambda: pyhf.Workspace.sorted(pyhf.Workspace(spec, validate=False)), "sort", path)


@pytest.mark.parametrize("name", SMALL)
def test_sort_equals_pyhf(tmp_path, name):
    path = write(tmp_path, "workspace", SMALL[name])
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
    path = write(tmp_path, "workspace", SMALL["two"])
    assert prune_both(path, SMALL["two"], **PRUNE_REQUESTS[request_number])


def test_prune_takes_parameter_settings_and_measurements_along(tmp_path):
    spec = copy.deepcopy(SMALL["parameters_too"])
    spec["measurements"] += SMALL["other_channels"]["measurements"]
    path = write(tmp_path, "workspace", spec)
    assert prune_both(path, spec, modifiers=["alpha"])
    assert prune_both(path, spec, measurements=["meas"])
    assert prune_both(path, spec, measurements=["other"], modifiers=["mu"])


def test_prune_finds_a_type_whose_names_all_have_another_type_too(tmp_path):
    """A difference from pyhf, which looks for types in {name: one type} and then refuses a type that is there."""
    histosys = {"name": "syst", "type": "histosys", "data": {"lo_data": [1, 2], "hi_data": [2, 3]}}
    spec = workspace({"SR": [sample("both", modifiers=[histosys, modifier("normsys", "syst")])]})
    with pytest.raises(pyhf.exceptions.InvalidWorkspaceOperation):
        pyhf.Workspace(spec).prune(modifier_types=["histosys"])
    pruned = run("prune", write(tmp_path, "workspace", spec), "-t", "histosys")
    spec["channels"][0]["samples"][0]["modifiers"].remove(histosys)
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
    path = write(tmp_path, "workspace", SMALL["two"])
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
    path = write(tmp_path, "workspace", SMALL["two"])
    assert rename_both(path, SMALL["two"], **RENAME_REQUESTS[request_number])


@pytest.mark.parametrize("name", ["parameters", "parameters_too", "ünïcode"])
def test_rename_takes_parameter_settings_and_poi_along(tmp_path, name):
    path = write(tmp_path, "workspace", SMALL[name])
    poi = SMALL[name]["measurements"][0]["config"]["poi"]
    assert rename_both(path, SMALL[name], modifiers={poi: "new"})


@pytest.mark.parametrize("kind", ["channels", "samples", "modifiers", "measurements"])
def test_rename_refuses_what_pyhf_refuses(tmp_path, kind):
    path = write(tmp_path, "workspace", SMALL["two"])
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
    left, right = (write(tmp_path, side, SMALL[name]) for side, name in zip(("left", "right"), pair))
    combine_both(left, right, SMALL[pair[0]], SMALL[pair[1]], join, merge_channels)


def test_the_pairs_above_reach_both_ends(tmp_path):
    left, right = write(tmp_path, "left", SMALL["parameters"]), write(tmp_path, "right", SMALL["parameters_too"])
    assert combine_both(left, right, SMALL["parameters"], SMALL["parameters_too"], "outer", False)
    assert not combine_both(left, right, SMALL["parameters"], SMALL["parameters_too"], "none", False)


@pytest.mark.parametrize("join", JOINS)
@pytest.mark.parametrize("pair", [("agc", "stanhf-allmods"), ("displaced-leptons", "negbins-dummy"), ("thu", "tttt"), ("agc", "agc")])
def test_combine_equals_pyhf_on_real_files(pair, join):
    specs = [load(name) for name in pair]
    paths = [DATA / f"{name}.json" for name in pair]
    for merge_channels in (False, True):
        combine_both(*paths, *specs, join, merge_channels)


# --- patchset -------------------------------------------------------------------------------------------------------


def test_patchset_apply_equals_pyhf_on_every_point_of_1lbb():
    background, patchset = load("1lbb.bkg"), pyhf.PatchSet(load("1lbb.patchset"))
    paths = DATA / "1lbb.bkg.json", DATA / "1lbb.patchset.json"
    for patch in patchset:
        assert assert_same(lambda: patchset.apply(background, patch.name), "patchset", "apply", *paths, "--name", patch.name)


def test_patchset_apply_equals_pyhf_on_sbottom(tmp_path):
    background = load("sbottom-A.bkg")
    points = ["1300_205_60", "1400_950_60"]
    spec = small_patchset(background, {point: load(f"sbottom-A-{point}.patch") for point in points})
    path = write(tmp_path, "patchset", spec)
    for point in points:
        arguments = DATA / "sbottom-A.bkg.json", path, "--name", point
        assert assert_same(lambda: pyhf.PatchSet(spec).apply(background, point), "patchset", "apply", *arguments)


def small_patchset(background, patches):
    return {
        "metadata": {
            "references": {"hepdata": "ins1234567"},
            "description": "made for a test",
            "digests": {name: pyhf.utils.digest(background, algorithm=name) for name in ("md5", "sha256")},
            "labels": ["x"],
        },
        "patches": [
            {"metadata": {"name": name, "values": [number]}, "patch": patch}
            for number, (name, patch) in enumerate(patches.items())
        ],
        "version": "1.0.0",
    }


OPERATIONS = {
    "add_sample": [{"op": "add", "path": "/channels/0/samples/0", "value": sample("new", (1, 2.5))}],
    "add_last": [{"op": "add", "path": "/channels/1/samples/-", "value": sample("new", (1e-7, 2))}],
    "replace": [{"op": "replace", "path": "/channels/0/samples/1/data", "value": [7, 8.0]}],
    "replace_key": [{"op": "add", "path": "/measurements/0/config/poi", "value": "alpha"}],
    "remove": [{"op": "remove", "path": "/channels/1"}, {"op": "remove", "path": "/observations/1"}],
    "move": [{"op": "move", "from": "/channels/1", "path": "/channels/0"}],
    "move_nowhere": [{"op": "move", "from": "/channels/1", "path": "/channels/1"}],
    "copy": [
        {"op": "copy", "from": "/channels/0/samples/1", "path": "/channels/0/samples/2"},
        {"op": "replace", "path": "/channels/0/samples/2/name", "value": "copied"},
    ],
    "test": [{"op": "test", "path": "/observations/0/data", "value": [3.0, 4]}],
    "whole": [{"op": "replace", "path": "", "value": workspace({"SR": signal_and_background()})}],
    "nothing": [],
    "bad_index": [{"op": "add", "path": "/channels/5", "value": {}}],
    "bad_key": [{"op": "remove", "path": "/chanels"}],
    "bad_parent": [{"op": "add", "path": "/version/x", "value": 1}],
    "null_parent": [{"op": "add", "path": "/channels/0/samples/0/modifiers/0/data/hi", "value": 1}],
    "leading_zero": [{"op": "remove", "path": "/channels/01"}],
    "bad_test": [{"op": "test", "path": "/version", "value": "2.0.0"}],
    "into_itself": [{"op": "move", "from": "/channels", "path": "/channels/0"}],
    "not_a_pointer": [{"op": "remove", "path": "channels"}],
    "bad_escape": [{"op": "remove", "path": "/channels~2"}],
    "replace_missing": [{"op": "replace", "path": "/channels/0/title", "value": "x"}],
    "breaks_workspace": [{"op": "remove", "path": "/channels"}],
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_patchset_apply_treats_operations_as_pyhf(tmp_path, name):
    background = write(tmp_path, "background", SMALL["two"])
    spec = small_patchset(SMALL["two"], {name: OPERATIONS[name]})
    path = write(tmp_path, "patchset", spec)
    assert_same(
        lambda: pyhf.PatchSet(spec).apply(SMALL["two"], name), "patchset", "apply", background, path, "--name", name
    )


@pytest.mark.parametrize("flag", ["--without-metadata", "--with-metadata"])
def test_patchset_extract_equals_pyhf(flag):
    spec = load("1lbb.patchset")
    name = spec["patches"][3]["metadata"]["name"]

    def reference():
        patch = spec["patches"][3]
        metadata = {**patch["metadata"], **spec["metadata"]}
        return {"metadata": metadata, "patch": patch["patch"]} if flag == "--with-metadata" else patch["patch"]

    assert assert_same(reference, "patchset", "extract", DATA / "1lbb.patchset.json", "--name", name, flag)


def test_patchset_verify_compares_digests(tmp_path):
    good = write(tmp_path, "good", SMALL["two"])
    patchset = write(tmp_path, "patchset", small_patchset(SMALL["two"], {"nothing": []}))
    assert run("patchset", "verify", good, patchset, "--format", "table").stdout == "All good.\n"
    other = write(tmp_path, "other", SMALL["more_samples"])
    refused = run("patchset", "verify", other, patchset)
    assert refused.returncode == 2
    assert "/metadata/digests/md5" in refused.stderr and "/metadata/digests/sha256" in refused.stderr


def test_patchset_inspect_lists_every_patch():
    spec = load("1lbb.patchset")
    listed = json.loads(run("patchset", "inspect", DATA / "1lbb.patchset.json", "--format", "json").stdout)
    assert [patch["name"] for patch in listed["patches"]] == [patch["metadata"]["name"] for patch in spec["patches"]]


def broken_patchsets():
    def changed(edit):
        spec = small_patchset(SMALL["two"], {"a": [], "b": []})
        edit(spec)
        return spec

    return {
        "no_patches": changed(lambda spec: spec.update(patches=[])),
        "other_version": changed(lambda spec: spec.update(version="1.0.1")),
        "extra_key": changed(lambda spec: spec.update(comment="x")),
        "no_labels": changed(lambda spec: spec["metadata"].pop("labels")),
        "bad_reference": changed(lambda spec: spec["metadata"].update(references={"hepdata": "1234567"})),
        "bad_digest": changed(lambda spec: spec["metadata"].update(digests={"md5": "ABC"})),
        "unknown_digest": changed(lambda spec: spec["metadata"]["digests"].update(sha1="0" * 40)),
        "no_digest": changed(lambda spec: spec["metadata"].update(digests={})),
        "bad_label": changed(lambda spec: spec["metadata"].update(labels=["m 1"])),
        "bad_name": changed(lambda spec: spec["patches"][0]["metadata"].update(name="a-b")),
        "same_name": changed(lambda spec: spec["patches"][1]["metadata"].update(name="a")),
        "same_values": changed(lambda spec: spec["patches"][1]["metadata"].update(values=[0.0])),
        "too_many_values": changed(lambda spec: spec["patches"][1]["metadata"].update(values=[1, 2])),
        "value_of_wrong_type": changed(lambda spec: spec["patches"][1]["metadata"].update(values=[None])),
        "unknown_operation": changed(lambda spec: spec["patches"][0].update(patch=[{"op": "ad", "path": ""}])),
        "no_path": changed(lambda spec: spec["patches"][0].update(patch=[{"op": "remove"}])),
        "no_value": changed(lambda spec: spec["patches"][0].update(patch=[{"op": "add", "path": "/x"}])),
    }


@pytest.mark.parametrize("name", broken_patchsets())
def test_patchset_faults_of_pyhf_are_faults_here(tmp_path, name):
    path = write(tmp_path, "patchset", broken_patchsets()[name])
    with pytest.raises(Exception):
        pyhf.PatchSet(broken_patchsets()[name])
    result = run("patchset", "inspect", path)
    assert result.returncode == 2
    assert f"{path} /" in result.stderr or f"{path}: " in result.stderr


# --- the frame ------------------------------------------------------------------------------------------------------


def test_a_wrong_word_is_answered_with_the_right_one():
    for arguments, right in [(["digset"], "digest"), (["digest", "--algoritm"], "--algorithm"), (["patchset", "aply"], "apply")]:
        result = run(*arguments)
        assert result.returncode == 2
        assert f"did you mean '{right}'?" in result.stderr


def test_errors_are_json_on_request(tmp_path):
    path = write(tmp_path, "workspace", SMALL["two"])
    result = run("prune", path, "-s", "signl", "-c", "nothing", "--format", "json")
    report = json.loads(result.stderr)
    assert result.returncode == 2
    assert [error["code"] for error in report["errors"]] == ["not_found", "not_found"]
    assert report["where"] == str(path) and report["hint"] == "did you mean 'signal'?"


def test_output_goes_to_the_file(tmp_path):
    path, output = write(tmp_path, "workspace", SMALL["two"]), tmp_path / "out.json"
    for flag in ("-o", "--output", "--output-file"):
        result = run("sort", "-i", path, flag, output)
        assert (result.returncode, result.stdout) == (0, "")
        assert json.loads(output.read_text()) == dict(pyhf.Workspace.sorted(pyhf.Workspace(SMALL["two"])))


def test_an_output_that_cannot_be_written_is_an_error(tmp_path):
    path = write(tmp_path, "workspace", SMALL["two"])
    result = run("sort", path, "-o", tmp_path / "no folder" / "out.json")
    assert result.returncode == 2 and "cannot be written" in result.stderr


@pytest.mark.parametrize("text", ["", "{", "[1,]", "{'a': 1}", '{"a": NaN}', '{"a": 1} x', "\ufeff{}", "[" * 5000])
def test_a_text_that_is_no_json_is_an_error_with_its_place(text):
    result = run("digest", stdin=text)
    assert result.returncode == 2
    assert "standard input line 1, column " in result.stderr and "hint:" in result.stderr
