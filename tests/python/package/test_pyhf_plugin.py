"""The pytest plugin and the package on its own: without pyhf, without scipy, without anything but NumPy."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("nextstat.pyhf")

BLOCKED = ("pyhf", "scipy", "jsonschema", "jsonpatch", "click", "yaml", "tqdm")


def python(code, *arguments, cwd=None, seconds=120, interpreter=sys.executable):
    """Runs a script in a new interpreter with the package of this one."""
    import nextstat

    places = [str(pathlib.Path(nextstat.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
    command = [interpreter, *arguments] if code is None else [interpreter, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd, timeout=seconds)


def test_published_code_runs_without_pyhf_and_scipy():
    run = python(f"""
        import sys
        for name in {BLOCKED!r}:
            sys.modules[name] = None                      # importing it is an ImportError
        import numpy as np
        import nextstat.pyhf as pyhf
        model = pyhf.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0])
        data = [51, 48] + model.config.auxdata
        print(round(float(pyhf.infer.hypotest(1.0, data, model)), 4))
        workspace = pyhf.Workspace.build(model, data)
        limit, _ = pyhf.infer.intervals.upper_limits.upper_limit(data, workspace.model())
        print(round(float(limit), 3))
        np.random.seed(0)
        print(pyhf.infer.hypotest(1.0, data, model, calctype="toybased", ntoys=20) < 0.5)
    """)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["0.0525", "1.012", "True"]


def test_the_plugin_puts_it_in_pyhfs_place(tmp_path):
    (tmp_path / "test_it.py").write_text(textwrap.dedent("""
        import pyhf
        import pyhf.exceptions
        from pyhf.infer.calculators import AsymptoticCalculator
        from pyhf.tensor.common import _TensorViewer

        def test_it():
            assert pyhf.__file__.replace("\\\\", "/").endswith("nextstat/pyhf/__init__.py")
            assert AsymptoticCalculator is pyhf.infer.calculators.AsymptoticCalculator
            assert AsymptoticCalculator.__module__ == "pyhf.infer.calculators"
            assert pyhf.__version__ == "0.7.6"
            model = pyhf.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0])
            assert abs(pyhf.infer.hypotest(1.0, [51, 48] + model.config.auxdata, model) - 0.0525) < 1e-4
    """))
    run = python(None, "-m", "pytest", "-q", "-p", "nextstat.pyhf.pytest_plugin", "-p", "no:cacheprovider", "test_it.py", cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


def test_without_the_plugin_pyhf_is_pyhf(tmp_path):
    pytest.importorskip("pyhf")
    run = python("import nextstat.pyhf, pyhf; print(pyhf.__file__)")
    assert run.returncode == 0, run.stderr
    assert "nextstat" not in pathlib.Path(run.stdout.strip()).parts[-2:]


def test_a_pyhf_that_is_loaded_already_is_an_error():
    pytest.importorskip("pyhf")
    run = python("import pyhf; import nextstat.pyhf.pytest_plugin")
    assert run.returncode != 0
    assert "pyhf is loaded already" in run.stderr and "-p nextstat.pyhf.pytest_plugin" in run.stderr


def test_the_stand_in_can_be_taken_away():
    pytest.importorskip("pyhf")
    run = python("""
        from nextstat.pyhf import stand_in
        stand_in.install()
        import pyhf
        first = pyhf.__file__
        stand_in.uninstall()
        import pyhf
        print(first != pyhf.__file__)
    """)
    assert run.stdout.strip() == "True", run.stderr


def test_what_is_not_there_says_where_to_look():
    import nextstat.pyhf

    with pytest.raises(AttributeError, match="coming-from-pyhf"):
        nextstat.pyhf.something


def test_backends_that_are_not_there_skip_their_tests(tmp_path):
    (tmp_path / "test_it.py").write_text(textwrap.dedent("""
        import jax.numpy
        import pytest
        import tensorflow as tf
        import pyhf

        try:
            import torch
        except ImportError:
            torch = None

        BACKENDS = [pyhf.tensor.numpy_backend(), pyhf.tensor.pytorch_backend(precision="64b"), pyhf.tensor.jax_backend()]

        @pytest.mark.parametrize("backend", BACKENDS, ids=["numpy", "pytorch", "jax"])
        def test_backend(backend):
            pyhf.set_backend(backend)

        def test_library():
            assert tf.constant(1) is not None

        def test_by_name():
            pyhf.set_backend("jax")

        def test_it_stays_numpy():
            assert pyhf.tensorlib.name == "numpy" and torch is None
    """))
    (tmp_path / "test_other.py").write_text("from pyhf.modifiers.histosys import histosys_combined\n")
    if any(importlib.util.find_spec(name) for name in ("tensorflow", "torch", "jax")):
        pytest.skip("one of the libraries is here")
    run = python(None, "-m", "pytest", "-q", "-rs", "-p", "nextstat.pyhf.pytest_plugin", "-p", "no:cacheprovider", cwd=tmp_path)
    assert "2 passed, 4 skipped, 1 error" in run.stdout, run.stdout + run.stderr
    for reason in ("nextstat.pyhf has no pytorch backend", "nextstat.pyhf has no jax backend", "tensorflow is not installed"):
        assert reason in run.stdout


@pytest.mark.long
def test_pyhfs_own_tests():
    """NEXTSTAT_PYHF: a checkout of pyhf 0.7.6 (its tests, validation and docs/examples); NEXTSTAT_PYHF_PYTHON: a Python with what they need."""
    checkout = os.environ.get("NEXTSTAT_PYHF")
    if not checkout:
        pytest.skip("no checkout of pyhf 0.7.6; set NEXTSTAT_PYHF")
    run = python(None, "-m", "pytest", "-q", "-rA", "-p", "nextstat.pyhf.pytest_plugin", "-p", "no:cacheprovider", "--no-cov", "tests",
                 "--ignore", "tests/test_notebooks.py", cwd=checkout, seconds=1800,
                 interpreter=os.environ.get("NEXTSTAT_PYHF_PYTHON", sys.executable))
    passed = {line.split()[1] for line in run.stdout.splitlines() if line.startswith("PASSED tests/")}
    failed = {line.split()[1] for line in run.stdout.splitlines() if line.startswith("FAILED tests/")}
    assert len(passed) >= 850, run.stdout[-3000:]
    for name in ("contrib/test_viz.py", "contrib/test_contrib_utils.py", "test_modifiers.py", "test_export.py", "test_workspace.py"):
        assert not [test for test in failed if test.startswith(f"tests/{name}")], name
    assert {test.split("::")[1] for test in failed if "test_scripts" in test} <= {"test_missing_contrib_extra", "test_missing_contrib_download"}
