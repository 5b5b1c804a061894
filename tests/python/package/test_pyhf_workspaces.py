"""Workspace operations, patch sets and validation of nextstat.pyhf do what pyhf does, errors included."""

import copy
import json

import pytest
from pyhf_pairs import quiet, workspace

ours = pytest.importorskip("nextstat.pyhf")
theirs = pytest.importorskip("pyhf")


def both(call):
    """What `call(module)` gives for pyhf and for nextstat.pyhf: values, or the names of exceptions."""
    results = []
    for module in (theirs, ours):
        with quiet():
            try:
                value = call(module)
                results.append(dict(value) if isinstance(value, dict) else value)
            except Exception as error:
                results.append(type(error).__name__)
    return results


def other(document):
    """The workspace with every channel under another name."""
    changed = copy.deepcopy(document)
    for part in (*changed["channels"], *changed["observations"]):
        part["name"] += "_b"
    return changed


PRUNED = [
    {"channels": ["control_region"]},
    {"samples": ["other"]},
    {"modifiers": ["energy", "rate"]},
    {"modifier_types": ["staterror", "shapesys"]},
    {"measurements": ["second"]},
    {"channels": ["nothing"]},
    {"samples": ["nothing"]},
    {"modifiers": ["nothing"]},
    {"modifier_types": ["nothing"]},
    {"measurements": ["nothing"]},
    {"measurements": ["first", "second"]},
    {"channels": ["control_region", "signal_region"]},
    {},
]


@pytest.mark.parametrize("parts", PRUNED, ids=json.dumps)
def test_prune(parts):
    one, two = both(lambda module: module.Workspace(workspace()).prune(**parts))
    assert one == two


RENAMED = [
    {"channels": {"control_region": "CR"}},
    {"samples": {"other": "another"}},
    {"modifiers": {"mu": "strength", "energy": "scale"}},
    {"measurements": {"first": "main"}},
    {"channels": {"nothing": "CR"}},
    {"modifiers": {"nothing": "strength"}},
]


@pytest.mark.parametrize("parts", RENAMED, ids=json.dumps)
def test_rename(parts):
    one, two = both(lambda module: module.Workspace(workspace()).rename(**parts))
    assert one == two


def variants():
    """Second workspaces for `combine`."""
    document = workspace()
    yield "same", document
    yield "other channels", other(document)
    changed = other(document)
    changed["measurements"][0]["config"]["poi"] = "energy"
    yield "other parameter of interest", changed
    changed = other(document)
    changed["measurements"][0]["config"]["parameters"][0]["bounds"] = [[0.1, 2.0]]
    yield "other settings", changed
    changed = copy.deepcopy(document)
    changed["channels"][0]["samples"][0]["name"] = "second signal"
    yield "other sample", changed
    changed = other(document)
    changed["observations"][0] = {"name": "signal_region", "data": [1.0, 2.0, 3.0]}
    yield "other observations", changed
    changed = other(document)
    changed["measurements"] = [{"name": "third", "config": {"poi": "mu", "parameters": []}}]
    yield "other measurement", changed


@pytest.mark.parametrize("join", ["none", "outer", "left outer", "right outer", "sideways"])
@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("name,right", list(variants()), ids=[name for name, _ in variants()])
def test_combine(name, right, join, merge):
    one, two = both(
        lambda module: module.Workspace.combine(
            module.Workspace(workspace()), module.Workspace(right, validate=False), join=join, merge_channels=merge)
    )
    assert one == two


def test_sorted_digest_and_equality():
    document = workspace()
    document["channels"].reverse()
    one, two = both(lambda module: module.Workspace.sorted(module.Workspace(document)))
    assert one == two
    for algorithm in ("sha256", "md5", "sha1"):
        one, two = both(lambda module: module.utils.digest(module.Workspace(document), algorithm=algorithm))
        assert one == two
    assert both(lambda module: module.utils.digest({"name": "μ → ∞"})) == [theirs.utils.digest({"name": "μ → ∞"})] * 2
    assert both(lambda module: module.utils.digest({"a": object()}))[1] == "ValueError"
    assert both(lambda module: module.utils.digest({}, algorithm="none"))[1] == "ValueError"
    assert ours.Workspace(document) == ours.Workspace(document) and ours.Workspace(document) != document
    assert json.loads(json.dumps(ours.Workspace(document))) == document
    assert "Workspace object at" in repr(ours.Workspace(document))


def test_summaries():
    one, two = theirs.Workspace(workspace()), ours.Workspace(workspace())
    for name in "channels samples modifiers channel_nbins channel_slices measurement_names observations version".split():
        assert getattr(one, name) == getattr(two, name), name


def test_measurements_are_found_by_name_index_and_default():
    for settings in ({}, {"measurement_name": "second"}, {"measurement_index": 1}, {"measurement_index": 7}, {"measurement_name": "none"}):
        one, two = both(lambda module: module.Workspace(workspace()).get_measurement(**settings))
        assert one == two


def test_build_goes_both_ways():
    def built(module):
        model = module.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0])
        return module.Workspace.build(model, [51, 48])

    one, two = both(built)
    assert json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)
    again = ours.Workspace(two)
    model = again.model()
    assert dict(ours.Workspace.build(model, again.data(model))) == two


BAD = {
    "no version": lambda document: document.pop("version"),
    "other version": lambda document: document.update(version="9.9.9"),
    "no measurements": lambda document: document.update(measurements=[]),
    "no observations": lambda document: document.pop("observations"),
    "poi missing": lambda document: document["measurements"][0]["config"].pop("poi"),
    "surplus": lambda document: document.update(surplus=1),
    "sample without name": lambda document: document["channels"][0]["samples"][0].pop("name"),
    "empty data": lambda document: document["channels"][0]["samples"][0].update(data=[]),
    "normsys with lists": lambda document: document["channels"][0]["samples"][1]["modifiers"][0].update(data={"lo": [1], "hi": [2]}),
    "histosys with surplus": lambda document: document["channels"][0]["samples"][0]["modifiers"][2]["data"].update(foo=1),
    "modifier of unknown type": lambda document: document["channels"][0]["samples"][0]["modifiers"][0].update(type="no"),
    "observation of text": lambda document: document["observations"][0].update(data=["a"]),
    "fixed as number": lambda document: document["measurements"][0]["config"]["parameters"][0].update(fixed=1),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_workspaces_are_refused_as_pyhf_refuses_them(what):
    document = workspace()
    BAD[what](document)
    one, two = both(lambda module: module.Workspace(document))
    assert two == one or (type(one) is type(two) is dict)


def test_truth_values_are_no_numbers():
    document = workspace()
    document["observations"][0]["data"] = [True, 1.0, 2.0]
    with pytest.raises(ours.exceptions.InvalidSpecification, match="True is not of type 'number'"):
        ours.Workspace(document)


def test_a_refusal_says_where_and_what():
    document = workspace()
    BAD["histosys with surplus"](document)
    with pytest.raises(ours.exceptions.InvalidSpecification) as raised:
        ours.Workspace(document)
    assert raised.value.path == "channels[0].samples[0].modifiers[2].data"
    assert "'foo' was unexpected" in str(raised.value)
    assert raised.value.instance["foo"] == 1 and raised.value.schema == "workspace.json"


def patchset(**changes):
    document = {
        "metadata": {
            "references": {"hepdata": "ins1234567"}, "description": "signals", "labels": ["x", "y"],
            "digests": {"sha256": ours.utils.digest(workspace())},
        },
        "patches": [
            {"metadata": {"name": "one", "values": [1, 2]},
             "patch": [{"op": "replace", "path": "/channels/0/samples/0/data", "value": [1.0, 2.0, 3.0]}]},
            {"metadata": {"name": "two", "values": [3, 4]},
             "patch": [{"op": "remove", "path": "/channels/1"}, {"op": "remove", "path": "/observations/1"}]},
        ],
        "version": "1.0.0",
    }
    document.update(changes)
    return document


def test_patch_sets():
    one, two = theirs.PatchSet(patchset()), ours.PatchSet(patchset())
    for name in "version metadata references description digests labels".split():
        assert getattr(one, name) == getattr(two, name), name
    assert [patch.name for patch in one] == [patch.name for patch in two] and len(two) == 2
    assert two["one"] is two[1, 2] is two[[1, 2]] is two[(1, 2)]
    assert two["one"].patch == one["one"].patch and two["one"].values == (1, 2)
    for key in ("one", (3, 4), "nothing"):
        first, second = both(lambda module: module.PatchSet(patchset()).apply(module.Workspace(workspace()), key))
        assert first == second
    first, second = both(lambda module: module.PatchSet(patchset()).verify({}))
    assert first == second == "PatchSetVerificationError"
    assert "PatchSet object with 2 patches at" in repr(two) and "Patch object 'one(1, 2)' at" in repr(two["one"])


@pytest.mark.parametrize("what", ["name", "values", "number of values"])
def test_contradictory_patch_sets(what):
    patches = patchset()["patches"]
    patches[1]["metadata"] = {
        "name": {"name": "one", "values": [3, 4]},
        "values": {"name": "two", "values": [1, 2]},
        "number of values": {"name": "two", "values": [1]},
    }[what]
    one, two = both(lambda module: module.PatchSet(patchset(patches=patches)))
    assert one == two == "InvalidPatchSet"


OPERATIONS = [
    [{"op": "add", "path": "/list/-", "value": 4}],
    [{"op": "add", "path": "/list/1", "value": 4}],
    [{"op": "add", "path": "/new", "value": {"a": 1}}],
    [{"op": "remove", "path": "/list/0"}],
    [{"op": "replace", "path": "/list/2", "value": 9}],
    [{"op": "move", "from": "/list/0", "path": "/deep/b"}],
    [{"op": "copy", "from": "/deep", "path": "/list/0"}],
    [{"op": "test", "path": "/list/0", "value": 1}, {"op": "remove", "path": "/deep/a~1b"}],
    [{"op": "replace", "path": "", "value": {"all": "new"}}],
]


@pytest.mark.parametrize("operations", OPERATIONS, ids=json.dumps)
def test_json_patches_are_as_the_standard_says(operations):
    jsonpatch = pytest.importorskip("jsonpatch")
    from nextstat.pyhf._jsonpatch import JsonPatch

    document = {"list": [1, 2, 3], "deep": {"a/b": 1, "b": 2}}
    before = copy.deepcopy(document)
    assert JsonPatch(operations).apply(document) == jsonpatch.JsonPatch(operations).apply(document)
    assert document == before


@pytest.mark.parametrize("operation", [
    {"op": "remove", "path": "/nothing"}, {"op": "replace", "path": "/list/9", "value": 1}, {"op": "test", "path": "/list/0", "value": 5},
    {"op": "jump", "path": "/list"}, {"op": "add", "path": "list", "value": 1},
])
def test_json_patches_that_do_not_fit_say_so(operation):
    from nextstat.pyhf._jsonpatch import JsonPatch, JsonPatchError

    with pytest.raises(JsonPatchError, match="operation 0 .*made for another workspace"):
        JsonPatch([operation]).apply({"list": [1, 2, 3]})
