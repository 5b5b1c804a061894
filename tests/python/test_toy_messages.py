"""What the verbs with toys say about odd cases, and when they no longer call a result converged."""

import json

import pytest

from conftest import SIMPLE, needs_program, run_program, write
from small_workspaces import workspace

pytestmark = needs_program


def shapesys(tmp_path, sigma):
    return write(tmp_path / "w.json", workspace([5.0], [10.0], [12], [{"name": "g", "type": "shapesys", "data": [sigma]}]))


def refused(*arguments):
    done = run_program(*arguments)
    assert done.returncode == 2 and "hint: " in done.stderr, done.stderr
    return done.stderr


@pytest.mark.parametrize("sigma", [1.0, 3e5])
@pytest.mark.parametrize("verb", ["hypotest-toys", "toys run"])
def test_converged_means_that_at_most_one_percent_of_the_toys_have_no_fit(tmp_path, sigma, verb):
    done = run_program(*verb.split(), shapesys(tmp_path, sigma), "--n-toys", 200)
    shown = json.loads(done.stdout)
    each = lambda key: shown[key].values() if isinstance(shown[key], dict) else [shown[key]]  # noqa: E731
    failed = max((error + other) / toys for toys, error, other in zip(each("n_toys"), each("n_error"), each("n_nonconverged")))
    assert shown["converged"] == (failed <= 0.01) and done.returncode == (0 if shown["converged"] else 1)


def test_the_statistic_of_the_asimov_data_is_that_of_hypotest():
    toys, asymptotic = (json.loads(run_program(verb, SIMPLE, *more).stdout) for verb, more in
                        (("hypotest-toys", ["--n-toys", 10]), ("hypotest", [])))
    assert toys["q_mu_a"] == asymptotic["q_mu_a"] > 0


def test_messages_name_the_option_or_the_parameter(tmp_path):
    assert "--keep" in refused("toys", "run", SIMPLE, "--keep", "nope")
    assert "not finite" in refused("toys", "run", SIMPLE, "--mu", "nan")
    said = refused("hypotest-toys", shapesys(tmp_path, 1e-7), "--n-toys", 10)
    assert "g[0]" in said and "--fixed-aux" in said
    assert run_program("hypotest-toys", shapesys(tmp_path, 1e-7), "--n-toys", 10, "--fixed-aux").returncode == 0


def test_bins_that_no_toy_can_come_from_are_named(tmp_path):
    path = write(tmp_path / "w.json", workspace([5.0, 5.0], [10.0, 0.0], [12, 4]))
    assert "c[1]" in refused("hypotest-toys", path, "--n-toys", 10)


@pytest.mark.parametrize("verb", ["hypotest-toys", "toys run"])
def test_a_value_outside_the_bounds_is_warned_of(verb):
    done = run_program(*verb.split(), SIMPLE, "--mu", 11, "--n-toys", 5)
    assert "mu = 11 is outside its bounds [0, 10]" in done.stdout


def test_merge_does_not_write_into_a_shard(tmp_path):
    for shard in ("1", "2"):
        run_program("hypotest-toys", SIMPLE, "--n-toys", 100, "--shard", f"{shard}/2", "--out", tmp_path / shard)
    before = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert "only read" in refused("toys", "merge", tmp_path / "1", tmp_path / "2", "--out", f"{tmp_path}/./1/")
    assert sorted(path.name for path in (tmp_path / "1").iterdir()) == before


def test_a_folder_in_the_place_of_a_block_is_to_be_removed(tmp_path):
    command = ["hypotest-toys", SIMPLE, "--n-toys", 100, "--resume", tmp_path / "run"]
    assert run_program(*command).returncode == 0
    block = sorted((tmp_path / "run").glob("block-*"))[0]
    block.unlink()
    block.mkdir()
    assert "remove it" in refused(*command)


def test_a_block_of_another_run_is_moved_away_and_not_resumed(tmp_path):
    for seed in (1, 2):
        run_program("hypotest-toys", SIMPLE, "--n-toys", 100, "--seed", seed, "--out", tmp_path / str(seed))
    name = sorted((tmp_path / "1").glob("block-*"))[0].name
    (tmp_path / "1" / name).write_bytes((tmp_path / "2" / name).read_bytes())
    done = run_program("toys", "merge", tmp_path / "1", "--out", tmp_path / "merged")
    assert done.returncode == 2
    assert "move it elsewhere" in done.stdout + done.stderr and "--resume" not in done.stderr + done.stdout
