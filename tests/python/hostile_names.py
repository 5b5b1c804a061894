"""Names that attack a screen, documents full of them, and what must never reach a terminal."""

import json
import unicodedata

# Erases the screen, sets the title, moves back, deletes, a control of the C1 set, overrides and isolates of the writing
# direction, marks, a zero width, separators of lines, a tag, a tabulator, and a line that pretends to be the program's.
ATTACK = (
    "\x1b[2J\x1b]0;owned\x07\b\r\x7f\u009b31m\u0085\u202eevil\u202c\u2066\u2069\u200e\u200f\u061c\u200b\ufeff"
    "\u2028\u2029\U000e0041\t\nFORGED"
)
HIDDEN = {"Cc", "Cf", "Zl", "Zp"}  # categories of Unicode


def hostile(name):
    return name + ATTACK


CHANNEL, OTHER_CHANNEL = hostile("channel"), hostile("other")
SAMPLE, BACKGROUND = hostile("signal"), hostile("background")
POI, ALPHA, GAMMA = hostile("mu"), hostile("alpha"), hostile("gamma")
MEASUREMENT, GROUP = hostile("measurement"), hostile("group")


def channel(name):
    signal = {"name": SAMPLE, "data": [5.0, 8.0], "modifiers": [{"name": POI, "type": "normfactor", "data": None}]}
    background = {
        "name": BACKGROUND,
        "data": [50.0, 40.0],
        "modifiers": [
            {"name": ALPHA, "type": "normsys", "data": {"hi": 1.1, "lo": 0.9}},
            {"name": GAMMA + name, "type": "staterror", "data": [3.0, 2.0]},
        ],
    }
    return {"name": name, "samples": [signal, background]}


def workspace(poi=POI, observed=(52.0, 49.0)):
    return {
        "channels": [channel(CHANNEL), channel(OTHER_CHANNEL)],
        "observations": [{"name": name, "data": list(observed)} for name in (CHANNEL, OTHER_CHANNEL)],
        "measurements": [{"name": MEASUREMENT, "config": {"poi": poi, "parameters": []}}],
        "version": "1.0.0",
    }


def broken():
    """A workspace with a fault at every name: lengths, types, observations, settings."""
    document = workspace()
    document["channels"][0]["samples"][0]["data"] = [5.0]
    document["channels"][0]["samples"][1]["modifiers"][0]["data"] = {"hi": 1.1}
    document["channels"][1]["samples"][1]["modifiers"][0]["type"] = hostile("type")
    document["observations"][1]["name"] = hostile("nowhere")
    document["measurements"][0]["config"]["parameters"] = [{"name": hostile("nothing"), "fixed": True}]
    document[hostile("key")] = 1
    return document


def patchset(digest, name="patch"):
    """The schema wants plain names of patches; values and texts may be anything."""

    def patch(name, value):
        change = [{"op": "replace", "path": "/channels/0/samples/0/data", "value": [value, value]}]
        return {"metadata": {"name": name, "values": [value, hostile("value")]}, "patch": change}

    return {
        "metadata": {
            "name": hostile("patchset"),
            "references": {"hepdata": "ins1234567"},
            "digests": {"sha256": digest},
            "labels": ["mass", "label"],
            "description": hostile("description"),
        },
        "patches": [patch(name, 5.0), patch("second", 6.0)],
        "version": "1.0.0",
    }


def assert_safe(text):
    """No control, format or separator character but the newline, no broken UTF-8, and no line of the attacker's."""
    text = text if isinstance(text, str) else text.decode("utf-8")
    found = sorted({f"U+{ord(c):04X}" for c in text if c != "\n" and unicodedata.category(c) in HIDDEN})
    assert not found, f"{', '.join(found)} in {text!r}"
    forged = [line for line in text.splitlines() if line.lstrip().startswith("FORGED")]
    assert not forged, f"a line of the attacker's in {text!r}"


def strings_of(document):
    """Every text in a JSON document, keys too."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, list):
        for entry in document:
            yield from strings_of(entry)
    elif isinstance(document, dict):
        for key, entry in document.items():
            yield key
            yield from strings_of(entry)


def text_of(document):
    return json.dumps(document, ensure_ascii=False)
