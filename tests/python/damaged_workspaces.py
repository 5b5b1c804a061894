"""Workspaces with one or two slips each, of the kinds that editors, scripts and patches make.

    for damaged in damaged_workspaces(5000):
        damaged.text        # what a file would hold: it may have NaN or a key twice
        damaged.document    # what Python's json reads from it

They are the same everywhere, and document i does not depend on how many there are.
"""

import dataclasses
import json
import random
import typing

from small_workspaces import modifier


def channel(name, *samples):
    return {"name": name, "samples": [{"name": one, "data": data, "modifiers": acting} for one, data, acting in samples]}


def workspace(channels, observed, measurements):
    return {
        "channels": channels,
        "observations": [{"name": one["name"], "data": data} for one, data in zip(channels, observed)],
        "measurements": [
            {"name": name, "config": {"poi": poi, "parameters": settings}} for name, poi, settings in measurements
        ],
        "version": "1.0.0",
    }


LUMI = {"name": "lumi", "auxdata": [1.0], "sigmas": [0.02], "bounds": [[0.5, 1.5]], "inits": [1.0], "fixed": True}

# Valid and small; together they have every key and every type of modifier.
WHOLE = [
    workspace([channel("c", ("s", [5], []), ("t", [1], [modifier("mu", "normfactor")]))], [[6]], [("m", "", [])]),
    workspace(
        [
            channel("c", ("signal", [5.0, 9.5], [modifier("mu", "normfactor"), modifier("lumi", "lumi")])),
            channel("d", ("background", [50.0], [modifier("scale", "normsys", {"lo": 0.9, "hi": 1.1})])),
        ],
        [[4.0, 12.0], [53.0]],
        [("m", "mu", [LUMI, {"name": "mu", "inits": [1.0], "bounds": [[0, 10]]}]), ("n", "", [LUMI])],
    ),
    workspace(
        [
            channel(
                "c",
                ("signal", [5.0, 9.5], [modifier("mu", "normfactor"), modifier("free", "shapefactor")]),
                ("background", [50.0, 40.0], [
                    modifier("shape", "histosys", {"lo_data": [48.0, 39.0], "hi_data": [52.0, 42.0]}),
                    modifier("shape", "normsys", {"lo": 0.95, "hi": 1.04}),
                    modifier("counts", "shapesys", [3.0, 2.5]),
                ]),
            )
        ],
        [[52, 51]],
        [("m", "mu", [{"name": "counts", "auxdata": [270.0, 256.0], "factors": [270.0, 256.0]}])],
    ),
    workspace(
        [
            channel(
                "c",
                ("signal", [5.0, 9.5, 0], [modifier("mu", "normfactor"), modifier("stat", "staterror", [1.0, 2.0, 0.0])]),
                ("background", [50.0, 40.0, 30.0], [modifier("stat", "staterror", [2.0, 2.0, 1.5])]),
            )
        ],
        [[52, 51, 27.5]],
        [("m", "mu", [{"name": "mu", "fixed": False}, {"name": "not_there", "sigmas": [0.1]}])],
    ),
]
TEXTS = [json.dumps(whole) for whole in WHOLE]

# Text that json.dumps does not write: these stand in strings until the document is one.
TOO_LARGE, AGAIN = "<too large>", "<again>"

TYPES = ["normfactor", "normsys", "histosys", "shapesys", "shapefactor", "staterror", "lumi"]
KEYS = ["name", "data", "type", "lo", "hi", "lo_data", "hi_data", "modifiers", "samples", "config", "poi", "parameters", "fixed",
        "version", "channels", "inits", "bounds", "comment", "", "Name"]
STRINGS = ["", "c", "mu", "lumi", "text", "1.0.0", "1.0.1", "5.0", "normsys", "Normsys", "null", "é\u0000/~\"", "\ud800", "x" * 300]
SMALL = [None, True, False, "text", "", 7, -1.5, [], {}, [[]], [None], ["text"], [1.0, 2.0], {"name": "text"}, {"lo": 1, "hi": 1},
         {"lo_data": [1.0], "hi_data": [1.0]}]
NUMBERS = [-3.0, 0, -0.0, 1e308, -1e308, 5e-324, 2**53 + 1, 2**64 - 1, 2**64, 10**30, -(2**63), -(2**63) - 1, float("nan"),
           float("inf"), -float("inf"), TOO_LARGE]
NO_NUMBERS = ["5.0", None, True, False, {}, [], [5.0], {"value": 5.0}]


class Place(typing.NamedTuple):
    """A value in a document."""

    parent: typing.Any
    key: typing.Any
    pattern: str  # its pointer, with * for the place in a list or, for a modifier, its type

    @property
    def value(self):
        return self.parent[self.key]

    def put(self, value):
        self.parent[self.key] = value


def places(root):
    """All values below, each with its place."""
    found, open_ = [], [(root, "")]
    for parent, pattern in open_:
        for key, value in parent.items() if isinstance(parent, dict) else enumerate(parent):
            step = key if isinstance(parent, dict) else str(value.get("type", "*")) if isinstance(value, dict) else "*"
            found.append(Place(parent, key, f"{pattern}/{step}"))
            if isinstance(value, (dict, list)):
                open_.append((value, f"{pattern}/{step}"))
    return found


def copied(value):
    return json.loads(json.dumps(value))


class Damage:
    """One slip after the other in one document."""

    def __init__(self, number):
        self.random = random.Random(f"damaged workspace {number}")
        self.root = [json.loads(self.random.choice(TEXTS))]  # in a list: the document itself is a place too
        self.slips = []
        for _ in range(self.random.choice([1, 1, 2])):
            self.slip()

    def text(self):
        document = self.root[0] if self.random.random() < 0.5 else self.shuffled(self.root[0])
        return json.dumps(document).replace(f'"{TOO_LARGE}"', "1e999").replace(f'{AGAIN}"', '"')

    def shuffled(self, value):
        """Keys in another order, which nobody should notice."""
        if isinstance(value, list):
            return [self.shuffled(one) for one in value]
        if not isinstance(value, dict):
            return value
        return {key: self.shuffled(value[key]) for key in self.random.sample(list(value), len(value))}

    def place(self, fits):
        """Every kind of place is as likely, however often it is there; None if there is none."""
        found = {}
        for place in places(self.root):
            if fits(place):
                found.setdefault(place.pattern, []).append(place)
        return self.random.choice(found[self.random.choice(sorted(found))]) if found else None

    def slip(self):
        name, fits, change = self.random.choice(SLIPS)
        place = self.place(fits)
        if place is not None:
            change(self, place)
            self.slips.append(f"{name} at {place.pattern}")

    def remove(self, place):
        del place.parent[place.key]

    def add_key(self, place):
        place.value[self.random.choice(KEYS)] = copied(self.random.choice(SMALL + [place.value]))

    def misspell_key(self, place):
        changed = self.random.choice([str.upper, str.title, lambda key: key + " ", lambda key: key[:-1], lambda key: key + key[-1:]])
        place.parent[changed(place.key)] = place.parent.pop(place.key)

    def repeat_key(self, place):
        place.parent[place.key + AGAIN] = copied(self.random.choice(SMALL + [place.value] * 10))

    def change_type(self, place):
        place.put(copied(self.random.choice(SMALL)))

    def empty(self, place):
        place.put(type(place.value)())

    def lengthen(self, place):
        last = place.value[-1:] or [1.0]
        place.value.append(copied(self.random.choice(last * 10 + SMALL)))

    def change_number(self, place):
        place.put(self.random.choice(NUMBERS))

    def no_number(self, place):
        place.put(copied(self.random.choice(NO_NUMBERS)))

    def change_string(self, place):
        place.put(self.random.choice(STRINGS))

    def change_modifier(self, place):
        place.put(self.random.choice(TYPES))

    def swap_modifiers(self, place):
        other = self.place(is_key("type"))
        one, two = copied(place.value), copied(other.value)
        other.put(one)
        place.put(two)

    def same_name(self, place):
        place.put(copied(self.place(is_key("name")).value))

    def same_item(self, place):
        place.value.append(copied(self.random.choice(place.value)))

    def wrap(self, place):
        place.put(self.random.choice([lambda value: [value], lambda value: {"data": value}])(place.value))

    def unwrap(self, place):
        place.put(self.random.choice(list(place.value.values()) if isinstance(place.value, dict) else place.value))

    def exchange(self, place):
        first, second = copied(place.value), self.place(anywhere)
        place.put(copied(second.value))
        second.put(first)


def anywhere(_place):
    return True


def below_the_top(place):
    return place.pattern.count("/") > 1


def in_object(place):
    return isinstance(place.parent, dict)


def is_key(key):
    return lambda place: place.key == key


def is_number(place):
    return isinstance(place.value, (int, float)) and not isinstance(place.value, bool)


def holds(*types, least=0):
    return lambda place: isinstance(place.value, types) and len(place.value) >= least


SLIPS = [
    ("remove", below_the_top, Damage.remove),
    ("remove a key", in_object, Damage.remove),
    ("add a key", holds(dict), Damage.add_key),
    ("misspell a key", in_object, Damage.misspell_key),
    ("repeat a key", in_object, Damage.repeat_key),
    ("another type", anywhere, Damage.change_type),
    ("another type", anywhere, Damage.change_type),
    ("empty", holds(dict, list, str, least=1), Damage.empty),
    ("lengthen", holds(list), Damage.lengthen),
    ("another number", is_number, Damage.change_number),
    ("no number", is_number, Damage.no_number),
    ("another string", holds(str), Damage.change_string),
    ("another type of modifier", is_key("type"), Damage.change_modifier),
    ("two types of modifiers", is_key("type"), Damage.swap_modifiers),
    ("a name twice", is_key("name"), Damage.same_name),
    ("an item twice", holds(list, least=1), Damage.same_item),
    ("one level more", anywhere, Damage.wrap),
    ("one level less", holds(dict, list, least=1), Damage.unwrap),
    ("two places", anywhere, Damage.exchange),
]


@dataclasses.dataclass(frozen=True)
class Damaged:
    """A damaged workspace and how it came about."""

    slips: list
    text: str
    document: typing.Any


def content(document):
    """Text that does not depend on the order of keys."""
    return json.dumps(document, sort_keys=True)


def damaged_workspaces(count):
    """The first ones that differ from each other, and from the valid ones, by more than the order of keys."""
    known, number = set(map(content, WHOLE)), 0
    while len(known) < len(WHOLE) + count:
        damage, number = Damage(number), number + 1
        if (made := content(damage.root[0])) not in known:
            known.add(made)
            text = damage.text()
            yield Damaged(damage.slips, text, json.loads(text))
