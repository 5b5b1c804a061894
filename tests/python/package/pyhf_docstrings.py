"""The docstring examples of the installed pyhf, run against nextstat.pyhf in pyhf's place.

    python pyhf_docstrings.py            # one line per example that does not agree, and the counts
    python pyhf_docstrings.py --json     # all of it, for test_pyhf_docstrings.py

pyhf's own modules are read as text and never imported: `import pyhf` in an example is nextstat's. An example is
one statement with an expected output. Numbers agree within 2e-4 (relative, absolute below 1), the rest of the text
word for word, but for NumPy's own way of writing scalars, which changed with NumPy 2.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import doctest
import importlib.util
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TOLERANCE = 2e-4
# What the promise is about, and the rest of pyhf that is looked at as well.
IN_SCOPE = ("pdf", "workspace", "patchset", "simplemodels", "infer")
ALSO = (
    "compat",
    "events",
    "interpolators",
    "probability",
    "schema",
    "utils",
    "tensor.numpy_backend",
    "tensor.manager",
)

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
_SCALAR = re.compile(r"np\.(?:float64|float32|int64)\(([^()]*)\)|np\.(True|False)_")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """One example: where it stands, whether it agrees, what was wanted and what came."""

    name: str
    in_scope: bool
    agrees: bool
    want: str
    got: str


def folder_of_pyhf() -> Path | None:
    """Where pyhf is installed, found without importing it."""
    found = importlib.util.find_spec("pyhf")
    return Path(found.origin).parent if found is not None and found.origin else None


def docstrings(folder: Path) -> Iterator[tuple[str, str, bool]]:
    """(name, text, in scope) of each docstring with examples, in the order of the files."""
    for names, in_scope in ((IN_SCOPE, True), (ALSO, False)):
        for name in names:
            base = folder.joinpath(*name.split("."))
            files = sorted(base.rglob("*.py")) if base.is_dir() else [base.with_suffix(".py")]
            for file in files:
                module = ".".join(("pyhf", *file.relative_to(folder).with_suffix("").parts)).removesuffix(
                    ".__init__"
                )
                for qualified, text in _in(ast.parse(file.read_text(encoding="utf-8")), module):
                    yield qualified, text, in_scope


def _in(node: Any, name: str) -> Iterator[tuple[str, str]]:
    text = ast.get_docstring(node, clean=False)
    if text and ">>>" in text:
        yield name, text
    for child in ast.walk(node):
        if (
            child is not node
            and isinstance(child, (ast.ClassDef, ast.FunctionDef))
            and _is_child(node, child)
        ):
            yield from _in(child, f"{name}.{child.name}")


def _is_child(parent: ast.AST, child: ast.AST) -> bool:
    """Defined in the body of the parent, also under `try` and `if`, but not inside another function or class."""
    waiting = list(ast.iter_child_nodes(parent))
    while waiting:
        node = waiting.pop()
        if node is child:
            return True
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            waiting += ast.iter_child_nodes(node)
    return False


class Checker(doctest.OutputChecker):
    """Numbers within the tolerance, words as they are."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        flags = optionflags | doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        want, got = (_SCALAR.sub(lambda found: found[1] or found[2], text) for text in (want, got))
        if super().check_output(want, got, flags):
            return True
        wanted, came = (re.sub(r"0x[0-9a-f.]+", "0x...", text) for text in (want, got))
        words = [re.sub(r"\s+", "", _NUMBER.sub("#", text).replace("...", "")) for text in (wanted, came)]
        numbers = [[float(text) for text in _NUMBER.findall(part)] for part in (wanted, came)]
        return words[0] == words[1] and len(numbers[0]) == len(numbers[1]) and all(map(_near, *numbers))


def _near(wanted: float, came: float) -> bool:
    return abs(wanted - came) <= TOLERANCE * max(1.0, abs(wanted))


class Runner(doctest.DocTestRunner):
    """Collects an outcome per example with an expected output; others count only when they fail."""

    def __init__(self, name: str, in_scope: bool, tell: Callable[[Outcome], None]) -> None:
        super().__init__(checker=Checker(), verbose=False, optionflags=doctest.ELLIPSIS)
        self.name, self.in_scope, self.tell = name, in_scope, tell
        self.numbers: dict[int, int] = {}

    def _outcome(self, test: doctest.DocTest, example: doctest.Example, agrees: bool, got: str) -> None:
        number = test.examples.index(example)
        if example.want or not agrees:
            self.tell(Outcome(f"{self.name}[{number}]", self.in_scope, agrees, example.want, got))

    def report_start(self, out: Any, test: Any, example: Any) -> None:
        return None

    def report_success(self, out: Any, test: Any, example: Any, got: str) -> None:
        self._outcome(test, example, True, got)

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
        self._outcome(test, example, False, got)

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        self._outcome(test, example, False, f"{exc_info[0].__name__}: {exc_info[1]}")


def run(folder: Path) -> list[Outcome]:
    """All outcomes. nextstat.pyhf must be in pyhf's place already."""
    import pyhf

    outcomes: list[Outcome] = []
    for name, text, in_scope in docstrings(folder):
        pyhf.set_backend("numpy")
        test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
        with warnings.catch_warnings(), contextlib.redirect_stderr(None):
            warnings.simplefilter("ignore")
            Runner(name, in_scope, outcomes.append).run(test, clear_globs=True)
    return outcomes


def main() -> int:
    folder = folder_of_pyhf()
    if folder is None:
        print("pyhf is not installed: there are no docstrings to run", file=sys.stderr)
        return 2
    import nextstat.pyhf.pytest_plugin  # noqa: F401  (puts nextstat.pyhf in pyhf's place)

    outcomes = run(folder)
    if "--json" in sys.argv:
        print(json.dumps([dataclasses.asdict(outcome) for outcome in outcomes]))
        return 0
    for outcome in outcomes:
        if not outcome.agrees:
            print(f"{outcome.name}\n  want {outcome.want.strip()}\n  got  {outcome.got.strip()}")
    for what, in_scope in (("in scope", True), ("besides", False)):
        chosen = [outcome for outcome in outcomes if outcome.in_scope == in_scope]
        print(f"{what}: {sum(outcome.agrees for outcome in chosen)} of {len(chosen)} agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
