"""What the tests of workspace verbs share: the program, real files, small workspaces, and the comparison with pyhf.

NEXTSTAT_BIN is the program (default build/release/bin/nextstat), NEXTSTAT_DATA a folder of real workspaces.
"""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("NEXTSTAT_BIN", ROOT / "build/release/bin/nextstat"))
DATA = pathlib.Path(os.environ.get("NEXTSTAT_DATA", ROOT / "no-data"))

needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason=f"no program at {PROGRAM}; set NEXTSTAT_BIN")


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
