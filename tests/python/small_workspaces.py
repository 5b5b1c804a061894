"""Small workspaces, most with one channel: a signal with mu, a background."""

import copy
import hashlib
import json
import random

MU = {"name": "mu", "type": "normfactor", "data": None}


def modifier(name, kind, data=None):
    return {"name": name, "type": kind, "data": data}


def normsys(name, lo, hi):
    return modifier(name, "normsys", {"lo": lo, "hi": hi})


def histosys(name, lo, hi):
    return modifier(name, "histosys", {"lo_data": lo, "hi_data": hi})


def shapesys(*uncertainties, name="gamma"):
    return modifier(name, "shapesys", list(uncertainties))


def sample(name, data, *modifiers):
    return {"name": name, "data": list(data), "modifiers": [dict(each) for each in modifiers]}


def several_channels(channels, observed, parameters=(), poi="mu"):
    """channels: {name: [sample, ...]}, observed: {name: counts}."""
    return {
        "version": "1.0.0",
        "channels": [{"name": name, "samples": samples} for name, samples in channels.items()],
        "observations": [{"name": name, "data": list(counts)} for name, counts in observed.items()],
        "measurements": [{"name": "m", "config": {"poi": poi, "parameters": list(parameters)}}],
    }


def one_channel(samples, observed, parameters=(), poi="mu"):
    return several_channels({"c": samples}, {"c": observed}, parameters, poi)


def workspace(signal, background, observed, modifiers=(), parameters=(), poi="mu"):
    """Lists of bins; `modifiers` act on the background."""
    return one_channel([sample("signal", signal, MU), sample("background", background, *modifiers)], observed, parameters, poi)


def two_bins(signal=(12.0, 11.0), background=(50.0, 52.0), uncertainty=(3.0, 7.0), observed=(51, 48), parameters=()):
    """pyhf's first example: two bins with uncorrelated uncertainties of the background."""
    return workspace(signal, background, observed, [shapesys(*uncertainty, name="uncorr_bkguncrt")], parameters)


def patchset_of(background, patches, labels=("mass", "model")):
    """patches: {name: (values, [operation, ...])}."""
    canonical = json.dumps(background, sort_keys=True, ensure_ascii=False).encode()
    return {
        "version": "1.0.0",
        "metadata": {"name": "signals", "description": "d", "labels": list(labels), "references": {"hepdata": "ins1755298"},
                     "digests": {"sha256": hashlib.sha256(canonical).hexdigest()}},
        "patches": [{"metadata": {"name": name, "values": values}, "patch": patch} for name, (values, patch) in patches.items()],
    }


def mass_points(whole, points, broken):
    """(background, patchset): the first sample in several sizes, points = {name: (mass, size)}; the one called `broken` does not fit."""
    background, patches = copy.deepcopy(whole), {}
    signal = background["channels"][0]["samples"].pop(0)
    for name, (mass, size) in points.items():
        data = [size * value for value in signal["data"]] + [1.0] * (name == broken)
        patches[name] = [mass, "x"], [{"op": "add", "path": "/channels/0/samples/0", "value": signal | {"data": data}}]
    return background, patchset_of(background, patches)


def with_flat_direction():
    """Two factors of the same background: only their product is known."""
    factors = [modifier(name, "normfactor") for name in ("one", "two")]
    return workspace([5.0, 10.0, 5.0], [50.0, 60.0, 70.0], [52, 71, 70], factors)


def many_parameters(number):
    """A signal on a falling background with as many systematics of every shape, for work that takes a while."""
    chance, bins = random.Random(number), 60
    background = [2000 * 0.95**i for i in range(bins)]

    def varied(spread):
        return [value * (1 + chance.uniform(-spread, spread)) for value in background]

    shapes = [histosys(f"shape_{i}", varied(0.02), varied(0.02)) for i in range(number)]
    return workspace([20.0] * bins, background, [round(value + 10) for value in background], shapes)


def hostile(seed):
    """Shapes of all sizes that contradict the data: many fits do not converge."""
    chance = random.Random(seed)

    def size(low, high):
        return 10 ** chance.uniform(low, high)

    def shape(name):
        return histosys(name, *([chance.uniform(-1, 1) * size(0, 6) for _ in range(2)] for _ in range(2)))

    scale = normsys("scale", size(-12, 0), size(0, 12))
    return workspace([size(-3, 3), size(-3, 3)], [size(-3, 4), size(-3, 4)], [round(size(0, 3)), round(size(0, 6))],
                     [shape("a"), shape("b"), scale, modifier("free", "normfactor")])
