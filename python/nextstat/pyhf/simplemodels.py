"""Models of one channel from a few lists of numbers."""

from __future__ import annotations

from typing import Any

from .pdf import Model

__all__ = ["correlated_background", "uncorrelated_background"]


def __dir__() -> list[str]:
    return __all__


def _one_channel(channel: str, signal: Any, bkg: Any, uncertainty: dict[str, Any]) -> dict[str, Any]:
    strength = {"name": "mu", "type": "normfactor", "data": None}
    samples = [
        {"name": "signal", "data": signal, "modifiers": [strength]},
        {"name": "background", "data": bkg, "modifiers": [uncertainty]},
    ]
    return {"channels": [{"name": channel, "samples": samples}]}


def correlated_background(
    signal: Any, bkg: Any, bkg_up: Any, bkg_down: Any, batch_size: int | None = None, validate: bool = True
) -> Model:
    """Signal of strength mu over a background whose bins vary together (one histosys).

    model = correlated_background([12.0, 11.0], [50.0, 52.0], [45.0, 57.0], [55.0, 47.0])
    """
    variation = {"hi_data": bkg_up, "lo_data": bkg_down}
    uncertainty = {"name": "correlated_bkg_uncertainty", "type": "histosys", "data": variation}
    spec = _one_channel("single_channel", signal, bkg, uncertainty)
    return Model(spec, batch_size=batch_size, validate=validate)


def uncorrelated_background(
    signal: Any, bkg: Any, bkg_uncertainty: Any, batch_size: int | None = None, validate: bool = True
) -> Model:
    """Signal of strength mu over a background whose bins vary independently (one shapesys).

    model = uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0])
    """
    uncertainty = {"name": "uncorr_bkguncrt", "type": "shapesys", "data": bkg_uncertainty}
    spec = _one_channel("singlechannel", signal, bkg, uncertainty)
    return Model(spec, batch_size=batch_size, validate=validate)
