"""Tensor libraries: NumPy. Results here do not depend on a tensor library, so there is no other."""

from __future__ import annotations

from typing import Any

from ..exceptions import ImportBackendError
from .numpy_backend import numpy_backend

__all__ = ["BackendRetriever"]

OTHER_LIBRARIES = ("jax", "pytorch", "tensorflow")


class _BackendRetriever:
    """`pyhf.tensor`: tensor libraries by name. Unknown names give None, as in pyhf."""

    numpy_backend = numpy_backend

    def __getattr__(self, name: str) -> Any:
        library = name.removesuffix("_backend")
        if library in OTHER_LIBRARIES:
            raise ImportBackendError(
                f"The {library} backend cannot be used: nextstat computes in its own core, with exact gradients, "
                'and the numbers do not depend on a backend; use pyhf.set_backend("numpy")'
            )
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    @property
    def array_types(self) -> tuple[type, ...]:
        """Types that a specification may hold in place of lists."""
        return (numpy_backend.array_type,)

    @property
    def array_subtypes(self) -> tuple[type, ...]:
        """Types that a specification may hold in place of numbers."""
        return (numpy_backend.array_subtype,)


BackendRetriever = _BackendRetriever()
