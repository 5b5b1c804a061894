"""Sessions: a model that stays on its device.

    with nextstat.Session(model, device="cuda") as session:
        best = session.fit()
        value, gradient = session.value_and_grad(best.bestfit)
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy.typing as npt

from . import _core
from .checks import flag, whole
from .errors import fail
from .fits import asimov_data, fit, fit_batch, fit_toys, fit_toys_from_data, poisson_toys
from .model import Array, Model, ModelLike, as_model
from .questions import (feldman_cousins, goodness_of_fit, hypotest, hypotest_toys, profile_ci, profile_scan, ranking, significance,
                        upper_limit)
from .results import (BatchFitResult, FeldmanCousinsResult, FitResult, GoodnessOfFitResult, IntervalResult, RankingResult,
                      SignificanceResult, ToysResult, UpperLimitResult)
from .run import threads_of
from .screen import printable


class Session:
    """A model on a device, opened once and asked any number of questions, until it is closed.

    Outside a session every question opens the device and closes it again. Questions are the functions of the package without
    their first argument, and a function takes a session wherever it takes a model. One question is answered at a time; a second
    thread waits, and a progress function gets an error where it asks the session that it reports about. The session stays usable
    after an error, results outlive it, and it belongs to the process that opened it.

    device: as in fit(); "auto" takes the best device that is ready. threads: of the processor; None is the number of
    set_threads(). device_memory: the most memory to use on a GPU, in bytes; 0 = all that is free there.
    """

    def __init__(self, model: ModelLike, *, device: str = "auto", fallback: bool = False, device_memory: int = 0,
                 threads: int | None = None, instruction_set: str | None = None) -> None:
        given = as_model(model)
        # Copies: the caller's model may change in place.
        self._given, self._in_session = Model._copied(given), Model._copied(given)
        for copy in (self._given, self._in_session):
            copy.__dict__["_without_data"] = not given.has_data
        _core.open_session(self._in_session, {
            "device": device, "fallback": flag("fallback", fallback), "device_memory": whole("device_memory", device_memory, 0),
            "threads": threads_of(threads), "instruction_set": instruction_set})
        self._facts = _core.session_facts(self._in_session)
        self._closed = False

    def _model_in_session(self) -> Model:
        if self._closed:
            fail("session", "it is closed", "open another one")
        return self._in_session

    def close(self) -> None:
        """Frees the device, as soon as a question under way in another thread is answered. Closing again does nothing."""
        self._closed = True
        _core.close_session(self._in_session)

    def __enter__(self) -> Session:
        self._model_in_session()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a session belongs to its process and cannot be copied or pickled; send its model instead")

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"open on {self.device} in {self.precision} ({self.device_choice})"
        return printable(f"Session: {state}; {self._given!r}")

    @property
    def model(self) -> Model:
        """The model as it was when the session was opened, outside the session."""
        return self._given

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._closed

    @property
    def device(self) -> str:
        """The device: "cpu", "cuda:0"."""
        return str(self._facts["device"])

    @property
    def precision(self) -> str:
        """"f64" or "f32"."""
        return str(self._facts["precision"])

    @property
    def device_choice(self) -> str:
        """Why it is this device."""
        return str(self._facts["choice"])

    @property
    def instruction_set(self) -> str:
        """The processor's instruction set, or the name of the GPU."""
        return str(self._facts["instruction_set"])

    def capabilities(self) -> dict[str, Any]:
        """What the device can do: batched_nll, batched_gradient, batched_fits, max_batch_size (0 = unlimited), autodiff, f64."""
        return dict(self._facts["capabilities"])

    def traffic(self) -> dict[str, int]:
        """Since it was opened: bytes_to_device, bytes_from_device, launches, synchronizations. All 0 on the CPU."""
        return _core.session_traffic(self._model_in_session())

    def nll(self, parameters: npt.ArrayLike, data: npt.ArrayLike | None = None) -> Any:
        """Model.nll(): a float at a point, an array for rows of points."""
        return self._model_in_session().nll(parameters, data)

    def grad_nll(self, parameters: npt.ArrayLike, data: npt.ArrayLike | None = None) -> Array:
        """Model.grad_nll()."""
        return self._model_in_session().grad_nll(parameters, data)

    def value_and_grad(self, parameters: npt.ArrayLike, data: npt.ArrayLike | None = None) -> tuple[Any, Array]:
        """Model.value_and_grad(): NLL and gradient in one pass, as minimizers ask for them."""
        return self._model_in_session().value_and_grad(parameters, data)

    def nll_parts(self, parameters: npt.ArrayLike, data: npt.ArrayLike | None = None) -> tuple[Any, Any]:
        """Model.nll_parts(): the NLL of the main bins and that of the constraints."""
        return self._model_in_session().nll_parts(parameters, data)

    def hessian(self, parameters: npt.ArrayLike, data: npt.ArrayLike | None = None) -> Array:
        """Model.hessian()."""
        return self._model_in_session().hessian(parameters, data)

    def expected_data(self, parameters: npt.ArrayLike, include_auxdata: bool = True) -> Array:
        """Model.expected_data()."""
        return self._model_in_session().expected_data(parameters, include_auxdata)

    def asimov_data(self, params: npt.ArrayLike | None = None) -> Array:
        """nextstat.asimov_data()."""
        return asimov_data(self, params)

    def poisson_toys(self, params: npt.ArrayLike | None = None, **options: Any) -> Array:
        """nextstat.poisson_toys()."""
        return poisson_toys(self, params, **options)

    def fit(self, **options: Any) -> FitResult:
        """nextstat.fit()."""
        return fit(self, **options)

    def fit_batch(self, datasets: npt.ArrayLike | None = None, **options: Any) -> BatchFitResult:
        """nextstat.fit_batch()."""
        return fit_batch(self, datasets, **options)

    def fit_toys(self, params: npt.ArrayLike | None = None, **options: Any) -> ToysResult:
        """nextstat.fit_toys()."""
        return fit_toys(self, params, **options)

    def fit_toys_from_data(self, expected: npt.ArrayLike, **options: Any) -> ToysResult:
        """nextstat.fit_toys_from_data()."""
        return fit_toys_from_data(self, expected, **options)

    def profile_scan(self, mu_values: npt.ArrayLike, **options: Any) -> Any:
        """nextstat.profile_scan()."""
        return profile_scan(self, mu_values, **options)

    def profile_ci(self, **options: Any) -> IntervalResult:
        """nextstat.profile_ci()."""
        return profile_ci(self, **options)

    def ranking(self, **options: Any) -> RankingResult:
        """nextstat.ranking()."""
        return ranking(self, **options)

    def hypotest(self, poi_test: float, **options: Any) -> Any:
        """nextstat.hypotest()."""
        return hypotest(poi_test, self, **options)

    def hypotest_toys(self, poi_test: float, **options: Any) -> Any:
        """nextstat.hypotest_toys()."""
        return hypotest_toys(poi_test, self, **options)

    def upper_limit(self, **options: Any) -> UpperLimitResult:
        """nextstat.upper_limit()."""
        return upper_limit(self, **options)

    def significance(self, **options: Any) -> SignificanceResult:
        """nextstat.significance()."""
        return significance(self, **options)

    def goodness_of_fit(self, **options: Any) -> GoodnessOfFitResult:
        """nextstat.goodness_of_fit()."""
        return goodness_of_fit(self, **options)

    def feldman_cousins(self, **options: Any) -> FeldmanCousinsResult:
        """nextstat.feldman_cousins()."""
        return feldman_cousins(self, **options)
