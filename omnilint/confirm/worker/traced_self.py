"""Methods of instances that JAX takes apart, as it takes arguments apart: their arrays are traced with the rest."""

from __future__ import annotations

from typing import Any

from . import compat, owner


class TracedSelf:
    """One instance by its arrays, made abstractly: no memory is used, and nothing computed, until it has to be.

    Modules of equinox and flax.nnx, registered dataclasses and NamedTuples are such; instances of other classes
    are none, and of classes without arrays: then ValueError is raised.
    """

    def __init__(self, module: Any, entry: Any, namespace: Any) -> None:
        self._cls = owner.holder(module, entry)
        if self._cls is None:
            raise ValueError("no method")
        self._entry, self._namespace = entry, namespace
        self._name = owner.names(entry)[-1]
        self._tree: Any = None
        self._rest: Any = []
        self.shapes = compat.jax().eval_shape(self.arrays)
        if not self.shapes:
            raise ValueError("nothing to trace")

    def arrays(self) -> Any:
        """The arrays of a new instance; concrete ones outside of a trace."""
        jax = compat.jax()
        made = owner.instance(self._cls, self._entry, self._namespace)
        leaves, self._tree = jax.tree_util.tree_flatten(made)
        if leaves and leaves[0] is made:
            raise ValueError("JAX doesn't take it apart")
        self._rest = [(isinstance(leaf, jax.Array), leaf) for leaf in leaves]
        found = [leaf for is_array, leaf in self._rest if is_array]
        self._rest = [(is_array, None if is_array else leaf) for is_array, leaf in self._rest]
        return found

    def method(self, arrays: Any) -> Any:
        """The method of an instance that has these arrays."""
        given = iter(arrays)
        leaves = [next(given) if is_array else leaf for is_array, leaf in self._rest]
        return getattr(compat.jax().tree_util.tree_unflatten(self._tree, leaves), self._name)


def of(module: Any, entry: Any, namespace: Any) -> Any:
    """The instance of an entry to be traced; None when its class isn't one for that, or can't be made so."""
    try:
        return TracedSelf(module, entry, namespace)
    except Exception:  # made concretely it may do, or say why not
        return None
