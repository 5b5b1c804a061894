"""What the figures have in common: colours, fonts, how a figure is made, how long names become short.

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

# The colours of Okabe and Ito: told apart with every kind of colour vision.
BLACK, GREY, FAINT = "#000000", "#666666", "#E8E8E8"
ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILLION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"

# Bands of one and two sigma: green and yellow as everybody knows them, dark and light also in grey.
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
    """matplotlib's own defaults and ours on top, for the time of the block only."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(
            'nextstat.plot needs matplotlib, which is not installed: pip install "nextstat[plot]"',
            name="matplotlib",
        ) from error
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)  # type: ignore[arg-type,unused-ignore]
        yield


class Page:
    """A figure with axes placed in inches from its lower left corner; `size` stretches all of it."""

    def __init__(self, width: float, height: float, size: tuple[float, float] | None = None) -> None:
        from ._canvas import Figure

        self.figure: Figure = Figure(figsize=size or (width, height), dpi=100)
        self._size = (width, height)

    def axes(self, left: float, bottom: float, width: float, height: float) -> Axes:
        across, up = self._size
        return self.figure.add_axes((left / across, bottom / up, width / across, height / up))


def new_figure(width: float, height: float, size: tuple[float, float] | None = None) -> Figure:
    """A figure of this width and height in inches, or of `size` where the caller of a plot asked for one."""
    from ._canvas import Figure

    figure = Figure(figsize=size or (width, height), dpi=100, layout="constrained")
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.set(w_pad=0.08, h_pad=0.06)  # type: ignore[call-arg]
    return figure


def plain(name: str) -> str:
    """The name as text: a dollar sign in it begins no formula."""
    return name.replace("$", r"\$")


def shorten(name: str, limit: int) -> str:
    """At most `limit` characters: the middle gives way, since names differ at their ends.

    >>> shorten("weight_bTagSF_DL1r_Continuous_eigenvars_Light_0", 24)
    'weight_bTag…vars_Light_0'
    """
    if len(name) <= limit:
        return name
    tail = limit // 2
    return f"{name[: limit - 1 - tail]}…{name[-tail:]}"


def labels(names: Sequence[str], limit: int = 34) -> list[str]:
    """Names as labels, shortened, and still different from each other."""
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
    """Small print below the figure; no sentences, no space."""
    text = "\n".join(note_lines(figure.get_figwidth(), sentences))
    if text:
        x = 0.08 / figure.get_figwidth()
        # Where the figure lays itself out, it makes room for the text only if no height is given.
        y = {} if figure.get_layout_engine() else {"y": 0.06 / figure.get_figheight()}
        figure.supxlabel(text, x=x, ha="left", fontsize=SMALL, color=GREY, **y)


def note_lines(width: float, sentences: Sequence[str]) -> list[str]:
    """The small print, broken into lines of a figure so many inches wide."""
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


def heading(axes: Axes, text: str | None) -> None:
    """A title at the left, where one was given."""
    if text:
        axes.set_title(plain(text), loc="left")
