"""Models: one measurement of a workspace, compiled and ready to evaluate.

    model = nextstat.Model.from_workspace("analysis.json")
    model.nll(model.suggested_init)
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Union, runtime_checkable

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
    """One parameter of a model. `width` is the sigma of a normal constraint or the tau of a Poisson constraint."""

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
    """A read-only array."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _patches(patches: Any) -> list[Any]:
    """Patches as a list; a path, a JSON text or a list of operations is one patch."""
    if patches is None:
        return []
    if isinstance(patches, (str, os.PathLike)):
        return [patches]
    found = list(patches) if not isinstance(patches, Mapping) else [[patches]]
    return [found] if found and all(isinstance(entry, Mapping) and "op" in entry for entry in found) else found


class Model(_core.Model):
    """A statistical model. Parameters and data are in pyhf's order; arrays are NumPy arrays."""

    _text: str
    _options: dict[str, Any]

    @classmethod
    def from_workspace(cls, workspace: WorkspaceLike, *, measurement: str | None = None,
                       patches: Sequence[Any] | None = None, poi: str | None = None, channels: Sequence[str] | None = None,
                       normsys_code: str = "code4", histosys_code: str = "code4p") -> Model:
        """Builds the model of a workspace, given as a path, a dictionary, JSON text or a pyhf Workspace.

        patches: JSON patches to apply first. poi: replaces the measurement's parameter of interest; "" for none.
        channels: use only these.
        """
        text = document_text(workspace)
        for patch in _patches(patches):
            text = _core.apply_patch(text, document_text(patch, "patch"))
        if channels is not None and len(channels) == 0:
            fail("channels", "the list is empty", "name at least one, or leave it out")
        options = {"measurement": name_or_none("measurement", measurement), "poi": poi,
                   "channels": [] if channels is None else names("channels", channels),
                   "normsys_code": name_or_none("normsys_code", normsys_code),
                   "histosys_code": name_or_none("histosys_code", histosys_code)}
        with of_file(workspace):
            return cls._built(text, options)

    def __init__(self, workspace: WorkspaceLike, **options: Any) -> None:
        """Same as from_workspace(), but without patches."""
        self._text = document_text(workspace)
        self._options = {"measurement": "", "poi": None, "channels": []} | options
        super().__init__(self._text, **self._options)

    @classmethod
    def _built(cls, text: str, options: dict[str, Any]) -> Model:
        return cls(text, **options)

    @property
    def has_data(self) -> bool:
        """Whether the model has observations; models made from a pyhf Model do not."""
        return not self.__dict__.get("_without_data", False)

    @property
    def workspace(self) -> dict[str, Any]:
        """The workspace that the model was made from, patches applied."""
        document: dict[str, Any] = json.loads(self._text)
        return document

    def _digest(self) -> str:
        """Digest of the workspace, computed on first use."""
        if not self._stored_digest:
            self._stored_digest = _core.digest(self._text)
        return self._stored_digest

    @functools.cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters with their properties."""
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
        """Start values of fits."""
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
        """Name of the parameter of interest; None if there is none."""
        return None if self.poi_index is None else self._names[self.poi_index]

    @functools.cached_property
    def prefit_centers(self) -> Array:
        """Centers of the constraints: 1 for gammas, NaN for parameters without a constraint."""
        return _frozen([np.nan if p.constraint == "none" else 1.0 if p.constraint == "poisson" else p.center
                        for p in self.parameters])

    @functools.cached_property
    def prefit_sigmas(self) -> Array:
        """Widths of the constraints: 1 / sqrt(tau) for Poisson constraints, NaN for parameters without a constraint."""
        return _frozen([np.nan if p.constraint == "none" else p.width ** -0.5 if p.constraint == "poisson" else p.width
                        for p in self.parameters])

    @functools.cached_property
    def _channels(self) -> list[tuple[str, int, int, list[str]]]:
        return self._channel_rows()

    @property
    def channels(self) -> dict[str, slice]:
        """Slice of the data for each channel."""
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
        """Warnings about the workspace."""
        return tuple(self._build_warnings)

    def expected_main_by_channel_sample(self, parameters: npt.ArrayLike) -> dict[str, dict[str, Array]]:
        """Expected events of every sample in the bins of every channel."""
        rates: dict[str, dict[str, Array]] = {name: {} for name in self.channels}
        for channel, sample, values in self._sample_rates(parameters):
            rates[channel][sample] = values
        return rates

    def full_data(self, values: npt.ArrayLike) -> Array:
        """Complete data: main bins given alone are followed by the model's auxiliary data."""
        try:
            data = np.ascontiguousarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            fail("data", f"{type(values).__name__} is not a list of numbers", "give one number per bin")
        if data.ndim == 1 and data.shape[0] == self.n_bins:
            return np.concatenate([data, self.auxdata])
        if data.shape != (self.n_bins + len(self.auxdata),):
            fail("data", f"the array has shape {data.shape}, but the model has {self.n_bins} main bins and {len(self.auxdata)} "
                         "auxiliary data", "give the main bins, or the main bins followed by the auxiliary data")
        return data

    def with_data(self, values: npt.ArrayLike) -> Model:
        """The same model with different data: main bins, then auxiliary data. Both models share the likelihood tables."""
        model = Model._copied(self)
        model._take_data(self.full_data(values))
        return model

    def with_observed_main(self, values: npt.ArrayLike | Mapping[str, npt.ArrayLike]) -> Model:
        """The same model with different observed counts: all main bins, or {channel: bins} for some channels."""
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
        """The same model and data with a different parameter of interest; None for none."""
        model = Model._built(self._text, self._options | {"poi": name or ""})
        model._take_data(self.observed_data)
        return model

    @staticmethod
    def _bins(where: str, values: npt.ArrayLike, wanted: int) -> Array:
        bins = np.asarray(values, dtype=np.float64)
        if bins.shape != (wanted,):
            fail(where, f"{bins.size} values for {wanted} bins", "give one value per bin")
        return bins

    @classmethod
    def _copied(cls, model: Model) -> Model:
        copied = cls.__new__(cls)
        _core.Model.__init__(copied, model)
        copied._text = model._text
        copied._options = model._options
        return copied

    def set_sample_nominal(self, channel: str, sample: str, values: npt.ArrayLike) -> None:
        """Sets the nominal rates of a sample, in place. The model is rebuilt; the observed counts do not change."""
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
        """Drops cached values of the old compiled model."""
        for name in ("parameters", "_names", "prefit_centers", "prefit_sigmas", "_channels"):
            self.__dict__.pop(name, None)

    def to_pyhf(self) -> pyhf.Model:
        """The same model as a pyhf Model (pyhf must be installed)."""
        try:
            import pyhf
        except ImportError:
            fail("to_pyhf", "pyhf is not installed", "pip install pyhf", "not_found")
        settings = {"normsys": {"interpcode": self.normsys_code},
                    "histosys": {"interpcode": self.histosys_code}}
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
ModelLike = Union[Model, Workspace, WorkspaceLike, "InSession", "pyhf.Model"]


@runtime_checkable
class InSession(Protocol):
    """Session, which is built upon the functions that take models."""

    def _model_in_session(self) -> Model: ...


def as_model(value: ModelLike) -> Model:
    """The model of a Model, of a session, of a workspace in any form, or of a pyhf Workspace or Model."""
    if isinstance(value, Model):
        return value
    if isinstance(value, InSession):
        return value._model_in_session()
    if is_pyhf_model(value):
        return _of_pyhf(value)
    return Model.from_workspace(value)


def _of_pyhf(model: Any) -> Model:
    poi = model.config.poi_name
    made = Model.from_workspace(workspace_of(model), poi=None if poi else "", **codes_of(model))
    made.__dict__["_without_data"] = True
    return made


def from_pyhf(source: Any, *, measurement: str | None = None) -> Model:
    """Builds a model from a workspace in pyhf's JSON format, or from a pyhf Workspace or Model."""
    return _of_pyhf(source) if is_pyhf_model(source) else Model.from_workspace(source, measurement=measurement)
