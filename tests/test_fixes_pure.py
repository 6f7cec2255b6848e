"""An argument goes, or changes places, only where what is given for it does nothing and binds no name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_fixes import repair

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\ndef f(x, y, note, kinds):\n    "
DOES = "may do something"
ORDER = "another order"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param("return jax.nn.softmax(x, initial=note(x))", DOES, id="a call goes"),
        pytest.param("y = jax.nn.softmax(x, initial=(m := x.max()))\n    return y + m", DOES, id="a name is bound"),
        pytest.param("return jax.nn.softmax(x, initial=note.y[0])", DOES, id="an element goes"),
        pytest.param("return jax.nn.softmax(x, initial=-note(x))", DOES, id="a call behind a sign"),
        pytest.param("return jax.nn.softmax(x, initial=note(x).y)", DOES, id="an attribute of a call"),
        pytest.param("return jnp.argsort(x, kind=kinds.pop(), stable=kinds.pop())", DOES, id="one of two calls goes"),
        pytest.param("return lax.cond(x, note, note, y, linear=(note(x),))", DOES, id="a call in a tuple"),
        pytest.param("return lax.tie_in(note(x), y)", DOES, id="what is tied in"),
        pytest.param("return lax.tie_in(note(x).y, y)", DOES, id="an attribute of what is tied in"),
        pytest.param("return jnp.where(y=note(x), x=note(y), condition=x > 0)", ORDER, id="calls change places"),
        pytest.param("return jnp.where(x, y=(z := x + 1), x=z)", ORDER, id="a name would be read before it is bound"),
        pytest.param("return jax.ops.index_add(x, y=note(y), idx=note(x))", ORDER, id="an index and what is added"),
        pytest.param("return jax.ops.index_add(y=note(y), x=x, idx=0)", ORDER, id="a call and a name"),
    ],
)
def test_what_does_something_stays(body: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(HEAD + body + "\n")
    out = repair(file, unsafe=True)
    assert not out.changed()
    assert [reason in str(f.data["unfixed"]) for f in out.report.findings if f.code.startswith("OMN4")] != []
    assert all(reason in str(f.data["unfixed"]) for f in out.report.findings if f.code.startswith("OMN4"))


def test_an_assignment_to_itself_stays_where_its_target_does_something(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(HEAD + "kinds[note(x)] = lax.tie_in(x, kinds[note(x)])\n")
    (after,) = repair(file, unsafe=False).after.values()
    assert after.decode() == HEAD + "kinds[note(x)] = kinds[note(x)]\n"


@pytest.mark.parametrize(
    ("body", "after"),
    [
        pytest.param("return jax.nn.softmax(x, initial=-jnp.inf)", "return jax.nn.softmax(x)", id="an attribute"),
        pytest.param("return jax.nn.softmax(x, initial=y)", "return jax.nn.softmax(x)", id="a name"),
        pytest.param(
            "return lax.cond(x, note, note, y, linear=(True, y))", "return lax.cond(x, note, note, y)", id="a tuple"
        ),
        pytest.param("return jnp.argsort(note(x), kind='quicksort')", "return jnp.argsort(note(x))", id="one stays"),
        pytest.param(
            "return jnp.where(condition=note(x), x=note(y), y=0)",
            "return jnp.where(note(x), note(y), 0)",
            id="the same order",
        ),
        pytest.param("return jnp.where(y=0, x=y, condition=x)", "return jnp.where(x, y, 0)", id="names in any order"),
        pytest.param("return jax.ops.index_add(x, note(x), note(y))", "return x.at[note(x)].add(note(y))", id="update"),
    ],
)
def test_what_only_reads_goes(body: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(HEAD + body + "\n")
    (text,) = repair(file, unsafe=True).after.values()
    assert after in text.decode() or after.replace("x.at", "jnp.asarray(x).at") in text.decode()
