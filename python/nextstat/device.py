"""Devices: which are available, and why others are not."""

from __future__ import annotations

from typing import Any

from . import _core
from .results.tables import Table, html_page, text_page


class Devices(list[dict[str, Any]]):
    """One entry per type of device, as `nextstat devices` prints them: type, name, available, devices, error."""

    recommended: str

    def _rows(self) -> list[tuple[str, str]]:
        rows = []
        for backend in self:
            names = ", ".join(device["name"] for device in backend["devices"])
            error = backend["error"] or {}
            rows.append((backend["name"], names or f"{error.get('stage', '')}: {error.get('reason', '')}"))
        return rows

    def __repr__(self) -> str:
        return text_page(f"recommended: {self.recommended}", [Table(("device", "available"), self._rows())], ())

    def _repr_html_(self) -> str:
        return html_page(f"recommended: {self.recommended}", [Table(("device", "available"), self._rows())], ())


def devices() -> Devices:
    """Every type of device with the available devices, or the reason why there are none."""
    found = Devices(_core.devices())
    found.recommended = _core.recommended_device()
    return found


def backend_summary() -> str:
    """All devices, or why there are none, and the recommended one, as `nextstat devices` prints them."""
    return _core.backend_summary()


def best_available_backend() -> str:
    """The kind of device that "auto" takes where there is enough work: "cuda", "opencl", ..., "cpu"."""
    return _core.recommended_device()


def _available(kind: str) -> bool:
    return any(entry["type"] == kind and entry["available"] for entry in _core.devices())


def has_cuda() -> bool:
    """Whether a CUDA device can be used."""
    return _available("cuda")


def has_metal() -> bool:
    """Whether a Metal device can be used."""
    return _available("metal")


def has_opencl() -> bool:
    """Whether an OpenCL device can be used."""
    return _available("opencl")


def has_accelerate() -> bool:
    """Always False: no build uses Apple's Accelerate."""
    return False
