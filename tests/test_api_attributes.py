"""Attributes of JAX's objects: what the code shows to be one, and what a release's object doesn't have."""

from __future__ import annotations

import pytest

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.attributes import is_there, judge_attribute
from omnilint.api.target import Target
from omnilint.hazards.internal import find
from omnilint.index.module import index_module
from omnilint.model import Finding, Source

HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n"


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
    assert kinds - measured == {"devices", "jaxpr maker"}
    assert {r["object"] for r in table["attribute"]} - measured == {"tracer"}


def test_every_line_of_the_hand_table_is_about_what_some_release_lacks() -> None:
    last = len(history.releases())
    for row in knowledge.table("internal_attributes")["attribute"]:
        lacking = [i for i in range(last) if is_there(row["object"], row["attribute"], i) is False]
        assert lacking, (row["object"], row["attribute"])
