"""Inputs with one fault each: how to make it, and where and in which words the program must report it.

A case starts from the small valid workspace below. `change` breaks the document, `token` writes raw text in the place of
a value, `text` replaces the file. `files` are written beside it; in `command` a word that names a file becomes its path.
"""

import copy
import dataclasses
import json
import typing

BASE = {
    "channels": [
        {
            "name": "SR",
            "samples": [
                {
                    "name": "signal",
                    "data": [5.0, 10.0],
                    "modifiers": [{"name": "mu", "type": "normfactor", "data": None}],
                },
                {
                    "name": "background",
                    "data": [50.0, 60.0],
                    "modifiers": [
                        {"name": "norm", "type": "normsys", "data": {"lo": 0.9, "hi": 1.1}},
                        {"name": "shape", "type": "histosys", "data": {"lo_data": [45.0, 55.0], "hi_data": [55.0, 65.0]}},
                        {"name": "stat", "type": "staterror", "data": [1.0, 2.0]},
                        {"name": "lumi", "type": "lumi", "data": None},
                    ],
                },
            ],
        },
        {
            "name": "CR",
            "samples": [
                {
                    "name": "background",
                    "data": [100.0, 110.0, 120.0],
                    "modifiers": [
                        {"name": "unc", "type": "shapesys", "data": [5.0, 6.0, 7.0]},
                        {"name": "free", "type": "shapefactor", "data": None},
                    ],
                }
            ],
        },
    ],
    "measurements": [
        {
            "name": "meas",
            "config": {
                "poi": "mu",
                "parameters": [
                    {"name": "lumi", "auxdata": [1.0], "bounds": [[0.5, 1.5]], "inits": [1.0], "sigmas": [0.02]},
                    {"name": "mu", "inits": [1.0], "bounds": [[0.0, 10.0]], "fixed": False},
                    {"name": "unc", "auxdata": [400.0, 300.0, 200.0], "factors": [400.0, 300.0, 200.0]},
                ],
            },
        }
    ],
    "observations": [{"name": "SR", "data": [55.0, 70.0]}, {"name": "CR", "data": [100.0, 110.0, 120.0]}],
    "version": "1.0.0",
}

SIGNAL = "/channels/0/samples/0"
BACKGROUND = "/channels/0/samples/1"
CONTROL = "/channels/1/samples/0"
CONFIG = "/measurements/0/config"
LUMI, MU, UNC = (f"{CONFIG}/parameters/{i}" for i in range(3))

PATCHSET = {
    "metadata": {
        "references": {"hepdata": "ins1234567"},
        "description": "signals",
        "digests": {"md5": "0" * 32},
        "labels": ["mass"],
    },
    "patches": [
        {"metadata": {"name": "point_100", "values": [100]}, "patch": [{"op": "remove", "path": "/channels/1"}]},
        {"metadata": {"name": "point_200", "values": [200]}, "patch": []},
    ],
    "version": "1.0.0",
}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    where: str  # JSON pointer, after the name of the file
    what: str  # regular expression for the sentence
    hint: str = "."
    change: typing.Callable = None
    text: typing.Union[str, bytes, None] = None
    command: tuple = ("inspect", "workspace.json")
    files: dict = dataclasses.field(default_factory=dict)
    file: str = "workspace.json"  # or option or command that the report names

    def contents(self):
        """{file name: bytes} of everything the command reads."""
        workspace = copy.deepcopy(BASE)
        text = self.text if self.text is not None else (self.change or json.dumps)(workspace)
        files = {"workspace.json": text if text is not None else json.dumps(workspace)}
        files.update(self.files)
        as_text = {name: body if isinstance(body, (str, bytes)) else json.dumps(body) for name, body in files.items()}
        return {name: body.encode() if isinstance(body, str) else body for name, body in as_text.items()}


def find(document, pointer):
    """The container and the key or index that a pointer names."""
    *way, last = pointer.split("/")[1:]
    for step in way:
        document = document[int(step) if isinstance(document, list) else step]
    return document, int(last) if isinstance(document, list) else last


def put(pointer, value):
    def change(document):
        parent, key = find(document, pointer)
        parent[key] = copy.deepcopy(value)

    return change


def drop(pointer):
    def change(document):
        parent, key = find(document, pointer)
        del parent[key]

    return change


def append(pointer, value):
    def change(document):
        parent, key = find(document, pointer)
        parent[key].append(copy.deepcopy(value))

    return change


def token(pointer, raw):
    """Text in the place of a value that no JSON writer would write."""

    def change(document):
        put(pointer, "@@")(document)
        return json.dumps(document).replace('"@@"', raw)

    return change


def twice(pointer):
    """The key once more, with the same value."""

    def change(document):
        parent, key = find(document, pointer)
        parent["@@"] = parent[key]
        return json.dumps(document).replace('"@@"', json.dumps(key))

    return change


def all_of(*changes):
    def change(document):
        for one in changes:
            one(document)

    return change


def modifier(name, kind, data=None):
    return {"name": name, "type": kind, "data": data}


def keys():
    """Extra, missing and repeated keys at every level."""
    levels = {
        "workspace": ("", ["channels", "measurements", "observations", "version"]),
        "channel": ("/channels/0", ["name", "samples"]),
        "sample": (SIGNAL, ["name", "data", "modifiers"]),
        "modifier": (f"{SIGNAL}/modifiers/0", ["name", "type", "data"]),
        "normsys": (f"{BACKGROUND}/modifiers/0/data", ["lo", "hi"]),
        "histosys": (f"{BACKGROUND}/modifiers/1/data", ["lo_data", "hi_data"]),
        "observation": ("/observations/1", ["name", "data"]),
        "measurement": ("/measurements/0", ["name", "config"]),
        "config": (CONFIG, ["poi", "parameters"]),
        "parameter": (MU, ["name"]),
    }
    for level, (pointer, required) in levels.items():
        yield Case(f"extra_{level}", f"{pointer}/zzzz", 'unknown key "zzzz"', "allowed here", put(f"{pointer}/zzzz", 1))
        for key in required:
            yield Case(f"missing_{level}_{key}", pointer, f'the key "{key}" is missing', f'add "{key}"', drop(f"{pointer}/{key}"))
        key = required[-1]
        yield Case(f"twice_{level}", f"{pointer}/{key}", f'the key "{key}" stands here twice', "keep one", twice(f"{pointer}/{key}"))
    typos = {"/channels": "/chanels", f"{SIGNAL}/modifiers": f"{SIGNAL}/modifier", f"{MU}/inits": f"{MU}/init"}
    typos[f"{BACKGROUND}/modifiers/1/data/hi_data"] = f"{BACKGROUND}/modifiers/1/data/hi_dat"
    for right, wrong in typos.items():

        def mistype(document, right=right, wrong=wrong):
            put(wrong, find(document, right)[0].pop(find(document, right)[1]))(document)

        name = right.split("/")[-1]
        yield Case(f"mistyped_{name}", wrong, "unknown key", f"did you mean '{name}'", mistype)


def tokens():
    """Numbers and words that are no JSON."""
    cell = f"{SIGNAL}/data/1"
    for number, (raw, what, hint) in enumerate([
        ("NaN", "NaN is not a JSON number", "finite number"),
        ("nan", "nan is not a JSON number", "finite number"),
        ("Infinity", "Infinity is not a JSON number", "finite number"),
        ("-Infinity", "Infinity is not a JSON number", "finite number"),
        ("inf", "inf is not a JSON number", "finite number"),
        ("1e999", "the number 1e999 is too large", "1.8e308"),
        ("-1e999", "the number -1e999 is too large", "1.8e308"),
        ("0x1F", "0x... is not a JSON number", "decimal"),
        ("007", "leading zeros", "zeros in front"),
        ("+5", "starts with '\\+'", "digit or '-'"),
        (".5", "starts with '.'", "digit or '-'"),
        ("5.", "without digits after its point", "1.0"),
        ("5e", "without digits in its exponent", "1e-5"),
        ("1_000", "1_... is not a JSON number", "decimal"),
        ("--5", "'-' without digits", "in full"),
        ("None", "'None' is not JSON", "null"),
        ("True", "'True' is not JSON", "true"),
        ("abc", "'abc' is not a JSON value", "double quotes"),
        ("'5'", "where a value should be", "double quotes"),
        ('"5"', 'expected a number, found a string "5"', "without quotes"),
        ("null", "expected a number, found null", "number"),
        ("true", "expected a number, found a boolean true", "number"),
        ("[5]", "expected a number, found an array", "number"),
        ("{}", "expected a number, found an object", "number"),
    ]):
        yield Case(f"token_{number}", cell, what, hint, token(cell, raw))
    places = {
        "lo": f"{BACKGROUND}/modifiers/0/data/lo",
        "hi_data": f"{BACKGROUND}/modifiers/1/data/hi_data/1",
        "staterror": f"{BACKGROUND}/modifiers/2/data/0",
        "shapesys": f"{CONTROL}/modifiers/0/data/2",
        "observation": "/observations/0/data/1",
        "inits": f"{MU}/inits/0",
        "bounds": f"{MU}/bounds/0/1",
        "sigmas": f"{LUMI}/sigmas/0",
        "auxdata": f"{UNC}/auxdata/2",
        "fixed": f"{MU}/fixed",
    }
    for name, pointer in places.items():
        yield Case(f"nan_{name}", pointer, "NaN is not a JSON number", "finite number", token(pointer, "NaN"))
    yield Case("nul_data", f"{SIGNAL}/modifiers/0/data", "nul", change=token(f"{SIGNAL}/modifiers/0/data", "nul"))
    yield Case("nan_channel", "/channels/0", "NaN is not a JSON number", change=token("/channels/0", "NaN"))


def types():
    """A value of the wrong type in every place."""
    places = {
        "/channels": "an array",
        "/channels/0": "an object",
        "/channels/0/name": "a string",
        "/channels/0/samples": "an array",
        SIGNAL: "an object",
        f"{SIGNAL}/name": "a string",
        f"{SIGNAL}/data": "an array",
        f"{SIGNAL}/modifiers": "an array",
        f"{SIGNAL}/modifiers/0": "an object",
        f"{SIGNAL}/modifiers/0/name": "a string",
        f"{SIGNAL}/modifiers/0/type": "a string",
        f"{SIGNAL}/modifiers/0/data": "an object",
        f"{BACKGROUND}/modifiers/0/data/lo": "a number",
        f"{BACKGROUND}/modifiers/1/data/lo_data": "an array",
        "/measurements": "an array",
        "/measurements/0": "an object",
        "/measurements/0/name": "a string",
        CONFIG: "an object",
        f"{CONFIG}/poi": "a string",
        f"{CONFIG}/parameters": "an array",
        MU: "an object",
        f"{MU}/name": "a string",
        f"{MU}/inits": "an array",
        f"{MU}/bounds": "an array",
        f"{MU}/bounds/0": "an array",
        f"{MU}/fixed": "a boolean",
        "/observations": "an array",
        "/observations/0": "an object",
        "/observations/0/name": "a string",
        "/observations/0/data": "an array",
        "/version": "a string",
    }
    for pointer, wanted in places.items():
        wrong = "true" if wanted == "a number" else 17
        found = "a string" if wrong == "true" else "a number 17"
        name = pointer.replace("/", "_").lower()
        yield Case(f"type{name}", pointer, f"expected {wanted}, found {found}", "write", put(pointer, wrong))
    null_data = {f"{BACKGROUND}/modifiers/0/data": "normsys", f"{BACKGROUND}/modifiers/1/data": "histosys"}
    null_data[f"{BACKGROUND}/modifiers/2/data"] = "staterror"
    for pointer, kind in null_data.items():
        yield Case(f"null_{kind}", pointer, f"the data of a {kind} is .*, found null", "write", put(pointer, None))
    array_data = {f"{SIGNAL}/modifiers/0/data": "normfactor", f"{BACKGROUND}/modifiers/3/data": "lumi"}
    array_data[f"{CONTROL}/modifiers/1/data"] = "shapefactor"
    for pointer, kind in array_data.items():
        yield Case(f"array_{kind}", pointer, f"the data of a {kind} is null, found an array", "null", put(pointer, [1.0, 2.0]))
    place = f"{BACKGROUND}/modifiers/0/data"
    yield Case("empty_normsys", place, "expected .*lo.*hi", "normsys has", put(place, {}))
    mixed = {"lo": 0.9, "hi_data": [1.0, 2.0]}
    yield Case("mixed_normsys", place, "expected .*lo.*hi", "normsys has", put(place, mixed))
    yield Case("histosys_as_normsys", place, "the data of a normsys is", "change the type", put(place, {"lo_data": [1.0, 2.0], "hi_data": [1.0, 2.0]}))


def lengths():
    """Empty arrays and arrays of another length than the bins or components."""
    for pointer in ["/channels", "/channels/0/samples", f"{SIGNAL}/data", "/measurements", "/observations", "/observations/0/data", f"{MU}/inits", f"{MU}/bounds", f"{MU}/bounds/0", f"{BACKGROUND}/modifiers/2/data", f"{BACKGROUND}/modifiers/1/data/lo_data"]:
        yield Case(f"empty{pointer.replace('/', '_')}", pointer, "this array is empty", "at least one", put(pointer, []))
    bins = 'values, the sample "background" has 2 bins'
    yield Case("length_sample", f"{BACKGROUND}/data", '3 bins, the first sample of channel "SR" has 2', "binning", all_of(put(f"{BACKGROUND}/data", [1.0, 2.0, 3.0]), put(f"{BACKGROUND}/modifiers", [])))
    three = {"data": [1.0, 2.0, 3.0], "name": "background", "modifiers": [modifier("stat", "staterror", [1.0, 1.0, 1.0])]}
    yield Case("length_sample_with_staterror", f"{BACKGROUND}/data", "3 bins, the first sample", "binning", all_of(put(BACKGROUND, three), append(f"{SIGNAL}/modifiers", modifier("stat", "staterror", [1.0, 1.0]))))
    yield Case("length_lo_data", f"{BACKGROUND}/modifiers/1/data/lo_data", f"3 {bins}", "per bin", append(f"{BACKGROUND}/modifiers/1/data/lo_data", 1.0))
    yield Case("length_hi_data", f"{BACKGROUND}/modifiers/1/data/hi_data", f"1 {bins}", "per bin", put(f"{BACKGROUND}/modifiers/1/data/hi_data", [1.0]))
    yield Case("length_staterror", f"{BACKGROUND}/modifiers/2/data", f"3 {bins}", "per bin", append(f"{BACKGROUND}/modifiers/2/data", 1.0))
    yield Case("length_shapesys", f"{CONTROL}/modifiers/0/data", "2 values, the sample .* has 3 bins", "per bin", put(f"{CONTROL}/modifiers/0/data", [1.0, 2.0]))
    yield Case("length_observation", "/observations/1/data", '4 values, the channel "CR" has 3 bins', "per bin", append("/observations/1/data", 1.0))
    for key, value, count in [("inits", [1.0, 2.0], "2 values"), ("bounds", [[0.0, 1.0], [0.0, 1.0]], "2 values")]:
        yield Case(f"length_{key}", f"{MU}/{key}", f'{count}, but "mu" has 1 component', "per component", put(f"{MU}/{key}", value))
    yield Case("length_sigmas", f"{LUMI}/sigmas", '2 values, but "lumi" has 1 component', "per component", put(f"{LUMI}/sigmas", [0.1, 0.1]))
    yield Case("length_auxdata", f"{UNC}/auxdata", '1 value, but "unc" has 3 components', "per component", put(f"{UNC}/auxdata", [1.0]))
    yield Case("length_factors", f"{UNC}/factors", '2 values, but "unc" has 3 components', "per component", put(f"{UNC}/factors", [1.0, 1.0]))
    yield Case("length_bound", f"{MU}/bounds/0", r"\[low, high\], found 3 numbers", "two numbers", put(f"{MU}/bounds/0", [0.0, 1.0, 2.0]))


def meaning():
    """Documents that fit the schema and cannot be a model."""
    first = f"{SIGNAL}/modifiers/0"
    yield Case("unknown_type", f"{first}/type", 'unknown modifier type "normfactr"', "did you mean 'normfactor'", put(f"{first}/type", "normfactr"))
    yield Case("strange_type", f"{first}/type", 'unknown modifier type "zzz"', "the types are histosys", put(f"{first}/type", "zzz"))
    yield Case("lumi_name", f"{BACKGROUND}/modifiers/3/name", 'a lumi modifier is called "lumi"', "rename", put(f"{BACKGROUND}/modifiers/3/name", "Lumi"))
    yield Case("lumi_settings", f"{CONFIG}/parameters", '"lumi" has no settings', "sigmas", drop(LUMI))
    for key in ["inits", "bounds", "auxdata", "sigmas"]:
        yield Case(f"lumi_{key}", LUMI, f'"lumi" needs the key "{key}"', f'add "{key}"', drop(f"{LUMI}/{key}"))
    yield Case("name_reuse", f"{BACKGROUND}/modifiers/4/name", '"mu" is a normfactor here and a normsys elsewhere|"mu" is a normsys here and a normfactor elsewhere', "another name", all_of(append(f"{BACKGROUND}/modifiers", modifier("mu", "normsys", {"lo": 0.9, "hi": 1.1})), put("/channels/0/samples/0/name", "a")))
    yield Case("shapesys_twice", f"{BACKGROUND}/modifiers/4/name", 'the shapesys "unc" is already used', "name of its own", append(f"{BACKGROUND}/modifiers", modifier("unc", "shapesys", [1.0, 1.0])))
    yield Case("staterror_uneven", "/channels/0", 'the staterror "stat" is on other samples here', "same samples", all_of(append(f"{CONTROL}/modifiers", modifier("stat", "staterror", [1.0, 1.0, 1.0])), append(f"{SIGNAL}/modifiers", modifier("stat", "staterror", [1.0, 1.0]))))
    yield Case("shapefactor_binning", f"{CONTROL}/modifiers/1", 'the shapefactor "free" has 2 bins in an earlier channel and 3 here', "binning", all_of(put("/channels/0/name", "AR"), put("/observations/0/name", "AR"), append(f"{BACKGROUND}/modifiers", modifier("free", "shapefactor"))))
    yield Case("observation_missing", "/channels/0/name", 'the channel "SR" has no observation', "add an entry", drop("/observations/0"))
    yield Case("observation_mistyped", "/channels/0/name", 'the channel "SR" has no observation', "did you mean 'SRR'", put("/observations/0/name", "SRR"))
    yield Case("observation_negative", "/observations/0/data/1", "cannot be negative, found -1", "bin", put("/observations/0/data/1", -1.0))
    yield Case("channel_twice", "/channels/2/name", 'the channel "CR" stands here a second time, first at /channels/1', "rename", append("/channels", {**BASE["channels"][1], "samples": [{"name": "other", "data": [1.0, 1.0, 1.0], "modifiers": []}]}))
    yield Case("sample_twice", f"{BACKGROUND}/name", 'the sample "signal" stands twice in channel "SR"', "rename", put(f"{BACKGROUND}/name", "signal"))
    yield Case("observation_twice", "/observations/2/name", 'the observation "SR" stands here a second time', "rename", append("/observations", BASE["observations"][0]))
    yield Case("measurement_twice", "/measurements/1/name", 'the measurement "meas" stands here a second time', "rename", append("/measurements", BASE["measurements"][0]))
    yield Case("parameter_twice", f"{CONFIG}/parameters/3/name", 'the parameter "mu" is configured twice', "keep one", append(f"{CONFIG}/parameters", {"name": "mu"}))
    for name, key in [("norm", "sigmas"), ("mu", "auxdata"), ("mu", "sigmas"), ("stat", "factors"), ("free", "auxdata")]:
        yield Case(f"{name}_has_no_{key}", f"{CONFIG}/parameters/{1 if name == 'mu' else 3}/{key}", f'"{name}" is a .* and has no {key}', "remove", put(f"{MU}/{key}", [1.0]) if name == "mu" else append(f"{CONFIG}/parameters", {"name": name, key: [1.0]}))
    yield Case("bounds_reversed", f"{MU}/bounds/0", "the lower bound 5 is above the upper bound 1", r"\[low, high\]", put(f"{MU}/bounds", [[5.0, 1.0]]))
    yield Case("sigma_zero", f"{LUMI}/sigmas/0", "a sigma must be positive, found 0", "check", put(f"{LUMI}/sigmas", [0.0]))
    yield Case("sigma_negative", f"{LUMI}/sigmas/0", "a sigma must be positive, found -1", "check", put(f"{LUMI}/sigmas", [-1.0]))
    yield Case("factor_zero", f"{UNC}/factors/1", "a factor must be positive, found 0", "check", put(f"{UNC}/factors/1", 0.0))
    yield Case("auxdata_negative", f"{UNC}/auxdata/2", "cannot be negative, found -3", "check", put(f"{UNC}/auxdata/2", -3.0))
    place = f"{CONTROL}/modifiers/0/data/1"
    yield Case("shapesys_ratio", place, 'the shapesys "unc" cannot be used in bin 1', "yield and the uncertainty", put(place, 1e300))
    place = f"{BACKGROUND}/modifiers/2/data/1"
    yield Case("staterror_ratio", "/channels/0", 'the staterror "stat" cannot be used in bin 1', "yield and the uncertainty", put(place, 1e300))
    yield Case("poi_vector", f"{CONFIG}/poi", 'the parameter of interest "unc" has 3 components', "one component", put(f"{CONFIG}/poi", "unc"))
    yield Case("version_wrong", "/version", 'unknown workspace version "2.0.0"', "1.0.0", put("/version", "2.0.0"))
    yield Case("no_modifiers", "/channels", "no parameters", "normfactor", all_of(put(f"{SIGNAL}/modifiers", []), put(f"{BACKGROUND}/modifiers", []), put(f"{CONTROL}/modifiers", [])))


def text():
    """Files that are no JSON document, or none of ours."""
    whole = json.dumps(BASE)
    start = whole.index('"data": [5.0') + len('"data": ')
    yield Case("empty", "", "the text is empty", "JSON document", text="")
    yield Case("spaces", "", "only spaces", "JSON document", text=" \n\t ")
    yield Case("byte_order_mark", "", "byte-order mark", "UTF-8 without", text=b"\xef\xbb\xbf" + whole.encode())
    yield Case("utf_16", "", "UTF-16", "UTF-8", text=whole.encode("utf-16"))
    yield Case("gzip", "", "gzip", "gunzip", text=b"\x1f\x8b\x08\x00junk")
    yield Case("xml", "", "XML", "JSON document", text="<Combination/>")
    yield Case("top_array", "", "a workspace is an object, found an array", "channels", text=f"[{whole}]")
    yield Case("top_string", "", 'a workspace is an object, found the string "x"', "channels", text='"x"')
    yield Case("top_number", "", "a workspace is an object, found the number 12", "channels", text="12")
    yield Case("top_null", "", "a workspace is an object, found null", "channels", text="null")
    yield Case("text_after_end", "", "line 1, column .* after the end of the document", "one JSON value", text=whole + " x")
    yield Case("two_documents", "", "'{' after the end of the document", "one JSON value", text=whole + whole)
    yield Case("closed_twice", "", "'}' after the end of the document", "one JSON value", text=whole + "}")
    yield Case("trailing_comma_array", f"{SIGNAL}/data", "a comma with nothing after it", "remove", text=whole[:start] + "[5.0, 10.0,]" + whole[start + 11 :])
    yield Case("trailing_comma_object", "", "a comma with nothing after it", "remove", text=whole[:-1] + ",}")
    yield Case("comma_missing", f"{SIGNAL}/data", "where ',' or ']' should be", "comma", text=whole.replace("[5.0, 10.0]", "[5.0 10.0]"))
    yield Case("colon_missing", "/channels", "where ':' after the key should be", "missing", text=whole.replace('"channels":', '"channels"', 1))
    yield Case("wrong_bracket", f"{SIGNAL}/data", "'}' where ',' or ']' should be", "bracket", text=whole.replace("[5.0, 10.0]", "[5.0, 10.0}"))
    yield Case("line_comment", f"{SIGNAL}/data", "line 2, column 1: '/' where", "no comments", text=whole.replace("[5.0, 10.0]", "[5.0\n// two\n, 10.0]"))
    yield Case("block_comment", f"{SIGNAL}/data/1", "'/' where a value should be", "no comments", text=whole.replace("[5.0, 10.0]", "[5.0, /* two */ 10.0]"))
    yield Case("hash_comment", "", "'#' where a value should be", "no comments", text="# mine\n" + whole)
    yield Case("single_quotes", "/channels/0", "where a key in double quotes should be", "double quotes", text=whole.replace('{"name": "SR"', "{'name': 'SR'", 1))
    yield Case("bare_key", "/channels/0", "where a key in double quotes should be", text=whole.replace('{"name": "SR"', '{name: "SR"', 1))
    yield Case("broken_utf_8", "/channels/0/name", "byte 0xff is not valid UTF-8", "UTF-8", text=whole.encode().replace(b'"SR"', b'"S\xff"', 1))
    yield Case("overlong_utf_8", "/channels/0/name", "byte 0xc0 is not valid UTF-8", "UTF-8", text=whole.encode().replace(b'"SR"', b'"S\xc0\xaf"', 1))
    yield Case("bad_escape", "/channels/0/name", "unknown escape", "backslash", text=whole.replace('"SR"', '"S\\R"', 1))
    yield Case("half_surrogate", "/channels/0/name", "surrogate", "UTF-8", text=whole.replace('"SR"', '"\\ud800"', 1))
    yield Case("line_break_in_string", "/channels/0/name", "line break inside a string", "close the string", text=whole.replace('"SR"', '"S\nR"', 1))
    yield Case("zero_byte", f"{SIGNAL}/data/1", "byte 0x00", text=whole.replace("[5.0, 10.0]", "[5.0, \0]"))
    cuts = {
        1: ("", "before the '{' of line 1, column 1 is closed"),
        5: ("", "a string that is never closed"),
        whole.index("[{"): ("/channels", "before the '{'"),
        whole.index('"SR"'): ("/channels/0/name", "before the '{'"),
        whole.index('"SR"') + 2: ("/channels/0/name", "never closed"),
        start + 5: (f"{SIGNAL}/data/1", r"before the '\[' .* is closed"),
        start + 8: (f"{SIGNAL}/data", r"before the '\[' .* is closed"),
        whole.index("null") + 2: (f"{SIGNAL}/modifiers/0/data", "the text ends with 'nu'"),
        whole.index("false") + 3: (f"{MU}/fixed", "the text ends with 'fal'"),
        len(whole) - 1: ("", "before the '{' of line 1, column 1 is closed"),
    }
    for cut, (where, what) in cuts.items():
        yield Case(f"cut_at_{cut}", where, what, "cut off|quote", text=whole[:cut])


def patches():
    """JSON patches that are malformed or do not fit."""

    def case(name, where, what, hint, patch):
        return Case(f"patch_{name}", where, what, hint, command=("inspect", "workspace.json", "--patch", "patch.json"), files={"patch.json": patch}, file="patch.json")

    yield case("object", "", "expected an array, found an object", "write an array", {})
    yield case("number", "/0", "expected an object, found the number 5", "write an object", [5])
    yield case("operation", "/0/op", "unknown operation 'remov'", "did you mean 'remove'", [{"op": "remov", "path": "/version"}])
    yield case("op_missing", "/0", 'the key "op" is missing', 'add "op"', [{"path": "/version"}])
    yield case("path_missing", "/1", 'the key "path" is missing', 'add "path"', [{"op": "test", "path": "/version", "value": "1.0.0"}, {"op": "remove"}])
    yield case("value_missing", "/0", "'add' without a 'value'", "add the key", [{"op": "add", "path": "/version"}])
    yield case("from_missing", "/0", "'move' without a 'from'", "add the key", [{"op": "move", "path": "/version"}])
    yield case("no_pointer", "/0/path", '"version" is not a JSON pointer', "starts with '/'", [{"op": "remove", "path": "version"}])
    yield case("bad_escape", "/0/path", "is not a JSON pointer", "~0", [{"op": "remove", "path": "/a~2"}])
    yield case("no_such_key", "/0/path", "has no key 'chanels'", "did you mean 'channels'", [{"op": "remove", "path": "/chanels/0"}])
    yield case("no_such_index", "/0/path", "'7' is not an index of /channels, which has 2 elements", "start at 0", [{"op": "replace", "path": "/channels/7", "value": 1}])
    yield case("leading_zero", "/0/path", "'00' is not an index", "indices", [{"op": "remove", "path": "/channels/00"}])
    yield case("inside_scalar", "/0/path", 'which has no parts', "belongs", [{"op": "add", "path": "/version/x", "value": 1}])
    yield case("test", "/0/path", "the test failed", "another document", [{"op": "test", "path": "/version", "value": "1.0.1"}])
    yield case("root", "/0/path", "the whole document cannot be removed", "part", [{"op": "remove", "path": ""}])
    yield case("into_itself", "/0/from", "cannot be moved into itself", "copy", [{"op": "move", "from": "/channels", "path": "/channels/0"}])
    yield case("from_nowhere", "/0/from", "has no key 'x'", "belongs", [{"op": "copy", "from": "/x", "path": "/y"}])
    yield case("syntax", "/0", "line 1, column .*: 'x' is not a JSON value", "double quotes", "[x]")
    yield case("key_twice", "/0/op", 'the key "op" stands here twice', "keep one", '[{"op": "add", "op": "test", "path": ""}]')
    yield dataclasses.replace(case("result", "/channels", "this array is empty", "at least one", [{"op": "replace", "path": "/channels", "value": []}]), file="workspace.json (patched)")


def patchsets():
    """Patchsets against each rule of their schema."""

    def case(name, where, what, hint, change):
        document = copy.deepcopy(PATCHSET)
        change(document)
        return Case(f"patchset_{name}", where, what, hint, command=("patchset", "inspect", "patchset.json"), files={"patchset.json": document}, file="patchset.json")

    about = "/patches/0/metadata"
    for key in ["metadata", "patches", "version"]:
        yield case(f"without_{key}", "", f'the key "{key}" is missing', f'add "{key}"', drop(f"/{key}"))
    for key in ["references", "digests", "labels", "description"]:
        yield case(f"without_{key}", "/metadata", f'the key "{key}" is missing', f'add "{key}"', drop(f"/metadata/{key}"))
    for key in ["metadata", "patch"]:
        yield case(f"patch_without_{key}", "/patches/0", f'the key "{key}" is missing', f'add "{key}"', drop(f"/patches/0/{key}"))
    for key in ["name", "values"]:
        yield case(f"patch_without_{key}", about, f'the key "{key}" is missing', f'add "{key}"', drop(f"{about}/{key}"))
    yield case("extra", "/extra", 'unknown key "extra"', "remove", put("/extra", 1))
    yield case("mistyped", "/patchs", 'unknown key "patchs"', "did you mean 'patches'", put("/patchs", 1))
    yield case("extra_in_patch", "/patches/0/extra", 'unknown key "extra"', "remove", put("/patches/0/extra", 1))
    yield case("version", "/version", 'unknown patchset version "0.9"', "1.0.0", put("/version", "0.9"))
    yield case("no_patches", "/patches", "this array is empty", "at least one", put("/patches", []))
    yield case("no_labels", "/metadata/labels", "this array is empty", "at least one", put("/metadata/labels", []))
    yield case("label", "/metadata/labels/0", "is not a name of letters", "letters", put("/metadata/labels/0", "m 1"))
    yield case("hepdata", "/metadata/references/hepdata", "is not 'ins' and seven digits", "ins1234567", put("/metadata/references/hepdata", "ins12"))
    yield case("no_reference", "/metadata/references", "the object is empty", "hepdata", put("/metadata/references", {}))
    yield case("no_digest", "/metadata/digests", "the object is empty", "md5", put("/metadata/digests", {}))
    yield case("md5", "/metadata/digests/md5", "is not 32 hexadecimal digits", "32", put("/metadata/digests/md5", "12"))
    yield case("digest_kind", "/metadata/digests/sha1", 'unknown key "sha1"', ".", put("/metadata/digests/sha1", "12"))
    yield case("description", "/metadata/description", "expected a string, found the number 5", "string", put("/metadata/description", 5))
    yield case("name", f"{about}/name", "is not a name of letters", "letters", put(f"{about}/name", "a-b"))
    yield case("name_twice", "/patches/1/metadata/name", "the name 'point_100' is taken by /patches/0/metadata", "own name", put("/patches/1/metadata/name", "point_100"))
    yield case("values_twice", "/patches/1/metadata/values", r"the values \[100.0\] are taken", "own values", put("/patches/1/metadata/values", [100.0]))
    yield case("values_count", "/patches/1/metadata/values", "2 values for 1 labels", "per label", put("/patches/1/metadata/values", [1, 2]))
    yield case("values_type", f"{about}/values/0", "expected a number or a string, found null", "label", put(f"{about}/values/0", None))
    yield case("operation", "/patches/0/patch/0/op", "unknown operation 'ad'", "did you mean 'add'", put("/patches/0/patch/0/op", "ad"))
    patchset = {"patchset.json": PATCHSET}
    yield Case("patchset_no_such_name", "", "no patch 'point_10'", "did you mean 'point_100'", command=("patchset", "extract", "patchset.json", "--name", "point_10"), files=patchset, file="patchset.json")
    yield Case("patchset_digest", "/metadata/digests/md5", "not the one this patchset was made for", "background-only", command=("patchset", "apply", "workspace.json", "patchset.json", "--name", "point_100"), files=patchset, file="patchset.json")
    yield Case("patchset_alone", "", "--patchset and --patch-name belong together", "both", command=("inspect", "workspace.json", "--patchset", "patchset.json"), files=patchset, file="--patchset")


def other_files():
    """Points, observations and choices that do not go with a good workspace."""

    def points(name, where, what, hint, document):
        return Case(f"parameters_{name}", where, what, hint, command=("evaluate", "workspace.json", "--parameters", "points.json"), files={"points.json": document}, file="points.json")

    yield points("name", "/mmu", 'there is no parameter "mmu"', "did you mean 'mu'", {"mmu": 1})
    yield points("type", "/mu", 'the value of "mu" is not a number, found the string "1"', "number", {"mu": "1"})
    yield points("null", "/1/mu", 'the value of "mu" is not a number, found null', "number", [{"mu": 1}, {"mu": None}])
    yield points("empty", "", "the list of points is empty", "at least one", [])
    yield points("no_object", "/0", 'a point is an object {"parameter": value}, found the number 1', "flat names", [1])
    yield points("syntax", "/mu", "NaN is not a JSON number", "finite", '{"mu": NaN}')
    yield points("twice", "/mu", 'the key "mu" stands here twice', "keep one", '{"mu": 1, "mu": 2}')
    for word, what in [("mu=x", '"mu=x" is not NAME=VALUE'), ("mu=nan", '"mu=nan" is not NAME=VALUE'), ("mu=", '"mu=" is not NAME=VALUE')]:
        yield Case(f"parameters_{word}", "", what, "mu=1.5", command=("evaluate", "workspace.json", "--parameters", word), file="--parameters")
    yield Case("parameters_word", "", 'there is no parameter "mmu"', "did you mean 'mu'", command=("evaluate", "workspace.json", "--parameters", "mmu=1"), file="--parameters")

    def data(name, where, what, hint, document):
        return Case(f"data_file_{name}", where, what, hint, command=("evaluate", "workspace.json", "--data", "data.json"), files={"data.json": document}, file="data.json")

    good = {"SR": [1, 2], "CR": [1, 2, 3]}
    yield data("missing", "", 'the channel "CR" has no observation', "add its counts", {"SR": [1, 2]})
    yield data("mistyped", "/CRR", 'the workspace has no channel "CRR"', "did you mean 'CR'.* the channels are SR, CR|CR, SR", {"SR": [1, 2], "CRR": [1, 2, 3]})
    yield data("unknown", "/other", 'the workspace has no channel "other"', "the channels are CR, SR", {**good, "other": [1]})
    yield data("unknown_entry", "/2/data", 'the workspace has no channel "other"', "the channels are CR, SR", [{"name": "SR", "data": [1, 2]}, {"name": "CR", "data": [1, 2, 3]}, {"name": "other", "data": [1]}])
    yield data("length", "/SR", 'the channel "SR" needs an array of 2 counts, found 3', "per bin", {**good, "SR": [1, 2, 3]})
    yield data("no_array", "/SR", 'the channel "SR" needs an array of 2 counts, found the number 1', "per bin", {**good, "SR": 1})
    yield data("negative", "/CR/1", "an observed count is a number that is not negative, found the number -2", "bin", {**good, "CR": [1, -2, 3]})
    yield data("type", "/CR/2", "an observed count is a number that is not negative, found null", "bin", {**good, "CR": [1, 2, None]})
    yield data("no_list", "", "observations are a list or an object, found the number 3", "channel", 3)
    yield data("entry", "/0", "an observation is", "both keys", [{"name": "SR"}, {"name": "CR", "data": [1, 2, 3]}])
    yield data("twice", "/2/data", 'the channel "SR" stands here twice', "keep one", [{"name": "SR", "data": [1, 2]}, {"name": "CR", "data": [1, 2, 3]}, {"name": "SR", "data": [1, 2]}])

    inspect = ("inspect", "workspace.json")
    yield Case("measurement_name", "/measurements", 'there is no measurement "meass"', "did you mean 'meas'", command=(*inspect, "--measurement", "meass"))
    yield Case("measurement_number", "/measurements", "there is no measurement 3: the workspace has 1", "from 0", command=(*inspect, "--measurement", "3"))
    yield Case("poi_name", "", 'there is no parameter "muu" to be the parameter of interest', "did you mean 'mu'", command=(*inspect, "--poi", "muu"))
    yield Case("poi_components", "", 'the parameter of interest "unc" has several components', r"unc\[0\]", command=(*inspect, "--poi", "unc"))


def usage():
    """Wrong command lines and files that cannot be read or written."""
    good = "workspace.json"
    yield Case("no_file", "", "there is no such file", "did you mean '.*workspace.json'", command=("inspect", "worksapce.json"), file="worksapce.json")
    yield Case("no_folder", "", "there is no such file", "folder .* does not exist", command=("inspect", "nowhere/workspace.json"), file="nowhere/workspace.json")
    yield Case("folder", "", "is a folder, not a file", "file in it", command=("inspect", "."), file=".")
    yield Case("no_patch_file", "", "there is no such file", "path", command=("inspect", good, "--patch", "absent.file"), file="absent.file")
    yield Case("output_folder", "", "cannot be written: No such file or directory", "path", command=("inspect", good, "--output", "nowhere/result.json"), file="nowhere/result.json")
    yield Case("verb", "", "unknown verb 'inspct'", "did you mean 'inspect'", command=("inspct", good), file="nextstat")
    yield Case("option", "", "unknown option '--gradiant'", "did you mean '--gradient'", command=("evaluate", good, "--gradiant"), file="nextstat evaluate")
    yield Case("argument", "", "unexpected argument 'more.json'", "--help", command=("inspect", good, "more.json"), file="nextstat inspect")
    yield Case("format", "", "--format", "table|json|--help", command=("inspect", good, "--format", "yaml"), file="nextstat inspect")
    yield Case("threads", "", "--threads", "--help", command=("evaluate", good, "--threads", "many"), file="nextstat evaluate")
    yield Case("interpolation", "", "--normsys-code", "--help", command=("inspect", good, "--normsys-code", "code7"), file="nextstat inspect")
    yield Case("instruction_set", "", "unknown instruction set|instruction set", "x86-64|scalar|one of", command=("evaluate", good, "--instruction-set", "x86-64-v9"), file="--instruction-set")
    yield Case("subcommand", "", "'nextstat patchset' needs one more word", "extract, apply", command=("patchset",), file="nextstat patchset")
    yield Case("input_twice", "", "the workspace is given twice", "once", command=("inspect", good, "--input", good), file="--input")
    yield Case("stdin_twice", "", "two documents are needed", "as a file", command=("combine", "-", "-"), file="standard input")
    yield Case("stdin_patch", "", "two documents are needed", "as a file", command=("inspect", "-", "--patch", "-"), file="standard input")
    yield Case("join", "", "unknown join 'outr'", "did you mean 'outer'", command=("combine", good, good, "--join", "outr"), file="--join")
    yield Case("algorithm", "", "sha257", "did you mean|sha256", command=("digest", good, "--algorithm", "sha257"), file="--algorithm")
    yield Case("prune", "", "the workspace has no channel 'SSR'", "did you mean 'SR'", command=("prune", good, "--channel", "SSR"))
    yield Case("rename", "", "the workspace has no sample 'sginal'", "did you mean 'signal'", command=("rename", good, "--sample", "sginal", "s"))


FIVE = all_of(
    put("/channels/0/colour", "red"),
    put(f"{BACKGROUND}/modifiers/0/type", "nromsys"),
    put("/observations/1/data", [100.0, 110.0]),
    put(f"{LUMI}/sigmas", [0.0]),
    put("/version", 1),
)
FIVE_FAULTS = {
    "/channels/0/colour": "unknown key",
    f"{BACKGROUND}/modifiers/0/type": "unknown modifier type",
    "/observations/1/data": "2 values",
    f"{LUMI}/sigmas/0": "positive",
    "/version": "expected a string",
}

WORKSPACES = [*keys(), *tokens(), *types(), *lengths(), *meaning(), *text()]
CASES = [*WORKSPACES, *patches(), *patchsets(), *other_files(), *usage()]
