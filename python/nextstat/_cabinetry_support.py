"""Shared by the cabinetry functions: conversion of arguments, hypothesis tests, a root finder.

result = Settings.of(model, data, None, None, None).fit(hold={3: 1.0})
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import fail
from .fits import fit
from .model import Model, as_model
from .questions import hypotest

Array = NDArray[np.float64]


def normal_tail_to_sigma(p_value: float) -> float:
    """The number of standard deviations whose one-sided tail is this p-value."""
    if not 0 < p_value < 1:
        return math.inf if p_value <= 0 else -math.inf if p_value >= 1 else math.nan
    return -NormalDist().inv_cdf(p_value)


@dataclass(frozen=True)
class Settings:
    """A model with data, starting values, fixed parameters and bounds, one entry per parameter."""

    model: Model
    data: Array
    init: Array
    fixed: NDArray[np.bool_]
    bounds: Array  # [parameter, 2]
    names: list[str]

    @staticmethod
    def of(model: Any, data: Any, init: Any, fixed: Any, bounds: Any) -> Settings:
        """The model's own settings, replaced by those given."""
        ours = as_model(model)
        names = list(ours.parameter_names)
        return Settings(
            ours,
            np.asarray(data, dtype=np.float64),
            _one_each("init_pars", init, ours.suggested_init, names, np.float64),
            _one_each("fix_pars", fixed, ours.suggested_fixed, names, np.bool_),
            _one_each("par_bounds", bounds, ours.suggested_bounds, names, np.float64),
            names,
        )

    def index(self, name: str) -> int:
        """Index of a parameter; the error for an unknown name lists some known ones."""
        if name not in self.names:
            known = ", ".join(self.names[:5])
            fail("cabinetry", f"parameter {name} not found in model", f"it has {known}, ...")
        return self.names.index(name)

    def poi_index(self, name: str | None, what: str) -> int:
        """Index of the parameter of interest: the given one, or the model's."""
        if name is not None:
            return self.index(name)
        if self.model.poi_index is None:
            fail("cabinetry", f"no POI specified, cannot calculate {what}", "give poi_name")
        return int(self.model.poi_index)

    def prefit_widths(self) -> Array:
        """Widths of the constraints; 0 for parameters without one and for fixed ones."""
        widths = np.nan_to_num(np.asarray(self.model.prefit_sigmas, dtype=np.float64))
        widths[np.asarray(self.model.suggested_fixed, dtype=bool)] = 0.0
        return widths

    def fit(
        self,
        hold: Mapping[int, float] | None = None,
        minos: Sequence[str] | None = None,
        uncertainties: bool = True,
    ) -> Any:
        """The best fit with these parameters held at these values, even outside their bounds."""
        init, fixed, bounds = self.init.copy(), self.fixed.copy(), self.bounds.copy()
        for index, value in (hold or {}).items():
            init[index], fixed[index] = value, True
            bounds[index] = (min(bounds[index, 0], value), max(bounds[index, 1], value))
        return fit(
            self.model,
            data=self.data,
            init_pars=init,
            fixed=fixed,
            bounds=bounds,
            minos=minos,
            uncertainties=uncertainties,
            device="cpu",
        )

    def _about(self, poi: int) -> tuple[Model, dict[str, Any]]:
        """The model with this parameter of interest, bounded from below by 0, and the options of a test."""
        name = self.names[poi]
        model = self.model if name == self.model.poi_name else self.model.with_poi(name)
        bounds = self.bounds.copy()
        bounds[poi, 0] = max(bounds[poi, 0], 0.0)
        options = {"data": self.data, "init_pars": self.init, "fixed": self.fixed, "bounds": bounds}
        return model, {**options, "device": "cpu", "progress": False}

    def cls_of(self, poi: int, tested: dict[float, Array]) -> Callable[[float], Array]:
        """CLs at a value, [observed, expected at -2 to 2 sigma]; `tested` stores what was computed."""
        model, options = self._about(poi)

        def cls(value: float) -> Array:
            if value not in tested:
                result = hypotest(value, model, return_result=True, **options)
                tested[value] = np.concatenate([[result.cls], result.expected_set.cls])
            return tested[value]

        return cls

    def discovery(self, poi: int) -> tuple[float, float]:
        """Observed and expected p-value of the background-only hypothesis."""
        model, options = self._about(poi)
        observed, expected = hypotest(0.0, model, test_stat="q0", return_expected=True, **options)
        return float(observed), float(expected)


def _one_each(what: str, given: Any, own: Any, names: Sequence[str], kind: Any) -> Any:
    """The given values, or the model's own, one per parameter."""
    values = np.array(own if given is None else given, dtype=kind)
    if len(values) != len(names):
        fail(
            what,
            f"{len(values)} entries, but the model has {len(names)} parameters",
            "give one per parameter",
        )
    return values


def find_root(
    function: Callable[[float], float], between: tuple[float, float], tolerance: float, most_steps: int
) -> float:
    """The root of the function, to a tolerance in its argument, by Brent's method.

    `here` is the best point, `there` the one on the other side of the root, `last` the previous point. A step
    follows the inverse parabola through the three (a secant if two are the same), or goes to the midpoint if
    that step is too long.
    """
    last, here = between
    f_last, f_here = function(last), function(here)
    if f_last * f_here > 0:
        low, high = sorted(between)
        fail(
            "bracket",
            f"a limit is not between {low:g} and {high:g}",
            "give a bracket that contains all limits",
        )
    there, f_there, step, step_before = last, f_last, here - last, here - last
    for _ in range(most_steps):
        if f_last * f_here < 0:
            there, f_there, step, step_before = last, f_last, here - last, here - last
        if abs(f_there) < abs(f_here):
            last, here, there = here, there, here
            f_last, f_here, f_there = f_here, f_there, f_here
        small, half = tolerance / 2 + 4 * np.finfo(float).eps * abs(here), (there - here) / 2
        if f_here == 0 or abs(half) < small:
            return here
        step_before, step = _brent_step(
            (last, f_last), (here, f_here), (there, f_there), step_before, step, half, small
        )
        last, f_last = here, f_here
        here += step if abs(step) > small else math.copysign(small, half)
        f_here = function(here)
    warnings.warn(
        f"nextstat.cabinetry: the limit did not converge to {tolerance:g} in {most_steps} steps; "
        f"the best value is {here:g}",
        stacklevel=3,
    )
    return here


_Point = tuple[float, float]  # x, f(x)


def _brent_step(
    last: _Point, here: _Point, there: _Point, step_before: float, step: float, half: float, small: float
) -> tuple[float, float]:
    """The previous step and the next one, from `here`."""
    if abs(step_before) <= small or abs(here[1]) >= abs(last[1]):
        return half, half
    slope_last = (last[1] - here[1]) / (last[0] - here[0])
    if last[0] == there[0]:
        trial = -here[1] / slope_last
    else:
        slope_there = (there[1] - here[1]) / (there[0] - here[0])
        trial = -here[1] * (there[1] * slope_there - last[1] * slope_last)
        trial /= slope_there * slope_last * (there[1] - last[1])
    if 2 * abs(trial) < min(abs(step_before), 3 * abs(half) - small):
        return step, trial
    return half, half
