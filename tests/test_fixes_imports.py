"""Repairs of imports: a name that other modules may take stays bound; one that nobody can reach may change."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from omnilint import cli


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fixed(*files: tuple[str, str], arguments: tuple[str, ...] = (), checked: str = ".") -> str:
    """The first of these files, after its safe repairs."""
    for name, text in files:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    cli.run(["check", "--fix", "--no-config", "--target-jax", "0.10", *arguments, checked])
    return Path(files[0][0]).read_text()


USED = "from jax import {0}\n\n\ndef f(x):\n    return {0}(x)\n"
TAKER = ("use.py", "from a import index_update\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "from jax.experimental.pjit import pjit\n", "from jax import jit as pjit\n", id="imported, not used"
        ),
        pytest.param(
            "from jax import tree_flatten  # noqa: F401\n",
            "from jax.tree import flatten as tree_flatten  # noqa: F401\n",
            id="marked as passed on",
        ),
        pytest.param(
            "from jax.experimental.maps import Mesh, xmap\n\nprint(Mesh)\n",
            "from jax.sharding import Mesh\n\nprint(Mesh)\n",
            id="one has moved, one is gone and not used",
        ),
        pytest.param(
            'from jax import tree_map\n\n__all__ = ["tree_map"]\n',
            'from jax.tree import map as tree_map\n\n__all__ = ["tree_map"]\n',
            id="listed, a builtin's name",
        ),
        pytest.param(
            USED.format("tree_leaves"),
            USED.format("tree_leaves").replace("import", "import leaves as", 1).replace("jax", "jax.tree", 1),
            id="used here as well",
        ),
        pytest.param(
            "class K:\n    from jax import tree_map\n\n    def f(self, x):\n        return K.tree_map(abs, x)\n",
            "class K:\n    from jax.tree import map as tree_map\n\n    def f(self, x):\n"
            "        return K.tree_map(abs, x)\n",
            id="an attribute of a class",
        ),
        pytest.param(
            "from jax import (\n    jit,\n    tree_leaves,\n)\n\nprint(jit, tree_leaves)\n",
            "from jax import (\n    jit,\n)\nfrom jax.tree import leaves as tree_leaves\n\nprint(jit, tree_leaves)\n",
            id="beside what stays",
        ),
        pytest.param(
            "def f(x):\n    from jax import tree_leaves\n\n    return tree_leaves(x)\n",
            "def f(x):\n    from jax.tree import leaves\n\n    return leaves(x)\n",
            id="in a function, where nobody else reaches it",
        ),
        pytest.param(
            "def f(x):\n    global tree_leaves\n    from jax import tree_leaves\n\n    return tree_leaves(x)\n",
            "def f(x):\n    global tree_leaves\n    from jax.tree import leaves as tree_leaves\n\n"
            "    return tree_leaves(x)\n",
            id="in a function, declared global",
        ),
    ],
)
def test_a_name_that_others_may_take_stays_bound(before: str, after: str) -> None:
    assert fixed(("a.py", before)) == after


UPDATE = "from jax.ops import index_update{mark}\n\n\ndef f(x):\n    return index_update(x, 0, 1)\n"


@pytest.mark.parametrize(
    ("before", "others"),
    [
        pytest.param(UPDATE.format(mark=""), [TAKER], id="another module takes it"),
        pytest.param(UPDATE.format(mark=""), [("use.py", "import a\n\nu = a.index_update\n")], id="by attribute"),
        pytest.param(UPDATE.format(mark=""), [("use.py", "from a import *\n")], id="by a star import"),
        pytest.param(UPDATE.format(mark="  # noqa"), [], id="marked"),
        pytest.param(UPDATE.format(mark=" as index_update"), [], id="imported as itself"),
        pytest.param(UPDATE.format(mark="") + '\n\n__all__ = ["index_update"]\n', [], id="listed"),
        pytest.param(UPDATE.format(mark="") + '\n\n__all__ = []\n__all__ += ["index_update"]\n', [], id="added"),
        pytest.param(UPDATE.format(mark="") + '\n\n__all__.append("index_update")\n', [], id="appended"),
        pytest.param(
            "class K:\n    from jax.ops import index_update\n\n    y = index_update(x, 0, 1)\n", [], id="a class's"
        ),
    ],
)
def test_a_name_that_others_take_is_not_taken_out(before: str, others: list[tuple[str, str]]) -> None:
    assert fixed(("a.py", before), *others) == before


def test_the_name_of_a_package_is_not_taken_out() -> None:
    before = UPDATE.format(mark="")
    assert fixed(("p/__init__.py", before)) == before


def test_one_that_only_this_module_uses_is() -> None:
    assert "index_update" not in fixed(("a.py", UPDATE.format(mark="")), ("b.py", "import math\n\nindex_update = 1\n"))


RANGE = ("--target-jax", "0.4.13,0.10.2")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("from jax.core import Var; y = 2\n", id="a guard would take in what follows"),
        pytest.param("y = 2; from jax.core import Var\n", id="and what stands before"),
        pytest.param("def f():\n    from jax.core import Primitive; return Primitive\n", id="the function's result"),
        pytest.param("if print():\n    pass\nelse: from jax.core import Var\n", id="on the line of its block"),
        pytest.param("from jax.core import Var, Tracer; y = Var\n", id="one name of two"),
        pytest.param("try: from jax.core import Var\nexcept ImportError: Var = None\n", id="a guard of the file's own"),
    ],
)
def test_a_guard_is_written_for_an_import_with_its_line_to_itself(text: str) -> None:
    assert fixed(("a.py", text), arguments=RANGE) == text


def test_a_comment_may_stand_behind_an_import_that_is_guarded() -> None:
    after = fixed(("a.py", "from jax.core import Var  # what for\ny = 2\n"), arguments=RANGE)
    assert after == (
        "try:\n    from jax.extend.core import Var\n"
        "except ImportError:\n    from jax.core import Var  # what for\ny = 2\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("from jax import tree_map, jit; y = tree_map\n", id="used on its line"),
        pytest.param("if print(): from jax import tree_map, jit\n", id="on the line of its block"),
        pytest.param("if print(): from jax import tree_map, partial\n", id="two that go to two places"),
    ],
)
def test_imports_that_take_lines_of_their_own_need_them(text: str) -> None:
    assert fixed(("a.py", text)) == text


SHAPE = "\n\n@jax.jit\ndef f(x):\n    return x.reshape(jnp.prod(jnp.array(x.shape)))\n"


@pytest.mark.parametrize(
    "head",
    [
        pytest.param('import jax; import jax.numpy as jnp; DOC = """\ntext"""\n', id="a string"),
        pytest.param('import jax; import jax.numpy as jnp; DOC = """\ntext"""; MORE = [\n    1,\n]\n', id="two"),
        pytest.param('import jax.numpy as jnp; DOC = (\n    "a"\n)\n\nimport jax\n', id="parentheses"),
        pytest.param('"""Doc."""; import jax, jax.numpy as jnp; X = {\n    1: 2,\n}\n', id="behind a docstring"),
        pytest.param("import jax; import jax.numpy as jnp; print(  # now\n    1)\n", id="a call"),
    ],
)
def test_an_import_never_lands_within_another_statement(head: str) -> None:
    after = fixed(("a.py", head + SHAPE))
    tree = ast.parse(after)
    assert "math.prod(x.shape)" in after
    assert any(isinstance(s, ast.Import) and s.names[0].name == "math" for s in tree.body)
    rest = [s for s in tree.body if not (isinstance(s, ast.Import) and s.names[0].name == "math")]
    assert ast.dump(ast.Module(rest[:-1], [])) == ast.dump(ast.Module(ast.parse(head).body, []))


def test_all_repairs_of_a_file_call_numpy_alike() -> None:
    """What is taken in one function suits none of them, though another function could have it."""
    flat = "    return x.reshape(jnp.flip(jnp.array(x.shape)))"
    head = "import jax\nimport jax.numpy as jnp\n\n\n"
    text = f"{head}@jax.jit\ndef f(x):\n    np = 3\n{flat} * np\n\n\n@jax.jit\ndef g(x):\n{flat}\n"
    after = fixed(("a.py", text), arguments=("--unsafe-fixes",))
    assert after.count("onp.flip(onp.array(x.shape))") == 2
    assert [line for line in after.splitlines() if "numpy as" in line] == [
        "import jax.numpy as jnp",
        "import numpy as onp",
    ]
