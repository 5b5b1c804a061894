"""Figures of results: each function takes a result and returns a matplotlib figure.

    nextstat.plot.pulls(nextstat.fit(model)).savefig("pulls.png")

Figures are not shown or saved automatically, and matplotlib's settings do not change. matplotlib is imported
only when a figure is drawn; ``pip install matplotlib`` installs it. Instead of a record, every function also
takes the dict of its JSON, for example from ``json.load`` of a file written by the command line.
"""

from ._correlation import correlation
from ._data_model import data_model
from ._limit import limit
from ._mass_scan import mass_scan
from ._pulls import pulls
from ._ranking import ranking
from ._scan import scan
from ._toys import toys

__all__ = ["correlation", "data_model", "limit", "mass_scan", "pulls", "ranking", "scan", "toys"]
