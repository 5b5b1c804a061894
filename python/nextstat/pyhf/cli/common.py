"""Shared by the commands: reading documents from files or stdin, writing results, safe screen output."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from nextstat.screen import printable


class InputFile(str):
    """The path of a file to read: the type of every argument that names one."""


class Parser(argparse.ArgumentParser):
    """A parser whose messages, which quote the command line, are safe to print."""

    def error(self, message: str) -> NoReturn:
        """Usage and message on stderr, exit status 2."""
        super().error(printable(message))


def for_screen(value: Any) -> Any:
    """The value with every text in it safe to print within a line."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, (list, tuple)):
        return [for_screen(entry) for entry in value]
    if isinstance(value, dict):
        return {for_screen(key): for_screen(entry) for key, entry in value.items()}
    return value


def check_paths(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Exits with an error if a path is empty, or if the output would overwrite an input."""
    values = [value if isinstance(value, list) else [value] for value in vars(arguments).values()]
    inputs = [entry for value in values for entry in value if isinstance(entry, InputFile)]
    output: str | None = getattr(arguments, "output_file", None)
    if "" in inputs or output == "":
        parser.error('a path is empty: ""')
    for name in inputs:
        if output is not None and _is_same(name, output):
            parser.error(f"--output-file: '{output}' is also read: writing there would replace it")


def _is_same(source: str, output: str) -> bool:
    try:
        read = os.fstat(sys.stdin.fileno()) if source == "-" else os.stat(source)
        return os.path.samestat(read, os.stat(output))
    except (OSError, ValueError):  # no such file, or no stdin
        return False


def read(name: str) -> Any:
    """A JSON document; "-" is stdin."""
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    return json.loads(text)


def write(result: Any, file: str | None) -> None:
    """Writes JSON, sorted and indented as in pyhf, to a file or to stdout."""
    text = json.dumps(result, indent=4, sort_keys=True).replace("\x7f", "\\u007f")  # the only control that it leaves
    if file is None:
        print(text)
    else:
        Path(file).write_text(text, encoding="utf-8")


def add_output(parser: argparse.ArgumentParser) -> None:
    """--output-file."""
    parser.add_argument("--output-file", help="write the result here in place of printing it")


def add_workspace(parser: argparse.ArgumentParser, name: str = "workspace") -> None:
    """A file argument, stdin by default."""
    parser.add_argument(name, nargs="?", default="-", type=InputFile, help="JSON file, '-' for stdin (default)")
