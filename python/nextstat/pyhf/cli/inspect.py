"""`inspect`: the parts of a workspace as tables."""

from __future__ import annotations

import argparse
from typing import Any

from ..workspace import Workspace
from .common import add_output, add_workspace, for_screen, read, write


def add_inspect(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser("inspect", help="show the parts of a workspace")
    add_workspace(parser)
    add_output(parser)
    parser.add_argument("--measurement")
    parser.set_defaults(run=_inspect)


def _inspect(arguments: argparse.Namespace) -> None:
    workspace = Workspace(read(arguments.workspace))
    default = workspace.get_measurement()
    config = workspace.model().config
    systematics = []
    for name in config.parameters:
        kinds = [kind for modifier, kind in workspace.modifiers if modifier == name]
        systematics.append((name, type(config.param_set(name)).__name__, kinds))
    result: dict[str, Any] = {
        "samples": workspace.samples,
        "channels": list(workspace.channel_nbins.items()),
        "modifiers": dict(workspace.modifiers),
        "parameters": [(name, constraint) for name, constraint, _ in systematics],
        "systematics": systematics,
        "measurements": [
            (
                entry["name"],
                entry["config"]["poi"],
                [setting["name"] for setting in entry["config"]["parameters"]],
            )
            for entry in workspace["measurements"]
        ],
    }
    _show(for_screen(result), for_screen(default["name"]))
    if arguments.output_file is not None:
        write(result, arguments.output_file)


def _show(result: dict[str, Any], default: str) -> None:
    """The same columns as pyhf's: names right-aligned, as wide as the longest."""
    names = [
        *result["samples"],
        *(name for part in ("channels", "parameters", "measurements") for name, *_ in result[part]),
    ]
    width = max(map(len, names))
    print(f"{'     Summary     ':>{width + len('Summary')}}  ")
    print(f"{'-' * 18:>{width + len('Summary')}}  ")
    for part in ("channels", "samples", "parameters", "modifiers"):
        print(f"{part:>{width}}  {len(result[part])}")
    print(f"\n{'channels':>{width}}  {'nbins':^5}\n{'-' * 10:>{width}}  {'-' * 5:^5}")
    for name, bins in result["channels"]:
        print(f"{name:>{width}}  {bins!s:^5}")
    print(f"\n{'samples':>{width}}\n{'-' * 10:>{width}}")
    for name in result["samples"]:
        print(f"{name:>{width}}")
    print(f"\n{'parameters':>{width}}  {'constraint':<22}  modifiers")
    print(f"{'-' * 10:>{width}}  {'-' * 10:<22}  {'-' * 10}")
    for name, constraint, kinds in result["systematics"]:
        print(f"{name:>{width}}  {constraint:<22}  {','.join(sorted(set(kinds)))}")
    print(f"\n{'measurement':>{width}}  {'poi':^22}  parameters")
    print(f"{'-' * 10:>{width}}  {'-' * 10:^22}  {'-' * 10}")
    for name, poi, settings in result["measurements"]:
        shown = f"(*) {name}" if name == default else name
        print(f"{shown:>{width}}  {poi:^22}  {','.join(settings) if settings else '(none)'}")
    print()
