"""Toy runs on disk: the files are as docs/toys.md says, `toys status` tells how far a run is, `toys merge` puts shards together."""

import json
import re

import pytest

from conftest import ROOT, answer
from toy_runs import files_of, record, write_run

COMMITTED = ROOT / "tests/data/toys_run"


def damage(path, position=200):
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(bytes(data))


# --- the files ------------------------------------------------------------------------------------------------------


def test_the_page_describes_the_files_byte_by_byte(tmp_path):
    """A run written from the page alone has the bytes that the program writes."""
    assert files_of(write_run(tmp_path / "run")) == files_of(COMMITTED)


def test_the_snippet_of_the_page_reads_a_run():
    np = pytest.importorskip("numpy")
    snippet = re.search(r"^```python\n(.*?)^```", (ROOT / "docs/toys.md").read_text(), re.M | re.S)[1]
    names = {}
    exec(snippet, names)
    toys = names["read_toys"](COMMITTED)
    assert list(toys) == ["background", "signal + background"]
    for ensemble, (name, n) in enumerate([("background", 25), ("signal + background", 30)]):
        expected = np.array([record(42, ensemble, toy) for toy in range(n)])
        got = np.column_stack([toys[name][column] for column in ("q", "mu_hat", "converged")])
        np.testing.assert_array_equal(got, expected)


# --- status ---------------------------------------------------------------------------------------------------------


def test_status_of_a_complete_run(schema):
    status = answer("toys", "status", COMMITTED)
    schema("toys-status", status)
    assert status["complete"] and status["percent"] == 100 and status["n_toys_done"] == 55
    assert status["run"]["seed"] == 42 and status["workspace_digest"] == "a" * 64
    assert status["open_blocks"] == [] and status["problems"] == [] and "shards" not in status


def test_status_tells_which_shard_has_work_left(nextstat, schema, tmp_path):
    run = write_run(tmp_path / "run")
    (run / "block-00000001.toys").unlink()
    (run / "block-00000002.toys").unlink()
    status = answer("toys", "status", run, "--shards", 3, code=1)
    schema("toys-status", status)
    assert not status["complete"] and status["open_blocks"] == [[1, 2]]
    assert [(s["shard"], s["blocks_missing"]) for s in status["shards"]] == [("1/3", 0), ("2/3", 1), ("3/3", 1)]
    table = nextstat("toys", "status", run, "--format", "table").stdout
    assert "blocks to compute: 1-2" in table and "--resume" in table


def test_status_names_a_damaged_block(nextstat, schema, tmp_path):
    run = write_run(tmp_path / "run")
    damage(run / "block-00000004.toys")
    status = answer("toys", "status", run, code=2)
    schema("toys-status", status)
    [problem] = status["problems"]
    assert problem["block"] == 4 and problem["condition"] == "damaged" and "checksum" in problem["what"]
    table = nextstat("toys", "status", run, "--format", "table")
    assert table.returncode == 2 and "block-00000004.toys does not match its checksum" in table.stdout


def test_status_tells_a_block_of_another_run(tmp_path):
    run, other = write_run(tmp_path / "run"), write_run(tmp_path / "other", seed=43)
    (run / "block-00000000.toys").write_bytes((other / "block-00000000.toys").read_bytes())
    [problem] = answer("toys", "status", run, code=2)["problems"]
    assert problem["condition"] == "foreign" and "another run" in problem["what"]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"seed": 1}', '{"seed": -1, "columns": 3}'])
def test_a_run_file_that_is_none_is_an_error_with_a_next_step(nextstat, tmp_path, text):
    run = write_run(tmp_path / "run")
    (run / "run.json").write_text(text)
    done = nextstat("toys", "status", run)
    assert done.returncode == 2 and "run.json" in done.stderr and "hint:" in done.stderr


def test_a_run_file_that_promises_too_much_is_refused(nextstat, tmp_path):
    huge = [{"hypothesis": 0, "name": "background", "n_toys": 2**63}]
    run = tmp_path / "run"
    write_run(run, ensembles=[])
    text = (run / "run.json").read_text()
    (run / "run.json").write_text(text.replace('"ensembles": []', '"ensembles": ' + json.dumps(huge)))
    assert nextstat("toys", "status", run, timeout=10).returncode == 2
    write_run(tmp_path / "none", ensembles=[])
    assert answer("toys", "status", tmp_path / "none")["blocks"] == 0


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_no_run_is_an_error(nextstat, tmp_path, path):
    done = nextstat("toys", "status", path, cwd=tmp_path)
    assert done.returncode == 2 and "hint:" in done.stderr


# --- merge ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_merged_shards_have_the_bytes_of_the_single_run(schema, tmp_path, n):
    shards = [write_run(tmp_path / f"shard-{i}", (i, n)) for i in range(1, n + 1)]
    report = answer("toys", "merge", *shards, "--out", tmp_path / "merged")
    schema("toys-merge", report)
    assert report["complete"] and report["blocks_copied"] == 6
    assert files_of(tmp_path / "merged") == files_of(COMMITTED)


@pytest.mark.parametrize("field, change, shown", [
    ("seed", {"seed": 43}, ["43", "42"]),
    ("settings/mu", {"settings": {"mu": 2.0, "poi": "mu", "fixed": {"lumi": 0.5}}}, ["2.0", "1.0"]),
    ("settings/fixed/lumi", {"settings": {"mu": 1.0, "poi": "mu", "fixed": {"lumi": 0.6}}}, ["0.6", "0.5"]),
    ("nextstat_version", {"nextstat_version": "9.9.9"}, ['"9.9.9"', '"0.1.0"']),
])
def test_shards_of_another_run_are_refused_by_name(nextstat, tmp_path, field, change, shown):
    write_run(tmp_path / "a", (1, 2))
    write_run(tmp_path / "b", (2, 2), **change)
    done = nextstat("toys", "merge", "a", "b", "--out", "merged", "--format", "json", cwd=tmp_path)
    assert done.returncode == 2 and not (tmp_path / "merged").exists()
    [error] = json.loads(done.stderr)["errors"]
    assert error["where"] == "b" and error["what"].startswith(f"is not the run in a: {field} is {shown[0]}")
    assert all(x in error["what"] for x in shown)


def test_a_missing_shard_is_exit_1_and_can_be_added_later(nextstat, tmp_path):
    shards = [write_run(tmp_path / f"shard-{i}", (i, 3)) for i in (1, 2, 3)]
    assert nextstat("toys", "merge", *shards[:2], "--out", tmp_path / "merged").returncode == 1
    assert answer("toys", "merge", shards[2], "--out", tmp_path / "merged")["blocks_copied"] == 2
    assert files_of(tmp_path / "merged") == files_of(COMMITTED)


def test_a_damaged_shard_is_exit_2_and_loses_nothing(nextstat, schema, tmp_path):
    shards = [write_run(tmp_path / f"shard-{i}", (i, 2)) for i in (1, 2)]
    damage(shards[1] / "block-00000003.toys")
    report = answer("toys", "merge", *shards, "--out", tmp_path / "merged", code=2)
    schema("toys-merge", report)
    assert report["blocks_done"] == 5 and "--resume" in report["problems"][0]["hint"]
    table = nextstat("toys", "merge", *shards, "--out", tmp_path / "merged", "--format", "table")
    assert table.returncode == 2 and "shard-2/block-00000003.toys" in table.stdout


def test_a_folder_with_other_files_is_left_alone(nextstat, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/thesis.tex").write_text("precious")
    done = nextstat("toys", "merge", COMMITTED, "--out", tmp_path / "home")
    assert done.returncode == 2 and "thesis.tex" in done.stderr
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["thesis.tex"]
