"""`python -m nextstat.pyhf` prints what pyhf prints; numbers within 2e-4."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from pyhf_pairs import workspace
from test_pyhf_workspaces import other, patchset

pytest.importorskip("nextstat.pyhf")
pyhf = pytest.importorskip("pyhf")
pytest.importorskip("pyhf.cli")
CliRunner = pytest.importorskip("click.testing").CliRunner

NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
COMMANDS = [
    "inspect ws.json",
    "cls ws.json",
    "cls ws.json --test-poi 0.5 --test-stat q",
    "cls ws.json -p patch.json --measurement first --optimizer minuit",
    "fit ws.json --value",
    "prune ws.json -c control_region -t staterror -m energy --measurement second",
    "rename ws.json -c control_region CR --measurement first main",
    "combine ws.json other.json --join outer",
    "digest ws.json",
    "digest ws.json -a md5 -a sha256 --json",
    "sort ws.json",
    "patchset extract set.json --name one",
    "patchset extract set.json --name one --with-metadata",
    "patchset apply ws.json set.json --name two",
    "patchset verify ws.json set.json",
    "patchset inspect set.json",
    "--version",
    "--cite",
]


@pytest.fixture
def folder(tmp_path):
    documents = {
        "ws.json": workspace(), "other.json": other(workspace()), "set.json": patchset(),
        "patch.json": [{"op": "replace", "path": "/channels/0/samples/0/data/0", "value": 6.5}],
    }
    for name, document in documents.items():
        (tmp_path / name).write_text(json.dumps(document))
    return tmp_path


def run(command, folder):
    return subprocess.run([sys.executable, "-W", "ignore", "-m", "nextstat.pyhf", *command.split()], capture_output=True, text=True, cwd=folder)


# pyhf's program, run within this process: each start of Python would import it again.
@pytest.fixture
def theirs_run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    yield lambda command: CliRunner().invoke(pyhf.cli.cli, command.split(), prog_name="pyhf")
    pyhf.set_backend("numpy")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_print_what_pyhf_prints(command, folder, theirs_run):
    theirs, ours = theirs_run(command), run(command, folder)
    assert ours.returncode == theirs.exit_code == 0, ours.stderr + theirs.output
    assert NUMBER.sub("#", ours.stdout) == NUMBER.sub("#", theirs.stdout)
    numbers = [[float(text) for text in NUMBER.findall(result.stdout)] for result in (theirs, ours)]
    np.testing.assert_allclose(numbers[1], numbers[0], atol=2e-3 if command.startswith("fit") else 2e-4)


def test_results_go_to_a_file_and_come_from_stdin(folder):
    command = [sys.executable, "-m", "nextstat.pyhf", "cls", "--output-file", "result.json"]
    done = subprocess.run(command, input=(folder / "ws.json").read_text(), capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert set(json.loads((folder / "result.json").read_text())) == {"CLs_obs", "CLs_exp"}


@pytest.mark.parametrize("command", ["cls nothing.json", "patchset extract set.json --name nothing", "cls ws.json --backend jax"])
def test_failures_have_a_status(command, folder):
    assert run(command, folder).returncode != 0
