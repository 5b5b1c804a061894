"""What the figures have in common: colors, fonts, making a figure, shortening long names.

with style():
    figure = new_figure(6.0, 4.0)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The colors of Okabe and Ito: distinct for every type of color vision.
BLACK, GRAY, FAINT = "#000000", "#666666", "#E8E8E8"
ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"

# Bands of one and two sigma: the usual green and yellow, distinct in grayscale too.
ONE_SIGMA, TWO_SIGMA = "#3FB68F", "#F5EC7B"

SMALL, NORMAL = 8.0, 9.0  # points
_SETTINGS: dict[str, Any] = {
    "font.size": NORMAL,
    "axes.labelsize": NORMAL,
    "axes.titlesize": NORMAL + 1,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "axes.linewidth": 0.8,
    "lines.linewidth": 1.4,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": True,
    "ytick.right": True,
    "hatch.linewidth": 0.5,
}


@contextmanager
def style() -> Iterator[None]:
    """matplotlib's defaults with our settings on top, inside the block only."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(
            "nextstat.plot needs matplotlib, which is not installed: pip install matplotlib",
            name="matplotlib",
        ) from error
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)  # type: ignore[arg-type,unused-ignore]
        yield


class Page:
    """A figure with axes placed in inches from its lower left corner; `size` scales all of it."""

    def __init__(self, width: float, height: float, size: tuple[float, float] | None = None) -> None:
        from ._canvas import Figure

        self.figure: Figure = Figure(figsize=size or (width, height), dpi=100)
        self._size = (width, height)

    def axes(self, left: float, bottom: float, width: float, height: float) -> Axes:
        across, up = self._size
        return self.figure.add_axes((left / across, bottom / up, width / across, height / up))


def one_panel(
    width: float,
    height: float,
    notes: Sequence[str],
    size: tuple[float, float] | None,
    *,
    left: float = 0.65,
    right: float = 0.15,
    bottom: float = 0.5,
    top: float = 0.12,
) -> tuple[Page, Axes]:
    """A page with one pair of axes, margins in inches, and the small print below."""
    width, height = size or (width, height)
    page = Page(width, height)
    bottom += 0.16 * len(note_lines(width, notes))
    axes = page.axes(left, bottom, max(0.5, width - left - right), max(0.5, height - bottom - top))
    note(page.figure, notes)
    return page, axes


def plain(name: str) -> str:
    """The name as plain text: a dollar sign does not start a formula."""
    return name.replace("$", r"\$")


def shorten(name: str, limit: int) -> str:
    """At most `limit` characters: the middle is dropped, since names differ at their ends.

    >>> shorten("weight_bTagSF_DL1r_Continuous_eigenvars_Light_0", 24)
    'weight_bTag…vars_Light_0'
    """
    if len(name) <= limit:
        return name
    tail = limit // 2
    return f"{name[: limit - 1 - tail]}…{name[-tail:]}"


def labels(names: Sequence[str], limit: int = 34) -> list[str]:
    """Names as labels, shortened but still unique."""
    limits = dict.fromkeys(names, limit)
    while True:
        short = {name: shorten(name, limits[name]) for name in limits}
        counts: dict[str, int] = {}
        for label in short.values():
            counts[label] = counts.get(label, 0) + 1
        same = [name for name, label in short.items() if counts[label] > 1 and limits[name] < len(name)]
        if not same:
            return [plain(short[name]) for name in names]
        for name in same:
            limits[name] += 4


def label_width(texts: Sequence[str], size: float = SMALL) -> float:
    """Inches that the widest of these texts needs."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    widths = (text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts if text)
    return float(max(widths, default=0.0)) / 72


def note(figure: Figure, sentences: Sequence[str]) -> None:
    """Small print below the figure."""
    width, height = figure.get_size_inches()
    text = "\n".join(note_lines(width, sentences))
    figure.text(0.08 / width, 0.06 / height, text, ha="left", va="bottom", fontsize=SMALL, color=GRAY)


def note_lines(width: float, sentences: Sequence[str]) -> list[str]:
    """The small print, broken into lines for a figure of this width in inches."""
    lines: list[str] = []
    for word in plain("  ".join(sentence for sentence in sentences if sentence)).split(" "):
        if lines and label_width([f"{lines[-1]} {word}"]) < width - 0.2:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def some(names: Sequence[str], most: int = 4) -> str:
    """A list of names in a sentence: the first few, and how many more.

    >>> some(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(shorten(name, 30) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def logarithmic(axes: Axes, low: float, high: float) -> None:
    """A logarithmic vertical axis from low to high with numbers written out: 0.5, 1, 2, 5, 10."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 300 else (1,)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def number(value: float) -> str:
    """Four digits, with a true minus sign."""
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")
