"""Attributes of JAX's objects: what the code shows to be one, and what a release's object doesn't have."""

from __future__ import annotations

import pytest

from omnilint import knowledge
from omnilint.api import history, objects
from omnilint.api.attributes import is_there, judge_attribute
from omnilint.api.target import Target
from omnilint.compiled import COMPILED
from omnilint.hazards.internal import find
from omnilint.index.module import index_module
from omnilint.model import Finding, Source

HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n"


GONE = "`Array.device_buffer` isn't there since JAX 0.4.27; use `x.addressable_data(0)`"
CALLED = "`Array.device()` isn't there since JAX 0.4.27; use `x.device`, which is a property"


def findings(code: str, target: str = "0.10.2") -> list[Finding]:
    found = find(index_module(Source("case.py", HEAD + code), "case"), Target.parse(target))
    return [f for f in found if f.code != "OMN404"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        pytest.param("jnp.ones(3).split(2)", "`Array.split` isn't there since JAX 0.4.14", id="gone"),
        pytest.param("x = jnp.zeros(3)\nx.fill(1)", "JAX's `jax.Array` has no `fill`; use", id="NumPy's alone"),
        pytest.param("jnp.ones(3).sume()", "JAX's `jax.Array` has no `sume`; did you mean `sum`?", id="misspelt"),
        pytest.param("@jax.jit\ndef f(x): ...\nf.specialize(1)", "`jitted.specialize` isn't there", id="decorated"),
        pytest.param(
            "@functools.partial(jax.jit, static_argnums=0)\ndef f(x): ...\nf.lower(1).compile().input_layouts",
            "`Compiled.input_layouts` isn't there since JAX 0.7.0; use `compiled.input_formats`",
            id="decorated by a partial",
        ),
        pytest.param("jax.jit(f).trace(1).lower().from_flat_info", "`Lowered.from_flat_info`", id="through a trace"),
        pytest.param("jax.make_jaxpr(f)(1).is_closed", "`ClosedJaxpr.is_closed` isn't in JAX 0.10.2", id="jaxpr"),
        pytest.param("jax.make_jaxpr(f)(1).jaxpr.in_aval_qdd", None, id="unknown attribute of an open object"),
        pytest.param("d = jax.local_devices()[0]\nd.transfer_to_infeed(1)", "`device.transfer_to_infeed`", id="item"),
        pytest.param("jax.device_put(jnp.ones(3)).device_buffer", "`Array.device_buffer`", id="passed on"),
        pytest.param("jax.config.define_bool_state('x', False, '')", "`jax.config.define_bool_state`", id="config"),
        pytest.param("(jnp.ones(3) * 2).device_buffer", GONE, id="arithmetic with a number"),
        pytest.param("(2 ** -jnp.ones(3)).device_buffer", GONE, id="arithmetic on the right, negated"),
        pytest.param("(jnp.ones(3) > 1).device_buffer", GONE, id="a comparison"),
        pytest.param("x = jnp.ones(3)\ny = x + x @ x\ny.device_buffer", GONE, id="a name assigned from arithmetic"),
        pytest.param("jnp.ones(3)[0].device_buffer", GONE, id="an element"),
        pytest.param("jnp.ones(3).reshape(1, 3).T.astype(int).device_buffer", GONE, id="methods and members"),
        pytest.param("jnp.ones(3).at[0].set(1).device_buffer", GONE, id="an update"),
        pytest.param("(a if c else b).device_buffer\na = jnp.ones(1)\nb = a * 2", GONE, id="either of two arrays"),
        pytest.param("def f(x: jax.Array):\n  x.device_buffer", GONE, id="an annotated parameter"),
        pytest.param("def f(x: jnp.ndarray):\n  x.device_buffer", GONE, id="annotated as jnp.ndarray"),
        pytest.param("def f(*, x: 'jax.Array'):\n  x.device_buffer", GONE, id="annotated in a string"),
        pytest.param("def f(x: jax.Array | None):\n  x.device_buffer", GONE, id="annotated, or None"),
        pytest.param(
            "from typing import Optional\ndef f(x: Optional[jax.Array]):\n  x.device_buffer", GONE, id="Optional"
        ),
        pytest.param(
            "from jaxtyping import Array, Float\ndef f(x: Float[Array, 'n']):\n  x.device_buffer", GONE, id="jaxtyping"
        ),
        pytest.param("A = jax.Array\ndef f(x: A):\n  x.device_buffer", GONE, id="an alias of the class"),
        pytest.param("x: jax.Array = load()\nx.device_buffer", GONE, id="an annotated variable"),
        pytest.param("def f(x: jax.Array):\n  y = x * 2\n  return y.device_buffer", GONE, id="made of a parameter"),
        pytest.param("def f(x: jax.Array):\n  x = jnp.sin(x)\n  return x.device_buffer", GONE, id="bound again to one"),
        pytest.param("def f(x: jax.Array):\n  x.broadcast_in_dim", "`Array.broadcast_in_dim`", id="had it in old days"),
        pytest.param("def f() -> jax.Array: ...\nf().device_buffer", GONE, id="what a function says it returns"),
        pytest.param(
            "def f(c: jax.stages.Compiled):\n  c.input_layouts", "`Compiled.input_layouts`", id="another class"
        ),
        pytest.param("jax.Array.device_buffer", GONE, id="of the class itself"),
        pytest.param("def f(x):\n  return jax.Array.device_buffer.fget(x)", GONE, id="of the class, and on"),
        pytest.param(
            "class A:\n  def __init__(self):\n    self.x = jnp.ones(3)\n  def f(self):\n    self.x.device_buffer",
            GONE,
            id="an attribute of self",
        ),
        pytest.param("class A(B):\n  x: jax.Array\n  def f(self):\n    self.x.device_buffer", GONE, id="a field"),
        pytest.param("jnp.ones(3).device()", CALLED, id="a property that was a method"),
        pytest.param("def f(x: jax.Array):\n  return x.device()", CALLED, id="also inside of functions"),
    ],
)
def test_reports(code: str, message: str | None) -> None:
    texts = [f.message for f in findings(code)]
    assert [t.startswith(message or "") for t in texts] == ([True] if message else [])


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("jax.device_put({'a': 1}).items()", id="device_put of a tree"),
        pytest.param("jnp.where(c).index(1)", id="where gives a tuple"),
        pytest.param("jnp.linspace(0, 1, 5, retstep=True).count(1)", id="linspace gives a tuple"),
        pytest.param("np.ones(3).fill(1)", id="NumPy's own"),
        pytest.param("(jnp.ones(3) * other).fill(1)", id="what else takes part may have its own idea"),
        pytest.param("(jnp.ones(3) is y).fill(1)", id="a bool"),
        pytest.param("(not jnp.ones(3)).fill(1)", id="a bool by not"),
        pytest.param("(x < jnp.ones(3) < y).fill(1)", id="a chain of comparisons"),
        pytest.param("(a if c else b).fill(1)\na = jnp.ones(1)", id="one of two is unknown"),
        pytest.param("def f(x: jax.Array | np.ndarray):\n  x.device_buffer", id="an annotation that leaves a choice"),
        pytest.param("def f(*x: jax.Array):\n  x.device_buffer", id="a tuple of arguments"),
        pytest.param("def f(**x: jax.Array):\n  x.device_buffer", id="a dictionary of arguments"),
        pytest.param("def f(x: jax.Array):\n  x.irreps, x.resize(3)", id="annotated as JAX's, and another library's"),
        pytest.param("def f(x: list[jax.Array]):\n  x.device_buffer", id="a list"),
        pytest.param("def f(x: tuple[jax.Array, int]):\n  x.device_buffer", id="a tuple"),
        pytest.param("from jaxtyping import PyTree\ndef f(x: PyTree[jax.Array]):\n  x.device_buffer", id="a tree"),
        pytest.param("def f(x: 'no expression)'):\n  x.device_buffer", id="an annotation in a string that is none"),
        pytest.param(
            "def f(x: jax.Array):\n  x = np.asarray(x)\n  x.device_buffer", id="an annotated name bound again"
        ),
        pytest.param(
            "def f(x: jax.Array):\n  if isinstance(x, np.ndarray):\n    x.device_buffer", id="asked what it is"
        ),
        pytest.param(
            "def f(x: jax.Array):\n  return x.device_buffer if hasattr(x, 'device_buffer') else 0",
            id="asked what it has",
        ),
        pytest.param("def f(x: jax.Array):\n  try:\n    x.device_buffer\n  except AttributeError: ...", id="tried"),
        pytest.param("def f(k: jax.Array):\n  k._impl, k._source_info", id="a typed key has it"),
        pytest.param("def f(x: jax.Array):\n  return x.aval_mutable_qdd", id="a tracer has it"),
        pytest.param("x: jax.Array = np.ones(3).view(A)\ndef f(x):\n  x.device_buffer", id="another of the same name"),
        pytest.param(
            "class A(B):\n  def __init__(self):\n    self.x = jnp.ones(3)\n  def f(self):\n    self.x.fill(1)",
            id="a base may have made a property of it",
        ),
        pytest.param(
            "class A:\n  def __init__(self):\n    self.x = jnp.ones(3)\n  def f(self):\n    self.x.fill(1)\n"
            "def g(a):\n  a.x = np.ones(3)",
            id="set to something else elsewhere",
        ),
        pytest.param(
            "class A:\n  def __init__(self):\n    self.x = jnp.ones(3)\n    setattr(self, n, 1)\n"
            "  def f(self):\n    self.x.fill(1)",
            id="set by a name that can't be told",
        ),
        pytest.param("class A:\n  @property\n  def x(self): ...\n  def f(self):\n    self.x.fill(1)", id="a property"),
        pytest.param(
            "class A:\n  x: jax.Array\n  @classmethod\n  def f(cls):\n    cls.x.device_buffer", id="of a class"
        ),
        pytest.param("class A:\n  x: jax.Array\n  @staticmethod\n  def f(a):\n    a.x.device_buffer", id="no method"),
        pytest.param("@wrap\ndef f() -> jax.Array: ...\nf().device_buffer", id="a decorated function"),
        pytest.param("jax.Array.register(A), jax.Array.mro(), jax.Array.__name__", id="what every class has"),
        pytest.param("jax.Array.addressable_data, jax.stages.Compiled.as_text", id="what a class has"),
        pytest.param("jax.Array.double = f\nx = jnp.ones(3)\njax.Array.double(x)", id="what the module gives a class"),
        pytest.param("jnp.ones(3).device, x.device()", id="a property read, and a method of who knows what"),
        pytest.param("x = jnp.ones(3)\nx = g(x)\nx.fill(1)", id="bound again"),
        pytest.param("def f(x):\n  x.fill(1)", id="a parameter"),
        pytest.param("def f():\n  return jnp.ones(3).aval_mutable_qdd", id="a tracer in traced code"),
        pytest.param("def f():\n  return jnp.ones(3).broadcast((2,))", id="a tracer passes on to its type"),
        pytest.param("jax.devices()[0].coords", id="another backend's"),
        pytest.param("x = jnp.ones(3)\nx.shape, x.T, x.at, x.sharding, x.nbytes", id="there"),
        pytest.param("jnp.ones(3).__dlpack__()", id="dunder"),
        pytest.param("x = jnp.ones(3)\nif hasattr(x, 'fill'):\n  x.fill(1)", id="asked for"),
        pytest.param("x = jnp.ones(3)\nif hasattr(x, 'sume'):\n  x.sume()", id="asked for what never was"),
        pytest.param("x = jnp.ones(3)\ntry:\n  x.device_buffer\nexcept AttributeError:\n  pass", id="tried"),
        pytest.param("@other\n@jax.jit\ndef f(x): ...\nf.specialize(1)", id="decorated twice"),
    ],
)
def test_stays_quiet(code: str) -> None:
    assert findings(code) == []


def test_between_two_measured_releases_only_what_both_say() -> None:
    there = [is_there("typed key", "sum", history.index_of(v)) for v in ("0.4.12", "0.4.14", "0.4.16", "0.4.18", "99")]
    assert there == [None, False, None, True, True]


@pytest.mark.parametrize(("target", "instead"), [("0.4.30", None), ("0.6.2,0.7.0", "`compiled.input_formats`")])
def test_advice_is_given_where_it_works(target: str, instead: str | None) -> None:
    verdict = judge_attribute("Compiled", "input_layouts", tuple(Target.parse(target).indices))
    assert (verdict.instead if verdict else None) == instead


def test_every_object_that_is_made_was_measured() -> None:
    table = knowledge.table("internal_attributes")
    kinds = {*table["made_by"], *table["methods"].values(), *table["members"].values(), *table["calls"].values()}
    measured = set(knowledge.table("jax_attributes")["objects"])
    assert kinds - measured == {"devices", "jaxpr maker", "at", "capsule"}
    assert {r["object"] for r in table["attribute"]} - measured == {"tracer", "trace"}


def test_every_line_of_the_hand_table_is_about_what_some_release_lacks() -> None:
    last = len(history.releases())
    for row in knowledge.table("internal_attributes")["attribute"]:
        lacking = [i for i in range(last) if is_there(row["object"], row["attribute"], i) is False]
        assert lacking, (row["object"], row["attribute"])


@pytest.mark.parametrize(
    ("target", "messages"),
    [
        ("0.4.20", []),
        ("0.4.28", ["`Array.device` isn't there since JAX 0.4.27, and is back since JAX 0.4.31; use `x.devices()`"]),
        ("0.4.31", [CALLED]),
        (
            "0.4.20,0.10",
            ["`Array.device` isn't there since JAX 0.4.27, and is back since JAX 0.4.31; use `x.devices()`"],
        ),
    ],
)
def test_a_method_that_became_a_property(target: str, messages: list[str]) -> None:
    for code in ("jnp.ones(3).device()", "def f(x: jax.Array):\n  x.device()"):
        assert [f.message for f in findings(code, target)] == messages


@pytest.mark.parametrize(("target", "codes"), [("0.4.20", []), ("0.4.24", ["OMN402"]), ("0.4.27", ["OMN401"])])
def test_an_annotated_array_is_judged_as_an_array_is(target: str, codes: list[str]) -> None:
    assert [f.code for f in findings("def f(x: jax.Array):\n  x.device_buffer", target)] == codes
    # To look at a property of the class warns of nothing.
    assert [f.code for f in findings("jax.Array.device_buffer", target)] == [c for c in codes if c == "OMN401"]


def test_of_a_class_that_a_release_lacks_only_the_class_is_reported() -> None:
    said = [f.message for f in findings("def f(t: jax.stages.Traced):\n  t.lower().compile()", "0.4.13")]
    assert said == ["`jax.stages.Traced` isn't in JAX 0.4.13: it came with JAX 0.4.29"]


@pytest.mark.parametrize("name", ["jax.config.config", "jax.numpy.ones(3).client", "jax.numpy.ones(3).newbyteorder"])
def test_what_no_release_that_was_asked_has_is_not_said_to_have_gone_with_the_first_of_them(name: str) -> None:
    module = index_module(Source("case.py", f"import jax\n{name}\n"), "case")
    (found,) = find(module, Target.parse("0.10.2"))
    assert "isn't there in JAX 0.4.13 and later (older releases weren't asked); " in found.message
    assert found.data["removed"] is None


@pytest.mark.skipif(COMPILED, reason="compiled modules call each other past what a test puts in their place")
def test_a_name_that_is_bound_anew_in_each_line_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    of_all = objects._of_all
    monkeypatch.setattr(objects, "_of_all", lambda *a: asked.append(a) or of_all(*a))
    lines = "\n".join(f"  x = x.reshape(jnp.sum(x) + {i})" for i in range(60))
    findings(f"def f(x):\n{lines}\n  return x.fill(1)")
    assert 0 < len(asked) <= 7
