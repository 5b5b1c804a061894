"""p-values from toys: pseudo-data drawn at the conditional best fits of both hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._tails import tails
from .distributions import EmpiricalDistribution
from .mle import fixed_poi_fit
from .toy_batches import engine_for_toys, statistics
from .utils import get_test_stat

__all__ = ["ToyCalculator"]

_BATCH = 256  # toys between two steps of the progress bar

# Phi(-2), Phi(-1), Phi(0), Phi(1), Phi(2) in percent, with the digits that pyhf uses
_PERCENTILES = [2.27501319, 15.86552539, 50.0, 84.13447461, 97.72498681]


class ToyCalculator:
    """`ToyCalculator(data, model, ntoys=2000)`; toys come from NumPy's global generator (`numpy.random.seed`)."""

    def __init__(
        self,
        data: Any,
        pdf: Any,
        init_pars: Sequence[float] | None = None,
        par_bounds: Sequence[Any] | None = None,
        fixed_params: Sequence[bool] | None = None,
        test_stat: str = "qtilde",
        ntoys: int = 2000,
        track_progress: bool = True,
    ) -> None:
        self.ntoys = ntoys
        self.data = data
        self.pdf = pdf
        self.init_pars = init_pars or pdf.config.suggested_init()
        self.par_bounds = par_bounds or pdf.config.suggested_bounds()
        self.fixed_params = fixed_params or pdf.config.suggested_fixed()
        self.test_stat = test_stat
        self.track_progress = track_progress

    def distributions(
        self, poi_test: Any, track_progress: bool | None = None
    ) -> tuple[EmpiricalDistribution, EmpiricalDistribution]:
        """The distributions for toys with signal at `poi_test`, and for toys without signal (with it for q0)."""
        show = self.track_progress if track_progress is None else track_progress
        signal = self._sample(poi_test)
        background = self._sample(1.0 if self.test_stat == "q0" else 0.0)
        return (
            EmpiricalDistribution(self._statistics(poi_test, signal, "Signal-like", show)),
            EmpiricalDistribution(self._statistics(poi_test, background, "Background-like", show)),
        )

    def _sample(self, poi: float) -> Any:
        fitted = fixed_poi_fit(poi, self.data, self.pdf, self.init_pars, self.par_bounds, self.fixed_params)
        return self.pdf.make_pdf(fitted).sample((self.ntoys,))

    def _statistics(self, poi_test: Any, toys: Any, what: str, show: bool) -> npt.NDArray[Any]:
        statistic = get_test_stat(self.test_stat)
        settings = (self.init_pars, self.par_bounds, self.fixed_params)
        engine = engine_for_toys(self.pdf)
        if engine is None:
            one_by_one = _progress(toys, what, self.ntoys, show)
            return np.asarray([statistic(poi_test, toy, self.pdf, *settings) for toy in one_by_one])
        first = [statistic(poi_test, toys[0], self.pdf, *settings)]  # also gives this configuration's warnings
        batches = [toys[begin : begin + _BATCH] for begin in range(1, len(toys), _BATCH)]
        parts = [
            statistics(self.test_stat, poi_test, batch, self.pdf, *settings, engine)
            for batch in _progress(batches, what, len(batches), show)
        ]
        return np.concatenate([first, *parts])

    def pvalues(
        self,
        teststat: Any,
        sig_plus_bkg_distribution: EmpiricalDistribution,
        bkg_only_distribution: EmpiricalDistribution,
    ) -> tuple[Any, Any, Any]:
        """CLs+b, CLb and their ratio CLs."""
        return tails(teststat, sig_plus_bkg_distribution, bkg_only_distribution)

    def expected_pvalues(
        self, sig_plus_bkg_distribution: EmpiricalDistribution, bkg_only_distribution: EmpiricalDistribution
    ) -> list[list[Any]]:
        """[CLs+b, CLb, CLs], each the quantiles from -2 to +2 sigma over the background-only toys."""
        values = np.asarray(
            [
                self.pvalues(value, sig_plus_bkg_distribution, bkg_only_distribution)
                for value in bkg_only_distribution.samples
            ]
        )
        bands = np.percentile(values, _PERCENTILES, axis=0).T
        return [[np.asarray(value) for value in band] for band in bands]

    def teststatistic(self, poi_test: Any) -> Any:
        """The test statistic of the data."""
        statistic = get_test_stat(self.test_stat)
        return statistic(poi_test, self.data, self.pdf, self.init_pars, self.par_bounds, self.fixed_params)


def _progress(toys: Iterable[Any], what: str, total: int, show: bool) -> Iterator[Any]:
    """The toys, or batches of them, with a bar on stderr if tqdm is installed and `show` is True."""
    if show:
        try:
            import tqdm
        except ImportError:
            pass
        else:
            toys = tqdm.tqdm(toys, total=total, leave=False, unit="step", desc=what)
    return iter(toys)
