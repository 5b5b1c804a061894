"""Summary of a list of channels: names in pyhf's order and the slices of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Channel = Mapping[str, Any]


class _ChannelSummaryMixin:
    """Channels, samples and modifiers of a specification, each sorted by name as pyhf does.

    The model's data are in the order of the sorted channel names.
    """

    def __init__(self, *arguments: Any, channels: Sequence[Channel], **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        samples = [sample for channel in channels for sample in channel["samples"]]
        self._channels = sorted({channel["name"] for channel in channels})
        self._samples = sorted({sample["name"] for sample in samples})
        self._modifiers = sorted(
            {(modifier["name"], modifier["type"]) for sample in samples for modifier in sample["modifiers"]}
        )
        bins = {channel["name"]: len(channel["samples"][0]["data"]) for channel in channels}
        self._channel_nbins = {name: bins[name] for name in self._channels}
        self._channel_slices: dict[str, slice] = {}
        begin = 0
        for name, count in self._channel_nbins.items():
            self._channel_slices[name] = slice(begin, begin + count)
            begin += count

    @property
    def channels(self) -> list[str]:
        """Channel names, sorted."""
        return self._channels

    @property
    def samples(self) -> list[str]:
        """Sample names, sorted."""
        return self._samples

    @property
    def modifiers(self) -> list[tuple[str, str]]:
        """(name, type) of each modifier, sorted."""
        return self._modifiers

    @property
    def channel_nbins(self) -> dict[str, int]:
        """Number of bins by channel."""
        return self._channel_nbins

    @property
    def channel_slices(self) -> dict[str, slice]:
        """Slice of the main data for each channel."""
        return self._channel_slices
