"""The facts that repairs rely on, compared with the installed JAX and NumPy."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from typing import Any

import pytest

from omnilint import knowledge
from omnilint.api import history
from omnilint.fixes.replacements import call_rows
from omnilint.fixes.twins import parameters

jax = pytest.importorskip("jax", reason="the tables are compared with JAX")
jnp = jax.numpy
np = pytest.importorskip("numpy", reason="the tables are compared with NumPy")

TWINS = knowledge.table("host_twins")
ONE, TWO, FLAGS, GRID = [3, 1, 2], [2, 1, 4], [True, False, True], [[1, 2, 3], [4, 5, 6]]
# Arguments, by what a function takes; the rest takes one list of whole numbers.
SAMPLES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("add", "subtract", "multiply", "floor_divide", "mod", "remainder"), (ONE, TWO)),
    **dict.fromkeys(("maximum", "minimum"), (ONE, TWO)),
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "power"), (ONE, TWO)),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm", "outer", "dot", "divmod"), (ONE, TWO)),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), (FLAGS, FLAGS[::-1])),
    **dict.fromkeys(("array_equal", "isin", "append", "setdiff1d", "divide", "true_divide"), (ONE, TWO)),
    **dict.fromkeys(("concatenate", "stack", "hstack", "vstack", "dstack"), ([ONE, TWO],)),
    **dict.fromkeys(("tril", "triu", "diag", "atleast_2d", "squeeze", "transpose"), (GRID,)),
    **dict.fromkeys(("tril_indices", "triu_indices", "eye", "identity", "tri", "zeros", "ones"), (3,)),
    "arange": (2, 11, 3), "array_split": (ONE, 2), "broadcast_to": (ONE, (2, 3)), "clip": (ONE, 2, 3),
    "delete": (ONE, 1), "expand_dims": (ONE, 0), "full": ((2, 3), 7), "full_like": (ONE, 7), "indices": ((2, 3),),
    "insert": (ONE, 1, 5), "ix_": (ONE, TWO), "linspace": (0, 9, 4), "meshgrid": (ONE, TWO), "moveaxis": (GRID, 0, 1),
    "pad": (ONE, (1, 2)), "ravel_multi_index": ((1, 2), (3, 4)), "repeat": (ONE, 2), "reshape": (GRID, (3, 2)),
    "roll": (ONE, 1), "searchsorted": ([1, 3, 5], TWO), "split": (ONE, 3), "swapaxes": (GRID, 0, 1),
    "take": (ONE, [2, 0]), "tile": (ONE, 2), "unravel_index": (5, (3, 4)), "where": (FLAGS, ONE, TWO),
    "logical_not": (FLAGS,), "any": (FLAGS,), "all": (FLAGS,), "ceil": ([1.5, 2.0],), "floor": ([1.5, 2.0],),
    "rint": ([1.5, 2.25],), "round": ([1.5, 2.25],), "trunc": ([1.5, -2.25],),
}  # fmt: skip


def arguments(name: str) -> tuple[Any, ...]:
    return SAMPLES.get(name, (ONE,))


def called(library: Any, name: str) -> list[Any]:
    """The results as NumPy arrays; lists become arrays of the library, as code has them."""
    given = [library.array(a) if isinstance(a, list) and not isinstance(a[0], list) else a for a in arguments(name)]
    if name in ("tril", "triu", "diag", "transpose", "squeeze", "reshape", "moveaxis", "swapaxes", "atleast_2d"):
        given[0] = library.array(given[0])
    if name in ("concatenate", "stack", "hstack", "vstack", "dstack"):
        given = [[library.array(x) for x in arguments(name)[0]]]
    found = getattr(library, name)(*given)
    return [np.asarray(x) for x in (found if isinstance(found, (tuple, list)) else [found])]


@pytest.mark.parametrize("name", sorted([*TWINS["exact"], *TWINS["rounds"]]))
def test_the_twin_gives_the_same(name: str) -> None:
    for mine, theirs in zip(called(np, name), called(jnp, name), strict=True):
        assert mine.shape == theirs.shape
        if name in TWINS["exact"]:
            assert np.array_equal(mine, theirs)
        else:
            assert mine == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize("name", sorted(TWINS["methods"]))
def test_arrays_of_both_have_the_method(name: str) -> None:
    assert hasattr(np.ones(2), name)
    assert hasattr(jnp.ones(2), name)


@pytest.mark.parametrize(("name", "sign"), [*TWINS["operators"].items(), *TWINS["builtins"].items()])
@pytest.mark.parametrize(("a", "b"), [(7, 3), (-7, 3), (7, -3), (2, 5)])
def test_operators_of_python_numbers_give_the_same(name: str, sign: str, a: int, b: int) -> None:
    if name == "power" and b < 0:
        pytest.skip("a negative power gives no whole number, and is never repaired")
    mine = eval(f"{sign}({a}, {b})" if sign.isalpha() else f"({a}) {sign} ({b})")
    theirs = getattr(jnp, name)(a, b)
    assert mine == theirs.item()
    assert theirs.weak_type or theirs.dtype == bool


@pytest.mark.parametrize("name", TWINS["constants"])
def test_constants_have_the_same_name(name: str) -> None:
    assert hasattr(np, name)
    assert hasattr(jnp, name)


@pytest.mark.parametrize("name", sorted(TWINS["static"]))
def test_static_functions_are_there(name: str) -> None:
    assert hasattr(jnp, name)


LOADED = """
import jax, sys
for name in sys.argv[1:]:
    found = jax
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    print(found is None)
"""


def test_the_modules_that_need_an_import_of_their_own() -> None:
    """None of them is an attribute once jax alone is imported."""
    index = history.index_of(jax.__version__)
    apart = [n for n in knowledge.table("repairs")["apart"] if history.is_module(n, index)]
    done = subprocess.run([sys.executable, "-c", LOADED, *apart], capture_output=True, text=True, check=True)
    assert len(apart) > 20
    assert set(done.stdout.split()) == {"True"}


def test_public_twins_are_the_same_objects() -> None:
    """In the release that they were measured in, and in the next ones as long as nothing is said to the contrary."""
    missing = 0
    for home, by in knowledge.table("public_twins").items():
        for public, names in by.items():
            for name in names.split():
                try:
                    private = getattr(importlib.import_module(home), name)
                    twin = getattr(importlib.import_module(public), name)
                except (ImportError, AttributeError):
                    missing += 1
                    continue
                assert private is twin, (home, public, name)
    assert missing < 50


def test_names_that_are_exchanged_are_known_to_history() -> None:
    """A misspelt name in a table would never be met."""
    table = knowledge.table("repairs")
    for name in (*table["same"], *table["differs"], *call_rows()):
        ways = [1, name.count(".") + 1, name.count(".") + 2]
        every = [history.resolve(name, i, n) for i in range(len(history.releases())) for n in ways]
        assert not all(found.missing for found in every), name


KINDS = knowledge.table("result_kinds")
TWO_ARRAYS = frozenset({
    "add", "allclose", "arctan2", "array_equal", "array_equiv", "divide", "equal", "greater", "greater_equal", "hypot",
    "isclose", "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor", "maximum", "minimum",
    "mod", "multiply", "not_equal", "remainder", "subtract", "true_divide",
})  # fmt: skip
KIND_OF = {"b": "bool", "i": "int", "f": "float"}


@pytest.mark.parametrize("dtype", ["int32", "float32"])
@pytest.mark.parametrize(("heading", "name"), [(h, n) for h, names in KINDS.items() if h != "sequences" for n in names])
def test_what_a_function_gives_is_of_the_kind_that_the_table_says(heading: str, name: str, dtype: str) -> None:
    array = jnp.array([[1, 2, 3], [4, 5, 6]], dtype)
    function = getattr(jnp, name, None) or getattr(jax.nn, name)
    found = function(array, *([array] if name in TWO_ARRAYS else [7] if name == "full_like" else []))
    whole = heading in ("same", "floats", "bools", "like")
    own = {"floats": "float", "bools": "bool", "one_bool": "bool", "to_bool": "bool", "to_int": "int"}
    assert np.shape(found) == (array.shape if whole else ())
    wanted = own.get(heading, "float" if heading == "to_float" else KIND_OF[array.dtype.kind])
    assert KIND_OF[jnp.asarray(found).dtype.kind] == wanted


@pytest.mark.parametrize("name", sorted(set(dir(jnp)) & {n for h, ns in KINDS.items() if h != "sequences" for n in ns}))
def test_functions_that_are_no_sequences_own_want_arrays(name: str) -> None:
    if name not in (*KINDS["sequences"], "copy", *KINDS["like"]):
        with pytest.raises(TypeError):
            getattr(jnp, name)([1.0, 2.0], *([[1.0, 2.0]] if name in TWO_ARRAYS else []))


@pytest.mark.parametrize("name", sorted(TWINS["signatures"]))
def test_both_functions_take_what_the_table_says(name: str) -> None:
    first, either, named = parameters(name)
    known = 0
    for library in (np, jnp):
        try:
            signature = inspect.signature(getattr(library, name))
        except ValueError:  # written in C, and no signature told
            continue
        known += 1
        if not any(word.startswith("*") for word in either):
            signature.bind(*range(len(first) + len(either)), **dict.fromkeys(named))
        signature.bind_partial(*range(len(first)), **dict.fromkeys(w for w in (*either, *named) if w[0] != "*"))
    assert known


def test_every_function_of_several_parameters_has_a_row_or_takes_values_alone() -> None:
    for name in set(TWINS["exact"]) | set(TWINS["rounds"]):
        assert name in TWINS["signatures"] or isinstance(getattr(np, name), np.ufunc), name


@pytest.mark.parametrize("name", TWINS["stable"])
def test_equals_keep_their_order_where_the_table_says_so(name: str) -> None:
    many = [1] * 40 + [0] * 40
    assert np.array_equal(getattr(np, name)(np.array(many), kind="stable"), getattr(jnp, name)(jnp.array(many)))


@pytest.mark.parametrize("name", TWINS["python"])
def test_a_python_value_comes_of_it(name: str) -> None:
    assert type(getattr(np, name)(np.array(ONE), np.array(ONE))) is bool
    assert isinstance(getattr(jnp, name)(jnp.array(ONE), jnp.array(ONE)), jax.Array)


@pytest.mark.parametrize(("table", "kind"), [("flags", "b"), ("indexes", "i"), ("whole_floats", "f")])
def test_the_kinds_of_results_are_those_of_the_table(table: str, kind: str) -> None:
    for name in TWINS[table]:
        assert all(found.dtype.kind == kind for found in called(jnp, name)), name


@pytest.mark.parametrize("name", TWINS["many"])
def test_what_gives_many_gives_no_single_number(name: str) -> None:
    assert all(found.ndim for found in called(jnp, name))


def test_parameters_of_whole_numbers_refuse_floats() -> None:
    x, key = jnp.ones((4, 4)), jax.random.key(0)
    calls = {
        "axis": lambda n: jnp.sum(x, axis=n), "k": lambda n: jax.lax.top_k(x, n), "shape": lambda n: jnp.zeros(shape=n),
        "num": lambda n: jax.random.split(key, num=n), "num_classes": lambda n: jax.nn.one_hot(jnp.arange(3), n),
        "num_segments": lambda n: jax.ops.segment_sum(x, jnp.arange(4), num_segments=n),
        "reps": lambda n: jnp.tile(x, n),
        "size": lambda n: jnp.nonzero(x, size=n), "N": jnp.eye, "M": lambda n: jnp.eye(2, n), "n": jnp.identity,
        "slice_sizes": lambda n: jax.lax.dynamic_slice(x, (0, 0), (n, 1)), "newshape": lambda n: jnp.reshape(x, (n, 4)),
        "total_repeat_length": lambda n: jnp.repeat(x, 2, total_repeat_length=n),
    }  # fmt: skip
    assert set(calls) == set(TWINS["whole_parameters"])
    for call in calls.values():
        with pytest.raises(TypeError):
            call(2.0)
