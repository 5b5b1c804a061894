"""mass-scan: the numbers of single questions, in order, whatever the number of threads; what fails does not stop the others."""

import copy
import json
import re
import signal
import time

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pyhf")

from conftest import ROOT, answer, needs_program, run_program, start_program, write
from small_workspaces import patchset_of
from test_hypotest import random_workspace

pytestmark = needs_program


@pytest.fixture
def patchset(tmp_path):
    """A background, and three signals of which the second does not fit."""
    background = random_workspace(5)
    channel = next(c for c in background["channels"] if c["name"] == "SR")
    position = background["channels"].index(channel)
    signal = channel["samples"].pop(next(i for i, s in enumerate(channel["samples"]) if s["name"] == "signal"))
    patches = {}
    for name, mass, factor in (("m300", 300, 2.0), ("m400", 400, None), ("m500", 500, 0.3)):
        sample = copy.deepcopy(signal)
        sample["data"] = [1.0] if factor is None and len(signal["data"]) != 1 else [(factor or 1) * y for y in sample["data"]]
        if factor is None:
            sample["data"] = sample["data"] + [1.0] * 7
        patches[name] = [mass, "x"], [{"op": "add", "path": f"/channels/{position}/samples/0", "value": sample}]
    write(tmp_path / "background.json", background)
    write(tmp_path / "patchset.json", patchset_of(background, patches))
    return tmp_path


def test_a_mass_scan_gives_the_numbers_of_single_questions(patchset):
    scanned = answer("mass-scan", patchset / "background.json", "--patchset", patchset / "patchset.json", code=1)
    assert [point["label"] for point in scanned["points"]] == ["m300", "m400", "m500"]
    assert scanned["points"][0]["values"] == [300, "x"]
    for point in (scanned["points"][0], scanned["points"][2]):
        single = [patchset / "background.json", "--patchset", patchset / "patchset.json", "--patch-name", point["label"]]
        limit, test = answer("upper-limit", *single), answer("hypotest", *single)
        assert point["obs_limit"] == pytest.approx(limit["obs_limit"], rel=1e-6)
        assert point["exp_limits"] == pytest.approx(limit["exp_limits"], rel=1e-6)
        assert point["cls_obs"] == pytest.approx(test["cls"], rel=1e-8)
        assert point["cls_exp"] == pytest.approx(test["expected_set"]["cls"], rel=1e-8)
        assert point["mu_hat"] == pytest.approx(test["mu_hat"], abs=1e-9)
        assert point["converged"]
    broken = scanned["points"][1]
    assert not broken["converged"] and broken["obs_limit"] is None
    assert "bins" in broken["errors"][0]["what"] or "SR" in broken["errors"][0]["what"], broken["errors"]


def test_a_folder_of_workspaces_is_scanned_by_name(patchset, tmp_path):
    folder = tmp_path / "points"
    folder.mkdir()
    for name in ("b", "a"):
        write(folder / f"{name}.json", random_workspace(6 if name == "a" else 7))
    write(folder / "broken.json", {})
    scanned = answer("mass-scan", "--workspaces-dir", folder, code=1)
    assert [point["label"] for point in scanned["points"]] == ["a", "b", "broken"]
    assert scanned["points"][0]["obs_limit"] == pytest.approx(answer("upper-limit", folder / "a.json")["obs_limit"], rel=1e-6)
    assert scanned["points"][2]["errors"] and scanned["workspace_digest"] is None


@pytest.mark.parametrize("words, what", [
    ([], "nothing to scan"),
    (["--patchset", "patchset.json", "--patch-name", "m300"], "every patch"),
    (["--workspaces-dir", "nowhere"], "cannot be listed"),
    (["--workspaces-dir", ".", "--patchset", "patchset.json"], "need no background"),
    (["--patchset", "patchset.json", "--cl", "95"], "not between 0 and 1"),
])
def test_senseless_mass_scans_are_refused(words, what, patchset):
    words = words if "--workspaces-dir" in words else ["background.json", *words]
    done = run_program("mass-scan", *words, cwd=patchset)
    assert done.returncode == 2 and what in done.stderr


@pytest.mark.alone
def test_ctrl_c_keeps_the_finished_points_of_a_mass_scan(tmp_path):
    """A hundred models of a hundred parameters: long enough to be stopped."""
    large = ROOT / "examples"
    source = max(large.glob("*.json"), key=lambda path: path.stat().st_size)
    folder = tmp_path / "points"
    folder.mkdir()
    for i in range(400):
        (folder / f"{i:03}.json").symlink_to(source)
    started = start_program("mass-scan", "--workspaces-dir", folder, "--threads", "1")
    time.sleep(1.0)
    started.send_signal(signal.SIGINT)
    asked = time.monotonic()
    shown, _ = started.communicate(timeout=60)
    took = time.monotonic() - asked
    if started.returncode == 0:
        pytest.skip("the scan was over before it could be stopped")
    assert started.returncode == 4
    scanned = json.loads(shown)
    assert scanned["interrupted"] and 0 < len(scanned["points"]) < 400
    assert took < 5


def test_a_mass_scan_gives_the_same_bytes_for_any_number_of_threads(patchset):
    seen = set()
    for option in ("--threads", "--jobs"):
        for threads in (1, 2, 4):
            done = run_program("mass-scan", patchset / "background.json", "--patchset", patchset / "patchset.json", option, threads)
            seen.add(re.sub(r'"(wall|load)_time_s": [^,\n]*', "", done.stdout))
    assert len(seen) == 1
