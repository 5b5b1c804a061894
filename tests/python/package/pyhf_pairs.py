"""Small specifications for both pyhf and nextstat.pyhf, and a way to ask both."""

import contextlib
import copy
import logging

import numpy as np

ALL_MODIFIERS = {
    "channels": [
        {
            "name": "signal_region",
            "samples": [
                {"name": "signal", "data": [5.0, 10.0, 3.0], "modifiers": [
                    {"name": "mu", "type": "normfactor", "data": None},
                    {"name": "lumi", "type": "lumi", "data": None},
                    {"name": "energy", "type": "histosys", "data": {"lo_data": [4.0, 9.0, 2.5], "hi_data": [6.5, 11.0, 3.6]}},
                ]},
                {"name": "background", "data": [50.0, 60.0, 40.0], "modifiers": [
                    {"name": "rate", "type": "normsys", "data": {"lo": 0.9, "hi": 1.15}},
                    {"name": "energy", "type": "histosys", "data": {"lo_data": [45.0, 58.0, 41.0], "hi_data": [56.0, 63.0, 38.0]}},
                    {"name": "counts", "type": "staterror", "data": [3.0, 4.0, 2.0]},
                    {"name": "own", "type": "shapesys", "data": [5.0, 6.0, 4.0]},
                ]},
                {"name": "other", "data": [7.0, 5.0, 3.0], "modifiers": [
                    {"name": "counts", "type": "staterror", "data": [1.0, 1.0, 0.5]},
                    {"name": "rate", "type": "normsys", "data": {"lo": 0.8, "hi": 1.3}},
                ]},
            ],
        },
        {
            "name": "control_region",
            "samples": [
                {"name": "background", "data": [200.0, 180.0], "modifiers": [
                    {"name": "rate", "type": "normsys", "data": {"lo": 0.95, "hi": 1.02}},
                    {"name": "free", "type": "shapefactor", "data": None},
                ]},
            ],
        },
    ],
    "parameters": [
        {"name": "lumi", "auxdata": [1.0], "bounds": [[0.8, 1.2]], "inits": [1.0], "sigmas": [0.02]},
        {"name": "mu", "inits": [0.7], "bounds": [[0.0, 8.0]]},
    ],
}
OBSERVED = [58.0, 80.0, 47.0]
OBSERVED_CONTROL = [205.0, 171.0]


def workspace():
    """A workspace around ALL_MODIFIERS with two measurements."""
    channels = copy.deepcopy(ALL_MODIFIERS["channels"])
    settings = copy.deepcopy(ALL_MODIFIERS["parameters"])
    return {
        "channels": channels,
        "measurements": [
            {"name": "first", "config": {"poi": "mu", "parameters": settings}},
            {"name": "second", "config": {"poi": "rate", "parameters": settings[:1]}},
        ],
        "observations": [
            {"name": "signal_region", "data": list(OBSERVED)},
            {"name": "control_region", "data": list(OBSERVED_CONTROL)},
        ],
        "version": "1.0.0",
    }


def points(config, count=4, seed=7):
    """The start and random points inside the bounds."""
    random = np.random.default_rng(seed)
    start = np.array(config.suggested_init(), dtype=float)
    low, high = np.array(config.suggested_bounds(), dtype=float).T
    spread = np.where(low < -1, 1.0, 0.1)
    others = [np.clip(start + spread * random.standard_normal(start.size), low, high) for _ in range(count - 1)]
    return [start, *others]


@contextlib.contextmanager
def quiet():
    """Without the warnings that pyhf logs."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
