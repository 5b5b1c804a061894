"""The profile likelihood: over one parameter, over a plane of two, and the interval that follows from it.

Writes scan.png and plane.png into the current folder.
"""

from pathlib import Path

import numpy as np

import nextstat

model = nextstat.Model.from_workspace(Path(__file__).parents[1] / "search.json")
curve = nextstat.profile_scan(model, np.linspace(0, 2.5, 26))
print(curve)
print(nextstat.profile_ci(model, confidence_level=0.95))

plane = nextstat.profile_scan(
    model, np.linspace(-0.2, 2.0, 23), parameter2="ttbar_norm", values2=np.linspace(0.75, 1.25, 21)
)
nextstat.plot.scan(curve).savefig("scan.png")
nextstat.plot.scan(plane).savefig("plane.png")
