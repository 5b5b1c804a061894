"""Small tables as text and as HTML, for records in terminals and notebooks. All text is made safe to print here."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..screen import printable, printable_lines

MOST_ROWS = 40


@dataclass(frozen=True)
class Table:
    """Columns and rows; cells are texts or numbers. The first column is text, the others are numbers."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    of: str = "rows"  # what the rows are, for the note about those left out


def cell(value: Any) -> str:
    """A value as text: numbers with five digits, "-" if there is none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.5g}"
    return "-" if value is None else printable(str(value))


def _titles(table: Table) -> list[str]:
    return [printable(title) for title in table.columns]


def _shown(table: Table) -> tuple[list[list[str]], str]:
    rows = [[cell(value) for value in row] for row in table.rows[:MOST_ROWS]]
    left = len(table.rows) - len(rows)
    return rows, f"... and {left} more {table.of}" if left > 0 else ""


def text_table(table: Table) -> str:
    """Aligned columns."""
    rows, note = _shown(table)
    titled = [_titles(table), *rows] if any(table.columns) else rows
    if not titled:
        return ""
    widths = [max(len(row[i]) for row in titled) for i in range(len(table.columns))]
    lines = []
    for row in titled:
        cells = [row[0].ljust(widths[0])] + [text.rjust(width) for text, width in zip(row[1:], widths[1:])]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join([*lines, *(["  " + note] if note else [])])


def text_page(heading: str, tables: Sequence[Table], remarks: Sequence[str]) -> str:
    """Heading, tables and remarks, one below the other."""
    parts = [printable_lines(heading), *(text_table(table) for table in tables)]
    parts += [f"warning: {printable(remark)}" for remark in remarks]
    return "\n".join(part for part in parts if part)


def html_table(table: Table) -> str:
    """The table for a notebook; every text is escaped."""
    rows, note = _shown(table)
    head = "".join(f"<th>{html.escape(title)}</th>" for title in _titles(table))
    body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    tail = f"<p>{html.escape(note)}</p>" if note else ""
    return f"<table>{'<thead><tr>' + head + '</tr></thead>' if any(table.columns) else ''}<tbody>{body}</tbody></table>{tail}"


def html_page(heading: str, tables: Sequence[Table], remarks: Sequence[str]) -> str:
    """Heading, tables and remarks for a notebook."""
    title, *more = printable_lines(heading).split("\n")
    parts = [f"<b>{html.escape(title)}</b>", *(f"<div>{html.escape(line)}</div>" for line in more)]
    parts += [html_table(table) for table in tables if table.rows]
    parts += [f"<p>&#9888; {html.escape(printable(remark))}</p>" for remark in remarks]
    return "<div>" + "".join(parts) + "</div>"
