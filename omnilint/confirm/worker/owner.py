"""The callable that a dotted name means, and the instance that has it when it is a method."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any

from . import compat, inputs


class NoInputs(Exception):
    """None of the arguments that were tried is accepted, even eagerly."""


def names(entry: Any) -> Any:
    """The attributes that lead to what the entry names; those of a class that are its own have its name in front."""
    parts = entry["qualname"].split(".")
    found = parts[:1]
    for i, part in enumerate(parts[1:]):
        own = part.startswith("__") and not part.endswith("__")
        found.append("_" + parts[i].lstrip("_") + part if own else part)
    return found


def find(module: Any, entry: Any, namespace: Any) -> Any:
    """The callable that `entry` names, its owner constructed when it is a method."""
    value: Any = module
    parts = names(entry)
    for i, part in enumerate(parts):
        static = inspect.getattr_static(value, part, None)
        bound = isinstance(static, (staticmethod, classmethod))
        if inspect.isclass(value) and i == len(parts) - 1 and part == "__init__":
            value = functools.partial(instance, value, entry, namespace)
        elif inspect.isclass(value) and i == len(parts) - 1 and not bound:
            owner = instance(value, entry, namespace)
            read = getattr(static, "fget", None) or (getattr(static, "func", None) if not callable(static) else None)
            if read is not None:  # a property: reading it is the call
                value = functools.partial(read, owner)
            else:
                value = _of_linen(owner, part) if hasattr(owner, "init_with_output") else getattr(owner, part)
        else:
            value = getattr(value, part)
    return value


def _of_linen(owner: Any, name: str) -> Any:
    """A method of a flax.linen module, which has its variables only while `init` or `apply` runs."""
    method = getattr(type(owner), name)

    def call(*args: Any, **kwargs: Any) -> Any:
        return owner.init_with_output(compat.jax().random.PRNGKey(0), *args, method=method, **kwargs)

    functools.update_wrapper(call, method)
    call.__signature__ = _without_self(method)  # type: ignore[attr-defined]
    return call


def instance(owner: Any, entry: Any, namespace: Any) -> Any:
    """The first instance that can be made, of the ways from the number "owner" on; that becomes its number."""
    problem: Any = None
    sources = list(entry.get("owner_sources", ()))
    ways = [*sources, *(entry.get("owner_arguments", ()) or [{}])]
    for number in range(entry.get("owner", 0), len(ways)):
        entry["owner"] = number
        try:
            if number < len(sources):
                return eval(ways[number], namespace)
            return owner(**{k: inputs.build(v, namespace) for k, v in ways[number].items()})
        except Exception as e:
            problem = problem or e
    why = f"{type(problem).__name__}: {problem}"
    raise NoInputs(f"{owner.__name__} cannot be constructed: {why}")


def plain(module: Any, entry: Any) -> Any:
    """What the name means without any instance: of a method the function in its class."""
    return functools.reduce(getattr, names(entry), module)


def holder(module: Any, entry: Any) -> Any:
    """The class whose method the name means; None when it is no method of instances."""
    *parts, name = names(entry)
    value = functools.reduce(getattr, parts, module)
    static = inspect.getattr_static(value, name, None)
    bound = isinstance(static, (staticmethod, classmethod, property)) or name == "__init__"
    return value if inspect.isclass(value) and not bound else None


def _without_self(value: Any) -> Any:
    """The signature of a method as it is called."""
    signature = inspect.signature(value)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def in_haiku(module: Any, entry: Any, namespace: Any) -> Any:
    """The same call within a transform of haiku's: modules are made, and parameters asked for, only there."""
    value = plain(module, entry)

    def call(*args: Any, **kwargs: Any) -> Any:
        def inside(*args: Any, **kwargs: Any) -> Any:
            return find(module, dict(entry), namespace)(*args, **kwargs)

        whole, key = sys.modules["haiku"].transform_with_state(inside), compat.jax().random.PRNGKey(0)
        return whole.apply(*whole.init(key, *args, **kwargs), key, *args, **kwargs)[0]

    functools.update_wrapper(call, value)
    method = holder(module, entry) is not None
    call.__signature__ = _without_self(value) if method else inspect.signature(value)  # type: ignore[attr-defined]
    return call


def wants_haiku(problem: Any) -> bool:
    """Whether an error says that a call has to be made within a transform of haiku's."""
    return "haiku" in sys.modules and "hk.transform" in str(problem)
