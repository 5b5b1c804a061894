"""Text from elsewhere on its way to a screen: one rule, the command line's.

Names in workspaces may hold control characters, which steer a terminal, and format characters such as bidirectional overrides,
which make one name look like another. Both are shown as escapes; every other character stays.

    printable("mu\\x1b[2J")   # the escape character as four visible ones: \\x1b
"""

from __future__ import annotations

from . import _core

__all__ = ["printable", "printable_lines"]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")  # file names may hold halves of surrogate pairs


def printable(text: str) -> str:
    """A name within a line: no newline is left either."""
    return _core.printable(_bytes(text))


def printable_lines(text: str) -> str:
    """Text of several lines: newlines stay."""
    return _core.printable_lines(_bytes(text))
