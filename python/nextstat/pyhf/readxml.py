"""Workspaces from HistFactory's XML and ROOT files (uproot must be installed).

spec = readxml.parse("config/example.xml", "analysis")
workspace = Workspace(spec)
"""

from __future__ import annotations

import logging
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from nextstat.screen import printable
from . import compat, exceptions, schema
from ._root_histograms import Mounts, RootHistograms
from ._xml_modifiers import Around, modifier_of, setting_of

log = logging.getLogger(__name__)

__all__ = ["clear_filecache", "dedupe_parameters", "parse"]

Item = dict[str, Any]


def parse(
    configfile: str | os.PathLike[str] | IO[bytes] | IO[str],
    rootdir: str | os.PathLike[str],
    mounts: Mounts | None = None,
    track_progress: bool = False,
    validation_as_error: bool = True,
) -> Item:
    """The workspace that a top-level XML file describes; paths in it count from `rootdir`.

    `mounts`: pairs (where files are, where the XML says they are). `validation_as_error=False` makes a result that does
    not follow the schema a warning. `track_progress` is accepted: reading is quick.
    """
    top = ElementTree.parse(configfile)
    histograms = RootHistograms(Path(rootdir), mounts or ())
    channels, observations, settings = [], [], []
    try:
        for entry in top.findall("Input"):
            if not entry.text:
                continue
            root = ElementTree.parse(histograms.locate(entry.text)).getroot()
            name = root.attrib["Name"]
            observations.append({"name": name, "data": _observed(root, name, histograms)})
            samples, own = _samples(root, name, histograms)
            channels.append({"name": name, "samples": samples})
            settings += own
    finally:
        histograms.close()
    result = {
        "measurements": _measurements(top, dedupe_parameters(settings)),
        "channels": channels,
        "observations": observations,
        "version": schema.version,
    }
    try:
        schema.validate(result, "workspace.json")
    except exceptions.InvalidSpecification as error:
        if validation_as_error:
            raise
        log.warning(error)
    return result


def clear_filecache() -> None:
    """Files are closed after each `parse`: there is nothing to clear."""


def _observed(root: ElementTree.Element, name: str, histograms: RootHistograms) -> list[float]:
    data = root.find("Data")
    if data is None:
        raise RuntimeError(f"Channel {printable(name)} is missing data: a <Data> tag with a histogram is needed.")
    file, folder = _place(data, root)
    histogram = data.attrib.get("HistoName", "")
    if not file or not histogram:
        raise NotImplementedError(
            f"Channel {printable(name)}: workspaces without data cannot be converted; give <Data> an InputFile and a HistoName."
        )
    return histograms.read(file, folder, histogram)[0]


def _place(tag: ElementTree.Element, channel: ElementTree.Element) -> tuple[str, str]:
    """File and folder of a tag's histogram: its own, else the channel's."""
    file, folder = (channel.attrib.get(name, "") for name in ("InputFile", "HistoPath"))
    return tag.attrib.get("InputFile", file), tag.attrib.get("HistoPath", folder)


def _samples(
    root: ElementTree.Element, channel: str, histograms: RootHistograms
) -> tuple[list[Item], list[Item]]:
    """Samples of a channel, and the parameter settings that come with them."""
    samples, settings = [], []
    for tag in root.findall("Sample"):
        file, folder = _place(tag, root)
        data, uncertainties = histograms.read(file, folder, tag.attrib["HistoName"])
        around = Around(histograms, file, channel, data, uncertainties)
        modifiers: list[Item] = []
        if tag.attrib.get("NormalizeByTheory", "False") == "True":
            modifiers.append({"name": "lumi", "type": "lumi", "data": None})
        for child in tag:
            modifier = modifier_of(child, around)
            if modifier is not None:
                modifiers.append(modifier)
            if child.tag == "NormFactor":
                settings.append(setting_of(child))
        samples.append({"name": tag.attrib["Name"], "data": data, "modifiers": modifiers})
    return samples, settings


def dedupe_parameters(parameters: Sequence[Item]) -> list[Item]:
    """One setting per parameter; raises where two of one name differ."""
    first: dict[str, Item] = {}
    for setting in parameters:
        if first.setdefault(setting["name"], setting) != setting:
            log.warning(first[setting["name"]])
            log.warning(setting)
            raise RuntimeError(
                f"cannot import workspace due to incompatible parameter configurations for {printable(setting['name'])}."
            )
    return list(first.values())


def _measurements(top: ElementTree.ElementTree[Any], settings: Sequence[Item]) -> list[Item]:
    return [_measurement(tag, settings) for tag in top.findall("Measurement")]


def _measurement(tag: ElementTree.Element, settings: Sequence[Item]) -> Item:
    name = tag.attrib["Name"]
    poi = tag.find("POI")
    if poi is None:
        raise RuntimeError(f"Measurement {printable(name)} is missing POI specification")
    lumi = float(tag.attrib["Lumi"])
    width = lumi * float(tag.attrib["LumiRelErr"])
    luminosity: Item = {
        "name": "lumi",
        "auxdata": [lumi],
        "bounds": [[lumi - 5.0 * width, lumi + 5.0 * width]],
        "inits": [lumi],
        "sigmas": [width],
    }
    by_name = {setting["name"]: dict(setting) for setting in settings}
    for entry in tag.findall("ParamSetting"):
        common: Item = {}
        if entry.attrib.get("Const"):
            common["fixed"] = entry.attrib["Const"] == "True"
        if entry.attrib.get("Val"):
            common["inits"] = [float(entry.attrib["Val"])]
        for root_name in (entry.text or "").split():
            meaning = compat.interpret_rootname(root_name)
            if not meaning["is_scalar"]:
                raise ValueError(
                    f"{printable(root_name)}: parameters that come one per bin (gammas) cannot be set one by one; "
                    "take the name out of <ParamSetting>"
                )
            if meaning["name"] == "lumi":
                luminosity.update(common)
            else:  # set last, so it stands last
                setting = by_name.pop(meaning["name"], {"name": meaning["name"]})
                by_name[meaning["name"]] = {**setting, **common}
    config = {"poi": (poi.text or "").strip(), "parameters": [luminosity, *by_name.values()]}
    return {"name": name, "config": config}
