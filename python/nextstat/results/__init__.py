"""Records that the functions of nextstat return."""

from .base import FoundMinimum, Record, Result, SampledToys, Searched
from .fits import BatchFitResult, FitResult, GoodnessOfFit, ToysResult
from .profile import GroupImpact, IntervalResult, RankingEntry, RankingResult, ScanPoint, ScanResult
from .tests import (ExpectedSet, GoodnessOfFitResult, HypotestResult, MassPoint, MassScanResult, SignificanceResult,
                    UpperLimitResult)
from .toy_tests import (FeldmanCousinsPoint, FeldmanCousinsResult, GoodnessOfFitToysResult, HypotestToysResult,
                        SignificanceToysResult, UpperLimitToysResult)

__all__ = [
    "BatchFitResult", "ExpectedSet", "FeldmanCousinsPoint", "FeldmanCousinsResult", "FitResult", "FoundMinimum", "GoodnessOfFit",
    "GoodnessOfFitResult", "GoodnessOfFitToysResult", "GroupImpact", "HypotestResult", "HypotestToysResult",
    "IntervalResult", "MassPoint", "MassScanResult", "RankingEntry", "RankingResult", "Record", "Result", "SampledToys",
    "ScanPoint", "Searched", "ScanResult", "SignificanceResult", "SignificanceToysResult", "ToysResult", "UpperLimitResult", "UpperLimitToysResult",
]
