"""Comments outlive repairs: wherever one stands in what a repair touches, it stays, or the repair isn't made."""

from __future__ import annotations

import io
import shutil
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden_fixes import DISPLAY, UNSAFE, Golden, goldens, repair

NOTE = "# note"
TOUCHED = [
    pytest.param(g, id=g.id)
    for g in goldens()
    if g.kind != DISPLAY and g.before.suffix == ".py" and g.before.read_bytes().isascii()
]
_UNSPLIT = {t for t in (getattr(tokenize, f"FSTRING_{part}", None) for part in ("START", "MIDDLE")) if t is not None}


def noted(text: str) -> Iterator[str]:
    """The text with a comment behind each token within brackets, one at a time."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        if depth and token.type not in (tokenize.NL, tokenize.COMMENT, *_UNSPLIT):
            at = starts[token.end[0] - 1] + token.end[1]
            yield f"{text[:at]}  {NOTE}\n{text[at:]}"


def _is_python(text: str) -> bool:
    try:
        compile(text, "a.py", "exec")
    except SyntaxError:  # within an f-string
        return False
    return True


@pytest.mark.parametrize("golden", TOUCHED)
def test_a_comment_at_any_place_stays(golden: Golden, tmp_path: Path) -> None:
    for settings in golden.folder.glob("*.toml"):
        shutil.copy(settings, tmp_path)
    file = tmp_path / golden.before.name
    for text in filter(_is_python, noted(golden.before.read_text())):
        file.write_text(text)
        for after in repair(file, golden.kind == UNSAFE).after.values():
            assert NOTE in after.decode(), text


HEAD = "import jax\nimport jax.numpy as jnp\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(jax  # note\n .tree_map)(abs, 1)\n", id="in a dotted name"),
        pytest.param("jax.ops.index_update(  # note\n    jnp.ones(3), 0, 1)\n", id="behind the parenthesis of a call"),
        pytest.param("from jax.ops import (  # note\n    index,\n    index_update,\n)\n", id="in an import that goes"),
        pytest.param("from jax.ops import (\n    index,\n    # note\n    index_update,\n)\n", id="on its own line"),
        pytest.param(
            "from jax import (  # note\n    tree_map,\n    jit,\n)\nprint(tree_map, jit)\n", id="in what stays"
        ),
        pytest.param(
            "from jax import (\n    jit,\n    tree_map,  # note\n)\nprint(tree_map, jit)\n", id="behind a name"
        ),
        pytest.param("from jax.tree_util import (\n    tree_multimap  # note\n)\ntree_multimap(abs)\n", id="new"),
        pytest.param("import os\nos.environ.pop(\n    # note\n    'JAX_OMNISTAGING')\n", id="in a switch that goes"),
    ],
)
def test_what_is_said_inside_of_it_stays(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(HEAD + text)
    out = repair(file, unsafe=True)
    assert all(NOTE in after.decode() for after in out.after.values())


def test_what_is_said_of_a_statement_goes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import os\n\nos.environ['JAX_OMNISTAGING'] = '0'  # as of old\n")
    assert list(repair(file, unsafe=False).after.values()) == [b"import os\n\n"]


def test_a_number_sign_in_a_text_is_no_comment(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(HEAD + "print(jax.tree_map(len, {'#': '#'}))\n")
    (after,) = repair(file, unsafe=False).after.values()
    assert b"jax.tree.map(len, {'#': '#'})" in after
