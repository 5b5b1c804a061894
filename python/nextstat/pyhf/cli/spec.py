"""`inspect`, `prune`, `rename`, `combine`, `digest` and `sort`."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..modifiers import histfactory_set
from ..utils import digest
from ..workspace import Workspace
from .common import add_output, add_workspace, read, write
from .inspect import add_inspect


def add(commands: Any) -> None:
    """Adds the commands."""
    add_inspect(commands)
    prune = commands.add_parser("prune", help="leave parts of a workspace out")
    add_workspace(prune)
    add_output(prune)
    for short, name in (("-c", "channel"), ("-s", "sample"), ("-m", "modifier")):
        prune.add_argument(short, f"--{name}", action="append", default=[])
    prune.add_argument("-t", "--modifier-type", action="append", default=[], choices=list(histfactory_set))
    prune.add_argument("--measurement", action="append", default=[])
    prune.set_defaults(run=_prune)
    rename = commands.add_parser("rename", help="give parts of a workspace other names")
    add_workspace(rename)
    add_output(rename)
    for short, name in (("-c", "channel"), ("-s", "sample"), ("-m", "modifier")):
        rename.add_argument(short, f"--{name}", nargs=2, action="append", default=[], metavar=("OLD", "NEW"))
    rename.add_argument("--measurement", nargs=2, action="append", default=[], metavar=("OLD", "NEW"))
    rename.set_defaults(run=_rename)
    combine = commands.add_parser("combine", help="make one workspace of two")
    add_workspace(combine, "workspace_one")
    add_workspace(combine, "workspace_two")
    add_output(combine)
    combine.add_argument("-j", "--join", choices=Workspace.valid_joins, default="none")
    combine.add_argument("--merge-channels", action=argparse.BooleanOptionalAction, default=False)
    combine.set_defaults(run=_combine)
    digests = commands.add_parser("digest", help="digest of a workspace")
    add_workspace(digests)
    digests.add_argument("-a", "--algorithm", action="append", default=[])
    digests.add_argument("-j", "--json", action="store_true", dest="as_json")
    digests.add_argument("-p", "--plaintext", action="store_false", dest="as_json")
    digests.set_defaults(run=_digest, as_json=False)
    sort = commands.add_parser("sort", help="sort the parts of a workspace by name")
    add_workspace(sort)
    add_output(sort)
    sort.set_defaults(
        run=lambda arguments: write(Workspace.sorted(_open(arguments.workspace)), arguments.output_file)
    )


def _open(name: str) -> Workspace:
    return Workspace(read(name))


def _prune(arguments: argparse.Namespace) -> None:
    pruned = _open(arguments.workspace).prune(
        channels=arguments.channel,
        samples=arguments.sample,
        modifiers=arguments.modifier,
        modifier_types=arguments.modifier_type,
        measurements=arguments.measurement,
    )
    write(pruned, arguments.output_file)


def _rename(arguments: argparse.Namespace) -> None:
    renamed = _open(arguments.workspace).rename(
        channels=dict(arguments.channel),
        samples=dict(arguments.sample),
        modifiers=dict(arguments.modifier),
        measurements=dict(arguments.measurement),
    )
    write(renamed, arguments.output_file)


def _combine(arguments: argparse.Namespace) -> None:
    left, right = _open(arguments.workspace_one), _open(arguments.workspace_two)
    combined = Workspace.combine(left, right, join=arguments.join, merge_channels=arguments.merge_channels)
    write(combined, arguments.output_file)


def _digest(arguments: argparse.Namespace) -> None:
    workspace = _open(arguments.workspace)
    digests = {name: digest(workspace, algorithm=name) for name in arguments.algorithm or ["sha256"]}
    if arguments.as_json:
        print(json.dumps(digests, indent=4, sort_keys=True))
    else:
        print("\n".join(f"{name}:{value}" for name, value in digests.items()))
