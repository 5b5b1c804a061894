#!/usr/bin/env python3
"""CLs and limits of public likelihoods with several minima: from the suggested start, from the deepest minimum, and by pyhf; and
what the search for the deepest minimum costs.

    bench/several_minima.py --save bench/results/minima-cpu.json    NEXTSTAT_DATA names the folder of public workspaces

pyhf's fits take minutes in all; --without-pyhf leaves them out.
"""
import argparse
import json
import math
import time
from pathlib import Path

import nextstat
from record import data_folder, save, seconds

POINTS = ("1lbb_325_50", "stau_260_1", "stau_340_1", "stau-comb-400-40")
COST = ("thu", "tttt", "stau-comb-400-40", "stau_260_1", "1lbb_325_50", "agc")


def models(folder):
    """{label: (path, patch)}"""
    found = {}
    for name in (*POINTS, *COST):
        for place in (folder, folder.parent / "repro"):
            if (place / f"{name}.json").is_file():
                found[name] = (place / f"{name}.json", None)
    for patch in json.loads((folder / "1lbb.patchset.json").read_text(encoding="utf-8"))["patches"]:
        found[patch["metadata"]["name"]] = (folder / "1lbb.bkg.json", patch["patch"])
    return found


def model_of(place):
    path, patch = place
    return nextstat.Model.from_workspace(path, patches=None if patch is None else [patch])


def answers(model, starts):
    test = nextstat.hypotest(1.0, model, return_result=True, starts=starts)
    limit = nextstat.upper_limit(model, starts=starts)
    fit = nextstat.fit(model, fixed={model.poi_name: 1.0}, uncertainties=False, starts=starts)
    return {"cls": test.cls, "limit": limit.obs_limit, "nll_at_1": fit.nll, "exhausted": test.exhausted and limit.exhausted,
            "point": fit.bestfit.tolist()}


def by_pyhf(model, first, deepest):
    """pyhf's CLs, its limit near ours, and its own NLL at our two fits."""
    import numpy as np
    import pyhf

    pyhf.set_backend("jax", precision="64b")  # with its derivatives a fit takes a second, without minutes
    spec = pyhf.Workspace(model.workspace)
    pdf = spec.model(modifier_settings={"normsys": {"interpcode": "code4"}, "histosys": {"interpcode": "code4p"}})
    data = spec.data(pdf)

    def cls(mu):
        return float(pyhf.infer.hypotest(mu, data, pdf, test_stat="qtilde"))

    def nll(point):
        return -float(np.squeeze(pdf.logpdf(np.asarray(point), data)))

    found = {"cls": cls(1.0), "nll_first": nll(first["point"]), "nll_deepest": nll(deepest["point"])}
    low, high = 0.7 * first["limit"], 1.2 * first["limit"]
    for _ in range(9):  # a bisection: three digits, and no question beyond its bracket
        middle = (low + high) / 2
        low, high = (middle, high) if cls(middle) > 0.05 else (low, middle)
    return found | {"limit": (low + high) / 2}


def best_time(call, repeats=5):
    best = math.inf
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begun)
    return best


def costs(model):
    import numpy as np

    limit = nextstat.upper_limit(model, threads=1)
    values = np.linspace(0, 1.5 * limit.obs_limit, 21)
    questions = {
        "fit": lambda starts: nextstat.fit(model, starts=starts, threads=1),
        "hypotest": lambda starts: nextstat.hypotest(1.0, model, starts=starts, threads=1),
        "upper limit": lambda starts: nextstat.upper_limit(model, starts=starts, threads=1),
        "scan of 21 points": lambda starts: nextstat.profile_scan(model, values, starts=starts, threads=1),
        "ranking": lambda starts: nextstat.ranking(model, starts=starts, threads=1),
        "2,000 toys": lambda starts: nextstat.fit_toys(model, n_toys=2_000, keep=[], collect=False, starts=starts, threads=1,
                                                        progress=False),
    }
    return {name: {"auto_s": best_time(lambda: ask("auto"), 1 if "toys" in name else 5),
                   "one_s": best_time(lambda: ask(1), 1 if "toys" in name else 5)} for name, ask in questions.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", type=Path, help="write the results here")
    parser.add_argument("--without-pyhf", action="store_true")
    parser.add_argument("--part", choices=("points", "cost"), help="measure this part; the other stays as the saved file has it")
    options = parser.parse_args()
    places = models(data_folder())
    known = json.loads(options.save.read_text(encoding="utf-8")) if options.part and options.save and options.save.is_file() else {}
    rows, cost = (known.get(part, []) if options.part not in (None, part) else [] for part in ("points", "cost"))
    for name in COST if options.part != "points" else ():
        if name not in places:
            continue
        cost.append({"workspace": name, "questions": costs(model_of(places[name]))})
        for question, times in cost[-1]["questions"].items():
            print(f"{name:20} {question:18} auto {seconds(times['auto_s']):>8}  one start {seconds(times['one_s']):>8}", flush=True)
    for name, place in places.items() if options.part != "cost" else ():
        if name in COST and name not in POINTS:
            continue
        model = model_of(place)
        first, deepest = answers(model, 1), answers(model, "auto")
        row = {"workspace": name, "before": first, "now": deepest}
        if not options.without_pyhf:
            row["pyhf"] = by_pyhf(model, first, deepest)
        print(name, {key: {k: v for k, v in value.items() if k != "point"} for key, value in row.items() if key != "workspace"}, flush=True)
        for part in ("before", "now"):
            del row[part]["point"]
        rows.append(row)
    if options.save:
        save(options.save, {"points": rows, "cost": cost})


if __name__ == "__main__":
    main()
