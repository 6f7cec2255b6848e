"""What holds of all repairs, on modules put together at random: of many kinds, in all clothes that files wear."""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omnilint import pipeline
from omnilint.config import Settings
from omnilint.fixes.repair import Outcome, Repairs
from omnilint.fixes.rewrite import edited
from omnilint.fixes.text import Text
from omnilint.model import Applicability, Report

IMPORTS = (
    "import math",
    "import numpy as np",
    "import numpy as onp",
    "from math import prod",
    "from functools import partial",
    "import functools, os",
    "from jax import lax, tree_map",
    "from jax.experimental import optimizers  # kept",
    "from jax.core import (\n    Jaxpr,  # one\n    Tracer,\n)",
)
# Functions of one argument and a size; {i} makes them differ. Some hold several hazards, some none.
BODIES = (
    "return x.reshape(jnp.prod(jnp.array(x.shape)))",
    "return x.reshape(  jnp.prod( jnp.array( x.shape ) )  )  # all of it",
    "return x.reshape(\n        # rows and columns\n        (jnp.prod(jnp.asarray(x.shape)),),\n    )",
    "return jnp.zeros(jnp.add(x.shape[0], 1)) + x[0]",
    "half = jnp.floor_divide(x.shape[0], 2)\n    return x[:half] + x[half]",
    "if jnp.any(jnp.array(x.shape) == 0):\n        return x\n    return -x",
    "return jnp.transpose(x, jnp.argsort(jnp.array((1, 0))))",
    "return jnp.split(x, jnp.cumsum(jnp.array([1, {i}])))",
    "return jax.tree_map(jnp.sin, x), jax.tree_leaves(x)",
    "return jnp.clip(\n        x,\n        a_min=0,  # not less\n        a_max=jnp.alltrue(x > 0),\n    )",
    "return jax.ops.index_update(x, jax.ops.index[0, :], 1.0)",
    "return jnp.where(x > 0, x, jnp.NINF)",
    "return jnp.zeros((n, {i})) + x.sum()",
    "for i in range(n):\n        x = x * i\n    return x",
    "if x.sum() > {i}:\n        return x\n    return jnp.sin(x)",
    "y = x[x > 0].mean()\n    return y, x.at[x < 0].set(0.0)",
    "return float(x.sum()) + x[0], jnp.nonzero(x)[0]",
    "s = '''größe\n\tünverändert'''\n    return x, s",
    "return x + {i}",
    "if x.sum() > {i}: x = -x\n    return x",
    "n = jnp.add(x.shape[0], 1); y = x.sum(); return jnp.zeros(n) + y",
    "y = x.reshape(jnp.prod(jnp.array(x.shape))); return y",
    "return x.reshape( \\\n        jnp.prod(jnp.array( \\\n            x.shape)))",
    "return \\\n        jax.tree_map(jnp.sin, x)",
    "return jnp.zeros(jnp.add(x.shape[0],  # rows\n        1))",
    "return jax.ops.index_add(x,  # the array\n        0, 1.0)",
    "return float(  # a number\n        x.sum())",
    "def inner(y):\n        return y.reshape(jnp.prod(jnp.array(y.shape)))\n    return inner(x)",
    "def inner(y):\n        if y.sum() > 0: return y\n        return -y\n    return jax.vmap(inner)(x)",
    "return x.at[jnp.nonzero(x > 0)].add({i})",
)
# Code that nothing is wrong with, spelled in ways that only a lossless editor keeps.
CLEAN = (
    "def clean{i}( a,b ) :  \n    return [a ,\n  b ]\n",
    "\f\nclass Clean{i} (object):\n    x = 'é' if True else \"è\"   # größe\n",
    "clean{i} = {{'a':1,   # one\n  'b' :2}} ; more{i}=3\n",
    "clean{i} = '''\n\ttabs, and  trailing blanks  \n'''\n",
)
DECORATORS = (
    "@jax.jit",
    "@jax.jit  # traced",
    "@jax.jit\n@jax.named_call",
    "@functools.wraps(len)\n@jax.jit",
    "@functools.partial(\n    jax.jit,\n    donate_argnums=(),\n)",
)


@dataclass(frozen=True)
class Case:
    """A file's bytes, and the pieces of it that nothing is wrong with."""

    raw: bytes
    clean: tuple[bytes, ...]
    unsafe: bool

    def __repr__(self) -> str:
        return f"Case({self.raw!r}, unsafe={self.unsafe})"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    imports = draw(st.lists(st.sampled_from(IMPORTS), unique=True, max_size=3))
    head = ["import functools", "import jax", "import jax.numpy as jnp"]
    parts = ["\n".join(draw(st.permutations([*imports, *head])))]
    clean: list[str] = []
    for i in range(draw(st.integers(1, 5))):
        if draw(st.booleans()):
            clean.append(draw(st.sampled_from(CLEAN)).format(i=i))
            parts.append(clean[-1])
        body = draw(st.sampled_from(BODIES)).replace("{i}", str(i))
        parts.append(f"{draw(st.sampled_from(DECORATORS))}\ndef f{i}(x, n=1):\n    {body}\n")
    end = draw(st.sampled_from(["\n", "\r\n"]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "latin-1"]))
    if encoding == "latin-1":
        parts.insert(0, "# -*- coding: latin-1 -*-")

    indent = draw(st.sampled_from(["    ", "\t", "  "]))

    def dressed(text: str, encoding: str) -> bytes:
        text = re.sub(r"(?m)^( {4})+", lambda m: indent * (len(m[0]) // 4), text)
        return text.replace("\n", end).encode(encoding)

    kept = "utf-8" if encoding == "utf-8-sig" else encoding
    return Case(dressed("\n\n".join(parts), encoding), tuple(dressed(c, kept) for c in clean), draw(st.booleans()))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def checked(raw: bytes) -> Report:
    Path("a.py").write_bytes(raw)
    return pipeline.check(["a.py"], Settings())


def repaired(raw: bytes, unsafe: bool) -> Outcome:
    Path("a.py").write_bytes(raw)

    def check(edited: Mapping[str, bytes]) -> Report:
        return pipeline.check(["a.py"], Settings(), edited=edited)

    return Repairs(check, lambda source: raw, unsafe).run()


def counted(report: Report) -> Counter[tuple[str, str]]:
    return Counter((f.code, f.symbol) for f in report.findings)


many = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@given(cases())
@many
def test_repairing_twice_is_repairing_once(case: Case) -> None:
    after = repaired(case.raw, case.unsafe).after.get("a.py", case.raw)
    again = repaired(after, case.unsafe)
    assert again.after.get("a.py", after) == after
    assert not again.fixed


@given(cases())
@many
def test_repairs_bring_nothing_new_and_take_away_what_they_say(case: Case) -> None:
    before = checked(case.raw)
    out = repaired(case.raw, case.unsafe)
    after = checked(out.after.get("a.py", case.raw))
    assert not after.problems
    assert counted(after) <= counted(before)
    assert len(before.findings) - len(after.findings) >= len(out.fixed) > 0 or not out.changed()


@given(cases())
@many
def test_what_nothing_is_wrong_with_keeps_its_bytes(case: Case) -> None:
    """So do the byte order mark, the encoding's own line and the line ends."""
    after = repaired(case.raw, case.unsafe).after.get("a.py", case.raw)
    at = 0
    for piece in case.clean:
        at = after.index(piece, at) + len(piece)
    assert after.startswith(codecs.BOM_UTF8) is case.raw.startswith(codecs.BOM_UTF8)
    ends = after.replace(b"\r\n", b"")
    assert (b"\n" in ends) is (b"\r\n" not in case.raw)
    assert b"\r" not in ends
    encoding, _ = tokenize.detect_encoding(io.BytesIO(case.raw).readline)
    assert tokenize.detect_encoding(io.BytesIO(after).readline)[0] == encoding
    ast.parse(after.decode(encoding))


@given(cases())
@many
def test_outside_of_the_edits_every_byte_stays(case: Case) -> None:
    report = checked(case.raw)
    source = report.sources["a.py"]
    encoding, _ = tokenize.detect_encoding(io.BytesIO(case.raw).readline)
    for finding in report.findings:
        if finding.fix is None or finding.fix.applicability is Applicability.DISPLAY:
            continue
        rest = edited(case.raw, source, finding.fix.edits).decode(encoding)
        at = 0
        for span in sorted((Text(source).of_edit(e) for e in finding.fix.edits), key=lambda s: (s.start, s.end)):
            for kept in (source.text[at : span.start], span.content):
                assert rest.startswith(kept)
                rest = rest[len(kept) :]
            at = span.end
        assert rest == source.text[at:]
