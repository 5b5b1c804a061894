"""What the tests of workspace verbs share: real files, small workspaces, and the comparison with pyhf."""

import json

import pytest

import conftest
from conftest import ROOT, run_program
from small_workspaces import MU, modifier, normsys, sample, several_channels

DATA = conftest.DATA or ROOT / "no-data"


def real_workspaces():
    files = sorted(DATA.glob("*.json")) + sorted(DATA.glob("validation/*.json"))
    no_workspace = (".patchset.json", ".patch.json", "references.json")
    return [path for path in files if not path.name.endswith(no_workspace)]


def load(name):
    path = DATA / f"{name}.json"
    if not path.exists():
        pytest.skip(f"no {name}.json in NEXTSTAT_DATA ({DATA})")
    return json.loads(path.read_text())


def exact(document):
    """Text that tells 1 from 1.0, which comparing trees in Python does not."""
    return json.dumps(document, sort_keys=True, ensure_ascii=False)


def assert_same(reference, *arguments):
    """`reference` is a call of pyhf: where it raises, the program must exit 2 with a hint; else give the same document."""
    result_of_program = run_program(*arguments)
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


def regions(channels, measurements=None, observed=(3, 4.0)):
    """channels: {name: [sample, ...]}; measurements: {name: (poi, [parameter, ...])}."""
    document = several_channels(channels, dict.fromkeys(channels, observed))
    document["measurements"] = [{"name": name, "config": {"poi": poi, "parameters": parameters}}
                                for name, (poi, parameters) in (measurements or {"meas": ("mu", [])}).items()]
    return document


def signal_and_background():
    return [sample("signal", (1.0, 2), MU), sample("background", (5, 6.5), normsys("zeta", 0.9, 1.1), normsys("alpha", 0.9, 1.1))]


SMALL = {
    "two": regions({"SR": signal_and_background(), "CR": signal_and_background()}),
    "same_again": regions({"SR": signal_and_background(), "CR": signal_and_background()}),
    "same_as_floats": regions({"SR": signal_and_background()}, observed=(3.0, 4)),
    "other_channels": regions({"VR": signal_and_background()}, {"other": ("mu", [])}),
    "same_measurement": regions({"VR": signal_and_background()}),
    "other_poi": regions({"VR": signal_and_background()}, {"meas": ("syst", [])}),
    "parameters": regions({"VR": signal_and_background()}, {"meas": ("mu", [{"name": "alpha", "fixed": True}])}),
    "parameters_too": regions(
        {"WR": signal_and_background()},
        {"meas": ("mu", [{"name": "mu", "bounds": [[0, 5]]}, {"name": "alpha", "fixed": True}])},
    ),
    "parameters_clash": regions({"WR": signal_and_background()}, {"meas": ("mu", [{"name": "alpha", "fixed": False}])}),
    "more_samples": regions({"SR": [*signal_and_background()[1:], sample("fakes", (0, 1))]}),
    "different_sample": regions({"SR": [sample("signal", (9, 9), MU)]}),
    "different_data": regions({"SR": signal_and_background()}, observed=(30, 40)),
    "ünïcode": regions({"Kanäle ☃": [sample("ttH→bb", (1e-5, 1e16), modifier("µ", "normfactor"))]}, {"м": ("µ", [])}),
}
