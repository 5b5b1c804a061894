"""Code written for pyhf, on nextstat: only the import is another one."""

import json
from pathlib import Path

import nextstat.pyhf as pyhf

workspace = pyhf.Workspace(json.loads((Path(__file__).parents[1] / "search.json").read_text()))
model = workspace.model()
data = workspace.data(model)

bestfit = pyhf.infer.mle.fit(data, model)
print(f"mu = {bestfit[model.config.poi_index]:.4f}")
observed, expected = pyhf.infer.hypotest(1.0, data, model, test_stat="qtilde", return_expected_set=True)
print(f"CLs of mu = 1: {float(observed):.4f}, expected {[round(float(value), 4) for value in expected]}")
limit, band = pyhf.infer.intervals.upper_limits.upper_limit(data, model)
print(f"mu < {float(limit):.4f}, expected {float(band[2]):.4f}")
