"""Workspaces from HistFactory's XML and ROOT files (uproot must be installed).

spec = readxml.parse("config/example.xml", "analysis")
workspace = Workspace(spec)
"""

from __future__ import annotations

import logging
import os
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from nextstat.screen import printable
from . import compat, exceptions, schema
from ._root_histograms import (
    Mounts,
    Resolver,
    extract_error,
    files_kept_open,
    import_root_histogram,
    resolver_factory,
)
from ._xml_modifiers import Around, modifier_of, setting_of

log = logging.getLogger(__name__)

__all__ = [
    "clear_filecache",
    "dedupe_parameters",
    "extract_error",
    "import_root_histogram",
    "parse",
    "process_channel",
    "process_data",
    "process_measurements",
    "process_sample",
]

Item = dict[str, Any]
Tag = ElementTree.Element


def __dir__() -> list[str]:
    return __all__


def parse(
    configfile: str | os.PathLike[str] | IO[bytes] | IO[str],
    rootdir: str | os.PathLike[str],
    mounts: Mounts | None = None,
    track_progress: bool = False,
    validation_as_error: bool = True,
) -> Item:
    """The workspace that a top-level XML file describes; paths in it are relative to `rootdir`.

    `mounts`: pairs (where files are, where the XML says they are). `validation_as_error=False`: only warn if the result
    does not follow the schema. `track_progress`: a line on stderr for every channel.
    """
    top = ElementTree.parse(configfile)
    resolver = resolver_factory(Path(rootdir), mounts or ())
    channels, observations, settings = [], [], []
    with files_kept_open():
        for entry in top.findall("Input"):
            if not entry.text:
                continue
            name, data, samples, own = process_channel(ElementTree.parse(resolver(entry.text)), resolver)
            if track_progress:
                print(f"{printable(name)}: {len(samples)} samples", file=sys.stderr)
            observations.append({"name": name, "data": data})
            channels.append({"name": name, "samples": samples})
            settings += own
    result = {
        "measurements": process_measurements(top, dedupe_parameters(settings)),
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
    """Does nothing: files are closed after each `parse`."""


def process_channel(
    channelxml: ElementTree.ElementTree[Any], resolver: Resolver, track_progress: bool = False
) -> tuple[str, list[float], list[Item], list[Item]]:
    """Name, observed data, samples and parameter settings of a channel's XML."""
    root = channelxml.getroot()
    name = root.attrib["Name"]
    tag = root.find("Data")
    if tag is None:
        raise RuntimeError(
            f"Channel {printable(name)} is missing data. See issue #1911 of pyhf; a <Data> tag with a histogram is needed."
        )
    file, folder = (root.attrib.get(attribute, "") for attribute in ("InputFile", "HistoPath"))
    data = process_data(tag, resolver, file, folder)
    samples = [process_sample(sample, resolver, file, folder, name) for sample in root.findall("Sample")]
    settings = [setting for sample in samples for setting in sample.pop("parameter_configs")]
    return name, data, samples, settings


def process_data(sample: Tag, resolver: Resolver, inputfile: str, histopath: str) -> list[float]:
    """The observed data of a <Data> tag; file and folder are the channel's unless it has its own."""
    file, folder = sample.attrib.get("InputFile", inputfile), sample.attrib.get("HistoPath", histopath)
    histogram = sample.attrib.get("HistoName", "")
    if not file or not histogram:
        raise NotImplementedError(
            "Workspaces without data cannot be converted: give <Data> an InputFile and a HistoName."
        )
    return import_root_histogram(resolver, file, folder, histogram)[0]


def process_sample(
    sample: Tag,
    resolver: Resolver,
    inputfile: str,
    histopath: str,
    channel_name: str,
    track_progress: bool = False,
) -> Item:
    """A sample of a channel, with the parameter settings of its tags as `parameter_configs`."""
    file, folder = sample.attrib.get("InputFile", inputfile), sample.attrib.get("HistoPath", histopath)

    def read(file: str, folder: str, name: str) -> tuple[list[float], list[float]]:
        return import_root_histogram(resolver, file, folder, name)

    data, uncertainties = read(file, folder, sample.attrib["HistoName"])
    around = Around(read, file, channel_name, data, uncertainties)
    modifiers: list[Item] = []
    if sample.attrib.get("NormalizeByTheory", "False") == "True":
        modifiers.append({"name": "lumi", "type": "lumi", "data": None})
    for child in sample:
        modifier = modifier_of(child, around)
        if modifier is not None:
            modifiers.append(modifier)
    settings = [setting_of(child) for child in sample if child.tag == "NormFactor"]
    return {
        "name": sample.attrib["Name"],
        "data": data,
        "modifiers": modifiers,
        "parameter_configs": settings,
    }


def dedupe_parameters(parameters: Sequence[Item]) -> list[Item]:
    """One setting per parameter; raises if two of the same name differ."""
    first: dict[str, Item] = {}
    for setting in parameters:
        if first.setdefault(setting["name"], setting) != setting:
            log.warning(first[setting["name"]])
            log.warning(setting)
            raise RuntimeError(
                f"cannot import workspace due to incompatible parameter configurations for {printable(setting['name'])}."
            )
    return list(first.values())


def process_measurements(
    toplvl: ElementTree.ElementTree[Any] | Tag, other_parameter_configs: Sequence[Item] | None = None
) -> list[Item]:
    """The measurements of a top-level XML; its parameter settings override those from elsewhere."""
    return [_measurement(tag, other_parameter_configs or ()) for tag in toplvl.findall("Measurement")]


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
            else:  # set last, so it comes last
                setting = by_name.pop(meaning["name"], {"name": meaning["name"]})
                by_name[meaning["name"]] = {**setting, **common}
    config = {"poi": (poi.text or "").strip(), "parameters": [luminosity, *by_name.values()]}
    return {"name": name, "config": config}
