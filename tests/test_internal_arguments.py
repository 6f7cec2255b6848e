"""Arguments and attributes of JAX's functions and objects that a target lacks, refuses or warns of."""

from __future__ import annotations

import pytest

from omnilint.api.target import Target
from omnilint.hazards.internal import find
from omnilint.index.module import index_module
from omnilint.model import Finding, Source


def findings(code: str, target: str) -> list[Finding]:
    return find(
        index_module(Source("case.py", "import jax\nimport jax.numpy as jnp\n" + code), "case"), Target.parse(target)
    )


def codes(code: str, target: str) -> list[str]:
    return [f.code for f in findings(code, target)]


@pytest.mark.parametrize(
    ("code", "last_fine", "warns", "fails"),
    [
        ("jnp.clip(x, a_min=0)", "0.4.26", "0.4.27", "0.10.0"),
        ("jnp.reshape(x, newshape=(2,))", "0.4.26", "0.4.28", "0.4.36"),
        ("jax.jit(fun=f)", "0.5.3", "0.6.0", "0.7.0"),
        ("jax.nn.softmax(x, initial=0)", "0.4.26", "0.4.28", "0.4.36"),
        ("jnp.where(condition=c, x=a, y=b)", "0.4.20", "0.4.23", "0.4.28"),
        ("jax.scipy.linalg.solve(a, b, sym_pos=True)", "0.3.14", "0.4.20", "0.4.23"),
        ("jax.lax.dot(x, y, p)", "0.7.0", "0.7.2", "0.9.0"),
        ("jnp.array(x, d, False)", "0.10.0", "0.10.2", "0.12.0"),
        ("jnp.percentile(x, 5, interpolation='nearest')", "0.2.26", "0.2.27", "0.8.0"),
        ("jnp.nanquantile(x, 0.5, interpolation='nearest')", "0.2.26", "0.4.13", "0.8.0"),
        ("jax.checkpoint(f, concrete=False)", "0.8.1", "0.8.2", "0.10.0"),
        ("jnp.atleast_1d([1, 2])", "0.4.14", "0.4.20", "0.10.0"),
        ("jnp.array(None)", "0.4.20", "0.4.23", "0.6.0"),
        ("jax.pure_callback(f, s, vectorized=True)", "0.4.34", "0.4.35", "0.6.0"),
    ],
)
def test_an_argument_is_fine_then_warns_then_fails(code: str, last_fine: str, warns: str, fails: str) -> None:
    # `where` names three such arguments in one call.
    assert codes(code, last_fine) == []
    assert set(codes(code, warns)) == {"OMN408"}
    assert set(codes(code, fails)) == {"OMN405"}


@pytest.mark.parametrize(
    ("code", "last_fine", "fails"),
    [
        ("jax.pmap(f, global_arg_shapes=s)", "0.9.2", "0.10.0"),
        ("jax.ShapeDtypeStruct(s, d, named_shape={})", "0.4.33", "0.4.34"),
        ("jax.lax.cond(p, f, g, x, linear=(True,))", "0.4.30", "0.4.31"),
        ("jax.grad(f, reduce_axes=('i',))", "0.4.25", "0.4.26"),
    ],
)
def test_an_argument_is_fine_then_fails(code: str, last_fine: str, fails: str) -> None:
    assert codes(code, last_fine) == []
    assert codes(code, fails) == ["OMN405"]


@pytest.mark.parametrize(("target", "expected"), [("0.4.13", []), ("0.4.14", ["OMN405"])])
def test_none_for_an_argument_is_fine_while_it_is_there(target: str, expected: list[str]) -> None:
    code = "from jax.experimental.pjit import pjit\npjit(f, in_axis_resources=None)"
    assert codes(code, target) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("jax.jit(f, (0,))", [[], ["OMN408"], ["OMN405"], ["OMN405"]], id="options that became keywords"),
        pytest.param("jax.jit(f, None)", [[], ["OMN408"], ["OMN405"], ["OMN405"]], id="even without a value"),
        pytest.param("jax.shard_map(f, 1, 2, 3)", [["OMN407"], ["OMN405"], ["OMN405"], ["OMN405"]], id="never taken"),
        pytest.param("jax.random.PRNGKey(0, 'rbg')", [["OMN405"]] * 4, id="keyword from the start"),
        pytest.param("jax.lax.fori_loop(0, 3, f, x, 2)", [["OMN405"]] * 4, id="one more than there are"),
        pytest.param("jax.jit(*options)", [[]] * 4, id="starred"),
        pytest.param("jax.jit(f, *options)", [[]] * 4, id="starred after one"),
        pytest.param("jax.tree_util.tree_map(f, a, b, c, d)", [[]] * 4, id="any number"),
        pytest.param("jax.jit(f)", [[]] * 4, id="just enough"),
    ],
)
def test_more_arguments_by_position_than_a_release_takes(code: str, expected: list[list[str]]) -> None:
    assert [codes(code, t) for t in ("0.5.3", "0.6.1", "0.7.0", "0.10.2")] == expected


def test_a_default_given_by_name_is_no_use_of_what_is_deprecated() -> None:
    assert codes("jnp.quantile(x, 0.5, interpolation=None)", "0.4.13") == []


def test_an_argument_too_many_is_named_where_a_release_had_it() -> None:
    (found,) = findings("jax.checkpoint(f, True)", "0.8.1")
    text = "`jax.checkpoint` takes 1 argument by position since JAX 0.3.16, and 2 are given"
    assert found.message == text + "; pass `concrete` by keyword"
    assert (found.place.line, found.place.column) == (3, 19)
    (found,) = findings("jax.checkpoint(f, True)", "0.10.2")  # which refuses the keyword too
    assert found.message == text


def test_an_argument_that_was_deprecated_and_taken_back() -> None:
    code = "jnp.linalg.pinv(x, rcond=1e-5)"
    assert [codes(code, t) for t in ("0.4.28", "0.4.30", "0.7.2", "0.8.0")] == [[], ["OMN408"], ["OMN408"], []]


@pytest.mark.parametrize(
    ("target", "instead"), [("0.9.0", "`min`"), ("0.4.27,0.9.0", "`min`"), ("0.4.20,0.9.0", None), ("0.4.27", "`min`")]
)
def test_advice_on_a_min_needs_a_parameter_that_every_release_has(target: str, instead: str | None) -> None:
    (found,) = findings("jnp.clip(x, a_min=0)", target)
    assert found.data["replacement"] == instead
    assert found.message.endswith("; use `min`" if instead else "; pass it by position")


def test_below_its_deprecation_an_argument_needs_no_advice() -> None:
    assert findings("jnp.clip(x, a_min=0)", "0.4.26") == []


@pytest.mark.parametrize(
    "code",
    [
        "jax.jit(f, backend=None)",
        "def g(f, backend=None):\n  return jax.jit(f, backend=backend)",
        "def g(f, backend):\n  return jax.jit(f, backend=backend)",
        "class A:\n  def f(self):\n    return jax.jit(g, backend=self.backend)",
        "jnp.sort(x, kind=None)",
        "jax.grad(f, reduce_axes=())",
        "jnp.array(x, d, copy=False)",
        "jnp.array(*args)",
        "jnp.pad(x, 1, constant_values=0)",
        "jax.lax.cond(p, f, g, operand=x)",
        "clip = make()\nclip(x, a_min=0)",
        "import numpy\nnumpy.clip(x, a_min=0)",
        "x.astype(jnp.ones(3))",
        "jnp.ones(3).astype(x)",
        "jnp.zeros(3, dtype=x)",
        "jnp.zeros(3, jnp.ones(3).dtype)",
        "frame.at[0].set(1, True)",
        "jnp.ones(3).at[0].set(1, indices_are_sorted=True)",
        "jnp.ones(3).at[0].get()",
        "jnp.ones(3).at[0].set(*a)",
        "jax.dlpack.from_dlpack(tensor)",
        "def f(x: jax.Array):\n  if isinstance(x, Frame):\n    x.at[0].set(1, True)",
    ],
)
def test_stays_quiet(code: str) -> None:
    assert codes(code, "0.10.2") == []


def test_arguments_that_must_not_be_left_out() -> None:
    assert [codes("jax.jit(static_argnums=0)", t) for t in ("0.8.0", "0.8.2")] == [["OMN405"], []]
    assert codes("import functools\nfunctools.partial(jax.jit, static_argnums=0)", "0.8.0") == []
    assert codes("jax.jit(**options)", "0.8.0") == []
    wrap = "from jax.extend import linear_util\nlinear_util.wrap_init(f)"
    assert [[c for c in codes(wrap, t) if c != "OMN404"] for t in ("0.5.0", "0.5.3")] == [[], ["OMN408"]]


def test_arguments_given_through_partial() -> None:
    assert codes("import functools\nfunctools.partial(jax.jit, backend='cpu')", "0.10.2") == ["OMN408"]


def test_an_argument_with_a_rule_is_held_against_the_signature_too() -> None:
    code = "jax.lax.linalg.eig(x, use_magma=True)"
    assert [codes(code, t) for t in ("0.4.35", "0.4.36", "0.8.0")] == [["OMN405"], [], ["OMN408"]]


def test_the_place_is_the_argument() -> None:
    (found,) = findings("jnp.clip(x, a_min=0)", "0.10.2")
    assert (found.place.line, found.place.column, found.place.end_column) == (3, 13, 20)


@pytest.mark.parametrize(
    ("code", "there", "gone"),
    [
        ("x = jnp.ones(3)\nx.device_buffer", "0.4.20", "0.4.28"),
        ("jax.device_put(1).device()", "0.4.26", "0.4.28"),
        ("jax.jit(f).lower(x).compile().compiler_ir()", "0.4.13", "0.4.14"),
        ("s = jax.ShapeDtypeStruct((), d)\ns.named_shape", "0.4.33", "0.4.34"),
        ("jax.config.jax_array", "0.4.13", "0.4.14"),
        ("jax.devices()[0].transfer_from_outfeed(s)", "0.6.2", "0.7.0"),
    ],
)
def test_attributes_of_known_objects(code: str, there: str, gone: str) -> None:
    assert codes(code, there) == []
    assert codes(code, gone) == ["OMN401"]


def test_the_chain_that_only_tracers_have() -> None:
    code = "def f(x):\n  return x._trace.main.level"
    assert [codes(code, t) for t in ("0.1.75", "0.4.35", "0.4.36")] == [["OMN407"], [], ["OMN401"]]
    assert codes("def f(x, main):\n  return x._trace.main is main", "0.10.2") == []  # still there, and None


def test_attributes_of_unknown_objects_are_not_judged() -> None:
    assert codes("def f(x):\n  return x.device_buffer, x.named_shape", "0.10.2") == []


def test_an_attribute_that_came_back() -> None:
    code = "x = jnp.ones(3)\nx.device"
    assert [codes(code, t) for t in ("0.4.26", "0.4.28", "0.4.31")] == [[], ["OMN401"], []]


@pytest.mark.parametrize(
    ("code", "releases"),
    [
        pytest.param(
            "x = jnp.ones(3)\njnp.arange(3).astype(x)",
            {"0.4.28": "OMN405", "0.4.30": "OMN408", "0.7.2": "OMN408", "0.8.0": "OMN405"},
            id="an array as the dtype of a method",
        ),
        pytest.param(
            "jnp.zeros(3, dtype=jnp.ones(3))",
            {"0.4.28": "OMN405", "0.4.30": "OMN408", "0.8.0": "OMN405"},
            id="an array as the dtype of a function",
        ),
        pytest.param(
            "def f(x: jax.Array):\n  return jnp.ones(3, x)",
            {"0.4.30": "OMN408", "0.8.0": "OMN405"},
            id="an annotated array as the dtype, by position",
        ),
        pytest.param("jnp.asarray([1], dtype=jnp.ones(3))", {"0.4.30": "OMN405", "0.8.0": "OMN405"}, id="never taken"),
        pytest.param(
            "jnp.ones(3).at[0].set(1, True)", {"0.4.13": "OMN408", "0.4.14": "OMN405"}, id="an update's options"
        ),
        pytest.param(
            "def f(x: jax.Array):\n  return x.at[0].get(True)",
            {"0.4.13": "OMN408", "0.10.2": "OMN405"},
            id="an option of reading elements",
        ),
        pytest.param(
            "from torch.utils.dlpack import to_dlpack\ncapsule = to_dlpack(tensor)\njax.dlpack.from_dlpack(capsule)",
            {"0.4.31": None, "0.4.33": "OMN408", "0.7.1": "OMN408", "0.7.2": "OMN405"},
            id="a capsule of torch",
        ),
        pytest.param(
            "jax.dlpack.from_dlpack(jnp.ones(3).__dlpack__())", {"0.10.2": "OMN405"}, id="a capsule of an array"
        ),
    ],
)
def test_what_depends_on_the_value(code: str, releases: dict[str, str | None]) -> None:
    assert {v: next(iter(codes(code, v)), None) for v in releases} == releases


def test_a_value_that_was_refused_first_and_deprecated_later() -> None:
    said = [findings("jnp.zeros(3, dtype=jnp.ones(3))", v)[0].message for v in ("0.4.20", "0.4.30", "0.10.2")]
    assert said == [
        "argument `dtype` of `jax.numpy.zeros` as an array is refused before JAX 0.4.30; pass `x.dtype`",
        "argument `dtype` of `jax.numpy.zeros` as an array is deprecated since JAX 0.4.30 "
        "and is refused since JAX 0.8.0; pass `x.dtype`",
        "argument `dtype` of `jax.numpy.zeros` as an array is refused since JAX 0.8.0; pass `x.dtype`",
    ]


@pytest.mark.parametrize(
    ("code", "target", "start", "expected"),
    [
        pytest.param("jax.jit(f, backend='cpu')", "0.10.2", "0.9", [], id="it warned before"),
        pytest.param(
            "jax.jit(f, backend='cpu', abstracted_axes=1)", "0.8.0", "0.4.30", [], id="warned, and still fine"
        ),
        pytest.param(
            "jax.jit(f, backend='cpu', abstracted_axes=1)", "0.8.2", "0.8.0", ["abstracted_axes"], id="one of two"
        ),
        pytest.param(
            "jnp.where(condition=c, x=a, y=b)", "0.4.23", "0.4.20", ["condition", "x", "y"], id="all warn anew"
        ),
        pytest.param(
            "jax.checkpoint(f, concrete=False, prevent_cse=1)", "0.8.2", "0.8.1", ["concrete"], id="warns anew"
        ),
        pytest.param(
            "jax.jit(fun=f, backend='cpu')", "0.6.0", "0.5.3", ["fun"], id="a warning beside one that was there"
        ),
        pytest.param(
            "jax.jit(fun=f, abstracted_axes=1)", "0.8.2", "0.7.0", ["abstracted_axes"], id="an error beside another"
        ),
    ],
)
def test_an_upgrade_tells_the_arguments_that_change(code: str, target: str, start: str, expected: list[str]) -> None:
    module = index_module(Source("case.py", "import jax\nimport jax.numpy as jnp\n" + code), "case")
    assert [f.data["argument"] for f in find(module, Target.parse(target, start=start))] == expected


def test_an_upgrade_tells_of_code_that_didn_t_run_before() -> None:
    code = """import jax
if jax.__version_info__ >= (0, 7):
    jax.tree_map(f, t)
    jax.jit(fun=f)
"""
    module = index_module(Source("case.py", code), "case")
    found = find(module, Target.parse("0.8.0", start="0.6.0"))
    assert [f.code for f in found] == ["OMN401", "OMN405"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("jnp.clip(x, **{'a_min': 0})", [("a_min", 3, 16)], id="a dict"),
        pytest.param(
            "jnp.clip(x, **dict(a_min=0, a_max=1))", [("a_min", 3, 20), ("a_max", 3, 29)], id="a call of dict"
        ),
        pytest.param("jnp.clip(x, **{'min': 0})", [], id="a fine one"),
        pytest.param("jnp.clip(x, **{})", [], id="an empty one"),
        pytest.param(
            "jax.jit(f, 0, **{'backend': None})", [("in_shardings", 3, 12)], id="positions still mean something"
        ),
        pytest.param("jnp.clip(x, **{**more, 'a_min': 0})", [], id="one that holds another"),
        pytest.param("jnp.clip(x, **{key: 0})", [], id="a key that isn't seen"),
        pytest.param("jnp.clip(x, **dict(pairs))", [], id="a copy of another"),
    ],
)
def test_keywords_in_a_dict_that_stands_in_the_call(code: str, expected: list[tuple[str, int, int]]) -> None:
    told = [(f.data["argument"], f.place.line, f.place.column) for f in findings(code, "0.10.0")]
    assert told == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("jnp.ones(3).clip(a_min=0)", [[], ["OMN408"], ["OMN405"], ["OMN405"]], id="renamed"),
        pytest.param("jnp.ones(3).sort(kind='a')", [[], [], ["OMN408"], ["OMN405"]], id="refused by value"),
        pytest.param("jnp.ones(3).argsort(kind=None)", [[], [], [], []], id="a value that stays fine"),
        pytest.param("jnp.ones(3).sort(-1, 'a')", [[], [], [], ["OMN405"]], id="by position"),
        pytest.param(
            "jnp.ones(3).clip(0, 1, None)", [["OMN405"], [], [], ["OMN405"]], id="more than there is room for"
        ),
        pytest.param("jnp.ones(3).copy(order='C')", [[], [], [], ["OMN405"]], id="an option that went"),
        pytest.param("jnp.ones(3).std(correction=1)", [["OMN405"]] * 3 + [[]], id="an option that came"),
        pytest.param(
            "def f(x: jnp.ndarray):\n  x.clip(a_max=0)", [[], ["OMN408"], ["OMN405"], ["OMN405"]], id="annotated"
        ),
        pytest.param(
            "(jnp.ones(3) + 1).clip(**{'a_max': 0})", [[], ["OMN408"], ["OMN405"], ["OMN405"]], id="in a dict"
        ),
        pytest.param("jnp.ones(3).round(out=numpy.empty(3))", [["OMN405"]] * 4, id="what is never written to"),
        pytest.param("jnp.ones(3).round(out=None)", [["OMN405"], [], [], []], id="nothing to write to"),
        pytest.param("def f(out=None):\n  jnp.sum(jnp.ones(3), out=out)", [[]] * 4, id="an option that is handed on"),
        pytest.param("numpy.ones(3).clip(a_min=0)", [[]] * 4, id="another library's"),
        pytest.param("def f(x):\n  x.sort(kind='a')", [[]] * 4, id="anybody's"),
        pytest.param("if hasattr(x, 'at'):\n  x.sort(kind='a')", [[]] * 4, id="asked about"),
        pytest.param("jnp.ones(3).sum(2, foo=1)", [[]] * 4, id="what no release had"),
    ],
)
def test_arguments_of_methods(code: str, expected: list[list[str]]) -> None:
    assert [codes(f"import numpy\n{code}", t) for t in ("0.2.5", "0.3.0", "0.4.20", "0.10.2")] == expected
