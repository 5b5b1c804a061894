"""Small workspaces that the benchmarks generate."""
import random


def modifier(name, kind, data=None):
    return {"name": name, "type": kind, "data": data}


def workspace(channels, observations, parameters=()):
    return {"channels": channels, "observations": observations, "version": "1.0.0",
            "measurements": [{"name": "m", "config": {"poi": "mu", "parameters": list(parameters)}}]}


def many_gammas():
    """50 channels of 4 bins: mu and 200 gammas with Poisson constraints."""
    rng = random.Random(3)
    channels, observations = [], []
    for number in range(50):
        background = [rng.uniform(40, 120) for _ in range(4)]
        channels.append({"name": f"c{number}", "samples": [
            {"name": "signal", "data": [rng.uniform(1, 4) for _ in range(4)], "modifiers": [modifier("mu", "normfactor")]},
            {"name": "background", "data": background,
             "modifiers": [modifier(f"g{number}", "shapesys", [0.1 * x for x in background])]}]})
        observations.append({"name": f"c{number}", "data": [float(round(rng.gauss(x, x ** 0.5))) for x in background]})
    return workspace(channels, observations)


def two_bins():
    return workspace([{"name": "singlechannel", "samples": [
        {"name": "signal", "data": [12.0, 11.0], "modifiers": [modifier("mu", "normfactor")]},
        {"name": "background", "data": [50.0, 52.0], "modifiers": [modifier("uncorr_bkguncrt", "shapesys", [3.0, 7.0])]}]}],
        [{"name": "singlechannel", "data": [51.0, 48.0]}])


def eight_parameters():
    common = [modifier("lumi", "lumi"), modifier("bkg_norm", "normsys", {"hi": 1.05, "lo": 0.96})]
    return workspace(
        [{"name": "SR", "samples": [
            {"name": "signal", "data": [5.0, 9.0], "modifiers": [modifier("mu", "normfactor"), modifier("lumi", "lumi"),
                                                                 modifier("signal_norm", "normsys", {"hi": 1.1, "lo": 0.9})]},
            {"name": "background", "data": [50.0, 60.0], "modifiers": [
                *common, modifier("shape", "histosys", {"hi_data": [52.0, 63.0], "lo_data": [49.0, 58.0]}),
                modifier("staterror_SR", "staterror", [3.0, 4.0])]}]},
         {"name": "CR", "samples": [
             {"name": "background", "data": [110.0], "modifiers": [
                 *common, modifier("shape", "histosys", {"hi_data": [114.0], "lo_data": [107.0]}),
                 modifier("staterror_CR", "staterror", [4.0])]}]}],
        [{"name": "SR", "data": [55.0, 65.0]}, {"name": "CR", "data": [112.0]}],
        [{"name": "lumi", "auxdata": [1.0], "sigmas": [0.02], "bounds": [[0.9, 1.1]], "inits": [1.0]}])
