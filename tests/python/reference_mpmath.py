"""HistFactory in 40-digit arithmetic, straight from the formulas. Slow and plain; it shares no code with the program or pyhf.

    model = ReferenceModel(workspace, normsys="code4", histosys="code4p")
    model.nll({"mu": 1.5})            # parameters that are not named stand at their initial values
    model.expected({"mu": 1.5})       # {channel: [rate, ...]}

Numbers of the workspace count as the doubles they are read as. The parameters of a set are its values in the order of
channels and bins; sets that may be shared (normfactor, shapefactor, ...) are shared by name.
"""

import mpmath

DIGITS = 40
context = mpmath.ctx_mp.MPContext()
context.dps = DIGITS
mpf = context.mpf

# 16 c = M (hi - 1, lo - 1, hi ln hi, -lo ln lo, hi ln^2 hi, lo ln^2 lo)
CODE4 = [
    (15, -15, -7, -7, 1, -1),
    (24, 24, -9, 9, 1, 1),
    (-10, 10, 10, 10, -2, 2),
    (-24, -24, 14, -14, -2, -2),
    (3, -3, -3, -3, 1, -1),
    (8, 8, -5, 5, 1, 1),
]


def numbers(values):
    return [mpf(value) for value in values]


def factor(code, a, low, high):
    """normsys: f(a) between low, 1 and high."""
    if low <= 0 or high <= 0:  # no logarithm: straight lines through (-1, low), (0, 1), (1, high)
        return 1 + a * (high - 1) if a > 0 else 1 + a * (1 - low)
    if code == "code1" or abs(a) >= 1:
        return high**a if a > 0 else low ** (-a)
    log_high, log_low = context.log(high), context.log(low)
    b = (high - 1, low - 1, high * log_high, -low * log_low, high * log_high**2, low * log_low**2)
    coefficients = [sum(m * x for m, x in zip(row, b)) / 16 for row in CODE4]
    return 1 + sum(c * a ** (i + 1) for i, c in enumerate(coefficients))


def shift(code, a, low, nominal, high):
    """histosys: delta(a), 0 at 0, high - nominal at 1, low - nominal at -1."""
    up, down = high - nominal, nominal - low
    if code == "code4p" and abs(a) <= 1:
        return a * ((up + down) / 2 + a * (up - down) / 16 * (15 - 10 * a**2 + 3 * a**4))
    if code == "code2":  # a parabola, continued beyond +-1 with its value and slope there
        odd, even = (up + down) / 2, (up - down) / 2
        inside = max(min(a, 1), -1)
        return even * inside**2 + odd * inside + (a - inside) * (odd + 2 * even * inside)
    return a * up if a > 0 else a * down


def poisson(n, rate):
    """-log Pois(n | rate), n real."""
    if n == 0:
        return rate
    if rate <= 0:
        return context.inf
    return rate - n * context.log(rate) + context.loggamma(n + 1)


def normal(x, mean, sigma):
    """-log Gauss(x | mean, sigma)."""
    return context.log(sigma * context.sqrt(2 * context.pi)) + ((x - mean) / sigma) ** 2 / 2


def by_name(items):
    return sorted(items, key=lambda item: item["name"])


class ReferenceModel:
    def __init__(self, workspace, measurement=0, normsys="code4", histosys="code4p"):
        self.normsys, self.histosys = normsys, histosys
        self.channels = by_name(workspace["channels"])
        self.observed = {o["name"]: numbers(o["data"]) for o in workspace["observations"]}
        config = workspace["measurements"][measurement]["config"]
        self.config = {parameter["name"]: parameter for parameter in config["parameters"]}
        self.sets = {}  # name -> {"inits": [...], "constraint": ..., "auxdata": ..., "sigmas" or "factors": ...}
        self.first = {}  # (name, channel) -> component of the channel's bin 0; staterror only
        for channel in self.channels:
            for sample in by_name(channel["samples"]):
                for modifier in by_name(sample["modifiers"]):
                    self.declare(channel, sample, modifier)
        for name, entry in self.sets.items():
            entry.update({key: numbers(v) for key, v in self.config.get(name, {}).items() if key in entry and key != "constraint"})

    def declare(self, channel, sample, modifier):
        kind, name, bins = modifier["type"], modifier["name"], len(sample["data"])
        if kind == "staterror":
            return self.declare_staterror(channel, name, bins)
        if name in self.sets:
            return None
        if kind in ("normsys", "histosys"):
            self.sets[name] = {"constraint": "normal", "inits": [mpf(0)], "auxdata": [mpf(0)], "sigmas": [mpf(1)]}
        elif kind == "lumi":
            self.sets[name] = {"constraint": "normal", "inits": None, "auxdata": None, "sigmas": None}
        elif kind == "shapesys":
            pairs = list(zip(numbers(sample["data"]), numbers(modifier["data"])))
            taus = [(nominal / spread) ** 2 if nominal > 0 and spread > 0 else mpf(1) for nominal, spread in pairs]
            self.sets[name] = {"constraint": "poisson", "inits": [mpf(1)] * bins, "auxdata": taus, "factors": taus}
        else:
            count = bins if kind == "shapefactor" else 1
            self.sets[name] = {"constraint": None, "inits": [mpf(1)] * count}
        return None

    def declare_staterror(self, channel, name, bins):
        if (name, channel["name"]) in self.first:
            return
        entry = self.sets.setdefault(name, {"constraint": "normal", "inits": [], "auxdata": [], "sigmas": []})
        self.first[name, channel["name"]] = len(entry["inits"])
        nominal, variance = [mpf(0)] * bins, [mpf(0)] * bins
        for sample in channel["samples"]:
            for modifier in sample["modifiers"]:
                if (modifier["type"], modifier["name"]) == ("staterror", name):
                    nominal = [a + b for a, b in zip(nominal, numbers(sample["data"]))]
                    variance = [a + b**2 for a, b in zip(variance, numbers(modifier["data"]))]
        entry["sigmas"] += [context.sqrt(v) / n if n > 0 and v > 0 else mpf(1) for n, v in zip(nominal, variance)]
        entry["inits"] += [mpf(1)] * bins
        entry["auxdata"] += [mpf(1)] * bins

    def values(self, point):
        """{set: [value of each component]} from flat names."""
        used = set()

        def value(flat, initial):
            used.add(flat)
            return mpf(point[flat]) if flat in point else initial

        result = {}
        for name, entry in self.sets.items():
            inits = entry["inits"]
            scalar = len(inits) == 1 and name in point
            names = [name] if scalar else [f"{name}[{i}]" for i in range(len(inits))]
            result[name] = [value(flat, initial) for flat, initial in zip(names, inits)]
        unknown = set(point) - used
        if unknown:
            raise KeyError(f"no parameter {sorted(unknown)}")
        return result

    def sample_rates(self, channel, sample, values):
        nominal = numbers(sample["data"])
        bins = range(len(nominal))
        deltas, factors = [mpf(0)] * len(nominal), [mpf(1)] * len(nominal)
        for modifier in sample["modifiers"]:
            kind, theta, data = modifier["type"], values[modifier["name"]], modifier["data"]
            if kind == "histosys":
                low, high = numbers(data["lo_data"]), numbers(data["hi_data"])
                deltas = [deltas[b] + shift(self.histosys, theta[0], low[b], nominal[b], high[b]) for b in bins]
                continue
            if kind == "normsys":
                scale = [factor(self.normsys, theta[0], mpf(data["lo"]), mpf(data["hi"]))] * len(nominal)
            elif kind in ("normfactor", "lumi"):
                scale = theta * len(nominal)
            else:
                first = self.first.get((modifier["name"], channel["name"]), 0)
                scale = theta[first : first + len(nominal)]
            factors = [f * s for f, s in zip(factors, scale)]
        return [f * (n + d) for f, n, d in zip(factors, nominal, deltas)]

    def expected(self, point=()):
        values = self.values(dict(point))
        rates = {}
        for channel in self.channels:
            samples = [self.sample_rates(channel, sample, values) for sample in channel["samples"]]
            rates[channel["name"]] = [sum(column) for column in zip(*samples)]
        return rates

    def nll(self, point=()):
        total = mpf(0)
        for channel, rates in self.expected(point).items():
            total += sum(poisson(n, rate) for n, rate in zip(self.observed[channel], rates))
        values = self.values(dict(point))
        for name, entry in self.sets.items():
            if entry["constraint"] == "normal":
                total += sum(map(normal, entry["auxdata"], values[name], entry["sigmas"]))
            elif entry["constraint"] == "poisson":
                rates = [theta * tau for theta, tau in zip(values[name], entry["factors"])]
                total += sum(map(poisson, entry["auxdata"], rates))
        return total
