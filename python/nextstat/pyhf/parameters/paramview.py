"""Reading parameter sets from one or many vectors of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..tensor.common import _tensorviewer_from_sizes, _tensorviewer_from_slices

__all__ = ["ParamViewer"]


def __dir__() -> list[str]:
    return __all__


Array = npt.NDArray[Any]


class ParamViewer:
    """The parameters of selected sets: `ParamViewer((npars,), config.par_map, ["mu"]).get(parameters)`."""

    def __init__(
        self, shape: Sequence[int], par_map: Mapping[str, Mapping[str, Any]], par_selection: Sequence[str]
    ) -> None:
        batch_size = shape[0] if len(shape) > 1 else None
        self.all_indices = np.arange(int(np.prod(shape))).reshape(shape)
        ordered = sorted(par_map.items(), key=lambda item: int(item[1]["slice"].start))
        slices = [settings["slice"] for _, settings in ordered]
        self.allpar_viewer = _tensorviewer_from_slices(slices, [name for name, _ in ordered], batch_size)
        selected = [par_map[name]["slice"] for name in par_selection]
        sizes = [part.stop - part.start for part in selected]
        self.selected_viewer = _tensorviewer_from_sizes(sizes, par_selection, batch_size)
        self.index_selection: list[Array] = []
        self.stitched: Array | None = None
        self.indices_concatenated: Array | None = None
        if self.selected_viewer is not None and self.allpar_viewer is not None:
            self.index_selection = self.allpar_viewer.split(self.all_indices, selection=par_selection)
            self.stitched = self.selected_viewer.stitch(self.index_selection)
            self.indices_concatenated = self.stitched.T  # [parameter][row], as modifiers read it

    def get(self, data: Any, indices: Array | None = None) -> Array | None:
        """The selected parameters, or those at `indices` of the flattened parameters; None if nothing is selected."""
        if not self.index_selection:
            return None
        chosen = self.indices_concatenated if indices is None else indices
        flat: Array = np.reshape(np.asarray(data), (-1,))
        return flat[chosen]
