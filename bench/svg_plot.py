"""Plots as SVG text, with nothing but the standard library.

    text = log_log_plot([Series("ours", [(10, 0.1), (100, 1.0)])], x_title="parameters", y_title="s")
    text = plot([Series("toys", points, errors, "points"), Series("law", curve, style="line")],
                Linear(-4, 4, 1), Logarithmic(1, 1000), x_title="pull", y_title="toys")
"""
import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 20, 50
COLORS = ("#1f5fa8", "#c0561f", "#3a7d44", "#7a3b8f")


@dataclass(frozen=True)
class Series:
    title: str
    points: list  # [(x, y)]
    errors: list | None = None  # [error of y]
    style: str = "both"  # "points", "line", "dashed", or "both" points and line


@dataclass(frozen=True)
class Logarithmic:
    """Whole decades from `low` to `high`."""
    low: float
    high: float

    @classmethod
    def around(cls, values):
        low = math.floor(math.log10(min(values)))
        return cls(10.0**low, 10.0**max(low + 1, math.ceil(math.log10(max(values)))))

    def fraction(self, value):
        if value <= 0:
            return -math.inf
        return math.log10(value / self.low) / math.log10(self.high / self.low)

    def ticks(self):
        low = round(math.log10(self.low))
        return [10.0**power for power in range(low, round(math.log10(self.high)) + 1)]


@dataclass(frozen=True)
class Linear:
    low: float
    high: float
    step: float

    def fraction(self, value):
        return (value - self.low) / (self.high - self.low)

    def ticks(self):
        return [self.low + number * self.step for number in range(round((self.high - self.low) / self.step) + 1)]


def across(axis, value):
    return LEFT + axis.fraction(value) * (WIDTH - RIGHT - LEFT)


def up(axis, value):
    """Values below the axis end at its foot."""
    return HEIGHT - BOTTOM + max(0.0, axis.fraction(value)) * (TOP - (HEIGHT - BOTTOM))


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def grid(x_axis, y_axis, x_title, y_title):
    lines = []
    for value in x_axis.ticks():
        x = across(x_axis, value)
        lines.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        lines.append(text(x, HEIGHT - BOTTOM + 18, f"{value:,g}"))
    for value in y_axis.ticks():
        y = up(y_axis, value)
        lines.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        lines.append(text(LEFT - 8, y + 4, f"{value:g}", anchor="end"))
    lines.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_title))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    lines.append(text(16, middle, y_title, more=f' transform="rotate(-90 16 {middle:.1f})"'))
    return lines


def drawn(series, color, x_axis, y_axis):
    places = [(across(x_axis, x), up(y_axis, y)) for x, y in series.points]
    lines = []
    if series.style != "points":
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        dashes = ' stroke-dasharray="6 4"' if series.style == "dashed" else ""
        lines.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>')
    for (x, y), error in zip(series.points, series.errors or []):
        ends = f"{up(y_axis, y - error):.1f}V{up(y_axis, y + error):.1f}"
        lines.append(f'<path d="M{across(x_axis, x):.1f} {ends}" stroke="{color}" stroke-width="1.5"/>')
    if series.style in ("points", "both"):
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in places]
    return lines


def legend(series, number, color, left):
    top = TOP + 18 + 18 * number
    if series.style == "points":
        lines = [f'<circle cx="{left + 23}" cy="{top - 4}" r="3.5" fill="{color}"/>']
    else:
        dashes = ' stroke-dasharray="6 4"' if series.style == "dashed" else ""
        lines = [f'<path d="M{left + 12} {top - 4}h22" stroke="{color}" stroke-width="2"{dashes}/>']
    return [*lines, text(left + 42, top, series.title, anchor="start")]


def plot(series, x_axis, y_axis, x_title, y_title, legend_at=0.0, colors=COLORS):
    """legend_at: where the legend begins, as a fraction of the width."""
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    lines += grid(x_axis, y_axis, x_title, y_title)
    left = LEFT + round(legend_at * (WIDTH - RIGHT - LEFT))
    for number, each in enumerate(series):
        color = colors[number % len(colors)]
        lines += drawn(each, color, x_axis, y_axis) + legend(each, number, color, left)
    return "\n".join([*lines, "</svg>"]) + "\n"


def log_log_plot(series, x_title, y_title):
    x_axis = Logarithmic.around([x for each in series for x, _ in each.points])
    y_axis = Logarithmic.around([y for each in series for _, y in each.points])
    return plot(series, x_axis, y_axis, x_title, y_title)
