"""`patchset extract`, `apply`, `verify` and `inspect`."""

from __future__ import annotations

import argparse
from typing import Any

from ..patchset import PatchSet
from ..workspace import Workspace
from .common import add_output, add_workspace, for_screen, read, write


def add(commands: Any) -> None:
    """Adds the group."""
    group = commands.add_parser("patchset", help="operations on patch sets").add_subparsers(required=True)
    extract = group.add_parser("extract", help="one patch of a set")
    add_workspace(extract, "patchset")
    add_output(extract)
    extract.add_argument("--name")
    extract.add_argument("--with-metadata", action="store_true")
    extract.add_argument("--without-metadata", action="store_false", dest="with_metadata")
    extract.set_defaults(run=_extract, with_metadata=False)
    apply = group.add_parser("apply", help="a workspace with one patch applied")
    for parser in (apply, verify := group.add_parser("verify", help="is this the workspace of the set?")):
        add_workspace(parser, "background_only")
        add_workspace(parser, "patchset")
    add_output(apply)
    apply.add_argument("--name")
    apply.set_defaults(run=_apply)
    verify.set_defaults(run=_verify)
    inspect = group.add_parser("inspect", help="names of the patches")
    add_workspace(inspect, "patchset")
    inspect.set_defaults(run=_inspect)


def _extract(arguments: argparse.Namespace) -> None:
    patchset = PatchSet(read(arguments.patchset))
    patch = patchset[arguments.name]
    result: Any = patch.patch
    if arguments.with_metadata:
        result = {"metadata": {**patch.metadata, **patchset.metadata}, "patch": patch.patch}
    write(result, arguments.output_file)


def _apply(arguments: argparse.Namespace) -> None:
    workspace = Workspace(read(arguments.background_only))
    write(PatchSet(read(arguments.patchset)).apply(workspace, arguments.name), arguments.output_file)


def _verify(arguments: argparse.Namespace) -> None:
    workspace = Workspace(read(arguments.background_only))
    PatchSet(read(arguments.patchset)).verify(workspace)
    print("All good.")


def _inspect(arguments: argparse.Namespace) -> None:
    patchset = PatchSet(read(arguments.patchset))
    print(f"\n    {len(patchset)} patches found in Patchset\n---------------------------------\n")
    for patch in patchset:
        print(for_screen(patch.name))
