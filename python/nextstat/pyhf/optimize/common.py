"""Parts of pyhf's optimizers that code outside pyhf imports. The fits here do not use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _get_tensor_shim() -> Callable[..., Any]:
    """The function that wraps an objective for the tensor library in use."""
    from .. import tensorlib

    if tensorlib.name != "numpy":
        raise ValueError(f"No optimizer shim for {tensorlib.name}.")
    return _wrap_numpy


def _wrap_numpy(
    objective: Callable[..., Any],
    data: Any,
    pdf: Any,
    stitch_pars: Callable[..., Any],
    do_grad: bool = False,
    jit_pieces: Any = None,
) -> Callable[[Any], Any]:
    """The objective as a function of the free parameters."""
    from ..exceptions import Unsupported

    if do_grad:
        raise Unsupported("Numpy does not support autodifferentiation.")
    return lambda pars: objective(stitch_pars(pars), data, pdf)[0]


def _make_stitch_pars(tensorview: Any = None, fixed_values: Any = None) -> Callable[..., Any]:
    """A function that inserts the fixed values between the free ones."""
    if tensorview is None or fixed_values is None:
        return lambda pars, stitch_with=None: pars

    def stitch_pars(pars: Any, stitch_with: Any = fixed_values) -> Any:
        return tensorview.stitch([stitch_with, pars])

    return stitch_pars
