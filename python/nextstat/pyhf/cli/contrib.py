"""`contrib download`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..contrib import utils


def add(commands: Any) -> None:
    """Adds the command."""
    contrib = commands.add_parser("contrib", help="published likelihoods").add_subparsers(
        dest="contrib_command", metavar="COMMAND", required=True
    )
    download = contrib.add_parser("download", help="get an archive of likelihoods from HEPData and unpack it")
    download.add_argument("archive_url")
    download.add_argument("output_directory")
    download.add_argument("-v", "--verbose", action="store_true", help="list the files that came")
    download.add_argument("-f", "--force", action="store_true", help="take it from a host that is not known")
    download.add_argument("-c", "--compress", action="store_true", help="keep it packed, as the file output_directory")
    download.set_defaults(run=_download)


def _download(arguments: argparse.Namespace) -> None:
    folder = Path(arguments.output_directory)
    utils.download(arguments.archive_url, folder, arguments.force, arguments.compress)
    if arguments.verbose:
        files = [folder] if folder.is_file() else sorted(path for path in folder.rglob("*") if path.is_file())
        print(f"{folder} holds {len(files)} file{'' if len(files) == 1 else 's'}:")
        for path in files:
            print(f"  {path.relative_to(folder.parent)}")
