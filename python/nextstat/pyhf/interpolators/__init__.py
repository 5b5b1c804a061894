"""Interpolation between a nominal histogram and its variations: codes 0, 1, 2, 4 and 4p of HistFactory.

    code0([[[[90.0], [100.0], [120.0]]]])(np.array([[0.5]]))        # [set][histogram][alpha][bin]

The model's own rates are interpolated in nextstat's core; these classes are for code that calls them directly.
"""

from __future__ import annotations

from typing import Any

from ..exceptions import InvalidInterpCode
from .codes import code0, code1, code2, code4, code4p

__all__ = ["code0", "code1", "code2", "code4", "code4p"]


def __dir__() -> list[str]:
    return __all__


def get(interpcode: int | str, do_tensorized_calc: bool = True) -> Any:
    """The interpolation of this number: 0, 1, 2, 4 or "4p"."""
    codes: dict[int | str, Any] = {0: code0, 1: code1, 2: code2, 4: code4, "4p": code4p}
    try:
        return codes[interpcode]
    except KeyError:
        raise InvalidInterpCode(f"{interpcode} is not one of {list(codes)}") from None
