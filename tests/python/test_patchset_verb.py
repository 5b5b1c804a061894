"""`nextstat patchset` gives what pyhf gives and refuses what it refuses."""

import json

import pytest

from conftest import needs_program, run_program, write
from small_workspaces import sample
from workspace_cases import DATA, SMALL, assert_same, load, regions, signal_and_background

pyhf = pytest.importorskip("pyhf")
pytestmark = needs_program


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.long)])
def test_patchset_apply_equals_pyhf_on_points_of_1lbb(every):
    background, patchset = load("1lbb.bkg"), pyhf.PatchSet(load("1lbb.patchset"))
    paths = DATA / "1lbb.bkg.json", DATA / "1lbb.patchset.json"
    for patch in patchset.patches[::every]:
        assert assert_same(lambda: patchset.apply(background, patch.name), "patchset", "apply", *paths, "--name", patch.name)


def test_patchset_apply_equals_pyhf_on_sbottom(tmp_path):
    background = load("sbottom-A.bkg")
    points = ["1300_205_60", "1400_950_60"]
    spec = small_patchset(background, {point: load(f"sbottom-A-{point}.patch") for point in points})
    path = write(tmp_path / "patchset.json", spec)
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
    "whole": [{"op": "replace", "path": "", "value": regions({"SR": signal_and_background()})}],
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
    background = write(tmp_path / "background.json", SMALL["two"])
    spec = small_patchset(SMALL["two"], {name: OPERATIONS[name]})
    path = write(tmp_path / "patchset.json", spec)
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
    good = write(tmp_path / "good.json", SMALL["two"])
    patchset = write(tmp_path / "patchset.json", small_patchset(SMALL["two"], {"nothing": []}))
    assert run_program("patchset", "verify", good, patchset, "--format", "table").stdout == "All good.\n"
    other = write(tmp_path / "other.json", SMALL["more_samples"])
    refused = run_program("patchset", "verify", other, patchset)
    assert refused.returncode == 2
    assert "/metadata/digests/md5" in refused.stderr and "/metadata/digests/sha256" in refused.stderr


def test_patchset_inspect_lists_every_patch():
    spec = load("1lbb.patchset")
    listed = json.loads(run_program("patchset", "inspect", DATA / "1lbb.patchset.json", "--format", "json").stdout)
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
    path = write(tmp_path / "patchset.json", broken_patchsets()[name])
    with pytest.raises(Exception):
        pyhf.PatchSet(broken_patchsets()[name])
    result = run_program("patchset", "inspect", path)
    assert result.returncode == 2
    assert f"{path} /" in result.stderr or f"{path}: " in result.stderr
