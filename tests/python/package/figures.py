"""What the tests of figures share: pictures compared with references, and whether a person can read a figure.

NEXTSTAT_UPDATE_BASELINE=1 writes the references instead of comparing. Look at each new one.
"""

import io
import itertools
import os
import pathlib

import numpy as np
import pytest

BASELINE = pathlib.Path(__file__).resolve().parent / "baseline"
# Root mean square of gray levels (0 to 255) over blocks of 4 x 4 pixels: 0 where the same version of matplotlib
# draws again; one bar with a wrong length makes 2 or more. Other versions set letters elsewhere and make 10.
TOLERANCE = 1.8
BLOCK = 4
DPI = 65  # of references: letters can be read, files stay small


def picture(figure):
    """[row, column, color], 0 to 255."""
    from matplotlib import image

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI)
    buffer.seek(0)
    return 255.0 * image.imread(buffer)[:, :, :3]


def difference(first, second):
    """Root mean square over blocks of pixels; infinite where the sizes differ."""
    if first.shape != second.shape:
        return np.inf
    rows, columns = (size // BLOCK * BLOCK for size in first.shape[:2])
    blocks = (first - second)[:rows, :columns].reshape(rows // BLOCK, BLOCK, columns // BLOCK, BLOCK, 3)
    return float(np.sqrt(np.mean(np.square(blocks.mean(axis=(1, 3))))))


def compare(figure, name, failures):
    """The picture against its reference; what was drawn is kept in `failures` where they differ."""
    import matplotlib
    from matplotlib import image

    path, version = BASELINE / f"{name}.png", BASELINE / "matplotlib-version"
    drawn = picture(figure)
    if os.environ.get("NEXTSTAT_UPDATE_BASELINE"):
        figure.savefig(path, dpi=DPI, metadata={"Software": None})
        version.write_text(matplotlib.__version__ + "\n")
    drawn_by = version.read_text().strip()
    if matplotlib.__version__.split(".")[:2] != drawn_by.split(".")[:2]:
        pytest.skip(f"the references are of matplotlib {drawn_by}, this is {matplotlib.__version__}")
    distance = difference(drawn, 255.0 * image.imread(path)[:, :, :3])
    if distance > TOLERANCE:
        kept = pathlib.Path(failures) / f"{name}.png"
        figure.savefig(kept, dpi=DPI)
        raise AssertionError(f"{name}: differs from {path} by {distance:.2f} > {TOLERANCE}; drawn: {kept}")


def _texts(figure):
    """(text, extent in pixels) of everything written on the figure."""
    import matplotlib.text

    renderer = figure.canvas.get_renderer()
    for text in figure.findobj(matplotlib.text.Text):
        if text.get_visible() and text.get_text().strip():
            yield text, text.get_window_extent(renderer)


def unreadable(figure):
    """Sentences about texts that leave the figure, cover each other or are smaller than 6.5 points."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure).draw()
    width, height = figure.canvas.get_width_height()
    faults, placed = [], []
    absent = _beyond_the_axes(figure)
    for text, box in _texts(figure):
        if text in absent:
            continue
        name = text.get_text()[:40]
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
            faults.append(f"'{name}' leaves the figure: {box.extents.round()} of {width} x {height}")
        if text.get_fontsize() < 6.5:
            faults.append(f"'{name}' is {text.get_fontsize()} points high")
        slanted = text.get_rotation() % 90 != 0
        placed.append((name, box.shrunk(0.96, 0.8), slanted))  # letters rarely fill the box of their line
    for (name, box, slanted), (other, other_box, other_slanted) in itertools.combinations(placed, 2):
        # The boxes of slanted labels beside each other overlap, the labels do not.
        if box.overlaps(other_box) and not (slanted and other_slanted):
            faults.append(f"'{name}' and '{other}' cover each other")
    return faults


def _beyond_the_axes(figure):
    """Labels of ticks beyond the ends of an axis: they exist but are not drawn."""
    labels = set()
    for axes in figure.axes:
        for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            low, high = sorted(ends)
            margin = 1e-9 * (high - low)
            for tick in itertools.chain(axis.get_major_ticks(), axis.get_minor_ticks()):
                if not low - margin <= tick.get_loc() <= high + margin:
                    labels |= {tick.label1, tick.label2}
    return labels
