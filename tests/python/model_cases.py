"""Models that several tests compare with pyhf: our own workspaces, the real ones of NEXTSTAT_DATA, and those that patches make.

    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_something(case, nextstat):
        model, data = pyhf_model(case, "code4-code4p")
        nextstat("fit", *case.arguments)
"""

import dataclasses
import functools
import json

import pytest

pyhf = pytest.importorskip("pyhf")
jsonpatch = pytest.importorskip("jsonpatch")

from conftest import DATA, NO_DATA, ROOT

CODES = {
    "code4-code4p": ([], {"normsys": {"interpcode": "code4"}, "histosys": {"interpcode": "code4p"}}),
    "code1-code0": (
        ["--interp-defaults", "pyhf"],
        {"normsys": {"interpcode": "code1"}, "histosys": {"interpcode": "code0"}},
    ),
}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    arguments: tuple  # after the verb
    files: tuple  # workspace, then the patches that make it
    patch: str = ""  # name in a patchset, which then is the second file
    measurement: int = 0

    def __str__(self):
        return self.name


def patchset_cases(background, patchset):
    for patch in json.loads(patchset.read_text())["patches"]:
        name = patch["metadata"]["name"]
        arguments = (background, "--patchset", patchset, "--patch-name", name)
        yield Case(f"{background.name.removesuffix('.bkg.json')}/{name}", arguments, (background, patchset), name)


def real_cases():
    if DATA is None or not DATA.is_dir():
        return [pytest.param(None, marks=pytest.mark.skip(reason=NO_DATA), id="NEXTSTAT_DATA")]
    cases = []
    for path in sorted([*DATA.glob("*.json"), *DATA.glob("validation/*.json")]):
        if path.name == "references.json" or path.name.endswith(".patch.json"):
            continue
        if path.name.endswith(".patchset.json"):
            cases += patchset_cases(path.with_name(path.name.replace(".patchset.", ".bkg.")), path)
            continue
        cases.append(Case(path.stem, (path,), (path,)))
        if path.name.endswith(".bkg.json"):
            stem = path.name.removesuffix(".bkg.json")
            for patch in sorted(path.parent.glob(f"{stem}-*.patch.json")):
                point = patch.name.removeprefix(f"{stem}-").removesuffix(".patch.json")
                cases.append(Case(f"{stem}/{point}", (path, "-p", patch), (path, patch)))
    return cases


def own_cases():
    cases = []
    for path in sorted([*ROOT.glob("examples/*.json"), *ROOT.glob("tests/data/*.json")]):
        measurements = json.loads(path.read_text()).get("measurements", [])
        for index, measurement in enumerate(measurements):
            arguments = (path, "--measurement", measurement["name"])
            cases.append(Case(f"{path.stem}/{measurement['name']}", arguments, (path,), measurement=index))
    return cases


OWN = own_cases()
CASES = OWN + real_cases()


@functools.lru_cache(maxsize=None)
def workspace_of(case):
    documents = [json.loads(path.read_text()) for path in case.files]
    if case.patch:
        patches = {patch["metadata"]["name"]: patch["patch"] for patch in documents[1]["patches"]}
        return jsonpatch.apply_patch(documents[0], patches[case.patch])
    for patch in documents[1:]:
        documents[0] = jsonpatch.apply_patch(documents[0], patch)
    return documents[0]


@functools.lru_cache(maxsize=None)
def pyhf_model(case, codes):
    """(model, data); without a POI where the measurement's is not in the model."""
    workspace = pyhf.Workspace(workspace_of(case), validate=False)
    options = {"measurement_index": case.measurement, "modifier_settings": CODES[codes][1], "validate": False}
    try:
        model = workspace.model(**options)
    except pyhf.exceptions.InvalidModel:  # background-only: the POI comes with a patch
        model = workspace.model(poi_name=None, **options)
    return model, workspace.data(model)
