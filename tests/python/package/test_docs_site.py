"""The documentation site builds without a warning, needs no network to be read, and its reference has every public name."""

import functools
import html
import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from conftest import ROOT
from cpp_names import declared_names

sys.path.insert(0, str(ROOT / "docs"))
import cpp_reference  # noqa: E402

nextstat = pytest.importorskip("nextstat")

PLACES = ("nextstat", "nextstat.errors", "nextstat.results", "nextstat.plot", "nextstat.cabinetry", "nextstat.distributed",
          "nextstat.pyhf")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site."""
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings_handlers.python")
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder], cwd=ROOT,
                         capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return folder


def test_the_site_can_be_read_without_a_network(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    loaded = re.compile(r'<(?:script|img|iframe)[^>]*\ssrc="(?:https?:)?//[^"]*"|<link[^>]*\shref="(?:https?:)?//[^"]*"')
    outside = {match[0] for page in pages for match in loaded.finditer(page.read_text())}
    assert not outside
    styles = [match for style in site.rglob("*.css") for match in re.findall(r"(?:url\(|@import )['\"]?https?://[^)'\"]*", style.read_text())]
    assert not styles


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))],
                         ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.M | re.S)
    targets = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text))
    written = {ROOT / "docs" / address for address in cpp_reference.Reference().pages()}
    files = {target: page.parent / target.partition("#")[0] for target in targets if "://" not in target and not target.startswith("#")}
    missing = [target for target, file in files.items() if not file.exists() and file not in written]
    assert not missing


@functools.cache
def modules():
    """Every module of the package whose name has no leading underscore; without the plugin, whose import changes the process."""
    found = [nextstat]
    for entry in pkgutil.walk_packages(nextstat.__path__, "nextstat."):
        hidden = any(part.startswith("_") for part in entry.name.split("."))
        if not hidden and entry.name != "nextstat.pyhf.pytest_plugin":
            found.append(importlib.import_module(entry.name))
    return found


def own_members(cls):
    """(name, object with the docstring) of public methods and properties that the class itself defines."""
    for name, value in vars(cls).items():
        if name.startswith("_"):
            continue
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        if inspect.isfunction(value) or isinstance(value, (property, functools.cached_property)):
            yield name, value
        elif type(value).__module__.startswith("nanobind") and not name.startswith("_"):
            yield name, value


def defined_in(module):
    """Functions and classes that the module defines, with the members of the classes: (dotted name, object)."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(value) or inspect.isclass(value):
            yield f"{module.__name__}.{name}", value
        if inspect.isclass(value):
            for member, documented in own_members(value):
                yield f"{module.__name__}.{name}.{member}", documented


def test_every_public_name_has_a_docstring():
    everything = [(module.__name__, module) for module in modules()]
    everything += [pair for module in modules() for pair in defined_in(module)]
    everything += [(f"nextstat.Model.{name}", value) for name, value in own_members(nextstat.Model.__mro__[1])]
    assert len(everything) > 400
    missing = [name for name, value in everything if not (inspect.getdoc(value) or "").strip()]
    assert not missing


def test_compiled_properties_have_sentences():
    stub = (Path(nextstat.__file__).parent / "_core.pyi").read_text()
    methods = stub.partition("class Model:")[2].partition("\ndef ")[0]
    bare = re.findall(r"def (\w+)\(self[^\n]*: \.\.\.\n", methods)
    assert "def nll" in methods and [name for name in bare if not name.startswith("_")] == []


def public_names():
    """Names in __all__ of the modules that the reference is about, with the members of classes, as (name, where it is defined)."""
    for module in modules():
        if not (module.__name__ in PLACES or module.__name__.startswith("nextstat.pyhf.")):
            continue
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if name.startswith("_") or not (inspect.isfunction(value) or inspect.isclass(value)):
                continue
            members = [f".{member}" for member, _ in own_members(value)] if inspect.isclass(value) else []
            for member in ["", *members]:
                yield f"{module.__name__}.{name}{member}", f"{value.__module__}.{value.__qualname__}{member}"


def test_every_public_name_is_in_the_reference(site):
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    listed = {line.split()[0] for line in zlib.decompress(inventory).decode().splitlines()}
    names = list(public_names())
    assert len(names) > 250
    missing = [name for name, home in names if name not in listed and home not in listed]
    assert not missing, "\n".join(missing)
    modules_listed = [place for place in PLACES[1:] if place not in listed and importlib.util.find_spec(place)]
    assert not modules_listed


def sections(page):
    """{name: words of headings and code in the part of a page of the C++ reference that begins at the name's anchor}."""
    body = page.read_text().partition('<div role="main"')[2]
    parts = re.split(r'(?=<h[1-6] id=")', body)
    found = {}
    for part in parts:
        shown = " ".join(re.findall(r"<h\d.*?</h\d>|<code>.*?</code>", part, re.S))
        words = set(re.findall(r"operator(?: bool|[^\w\s(]+)|\w+", html.unescape(re.sub(r"<[^>]*>", "", shown))))
        for name in re.findall(r'<(?:h\d|a) id="([^"]+)"', part):
            found[name] = found.get(name, set()) | words
    return found


def missing_cpp_names(names, pages):
    """Names without a section of their own, and members that the section of their type does not show."""
    found = {}
    for page in pages:
        for name, words in sections(page).items():
            found[name] = found.get(name, set()) | words
    for name in sorted(names):
        first, *inner = name.removeprefix("nextstat::").replace("<void>", "-void").split("::")
        owner, member = "-".join([first, *inner[:-1]]), inner[-1] if inner else first
        if member not in found.get(owner, ()):
            yield name


def test_every_public_cpp_name_is_in_the_reference(site):
    pages = sorted((site / "cpp").glob("*.html"))
    names = declared_names()
    assert len(pages) == len(list((ROOT / "include/nextstat").glob("*.h"))) + 1 and len(names) > 900
    assert list(missing_cpp_names(names, pages)) == []
    invented = ["nextstat::no_such_function", "nextstat::FitResult::no_such_field", "nextstat::Termination::NoSuchEnd"]
    assert list(missing_cpp_names(invented, pages)) == sorted(invented)


def test_the_cpp_reference_is_in_the_navigation(site):
    assert "cpp/index.html" in (site / "index.html").read_text() and "cpp/fit.html" in (site / "index.html").read_text()
