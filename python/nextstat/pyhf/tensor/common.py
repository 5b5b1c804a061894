"""Splitting a vector into named parts and stitching it together again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class _TensorViewer:
    """Parts of a vector by index lists: `stitch(split(x))` is `x`. Works on the last axis."""

    def __init__(
        self, indices: Sequence[Any], batch_size: int | None = None, names: Sequence[str] | None = None
    ) -> None:
        self.batch_size = batch_size
        self.names = list(names) if names is not None else None
        self.partition_indices = [np.asarray(part, dtype=np.int64) for part in indices]
        self.sorted_indices = np.concatenate(self.partition_indices).argsort()
        self.name_map = dict(zip(self.names or [], self.partition_indices))

    def stitch(self, data: Sequence[Any]) -> Array:
        """The parts at the positions given by their indices."""
        if len(data) != len(self.partition_indices):
            raise AssertionError(f"{len(data)} parts were given, {len(self.partition_indices)} are expected")
        joined: Array = np.concatenate(data, axis=-1)
        return joined[..., self.sorted_indices]

    def split(self, data: Any, selection: Sequence[str] | None = None) -> list[Array]:
        """All parts, or those named."""
        parts = self.partition_indices if selection is None else [self.name_map[name] for name in selection]
        array = np.asarray(data)
        return [array[..., part] for part in parts]


def _tensorviewer_from_slices(
    target_slices: Sequence[slice], names: Sequence[str] | None, batch_size: int | None
) -> _TensorViewer | None:
    if not target_slices:
        return None
    return _TensorViewer([range(part.start, part.stop) for part in target_slices], batch_size, names)


def _tensorviewer_from_sizes(
    sizes: Sequence[int], names: Sequence[str] | None, batch_size: int | None
) -> _TensorViewer | None:
    """A viewer of consecutive parts of these sizes."""
    ends = np.cumsum([0, *sizes]).tolist()
    slices = [slice(begin, end) for begin, end in zip(ends, ends[1:])]
    return _tensorviewer_from_slices(slices, names, batch_size)
