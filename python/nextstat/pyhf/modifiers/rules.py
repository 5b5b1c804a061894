"""One rule per type of modifier: which parameters it needs, and whether its name may be used twice.

histosys, normsys   alpha, Normal(0 | alpha, 1), start 0, bounds [-5, 5]
lumi                lambda, Normal(l0 | lambda, sigma) from the measurement
normfactor          free, start 1, bounds [0, 10]
shapefactor         free, one per bin, start 1, bounds [0, 10]
shapesys            gamma per bin, Poisson(tau | tau gamma), tau = (nominal / uncertainty)^2
staterror           gamma per bin, Normal(1 | gamma, sigma), see `staterror`
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Requirement = dict[str, Any]
Modifier = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class ModifierRule:
    """A type of modifier; `required` takes the nominal rates of the sample and the modifier's data."""

    name: str
    is_shared: bool
    required: Callable[[Sequence[float], Any], Requirement] | None


def _alpha(_nominal: Sequence[float], _data: Any) -> Requirement:
    return {
        "paramset_type": "constrained_by_normal",
        "n_parameters": 1,
        "is_scalar": True,
        "inits": (0.0,),
        "bounds": ((-5.0, 5.0),),
        "fixed": False,
        "auxdata": (0.0,),
    }


def _lumi(_nominal: Sequence[float], _data: Any) -> Requirement:
    return {
        "paramset_type": "constrained_by_normal",
        "n_parameters": 1,
        "is_scalar": True,
        "inits": None,
        "bounds": None,
        "fixed": False,
        "auxdata": None,
        "sigmas": None,
    }


def _normfactor(_nominal: Sequence[float], _data: Any) -> Requirement:
    return {
        "paramset_type": "unconstrained",
        "n_parameters": 1,
        "is_scalar": True,
        "inits": (1.0,),
        "bounds": ((0, 10),),
        "fixed": False,
    }


def _shapefactor(nominal: Sequence[float], _data: Any) -> Requirement:
    count = len(nominal)
    return {
        "paramset_type": "unconstrained",
        "n_parameters": count,
        "is_scalar": False,
        "inits": (1.0,) * count,
        "bounds": ((0.0, 10.0),) * count,
        "fixed": False,
    }


def _shapesys(nominal: Sequence[float], data: Any) -> Requirement:
    pairs = [(float(rate), float(width)) for rate, width in zip(nominal, data)]
    measured = [rate > 0 and width > 0 for rate, width in pairs]
    factors = tuple(
        (rate**2 / width**2) if is_measured else 1.0 for is_measured, (rate, width) in zip(measured, pairs)
    )
    return {
        "paramset_type": "constrained_by_poisson",
        "n_parameters": len(factors),
        "is_scalar": False,
        "inits": (1.0,) * len(factors),
        "bounds": ((1e-10, 10.0),) * len(factors),
        "fixed": tuple(not is_measured for is_measured in measured),
        "auxdata": factors,
        "factors": factors,
    }


# In pyhf's order, which is the order of the parameters.
histfactory_set: dict[str, ModifierRule] = {
    "histosys": ModifierRule("histosys", True, _alpha),
    "lumi": ModifierRule("lumi", True, _lumi),
    "normfactor": ModifierRule("normfactor", True, _normfactor),
    "normsys": ModifierRule("normsys", True, _alpha),
    "shapefactor": ModifierRule("shapefactor", True, _shapefactor),
    "shapesys": ModifierRule("shapesys", False, _shapesys),
    "staterror": ModifierRule("staterror", True, None),  # from all its samples together: modifiers.staterror
}
