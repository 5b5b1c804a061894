"""Toys, mass scans and rankings on a Dask cluster, with the same numbers and bytes as in one process.

    from distributed import Client, LocalCluster

    client = Client(LocalCluster(n_workers=4, threads_per_worker=1))
    toys = nextstat.distributed.fit_toys(client, "analysis.json", n_toys=100_000, seed=7, out="run")

Work is split into independent parts. If a worker is lost, another one computes its part again; results are put in order as
they arrive. No shared file system is needed: workers send files to the client, which writes them.
"""

from __future__ import annotations

from .scans import mass_scan, ranking
from .toys import fit_toys, hypotest_toys

__all__ = ["fit_toys", "hypotest_toys", "mass_scan", "ranking"]
