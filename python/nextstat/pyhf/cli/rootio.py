"""`xml2json` and `json2xml`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import readxml, writexml
from .._jsonpatch import JsonPatch
from .common import InputFile, add_output, add_workspace, read, write


def add(commands: Any) -> None:
    """Adds both commands."""
    reader = commands.add_parser("xml2json", help="HistFactory's XML and ROOT files to a workspace")
    reader.add_argument("entrypoint_xml", type=InputFile)
    reader.add_argument("--basedir", default=".", help="folder that paths in the XML count from")
    reader.add_argument(
        "-v", "--mount", action="append", default=[], type=_mount, metavar="HERE:THERE",
        help="a folder here, and the absolute path that the XML has for it (repeatable)",
    )  # fmt: skip
    add_output(reader)
    reader.add_argument("--track-progress", action="store_true", default=True, help="a line on stderr for every channel (default)")
    reader.add_argument("--hide-progress", action="store_false", dest="track_progress")
    reader.add_argument("--validation-as-error", action="store_true", default=True)
    reader.add_argument("--validation-as-warning", action="store_false", dest="validation_as_error")
    reader.set_defaults(run=_xml2json)
    writer = commands.add_parser("json2xml", help="a workspace to HistFactory's XML and ROOT files")
    add_workspace(writer)
    for name, default in (
        ("--output-dir", "."),
        ("--specroot", "config"),
        ("--dataroot", "data"),
        ("--resultprefix", "FitConfig"),
    ):
        writer.add_argument(name, default=default)
    writer.add_argument("-p", "--patch", type=InputFile, action="append", default=[])
    writer.set_defaults(run=_json2xml)


def _xml2json(arguments: argparse.Namespace) -> None:
    spec = readxml.parse(
        arguments.entrypoint_xml,
        arguments.basedir,
        arguments.mount,
        track_progress=arguments.track_progress,
        validation_as_error=arguments.validation_as_error,
    )
    write(spec, arguments.output_file)


def _mount(text: str) -> tuple[Path, Path]:
    here, colon, there = text.partition(":")
    if not (here and colon and there) or ":" in there:
        raise argparse.ArgumentTypeError(f"'{text}' is not a valid colon-separated option: HERE:THERE is needed")
    if not Path(here).exists():
        raise argparse.ArgumentTypeError(f"'{here}' of '{text}' does not exist")
    return Path(here).absolute(), Path(there)


def _json2xml(arguments: argparse.Namespace) -> None:
    spec = read(arguments.workspace)
    for name in arguments.patch:
        spec = JsonPatch(read(name)).apply(spec)
    folder = Path(arguments.output_dir)
    specs, data = folder / arguments.specroot, folder / arguments.dataroot
    for target in (specs, data):
        target.mkdir(parents=True, exist_ok=True)
    top = writexml.writexml(spec, specs, data, arguments.resultprefix)
    (folder / f"{arguments.resultprefix}.xml").write_bytes(top)
