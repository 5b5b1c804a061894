"""A minimizer of your own over a session: SciPy asks for the NLL and its gradient, here or on a GPU.

    own_minimizer.py [DEVICE]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import nextstat

model = nextstat.Model.from_workspace(Path(__file__).parents[1] / "search.json")
width = np.where(np.isnan(model.prefit_sigmas), 0.1, model.prefit_sigmas)  # all parameters in units of about a sigma

with nextstat.Session(model, device=sys.argv[1] if len(sys.argv) > 1 else "cpu") as session:

    def value_and_grad(scaled: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = session.value_and_grad(scaled * width)
        return value, gradient * width

    found = minimize(value_and_grad, model.suggested_init / width, jac=True, method="L-BFGS-B",
                     bounds=model.suggested_bounds / width[:, None], options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 1000})
    best = session.fit()
    print(f"SciPy:    NLL {found.fun:.8f} after {found.nfev} calls on {session.device}")
    print(f"nextstat: NLL {best.nll:.8f} after {best.n_fev} calls, mu = {best['mu']:.3f} +- {best.uncertainty_of('mu'):.3f}")
    print("traffic: ", session.traffic())

assert abs(found.fun - best.nll) < 1e-5
