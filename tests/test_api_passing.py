"""Names of JAX that pass through a project's own modules: one finding, where somebody has to change something."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.config import Settings
from omnilint.pipeline import check

COMPAT = "import jax\nimport jax.numpy as jnp\nfrom jax import tree_util\nxp = jax.numpy\n"


def told(folder: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, str]]:
    """(file, line, message up to the first `;`) of each finding on JAX's names."""
    monkeypatch.chdir(folder)
    for name, text in {"pkg/__init__.py": "", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    report = check(["."], Settings(target_jax="0.10.2", select=("INTERNAL",)))
    assert report.problems == []
    return [(f.place.path, f.place.line, f.message.partition(";")[0]) for f in report.findings if f.code != "OMN404"]


EITHER = "try:\n  from jax import tree_map\nexcept ImportError:\n  from jax.tree_util import tree_map\n"
SHIM = "import jax\nif not hasattr(jax, 'tree_map'):\n  jax.tree_map = jax.tree_util.tree_map\n"
GONE = "`jax.tree_map` was removed in JAX 0.6.0"
TRAPZ = "`jax.numpy.trapz` was removed in JAX 0.4.24"


def test_a_missing_name_is_told_where_it_is_imported_from_jax_and_not_at_each_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "pkg/compat.py": "from jax import tree_map\n",
        "pkg/a.py": "from pkg.compat import tree_map\ntree_map(f, t)\n",
        "pkg/b.py": "from . import compat\ncompat.tree_map(f, t)\n",
    }
    assert told(tmp_path, files, monkeypatch) == [("pkg/compat.py", 1, GONE)]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        pytest.param("from pkg.compat import jnp\njnp.trapz(y)", 2, id="imported"),
        pytest.param("from .compat import jnp as np\nnp.trapz(y)", 2, id="relative, renamed"),
        pytest.param("import pkg.compat\npkg.compat.jnp.trapz(y)", 2, id="by its path"),
        pytest.param("from pkg import compat as c\nc.xp.trapz(y)", 2, id="alias that compat makes"),
        pytest.param("from pkg.compat import *\njnp.trapz(y)", 2, id="star"),
        pytest.param("from pkg import compat\ndef f():\n  n = compat.jnp\n  return n.trapz(y)", 4, id="bound again"),
        pytest.param("from pkg.again import jnp\njnp.trapz(y)", 2, id="passed on twice"),
    ],
)
def test_a_missing_member_is_told_where_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, line: int
) -> None:
    files = {"pkg/compat.py": COMPAT, "pkg/again.py": "from pkg.compat import jnp\n", "pkg/a.py": code + "\n"}
    assert told(tmp_path, files, monkeypatch) == [("pkg/a.py", line, TRAPZ)]


def test_arguments_of_a_function_that_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "pkg/compat.py": "from jax.numpy import clip\n",
        "pkg/a.py": "from pkg.compat import clip\nclip(x, a_min=0)\n",
    }
    assert told(tmp_path, files, monkeypatch) == [
        ("pkg/a.py", 2, "argument `a_min` of `jax.numpy.clip` is refused since JAX 0.10.0")
    ]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {
                "pkg/compat.py": EITHER,
                "pkg/a.py": "from pkg.compat import tree_map\ntree_map(f, t)\n",
            },
            id="either of two",
        ),
        pytest.param(
            {
                "pkg/compat.py": "import jax\njnp = jax.numpy if FAST else numpy\n",
                "pkg/a.py": "from pkg.compat import jnp\njnp.trapz(y)\n",
            },
            id="perhaps another module",
        ),
        pytest.param(
            {"pkg/compat.py": "def jnp(): ...\n", "pkg/a.py": "from pkg.compat import jnp\njnp.trapz(y)\n"},
            id="a function of that name",
        ),
        pytest.param(
            {
                "pkg/a.py": "from pkg.b import jnp\njnp.trapz(y)\n",
                "pkg/b.py": "from pkg.a import jnp\n",
            },
            id="modules that import each other",
        ),
        pytest.param(
            {
                "pkg/__init__.py": "import jax\njax.tree_map = jax.tree_util.tree_map\n",
                "pkg/deep/__init__.py": "",
                "pkg/deep/a.py": "import jax\njax.tree_map(f, t)\n",
            },
            id="set back by a package above",
        ),
        pytest.param(
            {
                "pkg/shim.py": SHIM,
                "pkg/a.py": "import jax\nfrom pkg import shim\njax.tree_map(f, t)\n",
            },
            id="set back by a module that is imported",
        ),
    ],
)
def test_stays_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
    assert told(tmp_path, files, monkeypatch) == []
