"""A default and a unit stand once, in the options of the library: command line and Python have the same.

QUESTIONS says what a field of the C++ options is called elsewhere. Nothing may be left out: not a struct, not a field, not a
default of --help, not a default of a Python function.
"""

import ast
import functools
import inspect
import re

import pytest

from conftest import ROOT, SIMPLE, needs_program, run_program
from cpp_defaults import cpp_defaults, structs

nextstat = pytest.importorskip("nextstat")
from nextstat.run import run_options  # noqa: E402

pytestmark = needs_program


class Place:
    """Where a field is set: a flag, a Python argument, and the key that the argument has on its way to the engine."""

    def __init__(self, flag=None, argument=None, key=None):
        self.flag, self.argument, self.key = flag, argument, key or argument


CPP_ONLY = Place()
RUN = {
    "data": Place("--data", "data"), "init": Place("--init", "init_pars", "init"), "fixed": Place("--fixed", "fixed"),
    "freed": Place(None, None, "freed"), "bounds": Place("--bounds", "bounds"), "starts": Place("--starts", "starts"),
    "threads": Place("--threads", "threads"), "instruction_set": Place("--instruction-set", "instruction_set"),
    "device": Place("--device", "device"), "fallback": Place("--fallback", "fallback"),
    "device_memory": Place("--device-memory", "device_memory"), "on_progress": Place(None, "progress"), "session": CPP_ONLY, "stop": CPP_ONLY,
}
TOYS = {
    "n_toys": Place("--n-toys", "n_toys"), "seed": Place("--seed", "seed"), "fixed_auxiliary": Place("--fixed-aux", "fixed_aux"),
    "batch": Place("--batch", "batch"), "on_cost": CPP_ONLY,
}
STORAGE = {
    "folder": Place("--out", "out", "folder"), "resume": Place("--resume", "resume"), "shard": Place("--shard", None, "shard"),
    "shards": Place("--shard", None, "shards"), "labels": CPP_ONLY,
}
PARTS = {"run": ("RunOptions", RUN), "toys": ("ToyOptions", TOYS), "storage": ("ToyStorage", STORAGE)}
LEVEL, STATISTIC = Place("--cl", "confidence_level"), Place("--test-stat", "test_stat")
SCAN, PARAMETER = Place("--scan-points", "scan"), Place("--parameter", "parameter")


class Question:
    def __init__(self, struct, verb, call, core, fields):
        self.struct, self.verb, self.call, self.core, self.fields = struct, verb, call, core, fields

    def places(self, name_of_part=None):
        """[(struct, field, place)] with those of the structs inside."""
        for field, place in self.fields.items():
            if isinstance(place, dict):
                struct, usual = PARTS[field]
                yield from ((struct, inner, place.get(inner, usual[inner])) for inner in usual)
            else:
                yield self.struct, field, place


RUN_ALSO, TOYS_ALSO, STORAGE_ALSO = {}, {}, {}
ASKED = {"calctype": "toys"}
QUESTIONS = [
    Question("FitOptions", "fit", lambda: nextstat.fit(SIMPLE), "fit", {
        "run": RUN_ALSO, "uncertainties": Place("--no-uncertainty", "uncertainties"), "minos": Place("--minos", "minos"),
        "minos_of_all": Place("--minos", None, "minos_of_all"), "large_matrices": Place("--covariance", "large_matrices")}),
    Question("ScanOptions", "scan", lambda: nextstat.profile_scan(SIMPLE, [1.0]), "scan", {
        "run": RUN_ALSO, "parameter": PARAMETER, "values": CPP_ONLY, "parameter2": Place("--parameter2", "parameter2"),
        "values2": Place(None, "values2")}),
    Question("IntervalOptions", "interval", lambda: nextstat.profile_ci(SIMPLE), "interval", {
        "run": RUN_ALSO, "parameter": PARAMETER, "confidence_level": LEVEL}),
    Question("RankingOptions", "ranking", lambda: nextstat.ranking(SIMPLE), "ranking", {
        "run": RUN_ALSO, "impact": Place("--impact", "impact"), "groups": Place("--groups", "groups"), "top": Place("--top", "top"),
        "parameters": Place(None, "parameters"), "known": CPP_ONLY}),
    Question("HypotestOptions", "hypotest", lambda: nextstat.hypotest(1.0, SIMPLE), "hypotest", {
        "run": RUN_ALSO, "mu": Place("--mu"), "statistic": STATISTIC, "qtilde_as_pyhf": Place(None, None, "qtilde_as_pyhf")}),
    Question("HypotestToysOptions", "hypotest-toys", lambda: nextstat.hypotest_toys(1.0, SIMPLE), "hypotest_toys", {
        "run": RUN_ALSO, "toys": TOYS_ALSO, "storage": STORAGE_ALSO, "mu": Place("--mu"), "statistic": STATISTIC,
        "expected_set": Place("--expected-set", "expected_set"), "use": CPP_ONLY, "on_estimate": CPP_ONLY}),
    Question("UpperLimitOptions", "upper-limit", lambda: nextstat.upper_limit(SIMPLE), "upper_limit", {
        "run": RUN_ALSO, "confidence_level": LEVEL, "statistic": STATISTIC, "rtol": Place("--rtol", "rtol"), "scan": SCAN}),
    Question("UpperLimitToysOptions", "upper-limit", lambda: nextstat.upper_limit(SIMPLE, **ASKED), "upper_limit_toys", {
        "run": RUN_ALSO, "toys": TOYS_ALSO, "confidence_level": LEVEL, "statistic": STATISTIC,
        "error": Place("--toy-error", "error"), "max_toys": Place("--max-toys", "max_toys"), "scan": SCAN}),
    Question("SignificanceOptions", "significance", lambda: nextstat.significance(SIMPLE), "significance", {"run": RUN_ALSO}),
    Question("SignificanceToysOptions", "significance", lambda: nextstat.significance(SIMPLE, **ASKED), "significance_toys", {
        "run": RUN_ALSO, "toys": TOYS_ALSO}),
    Question("GoodnessOfFitOptions", "goodness-of-fit", lambda: nextstat.goodness_of_fit(SIMPLE), "goodness_of_fit", {
        "run": RUN_ALSO}),
    # The number of toys has no default here: without one there are none.
    Question("GoodnessOfFitToysOptions", "goodness-of-fit", lambda: nextstat.goodness_of_fit(SIMPLE, toys=1000),
             "goodness_of_fit_toys", {"run": RUN_ALSO, "toys": {"n_toys": Place(None, None, "n_toys")}}),
    Question("FeldmanCousinsOptions", "feldman-cousins", lambda: nextstat.feldman_cousins(SIMPLE), "feldman_cousins", {
        "run": RUN_ALSO, "toys": TOYS_ALSO, "parameter": PARAMETER, "confidence_level": LEVEL, "values": Place(None, "values"),
        "refinements": Place("--refine", None, "refinements")}),
    Question("MassScanOptions", "mass-scan", lambda: nextstat.mass_scan(models={"simple": SIMPLE}), "mass_scan_models", {
        "run": RUN_ALSO, "run_of": CPP_ONLY, "confidence_level": LEVEL, "statistic": STATISTIC, "mu": Place("--mu", "mu"),
        "rtol": Place("--rtol", "rtol")}),
    Question("ToysOptions", "toys run", lambda: nextstat.fit_toys(SIMPLE, keep=[]), "toys", {
        "run": RUN_ALSO, "toys": TOYS_ALSO, "storage": STORAGE_ALSO, "mu": Place("--mu", "mu"),
        "truth": Place("--parameters", "params", "truth"), "expected": Place(None, None, "expected"),
        "parameters": Place("--keep", None, "keep")}),
]
# Options that are no question of their own: C++ and the command line, and where Python has them.
EVALUATE = {"gradient": "--gradient", "hessian": "--hessian", "expected": "--expected", "data": "--data", "threads": "--threads",
            "instruction_set": "--instruction-set", "device": "--device", "fallback": "--fallback",
            "device_memory": "--device-memory"}
MODEL = {"measurement": ("--measurement", "measurement"), "poi": ("--poi", "poi"), "channels": (None, "channels"),
         "normsys_code": (None, "normsys_code"), "histosys_code": (None, "histosys_code")}
SESSION = ("device", "fallback", "device_memory", "threads", "instruction_set")
COMBINE = {"join": ("--join", "join"), "merge_channels": ("--merge-channels", "merge_channels")}
# Defaults that have no field: (verb, flag) and why.
CLI_ONLY = {("scan", "--start"): "a range instead of values", ("scan", "--stop"): "", ("scan", "--points"): "",
            ("scan", "--points2"): "", ("upper-limit", "--scan-start"): "a range instead of values",
            ("upper-limit", "--scan-stop"): "", ("upper-limit", "--calctype"): "C++ has two functions",
            ("significance", "--calctype"): "C++ has two functions",
            ("feldman-cousins", "--points"): "kFeldmanCousinsValues"}
# Python arguments that have no field: they shape what is returned, or have no meaning in C++.
PYTHON_ONLY = {"backend", "collect", "keep", "return_params", "return_tail_probs", "return_expected", "return_expected_set",
               "return_result", "shard", "calctype", "models", "background", "patchset", "workspaces_dir", "measurement", "toys"}


@pytest.fixture(scope="module")
def cpp(tmp_path_factory):
    return cpp_defaults(tmp_path_factory.mktemp("defaults"))


@functools.cache
def help_of(verb):
    """{flag: what --help says of it, in one line}."""
    entries, at = {}, None
    for line in run_program(*verb.split(), "--help").stdout.partition("Options:")[2].splitlines():
        found = re.match(r"  (?:-\w,)?(--[a-z0-9-]+)(.*)", line)
        if found:
            at = found[1]
            entries[at] = found[2]
        elif at and line.startswith("   "):
            entries[at] += " " + line.strip()
        else:
            at = None
    return {flag: " ".join(text.split()) for flag, text in entries.items()}


def said_default(text):
    """The default that a line of --help names; None where it names none."""
    # CLI11 writes N=21, or N [21]; NAME=VALUE is a form.
    for pattern in (r"(\S+) \(default\)", r"\(default ([^\s;:)]+)", r"^\S+? \[(\S+)\]", r"^\S+?=([a-z0-9.+-]\S*)"):
        if found := re.search(pattern, text):
            return found[1]
    return None


def encoded(field, value):
    """A default as people write it."""
    return "auto" if field == "starts" and value == 0 else value


def of_shard(field, text):
    """Two fields are one option, 1/1."""
    return text.split("/")[field == "shards"] if text and field in ("shard", "shards") else text


def same_text(text, value):
    if value is None or text is None:
        return text is None and value in (None, False, 0)
    try:
        return float(text) == float(value)
    except ValueError:
        return text == value


def cli_difference(verb, flag, field, value):
    entries = help_of(verb)
    if flag not in entries:
        return f"nextstat {verb} has no {flag}"
    if isinstance(value, bool):
        right = flag.startswith("--no-") == value  # a flag changes the default
    else:
        right = same_text(of_shard(field, said_default(entries[flag])), encoded(field, value))
        # 0 is also said in words: "default: all that is free".
        right = right or (field in ("device_memory", "batch", "top") and value == 0 and said_default(entries[flag]) is None)
    return None if right else f"nextstat {verb} {flag}: {entries[flag]!r}, C++ has {field} = {value!r}"


def nothing(value):
    return value is None or (hasattr(value, "__len__") and len(value) == 0)


def equal(value, default):
    return nothing(value) if default is None else (not nothing(value) and value == default)


def parameters_of(function):
    found = dict(inspect.signature(function).parameters)
    if any(p.kind is p.VAR_KEYWORD for p in found.values()):
        found = {**inspect.signature(run_options).parameters, **found}
    return found


FUNCTIONS = {"FitOptions": "fit", "ScanOptions": "profile_scan", "IntervalOptions": "profile_ci", "RankingOptions": "ranking",
             "HypotestOptions": "hypotest", "HypotestToysOptions": "hypotest_toys", "UpperLimitOptions": "upper_limit",
             "UpperLimitToysOptions": "upper_limit", "SignificanceOptions": "significance",
             "SignificanceToysOptions": "significance", "GoodnessOfFitOptions": "goodness_of_fit",
             "GoodnessOfFitToysOptions": "goodness_of_fit", "FeldmanCousinsOptions": "feldman_cousins",
             "MassScanOptions": "mass_scan", "ToysOptions": "fit_toys"}


def core_arguments():
    """{function of the engine: [names of its arguments]}, from the stub."""
    tree = ast.parse((ROOT / "python/nextstat/_core.pyi").read_text())
    return {node.name: [a.arg for a in node.args.args] for node in tree.body if isinstance(node, ast.FunctionDef)}


class Reached(Exception):
    pass


def what_reaches_the_engine(question, monkeypatch):
    """{key: value} of a call with required arguments only; run and settings are unpacked."""
    seen = {}

    def record(*arguments, **named):
        given = dict(zip(core_arguments()[question.core], arguments)) | named
        for key in ("run", "settings"):
            seen.update(given.pop(key, {}))
        seen.update(given)
        raise Reached

    monkeypatch.setattr(nextstat._core, question.core, record)
    with pytest.raises(Reached):
        question.call()
    return seen


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.struct)
def test_command_line_and_python_have_the_defaults_of_the_struct(question, cpp, monkeypatch):
    parameters = parameters_of(getattr(nextstat, FUNCTIONS[question.struct]))
    reached = what_reaches_the_engine(question, monkeypatch)
    wrong = []
    for struct, field, place in question.places():
        default = cpp[struct][field]
        if place.flag is not None:
            wrong.append(cli_difference(question.verb, place.flag, field, default))
        if place.argument in parameters and parameters[place.argument].default is not inspect.Parameter.empty:
            shown = parameters[place.argument].default
            # None = what the library has: then nothing else may reach it.
            if shown is not None and not equal(shown, encoded(field, default)) and not (shown == "" and default is None):
                wrong.append(f"nextstat.{FUNCTIONS[question.struct]}({place.argument}={shown!r}), C++ has {field} = {default!r}")
        if place.key in reached and reached[place.key] is not None and not equal(reached[place.key], default):
            wrong.append(f"{place.key} = {reached[place.key]!r} reaches the engine, C++ has {field} = {default!r}")
    assert not list(filter(None, wrong)), "\n".join(filter(None, wrong))


def test_every_struct_and_every_field_is_here():
    listed = {name: {field for _, field in fields} for name, (_, fields) in structs().items()}
    covered = {"RunOptions": set(RUN), "ToyOptions": set(TOYS), "ToyStorage": set(STORAGE),
               "EvaluateOptions": {*EVALUATE, "limits", "session", "parts"}, "ModelOptions": {*MODEL, "measurement_index", "limits"},
               "CombineOptions": set(COMBINE), "SessionOptions": set(SESSION)}
    covered |= {question.struct: set(question.fields) for question in QUESTIONS}
    assert listed == covered


def test_sessions_have_the_same_defaults(cpp):
    arguments = inspect.signature(nextstat.Session).parameters
    assert set(SESSION) == set(arguments) - {"model"}
    for field in SESSION:  # None is left to the engine, or to set_threads()
        assert arguments[field].default is None or equal(arguments[field].default, cpp["SessionOptions"][field])


def test_every_default_of_the_help_is_one_of_a_field():
    unknown = []
    for verb in {question.verb for question in QUESTIONS}:
        places = [place for question in QUESTIONS if question.verb == verb for _, _, place in question.places()]
        known = {place.flag for place in places} | {flag for of_verb, flag in CLI_ONLY if of_verb == verb}
        known |= {"--interp-defaults", "--format"}
        unknown += [f"nextstat {verb} {flag}: {text}" for flag, text in help_of(verb).items()
                    if said_default(text) is not None and flag not in known]
    assert not unknown, "\n".join(unknown)


def test_every_default_of_a_function_is_one_of_a_field():
    unknown = []
    for question in QUESTIONS:
        name = FUNCTIONS[question.struct]
        same = [other for other in QUESTIONS if FUNCTIONS[other.struct] == name]
        known = {place.argument for other in same for _, _, place in other.places()} | PYTHON_ONLY
        unknown += [f"{name}({p.name}={p.default!r})" for p in inspect.signature(getattr(nextstat, name)).parameters.values()
                    if p.default is not p.empty and p.name not in known]
    assert not unknown, "\n".join(sorted(set(unknown)))


def test_other_options_have_the_same_defaults(cpp):
    wrong = [cli_difference("evaluate", flag, field, cpp["EvaluateOptions"][field]) for field, flag in EVALUATE.items()]
    functions = {"ModelOptions": (nextstat.Model.from_workspace, "inspect", MODEL),
                 "CombineOptions": (nextstat.Workspace.combine, "combine", COMBINE)}
    for struct, (function, verb, fields) in functions.items():
        for field, (flag, argument) in fields.items():
            default, shown = cpp[struct][field], inspect.signature(function).parameters[argument].default
            if not equal(shown, default):
                wrong.append(f"{function.__name__}({argument}={shown!r}), C++ has {field} = {default!r}")
            if flag is not None:
                wrong.append(cli_difference(verb, flag, field, default))
    codes = [cpp["ModelOptions"][field] for field in ("normsys_code", "histosys_code")]
    assert f"root = {codes[0]} and {codes[1]} (default" in help_of("inspect")["--interp-defaults"]
    assert not list(filter(None, wrong)), "\n".join(filter(None, wrong))


def test_structs_agree_where_they_say_the_same(cpp):
    """A mass scan is made of limits, limits from toys begin with asymptotic ones, evaluations run as fits do."""
    for part, whole in (("MassScanOptions", "UpperLimitOptions"), ("UpperLimitToysOptions", "UpperLimitOptions"),
                        ("HypotestToysOptions", "HypotestOptions"), ("MassScanOptions", "HypotestOptions"),
                        ("EvaluateOptions", "RunOptions"), ("FeldmanCousinsOptions", "IntervalOptions")):
        for field in cpp[part].keys() & cpp[whole].keys():
            assert cpp[part][field] == cpp[whole][field], (part, whole, field)


def test_functions_of_other_modules_have_the_same_defaults():
    """On a cluster a part has one thread, and there is a GPU where its name says so."""
    pairs = [(function, getattr(nextstat, name)) for name, function in vars(nextstat.distributed).items()
             if name in nextstat.distributed.__all__]
    pairs += [(nextstat.fit_toys_batch_gpu, nextstat.fit_toys), (nextstat.fit_toys_from_data_gpu, nextstat.fit_toys_from_data),
              (nextstat.hypotest_qtilde_toys_gpu, nextstat.hypotest_toys)]
    assert len(pairs) == 7
    for function, ordinary in pairs:
        theirs = inspect.signature(ordinary).parameters
        for name, parameter in inspect.signature(function).parameters.items():
            if name in theirs and name not in ("threads", "device") and parameter.default is not parameter.empty:
                assert parameter.default == theirs[name].default, (function.__module__, function.__name__, name)


def test_memory_is_in_bytes_but_on_the_command_line():
    """There a unit may be given; a number alone is in MB, as it always was."""
    header = (ROOT / "include/nextstat/run.h").read_text()
    assert re.search(r"device_memory = 0;\s*// bytes", header)
    assert "in bytes" in nextstat.fit_toys.__doc__ and "in bytes" in run_options.__doc__
    assert "SIZE" in help_of("fit")["--device-memory"] and "a number alone is in MB" in help_of("fit")["--device-memory"]
