#!/usr/bin/env python3
"""Builds examples/cpp and the program of docs/cpp.md against an installed nextstat, runs them, and compares what they print with the
JSON of the installed program.

    tests/package/examples.py PREFIX FOLDER CXX_COMPILER [CXX_FLAGS]       FOLDER: an empty one to work in
"""

import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKSPACES = [ROOT / "examples" / name for name in ("simple.json", "search.json")]


def output(command, status=0, **options):
    """What a program prints on both streams; it must end with this status."""
    run = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                         **options)
    assert run.returncode == status, f"{shlex.join(map(str, command))}: status {run.returncode}, not {status}\n{run.stdout}"
    return run.stdout


def same(printed, expected, what):
    assert printed == expected, f"{what}\n--- printed\n{printed}--- from the JSON of the program\n{expected}"


def build(source, folder, prefix):
    output(["cmake", "-G", "Ninja", "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix}"])
    output(["cmake", "--build", folder])


def expected_fit(ask, workspace):
    fit = ask("fit", workspace)
    pulls = {entry["name"]: entry["pull"] for entry in ask("ranking", workspace)["entries"]}
    lines = [f"NLL {fit['nll']:.6f}, {fit['termination_reason']}"]
    for name, value, sigma in zip(fit["parameter_names"], fit["bestfit"], fit["uncertainties"]):
        pull = "" if pulls.get(name) is None else f"   pull {pulls[name]:+.3f}"
        lines.append(f"{name:<30} {value:8.4f} +- {sigma:6.4f}{pull}")
    return lines


def expected_limit(ask, workspace):
    limit = ask("upper-limit", workspace)
    name = limit["poi"]
    lines = [f"observed      {name} < {limit['obs_limit']:.4f}"]
    lines += [f"{sigma:+.0f} sigma      {name} < {value:.4f}" for sigma, value in zip((-2, -1, 0, 1, 2), limit["exp_limits"])]
    lines.append("CLs at the values that were tested:")
    for mu, observed, expected in zip(limit["poi_values"], limit["observed_cls"], limit["expected_cls"]):
        lines.append(f"  {mu:8.4f}   observed {observed:.4f}   expected {expected[2]:.4f}")
    return lines


def expected_toys(ask, workspace):
    run = ask("toys", "run", workspace, "--n-toys", 2000, "--seed", 1, "--device", "cpu")
    truth = run["truth"][run["poi_index"]]
    failed = run["n_error"] + run["n_nonconverged"]
    fitted = run["n_done"] - failed
    above = sum(toy["mu_hat"] > truth for toy in run["toys"] if toy["converged"])
    return [f"{run['n_done']} toys on cpu, {failed} did not converge", f"truth   {truth:.4f}",
            f"mean    {run['mean_mu_hat']:.4f} +- {run['sigma_mu_hat'] / math.sqrt(fitted):.4f}",
            f"sigma   {run['sigma_mu_hat']:.4f}", f"above   {100 * above / fitted:.2f}%"]


def expected_minimizer(ask, workspace):
    fit = ask("fit", workspace)
    value = fit["bestfit"][fit["poi_index"]]
    return [f"{'NLL':<20} BFGS {fit['nll']:.6f}   fit {fit['nll']:.6f}", f"{fit['poi']:<20} BFGS {value:.4f}   fit {value:.4f}",
            re.compile(rf"NLLs with gradient   BFGS \d+   fit {fit['n_fev']}")]


EXPECTED = {"fit": expected_fit, "limit": expected_limit, "toys": expected_toys, "minimizer": expected_minimizer}


def check_examples(prefix, folder):
    def ask(*arguments):
        return json.loads(output([prefix / "bin/nextstat", *arguments, "--format", "json"]))

    written = {path.stem for path in (ROOT / "examples/cpp").glob("*.cpp")}
    assert written == set(EXPECTED), f"examples/cpp has {sorted(written)}, this test knows {sorted(EXPECTED)}"
    build(ROOT / "examples/cpp", folder / "examples", prefix)
    for name, expected in EXPECTED.items():
        program = folder / "examples" / name
        for workspace in WORKSPACES:
            printed, lines = output([program, workspace]).splitlines(), expected(ask, workspace)
            assert len(printed) == len(lines), f"{name} {workspace.name}\n" + "\n".join(printed)
            for line, wanted in zip(printed, lines):
                if not isinstance(wanted, re.Pattern):
                    same(line + "\n", wanted + "\n", f"{name} {workspace.name}")
                else:
                    assert wanted.fullmatch(line), f"{name} {workspace.name}: {line}"
        same(output([program, "absent.json"], 2), "error: absent.json: there is no such file (check the path)\n", name)
        assert output([program], 2).startswith(f"usage: {name} WORKSPACE")
        print(f"examples/cpp/{name}.cpp: numbers as the program's")
    wrong = output([folder / "examples/toys", WORKSPACES[0], "gpu9"], 2)
    assert wrong.startswith("error: device: ") and "'gpu9'" in wrong, wrong


def follow_page(prefix, folder, compiler, flags):
    """docs/cpp.md, word by word: its files are written, its commands typed, and what they print is compared."""
    page = (ROOT / "docs/cpp.md").read_text().replace("/opt/nextstat", str(prefix))
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)
    [program] = [text for language, text in blocks if language == "cpp" and "int main(" in text]
    [cmake] = [text for language, text in blocks if language == "cmake"]
    (folder / "page").mkdir()
    (folder / "page/main.cpp").write_text(program)
    (folder / "page/CMakeLists.txt").write_text(cmake)
    (folder / "page/examples").mkdir()
    for workspace in WORKSPACES:
        shutil.copy(workspace, folder / "page/examples")
    (folder / "bin").mkdir()
    (folder / "bin/c++").write_text(f'#!/bin/sh\nexec {shlex.quote(compiler)} {flags} "$@"\n')
    (folder / "bin/c++").chmod(0o755)
    os.environ["PATH"] = f"{folder / 'bin'}:{os.environ['PATH']}"
    setup, commands = "", 0
    for text in (text for language, text in blocks if language == "console"):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
            commands += 1
            if command.startswith("export "):
                setup += command.replace(f"{prefix}/lib/pkgconfig", os.environ["PKG_CONFIG_PATH"]) + "\n"
                continue
            printed = output(["bash", "-c", setup + command], 2 if "absent" in command else 0, cwd=folder / "page")
            pattern = "".join(".*" if line == "..." else re.escape(line) + "\n" for line in shown.splitlines())
            assert re.fullmatch(pattern, printed, re.S), f"docs/cpp.md: $ {command}\n--- shown\n{shown}--- printed\n{printed}"
    assert commands == 7, f"docs/cpp.md has {commands} commands"
    print("docs/cpp.md: can be followed")


def main():
    prefix, folder, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    flags = " ".join(sys.argv[4:])
    os.environ.update(CXX=compiler, CXXFLAGS=flags)
    folder.mkdir(exist_ok=True)
    check_examples(prefix, folder)
    follow_page(prefix, folder, compiler, flags)


if __name__ == "__main__":
    main()
