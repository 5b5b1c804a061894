"""Workspaces with one fault each; bad_input_case.py says what a case is."""

import json

from bad_input_case import BACKGROUND, BASE, CONFIG, CONTROL, LUMI, MU, SIGNAL, UNC, Case, all_of, append, drop, find, put, token, twice
from small_workspaces import modifier


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
        yield Case(f"twice_{level}", f"{pointer}/{key}", f'the key "{key}" appears twice', "keep one", twice(f"{pointer}/{key}"))
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
        ("007", "leading zeros", "remove the leading zeros"),
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
        yield Case(f"null_{kind}", pointer, f"the data of a {kind} must be .*, found null", "write", put(pointer, None))
    array_data = {f"{SIGNAL}/modifiers/0/data": "normfactor", f"{BACKGROUND}/modifiers/3/data": "lumi"}
    array_data[f"{CONTROL}/modifiers/1/data"] = "shapefactor"
    for pointer, kind in array_data.items():
        yield Case(f"array_{kind}", pointer, f"the data of a {kind} must be null, found an array", "null", put(pointer, [1.0, 2.0]))
    place = f"{BACKGROUND}/modifiers/0/data"
    yield Case("empty_normsys", place, "expected .*lo.*hi", "normsys has", put(place, {}))
    mixed = {"lo": 0.9, "hi_data": [1.0, 2.0]}
    yield Case("mixed_normsys", place, "expected .*lo.*hi", "normsys has", put(place, mixed))
    yield Case("histosys_as_normsys", place, "the data of a normsys must be", "change the type", put(place, {"lo_data": [1.0, 2.0], "hi_data": [1.0, 2.0]}))


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
    yield Case("lumi_name", f"{BACKGROUND}/modifiers/3/name", 'a lumi modifier must be named "lumi"', "rename", put(f"{BACKGROUND}/modifiers/3/name", "Lumi"))
    yield Case("lumi_settings", f"{CONFIG}/parameters", '"lumi" has no settings', "sigmas", drop(LUMI))
    for key in ["inits", "bounds", "auxdata", "sigmas"]:
        yield Case(f"lumi_{key}", LUMI, f'"lumi" needs the key "{key}"', f'add "{key}"', drop(f"{LUMI}/{key}"))
    yield Case("name_reuse", f"{BACKGROUND}/modifiers/4/name", '"mu" is a normfactor here and a normsys elsewhere|"mu" is a normsys here and a normfactor elsewhere', "another name", all_of(append(f"{BACKGROUND}/modifiers", modifier("mu", "normsys", {"lo": 0.9, "hi": 1.1})), put("/channels/0/samples/0/name", "a")))
    yield Case("shapesys_twice", f"{BACKGROUND}/modifiers/4/name", 'the shapesys "unc" is already used', "its own name", append(f"{BACKGROUND}/modifiers", modifier("unc", "shapesys", [1.0, 1.0])))
    yield Case("staterror_uneven", "/channels/0", 'the staterror "stat" is on different samples here', "same samples", all_of(append(f"{CONTROL}/modifiers", modifier("stat", "staterror", [1.0, 1.0, 1.0])), append(f"{SIGNAL}/modifiers", modifier("stat", "staterror", [1.0, 1.0]))))
    yield Case("shapefactor_binning", f"{CONTROL}/modifiers/1", 'the shapefactor "free" has 2 bins in an earlier channel and 3 here', "binning", all_of(put("/channels/0/name", "AR"), put("/observations/0/name", "AR"), append(f"{BACKGROUND}/modifiers", modifier("free", "shapefactor"))))
    yield Case("observation_missing", "/channels/0/name", 'the channel "SR" has no observation', "add an entry", drop("/observations/0"))
    yield Case("observation_mistyped", "/channels/0/name", 'the channel "SR" has no observation', "did you mean 'SRR'", put("/observations/0/name", "SRR"))
    yield Case("observation_negative", "/observations/0/data/1", "cannot be negative, found -1", "bin", put("/observations/0/data/1", -1.0))
    yield Case("channel_twice", "/channels/2/name", 'the channel "CR" appears twice, first at /channels/1', "rename", append("/channels", {**BASE["channels"][1], "samples": [{"name": "other", "data": [1.0, 1.0, 1.0], "modifiers": []}]}))
    yield Case("sample_twice", f"{BACKGROUND}/name", 'the sample "signal" appears twice in channel "SR"', "rename", put(f"{BACKGROUND}/name", "signal"))
    yield Case("observation_twice", "/observations/2/name", 'the observation "SR" appears twice', "rename", append("/observations", BASE["observations"][0]))
    yield Case("measurement_twice", "/measurements/1/name", 'the measurement "meas" appears twice', "rename", append("/measurements", BASE["measurements"][0]))
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
    yield Case("top_array", "", "a workspace must be an object, found an array", "channels", text=f"[{whole}]")
    yield Case("top_string", "", 'a workspace must be an object, found the string "x"', "channels", text='"x"')
    yield Case("top_number", "", "a workspace must be an object, found the number 12", "channels", text="12")
    yield Case("top_null", "", "a workspace must be an object, found null", "channels", text="null")
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


FIVE = all_of(
    put("/channels/0/color", "red"),
    put(f"{BACKGROUND}/modifiers/0/type", "nromsys"),
    put("/observations/1/data", [100.0, 110.0]),
    put(f"{LUMI}/sigmas", [0.0]),
    put("/version", 1),
)
FIVE_FAULTS = {
    "/channels/0/color": "unknown key",
    f"{BACKGROUND}/modifiers/0/type": "unknown modifier type",
    "/observations/1/data": "2 values",
    f"{LUMI}/sigmas/0": "positive",
    "/version": "expected a string",
}

WORKSPACES = [*keys(), *tokens(), *types(), *lengths(), *meaning(), *text()]
