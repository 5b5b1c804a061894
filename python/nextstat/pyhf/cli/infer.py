"""`cls` and `fit`."""

from __future__ import annotations

import argparse
from typing import Any

from .. import infer, optimize, set_backend, tensor
from ..pdf import Model
from ..utils import options_from_eqdelimstring
from ..workspace import Workspace
from .common import InputFile, add_output, add_workspace, read, write

_LIBRARIES = {"numpy": "numpy", "np": "numpy", "pytorch": "pytorch", "torch": "pytorch", "tensorflow": "tensorflow",
              "tf": "tensorflow", "jax": "jax"}  # fmt: skip


def add(commands: Any) -> None:
    """Adds both commands."""
    fit = commands.add_parser("fit", help="maximum likelihood fit of a workspace")
    _add_common(fit)
    fit.add_argument("--value", action="store_true", help="print twice the NLL at the minimum as well")
    fit.set_defaults(run=_fit)
    cls = commands.add_parser("cls", help="CLs of a workspace")
    _add_common(cls)
    cls.add_argument("--test-poi", type=float, default=1.0)
    cls.add_argument("--test-stat", choices=["q", "qtilde"], default="qtilde")
    cls.add_argument("--calctype", choices=["asymptotics", "toybased"], default="asymptotics")
    cls.set_defaults(run=_cls)


def _add_common(parser: argparse.ArgumentParser) -> None:
    add_workspace(parser)
    add_output(parser)
    parser.add_argument("--measurement")
    parser.add_argument("-p", "--patch", type=InputFile, action="append", default=[], help="JSON patch file (repeatable)")
    parser.add_argument("--backend", choices=list(_LIBRARIES), default="numpy")
    parser.add_argument("--optimizer", choices=["scipy", "minuit"], default="scipy")
    parser.add_argument("--optconf", action="append", default=[], metavar="NAME=VALUE")


def _model(arguments: argparse.Namespace) -> tuple[Workspace, Model]:
    library = getattr(tensor, f"{_LIBRARIES[arguments.backend]}_backend")()
    optimizer = getattr(optimize, f"{arguments.optimizer}_optimizer")
    set_backend(library, optimizer(**options_from_eqdelimstring(arguments.optconf)))
    workspace = Workspace(read(arguments.workspace))
    patches = [read(name) for name in arguments.patch]
    return workspace, workspace.model(measurement_name=arguments.measurement, patches=patches)


def _fit(arguments: argparse.Namespace) -> None:
    workspace, model = _model(arguments)
    parameters, value = infer.mle.fit(workspace.data(model), model, return_fitted_val=True)
    by_name = {name: parameters[model.config.par_slice(name)].tolist() for name in model.config.par_order}
    result: dict[str, Any] = {"mle_parameters": by_name}
    if arguments.value:
        result["twice_nll"] = float(value)
    write(result, arguments.output_file)


def _cls(arguments: argparse.Namespace) -> None:
    workspace, model = _model(arguments)
    settings = {"test_stat": arguments.test_stat, "calctype": arguments.calctype}
    observed, expected = infer.hypotest(
        arguments.test_poi, workspace.data(model), model, return_expected_set=True, **settings
    )
    result = {"CLs_obs": float(observed), "CLs_exp": [float(value) for value in expected]}
    write(result, arguments.output_file)
