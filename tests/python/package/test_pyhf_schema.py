"""Schemas: found by version, looked for elsewhere on request, and checked without any other package."""

import importlib
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from pyhf_pairs import workspace

pyhf = pytest.importorskip("nextstat.pyhf")


@pytest.fixture
def custom(tmp_path):
    """A folder with the schemas under version 2.0.0, and a workspace of that version."""
    folder = tmp_path / "schemas"
    shutil.copytree(pyhf.schema.path / "1.0.0", folder / "2.0.0")
    for file in (folder / "2.0.0").iterdir():
        file.write_text(file.read_text().replace("1.0.0", "2.0.0"))
    return folder, {**workspace(), "version": "2.0.0"}


def test_another_folder_of_schemas(custom):
    folder, document = custom
    before, cache = pyhf.schema.path, dict(pyhf.schema.variables.SCHEMA_CACHE)
    with pytest.raises(pyhf.exceptions.SchemaNotFound):
        pyhf.Workspace(document)
    with pyhf.schema(folder):
        assert pyhf.schema.path == folder
        assert len(pyhf.schema.variables.SCHEMA_CACHE) == 0
        assert pyhf.Workspace(document).version == "2.0.0"
        assert len(pyhf.schema.variables.SCHEMA_CACHE) == 1
    assert pyhf.schema.path == before and pyhf.schema.variables.SCHEMA_CACHE == cache


def test_the_folder_before_comes_back_after_an_error(custom):
    before = pyhf.schema.path
    with pytest.raises(ZeroDivisionError), pyhf.schema(custom[0]):
        raise ZeroDivisionError
    assert pyhf.schema.path == before


@pytest.mark.parametrize("name", ["defs", "workspace", "model", "measurement", "patchset", "jsonpatch"])
def test_schemas_are_there(name):
    assert pyhf.schema.load_schema(f"1.0.0/{name}.json")["$id"].endswith(f"1.0.0/{name}.json")


def test_a_schema_that_is_not_there():
    with pytest.raises(FileNotFoundError, match="right version"):
        pyhf.schema.load_schema("nothing.json")


@pytest.mark.parametrize("operation,fits", [
    ({"op": "add", "path": "/a", "value": 1}, True), ({"op": "remove", "path": "/a"}, True), ({"op": "move", "path": "/a", "from": "/b"}, True),
    ({"op": "add", "path": "/a"}, False), ({"path": "/a"}, False), ({"op": "move", "path": "/a"}, False), ({"op": "jump", "path": "/a"}, False),
])
def test_patches_are_validated(operation, fits):
    if fits:
        pyhf.schema.validate([operation], "jsonpatch.json")
    else:
        with pytest.raises(pyhf.exceptions.InvalidSpecification):
            pyhf.schema.validate([operation], "jsonpatch.json")


def test_arrays_count_as_lists_unless_told_otherwise():
    spec = {"channels": [{"name": "one", "samples": [{"name": "signal", "data": np.array([10.0]), "modifiers": []}]}]}
    pyhf.schema.validate(spec, "model.json")
    with pytest.raises(pyhf.exceptions.InvalidSpecification):
        pyhf.schema.validate(spec, "model.json", allow_tensors=False)


def test_the_quick_and_the_telling_validator_agree():
    """Random damage to a workspace: both say yes or both say no."""
    from nextstat.pyhf.schema.quick import predicate
    from nextstat.pyhf.schema.rules import Checker, problems

    schema = pyhf.schema.load_schema("1.0.0/workspace.json")
    checker = Checker(schema, lambda name: pyhf.schema.load_schema(f"1.0.0/{name}"), (list,), (int, float))
    fits = predicate(schema, checker)
    random = np.random.default_rng(0)
    verdicts = []
    for _ in range(300):
        document = workspace()
        node = document
        for _ in range(int(random.integers(1, 7))):
            keys = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
            if not keys:
                break
            parent, key = node, keys[int(random.integers(len(keys)))]
            node = parent[key]
        parent[key] = [None, "text", 1.5, [], {}, True, node][int(random.integers(7))]
        verdicts.append(fits(document))
        assert verdicts[-1] == (not list(problems(document, schema, checker)))
    assert 20 < sum(verdicts) < 280


def test_the_module_can_be_loaded_again():
    code = """
import importlib, sys, nextstat.pyhf.pytest_plugin
import pyhf
for name in [name for name in sys.modules if name.split('.')[0] == 'pyhf']:
    del sys.modules[name]
pyhf = importlib.import_module('pyhf')
pyhf.schema.validate([], 'jsonpatch.json')
importlib.reload(sys.modules['pyhf.schema'])
print(callable(pyhf.schema))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "True", run.stderr


def test_validation_goes_through_the_modules_own_name(monkeypatch):
    asked = []
    monkeypatch.setattr(pyhf.schema, "validate", lambda spec, name, **settings: asked.append(name))
    opened = pyhf.Workspace(workspace())
    opened.get_measurement()
    assert asked == ["workspace.json", "measurement.json"]


def test_schemas_are_json():
    for file in pyhf.schema.path.rglob("*.json"):
        assert json.loads(file.read_text())
    assert importlib.import_module("nextstat.pyhf.schema") is pyhf.schema
