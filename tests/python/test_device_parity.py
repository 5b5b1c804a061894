"""The command line on every device present gives the numbers of the CPU, within the table that the C++ suite reads too."""

import json

import pytest

from conftest import ALL_MODIFIERS, PROGRAM, ROOT, SIMPLE, answer, needs_program

pytestmark = needs_program

TABLE = json.loads((ROOT / "tests/conformance/device_tolerances.json").read_text())
WORKSPACES = [SIMPLE, ALL_MODIFIERS]


def devices():
    if not PROGRAM.exists():
        return []
    return [(f"{entry['type']}:{device['index']}", "f32" if device["fp64"] == "none" else "f64")
            for entry in answer("devices")["backends"] if entry["type"] != "cpu" for device in entry["devices"]]


def test_every_line_of_the_table_has_a_reason():
    for precision in TABLE.values():
        for line in precision.values():
            assert set(line) == {"bits", "absolute", "relative", "reason"} and line["reason"]


@pytest.mark.parametrize("workspace", WORKSPACES, ids=lambda path: path.stem)
@pytest.mark.parametrize("device, precision", devices() or [pytest.param("", "", marks=pytest.mark.skip(reason="no device here"))])
def test_a_fit_on_a_device_is_that_of_the_cpu(device, precision, workspace):
    def close(what, found, expected):
        line = TABLE[precision][what]
        if line["bits"]:
            return found == expected
        return abs(found - expected) <= line["absolute"] + line["relative"] * abs(expected)

    cpu, found = (answer("fit", workspace, "--device", name) for name in ("cpu", device))
    assert close("fit_nll", found["nll"], cpu["nll"])
    assert all(close("best_fit", a, b) for a, b in zip(found["bestfit"], cpu["bestfit"], strict=True))
    for a, b in zip(found["uncertainties"], cpu["uncertainties"], strict=True):
        assert a == b if b is None else close("uncertainty", a, b)
