"""Toys: does the fit give back what was put in, and what is CLs when it is counted?

Writes toys.png into the current folder.
"""

from pathlib import Path

import numpy as np

import nextstat

model = nextstat.Model.from_workspace(Path(__file__).parents[1] / "search.json")
truth = nextstat.fit(model).bestfit
toys = nextstat.fit_toys(model, truth, n_toys=2000, seed=1)
print(toys)
print(f"bias of mu: {np.mean(toys.mu_hat) - truth[model.parameter_names.index('mu')]:+.4f}")

counted = nextstat.hypotest_toys(1.0, model, n_toys=2000, seed=1, expected_set=True, return_result=True)
formula = nextstat.hypotest(1.0, model)
print(f"CLs of mu = 1: {counted.cls:.3f} +- {counted.cls_error:.3f} in toys, {formula:.3f} by the asymptotic formula")
nextstat.plot.toys(counted).savefig("toys.png")
