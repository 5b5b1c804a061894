"""What can compute here, and the same toys on all of it."""

from pathlib import Path

import numpy as np

import nextstat

print(nextstat.devices())
model = nextstat.Model.from_workspace(Path(__file__).parents[1] / "search.json")
reference = nextstat.fit_toys(model, n_toys=200, seed=3, device="cpu")

for device in ("cuda", "opencl"):
    try:
        toys = nextstat.fit_toys(model, n_toys=200, seed=3, device=device)
    except nextstat.DeviceError as error:
        print(f"{device}: {error.faults[0].what}")
        continue
    same = "the same bits" if np.array_equal(toys.nll, reference.nll) else "other bits"
    print(f"{toys.device}, {toys.precision}: {same} as on the CPU, {toys.wall_time_s:.3f} s")
