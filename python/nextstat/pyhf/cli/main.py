"""The command line: one parser, one function per command."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Sequence

from ..utils import citation
from . import contrib, infer, patchset, rootio, spec
from .common import Parser, check_paths


logging.basicConfig()  # no effect if the calling program has set up its own


def parser() -> argparse.ArgumentParser:
    """All commands."""
    from .. import __version__

    top = Parser(prog="pyhf", description="pyhf's commands, computed by nextstat.")
    top.add_argument("--version", action="version", version=f"pyhf, version {__version__}")
    top.add_argument("--cite", "--citation", action="store_true", help="print the BibTeX citation of pyhf")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    for group in (rootio, spec, infer, patchset, contrib):
        group.add(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status."""
    top = parser()
    found = top.parse_args(arguments)
    if found.cite:
        print(citation())
        return 0
    if found.command is None:
        top.print_help()
        return 0
    check_paths(top, found)
    found.run(found)
    return 0


def cli() -> None:
    """For console scripts."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `... | head`: a closed pipe is not an error
    sys.exit(main())
