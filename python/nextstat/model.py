"""Models: a workspace seen through one measurement, compiled and ready to be evaluated.

    model = nextstat.Model.from_workspace("analysis.json")
    model.nll(model.suggested_init)
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .checks import name_or_none, names
from .errors import fail, of_file
from .from_pyhf_model import codes_of, is_pyhf_model, workspace_of
from .names import no_such_name
from .screen import printable
from .workspace import Workspace, WorkspaceLike, document_text

if TYPE_CHECKING:
    import pyhf

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a model. `width` is the sigma of a normal constraint, the tau of a Poisson constraint."""

    name: str
    set: str
    type: str
    init: float
    low: float
    high: float
    fixed: bool
    constraint: str
    center: float
    width: float
    channel: str
    bin: int


def _frozen(values: list[float]) -> Array:
    """An array that is kept: nobody may change it."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _patches(patches: Any) -> list[Any]:
    """Patches as a list: one path, one text or one list of operations is one patch."""
    if patches is None:
        return []
    if isinstance(patches, (str, os.PathLike)):
        return [patches]
    found = list(patches) if not isinstance(patches, Mapping) else [[patches]]
    return [found] if found and all(isinstance(entry, Mapping) and "op" in entry for entry in found) else found


class Model(_core.Model):
    """A statistical model. Parameters and data stand in pyhf's order; arrays come and go as NumPy's."""

    _text: str
    _options: dict[str, Any]

    @classmethod
    def from_workspace(cls, workspace: WorkspaceLike, *, measurement: str | None = None,
                       patches: Sequence[Any] | None = None, poi: str | None = None, channels: Sequence[str] | None = None,
                       normsys_code: str = "code4", histosys_code: str = "code4p") -> Model:
        """The model of a workspace: a path, a dictionary, JSON text or pyhf's Workspace.

        patches: JSON patches applied first. poi: another parameter of interest than the measurement's, "" for none.
        channels: only these.
        """
        text = document_text(workspace)
        for patch in _patches(patches):
            text = _core.apply_patch(text, document_text(patch, "patch"))
        if channels is not None and len(channels) == 0:
            fail("channels", "there are none", "name at least one, or leave it out")
        options = {"measurement": name_or_none("measurement", measurement), "poi": poi,
                   "channels": [] if channels is None else names("channels", channels),
                   "normsys_code": name_or_none("normsys_code", normsys_code),
                   "histosys_code": name_or_none("histosys_code", histosys_code)}
        with of_file(workspace):
            return cls._built(text, options)

    def __init__(self, workspace: WorkspaceLike, **options: Any) -> None:
        """As from_workspace(), without patches."""
        self._text = document_text(workspace)
        self._options = {"measurement": "", "poi": None, "channels": [], "normsys_code": "code4",
                         "histosys_code": "code4p"} | options
        super().__init__(self._text, **self._options)

    @classmethod
    def _built(cls, text: str, options: dict[str, Any]) -> Model:
        return cls(text, **options)

    @property
    def has_data(self) -> bool:
        """Whether there are observations: pyhf's models come without."""
        return not self.__dict__.get("_without_data", False)

    @property
    def workspace(self) -> dict[str, Any]:
        """The workspace that the model was made from, patches applied."""
        document: dict[str, Any] = json.loads(self._text)
        return document

    def _digest(self) -> str:
        """Of the workspace; computed when it is first asked for."""
        if not self._stored_digest:
            self._stored_digest = _core.digest(self._text)
        return self._stored_digest

    @functools.cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """All that is known about every parameter."""
        return tuple(Parameter(*row) for row in self._parameter_rows())

    def _column(self, name: str) -> Array:
        return np.array([getattr(parameter, name) for parameter in self.parameters], dtype=np.float64)

    @functools.cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def parameter_names(self) -> list[str]:
        """Names, in order: "mu", "staterror_SR[2]"."""
        return list(self._names)

    @property
    def suggested_init(self) -> Array:
        """Where fits begin."""
        return self._column("init")

    @property
    def suggested_bounds(self) -> Array:
        """[parameter, (low, high)]."""
        return np.stack([self._column("low"), self._column("high")], axis=1)

    @property
    def suggested_fixed(self) -> npt.NDArray[np.bool_]:
        """Which parameters the measurement holds fixed."""
        return np.array([parameter.fixed for parameter in self.parameters], dtype=np.bool_)

    @property
    def poi_name(self) -> str | None:
        """Name of the parameter of interest; None where there is none."""
        return None if self.poi_index is None else self._names[self.poi_index]

    @functools.cached_property
    def prefit_centers(self) -> Array:
        """Where the constraints hold the parameters; NaN for those without one. 1 for gammas."""
        return _frozen([np.nan if p.constraint == "none" else 1.0 if p.constraint == "poisson" else p.center
                        for p in self.parameters])

    @functools.cached_property
    def prefit_sigmas(self) -> Array:
        """Widths of the constraints, 1 / sqrt(tau) for Poisson constraints; NaN for parameters without one."""
        return _frozen([np.nan if p.constraint == "none" else p.width ** -0.5 if p.constraint == "poisson" else p.width
                        for p in self.parameters])

    @functools.cached_property
    def _channels(self) -> list[tuple[str, int, int, list[str]]]:
        return self._channel_rows()

    @property
    def channels(self) -> dict[str, slice]:
        """Where the bins of each channel stand in the data."""
        return {name: slice(first, first + bins) for name, first, bins, _ in self._channels}

    @property
    def samples(self) -> dict[str, list[str]]:
        """Names of the samples of each channel."""
        return {name: list(samples) for name, _, _, samples in self._channels}

    @property
    def observed_data(self) -> Array:
        """Observed main bins, then auxiliary data."""
        values: Array = self._observed()
        return values

    @property
    def auxdata(self) -> Array:
        """Auxiliary data."""
        return self.observed_data[self.n_bins:]

    @property
    def observed_main_by_channel(self) -> dict[str, Array]:
        """Observed counts of each channel."""
        data = self.observed_data
        return {name: data[place] for name, place in self.channels.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Things about the workspace that are worth a look."""
        return tuple(self._build_warnings)

    def expected_main_by_channel_sample(self, parameters: npt.ArrayLike) -> dict[str, dict[str, Array]]:
        """What every sample contributes to the bins of every channel."""
        rates: dict[str, dict[str, Array]] = {name: {} for name in self.channels}
        for channel, sample, values in self._sample_rates(parameters):
            rates[channel][sample] = values
        return rates

    def full_data(self, values: npt.ArrayLike) -> Array:
        """Data as the functions want them: main bins alone get the model's auxiliary data."""
        try:
            data = np.ascontiguousarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            fail("data", f"{type(values).__name__} is not a row of numbers", "give one number per bin")
        if data.ndim == 1 and data.shape[0] == self.n_bins:
            return np.concatenate([data, self.auxdata])
        if data.shape != (self.n_bins + len(self.auxdata),):
            fail("data", f"an array of shape {data.shape}, the model has {self.n_bins} main bins and {len(self.auxdata)} "
                         "auxiliary data", "give the main bins, or the main bins and then the auxiliary data")
        return data

    def with_data(self, values: npt.ArrayLike) -> Model:
        """The same model with other data: main bins, then auxiliary data. The likelihood tables are shared."""
        model = Model._copied(self)
        model._take_data(self.full_data(values))
        return model

    def with_observed_main(self, values: npt.ArrayLike | Mapping[str, npt.ArrayLike]) -> Model:
        """The same model with other observations: all main bins, or {channel: bins} for some channels."""
        data = self.observed_data.copy()
        if isinstance(values, Mapping):
            for channel, bins in values.items():
                if channel not in self.channels:
                    raise no_such_name("channel", channel, self.channels)
                place = self.channels[channel]
                data[place] = self._bins(f"channel {channel}", bins, place.stop - place.start)
        else:
            data[:self.n_bins] = self._bins("data", values, self.n_bins)
        return self.with_data(data)

    def with_poi(self, name: str | None) -> Model:
        """The same model and data with another parameter of interest; None for none."""
        model = Model._built(self._text, self._options | {"poi": name or ""})
        model._take_data(self.observed_data)
        return model

    @staticmethod
    def _bins(where: str, values: npt.ArrayLike, wanted: int) -> Array:
        bins = np.asarray(values, dtype=np.float64)
        if bins.shape != (wanted,):
            fail(where, f"{bins.size} values, there are {wanted} bins", "give one value per bin")
        return bins

    @classmethod
    def _copied(cls, model: Model) -> Model:
        copied = cls.__new__(cls)
        _core.Model.__init__(copied, model)
        copied._text = model._text
        copied._options = model._options
        return copied

    def set_sample_nominal(self, channel: str, sample: str, values: npt.ArrayLike) -> None:
        """Gives a sample other nominal rates, in place. The model is built again; its data stay as they are."""
        if channel not in self.channels:
            raise no_such_name("channel", channel, self.channels)
        if sample not in self.samples[channel]:
            raise no_such_name(f"sample of {channel}", sample, self.samples[channel])
        place = self.channels[channel]
        bins = self._bins(f"{channel} / {sample}", values, place.stop - place.start)
        document = self.workspace
        samples = next(entry for entry in document["channels"] if entry["name"] == channel)["samples"]
        next(entry for entry in samples if entry["name"] == sample)["data"] = bins.tolist()
        rebuilt = Model._built(json.dumps(document), self._options)
        data = self.observed_data.copy()
        data[self.n_bins:] = rebuilt.auxdata
        rebuilt._take_data(data)
        self._assign(rebuilt)
        self._text = rebuilt._text
        self._forget()

    def _forget(self) -> None:
        """What was read from the compiled model is no longer true."""
        for name in ("parameters", "_names", "prefit_centers", "prefit_sigmas", "_channels"):
            self.__dict__.pop(name, None)

    def to_pyhf(self) -> pyhf.Model:
        """The same model as pyhf's (pyhf must be installed)."""
        try:
            import pyhf
        except ImportError:
            fail("to_pyhf", "pyhf is not installed", "pip install pyhf", "not_found")
        settings = {"normsys": {"interpcode": self._options["normsys_code"]},
                    "histosys": {"interpcode": self._options["histosys_code"]}}
        document = self.workspace
        if self._options["channels"]:
            document["channels"] = [entry for entry in document["channels"] if entry["name"] in self.channels]
            document["observations"] = [entry for entry in document["observations"] if entry["name"] in self.channels]
        return pyhf.Workspace(document).model(measurement_name=self.measurement, poi_name=self.poi_name,
                                                    modifier_settings=settings)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._text, self._options, np.array(self.observed_data))

    def __repr__(self) -> str:
        return printable(f"Model: {self.n_params} parameters, {self.n_bins} bins in {len(self.channels)} channels, "
                         f"parameter of interest {self.poi_name}, measurement {self.measurement}")


def _restored(kind: type[Model], text: str, options: dict[str, Any], data: Array) -> Model:
    model = kind._built(text, options)
    model._take_data(data)
    return model


# What every function accepts as a model.
ModelLike = Union[Model, Workspace, WorkspaceLike, "pyhf.Model"]


def as_model(value: ModelLike) -> Model:
    """The model that is meant: a model, a workspace in any form, or pyhf's Workspace or Model."""
    if isinstance(value, Model):
        return value
    if is_pyhf_model(value):
        return _of_pyhf(value)
    return Model.from_workspace(value)


def _of_pyhf(model: Any) -> Model:
    poi = model.config.poi_name
    made = Model.from_workspace(workspace_of(model), poi=None if poi else "", **codes_of(model))
    made.__dict__["_without_data"] = True
    return made


def from_pyhf(source: Any, *, measurement: str | None = None) -> Model:
    """The model of a workspace in pyhf's JSON format, or of pyhf's own objects."""
    return _of_pyhf(source) if is_pyhf_model(source) else Model.from_workspace(source, measurement=measurement)
