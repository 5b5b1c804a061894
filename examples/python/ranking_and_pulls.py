"""What a fit did to the nuisance parameters, and which of them matter.

Writes pulls.png, ranking.png, correlation.png, before_fit.png and after_fit.png into the current folder.
"""

from pathlib import Path

import nextstat

model = nextstat.Model.from_workspace(Path(__file__).parents[1] / "search.json")
fitted = nextstat.fit(model, minos="mu")
down, up = fitted.minos["mu"]
print(f"mu = {fitted['mu']:.3f} {down:+.3f} {up:+.3f}")

impacts = nextstat.ranking(model, groups={"statistics": ["staterror_*"], "jets": ["jet_*"]})
for entry in impacts.entries[:5]:
    print(f"{entry.name:24} {entry.impact_up:+.4f} {entry.impact_down:+.4f}  pull {entry.pull:+.2f}")
for group in impacts.groups:
    print(f"{group.name:24} {group.impact:.4f} from {group.members} parameters")

nextstat.plot.pulls(fitted, max_parameters=30).savefig("pulls.png")
nextstat.plot.ranking(impacts, max_parameters=15).savefig("ranking.png")
nextstat.plot.correlation(fitted, threshold=0.3).savefig("correlation.png")
regions = ["SR_1b", "SR_2b"]
nextstat.plot.data_model(model, channels=regions).savefig("before_fit.png")
nextstat.plot.data_model(model, fitted, channels=regions).savefig("after_fit.png")
