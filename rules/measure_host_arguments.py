"""Write which parameters of JAX's functions take Python's numbers or tuples, and refuse what NumPy has in their place.

    python rules/measure_host_arguments.py

Each call below is made with a value that it takes, and with the same in NumPy's forms: `array` (of one dimension, for a
tuple), `zeros` (a tuple of arrays without dimensions), `scalar` (`np.int64`) and `zero` (an array without dimensions).
The table goes to rules/tables/host_arguments.json: "function(parameter)" → the forms that are refused.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

TABLE = Path(__file__).parent / "tables" / "host_arguments.json"
PAIR, ORDER, NUMBER, AXIS = (2, 3), (0, 1), 3, 1
Samples = tuple[Any, ...]

# What calls are made with: a vector, a matrix, a square one, whole numbers, a key, an image and a kernel.
NAMES: dict[str, Any] = {
    "jax": jax, "jnp": jnp, "lax": lax, "nn": nn, "np": np, "random": jax.random,
    "x": jnp.arange(6.0), "m": jnp.arange(6.0).reshape(2, 3), "q": jnp.eye(3), "i": jnp.arange(6),
    "key": jax.random.key(0), "image": jnp.ones((1, 1, 4, 4)), "kernel": jnp.ones((1, 1, 2, 2)),
}  # fmt: skip

# Function, parameter, the call with `_` for the value, values that it takes.
CALLS: list[tuple[str, str, str, Samples]] = [
    ("jax.lax.broadcast_in_dim", "shape", "lax.broadcast_in_dim(1.0, _, ())", (PAIR,)),
    ("jax.lax.broadcast_in_dim", "broadcast_dimensions", "lax.broadcast_in_dim(m, (4, 2, 3), _)", ((1, 2),)),
    ("jax.lax.broadcast", "sizes", "lax.broadcast(x, _)", (PAIR,)),
    ("jax.lax.broadcasted_iota", "shape", "lax.broadcasted_iota(int, _, 0)", (PAIR,)),
    ("jax.lax.iota", "size", "lax.iota(int, _)", (NUMBER,)),
    ("jax.lax.empty", "shape", "lax.empty(_, jnp.float32)", (PAIR,)),
    ("jax.lax.full", "shape", "lax.full(_, 0.0)", (PAIR, NUMBER)),
    ("jax.lax.full_like", "shape", "lax.full_like(x, 0.0, shape=_)", (PAIR, NUMBER)),
    ("jax.lax.reshape", "new_sizes", "lax.reshape(x, _)", (PAIR, 6)),
    ("jax.lax.reshape", "dimensions", "lax.reshape(m, (6,), _)", ((1, 0),)),
    ("jax.lax.rng_uniform", "shape", "lax.rng_uniform(0.0, 1.0, _)", (PAIR,)),
    ("jax.lax.dynamic_slice", "slice_sizes", "lax.dynamic_slice(m, (0, 0), _)", ((1, 2),)),
    ("jax.lax.dynamic_slice_in_dim", "slice_size", "lax.dynamic_slice_in_dim(x, 0, _)", (NUMBER,)),
    ("jax.lax.slice", "start_indices", "lax.slice(m, _, (2, 3))", (ORDER,)),
    ("jax.lax.slice", "limit_indices", "lax.slice(m, (0, 0), _)", ((1, 2),)),
    ("jax.lax.slice", "strides", "lax.slice(m, (0, 0), (2, 3), _)", ((1, 2),)),
    ("jax.lax.slice_in_dim", "limit_index", "lax.slice_in_dim(x, 0, _)", (NUMBER,)),
    ("jax.lax.transpose", "permutation", "lax.transpose(m, _)", ((1, 0),)),
    ("jax.lax.squeeze", "dimensions", "lax.squeeze(m[None, :, :, None], _)", ((0, 3),)),
    ("jax.lax.expand_dims", "dimensions", "lax.expand_dims(m, _)", ((0, 3),)),
    ("jax.lax.rev", "dimensions", "lax.rev(m, _)", (ORDER,)),
    ("jax.lax.reduce", "dimensions", "lax.reduce(m, 0.0, lax.add, _)", (ORDER,)),
    ("jax.lax.reduce_window", "window_dimensions", "lax.reduce_window(m, 0.0, lax.add, _, (1, 1), 'VALID')", ((1, 2),)),
    ("jax.lax.reduce_window", "window_strides", "lax.reduce_window(m, 0.0, lax.add, (1, 2), _, 'VALID')", ((1, 2),)),
    ("jax.lax.conv", "window_strides", "lax.conv(image, kernel, _, 'SAME')", ((1, 2),)),
    ("jax.lax.conv_general_dilated", "window_strides", "lax.conv_general_dilated(image, kernel, _, 'SAME')", ((1, 2),)),
    ("jax.lax.conv_general_dilated_patches", "window_strides",
     "lax.conv_general_dilated_patches(image, (2, 2), _, 'SAME')", ((1, 2),)),
    ("jax.lax.conv_transpose", "strides",
     "lax.conv_transpose(image.reshape(1, 4, 4, 1), kernel.reshape(2, 2, 1, 1), _, 'SAME')", ((1, 2),)),
    ("jax.lax.split", "sizes", "lax.split(x, _)", ((2, 4),)),
    ("jax.lax.tile", "reps", "lax.tile(m, _)", ((2, 2),)),
    ("jax.lax.scan", "length", "lax.scan(lambda c, _: (c, None), 0, None, length=_)", (NUMBER,)),
    ("jax.lax.scan", "unroll", "lax.scan(lambda c, y: (c, None), 0, x, unroll=_)", (2,)),
    ("jax.lax.fft", "fft_lengths", "lax.fft(m.astype(complex), 'fft', _)", (PAIR,)),
    ("jax.lax.integer_pow", "y", "lax.integer_pow(x, _)", (NUMBER,)),
    ("jax.lax.concatenate", "dimension", "lax.concatenate([m, m], _)", (AXIS,)),
    ("jax.lax.sort", "num_keys", "lax.sort((x, x), num_keys=_)", (AXIS,)),
    ("jax.lax.sort", "dimension", "lax.sort(m, _)", (AXIS,)),
    ("jax.image.resize", "shape", "jax.image.resize(m, _, 'linear')", ((4, 6),)),
    ("jax.make_array_from_callback", "shape", "jax.make_array_from_callback(_, "
     "jax.sharding.SingleDeviceSharding(jax.devices()[0]), lambda index: np.ones((2, 3))[index])", (PAIR,)),
    ("jax.numpy.broadcast_to", "shape", "jnp.broadcast_to(1.0, _)", (PAIR, NUMBER)),
    ("jax.numpy.reshape", "shape", "jnp.reshape(x, _)", (PAIR, 6)),
    ("jax.numpy.resize", "new_shape", "jnp.resize(x, _)", (PAIR, 6)),
    ("jax.numpy.full", "shape", "jnp.full(_, 1.0)", (PAIR, NUMBER)),
    ("jax.numpy.fromfunction", "shape", "jnp.fromfunction(lambda *a: a[0], _)", (PAIR, NUMBER)),
    ("jax.numpy.indices", "dimensions", "jnp.indices(_)", (PAIR,)),
    ("jax.numpy.tile", "reps", "jnp.tile(m, _)", ((2, 2), 2)),
    ("jax.numpy.linspace", "num", "jnp.linspace(0, 1, _)", (NUMBER,)),
    ("jax.numpy.repeat", "repeats", "jnp.repeat(x, _)", (2,)),
    ("jax.numpy.repeat", "total_repeat_length", "jnp.repeat(x, 2, total_repeat_length=_)", (12,)),
    ("jax.numpy.eye", "N", "jnp.eye(_)", (NUMBER,)),
    ("jax.numpy.vander", "N", "jnp.vander(x, _)", (NUMBER,)),
    ("jax.numpy.diff", "n", "jnp.diff(x, _)", (2,)),
    ("jax.numpy.pad", "pad_width", "jnp.pad(m, _)", ((1, 2), 1)),
    ("jax.numpy.roll", "shift", "jnp.roll(x, _)", (2,)),
    ("jax.numpy.rot90", "k", "jnp.rot90(m, _)", (AXIS,)),
    ("jax.numpy.rot90", "axes", "jnp.rot90(m, 1, _)", (ORDER,)),
    ("jax.numpy.transpose", "axes", "jnp.transpose(m, _)", ((1, 0),)),
    ("jax.numpy.moveaxis", "source", "jnp.moveaxis(m, _, (1, 0))", (ORDER,)),
    ("jax.numpy.swapaxes", "axis1", "jnp.swapaxes(m, _, 1)", (0,)),
    ("jax.numpy.swapaxes", "axis2", "jnp.swapaxes(m, 0, _)", (AXIS,)),
    ("jax.numpy.expand_dims", "axis", "jnp.expand_dims(m, _)", ((0, 3), AXIS)),
    ("jax.numpy.squeeze", "axis", "jnp.squeeze(m[None, :, :, None], _)", ((0, 3), 0)),
    ("jax.numpy.flip", "axis", "jnp.flip(m, _)", (ORDER, AXIS)),
    ("jax.numpy.tensordot", "axes", "jnp.tensordot(q, q, _)", (AXIS,)),
    ("jax.numpy.partition", "kth", "jnp.partition(x, _)", (2,)),
    ("jax.numpy.argpartition", "kth", "jnp.argpartition(x, _)", (2,)),
    ("jax.numpy.split", "indices_or_sections", "jnp.split(x, _)", ((2, 4), NUMBER)),
    ("jax.numpy.round", "decimals", "jnp.round(x, _)", (AXIS,)),
    ("jax.numpy.diagonal", "offset", "jnp.diagonal(q, _)", (AXIS,)),
    ("jax.numpy.take_along_axis", "axis", "jnp.take_along_axis(m, i.reshape(2, 3) % 3, _)", (AXIS,)),
    ("jax.numpy.append", "axis", "jnp.append(m, m, _)", (AXIS,)),
    ("jax.numpy.concatenate", "axis", "jnp.concatenate([m, m], _)", (AXIS,)),
    ("jax.numpy.stack", "axis", "jnp.stack([m, m], _)", (AXIS,)),
    ("jax.numpy.fft.fft2", "s", "jnp.fft.fft2(m, _)", (PAIR,)),
    ("jax.numpy.fft.fftn", "axes", "jnp.fft.fftn(m, axes=_)", (ORDER,)),
    ("jax.numpy.fft.fftshift", "axes", "jnp.fft.fftshift(m, _)", (ORDER, AXIS)),
    ("jax.numpy.linalg.matrix_power", "n", "jnp.linalg.matrix_power(q, _)", (NUMBER,)),
    ("jax.numpy.polyval", "unroll", "jnp.polyval(x, 2.0, unroll=_)", (2,)),
    ("jax.random.split", "num", "random.split(key, _)", (PAIR, NUMBER)),
    ("jax.random.orthogonal", "n", "random.orthogonal(key, _)", (NUMBER,)),
    ("jax.vmap", "axis_size", "jax.vmap(lambda: 1.0, axis_size=_)()", (NUMBER,)),
    ("jax.vmap", "in_axes", "jax.vmap(lambda a: a, in_axes=_)(m)", (AXIS,)),
    ("jax.vmap", "out_axes", "jax.vmap(lambda a: a, out_axes=_)(m)", (AXIS,)),
]  # fmt: skip

# Functions that are called alike: names, parameter, the call with `{}` for the name.
FAMILIES: list[tuple[str, str, str, Samples]] = [
    ("jax.lax: cumsum cumprod cummax cummin cumlogsumexp", "axis", "{}(m, _)", (AXIS,)),
    ("jax.lax: argmax argmin", "axis", "{}(m, _, jnp.int32)", (AXIS,)),
    ("jax.lax: dynamic_index_in_dim", "axis", "{}(m, 0, _)", (AXIS,)),
    ("jax.lax: dynamic_slice_in_dim", "axis", "{}(m, 0, 2, _)", (AXIS,)),
    ("jax.lax: reduce_sum reduce_max reduce_min reduce_prod", "axes", "{}(m, _)", (ORDER,)),
    ("jax.lax: top_k approx_max_k approx_min_k", "k", "{}(x, _)", (NUMBER,)),
    ("jax.nn: softmax log_softmax standardize glu logsumexp logmeanexp", "axis", "{}(m[:, :2], axis=_)", (AXIS,)),
    ("jax.nn: one_hot", "num_classes", "{}(i, _)", (6,)),
    ("jax.nn: one_hot", "axis", "{}(i, 6, axis=_)", (0,)),
    ("jax.numpy: zeros ones empty", "shape", "{}(_)", (PAIR, NUMBER)),
    ("jax.numpy: sum prod max min mean std var any all nansum nanmean nanmax nanmin nanprod nanstd nanvar median "
     "nanmedian count_nonzero average linalg.norm linalg.vector_norm", "axis", "{}(m, axis=_)", (ORDER, AXIS)),
    ("jax.numpy: quantile percentile nanquantile nanpercentile", "axis", "{}(m, 0.5, axis=_)", (ORDER, AXIS)),
    ("jax.numpy: sort argsort cumsum cumprod argmax argmin nanargmax nanargmin ptp nancumsum nancumprod "
     "cumulative_sum unwrap gradient trapezoid diff", "axis", "{}(m, axis=_)", (AXIS,)),
    ("jax.numpy: diag diagflat tril triu", "k", "{}(q, _)", (AXIS,)),
    ("jax.numpy: tril_indices triu_indices", "n", "{}(_)", (NUMBER,)),
    ("jax.numpy: nonzero argwhere flatnonzero unique", "size", "{}(x, size=_)", (NUMBER,)),
    ("jax.numpy.fft: fft ifft rfft irfft", "n", "{}(x, _)", (4,)),
    ("jax.numpy.fft: fft ifft rfft irfft", "axis", "{}(m, axis=_)", (AXIS,)),
    ("jax.random: normal uniform bits exponential gumbel laplace cauchy rademacher logistic maxwell", "shape",
     "{}(key, _)", (PAIR, NUMBER)),
    ("jax.random: bernoulli gamma dirichlet poisson t pareto chisquare geometric rayleigh lognormal loggamma "
     "generalized_normal", "shape", "{}(key, jnp.array([0.5]), _)", ((4, 1), 1)),
    ("jax.random: beta weibull_min truncated_normal binomial f double_sided_maxwell", "shape",
     "{}(key, 0.5, 1.0, _)", (PAIR, NUMBER)),
    ("jax.random: randint", "shape", "{}(key, _, 0, 9)", (PAIR, NUMBER)),
    ("jax.random: choice", "shape", "{}(key, 6, _)", (PAIR,)),
    ("jax.random: categorical", "shape", "{}(key, x, shape=_)", ((2,),)),
    ("jax.random: multivariate_normal", "shape", "{}(key, x[:3], q, _)", (PAIR, NUMBER)),
    ("jax.random: ball", "shape", "{}(key, 3, 2, _)", (PAIR, NUMBER)),
    ("jax.random: orthogonal", "shape", "{}(key, 2, _)", (PAIR, NUMBER)),
    ("jax.random: triangular", "shape", "{}(key, 0.0, 0.5, 1.0, _)", (PAIR, NUMBER)),
    ("jax.ops: segment_sum segment_max segment_min segment_prod", "num_segments", "{}(x, i, _)", (6,)),
    ("jax.Array: sum max mean", "axis", "m.{}(axis=_)", (ORDER, AXIS)),
    ("jax.Array: argmax cumsum cumprod argsort sort", "axis", "m.{}(axis=_)", (AXIS,)),
    ("jax.Array: reshape", "shape", "x.{}(_)", (PAIR, 6)),
    ("jax.Array: swapaxes", "axis1", "m.{}(_, 1)", (0,)),
    ("jax.Array: swapaxes", "axis2", "m.{}(0, _)", (AXIS,)),
    ("jax.Array: transpose", "axes", "m.{}(_)", ((1, 0),)),
]  # fmt: skip


def calls() -> Iterator[tuple[str, str, Samples]]:
    """("function(parameter)", the call with `_` for the value, values that it takes)."""
    for function, parameter, call, samples in CALLS:
        yield f"{function}({parameter})", call, samples
    for names, parameter, call, samples in FAMILIES:
        home, _, found = names.partition(": ")
        for name in found.split():
            own = call.format(name if home == "jax.Array" else f"{home}.{name}")
            yield f"{home}.{name}({parameter})", own, samples


def forms(sample: Any) -> Mapping[str, Any]:
    """The forms that NumPy may give a value in."""
    if isinstance(sample, tuple):
        return {"array": np.array(sample), "zeros": tuple(np.array(n) for n in sample)}
    return {"scalar": np.int64(sample), "zero": np.array(sample)}


def takes(call: str, value: Any) -> bool:
    """Whether a call takes a value; it is traced, not run."""
    try:
        jax.eval_shape(lambda: eval(call, {**NAMES, "_": value}))
    except Exception:
        return False
    return True


def refused(call: str, samples: Samples) -> list[str]:
    """The forms that a call refuses; of a value that it can't be made with, which is a mistake here, `nothing`."""
    if not all(takes(call, sample) for sample in samples):
        return ["nothing"]
    found = [name for sample in samples for name, value in forms(sample).items() if not takes(call, value)]
    return list(dict.fromkeys(found))


def measure() -> dict[str, list[str]]:
    """ "function(parameter)" → the forms that are refused, where there are any."""
    found = {name: refused(call, samples) for name, call, samples in calls()}
    return {name: bad for name, bad in sorted(found.items()) if bad}


def main() -> int:
    """Write the table."""
    warnings.simplefilter("ignore")
    source = {
        "jax": jax.__version__,
        "numpy": np.__version__,
        "how": "each called; see rules/measure_host_arguments.py",
    }
    rows = {"_source": source, **{name: " ".join(bad) for name, bad in measure().items()}}
    TABLE.write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
