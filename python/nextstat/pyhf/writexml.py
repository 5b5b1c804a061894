"""Workspaces as HistFactory's XML and ROOT files (uproot must be installed).

    top = writexml.writexml(workspace, "config", "data", "FitConfig")
    pathlib.Path("FitConfig.xml").write_bytes(top)

The DTD that the files refer to (HistFactorySchema.dtd) comes with ROOT. The functions `build_...` make one tag each;
called directly, they store their histograms in `_ROOT_DATA_FILE`.
"""

from __future__ import annotations

import logging
import os
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nextstat.screen import printable

log = logging.getLogger(__name__)

__all__ = ["build_channel", "build_data", "build_measurement", "build_modifier", "build_sample", "indent"]

Item = Mapping[str, Any]
Tag = ElementTree.Element

_ROOT_PREFIXES = {"normsys": "alpha_", "histosys": "alpha_", "shapesys": "gamma_", "staterror": "gamma_"}

# Where histograms go: a writable ROOT file while `writexml` runs.
_ROOT_DATA_FILE: Any = {}
_one_at_a_time = threading.Lock()


def __dir__() -> list[str]:
    return __all__


def writexml(
    spec: Item, specdir: str | os.PathLike[str], data_rootdir: str | os.PathLike[str], resultprefix: str
) -> bytes:
    """Writes one XML file per channel and `data.root`; returns the top-level XML."""
    global _ROOT_DATA_FILE
    try:
        import uproot
    except ImportError as error:
        raise ImportError("writing ROOT histograms needs uproot: python -m pip install uproot") from error
    folder = Path(specdir)
    top = ElementTree.Element("Combination", OutputFilePrefix=str(folder / resultprefix))
    with _one_at_a_time, uproot.recreate(Path(data_rootdir) / "data.root") as file:
        _ROOT_DATA_FILE = file
        try:
            for channel in spec["channels"]:
                target = folder / f"{resultprefix}_{channel['name']}.xml"
                tree = build_channel(spec, channel, spec.get("observations", []))
                target.write_bytes(_document(tree, "<!DOCTYPE Channel SYSTEM '../HistFactorySchema.dtd'>"))
                ElementTree.SubElement(top, "Input").text = str(target)
        finally:
            _ROOT_DATA_FILE = {}
    types = {
        modifier["name"]: modifier["type"]
        for channel in spec["channels"]
        for sample in channel["samples"]
        for modifier in sample["modifiers"]
    }
    for measurement in spec["measurements"]:
        top.append(build_measurement(measurement, types))
    return _document(top, "<!DOCTYPE Combination  SYSTEM 'HistFactorySchema.dtd'>")


def indent(elem: Tag, level: int = 0) -> None:
    """Line breaks and spaces between the tags."""
    ElementTree.indent(elem, level=level)


def _document(tree: Tag, doctype: str) -> bytes:
    indent(tree)
    text: bytes = ElementTree.tostring(tree, encoding="utf-8")
    return doctype.encode() + b"\n\n" + text


def build_measurement(measurementspec: Item, modifiertypes: Mapping[str, str]) -> Tag:
    """<Measurement>. modifiertypes: {name of a parameter: type of its modifier}."""
    settings = {setting["name"]: setting for setting in measurementspec["config"]["parameters"]}
    lumi, width = 1.0, 0.0
    if "lumi" in settings:
        lumi, width = settings["lumi"]["auxdata"][0], settings["lumi"]["sigmas"][0]
    element = ElementTree.Element(
        "Measurement",
        Name=measurementspec["name"],
        Lumi=str(lumi),
        LumiRelErr=str(width / lumi if lumi else width),
        ExportOnly="True",
    )
    ElementTree.SubElement(element, "POI").text = measurementspec["config"]["poi"]
    fixed = [name for name, setting in settings.items() if setting.get("fixed", False)]
    if fixed:
        names = ["Lumi" if name == "lumi" else _ROOT_PREFIXES.get(modifiertypes[name], "") + name for name in fixed]
        ElementTree.SubElement(element, "ParamSetting", Const="True").text = " ".join(names)
    return element


def build_channel(spec: Item, channelspec: Item, obsspec: Sequence[Item]) -> Tag:
    """<Channel>, with its data if `obsspec` has them."""
    name = channelspec["name"]
    element = ElementTree.Element("Channel", Name=name, InputFile=_file_name())
    if any(observation["name"] == name for observation in obsspec):
        element.append(build_data(obsspec, name))
    for sample in channelspec["samples"]:
        element.append(build_sample(spec, sample, name))
    return element


def build_data(obsspec: Sequence[Item], channelname: str) -> Tag:
    """<Data> of a channel."""
    data = next(observation["data"] for observation in obsspec if observation["name"] == channelname)
    name = _write(data, channelname, "data")
    return ElementTree.Element("Data", HistoName=name, InputFile=_file_name())


def build_sample(spec: Item, samplespec: Item, channelname: str) -> Tag:
    """<Sample> with its modifiers."""
    by_theory = any(modifier["type"] == "lumi" for modifier in samplespec["modifiers"])
    element = ElementTree.Element(
        "Sample",
        Name=samplespec["name"],
        HistoName=_write(samplespec["data"], channelname, samplespec["name"]),
        InputFile=_file_name(),
        NormalizeByTheory=str(by_theory),
    )
    for modifier in samplespec["modifiers"]:
        if modifier["type"] == "lumi":
            continue
        tag = build_modifier(spec, modifier, channelname, samplespec["name"], samplespec["data"])
        if tag is not None:
            element.append(tag)
    return element


def build_modifier(
    spec: Item, modifierspec: Item, channelname: str, samplename: str, sampledata: Sequence[float]
) -> Tag | None:
    """The tag of a modifier; None, with a warning, for a type that HistFactory does not have."""
    kind = modifierspec["type"]
    if kind not in _BUILDERS:
        log.warning("Skipping modifier %s(%s)", printable(modifierspec["name"]), printable(kind))
        return None
    tag, attributes_of = _BUILDERS[kind]
    return ElementTree.Element(tag, attributes_of(spec, modifierspec, (channelname, samplename), sampledata))


def _file_name() -> str:
    return str(getattr(_ROOT_DATA_FILE, "file_path", "data.root"))


def _export_root_histogram(hist_name: str, data: Sequence[float]) -> None:
    if hist_name in _ROOT_DATA_FILE:
        raise KeyError(f"Duplicate key {hist_name} being written.")
    contents = np.asarray(data, dtype=float)
    _ROOT_DATA_FILE[hist_name] = (contents, np.arange(contents.size + 1, dtype=float))


def _write(data: Sequence[float], *parts: str, suffix: str = "") -> str:
    """Stores a histogram; returns its name."""
    name = "hist" + "_".join(parts) + suffix
    _export_root_histogram(name, data)
    return name


Place = tuple[str, str]  # channel, sample


def _histosys(spec: Item, modifier: Item, place: Place, nominal: Sequence[float]) -> dict[str, str]:
    data = modifier["data"]
    return {
        "Name": modifier["name"],
        "HistoNameLow": _write(data["lo_data"], *place, modifier["name"], suffix="Low"),
        "HistoNameHigh": _write(data["hi_data"], *place, modifier["name"], suffix="High"),
    }


def _normsys(spec: Item, modifier: Item, place: Place, nominal: Sequence[float]) -> dict[str, str]:
    data = modifier["data"]
    return {"Name": modifier["name"], "High": str(data["hi"]), "Low": str(data["lo"])}


def _normfactor(spec: Item, modifier: Item, place: Place, nominal: Sequence[float]) -> dict[str, str]:
    """Start value and bounds are attributes of the modifier; those of the first measurement are used."""
    value, low, high = 1, 0, 10
    for setting in spec["measurements"][0]["config"]["parameters"]:
        if setting["name"] == modifier["name"]:
            value = setting.get("inits", [value])[0]
            low, high = setting.get("bounds", [[low, high]])[0]
    return {"Name": modifier["name"], "Val": str(value), "Low": str(low), "High": str(high)}


def _shapefactor(spec: Item, modifier: Item, place: Place, nominal: Sequence[float]) -> dict[str, str]:
    return {"Name": modifier["name"]}


def _relative(modifier: Item, place: Place, nominal: Sequence[float]) -> str:
    """The name of a histogram of relative uncertainties; 0 in empty bins."""
    rates, widths = (np.asarray(part, dtype=float) for part in (nominal, modifier["data"]))
    relative = np.divide(widths, rates, out=np.zeros_like(widths), where=rates != 0)
    return _write(relative.tolist(), *place, modifier["name"])


def _staterror(spec: Item, modifier: Item, place: Place, nominal: Sequence[float]) -> dict[str, str]:
    return {"Activate": "True", "HistoName": _relative(modifier, place, nominal)}


def _shapesys(spec: Item, modifier: Item, place: Place, nominal: Sequence[float]) -> dict[str, str]:
    histogram = _relative(modifier, place, nominal)
    return {"Name": modifier["name"], "ConstraintType": "Poisson", "HistoName": histogram}


_BUILDERS: dict[str, tuple[str, Callable[[Item, Item, Place, Sequence[float]], dict[str, str]]]] = {
    "histosys": ("HistoSys", _histosys),
    "staterror": ("StatError", _staterror),
    "normsys": ("OverallSys", _normsys),
    "shapesys": ("ShapeSys", _shapesys),
    "normfactor": ("NormFactor", _normfactor),
    "shapefactor": ("ShapeFactor", _shapefactor),
}
