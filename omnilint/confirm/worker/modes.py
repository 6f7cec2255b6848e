"""The ways to run the same call: as it is, with trace-time folding, eagerly, under the leak checker."""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Callable
from typing import Any

from . import clock, compat


def configure(mode: Any, stack: contextlib.ExitStack, calls: list[Any], watcher: Any = None, home: Any = None) -> None:
    """Prepare this process for `mode`, a set of switches; `calls` receives what `record` notes.

    `fold`: trace-time constant folding as before omnistaging. `eager`: nothing is staged.
    `x64`: 64-bit types. `leaks`: JAX's leak checker. `jit_grad`: differentiated values are traced abstractly.
    `record`: note what each jitted function of the user was called with and gave, and which lines that ran;
    `prove` does as well.
    `clock`: between recorded calls the clock goes on by ten years, as far as the user's code can see.
    """
    jax = compat.jax()
    if mode.get("x64"):
        jax.config.update("jax_enable_x64", True)
    if mode.get("leaks"):
        gc.unfreeze()  # the checker asks for what refers to a tracer, and frozen objects wouldn't be told
        jax.config.update("jax_check_tracer_leaks", True)
    if mode.get("fold"):
        jax.jit = _folding(jax, jax.jit)
        stack.enter_context(jax.ensure_compile_time_eval())
    if mode.get("jit_grad"):
        for name in ("grad", "value_and_grad"):
            setattr(jax, name, _abstract_gradient(jax, getattr(jax, name)))
    if mode.get("record") or mode.get("prove"):
        jax.jit = _recording(jax.jit, calls, watcher)
    if mode.get("clock"):
        clock.move_on(home, calls)
    if mode.get("eager") and mode.get("prove"):  # rematerialising traces as well, and computes the same
        jax.checkpoint = jax.remat = _untransformed
    if mode.get("eager"):
        stack.enter_context(jax.disable_jit())


def _untransformed(fun: Any = None, **options: Any) -> Any:
    return functools.partial(_untransformed, **options) if fun is None else fun


def folded(jax: Any, fun: Callable[..., Any]) -> Callable[..., Any]:
    """`fun` with trace-time folding on inside its body."""

    @functools.wraps(fun)
    def inner(*args: Any, **kwargs: Any) -> Any:
        with jax.ensure_compile_time_eval():
            return fun(*args, **kwargs)

    return inner


def _folding(jax: Any, real: Any) -> Any:
    known: dict[Any, Any] = {}

    def jit(fun: Any = None, **options: Any) -> Any:
        if fun is None:
            return functools.partial(jit, **options)
        try:
            inner = known.get(fun)
            if inner is None:
                inner = known[fun] = folded(jax, fun)
        except (TypeError, AttributeError):  # unhashable, or a callable without a name to copy
            inner = _plain_folded(jax, fun)
        return real(inner, **options)

    return jit


def _plain_folded(jax: Any, fun: Any) -> Any:
    def inner(*args: Any, **kwargs: Any) -> Any:
        with jax.ensure_compile_time_eval():
            return fun(*args, **kwargs)

    return inner


def _abstract_gradient(jax: Any, real: Any) -> Any:
    """grad with the differentiated arguments abstract: what Python takes from them then fails loudly."""

    def grad(fun: Any, argnums: Any = 0, **options: Any) -> Any:
        taken = real(fun, argnums, **options)
        positions = (argnums,) if isinstance(argnums, int) else tuple(argnums)

        @functools.wraps(taken)
        def call(*args: Any, **kwargs: Any) -> Any:
            def only(chosen: Any) -> Any:
                full = list(args)
                for i, p in enumerate(positions):
                    full[p] = chosen[i]
                return taken(*full, **kwargs)

            return jax.jit(only)([args[p] for p in positions])

        return call

    return grad


class RecordedJit:
    """A jitted function that notes its calls outside of traces; everything else is the real one's.

    A note says too whether no other jitted function made the call, which counts where nothing is traced.
    """

    _inside = 0

    def __init__(self, real: Any, fun: Any, calls: list[Any], watcher: Any) -> None:
        self._real = real
        self._calls = calls
        self._watcher = watcher
        self.label = getattr(fun, "__qualname__", None) or type(fun).__qualname__
        functools.update_wrapper(self, fun, updated=())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        return functools.partial(self.__call__, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if compat.trace_active():
            return self._real(*args, **kwargs)
        before = self._runs()
        RecordedJit._inside += 1
        try:
            out = self._real(*args, **kwargs)
        finally:
            RecordedJit._inside -= 1
        if len(self._calls) < 200:
            through = [name for name, runs in self._runs().items() if runs > before.get(name, 0)]
            self._calls.append((self, args, kwargs, out, through, not RecordedJit._inside))
        return out

    def _runs(self) -> dict[str, int]:
        """How often each watched place ran until now."""
        return {w.id: w.runs for w in self._watcher.watches} if self._watcher is not None else {}


def _recording(real: Any, calls: list[Any], watcher: Any) -> Any:
    def jit(fun: Any = None, **options: Any) -> Any:
        if fun is None:
            return functools.partial(jit, **options)
        return RecordedJit(real(fun, **options), fun, calls, watcher)

    return jit
