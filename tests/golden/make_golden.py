#!/usr/bin/env python3
"""Writes tests/golden/*.json: what pyhf says about the project's own small workspaces. See README.md beside this file."""

import argparse
import hashlib
import json
import math
import pathlib
import platform
import sys

import numpy as np
import pyhf
import scipy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORKSPACES = ["examples/simple.json", "tests/data/all_modifiers.json"]
CODES = {"code4-code4p": ("code4", "code4p"), "code1-code0": ("code1", "code0")}
RANDOM_POINTS = 5
CHECK_TOLERANCE = 1e-12  # versions of NumPy may sum in another order


def digest(workspace):
    return hashlib.sha256(json.dumps(workspace, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def points_of(config, random):
    """The initial point, then random ones inside the bounds, rounded so that the file reads well."""
    init = np.array(config.suggested_init(), dtype=float)
    low, high = np.array(config.suggested_bounds(), dtype=float).T
    spread = np.where(low < -1, 1.0, 0.1)
    return [init] + [
        np.clip(np.round(init + spread * random.standard_normal(len(init)), 3), low, high) for _ in range(RANDOM_POINTS)
    ]


def case(workspace, index, codes):
    normsys, histosys = CODES[codes]
    settings = {"normsys": {"interpcode": normsys}, "histosys": {"interpcode": histosys}}
    model = workspace.model(measurement_index=index, modifier_settings=settings)
    data = workspace.data(model)
    config = model.config
    points = points_of(config, np.random.default_rng(index))
    return {
        "measurement": workspace.measurement_names[index],
        "normsys_code": normsys,
        "histosys_code": histosys,
        "parameter_names": config.par_names,
        "init": config.suggested_init(),
        "bounds": [list(bounds) for bounds in config.suggested_bounds()],
        "fixed": config.suggested_fixed(),
        "poi_index": config.poi_index,
        "data": [float(x) for x in data],
        "points": [point.tolist() for point in points],
        "nll": [-float(model.logpdf(point, data)[0]) for point in points],
        "expected_data": [model.expected_data(point).tolist() for point in points],
    }


def golden(path):
    document = json.loads((ROOT / path).read_text())
    workspace = pyhf.Workspace(document)
    versions = {"python": platform.python_version(), "pyhf": pyhf.__version__, "numpy": np.__version__, "scipy": scipy.__version__}
    measurements = range(len(document["measurements"]))
    cases = [case(workspace, index, codes) for index in measurements for codes in CODES]
    for entry in cases:
        if not all(map(math.isfinite, entry["nll"])):
            sys.exit(f"{path}: pyhf is not finite at a point of {entry['measurement']}")
    return {"workspace": path, "workspace_digest": digest(document), "made_with": versions, "cases": cases}


def text_of(document):
    """One key or one list of numbers per line."""
    cases = []
    for entry in document["cases"]:
        lines = []
        for key, value in entry.items():
            if key in ("points", "expected_data"):
                rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
                lines.append(f'   "{key}": [\n{rows}]')
            else:
                lines.append(f'   "{key}": {json.dumps(value)}')
        cases.append("  {\n" + ",\n".join(lines) + "}")
    head = [f' "{key}": {json.dumps(value)}' for key, value in document.items() if key != "cases"]
    return "{\n" + ",\n".join(head) + ',\n "cases": [\n' + ",\n".join(cases) + "]}\n"


def differences(stored, fresh, where=""):
    """Where two documents differ by more than the tolerance; versions may."""
    if isinstance(fresh, dict) and isinstance(stored, dict) and fresh.keys() == stored.keys():
        for key in fresh.keys() - {"made_with"}:
            yield from differences(stored[key], fresh[key], f"{where}/{key}")
    elif isinstance(fresh, list) and isinstance(stored, list) and len(fresh) == len(stored):
        for index, pair in enumerate(zip(stored, fresh)):
            yield from differences(*pair, f"{where}/{index}")
    elif isinstance(fresh, float) and isinstance(stored, (int, float)):
        if abs(fresh - stored) > CHECK_TOLERANCE * max(1, abs(fresh)):
            yield f"{where}: {stored} stored, {fresh} now"
    elif fresh != stored:
        yield f"{where}: {stored!r} stored, {fresh!r} now"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the stored files instead of writing them")
    check = parser.parse_args().check
    wrong = []
    for path in WORKSPACES:
        file = HERE / pathlib.Path(path).name
        document = golden(path)
        if check:
            wrong += [f"{file.name}{line}" for line in differences(json.loads(file.read_text()), document)]
        else:
            file.write_text(text_of(document))
            assert json.loads(file.read_text()) == document
    print("\n".join(wrong) or f"{len(WORKSPACES)} files {'agree' if check else 'written'}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
