"""The figure class: matplotlib's, shown by notebooks also when pyplot was never imported."""

import io

from matplotlib.figure import Figure as MatplotlibFigure


class Figure(MatplotlibFigure):
    """A matplotlib figure that belongs to no window and no pyplot."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()
