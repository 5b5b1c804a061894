"""Work over a Dask cluster: toys, mass scans and rankings, with the numbers and bytes of one process.

    from distributed import Client, LocalCluster

    client = Client(LocalCluster(n_workers=4, threads_per_worker=1))
    toys = nextstat.distributed.fit_toys(client, "analysis.json", n_toys=100_000, seed=7, out="run")

Work is cut into parts that do not depend on each other. A part whose worker is lost is computed again by another one; what
comes in is put in its place, whatever the order. No shared file system is needed: files go to the client, which writes them.
"""

from __future__ import annotations

from .scans import mass_scan, ranking
from .toys import fit_toys, hypotest_toys

__all__ = ["fit_toys", "hypotest_toys", "mass_scan", "ranking"]
