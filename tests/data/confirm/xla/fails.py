"""Programs that trace and that no CPU backend compiles, runs or agrees with eager evaluation on."""

import functools

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import mlir

unheard_of = Primitive("unheard_of")
unheard_of.def_abstract_eval(lambda x: x)
unheard_of.def_impl(lambda x: x)

# Compiled it gives what it is given, op by op one more.
two_faced = Primitive("two_faced")
two_faced.def_abstract_eval(lambda x: x)
two_faced.def_impl(lambda x: x + 1)
mlir.register_lowering(two_faced, lambda context, x: [x])


@jax.jit
def unregistered(x):
    return jax.ffi.ffi_call("no_such_kernel", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


@jax.jit
def no_lowering(x):
    return unheard_of.bind(jnp.sin(x))


@jax.jit
def disagrees(x):
    return two_faced.bind(x)


@functools.partial(jax.jit, static_argnames="n")
def fine(x, n):
    return jnp.cumsum(x) * n


@jax.jit
def clocked(x):
    return x + 1.0


@jax.jit
def decided(x):
    return jnp.floor(jnp.sin(x) * 1e6).astype(int)


def test_disagrees():
    assert disagrees(jnp.float32(1.0)) is not None
