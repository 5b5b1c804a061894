"""Workspaces as HistFactory's XML and ROOT files (uproot must be installed).

    top = writexml.writexml(workspace, "config", "data", "FitConfig")
    pathlib.Path("FitConfig.xml").write_bytes(top)

The document type that the files name (HistFactorySchema.dtd) comes with ROOT.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["writexml"]

Item = Mapping[str, Any]

_TAGS = {
    "histosys": "HistoSys",
    "staterror": "StatError",
    "normsys": "OverallSys",
    "shapesys": "ShapeSys",
    "normfactor": "NormFactor",
    "shapefactor": "ShapeFactor",
}
_ROOT_PREFIXES = {"normsys": "alpha_", "histosys": "alpha_", "shapesys": "gamma_", "staterror": "gamma_"}


def writexml(
    spec: Item, specdir: str | os.PathLike[str], data_rootdir: str | os.PathLike[str], resultprefix: str
) -> bytes:
    """Writes one XML file per channel and `data.root`; returns the top-level XML."""
    try:
        import uproot
    except ImportError as error:
        raise ImportError("writing ROOT histograms needs uproot: python -m pip install uproot") from error
    folder = Path(specdir)
    top = ElementTree.Element("Combination", OutputFilePrefix=str(folder / resultprefix))
    path = Path(data_rootdir) / "data.root"
    with uproot.recreate(path) as file:
        for channel in spec["channels"]:
            target = folder / f"{resultprefix}_{channel['name']}.xml"
            tree = _Channel(spec, channel, str(path), file).element()
            target.write_bytes(_document(tree, "<!DOCTYPE Channel SYSTEM '../HistFactorySchema.dtd'>"))
            ElementTree.SubElement(top, "Input").text = str(target)
    types = {
        modifier["name"]: modifier["type"]
        for channel in spec["channels"]
        for sample in channel["samples"]
        for modifier in sample["modifiers"]
    }
    for measurement in spec["measurements"]:
        top.append(_measurement(measurement, types))
    return _document(top, "<!DOCTYPE Combination  SYSTEM 'HistFactorySchema.dtd'>")


def _document(tree: ElementTree.Element, doctype: str) -> bytes:
    ElementTree.indent(tree)
    text: bytes = ElementTree.tostring(tree, encoding="utf-8")
    return doctype.encode() + b"\n\n" + text


def _measurement(measurement: Item, types: Mapping[str, str]) -> ElementTree.Element:
    settings = {setting["name"]: setting for setting in measurement["config"]["parameters"]}
    lumi, width = 1.0, 0.0
    if "lumi" in settings:
        lumi, width = settings["lumi"]["auxdata"][0], settings["lumi"]["sigmas"][0]
    element = ElementTree.Element(
        "Measurement",
        Name=measurement["name"],
        Lumi=str(lumi),
        LumiRelErr=str(width / lumi),
        ExportOnly="True",
    )
    ElementTree.SubElement(element, "POI").text = measurement["config"]["poi"]
    fixed = [name for name, setting in settings.items() if setting.get("fixed", False)]
    if fixed:
        names = ["Lumi" if name == "lumi" else _ROOT_PREFIXES.get(types[name], "") + name for name in fixed]
        ElementTree.SubElement(element, "ParamSetting", Const="True").text = " ".join(names)
    return element


class _Channel:
    """One channel: its XML, and its histograms in the ROOT file."""

    def __init__(self, spec: Item, channel: Item, path: str, file: Any) -> None:
        self._spec, self._channel, self._path, self._file = spec, channel, path, file

    def element(self) -> ElementTree.Element:
        """The channel's XML; writes its histograms on the way."""
        name = self._channel["name"]
        element = ElementTree.Element("Channel", Name=name, InputFile=self._path)
        for observation in self._spec.get("observations", []):
            if observation["name"] == name:
                histogram = self._write(observation["data"], "data")
                ElementTree.SubElement(element, "Data", HistoName=histogram, InputFile=self._path)
        for sample in self._channel["samples"]:
            element.append(self._sample(sample))
        return element

    def _write(self, data: Sequence[float], *parts: str, suffix: str = "") -> str:
        """Stores a histogram; returns its name."""
        name = "hist" + "_".join((self._channel["name"], *parts)) + suffix
        if name in self._file:
            raise KeyError(f"Duplicate key {name} being written.")
        contents = np.asarray(data, dtype=float)
        self._file[name] = (contents, np.arange(contents.size + 1, dtype=float))
        return name

    def _sample(self, sample: Item) -> ElementTree.Element:
        by_theory = any(modifier["type"] == "lumi" for modifier in sample["modifiers"])
        element = ElementTree.Element(
            "Sample",
            Name=sample["name"],
            HistoName=self._write(sample["data"], sample["name"]),
            InputFile=self._path,
            NormalizeByTheory=str(by_theory),
        )
        for modifier in sample["modifiers"]:
            if modifier["type"] != "lumi":
                attributes = getattr(self, f"_{modifier['type']}")(sample, modifier)
                ElementTree.SubElement(element, _TAGS[modifier["type"]], attributes)
        return element

    def _histosys(self, sample: Item, modifier: Item) -> dict[str, str]:
        parts, data = (sample["name"], modifier["name"]), modifier["data"]
        return {
            "Name": modifier["name"],
            "HistoNameLow": self._write(data["lo_data"], *parts, suffix="Low"),
            "HistoNameHigh": self._write(data["hi_data"], *parts, suffix="High"),
        }

    def _normsys(self, sample: Item, modifier: Item) -> dict[str, str]:
        return {
            "Name": modifier["name"],
            "High": str(modifier["data"]["hi"]),
            "Low": str(modifier["data"]["lo"]),
        }

    def _normfactor(self, sample: Item, modifier: Item) -> dict[str, str]:
        """Start value and bounds stand at the modifier; those of the first measurement count."""
        value, low, high = 1, 0, 10
        for setting in self._spec["measurements"][0]["config"]["parameters"]:
            if setting["name"] == modifier["name"]:
                value = setting.get("inits", [value])[0]
                low, high = setting.get("bounds", [[low, high]])[0]
        return {"Name": modifier["name"], "Val": str(value), "Low": str(low), "High": str(high)}

    def _shapefactor(self, sample: Item, modifier: Item) -> dict[str, str]:
        return {"Name": modifier["name"]}

    def _relative(self, sample: Item, modifier: Item) -> str:
        """The name of a histogram of relative uncertainties; 0 in empty bins."""
        nominal, widths = (np.asarray(part["data"], dtype=float) for part in (sample, modifier))
        relative = np.divide(widths, nominal, out=np.zeros_like(widths), where=nominal != 0)
        return self._write(relative.tolist(), sample["name"], modifier["name"])

    def _staterror(self, sample: Item, modifier: Item) -> dict[str, str]:
        return {"Activate": "True", "HistoName": self._relative(sample, modifier)}

    def _shapesys(self, sample: Item, modifier: Item) -> dict[str, str]:
        histogram = self._relative(sample, modifier)
        return {"Name": modifier["name"], "ConstraintType": "Poisson", "HistoName": histogram}
