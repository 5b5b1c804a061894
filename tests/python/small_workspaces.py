"""Small workspaces for tests of what the verbs say: one channel, a signal with mu, a background."""

import json
import random

from conftest import ROOT

SIMPLE = ROOT / "examples/simple.json"


def write(path, document):
    path.write_text(json.dumps(document))
    return path


def workspace(signal, background, observed, modifiers=(), parameters=(), poi="mu"):
    """Lists of bins; `modifiers` act on the background."""
    return {
        "version": "1.0.0",
        "channels": [{"name": "c", "samples": [
            {"name": "signal", "data": signal, "modifiers": [{"name": "mu", "type": "normfactor", "data": None}]},
            {"name": "background", "data": background, "modifiers": list(modifiers)},
        ]}],
        "observations": [{"name": "c", "data": observed}],
        "measurements": [{"name": "m", "config": {"poi": poi, "parameters": list(parameters)}}],
    }


def with_flat_direction():
    """Two factors of the same background: only their product is known."""
    factors = [{"name": name, "type": "normfactor", "data": None} for name in ("one", "two")]
    return workspace([5.0, 10.0, 5.0], [50.0, 60.0, 70.0], [52, 71, 70], factors)


def many_parameters(number):
    """A signal on a falling background with as many systematics of every shape, for work that takes a while."""
    chance, bins = random.Random(number), 60
    background = [2000 * 0.95**i for i in range(bins)]

    def varied(spread):
        return [value * (1 + chance.uniform(-spread, spread)) for value in background]

    shapes = [{"name": f"shape_{i}", "type": "histosys", "data": {"lo_data": varied(0.02), "hi_data": varied(0.02)}}
              for i in range(number)]
    return workspace([20.0] * bins, background, [round(value + 10) for value in background], shapes)


def hostile(seed):
    """Shapes of all sizes that contradict the data: many fits do not converge."""
    chance = random.Random(seed)

    def size(low, high):
        return 10 ** chance.uniform(low, high)

    def shape(name):
        sides = [[chance.uniform(-1, 1) * size(0, 6) for _ in range(2)] for _ in range(2)]
        return {"name": name, "type": "histosys", "data": {"lo_data": sides[0], "hi_data": sides[1]}}

    scale = {"name": "scale", "type": "normsys", "data": {"lo": size(-12, 0), "hi": size(0, 12)}}
    return workspace([size(-3, 3), size(-3, 3)], [size(-3, 4), size(-3, 4)], [round(size(0, 3)), round(size(0, 6))],
                     [shape("a"), shape("b"), scale, {"name": "free", "type": "normfactor", "data": None}])
