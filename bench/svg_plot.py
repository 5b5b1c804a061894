"""A plot with logarithmic axes as SVG text, with nothing but the standard library.

    text = log_log_plot([Series("ours", [(10, 0.1), (100, 1.0)])], x_title="parameters", y_title="s")
"""
import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 20, 50
COLOURS = ("#1f5fa8", "#c0561f", "#3a7d44", "#7a3b8f")


@dataclass(frozen=True)
class Series:
    title: str
    points: list  # [(x, y)], all positive


@dataclass(frozen=True)
class Axis:
    """Decades that hold all values, laid out from `start` to `end` in pixels."""
    low: int
    high: int
    start: float
    end: float

    @classmethod
    def around(cls, values, start, end):
        low = math.floor(math.log10(min(values)))
        return cls(low, max(low + 1, math.ceil(math.log10(max(values)))), start, end)

    def place(self, value):
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def decades(self):
        return [10.0**power for power in range(self.low, self.high + 1)]


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def grid(x_axis, y_axis, x_title, y_title):
    lines = []
    for value in x_axis.decades():
        x = x_axis.place(value)
        lines.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        lines.append(text(x, HEIGHT - BOTTOM + 18, f"{value:,g}"))
    for value in y_axis.decades():
        y = y_axis.place(value)
        lines.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        lines.append(text(LEFT - 8, y + 4, f"{value:g}", anchor="end"))
    lines.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_title))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    lines.append(text(16, middle, y_title, more=f' transform="rotate(-90 16 {middle:.1f})"'))
    return lines


def curve(series, number, x_axis, y_axis):
    colour = COLOURS[number % len(COLOURS)]
    places = [(x_axis.place(x), y_axis.place(y)) for x, y in series.points]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    lines = [f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>']
    lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
    top = TOP + 18 + 18 * number
    lines.append(f'<path d="M{LEFT + 12} {top - 4}h22" stroke="{colour}" stroke-width="2"/>')
    lines.append(text(LEFT + 42, top, series.title, anchor="start"))
    return lines


def log_log_plot(series, x_title, y_title):
    x_axis = Axis.around([x for each in series for x, _ in each.points], LEFT, WIDTH - RIGHT)
    y_axis = Axis.around([y for each in series for _, y in each.points], HEIGHT - BOTTOM, TOP)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    lines += grid(x_axis, y_axis, x_title, y_title)
    for number, each in enumerate(series):
        lines += curve(each, number, x_axis, y_axis)
    return "\n".join([*lines, "</svg>"]) + "\n"
