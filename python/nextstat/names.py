"""Messages about names that do not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from .errors import Fault, NotFoundError


def no_such_name(kind: str, name: object, known: Iterable[str]) -> NotFoundError:
    """The exception for an unknown name, with the closest known name as a hint."""
    names = list(known)
    near = difflib.get_close_matches(str(name), names, 1)
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    hint = f'did you mean "{near[0]}"?' if near else f"available: {shown}" if names else "there are none"
    return NotFoundError([Fault("not_found", kind, f'there is no {kind} "{name}"', hint)])
