"""Makes text from outside safe to print, by the same rule as the command line.

Names in workspaces may contain control characters, which act on a terminal, and format characters such as bidirectional
overrides, which make one name look like another. Both are shown as escapes; all other characters stay.

    printable("mu\\x1b[2J")   # the escape character as four visible ones: \\x1b
"""

from __future__ import annotations

from . import _core

__all__ = ["printable", "printable_lines"]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")  # file names may contain lone surrogates


def printable(text: str) -> str:
    """Text within one line: newlines are escaped too."""
    return _core.printable(_bytes(text))


def printable_lines(text: str) -> str:
    """Text of several lines: newlines are kept."""
    return _core.printable_lines(_bytes(text))
