"""From a workspace to a limit plot in ten lines. Writes limit.png into the current folder."""

from pathlib import Path

import nextstat

model = nextstat.Model.from_workspace(Path(__file__).parents[1] / "search.json")
print(model)
print(nextstat.fit(model))
limit = nextstat.upper_limit(model)
print(limit)
nextstat.plot.limit(limit).savefig("limit.png")
