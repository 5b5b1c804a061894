"""HistFactory's modifiers: what each requires of its parameters.

`histfactory_set` names the types. The rates themselves are computed in nextstat's core, so the entries
hold only the rule for the parameters, and models with custom modifiers are refused.
"""

from __future__ import annotations

from . import staterror
from .rules import ModifierRule, histfactory_set

__all__ = ["ModifierRule", "histfactory_set", "staterror"]
