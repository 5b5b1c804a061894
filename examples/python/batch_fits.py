"""One model, many datasets: all of them fitted in one call, on every core or on a GPU."""

from pathlib import Path

import numpy as np

import nextstat

model = nextstat.Model.from_workspace(Path(__file__).parents[1] / "search.json")
expected = nextstat.asimov_data(model)

# The expected counts with the signal region SR_2b scaled by factors from 0.9 to 1.1.
factors = np.linspace(0.9, 1.1, 21)
datasets = np.tile(expected, (len(factors), 1))
datasets[:, model.channels["SR_2b"]] *= factors[:, np.newaxis]

fits = nextstat.fit_batch(model, datasets)
print(fits)
for factor, mu in zip(factors[::5], fits.mu_hat[::5]):
    print(f"SR_2b times {factor:.2f}: mu = {mu:+.3f}")

# Toy data can be drawn first and fitted later.
toys = nextstat.poisson_toys(model, n_toys=500, seed=7)
print(f"spread of mu in 500 toys: {np.std(nextstat.fit_batch(model, toys).mu_hat):.3f}")
