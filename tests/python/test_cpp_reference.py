"""The C++ reference is made by a reader of the public headers (docs/cpp_headers.py): it reads what a compiler reads, and every public
name has a comment. tests/python/package/test_docs_site.py looks at the pages themselves.
"""

import sys

import pytest

from conftest import ROOT
from cpp_names import declared_names

sys.path.insert(0, str(ROOT / "docs"))
import cpp_reference  # noqa: E402
from cpp_headers import read_header  # noqa: E402

REFERENCE = cpp_reference.Reference()
HEADERS = list(REFERENCE.headers.values())

SAMPLE = """\
// Made up.
//
//   use(it);
#pragma once

namespace sample {
}
namespace nextstat {

struct Bare {
  int a = 0, b = 0;  // two
  // Three lines
  // long.
  std::vector<std::pair<int, int>> c = {};
  int sum() const { return a + b; }
};

// Said of both.
int one(int x = 1);
int two(const std::string& text,
        int y);  // and of this
int three();

}  // namespace nextstat
"""


def without_comment(header):
    """Names of the namespace that no comment is about."""
    return [name for one in header.declarations if not one.documented for name in one.names]


def names_of(declarations, inside="nextstat::"):
    for one in declarations:
        for name in one.names:
            yield f"{inside}{name}"
            yield from names_of(one.members, f"{inside}{name}::")


@pytest.fixture
def sample(tmp_path):
    (tmp_path / "sample.h").write_text(SAMPLE)
    return read_header(tmp_path / "sample.h")


def test_every_public_name_has_a_comment():
    missing = {header.name: without_comment(header) for header in HEADERS}
    assert {name: names for name, names in missing.items() if names} == {}


def test_the_reader_finds_the_names_that_a_compiler_finds():
    read = {name for header in HEADERS for name in names_of(header.declarations)}
    compiled = declared_names() | {"nextstat::Result<void>"}  # clang lists a specialization by the name of its template
    assert len(compiled) > 900
    assert sorted(compiled - read) == []
    assert sorted(read - compiled) == []


def test_a_name_without_a_comment_is_found(sample):
    assert without_comment(sample) == ["Bare"]


def test_declarations_are_read_with_their_comments(sample):
    bare, one, two, three = sample.declarations
    fields, pairs, method = bare.members
    assert (fields.names, fields.behind) == (["a", "b"], "two")
    assert (pairs.names, pairs.above) == (["c"], ["Three lines", "long."])
    assert (method.kind, method.names) == ("function", ["sum"])
    assert [d.names for d in (one, two, three)] == [["one"], ["two"], ["three"]]
    assert [d.above for d in (one, two, three)] == [["Said of both."]] * 3
    assert [d.first for d in (one, two, three)] == [True, False, False]
    assert two.behind == "and of this" and two.code.endswith("int y);")


@pytest.mark.parametrize("code, shown", [
    ("bool ok() const { return true; }", "bool ok() const;"),
    ("Place(Field of) : field(of) {}", "Place(Field of);"),
    ("Setting(Field of, std::string to = {}) : field(of), value(std::move(to)) {}", "Setting(Field of, std::string to = {});"),
    ("T* operator->() { return &value(); }", "T* operator->();"),
    ("std::string name(std::size_t i = {});", "std::string name(std::size_t i = {});"),
])
def test_functions_are_shown_as_they_are_declared(code, shown):
    assert cpp_reference.without_body(code) == shown


def test_words_that_markdown_would_read_are_shown():
    assert REFERENCE.prose("a*b*c [row] <x> `kept_*` n_toys") == "a&#42;b&#42;c &#91;row&#93; &#60;x&#62; `kept_*` n&#95;toys"
    assert REFERENCE.prose("as fit() of RunOptions") == "as [fit()](fit.md#fit) of [RunOptions](run.md#RunOptions)"


def test_every_header_has_a_place_in_the_list():
    listed = [name for _, names in REFERENCE.topics for name in names]
    assert sorted([*listed, "nextstat.h"]) == sorted(REFERENCE.headers), "nextstat.h groups its includes under topics"
    assert set(REFERENCE.pages()) == {page for entry in REFERENCE.navigation() for page in entry.values()}
