"""Digests, the citation of pyhf, and the parsing of `name=value` options."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

__all__ = ["EqDelimStringParamType", "citation", "digest", "options_from_eqdelimstring"]


def __dir__() -> list[str]:
    return __all__


_CITATION = """@software{pyhf,
  author = {Lukas Heinrich and Matthew Feickert and Giordon Stark},
  title = "{pyhf: v0.7.6}",
  version = {0.7.6},
  doi = {10.5281/zenodo.1169739},
  url = {https://doi.org/10.5281/zenodo.1169739},
  note = {https://github.com/scikit-hep/pyhf/releases/tag/v0.7.6}
}

@article{pyhf_joss,
  doi = {10.21105/joss.02823},
  url = {https://doi.org/10.21105/joss.02823},
  year = {2021},
  publisher = {The Open Journal},
  volume = {6},
  number = {58},
  pages = {2823},
  author = {Lukas Heinrich and Matthew Feickert and Giordon Stark and Kyle Cranmer},
  title = {pyhf: pure-Python implementation of HistFactory statistical models},
  journal = {Journal of Open Source Software}
}"""


def digest(obj: Any, algorithm: str = "sha256") -> str:
    """Digest of the document as JSON with sorted keys, with any algorithm of hashlib."""
    try:
        text = json.dumps(obj, sort_keys=True, ensure_ascii=False).encode("utf8")
    except TypeError as error:
        raise ValueError("The supplied object is not JSON-serializable for calculating a hash.") from error
    function = getattr(hashlib, algorithm, None)
    if function is None:
        raise ValueError(f"{algorithm} is not an algorithm provided by Python's hashlib library.")
    return str(function(text).hexdigest())


def citation(oneline: bool = False) -> str:
    """BibTeX entries of pyhf, whose formats and methods this interface follows."""
    return "".join(_CITATION.splitlines()) if oneline else _CITATION


def options_from_eqdelimstring(opts: Iterable[str]) -> dict[str, Any]:
    """Options by name: ["maxiter=5", "verbose=true"] -> {"maxiter": 5, "verbose": True}."""
    pairs = (option.split("=", 1) for option in opts)
    return {pair[0].strip(): _scalar(pair[1].strip()) for pair in pairs}


def _scalar(text: str) -> Any:
    """A number, a bool, None or a list if the text is one, else the text."""
    known = {"true": True, "false": False, "null": None, "~": None, "": None}
    if text.lower() in known:
        return known[text.lower()]
    for read in (int, float, json.loads):
        try:
            return read(text)
        except ValueError:
            continue
    return text.strip("'\"")


class EqDelimStringParamType:
    """A `name=value` option of a command line: `convert("maxiter=5")` -> {"maxiter": 5}."""

    name = "equal-delimited option"

    def convert(self, value: str, param: Any = None, ctx: Any = None) -> dict[str, Any]:
        """The option as a dictionary; raises ValueError if it is malformed."""
        if "=" not in value:
            raise ValueError(f"{value} is not a valid equal-delimited string: NAME=VALUE is expected")
        return options_from_eqdelimstring([value])
