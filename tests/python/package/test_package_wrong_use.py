"""Wrong use raises the right exception, with a sentence that says where, what and what to do."""

import copy
import json

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")
pyhf = pytest.importorskip("pyhf")

from conftest import SIMPLE

DOCUMENT = json.loads(SIMPLE.read_text())
MODEL = nextstat.Model.from_workspace(SIMPLE)
NAMES = MODEL.parameter_names
POINT = MODEL.suggested_init
MAIN = MODEL.observed_data[:MODEL.n_bins]


def changed(change):
    document = copy.deepcopy(DOCUMENT)
    change(document)
    return document


def closed_file():
    stream = open(SIMPLE)
    stream.close()
    return stream


def with_one(values, place, value):
    values = np.array(values, dtype=float)
    values[place] = value
    return values


ABSENT = next((entry["type"] for entry in nextstat.devices() if not entry["available"]), None)

# what is wrong: (call, exception, words of the message in this order)
WRONG = {
    # documents
    "no such file": (lambda: nextstat.fit("nowhere.json"), nextstat.NotFoundError, "nowhere.json.*no such file"),
    "no such file, as Python says it": (lambda: nextstat.fit("nowhere.json"), FileNotFoundError, "nowhere.json"),
    "closed file": (lambda: nextstat.fit(closed_file()), nextstat.InputError, "the file is closed.*open it again"),
    "not a workspace": (lambda: nextstat.fit(42), nextstat.InputError, "int is not a workspace.*give a path"),
    "not JSON": (lambda: nextstat.fit('{"channels": ['), nextstat.InputError, "line 1, column 15.*ends before"),
    "a list": (lambda: nextstat.fit("[1, 2]"), nextstat.InputError, "object"),
    "empty dictionary": (lambda: nextstat.fit({}), nextstat.InputError, "channels"),
    "bad JSON type": (lambda: nextstat.fit(changed(lambda d: d["channels"][0]["samples"][0].update(data="many"))),
                      nextstat.InputError, "/channels/0/samples/0/data"),
    "wrong number of bins": (lambda: nextstat.fit(changed(lambda d: d["channels"][1]["samples"][0]["data"].append(1.0))),
                             nextstat.InputError, "/channels/1/samples/"),
    "unknown modifier": (
        lambda: nextstat.fit(changed(lambda d: d["channels"][0]["samples"][0]["modifiers"][0].update(type="magic"))),
        nextstat.InputError, "/channels/0/samples/0/modifiers/0/type.*magic"),
    "not a number in a dictionary": (
        lambda: nextstat.fit(changed(lambda d: d["observations"][0]["data"].__setitem__(0, float("nan")))),
        nextstat.InputError, "JSON"),
    "negative counts": (lambda: nextstat.fit(changed(lambda d: d["observations"][0]["data"].__setitem__(0, -3))),
                        nextstat.InputError, "/observations/0/data.*negative"),
    "not JSON types": (lambda: nextstat.fit({"channels": {1, 2}}), nextstat.InputError, "cannot be written as JSON"),
    "no such measurement": (lambda: nextstat.Model.from_workspace(SIMPLE, measurement="nope"), nextstat.NotFoundError,
                            'nope'),
    "no such poi": (lambda: nextstat.Model.from_workspace(SIMPLE, poi="nope"), nextstat.Error, "nope"),
    "no such channel": (lambda: nextstat.Model.from_workspace(SIMPLE, channels=["nope"]), nextstat.Error, "nope"),
    "no such code": (lambda: nextstat.Model.from_workspace(SIMPLE, normsys_code="code7"), nextstat.Error, "code7"),
    "patch that does not fit": (
        lambda: nextstat.Model.from_workspace(SIMPLE, patches=[[{"op": "remove", "path": "/channels/9"}]]),
        nextstat.Error, "/channels/9"),
    # devices
    "unknown device": (lambda: nextstat.fit(MODEL, device="abacus"), nextstat.Error, "abacus"),
    "device that is no name": (lambda: nextstat.fit(MODEL, device=3), nextstat.InputError, "3 is not the name of a device"),
    "device number": (lambda: nextstat.fit(MODEL, device="cpu:7"), nextstat.Error, "cpu"),
    # rows of parameters and data
    "too few parameters": (lambda: MODEL.nll(POINT[:-1]), nextstat.InputError, f"{len(POINT) - 1}.*{len(POINT)}"),
    "too many parameters": (lambda: MODEL.grad_nll(np.append(POINT, 1.0)), nextstat.InputError, f"{len(POINT)}"),
    "rows of the wrong length": (lambda: MODEL.expected_data(np.ones((3, 2))), nextstat.InputError, f"{len(POINT)}"),
    "three dimensions": (lambda: MODEL.nll(np.ones((2, 2, len(POINT)))), nextstat.InputError, "dimension|shape|row"),
    "a single number": (lambda: MODEL.nll(1.0), nextstat.InputError, "a list"),
    "words": (lambda: MODEL.nll(["a"] * len(POINT)), nextstat.InputError, "not numbers"),
    "NaN in parameters": (lambda: nextstat.fit(MODEL, init_pars=with_one(POINT, 0, np.nan)), nextstat.InputError,
                          f"{NAMES[0]}.*(finite|nan)"),
    "NaN in a named start": (lambda: nextstat.fit(MODEL, init_pars={"mu": np.nan}), nextstat.InputError, "mu"),
    "NaN in data": (lambda: nextstat.fit(MODEL, data=with_one(MAIN, 1, np.nan)), nextstat.InputError, "1.*(finite|nan)|nan"),
    "infinite data": (lambda: nextstat.fit(MODEL, data=with_one(MAIN, 1, np.inf)), nextstat.InputError, "finite|inf"),
    "NaN in a row": (lambda: MODEL.nll(with_one(POINT, 0, np.nan)), nextstat.InputError, f"{NAMES[0]}.*not finite"),
    "words for data": (lambda: nextstat.fit(MODEL, data="abc"), nextstat.InputError, "str is not a list of numbers"),
    "negative data": (lambda: nextstat.fit(MODEL, data=with_one(MAIN, 1, -2)), nextstat.InputError, "negative|below zero"),
    "too few data": (lambda: nextstat.fit(MODEL, data=MAIN[:-1]), nextstat.InputError,
                     f"{len(MAIN) - 1}.*{len(MAIN)} main bins.*give the main bins"),
    "too many data": (lambda: MODEL.nll(POINT, np.ones(99)), nextstat.InputError, "99"),
    "other observations too short": (lambda: MODEL.with_observed_main(MAIN[:-1]), nextstat.InputError, "bins"),
    "other observations of no channel": (lambda: MODEL.with_observed_main({"nope": [1]}), nextstat.NotFoundError, "nope"),
    "nominal of no sample": (lambda: MODEL.set_sample_nominal(DOCUMENT["channels"][0]["name"], "nope", [1]),
                             nextstat.NotFoundError, 'no sample.*"nope"'),
    "datasets of the wrong length": (lambda: nextstat.fit_batch(MODEL, np.ones((2, 3))), nextstat.InputError, "rows of"),
    "one dataset": (lambda: nextstat.fit_batch(MODEL, MAIN), nextstat.InputError, "rows of"),
    # options of fits
    "unknown start": (lambda: nextstat.fit(MODEL, init_pars={"nope": 1}), nextstat.NotFoundError, 'no parameter "nope"'),
    "unknown fixed": (lambda: nextstat.fit(MODEL, fixed=["nope"]), nextstat.NotFoundError, 'no parameter "nope"'),
    "unknown fixed value": (lambda: nextstat.fit(MODEL, fixed={"nope": 1}), nextstat.NotFoundError, 'no parameter "nope"'),
    "unknown bounds": (lambda: nextstat.fit(MODEL, bounds={"nope": (0, 1)}), nextstat.NotFoundError, 'no parameter "nope"'),
    "unknown minos": (lambda: nextstat.fit(MODEL, minos="nope"), nextstat.Error, "nope"),
    "nearly right name": (lambda: nextstat.fit(MODEL, fixed=["lumy"]), nextstat.NotFoundError, 'did you mean "lumi"'),
    "mask too short": (lambda: nextstat.fit(MODEL, fixed=[True, False]), nextstat.InputError, "2 values.*parameters"),
    "start too short": (lambda: nextstat.fit(MODEL, init_pars=[1.0]), nextstat.InputError, "1 values.*dictionary"),
    "bounds too few": (lambda: nextstat.fit(MODEL, bounds=[(0, 1)]), nextstat.InputError, "1 values"),
    "bounds upside down": (lambda: nextstat.fit(MODEL, bounds={"mu": (3, 1)}), nextstat.InputError, "mu"),
    "bounds of three": (lambda: nextstat.fit(MODEL, bounds={"mu": (0, 1, 2)}), nextstat.InputError, "bounds of mu.*low, high"),
    "start outside": (lambda: nextstat.fit(MODEL, init_pars={"mu": 99}), nextstat.InputError, "outside the bounds"),
    "start that is a word": (lambda: nextstat.fit(MODEL, init_pars={"mu": "big"}), nextstat.InputError, "mu.*number"),
    # questions
    "level": (lambda: nextstat.upper_limit(MODEL, confidence_level=1.5), nextstat.InputError, "confidence_level"),
    "statistic": (lambda: nextstat.hypotest(1, MODEL, test_stat="qq"), nextstat.InputError, "qq"),
    "no toys": (lambda: nextstat.fit_toys(MODEL, n_toys=0), nextstat.InputError, "n_toys.*whole number"),
    "half a toy": (lambda: nextstat.fit_toys(MODEL, n_toys=1.5), nextstat.InputError, "n_toys"),
    "seed": (lambda: nextstat.fit_toys(MODEL, seed=-1), nextstat.InputError, "seed"),
    "no folder": (lambda: nextstat.fit_toys(MODEL, resume=True), nextstat.InputError, "resume.*give out="),
    "folder": (lambda: nextstat.fit_toys(MODEL, out=5), nextstat.InputError, "out.*path"),
    "shard that is no pair": (lambda: nextstat.fit_toys(MODEL, shard=3), nextstat.InputError, "shard"),
    "tested value": (lambda: nextstat.hypotest("x", MODEL), nextstat.InputError, "poi_test.*not a number"),
    "minos": (lambda: nextstat.fit(MODEL, minos=3), nextstat.InputError, "minos.*names"),
    "top": (lambda: nextstat.ranking(MODEL, top=-1), nextstat.InputError, "top"),
    "groups": (lambda: nextstat.ranking(MODEL, groups=["a"]), nextstat.InputError, "groups.*dictionary"),
    "empty scan": (lambda: nextstat.upper_limit(MODEL, scan=[]), nextstat.InputError, "scan.*no values"),
    "nothing to merge": (lambda: nextstat.merge_toys([], "to"), nextstat.InputError, "nothing to merge"),
    "no such run": (lambda: nextstat.toys_status("nowhere"), nextstat.NotFoundError, "nowhere"),
    "most toys": (lambda: nextstat.upper_limit(MODEL, calctype="toys", max_toys=-1), nextstat.InputError, "max_toys"),
    "threads of data": (lambda: nextstat.poisson_toys(MODEL, threads=-2), nextstat.InputError, "threads"),
    "threads of a scan": (lambda: nextstat.mass_scan(models={"a": MODEL}, threads=0.5), nextstat.InputError, "threads"),
    "shard": (lambda: nextstat.fit_toys(MODEL, shard=(3, 2)), nextstat.InputError, "shard"),
    "calctype": (lambda: nextstat.significance(MODEL, calctype="guess"), nextstat.InputError, 'guess.*asymptotics and toys'),
    "impact": (lambda: nextstat.ranking(MODEL, impact="midfit"), nextstat.InputError, 'midfit.*postfit and prefit'),
    "group": (lambda: nextstat.ranking(MODEL, groups={"g": ["nope"]}), nextstat.NotFoundError, 'group "g".*nope'),
    "ranked parameter": (lambda: nextstat.ranking(MODEL, parameters=["nope"]), nextstat.Error, 'nope'),
    "ranked nothing": (lambda: nextstat.ranking(MODEL, parameters=[]), nextstat.InputError, "the list is empty"),
    "scanned parameter": (lambda: nextstat.profile_scan(MODEL, [0, 1], parameter="nope"), nextstat.Error, "nope"),
    "second values alone": (lambda: nextstat.profile_scan(MODEL, [0], values2=[1]), nextstat.InputError, "parameter2"),
    "no poi": (lambda: nextstat.upper_limit(nextstat.Model.from_workspace(SIMPLE, poi="")), nextstat.Error,
               "parameter of interest"),
    "nothing to scan": (lambda: nextstat.mass_scan(), nextstat.InputError, "nothing to scan"),
    "mass shard": (lambda: nextstat.mass_scan(models={"a": MODEL}, shard=(2, 1)), nextstat.InputError, "shard"),
    "threads": (lambda: nextstat.set_threads(-1), nextstat.InputError, "threads"),
    "threads of a call": (lambda: nextstat.fit(MODEL, threads=-1), nextstat.InputError, "threads"),
    "progress": (lambda: nextstat.fit(MODEL, progress=3), nextstat.InputError, "progress"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_use_raises_with_a_sentence_that_helps(what):
    call, kind, words = WRONG[what]
    with pytest.raises(kind, match=f"(?is){words}") as raised:
        call()
    error = raised.value
    assert isinstance(error, nextstat.Error) and error.faults
    for fault in error.faults:
        assert fault.what and str(fault) in str(error)
        assert "--" not in str(fault).replace("--gpus", ""), "options of the command line are not for Python"


def test_input_errors_are_value_errors_and_missing_things_lookup_errors():
    assert issubclass(nextstat.InputError, ValueError) and issubclass(nextstat.NotFoundError, LookupError)
    assert issubclass(nextstat.LimitError, ValueError) and issubclass(nextstat.DeviceError, RuntimeError)
    assert issubclass(nextstat.Interrupted, KeyboardInterrupt) and not issubclass(nextstat.Interrupted, Exception)


def test_every_fault_of_a_document_is_said():
    document = copy.deepcopy(DOCUMENT)
    document["channels"][0]["samples"][0]["data"] = "many"
    document["observations"][0]["data"] = None
    with pytest.raises(nextstat.InputError) as raised:
        nextstat.load_workspace(document)
    places = [fault.where for fault in raised.value.faults]
    assert any(place.startswith("/channels/0/samples/0") for place in places)
    assert any(place.startswith("/observations/0") for place in places)


@pytest.mark.skipif(ABSENT is None, reason="every kind of device is here")
def test_an_absent_device_is_said_with_its_reason():
    reason = next(entry["error"]["reason"] for entry in nextstat.devices() if entry["type"] == ABSENT)
    with pytest.raises(nextstat.DeviceError) as raised:
        nextstat.fit(MODEL, device=ABSENT)
    assert reason in str(raised.value) and 'device="cpu"' in str(raised.value)
    found = nextstat.fit(MODEL, device=ABSENT, fallback=True)
    assert found.device == "cpu" and any("CPU is used instead" in text for text in found.warnings)


class BendBuilder:
    """The smallest custom modifier that pyhf takes: one free parameter, no effect on the rates."""

    is_shared = True

    def __init__(self, config):
        self.builder_data, self.required_parsets = {}, {}

    def append(self, key, channel, sample, thismod, defined_sample):
        if thismod:
            self.required_parsets.setdefault(thismod["name"], [{
                "paramset_type": "unconstrained", "n_parameters": 1, "is_shared": True, "inits": (1.0,),
                "bounds": ((0.0, 10.0),), "is_scalar": True, "fixed": False}])

    def finalize(self):
        return self.builder_data


class BendApplier:
    name, op_code = "bend", "multiplication"

    def __init__(self, modifiers, pdfconfig, builder_data, batch_size=None):
        pass

    def apply(self, pars):
        return None


def test_a_pyhf_model_with_a_custom_modifier_is_refused():
    channels = copy.deepcopy(DOCUMENT["channels"])
    channels[0]["samples"][0]["modifiers"].append({"name": "bend_it", "type": "bend", "data": None})
    parameters = DOCUMENT["measurements"][0]["config"]["parameters"]
    modifiers = {**pyhf.modifiers.histfactory_set, "bend": (BendBuilder, BendApplier)}
    theirs = pyhf.Model({"channels": channels, "parameters": parameters}, modifier_set=modifiers, validate=False, poi_name="mu")
    assert ("bend_it", "bend") in theirs.config.modifiers
    for ask in (nextstat.fit, nextstat.from_pyhf):
        with pytest.raises(nextstat.InputError, match='modifier bend_it.*custom modifier of type "bend".*use pyhf'):
            ask(theirs)
