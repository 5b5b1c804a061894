#!/usr/bin/env python3
"""Writes examples/search.json: a search for a resonance in events with one lepton and b-tagged jets.

    examples/make_example.py examples/search.json

Two signal regions, a control region for each of the two backgrounds whose size the data decide, and a validation region between
them; a signal and five backgrounds; detector and theory uncertainties as shapes and normalizations. The counts are drawn with a
signal of 0.8 times the nominal one and with nuisance parameters off their centers, so that a fit has something to find. The same
bytes every time: only random.random() is used, whose sequence Python promises, and numbers are rounded before they are written.
"""
import argparse
import json
import math
import random
from dataclasses import dataclass

SEED = 1964
TRUE_MU = 0.8
TRUE_NORMS = {"ttbar_norm": 0.94, "wjets_norm": 1.12}


@dataclass(frozen=True)
class Region:
    name: str
    edges: tuple  # of the reconstructed mass, GeV
    yields: dict  # {sample: expected events}

    def centers(self):
        return [(low + high) / 2 for low, high in zip(self.edges, self.edges[1:])]


@dataclass(frozen=True)
class Systematic:
    name: str
    kind: str  # "histosys" or "normsys"
    size: float  # relative effect of one sigma
    samples: tuple  # that it acts on


SAMPLES = ("signal", "ttbar", "wjets", "single_top", "diboson", "fakes")
SIMULATED = SAMPLES[:-1]
SLOPES = {"ttbar": 150.0, "wjets": 190.0, "single_top": 165.0, "diboson": 175.0, "fakes": 110.0}  # GeV

SEARCH_BINS = (250, 300, 350, 400, 450, 500, 550, 600, 700, 800, 1000)
CONTROL_BINS = (200, 300, 400, 500, 600, 750, 1000)
REGIONS = (
    Region("SR_2b", SEARCH_BINS, dict(zip(SAMPLES, (48.0, 640.0, 120.0, 74.0, 16.0, 22.0)))),
    Region("SR_1b", SEARCH_BINS, dict(zip(SAMPLES, (33.0, 900.0, 1050.0, 160.0, 70.0, 85.0)))),
    Region("CR_ttbar", CONTROL_BINS, dict(zip(SAMPLES, (2.0, 4200.0, 240.0, 310.0, 22.0, 60.0)))),
    Region("CR_wjets", CONTROL_BINS, dict(zip(SAMPLES, (1.5, 620.0, 5300.0, 150.0, 260.0, 210.0)))),
    Region("VR_1b", CONTROL_BINS, dict(zip(SAMPLES, (3.0, 760.0, 880.0, 120.0, 55.0, 48.0)))),
)


def systematics():
    """Every uncertainty of the analysis but lumi and the simulation's own statistics."""
    def family(name, count, kind, size, samples=SIMULATED):
        return [Systematic(f"{name}_{i + 1}", kind, size / math.sqrt(i + 1.0), samples) for i in range(count)]

    return [
        *family("jet_energy_scale", 13, "histosys", 0.045),
        *family("jet_energy_resolution", 7, "histosys", 0.03),
        *family("btag_b", 8, "normsys", 0.035),
        *family("btag_c", 3, "normsys", 0.03, ("wjets", "diboson")),
        *family("btag_light", 4, "normsys", 0.04, ("wjets", "diboson")),
        *family("missing_energy", 3, "histosys", 0.012),
        *family("electron", 5, "normsys", 0.01),
        *family("muon", 7, "normsys", 0.01),
        Systematic("pileup", "histosys", 0.012, SIMULATED),
        Systematic("ttbar_radiation", "histosys", 0.06, ("ttbar",)),
        Systematic("ttbar_parton_shower", "histosys", 0.07, ("ttbar",)),
        Systematic("ttbar_matching", "histosys", 0.04, ("ttbar",)),
        Systematic("ttbar_pdf", "histosys", 0.015, ("ttbar",)),
        Systematic("wjets_scale", "histosys", 0.08, ("wjets",)),
        Systematic("wjets_matching", "histosys", 0.05, ("wjets",)),
        Systematic("wjets_heavy_flavor", "normsys", 0.12, ("wjets",)),
        Systematic("single_top_cross_section", "normsys", 0.055, ("single_top",)),
        Systematic("single_top_interference", "histosys", 0.12, ("single_top",)),
        Systematic("diboson_cross_section", "normsys", 0.10, ("diboson",)),
        *family("fake_rate", 3, "histosys", 0.25, ("fakes",)),
        Systematic("fake_normalization", "normsys", 0.30, ("fakes",)),
        Systematic("signal_scale", "normsys", 0.06, ("signal",)),
        Systematic("signal_parton_shower", "histosys", 0.04, ("signal",)),
        Systematic("signal_pdf", "normsys", 0.03, ("signal",)),
    ]


def normal(rng):
    """A standard normal number (Box and Muller)."""
    return math.sqrt(-2.0 * math.log(1.0 - rng.random())) * math.cos(2.0 * math.pi * rng.random())


def poisson(rng, mean):
    """A count, by multiplication of uniform numbers in steps of 100."""
    count = 0
    while mean > 0.0:
        step = min(mean, 100.0)
        mean -= step
        product = rng.random()
        while product > math.exp(-step):
            count += 1
            product *= rng.random()
    return count


def rounded(value):
    """Four significant digits."""
    return float(f"{value:.4g}")


def nominal(region, sample):
    """Expected events per bin: a peak at 600 GeV for the signal, exponentials for the backgrounds."""
    if sample == "signal":
        def upto(x):
            return math.erf((x - 600.0) / (90.0 * math.sqrt(2.0)))
    else:
        def upto(x):
            return -math.exp(-x / SLOPES[sample])
    shares = [upto(high) - upto(low) for low, high in zip(region.edges, region.edges[1:])]
    return [rounded(region.yields[sample] * share / sum(shares)) for share in shares]


def shape_effect(rng, size, region):
    """Relative change of each bin for +1 sigma: a normalization, a tilt and a bend over the mass."""
    level, tilt, bend = (size * normal(rng) * factor for factor in (0.6, 0.7, 0.4))
    mass = [(center - 500.0) / 400.0 for center in region.centers()]
    return [level + tilt * x + bend * (x * x - 0.3) for x in mass]


def histosys(name, yields, effect, asymmetry):
    high = [rounded(y * (1.0 + e)) for y, e in zip(yields, effect)]
    low = [rounded(y * (1.0 - e * asymmetry)) for y, e in zip(yields, effect)]
    return {"name": name, "type": "histosys", "data": {"hi_data": high, "lo_data": low}}


def normsys(name, effect):
    return {"name": name, "type": "normsys", "data": {"hi": rounded(1.0 + effect), "lo": rounded(1.0 / (1.0 + effect))}}


def modifiers(rng, region, sample, yields):
    listed = []
    if sample == "signal":
        listed.append({"name": "mu", "type": "normfactor", "data": None})
    if f"{sample}_norm" in TRUE_NORMS:
        listed.append({"name": f"{sample}_norm", "type": "normfactor", "data": None})
    elif sample != "fakes":
        listed.append({"name": "lumi", "type": "lumi", "data": None})
    for systematic in systematics():
        if sample not in systematic.samples:
            continue
        if systematic.kind == "normsys":
            listed.append(normsys(systematic.name, systematic.size * (0.7 + 0.6 * rng.random())))
        else:
            effect = shape_effect(rng, systematic.size, region)
            listed.append(histosys(systematic.name, yields, effect, 0.8 + 0.4 * rng.random()))
    statistics = [rounded(math.sqrt(0.12 * y) + 0.01 * y) for y in yields]
    listed.append({"name": f"staterror_{region.name}", "type": "staterror", "data": statistics})
    return listed


def make_channels(rng):
    channels = []
    for region in REGIONS:
        samples = []
        for sample in SAMPLES:
            yields = nominal(region, sample)
            samples.append({"name": sample, "data": yields, "modifiers": modifiers(rng, region, sample, yields)})
        channels.append({"name": region.name, "samples": samples})
    return channels


def true_rate(sample, truth, index):
    """The rate of one bin of a sample where the nuisance parameters have their true values."""
    rate = sample["data"][index]
    factor = TRUE_MU if sample["name"] == "signal" else TRUE_NORMS.get(f"{sample['name']}_norm", 1.0)
    for modifier in sample["modifiers"]:
        alpha = truth.get(modifier["name"], 0.0)
        if modifier["type"] == "normsys":
            factor *= modifier["data"]["hi" if alpha > 0 else "lo"] ** abs(alpha)
        elif modifier["type"] == "histosys":
            varied = modifier["data"]["hi_data" if alpha > 0 else "lo_data"][index]
            rate += abs(alpha) * (varied - sample["data"][index])
    return factor * rate


def make_observations(rng, channels):
    truth = {systematic.name: 0.6 * normal(rng) for systematic in systematics()}
    observations = []
    for channel in channels:
        bins = range(len(channel["samples"][0]["data"]))
        counts = [poisson(rng, sum(true_rate(sample, truth, i) for sample in channel["samples"])) for i in bins]
        observations.append({"name": channel["name"], "data": counts})
    return observations


def make_workspace():
    rng = random.Random(SEED)
    channels = make_channels(rng)
    parameters = [
        {"name": "mu", "inits": [1.0], "bounds": [[0.0, 10.0]]},
        {"name": "lumi", "inits": [1.0], "bounds": [[0.9, 1.1]], "auxdata": [1.0], "sigmas": [0.0083]},
        *({"name": name, "inits": [1.0], "bounds": [[0.0, 5.0]]} for name in TRUE_NORMS),
    ]
    return {
        "channels": channels,
        "observations": make_observations(rng, channels),
        "measurements": [{"name": "search", "config": {"poi": "mu", "parameters": parameters}}],
        "version": "1.0.0",
    }


def as_text(workspace):
    """JSON with a modifier on each line, so that differences can be read."""
    def compact(value):
        return json.dumps(value, separators=(",", ":"))

    channels = []
    for channel in workspace["channels"]:
        samples = []
        for sample in channel["samples"]:
            lines = ",\n".join("   " + compact(modifier) for modifier in sample["modifiers"])
            head = f'{{"name":"{sample["name"]}","data":{compact(sample["data"])},"modifiers":[\n'
            samples.append("  " + head + lines + "]}")
        channels.append(f' {{"name":"{channel["name"]}","samples":[\n' + ",\n".join(samples) + "]}")
    rest = ",\n".join(f'"{key}":{compact(workspace[key])}' for key in ("observations", "measurements", "version"))
    return '{"channels":[\n' + ",\n".join(channels) + "],\n" + rest + "}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    with open(parser.parse_args().path, "w", encoding="ascii", newline="\n") as out:
        out.write(as_text(make_workspace()))


if __name__ == "__main__":
    main()
