"""Random workspaces: every modifier, 1 to 4 channels of 1 to 5 bins, 1 to 4 samples, yields from 1 to 10,000, empty and
negative bins, narrow bounds, starts at bounds, a POI that starts or ends at its bound.

    workspace = random_workspace(17)     # the same for the same seed
    random_points(model, 1000, seed=17)  # [point][parameter], uniform within the bounds
"""

import numpy as np


def random_workspace(seed):
    return _Generator(np.random.default_rng([20261115, seed])).workspace()


def random_points(model, count, seed):
    """Points within the bounds: half of them anywhere, half near the start."""
    rng = np.random.default_rng([4711, seed])
    low, high = np.array(model.suggested_bounds).T
    start = np.array(model.suggested_init)
    anywhere = rng.uniform(low, high, (count, len(start)))
    near = start + rng.normal(0, 0.1, (count, len(start))) * (high - low)
    points = np.where(np.arange(count)[:, None] % 2 == 0, anywhere, np.clip(near, low, high))
    return np.where(model.suggested_fixed, start, points)


class _Generator:
    def __init__(self, rng):
        self.rng = rng
        self.channels = []
        self.parameters = []  # of the measurement

    def chance(self, probability):
        return self.rng.random() < probability

    def workspace(self):
        for number in range(self.rng.integers(1, 5)):
            self.channels.append(self.channel(number))
        self.configure()
        return {
            "version": "1.0.0",
            "channels": self.channels,
            "observations": [{"name": one["name"], "data": self.observed(one)} for one in self.channels],
            "measurements": [{"name": "m", "config": {"poi": "mu", "parameters": self.parameters}}],
        }

    def channel(self, number):
        bins = int(self.rng.integers(1, 6))
        count = int(self.rng.integers(1, 5))
        has_signal = number == 0 or self.chance(0.5)
        stat = self.chance(0.5)
        samples = []
        for index in range(count):
            yields = self.yields(bins)
            modifiers = self.modifiers(number, index, yields)
            if index == 0 and has_signal:
                modifiers.insert(0, {"name": "mu", "type": "normfactor", "data": None})
            if stat and self.chance(0.7):
                sizes = np.abs(yields) * self.rng.uniform(0.0, 0.3, bins)
                modifiers.append({"name": f"stat_{number}", "type": "staterror", "data": sizes.tolist()})
            samples.append({"name": f"s{index}", "data": yields.tolist(), "modifiers": modifiers})
        return {"name": f"c{number}", "samples": samples}

    def yields(self, bins):
        scale = 10 ** self.rng.uniform(0, 4)
        yields = np.round(scale * self.rng.uniform(0.05, 1.0, bins), 4)
        if self.chance(0.15):
            yields[self.rng.integers(bins)] = 0.0
        if self.chance(0.05):
            yields[self.rng.integers(bins)] *= -0.3
        return yields

    def modifiers(self, channel, sample, yields):
        bins, rng = len(yields), self.rng
        modifiers = []
        for number in range(rng.integers(0, 3)):
            low, high = rng.uniform(0.7, 1.0), rng.uniform(0.9, 1.3)
            modifiers.append({"name": f"ns{number}", "type": "normsys", "data": {"lo": low, "hi": high}})
        for number in range(rng.integers(0, 3)):
            width = 0.3 if self.chance(0.8) else 1.5  # some variations make a bin negative
            high, low = (yields * (1 + rng.normal(0, width, bins)) for _ in range(2))
            data = {"hi_data": high.tolist(), "lo_data": low.tolist()}
            modifiers.append({"name": f"hs{number}", "type": "histosys", "data": data})
        if self.chance(0.2):
            modifiers.append({"name": f"norm{rng.integers(2)}", "type": "normfactor", "data": None})
        if self.chance(0.12):
            modifiers.append({"name": "lumi", "type": "lumi", "data": None})
        if self.chance(0.12):
            modifiers.append({"name": f"sf_{channel}", "type": "shapefactor", "data": None})
        if self.chance(0.2):
            sizes = np.abs(yields) * rng.uniform(0.0, 0.4, bins)
            modifiers.append({"name": f"shape_{channel}_{sample}", "type": "shapesys", "data": sizes.tolist()})
        return modifiers

    def observed(self, channel):
        total = sum(np.array(sample["data"]) for sample in channel["samples"])
        counts = self.rng.poisson(np.clip(total * self.rng.uniform(0.6, 1.5), 0, None)).astype(float)
        if self.chance(0.15):
            counts[self.rng.integers(len(counts))] = 0.0
        return counts.tolist()

    def names(self, kind):
        return sorted(
            {
                modifier["name"]
                for channel in self.channels
                for sample in channel["samples"]
                for modifier in sample["modifiers"]
                if modifier["type"] == kind
            }
        )

    def configure(self):
        low = float(self.rng.choice([0.0, 0.0, -5.0]))
        high = float(self.rng.choice([10.0, 10.0, 1.0, 100.0]))
        start = float(self.rng.choice([1.0, 0.0, high]))
        self.parameters.append({"name": "mu", "inits": [start], "bounds": [[low, high]]})
        if self.names("lumi"):
            entry = {"name": "lumi", "inits": [1.0], "bounds": [[0.5, 1.5]], "auxdata": [1.0], "sigmas": [0.02]}
            self.parameters.append(entry)
        for name in self.names("normsys") + self.names("histosys"):
            if self.chance(0.05):
                self.parameters.append({"name": name, "fixed": True})
            elif self.chance(0.1):
                bound = float(self.rng.choice([0.3, 1.0, 2.0]))
                edge = float(self.rng.choice([0.0, bound, -bound]))
                self.parameters.append({"name": name, "inits": [edge], "bounds": [[-bound, bound]]})
        for name in self.names("normfactor"):
            if name != "mu" and self.chance(0.3):
                self.parameters.append({"name": name, "inits": [1.0], "bounds": [[0.5, 2.0]]})
