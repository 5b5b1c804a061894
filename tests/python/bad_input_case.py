"""Inputs with one fault each: how to make it, and where and in which words the program must report it.

A case starts from the small valid workspace below. `change` breaks the document, `token` writes raw text in the place of
a value, `text` replaces the file. `files` are written beside it; in `command` a word that names a file becomes its path.
"""

import copy
import dataclasses
import json
import typing

BASE = {
    "channels": [
        {
            "name": "SR",
            "samples": [
                {
                    "name": "signal",
                    "data": [5.0, 10.0],
                    "modifiers": [{"name": "mu", "type": "normfactor", "data": None}],
                },
                {
                    "name": "background",
                    "data": [50.0, 60.0],
                    "modifiers": [
                        {"name": "norm", "type": "normsys", "data": {"lo": 0.9, "hi": 1.1}},
                        {"name": "shape", "type": "histosys", "data": {"lo_data": [45.0, 55.0], "hi_data": [55.0, 65.0]}},
                        {"name": "stat", "type": "staterror", "data": [1.0, 2.0]},
                        {"name": "lumi", "type": "lumi", "data": None},
                    ],
                },
            ],
        },
        {
            "name": "CR",
            "samples": [
                {
                    "name": "background",
                    "data": [100.0, 110.0, 120.0],
                    "modifiers": [
                        {"name": "unc", "type": "shapesys", "data": [5.0, 6.0, 7.0]},
                        {"name": "free", "type": "shapefactor", "data": None},
                    ],
                }
            ],
        },
    ],
    "measurements": [
        {
            "name": "meas",
            "config": {
                "poi": "mu",
                "parameters": [
                    {"name": "lumi", "auxdata": [1.0], "bounds": [[0.5, 1.5]], "inits": [1.0], "sigmas": [0.02]},
                    {"name": "mu", "inits": [1.0], "bounds": [[0.0, 10.0]], "fixed": False},
                    {"name": "unc", "auxdata": [400.0, 300.0, 200.0], "factors": [400.0, 300.0, 200.0]},
                ],
            },
        }
    ],
    "observations": [{"name": "SR", "data": [55.0, 70.0]}, {"name": "CR", "data": [100.0, 110.0, 120.0]}],
    "version": "1.0.0",
}

SIGNAL = "/channels/0/samples/0"
BACKGROUND = "/channels/0/samples/1"
CONTROL = "/channels/1/samples/0"
CONFIG = "/measurements/0/config"
LUMI, MU, UNC = (f"{CONFIG}/parameters/{i}" for i in range(3))

PATCHSET = {
    "metadata": {
        "references": {"hepdata": "ins1234567"},
        "description": "signals",
        "digests": {"md5": "0" * 32},
        "labels": ["mass"],
    },
    "patches": [
        {"metadata": {"name": "point_100", "values": [100]}, "patch": [{"op": "remove", "path": "/channels/1"}]},
        {"metadata": {"name": "point_200", "values": [200]}, "patch": []},
    ],
    "version": "1.0.0",
}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    where: str  # JSON pointer, after the name of the file
    what: str  # regular expression for the sentence
    hint: str = "."
    change: typing.Callable = None
    text: typing.Union[str, bytes, None] = None
    command: tuple = ("inspect", "workspace.json")
    files: dict = dataclasses.field(default_factory=dict)
    file: str = "workspace.json"  # or option or command that the report names

    def contents(self):
        """{file name: bytes} of everything the command reads."""
        workspace = copy.deepcopy(BASE)
        text = self.text if self.text is not None else (self.change or json.dumps)(workspace)
        files = {"workspace.json": text if text is not None else json.dumps(workspace)}
        files.update(self.files)
        as_text = {name: body if isinstance(body, (str, bytes)) else json.dumps(body) for name, body in files.items()}
        return {name: body.encode() if isinstance(body, str) else body for name, body in as_text.items()}


def find(document, pointer):
    """The container and the key or index that a pointer names."""
    *way, last = pointer.split("/")[1:]
    for step in way:
        document = document[int(step) if isinstance(document, list) else step]
    return document, int(last) if isinstance(document, list) else last


def put(pointer, value):
    def change(document):
        parent, key = find(document, pointer)
        parent[key] = copy.deepcopy(value)

    return change


def drop(pointer):
    def change(document):
        parent, key = find(document, pointer)
        del parent[key]

    return change


def append(pointer, value):
    def change(document):
        parent, key = find(document, pointer)
        parent[key].append(copy.deepcopy(value))

    return change


def token(pointer, raw):
    """Text in the place of a value that no JSON writer would write."""

    def change(document):
        put(pointer, "@@")(document)
        return json.dumps(document).replace('"@@"', raw)

    return change


def twice(pointer):
    """The key once more, with the same value."""

    def change(document):
        parent, key = find(document, pointer)
        parent["@@"] = parent[key]
        return json.dumps(document).replace('"@@"', json.dumps(key))

    return change


def all_of(*changes):
    def change(document):
        for one in changes:
            one(document)

    return change
