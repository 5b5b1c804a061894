"""examples/slurm works: an array of 16 shards on a Slurm of our own, merged, gives the bytes of the single run."""

import re
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT, run_program
from slurm_node import NoSlurm, SlurmNode
from toy_runs import files_of

SCRIPT = ROOT / "examples/slurm/toys.sbatch"
# Takes the words of `nextstat toys run` and writes made-up records: for programs that have no `toys run`.
STAND_IN = """#!{python}
import pathlib, sys
sys.path.insert(0, {tests!r})
from toy_runs import write_run
assert sys.argv[1:3] == ["toys", "run"], sys.argv
options = dict(zip(sys.argv[4::2], sys.argv[5::2]))
shard = tuple(map(int, options.get("--shard", "1/1").split("/")))
ensembles = [{{"hypothesis": 0, "name": "toys", "n_toys": int(options["--n-toys"])}}]
write_run(pathlib.Path(options["--resume"]), shard, seed=int(options["--seed"]), kind="toys", ensembles=ensembles)
"""


@pytest.fixture(scope="module")
def slurm():
    try:
        with SlurmNode() as node:
            yield node
    except NoSlurm as reason:
        pytest.skip(str(reason))


@pytest.fixture
def toys_program(tmp_path):
    if re.search(r"^  run ", run_program("toys", "--help").stdout, re.MULTILINE):
        return PROGRAM
    program = tmp_path / "stand_in"
    program.write_text(STAND_IN.format(python=sys.executable, tests=str(ROOT / "tests/python")))
    program.chmod(0o755)
    return program


@pytest.mark.long
def test_an_array_of_shards_merges_to_the_bytes_of_the_single_run(slurm, nextstat, toys_program, tmp_path):
    workspace = ROOT / "examples/simple.json"
    environment = {"WORKSPACE": str(workspace), "N_TOYS": "2000", "SEED": "7", "RUN": "run", "NEXTSTAT": str(toys_program)}
    states = slurm.run_array(SCRIPT, environment, tmp_path)
    logs = "\n".join(path.read_text() for path in tmp_path.glob("toys-*.log"))
    assert states == {"COMPLETED": 16}, logs
    shards = sorted((tmp_path / "run").glob("shard-*"))
    assert len(shards) == 16
    merged = nextstat("toys", "merge", *shards, "--out", tmp_path / "merged")
    assert merged.returncode == 0, merged.stderr
    subprocess.run([toys_program, "toys", "run", workspace, "--n-toys", "2000", "--seed", "7", "--resume", tmp_path / "single"],
                   check=True, capture_output=True)
    assert files_of(tmp_path / "merged") == files_of(tmp_path / "single")
    # The same array again finds nothing to do.
    before = files_of(tmp_path / "run/shard-3")
    assert slurm.run_array(SCRIPT, environment, tmp_path) == {"COMPLETED": 16}
    assert files_of(tmp_path / "run/shard-3") == before
