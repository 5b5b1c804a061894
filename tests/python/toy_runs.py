"""Toy runs written by the description in docs/toys.md alone, for tests that need them without fitting."""

import hashlib
import json
import math
import struct

IDENTITY = {
    "schema": "nextstat/toy-run/2",
    "kind": "hypotest-toys",
    "nextstat_version": "0.1.0",
    "labels": {"measurement": "search", "workspace_digest": "a" * 64},
    "settings": {"mu": 1.0, "poi": "mu", "fixed": {"lumi": 0.5}},
    "seed": 42,
    "columns": ["q", "mu_hat", "converged"],
    "ensembles": [
        {"hypothesis": 0, "name": "background", "n_toys": 25},
        {"hypothesis": 1, "name": "signal + background", "n_toys": 30},
    ],
    "toys_per_block": 10,
}


def record(seed, ensemble, toy):
    """The same numbers as tests/unit/toy_folder/synthetic_run.h."""
    converged = toy % 7 != 3
    key = seed + ensemble
    return [math.fmod(toy * key, 11) / 8 if converged else math.nan, toy / 4 - key, 1.0 if converged else 0.0]


def ranges(identity):
    """(ensemble, first, count) of every block."""
    size = identity["toys_per_block"]
    for number, ensemble in enumerate(identity["ensembles"]):
        for first in range(0, ensemble["n_toys"], size):
            yield number, first, min(size, ensemble["n_toys"] - first)


def run_text(identity):
    return json.dumps(identity, indent=4, sort_keys=True) + "\n"


def write_run(folder, shard=(1, 1), **changes):
    identity = {**IDENTITY, **changes}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(run_text(identity))
    checksum = hashlib.sha256(run_text({**identity, "labels": {}}).encode()).hexdigest().encode()
    for number, (ensemble, first, count) in enumerate(ranges(identity)):
        if number % shard[1] != shard[0] - 1:
            continue
        values = [x for toy in range(first, first + count) for x in record(identity["seed"], ensemble, toy)]
        data = b"NEXTTOYS" + struct.pack("<6Q", 1, number, ensemble, first, count, len(identity["columns"]))
        data += checksum + struct.pack(f"<{len(values)}d", *values)
        (folder / f"block-{number:08}.toys").write_bytes(data + hashlib.sha256(data).hexdigest().encode())
    return folder


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}
