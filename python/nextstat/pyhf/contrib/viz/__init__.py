"""Plots: `from nextstat.pyhf.contrib.viz import brazil`."""
