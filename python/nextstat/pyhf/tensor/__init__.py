"""Tensor libraries: NumPy. Results here do not depend on a tensor library, so there is no other."""

from __future__ import annotations

from typing import Any, ClassVar

from ..exceptions import ImportBackendError
from .numpy_backend import numpy_backend

__all__ = ["BackendRetriever"]


class AbsentBackend:
    """A tensor library of pyhf's that is not here: its name can be mentioned, making one raises."""

    name: ClassVar[str]

    def __init__(self, **settings: Any) -> None:
        self.refuse()

    def refuse(self) -> None:
        """Says why there is no such library."""
        raise ImportBackendError(
            f"The {self.name} backend cannot be used: nextstat computes in its own core, with exact gradients, "
            'and the numbers do not depend on a backend; use pyhf.set_backend("numpy")'
        )


class jax_backend(AbsentBackend):
    """JAX: not here."""

    name = "jax"


class pytorch_backend(AbsentBackend):
    """PyTorch: not here."""

    name = "pytorch"


class tensorflow_backend(AbsentBackend):
    """TensorFlow: not here."""

    name = "tensorflow"


class _BackendRetriever:
    """`pyhf.tensor`: tensor libraries by name. Unknown names give None, as in pyhf."""

    numpy_backend = numpy_backend
    jax_backend = jax_backend
    pytorch_backend = pytorch_backend
    tensorflow_backend = tensorflow_backend

    def __getattr__(self, name: str) -> Any:
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
