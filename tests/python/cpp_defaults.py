"""The defaults of the C++ options, from the structs themselves: their fields are read from the public headers, and a program made
of that list is compiled and prints what the compiler puts into each."""

import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT

HEADERS = sorted((ROOT / "include/nextstat").glob("*.h"))
STRUCT = re.compile(r"^struct (\w+Options|ToyStorage) \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)

PROGRAM = """
#include <concepts>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <type_traits>
%(includes)s

// A value as JSON; null where there is nothing: no text, an empty list, no function.
template <class T>
void show(const T& value) {
  if constexpr (std::is_same_v<T, bool>) std::cout << (value ? "true" : "false");
  else if constexpr (std::is_arithmetic_v<T>) std::cout << value;
  else if constexpr (std::is_enum_v<T>) std::cout << static_cast<long>(value);
  else if constexpr (std::is_same_v<T, std::string>) value.empty() ? std::cout << "null" : std::cout << '"' << value << '"';
  else if constexpr (requires { value.has_value(); }) value ? show(*value) : void(std::cout << "null");
  else if constexpr (requires { value.empty(); }) std::cout << (value.empty() ? "null" : "\\"a list\\"");
  else if constexpr (requires { bool(value); }) std::cout << (value ? "\\"a function\\"" : "null");
  else std::cout << "\\"a struct\\"";
}

template <> void show(const std::stop_token& value) { std::cout << (value.stop_possible() ? "\\"a token\\"" : "null"); }

int main() {
  std::cout.precision(17);
  std::cout << "{";
%(body)s
  std::cout << "}";
}
"""


def split(text):
    """At commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "<({[") - (letter in ">)}]")
        if letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def fields_of(body):
    """[(type, name)] of the data members of a struct, in order."""
    code = re.sub(r"//.*", "", body)
    fields = []
    for declaration in filter(None, (" ".join(text.split()) for text in code.split(";"))):
        first, *more = split(declaration)
        of_type = re.fullmatch(r"(.+?)[ &](\w+)(?: = .*)?", first)
        assert of_type, f"not a member with a default: {declaration!r}"
        fields.append((of_type[1], of_type[2]))
        fields += [(of_type[1], re.match(r"\s*(\w+)", text)[1]) for text in more]
    return fields


def structs():
    """{struct: (header, [(type, name)])} of all options."""
    found = {}
    for header in HEADERS:
        for name, body in STRUCT.findall(header.read_text()):
            found[name] = (header.name, fields_of(body))
    return found


def enumerators(of_type):
    """{number: enumerator} of an enumeration of the headers; None for other types."""
    for header in HEADERS:
        found = re.search(rf"^enum class {of_type}(?: : [\w:]+)? \{{(.*?)\}};", header.read_text(), re.MULTILINE | re.DOTALL)
        if not found:
            continue
        names, number = {}, 0
        for entry in filter(None, (text.strip() for text in re.sub(r"//.*", "", found[1]).split(","))):
            name, _, given = (part.strip() for part in entry.partition("="))
            number = int(given) if given else number
            names[number] = name
            number += 1
        return names
    return None


def cpp_defaults(folder):
    """{struct: {field: default}}; an enumerator is its name in lower case, nothing is None."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler here")
    listed = structs()
    body = []
    for s, (struct, (_, fields)) in enumerate(listed.items()):
        body.append(f'  {{ const nextstat::{struct} options{{}}; std::cout << "{", " if s else ""}\\"{struct}\\": {{";')
        for f, (_, name) in enumerate(fields):
            body.append(f'    std::cout << "{", " if f else ""}\\"{name}\\": "; show(options.{name});')
        body.append('    std::cout << "}"; }')
    includes = "\n".join(f"#include <nextstat/{header}>" for header in sorted({header for header, _ in listed.values()}))
    (folder / "defaults.cpp").write_text(PROGRAM % {"includes": includes, "body": "\n".join(body)})
    command = [compiler, "-std=c++20", "-O0", "-I", str(ROOT / "include"), "defaults.cpp", "-o", "defaults"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    printed = json.loads(subprocess.run([folder / "defaults"], capture_output=True, text=True, check=True).stdout)
    for struct, (_, fields) in listed.items():
        for of_type, name in fields:
            names = enumerators(of_type)
            if names is not None:
                printed[struct][name] = names[printed[struct][name]].lower()
    return printed
