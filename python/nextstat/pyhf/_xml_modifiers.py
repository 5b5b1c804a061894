"""Modifiers of a sample in HistFactory's XML, one function per tag."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from nextstat.screen import printable

log = logging.getLogger(f"{__package__}.readxml")

Modifier = dict[str, Any]


@dataclass(frozen=True)
class Around:
    """What a modifier's tag may need from its sample."""

    read: Callable[[str, str, str], tuple[list[float], list[float]]]  # (file, folder, name) -> contents, uncertainties
    file: str
    channel: str
    data: list[float]
    uncertainties: list[float]

    def histogram(self, tag: Element, file: str, folder: str, name: str) -> list[float]:
        """Contents of the histogram that three attributes name; the file is the sample's unless given."""
        given = tag.attrib
        return self.read(given.get(file, self.file), given.get(folder, ""), given[name])[0]


def _overall(tag: Element, around: Around) -> Modifier:
    data = {"lo": float(tag.attrib["Low"]), "hi": float(tag.attrib["High"])}
    return {"name": tag.attrib["Name"], "type": "normsys", "data": data}


def _norm_factor(tag: Element, around: Around) -> Modifier:
    return {"name": tag.attrib["Name"], "type": "normfactor", "data": None}


def _shape_factor(tag: Element, around: Around) -> Modifier:
    return {"name": tag.attrib["Name"], "type": "shapefactor", "data": None}


def _histo(tag: Element, around: Around) -> Modifier:
    low = around.histogram(tag, "HistoFileLow", "HistoPathLow", "HistoNameLow")
    high = around.histogram(tag, "HistoFileHigh", "HistoPathHigh", "HistoNameHigh")
    return {"name": tag.attrib["Name"], "type": "histosys", "data": {"lo_data": low, "hi_data": high}}


def _stat_error(tag: Element, around: Around) -> Modifier:
    """Uncertainties of the histogram itself, or from a histogram of relative uncertainties."""
    data = around.uncertainties
    if tag.attrib.get("HistoName", ""):
        relative = around.histogram(tag, "HistoFile", "HistoPath", "HistoName")
        data = [part * content for part, content in zip(relative, around.data, strict=True)]
    return {"name": f"staterror_{around.channel}", "type": "staterror", "data": data}


def _shape(tag: Element, around: Around) -> Modifier:
    if tag.attrib.get("ConstraintType", "Poisson") != "Poisson":
        log.warning("shapesys modifier %s has a non-poisson constraint", printable(tag.attrib["Name"]))
    relative = around.histogram(tag, "InputFile", "HistoPath", "HistoName")
    data = [part * content for part, content in zip(relative, around.data, strict=True)]
    return {"name": tag.attrib["Name"], "type": "shapesys", "data": data}


_READERS: dict[str, Callable[[Element, Around], Modifier]] = {
    "OverallSys": _overall,
    "NormFactor": _norm_factor,
    "ShapeFactor": _shape_factor,
    "HistoSys": _histo,
    "StatError": _stat_error,
    "ShapeSys": _shape,
}


def modifier_of(tag: Element, around: Around) -> Modifier | None:
    """The modifier of a tag; None if it is switched off or unknown, with a warning for the latter."""
    if tag.tag not in _READERS:
        log.warning("not considering modifier tag %s", tag)
        return None
    if tag.tag == "StatError" and tag.attrib["Activate"] != "True":
        return None
    return _READERS[tag.tag](tag, around)


def setting_of(tag: Element) -> dict[str, Any]:
    """Start value and bounds that a NormFactor gives its parameter."""
    setting: dict[str, Any] = {
        "name": tag.attrib["Name"],
        "bounds": [[float(tag.attrib["Low"]), float(tag.attrib["High"])]],
        "inits": [float(tag.attrib["Val"])],
    }
    if tag.attrib.get("Const"):
        setting["fixed"] = tag.attrib["Const"] == "True"
    return setting
