#!/usr/bin/env python3
"""Writes tests/golden/pyhf/limits.json: fits, CLs and limits of real workspaces as pyhf itself gives them.

    NEXTSTAT_DATA=... python tests/golden/pyhf/make_limits.py [--only NAME] [--minutes 20] [--backend jax]

pyhf needs minutes to hours for a limit with a hundred parameters, so its answers are kept. Each workspace is asked in a
process of its own with a time limit; where pyhf fails or does not end in time, the file says so.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TARGET = HERE / "limits.json"
sys.path.insert(0, str(ROOT / "tests/python/package"))

from pyhf_real_cases import CASES, WITH_LIMITS  # noqa: E402


def ask_pyhf(name, backend):
    """Prints one JSON line per answer, so that a stop by the clock keeps the answers before it."""
    import jsonpatch
    import pyhf

    pyhf.set_backend(backend, precision="64b") if backend != "numpy" else pyhf.set_backend("numpy")
    folder = pathlib.Path(os.environ["NEXTSTAT_DATA"])
    spec = CASES[name].read(folder, lambda patch, document: jsonpatch.apply_patch(document, patch))
    workspace = pyhf.Workspace(spec)
    model = workspace.model()
    data = workspace.data(model)

    def tell(what, begin, **answer):
        print(json.dumps({"what": what, "seconds": round(time.monotonic() - begin, 1), **answer}), flush=True)

    def number(value):
        return None if math.isnan(value) else float(value)

    def numbers(values):
        return [number(value) for value in values]

    begin = time.monotonic()
    parameters, twice_nll = pyhf.infer.mle.fit(data, model, return_fitted_val=True)
    poi = float(parameters[model.config.poi_index])
    tell("fit", begin, twice_nll=float(twice_nll), poi=poi, parameters=numbers(parameters))
    begin = time.monotonic()
    observed, expected = pyhf.infer.hypotest(1.0, data, model, return_expected_set=True)
    tell("hypotest", begin, cls=number(observed), expected=numbers(expected))
    if name in WITH_LIMITS:
        begin = time.monotonic()
        limits = pyhf.infer.intervals.upper_limits
        limits.hypotest = with_floats(pyhf.infer.hypotest)
        low, high = CASES[name].bracket or model.config.suggested_bounds()[model.config.poi_index]
        observed, expected = limits.toms748_scan(data, model, low, high)
        tell("limit", begin, observed=number(observed), expected=numbers(expected))


def with_floats(hypotest):
    """Arrays of JAX cannot be dictionary keys, which pyhf's root search makes of the points that it tries."""

    def tested(poi, *arguments, **settings):
        observed, expected = hypotest(float(poi), *arguments, **settings)
        return np.float64(observed), [np.float64(value) for value in expected]

    return tested


def reason(printed):
    """The exception at the end of what Python printed, in one line."""
    begin = [match.start() for match in re.finditer(r"^[\w.]+(?:Error|Minimization)\b", printed, re.M)]
    return " ".join(printed[begin[-1] if begin else 0 :].split())


def case(name, backend, minutes):
    """All answers of one workspace, and why those that are missing are."""
    command = [sys.executable, __file__, "--ask", name, "--backend", backend]
    errors = ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 * minutes)
        printed = done.stdout
        if done.returncode != 0:
            errors = reason(done.stderr)
    except subprocess.TimeoutExpired as late:
        printed = (late.stdout or b"").decode()
        errors = f"no answer within {minutes} minutes"
    answers = {}
    for line in printed.splitlines():
        if line.startswith("{"):
            answer = json.loads(line)
            answers[answer.pop("what")] = answer
    return {"parameters": CASES[name].parameters, "backend": backend, **answers, **({"missing": errors} if errors else {})}


def versions():
    import importlib.metadata

    packages = ["pyhf", "scipy", "numpy", "jax"]
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return {"python": platform.python_version(), **found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=list(CASES), help="only this workspace (repeatable)")
    parser.add_argument("--minutes", type=float, default=20.0, help="time limit per workspace")
    parser.add_argument("--backend", default="numpy", choices=["numpy", "jax"])
    parser.add_argument("--ask", choices=list(CASES), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.ask:
        ask_pyhf(arguments.ask, arguments.backend)
        return
    document = json.loads(TARGET.read_text()) if TARGET.exists() else {"cases": {}}
    for name in arguments.only or CASES:
        document["versions"] = versions()
        document["cases"][name] = case(name, arguments.backend, arguments.minutes)
        document["cases"] = {key: document["cases"][key] for key in CASES if key in document["cases"]}
        TARGET.write_text(json.dumps(document, indent=1) + "\n")
        answer = document["cases"][name]
        print(name, {key: answer[key].get("seconds") for key in ("fit", "hypotest", "limit") if key in answer},
              answer.get("missing", ""), flush=True)


if __name__ == "__main__":
    main()
