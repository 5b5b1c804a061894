"""Tensor libraries: only NumPy, because results here do not depend on the tensor library."""

from __future__ import annotations

from typing import Any, ClassVar

from ..exceptions import ImportBackendError
from .numpy_backend import numpy_backend

__all__ = ["BackendRetriever"]


class AbsentBackend:
    """A pyhf tensor library that is not available: its name exists, but creating one raises."""

    name: ClassVar[str]

    def __init__(self, **settings: Any) -> None:
        self.refuse()

    def refuse(self) -> None:
        """Raises the error that says why it is not available."""
        raise ImportBackendError(
            f"The {self.name} backend cannot be used: nextstat computes in its own core, with exact gradients, "
            'and the numbers do not depend on a backend; use pyhf.set_backend("numpy")'
        )


class jax_backend(AbsentBackend):
    """JAX: not available."""

    name = "jax"


class pytorch_backend(AbsentBackend):
    """PyTorch: not available."""

    name = "pytorch"


class tensorflow_backend(AbsentBackend):
    """TensorFlow: not available."""

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
        """Types that a specification may have instead of lists."""
        return (numpy_backend.array_type,)

    @property
    def array_subtypes(self) -> tuple[type, ...]:
        """Types that a specification may have instead of numbers."""
        return (numpy_backend.array_subtype,)


BackendRetriever = _BackendRetriever()
