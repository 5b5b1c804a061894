"""Figures of results: each function takes a result and returns a matplotlib figure.

    nextstat.plot.pulls(nextstat.fit(model)).savefig("pulls.png")

Nothing is shown or saved by itself and matplotlib's settings stay as they are. matplotlib is only imported
when a figure is drawn; ``pip install matplotlib`` brings it. Instead of a record every function also takes the
dict of its JSON, such as ``json.load`` gives of what the command line wrote.
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
