"""
The compiled part of nextstat. Use the functions of the package instead.
"""

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy
import numpy.typing


def version() -> str: ...

def compiler() -> str: ...

def instruction_set() -> str:
    """The instruction set that the kernels use on this processor."""

def printable(text: bytes) -> str: ...

def printable_lines(text: bytes) -> str: ...

def names() -> dict[str, list[str]]:
    """The names that an argument takes, by argument."""

def uses_toys(calctype: str) -> bool:
    """Whether a question is answered from toys; raises for an unknown name."""

def read_text(path: bytes) -> bytes:
    """Path and content are bytes: neither has to be UTF-8."""

def check_workspace(text: str) -> list[str]:
    """Raises all errors of the document as one exception; returns warnings."""

def digest(text: str, algorithm: str = 'sha256') -> str: ...

def apply_patch(text: str, patch: str) -> str: ...

def apply_from_patchset(text: str, patchset: str, name: str) -> str: ...

def combine(left: str, right: str, join: str = 'none', merge_channels: bool = False) -> str: ...

def prune(text: str, channels: Sequence[str], samples: Sequence[str], modifiers: Sequence[str], modifier_types: Sequence[str], measurements: Sequence[str]) -> str: ...

def rename(text: str, channels: Mapping[str, str], samples: Mapping[str, str], modifiers: Mapping[str, str], measurements: Mapping[str, str]) -> str: ...

def sorted(text: str) -> str: ...

class Model:
    @overload
    def __init__(self, text: str, measurement: str = '', poi: str | None = None, channels: Sequence[str] = [], normsys_code: str = 'code4', histosys_code: str = 'code4p') -> None: ...

    @overload
    def __init__(self, other: Model) -> None: ...

    def nll(self, parameters: numpy.typing.ArrayLike, data: numpy.typing.ArrayLike | None = None, device: str | None = None) -> Any:
        """
        Negative log likelihood: a float at a point, an array for rows of points.
        """

    def grad_nll(self, parameters: numpy.typing.ArrayLike, data: numpy.typing.ArrayLike | None = None, device: str | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """Exact gradient of the NLL, at a point or at rows of points."""

    def value_and_grad(self, parameters: numpy.typing.ArrayLike, data: numpy.typing.ArrayLike | None = None, device: str | None = None) -> tuple[Any, numpy.typing.NDArray[numpy.float64]]:
        """NLL and gradient in one pass, at a point or at rows of points."""

    def nll_parts(self, parameters: numpy.typing.ArrayLike, data: numpy.typing.ArrayLike | None = None) -> tuple[Any, Any]:
        """
        The NLL of the main bins and that of the constraints, with all constants: their sum is nll().
        """

    def hessian(self, parameters: numpy.typing.ArrayLike, data: numpy.typing.ArrayLike | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """Exact second derivatives of the NLL."""

    def expected_data(self, parameters: numpy.typing.ArrayLike, include_auxdata: bool = True, device: str | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """Expected data: main bins, then auxiliary data."""

    def expected_jacobian(self, parameters: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """Derivatives of the main bins' rates: [bin, parameter]."""

    def _sample_rates(self, parameters: numpy.typing.ArrayLike) -> list[tuple[str, str, numpy.typing.NDArray[numpy.float64]]]:
        """(channel, sample, rates) of every sample."""

    def _parameter_rows(self) -> list[tuple[Any, ...]]:
        """The fields of Parameter."""

    def _channel_rows(self) -> list[tuple[str, int, int, list[str]]]:
        """(name, first bin, bins, samples) of every channel."""

    def _observed(self) -> numpy.typing.NDArray[numpy.float64]: ...

    def _take_data(self, values: numpy.typing.ArrayLike) -> None:
        """Replaces the model's data, in place."""

    @property
    def _has_session(self) -> bool: ...

    def _assign(self, other: Model) -> None: ...

    @property
    def n_params(self) -> int:
        """Number of parameters."""

    @property
    def n_bins(self) -> int:
        """Number of main bins."""

    @property
    def poi_index(self) -> int | None:
        """Index of the parameter of interest; None if there is none."""

    @property
    def measurement(self) -> str:
        """Name of the measurement."""

    @property
    def normsys_code(self) -> str:
        """Interpolation code of normsys: "code4"."""

    @property
    def histosys_code(self) -> str:
        """Interpolation code of histosys: "code4p"."""

    @property
    def _poi_text(self) -> str: ...

    @property
    def _build_warnings(self) -> list[str]: ...

    @property
    def _stored_digest(self) -> str:
        """Digest of the workspace; empty until it is computed."""

    @_stored_digest.setter
    def _stored_digest(self, arg: str, /) -> None: ...

def set_threads(threads: int) -> None:
    """Threads for evaluations of many points; 0 = all."""

def fit(model: Model, run: dict[str, Any], uncertainties: bool, minos: Sequence[str], minos_of_all: bool, large_matrices: bool) -> dict[str, Any]: ...

def fit_batch(model: Model, run: dict[str, Any], datasets: object) -> dict[str, Any]: ...

def fit_rows(model: Model, run: dict[str, Any], rows: int, datasets: object | None, starts: object | None, low: object | None, high: object | None, fixed: object | None) -> dict[str, Any]: ...

def asimov_data(model: Model, parameters: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]: ...

def scan(model: Model, run: dict[str, Any], parameter: str, values: object, parameter2: str = '', values2: object | None = None) -> dict[str, Any]: ...

def interval(model: Model, run: dict[str, Any], parameter: str, confidence_level: float) -> dict[str, Any]: ...

def ranking(model: Model, run: dict[str, Any], impact: str, groups: Sequence[tuple[str, Sequence[str]]], top: int, parameters: Sequence[str] = [], known: Sequence[tuple[int, float, float, float, float, bool, int, float, float]] = []) -> dict[str, Any]: ...

def hypotest(model: Model, run: dict[str, Any], mu: float, test_stat: str, qtilde_as_pyhf: bool) -> dict[str, Any]: ...

def upper_limit(model: Model, run: dict[str, Any], confidence_level: float, test_stat: str, rtol: float, scan: object | None = None) -> dict[str, Any]: ...

def significance(model: Model, run: dict[str, Any]) -> dict[str, Any]: ...

def goodness_of_fit(model: Model, run: dict[str, Any]) -> dict[str, Any]: ...

def toys(model: Model, run: dict[str, Any], settings: dict[str, Any], mu: float | None, truth: object | None, expected: object | None, keep: Sequence[str], collect: bool) -> dict[str, Any]: ...

def toy_data(model: Model, expected: numpy.typing.ArrayLike, settings: dict[str, Any], threads: int = 0) -> numpy.typing.NDArray[numpy.float64]: ...

def merge_toys(folders: Sequence[str], to: str) -> dict[str, Any]: ...

def toys_status(folder: str, shards: int = 0) -> dict[str, Any]: ...

def hypotest_toys(model: Model, run: dict[str, Any], settings: dict[str, Any], mu: float, test_stat: str, expected_set: bool, collect: bool) -> dict[str, Any]: ...

def upper_limit_toys(model: Model, run: dict[str, Any], settings: dict[str, Any], confidence_level: float, test_stat: str, scan: object | None = None) -> dict[str, Any]: ...

def significance_toys(model: Model, run: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]: ...

def goodness_of_fit_toys(model: Model, run: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]: ...

def feldman_cousins(model: Model, run: dict[str, Any], settings: dict[str, Any], parameter: str, confidence_level: float, values: object | None = None) -> dict[str, Any]: ...

def mass_scan_patchset(background: str, patchset: str, run: dict[str, Any], digest: str, measurement: str, confidence_level: float, test_stat: str, mu: float, rtol: float, shard: int = 1, shards: int = 1) -> dict[str, Any]: ...

def mass_scan_models(labels: Sequence[str], models: list[Model], values: Sequence[Sequence[float | str]], run: dict[str, Any], confidence_level: float, test_stat: str, mu: float, rtol: float) -> dict[str, Any]: ...

def open_session(model: Model, settings: dict[str, Any]) -> None:
    """
    Every question about this model is answered in one session from now on.
    """

def close_session(model: Model) -> None: ...

def session_facts(model: Model) -> dict[str, Any]: ...

def session_traffic(model: Model) -> dict[str, int]: ...

def devices() -> list[dict[str, Any]]: ...

def backend_summary() -> str: ...

def recommended_device() -> str: ...
