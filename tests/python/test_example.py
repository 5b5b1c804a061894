"""The example analysis: its generator gives the committed bytes, and it is a model worth fitting."""

import subprocess
import sys

from conftest import ROOT, answer

EXAMPLE = ROOT / "examples/search.json"


def test_the_generator_writes_the_committed_bytes(tmp_path):
    subprocess.run([sys.executable, ROOT / "examples/make_example.py", tmp_path / "search.json"], check=True)
    assert (tmp_path / "search.json").read_bytes() == EXAMPLE.read_bytes()


def test_the_example_is_an_analysis_of_100_or_more_parameters():
    shown = answer("inspect", EXAMPLE)
    kinds = {parameter["type"] for parameter in shown["parameters"]}
    assert len(shown["parameters"]) >= 100
    assert {"normfactor", "normsys", "histosys", "staterror", "lumi"} <= kinds
    assert EXAMPLE.stat().st_size < 300_000


def test_the_example_has_a_small_excess_and_nothing_at_a_bound():
    shown = answer("fit", EXAMPLE)
    poi = shown["poi_index"]
    significance = shown["bestfit"][poi] / shown["uncertainties"][poi]
    assert shown["converged"] and shown["n_active_bounds"] == 0
    assert 1 < significance < 4
