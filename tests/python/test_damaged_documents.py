"""The rules of a workspace stand in three places: in the reader (src/model/workspace), in the check before operations on
documents (document_shape.cpp, which needs less) and in the schema for users of pyhf (python/nextstat/pyhf/schemas). On 5,000
damaged workspaces all three agree, but for the differences listed here.
"""

import copy
import dataclasses
import re

import pytest
from damaged_workspaces import SLIPS, WHOLE, content, damaged_workspaces

_core = pytest.importorskip("nextstat._core")
interface = pytest.importorskip("nextstat.pyhf")
from nextstat.errors import Error  # noqa: E402
from nextstat.pyhf.schema.quick import predicate  # noqa: E402
from nextstat.pyhf.schema.rules import Checker  # noqa: E402

COUNT = 5000

# The package lists faults of shape and of meaning together; these are the sentences of workspace_check.cpp and
# src/model/parameters about meaning. test_the_program_draws_the_same_line holds them against review_workspace.
MEANING = re.compile("|".join([
    r'appears twice, first at /', r'appears twice in channel "', r'bins, the first sample of channel "', r'values, the (sample|channel) "',
    r'^an observed count cannot be negative', r'" has no observation$', r'^the workspace has no parameters', r'is already used by another sample$',
    r'" is a \w+ here and a \w+ elsewhere$', r'bins in an earlier channel and', r'is on different samples here', r'cannot be used in bin \d+',
    r'" is configured twice$', r'has no settings and no defaults$', r'it has no default$', r'" is a \w+ and has no \w+$',
    r'^\d+ values?, but "', r'^an auxiliary count cannot be negative', r'^a sigma must be positive', r'^a factor must be positive',
    r'^the lower bound .* is above the upper bound', r'^the parameter of interest ".*" has \d+ components$',
]), re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Difference:
    """A fault that one side finds and the other does not, and why. Each listed one must occur."""

    reason: str
    what: str
    where: str = ""


# What the reader refuses and the schema allows. Nothing is the other way round.
DIFFERENCES = [
    Difference("a bound is [low, high]; pyhf's schema has minItems and maxItems of a bound one level too deep, where they say nothing",
               r"^a bound is \[low, high\], found \d+ numbers$", r"/bounds/\d+$"),
    Difference("the same: a bound without numbers", r"^this array is empty$", r"/bounds/\d+$"),
    Difference("JSON has no such numbers; Python's json reads them, and to a schema they are numbers", r"^(NaN|Infinity) is not a JSON number$"),
    Difference("the number has no value as a double; Python's json reads it as infinity", r"^the number -?1e999 is too large$"),
    Difference("half of a surrogate pair is no character and cannot be written as UTF-8; Python's strings may have it",
               r"half of a surrogate pair in a string$"),
]
REPEATED = Difference("Python's json keeps the last of two equal keys without a word, so the schema never sees the other one",
                      r'^the key ".*" appears twice$')

# What operations refuse and the reader takes.
REFUSED_BY_OPERATIONS = [
    Difference("operations keep numbers as written, and no type of ours holds an integer of more than 64 bits; the reader takes it as a double",
               r": the number -?\d{19,} is too large$"),
]

# What pyhf allows and its schema, like ours, does not.
BOOLEAN = Difference("with allow_tensors, the default, pyhf takes every Python number, and True is one",
                     r"^expected a number, found a boolean (true|false)$")


def matches(difference, fault):
    return re.search(difference.what, fault.what, re.DOTALL) and re.search(difference.where, fault.where)


@dataclasses.dataclass(frozen=True)
class Verdicts:
    """A document and what each of the three says about it."""

    damaged: object
    schema: bool
    shape: list  # faults that the reader finds in its shape
    meaning: list
    operations: list  # faults that every operation finds

    def __str__(self):
        reader = [str(fault) for fault in self.shape] or "accepts"
        operations = [str(fault) for fault in self.operations] or "accept"
        return "\n".join([
            "", f"document: {self.damaged.text}", f"damage: {', '.join(self.damaged.slips)}", f"schema: {'accepts' if self.schema else 'refuses'}",
            f"reader: {reader}", f"its meaning: {[str(fault) for fault in self.meaning]}", f"operations: {operations}",
        ])


def attempt(operation, *arguments):
    """(result, faults); whatever else is raised is a crash."""
    try:
        return operation(*arguments), []
    except Error as error:
        return None, list(error.faults)


def follows_schema(definitions):
    """The schema of a workspace as a function, with these definitions."""
    schema = interface.schema.load_schema("1.0.0/workspace.json")
    return predicate(schema, Checker(schema, lambda _name: definitions, (list,), (int, float)))


def shipped_definitions():
    return interface.schema.load_schema("1.0.0/defs.json")


@pytest.fixture(scope="module")
def verdicts():
    fits = follows_schema(shipped_definitions())
    result = []
    for damaged in damaged_workspaces(COUNT):
        faults = attempt(_core.check_workspace, damaged.text)[1]
        meaning = [fault for fault in faults if MEANING.search(fault.what)]
        shape = [fault for fault in faults if fault not in meaning]
        result.append(Verdicts(damaged, fits(damaged.document), shape, meaning, attempt(_core.sorted, damaged.text)[1]))
    return result


def differences(one, schema):
    """The listed differences that explain why the schema's verdict is not the reader's; None if something is left unexplained."""
    if schema == (not one.shape):
        return []
    if any(matches(REPEATED, fault) for fault in one.shape):
        return [REPEATED]
    listed = [next((known for known in DIFFERENCES if matches(known, fault)), None) for fault in one.shape]
    return listed if schema and None not in listed else None


def none_of(verdicts):
    """Fails and shows the first ones, if there are any."""
    if verdicts:
        pytest.fail(f"{len(verdicts)} documents" + "".join(map(str, verdicts[:3])), pytrace=False)


def test_valid_workspaces_are_the_start():
    fits = follows_schema(shipped_definitions())
    for whole in WHOLE:
        assert fits(whole) and _core.check_workspace(content(whole)) == [] and _core.sorted(content(whole))


def test_the_damage_is_of_every_kind(verdicts):
    assert len(verdicts) == COUNT
    assert {slip.split(" at ")[0] for one in verdicts for slip in one.damaged.slips} == {name for name, _, _ in SLIPS}
    accepted = sum(one.schema for one in verdicts)
    assert 0.15 * COUNT < accepted < 0.6 * COUNT
    assert sum(len(one.damaged.slips) == 2 for one in verdicts) > 0.25 * COUNT


def test_schema_and_reader_agree(verdicts):
    none_of([one for one in verdicts if differences(one, one.schema) is None])


def test_each_listed_difference_occurs(verdicts):
    seen = {known for one in verdicts for known in differences(one, one.schema) or []}
    assert [known.reason for known in [*DIFFERENCES, REPEATED] if known not in seen] == []


def test_the_validation_that_users_call_says_the_same(verdicts):
    def is_valid(document):
        try:
            interface.schema.validate(document, "workspace.json")
        except interface.exceptions.InvalidSpecification:
            return False
        return True

    none_of([one for one in verdicts[::10] if is_valid(one.damaged.document) != one.schema])


def test_what_operations_refuse_the_reader_refuses(verdicts):
    seen, more = set(), []
    for one in verdicts:
        if one.operations and not one.shape:
            listed = [next((known for known in REFUSED_BY_OPERATIONS if matches(known, fault)), None) for fault in one.operations]
            seen.update(listed)
            more += [one] if None in listed else []
    none_of(more)
    assert [known.reason for known in REFUSED_BY_OPERATIONS if known not in seen] == []


def exists(document, pointer):
    """Whether a JSON pointer leads to a value."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        try:
            document = document[step] if isinstance(document, dict) else document[int(step)]
        except (LookupError, TypeError, ValueError):
            return False
    return True


def test_faults_are_where_they_say(verdicts):
    lost = []
    for one in verdicts:
        faults = [*one.shape, *one.meaning, *one.operations]
        assert all(fault.what and fault.hint for fault in faults), one
        if any(matches(REPEATED, fault) for fault in faults):
            continue  # of two equal keys Python has only the last
        for fault in faults:
            if not exists(one.damaged.document, fault.where.removeprefix("workspace").lstrip(" ")):
                lost.append(one)
    none_of(lost)


def names_in(document):
    """Names of channels, samples, modifiers, types of modifiers and measurements, each list sorted."""
    samples = [sample for channel in document["channels"] for sample in channel["samples"]]
    modifiers = [modifier for sample in samples for modifier in sample["modifiers"]]
    parts = [(document["channels"], "name"), (samples, "name"), (modifiers, "name"), (modifiers, "type"), (document["measurements"], "name")]
    return [sorted({part[key] for part in items}) for items, key in parts]


def operations_on(text, document):
    """(operation, its arguments) for the ways to use each operation."""
    names = names_in(document)
    yield _core.digest, (text,)
    yield _core.prune, (text, [], [], [], [], [])
    yield _core.rename, (text, {}, {}, {}, {})
    for kind, all_of_kind in enumerate(names):
        for pruned in [all_of_kind[:1], all_of_kind]:
            yield _core.prune, (text, *([] if other != kind else pruned for other in range(5)))
    renames = [{name: name + "_too" for name in names[kind]} for kind in (0, 1, 2, 4)]
    yield _core.rename, (text, *renames)
    renamed = _core.rename(text, *renames)
    yield _core.combine, (text, renamed, "none", False)
    for join in ["outer", "left outer", "right outer"]:
        yield _core.combine, (text, text, join, False)
        yield _core.combine, (text, renamed, join, True)


def test_operations_answer_or_explain(verdicts):
    """On what they accept, however odd its numbers and modifiers: a result, or faults with a hint."""
    results = faults = 0
    for one in verdicts:
        if one.operations:
            continue
        try:
            for operation, arguments in operations_on(one.damaged.text, one.damaged.document):
                result, found = attempt(operation, *arguments)
                assert result or found, operation
                assert all(fault.what and fault.hint for fault in found), found
                assert operation not in (_core.digest, _core.rename) or not found, found
                results, faults = results + bool(result), faults + bool(found)
        except Exception as error:
            pytest.fail(f"{type(error).__name__}: {error}{one}")
    assert results > 2 * COUNT and faults > COUNT


def test_operations_refuse_the_same_documents(verdicts):
    def refused(text):
        calls = [(_core.prune, [[]] * 5), (_core.rename, [{}] * 4)]
        return [attempt(operation, text, *arguments)[1] for operation, arguments in calls] + [attempt(_core.combine, text, text, "left outer")[1][:1]]

    none_of([one for one in verdicts if any(bool(faults) != bool(one.operations) for faults in refused(one.damaged.text))])


def without(definitions, rule):
    """A copy without one rule, given as the keys that lead to it."""
    changed = copy.deepcopy(definitions)
    node = changed
    for step in rule[:-1]:
        node = node[step]
    node.remove(rule[-1]) if isinstance(node, list) else node.pop(rule[-1])
    return changed


def rules(node, path):
    """Each type, fixed value, least length, required key and ban of other keys."""
    for key, part in node.items():
        if key == "required":
            yield from ((*path, key, name) for name in part)
        elif key == "properties":
            for name, inner in part.items():
                yield from rules(inner, (*path, key, name))
        elif key == "anyOf":
            for number, inner in enumerate(part):
                yield from rules(inner, (*path, key, number))
        elif key == "items":
            yield from rules(part, (*path, key))
        elif key != "$ref":
            yield (*path, key)


def test_a_schema_without_one_of_its_rules_would_be_noticed(verdicts):
    """Each rule in turn is left out: some document then shows that schema and reader disagree."""
    definitions = shipped_definitions()
    names = ["workspace", "channel", "sample", "modifier", "observation", "measurement", "config", "parameter", "numbers"]
    every = [rule for name in names for rule in rules(definitions["definitions"][name], ("definitions", name))]
    assert len(every) > 100
    refused = [one for one in verdicts if len(one.shape) == 1 and not one.schema]
    unnoticed = []
    for rule in every:
        fits = follows_schema(without(definitions, rule))
        if not any(fits(one.damaged.document) and differences(one, True) is None for one in refused):
            unnoticed.append(rule)
    assert not unnoticed


def inlined(node, definitions):
    """The schema with what its references name in their place: the validator is faster without them."""
    if isinstance(node, list):
        return [inlined(part, definitions) for part in node]
    if not isinstance(node, dict):
        return node
    if "$ref" not in node:
        return {key: inlined(part, definitions) for key, part in node.items()}
    target = definitions
    for step in node["$ref"].removeprefix("#/definitions/").split("/"):
        target = target[step]
    return inlined(target, definitions)


def test_pyhf_has_the_same_schema(verdicts):
    pyhf = pytest.importorskip("pyhf", "0.7.6")
    jsonschema = pytest.importorskip("jsonschema")
    assert pyhf.schema.load_schema("1.0.0/workspace.json")["$ref"] == "defs.json#/definitions/workspace"
    definitions = pyhf.schema.load_schema("1.0.0/defs.json")["definitions"]
    validator = jsonschema.Draft6Validator(inlined(definitions["workspace"], definitions))
    none_of([one for one in verdicts if validator.is_valid(one.damaged.document) != one.schema])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pyhf_itself_takes_booleans_for_numbers(verdicts):
    pyhf = pytest.importorskip("pyhf", "0.7.6")
    only_booleans = [one for one in verdicts if one.shape and all(matches(BOOLEAN, fault) for fault in one.shape)]
    assert only_booleans, BOOLEAN.reason
    for one in only_booleans:
        assert not one.schema, one
        pyhf.schema.validate(one.damaged.document, "workspace.json")


def form(fault):
    """A sentence without names and numbers."""
    return re.sub(r'-?\d[\d.e+-]*|".*"', "...", fault.what, flags=re.DOTALL)


def test_the_program_draws_the_same_line(verdicts, nextstat, tmp_path):
    """A verb that writes a workspace refuses faults of shape and only warns of meaning: one document for each sentence."""
    refused, warned = {}, {}
    for one in verdicts:
        forms = {form(fault) for fault in one.shape or one.meaning}
        if one.shape and len(forms) == 1:
            refused.setdefault(forms.pop(), one)
        elif not one.shape and not one.operations:
            for each in forms:
                warned.setdefault(each, one)
    assert len(refused) > 50 and len(warned) > 20
    file = tmp_path / "damaged.json"
    for code, documents in [(2, refused), (0, warned)]:
        for sentence, one in documents.items():
            file.write_text(one.damaged.text)
            answer = nextstat("sort", file)
            assert answer.returncode == code, f"{sentence}{one}\n{answer.stderr}"
