"""All inputs with one fault each: the workspaces of bad_workspaces.py, patches, patchsets, other files and wrong usage."""

import copy
import dataclasses

from bad_input_case import PATCHSET, Case, drop, put
from bad_workspaces import WORKSPACES


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
    yield case("inside_scalar", "/0/path", 'which has no members', "belongs", [{"op": "add", "path": "/version/x", "value": 1}])
    yield case("test", "/0/path", "the test failed", "another document", [{"op": "test", "path": "/version", "value": "1.0.1"}])
    yield case("root", "/0/path", "the whole document cannot be removed", "part", [{"op": "remove", "path": ""}])
    yield case("into_itself", "/0/from", "cannot be moved into itself", "copy", [{"op": "move", "from": "/channels", "path": "/channels/0"}])
    yield case("from_nowhere", "/0/from", "has no key 'x'", "belongs", [{"op": "copy", "from": "/x", "path": "/y"}])
    yield case("syntax", "/0", "line 1, column .*: 'x' is not a JSON value", "double quotes", "[x]")
    yield case("key_twice", "/0/op", 'the key "op" appears twice', "keep one", '[{"op": "add", "op": "test", "path": ""}]')
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
    yield Case("patchset_alone", "", "--patchset and --patch-name must be used together", "both", command=("inspect", "workspace.json", "--patchset", "patchset.json"), files=patchset, file="--patchset")


def other_files():
    """Points, observations and choices that do not go with a good workspace."""

    def points(name, where, what, hint, document):
        return Case(f"parameters_{name}", where, what, hint, command=("evaluate", "workspace.json", "--parameters", "points.json"), files={"points.json": document}, file="points.json")

    yield points("name", "/mmu", 'there is no parameter "mmu"', "did you mean 'mu'", {"mmu": 1})
    yield points("type", "/mu", 'the value of "mu" is not a number, found the string "1"', "number", {"mu": "1"})
    yield points("null", "/1/mu", 'the value of "mu" is not a number, found null', "number", [{"mu": 1}, {"mu": None}])
    yield points("empty", "", "the list of points is empty", "at least one", [])
    yield points("no_object", "/0", 'a point must be an object {"parameter": value}, found the number 1', "parameter names", [1])
    yield points("syntax", "/mu", "NaN is not a JSON number", "finite", '{"mu": NaN}')
    yield points("twice", "/mu", 'the key "mu" appears twice', "keep one", '{"mu": 1, "mu": 2}')
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
    yield data("negative", "/CR/1", "an observed count must be a non-negative number, found the number -2", "bin", {**good, "CR": [1, -2, 3]})
    yield data("type", "/CR/2", "an observed count must be a non-negative number, found null", "bin", {**good, "CR": [1, 2, None]})
    yield data("no_list", "", "observations must be a list or an object, found the number 3", "channel", 3)
    yield data("entry", "/0", "an observation must be", "both keys", [{"name": "SR"}, {"name": "CR", "data": [1, 2, 3]}])
    yield data("twice", "/2/data", 'the channel "SR" appears twice', "keep one", [{"name": "SR", "data": [1, 2]}, {"name": "CR", "data": [1, 2, 3]}, {"name": "SR", "data": [1, 2]}])

    inspect = ("inspect", "workspace.json")
    yield Case("measurement_name", "/measurements", 'there is no measurement "meass"', "did you mean 'meas'", command=(*inspect, "--measurement", "meass"))
    yield Case("measurement_number", "/measurements", "there is no measurement 3: the workspace has 1", "from 0", command=(*inspect, "--measurement", "3"))
    yield Case("poi_name", "--poi", 'there is no parameter "muu" to use as the parameter of interest', "did you mean 'mu'", command=(*inspect, "--poi", "muu"), file="")
    yield Case("poi_components", "--poi", 'the parameter of interest "unc" has several components', r"unc\[0\]", command=(*inspect, "--poi", "unc"), file="")


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
    yield Case("format", "", "'yaml' is not a format; there are table and json", "one of them", command=("inspect", good, "--format", "yaml"), file="--format")
    yield Case("threads", "", "--threads", "--help", command=("evaluate", good, "--threads", "many"), file="nextstat evaluate")
    yield Case("interpolation", "", "'code7' is not an interpolation code of normsys", "did you mean 'code1'", command=("inspect", good, "--normsys-code", "code7"), file="--normsys-code")
    yield Case("instruction_set", "", "instruction set", "x86-64|scalar|one of", command=("evaluate", good, "--instruction-set", "x86-64-v9"), file="--instruction-set")
    yield Case("subcommand", "", "'nextstat patchset' needs a verb", "extract, apply", command=("patchset",), file="nextstat patchset")
    yield Case("input_twice", "", "the workspace is given twice", "once", command=("inspect", good, "--input", good), file="--input")
    yield Case("stdin_twice", "", "two documents are needed", "as a file", command=("combine", "-", "-"), file="standard input")
    yield Case("stdin_patch", "", "two documents are needed", "as a file", command=("inspect", "-", "--patch", "-"), file="standard input")
    yield Case("join", "", "'outr' is not a join", "did you mean 'outer'", command=("combine", good, good, "--join", "outr"), file="--join")
    yield Case("algorithm", "", "sha257", "did you mean|sha256", command=("digest", good, "--algorithm", "sha257"), file="--algorithm")
    yield Case("prune", "", "the workspace has no channel 'SSR'", "did you mean 'SR'", command=("prune", good, "--channel", "SSR"))
    yield Case("rename", "", "the workspace has no sample 'sginal'", "did you mean 'signal'", command=("rename", good, "--sample", "sginal", "s"))


CASES = [*WORKSPACES, *patches(), *patchsets(), *other_files(), *usage()]
