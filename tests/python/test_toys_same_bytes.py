"""The numbers of a toy run, and the bytes of its folder, do not depend on how it was computed: threads, instruction sets, toys in one
go, shards and merging, stopping and going on."""

import pytest

from conftest import ALL_MODIFIERS, SIMPLE, answer, needs_program, run_program, write
from small_workspaces import two_bins
from toy_verbs import bytes_of, content, instruction_sets, run_into

pytestmark = needs_program

REAL = ("thu", *(pytest.param(name, marks=pytest.mark.long) for name in ("tttt", "stanhf-allmods")), "negbins-dummy")
VERBS = {"hypotest-toys": ["hypotest-toys", "--expected-set"], "toys run": ["toys", "run", "--mu", "1"]}


def question(verb, path, n_toys):
    words = VERBS[verb]
    return [*words[: len(verb.split())], path, *words[len(verb.split()):], "--n-toys", n_toys]


def ways():
    """Options that must not matter."""
    yield from (["--threads", n] for n in (1, 2, 4))
    yield from (["--instruction-set", name] for name in instruction_sets())
    yield from (["--batch", n] for n in (1, 7, 1000))


def check_ways(words, tmp_path):
    reference = run_into(tmp_path / "reference", *words)
    for number, way in enumerate(ways()):
        assert run_into(tmp_path / f"run-{number}", *words, *way) == reference, way
    return reference


def check_shards(words, n, tmp_path, reference):
    shards = [tmp_path / f"shard-{i}-of-{n}" for i in range(1, n + 1)]
    for i, folder in enumerate(shards, start=1):
        assert answer(*words, "--shard", f"{i}/{n}", "--resume", folder, "--threads", i % 3)["shard_done"]
    merged = tmp_path / f"merged-{n}"
    assert answer("toys", "merge", *shards, "--out", merged)["complete"]
    assert content(merged) == reference[1]
    assert bytes_of(*words, "--resume", merged) == reference[0], "the numbers of the merged run"
    assert content(merged) == reference[1], "a complete run is only read"


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("path, n_toys", [(SIMPLE, 300), (ALL_MODIFIERS, 100)], ids=["simple", "all modifiers"])
def test_small_models(path, n_toys, verb, tmp_path):
    words = question(verb, path, n_toys)
    reference = check_ways(words, tmp_path)
    for n in (2, 7):
        check_shards(words, n, tmp_path, reference)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", REAL)
def test_real_models(name, verb, tmp_path, data_dir):
    words = question(verb, data_dir / f"{name}.json", 30)
    reference = check_ways(words, tmp_path)
    check_shards(words, 3, tmp_path, reference)


def test_there_are_several_instruction_sets_to_compare():
    assert answer("version")["instruction_set"] in instruction_sets()


@pytest.mark.parametrize("more", [["--test-stat", "q"], ["--test-stat", "q0"], ["--fixed-aux"]], ids=" ".join)
def test_statistics_and_fixed_auxiliary_data(more, tmp_path):
    check_ways([*question("hypotest-toys", SIMPLE, 60), *more], tmp_path)


def test_without_a_folder_the_numbers_are_the_same(tmp_path):
    words = question("hypotest-toys", SIMPLE, 120)
    reference = bytes_of(*words, "--out", tmp_path / "run")
    assert all(bytes_of(*words, *way) == reference for way in [[], ["--threads", 1, "--batch", 3]])
    words = question("toys run", SIMPLE, 120)
    reference = bytes_of(*words)
    assert all(bytes_of(*words, *way) == reference for way in ways())


def test_shards_share_a_folder_in_any_order(tmp_path):
    words = question("hypotest-toys", SIMPLE, 200)
    reference = run_into(tmp_path / "reference", *words)
    for i in (3, 1, 5, 2, 4):
        found = answer(*words, "--shard", f"{i}/5", "--resume", tmp_path / "run")
        assert found["shard_done"] and found["complete"] == (i == 4)
    assert content(tmp_path / "run") == reference[1]
    assert bytes_of(*words, "--resume", tmp_path / "run") == reference[0]


def test_more_shards_than_blocks(tmp_path):
    path = write(tmp_path / "w.json", two_bins())
    words = question("hypotest-toys", path, 10)  # two blocks
    reference = run_into(tmp_path / "reference", *words)
    for i in (1, 2, 3, 4):
        done = run_program(*words, "--shard", f"{i}/4", "--resume", tmp_path / "run")
        assert done.returncode == 0, done.stderr
    assert content(tmp_path / "run") == reference[1]


def test_the_file_of_the_workspace_may_move(tmp_path):
    path = write(tmp_path / "w.json", two_bins())
    words = question("toys run", path, 20)
    reference = run_into(tmp_path / "run", *words)
    moved = path.rename(tmp_path / "moved.json")
    assert bytes_of(*question("toys run", moved, 20), "--resume", tmp_path / "run") == reference[0]
