#!/usr/bin/env python3
"""Writes a valid HistFactory workspace of about N megabytes, the same bytes every time.

    bench/make_large_workspace.py large.json --megabytes 100

Every channel has the same shape: samples with a normsys, histosys and a staterror, numbers with 15 to 17 digits as an
analysis framework writes them. Twelve of the sixteen shapes and all normalizations are shared between channels, as in a
large combination. Channels are written one by one, so memory stays small.
"""
import argparse
import json
import random

SAMPLES = 8
BINS = 40
SHARED_SHAPES = 12  # histosys whose parameters all channels share
OWN_SHAPES = 4  # histosys of one channel
NORMS = 10


def varied(rng, values, size):
    """The values, each moved by a relative amount of about `size`."""
    gauss = rng.gauss
    return [value * (1.0 + size * gauss(0.0, 1.0)) for value in values]


def make_sample(rng, channel, sample):
    scale = 1000.0 * 0.5**sample
    nominal = [scale * (0.2 + rng.random()) for _ in range(BINS)]
    modifiers = []
    if sample == 0:
        modifiers.append({"name": "mu", "type": "normfactor", "data": None})
    for index in range(NORMS):
        size = 0.01 + 0.05 * rng.random()
        modifiers.append({"name": f"norm_{index}", "type": "normsys", "data": {"hi": 1.0 + size, "lo": 1.0 / (1.0 + size)}})
    names = [f"shape_{index}" for index in range(SHARED_SHAPES)]
    names += [f"shape_{channel}_{index}" for index in range(OWN_SHAPES)]
    for name in names:
        data = {"hi_data": varied(rng, nominal, 0.02), "lo_data": varied(rng, nominal, 0.02)}
        modifiers.append({"name": name, "type": "histosys", "data": data})
    stat = [0.03 * value for value in nominal]
    modifiers.append({"name": f"staterror_{channel}", "type": "staterror", "data": stat})
    return {"name": f"sample_{sample}", "data": nominal, "modifiers": modifiers}


def write_workspace(path, size, seed):
    """Writes channels until the file has `size` bytes; returns their number and the bytes written."""
    rng = random.Random(seed)
    observations = []
    with open(path, "w", encoding="ascii") as out:
        written = out.write('{"channels": [')
        while written < size:
            channel = f"channel_{len(observations):04d}"
            samples = [make_sample(rng, channel, sample) for sample in range(SAMPLES)]
            totals = [sum(column) for column in zip(*(sample["data"] for sample in samples))]
            data = [float(round(rng.gauss(total, total**0.5))) for total in totals]
            if observations:
                written += out.write(",\n")
            observations.append({"name": channel, "data": data})
            written += out.write(json.dumps({"name": channel, "samples": samples}))
        config = {"poi": "mu", "parameters": [{"name": "mu", "inits": [1.0], "bounds": [[0.0, 10.0]]}]}
        written += out.write('],\n"observations": ' + json.dumps(observations))
        written += out.write(',\n"measurements": ' + json.dumps([{"name": "large", "config": config}]))
        written += out.write(',\n"version": "1.0.0"}\n')
    return len(observations), written


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--megabytes", type=float, default=100.0, help="size of the file, in 10^6 bytes (default 100)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    channels, written = write_workspace(arguments.path, int(1e6 * arguments.megabytes), arguments.seed)
    print(f"{arguments.path}: {written / 1e6:.1f} MB, {channels} channels of {SAMPLES} samples and {BINS} bins")


if __name__ == "__main__":
    main()
