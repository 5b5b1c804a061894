"""Writes the C++ reference from the public headers when the site is built: one page per header, and a page that lists them.

A hook of mkdocs (mkdocs.yml). Nothing is stored: every word stands in the headers. nextstat.h says what they are about.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cpp_headers  # noqa: E402

INCLUDE = Path(__file__).parents[1] / "include/nextstat"
FIRST_PAGE = "cpp/index.md"
WITH_JSON = "Documents and results as JSON"
# Characters that Markdown would read as its own.
MARKUP = str.maketrans({character: f"&#{ord(character)};" for character in r"\*_[]<>|`"})
TYPES = {"struct", "class", "enum"}


class Reference:
    """The headers, and where each name is explained."""

    def __init__(self, include=INCLUDE):
        self.headers = {path.name: cpp_headers.read_header(path) for path in sorted(include.glob("*.h"))}
        self.topics = [*self.headers["nextstat.h"].topics, (WITH_JSON, [h.name for h in self.headers.values() if h.needs_json])]
        declared = {(name, header.name) for header in self.headers.values() for one in header.declarations for name in one.names}
        self.homes = {}  # of a name in several headers (to_string): the first
        self.names = []  # (name, header), by name
        for name, header in sorted(declared, key=lambda pair: (pair[0].lower(), pair)):
            self.names.append((name, header))
            self.homes.setdefault(name, address(name, header))
        common = re.findall(r"`(\w+)`(?: and `(\w+)`)? \(([^)]*)\)", " ".join(self.headers["run.h"].opening))
        self.common_fields = {name: words for *names, words in common for name in names if name}

    def pages(self):
        """{address below docs: Markdown}."""
        found = {FIRST_PAGE: self.index()}
        for name, header in self.headers.items():
            found[f"cpp/{page_of(name)}"] = "\n".join(self.page(header)) + "\n"
        return found

    def navigation(self):
        listed = [name for _, names in self.topics for name in names]
        return [{"Headers": FIRST_PAGE}, *({name: f"cpp/{page_of(name)}"} for name in ["nextstat.h", *listed])]

    def index(self):
        lines = ["# C++ headers", "", "Everything is in `namespace nextstat`; `#include <nextstat/nextstat.h>` gives all but the last "
                 "group. [Use it from C++](../cpp.md) shows how to build, link and handle errors.", ""]
        for topic, names in self.topics:
            lines += [f"## {topic}", "", "| header | |", "|---|---|"]
            lines += [f"| [{name}]({page_of(name)}) | {self.prose(first_sentence(self.headers[name]))} |" for name in names]
            lines.append("")
        lines += ["## All names", ""]
        lines.append(", ".join(f"[{inert(name)}]({address(name, header)})" for name, header in self.names))
        return "\n".join(lines) + "\n"

    def page(self, header):
        self.taken = set()
        yield f"# nextstat/{header.name}\n"
        yield from self.comment(header.opening, "cpp")
        if header.topics:
            yield "[Headers](index.md) lists what it includes, by topic.\n"
        for group in groups(header.declarations):
            if group[0].kind in TYPES:
                yield from self.type_section(group[0], "", "##")
            else:
                yield from self.function_section(group)

    def function_section(self, group):
        names = list(dict.fromkeys(name for one in group for name in one.names))
        first, *others = [name for name in names if name not in self.taken] or [f"{names[0]}-{len(self.taken)}"]
        yield f"## {', '.join(map(inert, names))} {{ #{first} }}\n"
        if others:
            yield "".join(f'<a id="{name}"></a>' for name in others) + "\n"
        self.taken.update(names)
        if group[0].first:
            yield from self.comment(group[0].above)
        yield fenced("\n".join(code_line(one) for one in group))
        used = [name for name in dict.fromkeys(re.findall(r"\w+", "\n".join(one.code for one in group)))
                if name in self.homes and name[0].isupper() and name not in names and name != "Result"]
        if used:
            yield "See " + ", ".join(f"[{name}]({self.homes[name]})" for name in used) + ".\n"

    def type_section(self, one, inside, level):
        name = inside + one.names[0]
        yield f"{level} {inert(name)} {{ #{anchor(name)} }}\n"
        self.taken.add(name)
        yield from self.comment(one.above)
        if one.kind == "enum":
            yield from self.enumerators(one.members)
            return
        yield from self.fields([member for member in one.members if member.kind == "field"])
        methods = [member for member in one.members if member.kind == "function"]
        if methods:
            yield fenced("\n".join(line for method in methods for line in method_lines(method)).strip("\n"))
        for member in one.members:
            if member.kind in TYPES:
                yield from self.type_section(member, f"{name}::", level + "#")

    def enumerators(self, members):
        if not any(member.documented for member in members):
            yield ", ".join(f"`{member.code}`" for member in members) + "\n"
            return
        rows = [(f"`{member.code}`", self.prose(member.behind or " ".join(member.above))) for member in members]
        yield table("value", rows)

    def fields(self, members):
        if members:
            of_result = any("instruction_set" in member.names for member in members)
            common = self.common_fields if of_result else {}
            yield table("field", [(self.field_code(one), self.prose(meaning(one) or common.get(one.names[0], ""))) for one in members])

    def field_code(self, member):
        """The declaration with its names in bold and types that have a page as links."""
        code = re.sub(r"(?:\s*=\s*\{\})?;$", "", " ".join(member.code.split()))
        names = list(member.names)
        return "<code>" + "".join(self.field_word(word, names) for word in re.split(r"(\w+)", code)) + "</code>"

    def field_word(self, word, names):
        if word in names:
            names.remove(word)
            return f"<b>{inert(word)}</b>"
        if word in self.homes and word[0].isupper():
            return f"[{word}]({self.homes[word]})"
        return inert(word)

    def comment(self, lines, language="text"):
        """A comment as Markdown: what is indented in it is code or a formula."""
        for block in re.findall(r"(?:^ .*\n?(?:\n(?= ))?)+|(?:^\S.*\n?)+", "\n".join(lines), re.M):
            if block.startswith(" "):
                yield fenced("\n".join(line[2:] for line in block.rstrip().splitlines()), language)
            else:
                yield self.prose(" ".join(block.split())) + "\n"

    def prose(self, text):
        """Words, with names that are explained somewhere as links."""
        parts = re.split(r"(`[^`]*`)", text)
        return "".join(part.replace("|", "&#124;") if part.startswith("`") else self.linked(part) for part in parts)

    def linked(self, text):
        def link(match):
            name = match[1] or match[2]
            known = name in self.homes
            return f"[{inert(match[0])}]({self.homes[name]})" if known else inert(match[0])

        pieces, end = [], 0
        for match in re.finditer(r"\b(\w+)\(\)|\b([A-Z][a-z]+[A-Z]\w*)\b", text):
            pieces += [inert(text[end:match.start()]), link(match)]
            end = match.end()
        return "".join(pieces) + inert(text[end:])


def page_of(header):
    return header.removesuffix(".h") + ".md"


def anchor(name):
    return re.sub(r"\W+", "-", name).strip("-")


def address(name, header):
    return f"{page_of(header)}#{anchor(name)}"


def inert(text):
    """Text in which Markdown finds nothing of its own."""
    return text.replace("&", "&amp;").translate(MARKUP)


def first_sentence(header):
    words = " ".join(line for line in header.opening if not line.startswith(" "))
    return re.match(r".*?\.(?=\s|$)", words)[0]


def groups(declarations):
    """Types one by one; functions, constants and aliases that share a comment together."""
    found = []
    for one in declarations:
        alone = one.kind in TYPES or one.first or not found or found[-1][0].kind in TYPES
        if alone:
            found.append([one])
        else:
            found[-1].append(one)
    return found


def fenced(code, language="cpp"):
    return f"```{language}\n{code}\n```\n"


def table(what, rows):
    return "\n".join([f"| {what} | |", "|---|---|", *(f"| {left} | {right} |" for left, right in rows)]) + "\n"


def meaning(member):
    """What the comments say of a field: above it, unless that is said of the one before, and behind it."""
    return " ".join(filter(None, [*(member.above if member.first else []), member.behind]))


def without_body(code):
    """A function as it is declared: up to what sets members, or to its body."""
    depth = 0
    for position, character in enumerate(code):
        depth += (character == "(") - (character == ")")
        if depth == 0 and (character == "{" or re.match(r"\s:\s", code[position:])):
            return code[:position].rstrip() + ";"
    return code


def code_line(one):
    code = without_body(one.code).removeprefix("inline ") if one.kind == "function" else one.code
    return code + (f"  // {one.behind}" if one.behind else "")


def method_lines(method):
    if method.first and method.above:
        yield ""
        yield from (f"// {line}" for line in method.above)
    yield re.sub(r"^  ", "", code_line(method), flags=re.M)


def on_config(config):
    """Puts the pages into the navigation, where mkdocs.yml has the first of them."""
    navigation = Reference().navigation()

    def expanded(entry):
        if isinstance(entry, dict):
            return {title: navigation if target == FIRST_PAGE else expanded(target) for title, target in entry.items()}
        return [expanded(part) for part in entry] if isinstance(entry, list) else entry

    config.nav = expanded(config.nav)
    return config


def on_files(files, config):
    from mkdocs.structure.files import File

    for address, text in Reference().pages().items():
        files.append(File.generated(config, address, content=text))
    return files
