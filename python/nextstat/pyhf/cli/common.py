"""What the commands share: reading documents from files or stdin, and writing results."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any


def read(name: str) -> Any:
    """A JSON document; "-" is stdin."""
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    return json.loads(text)


def write(result: Any, file: str | None) -> None:
    """Sorted and indented as pyhf writes, to a file or to stdout."""
    text = json.dumps(result, indent=4, sort_keys=True)
    if file is None:
        print(text)
    else:
        Path(file).write_text(text, encoding="utf-8")


def add_output(parser: argparse.ArgumentParser) -> None:
    """--output-file."""
    parser.add_argument("--output-file", help="write the result here in place of printing it")


def add_workspace(parser: argparse.ArgumentParser, name: str = "workspace") -> None:
    """A file argument, stdin by default."""
    parser.add_argument(name, nargs="?", default="-", help="JSON file, '-' for stdin (default)")
