"""`python -m nextstat.pyhf cls workspace.json`."""

from __future__ import annotations

from .cli import cli

cli()
