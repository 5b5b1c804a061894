"""Reads the public C++ headers: what each is for, its example, and what it declares, each with its comment.

The headers are laid out by clang-format, so lines are enough to read them by. Rules that they keep:
- the comment before `#pragma once` says what a header is for; what is indented in it is the example
- a comment line directly above a declaration belongs to it, and to those that follow without an empty line or another comment
- a comment behind a declaration belongs to that one
"""

import dataclasses
import re

TYPE = re.compile(r"(?:template <[^>]*>\s*)?(struct|class|enum class|enum)\s+(?:\[\[\w+\]\]\s*)?(\w+(?:<void>)?)")
# Constructors without arguments, moves, and what is made of internals.
NOT_CALLED = re.compile(r"template <>|.*= default;|~|.*operator=\(|(\w+)\(\1&&\)|explicit .*\(std::(?:shared|unique)_ptr<")


@dataclasses.dataclass
class Declaration:
    """One declaration: a type, a function, a constant, an alias, a field or an enumerator."""

    code: str  # without comments; the lines as they stand in the header
    kind: str  # struct, class, enum, function, constant, alias, field, enumerator
    names: list[str]  # `double lower = 0, upper = 0;` has two
    above: list[str]  # lines of the comment above it, also where it is shared with the declaration before
    behind: str  # the comment behind it
    first: bool  # of those that share the comment above
    members: list["Declaration"] = dataclasses.field(default_factory=list)

    @property
    def documented(self):
        return bool(self.above or self.behind)


@dataclasses.dataclass
class Header:
    """One header of include/nextstat."""

    name: str  # "fit.h"
    opening: list[str]  # lines of the comment at its top
    topics: list[tuple[str, list[str]]]  # of nextstat.h: what its groups of includes are about
    declarations: list[Declaration]

    @property
    def needs_json(self):
        return "Needs nlohmann-json." in self.opening


def read_header(path):
    text = path.read_text()
    opening, _, rest = text.partition("#pragma once\n")
    body = re.search(r"^namespace nextstat \{\n(.*)^\}  // namespace nextstat$", rest, re.M | re.S)
    topics = re.findall(r"^// (.*)\n((?:#include <nextstat/\w+\.h>\n)+)", rest, re.M)
    return Header(path.name, [uncomment(line) for line in opening.splitlines()],
                  [(topic, re.findall(r"nextstat/(\w+\.h)", lines)) for topic, lines in topics],
                  declarations(body[1].splitlines()) if body else [])


def example(header):
    """The indented lines of the opening comment, as C++; "" where there are none."""
    lines = [line[2:] if line.startswith("  ") else "" for line in header.opening]
    return "\n".join(lines).strip("\n")


def uncomment(line):
    """'// words' -> 'words'; what is indented stays indented."""
    return re.sub(r"^\s*// ?", "", line)


def declarations(lines, enclosing=None):
    """The declarations in these lines, which are those of the namespace or of the public part of a type."""
    found, above, first, position = [], [], True, 0
    while position < len(lines):
        line = lines[position]
        if not line.strip():
            above, first = [], True
        elif line.lstrip().startswith("//"):
            if not first:
                above, first = [], True
            above.append(uncomment(line))
        else:
            end = end_of_declaration(lines, position)
            one = declaration(lines[position:end], above, first, enclosing)
            if one is not None:
                found.append(one)
            first, position = False, end - 1
        position += 1
    return found


def end_of_declaration(lines, begin):
    """The line after a declaration, and after what is left of a comment behind it."""
    depth, end = 0, begin
    while end < len(lines):
        code = without_comment(lines[end]).rstrip()
        depth += sum(code.count(c) for c in "({") - sum(code.count(c) for c in ")}")
        end += 1
        if depth == 0 and code.endswith((";", "}")):
            break
    indent = len(lines[begin]) - len(lines[begin].lstrip())
    while end < len(lines) and re.match(r" {%d,}//" % (indent + 4), lines[end]):
        end += 1
    return end


def without_comment(line):
    """The line up to a comment; none of our strings has two slashes."""
    return line.partition("//")[0]


def behind(lines):
    """The comment behind the last line of a declaration."""
    return " ".join(line.partition("//")[2].strip() for line in lines if "//" in line)


def declaration(lines, above, first, enclosing):
    code = "\n".join(without_comment(line).rstrip() for line in lines).strip()
    flat = " ".join(code.split())
    type_match = TYPE.match(flat)
    if type_match and not flat.endswith(";") or type_match and "{" in flat:
        return type_declaration(lines, type_match, above, first)
    if type_match or NOT_CALLED.match(flat):
        return None  # declared in full elsewhere, or nothing that a user writes
    signature = flat if enclosing is None else re.sub(r"\)( const)?(?: noexcept)? :.*", r")\1", flat)
    return Declaration(code, *kind_and_names(signature, enclosing), list(above), behind(lines), first)


def type_declaration(lines, match, above, first):
    kind, name = match[1].replace("enum class", "enum"), match[2]
    whole = "\n".join(lines)
    inside = re.sub(r"\A[^{]*\{|\}[^}]*\Z", "", whole)
    head = " ".join(whole.partition("{")[0].split())
    one = Declaration(head, kind, [name], list(above), "", first)
    if kind == "enum":
        one.members = enumerators(inside)
    else:
        one.members = declarations(public_lines(inside, kind), enclosing=name)
    return one


def public_lines(inside, kind):
    """The lines of the public part of a class."""
    public, kept = kind == "struct", []
    for line in inside.splitlines():
        access = re.fullmatch(r"\s*(public|private|protected):", line)
        if access:
            public = access[1] == "public"
        elif public:
            kept.append(line)
    return kept


def enumerators(inside):
    found, above = [], []
    for line in inside.splitlines():
        code, _, words = line.partition("//")
        if not code.strip():
            above = [uncomment(line)] if words else []
            continue
        for part in filter(None, (piece.strip() for piece in code.split(","))):
            found.append(Declaration(part, "enumerator", [part.partition("=")[0].strip()], above, words.strip(), not found))
    return found


def kind_and_names(flat, enclosing):
    if flat.startswith("using "):
        return "alias", [flat.split()[1]]
    if pointer := re.search(r"\(\*(\w+)\)\(", flat):
        return "field", [pointer[1]]
    plain = bare(flat)
    before_value = re.split(r"[={;]", plain)[0]
    if "(" in before_value:
        name = re.search(r"(operator\s*(?:bool|\S+?)|\w+)\s*\(", before_value)[1]
        return "function", [" ".join(name.split())]
    names = [re.search(r"(\w+)\s*(?:\[\w*\])?\s*(?:[={;]|$)", part)[1] for part in top_level_parts(plain)]
    return ("field" if enclosing else "constant"), names


def bare(code):
    """The code without template arguments."""
    previous = None
    while previous != code:
        previous, code = code, re.sub(r"<[^<>]*>", "", code)
    return code


def top_level_parts(code):
    """`double lower = 0, upper = 0;` -> its two declarators, the first with the type."""
    parts, depth = [""], 0
    for character in code.rstrip(";"):
        depth += (character in "({<") - (character in ")}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
