"""pyhf's command line on nextstat: `python -m nextstat.pyhf cls workspace.json` prints what `pyhf cls` prints."""

from __future__ import annotations

from .main import cli, main

__all__ = ["cli", "main"]
