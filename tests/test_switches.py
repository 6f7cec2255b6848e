"""Dead omnistaging switches: found where they act, in every kind of file; left alone where they are talked about."""

from __future__ import annotations

import pytest

from omnilint.hazards.switches import find
from omnilint.model import Source


def places(text: str, path: str = "run.sh") -> list[tuple[int, int, str]]:
    kind = "python" if path.endswith(".py") else "text"
    return [(f.place.line, f.place.column, f.data["name"]) for f in find(Source(path, text, kind))]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param("run.sh", "export JAX_OMNISTAGING=0", (1, 8, "JAX_OMNISTAGING"), id="export"),
        pytest.param("run.sh", "JAX_OMNISTAGING=0 pytest", (1, 1, "JAX_OMNISTAGING"), id="before a command"),
        pytest.param("run.sh", "unset JAX_OMNISTAGING", (1, 7, "JAX_OMNISTAGING"), id="unset"),
        pytest.param("run.sh", "python a.py --jax_omnistaging=false", (1, 13, "--jax_omnistaging=false"), id="flag"),
        pytest.param("run.sh", "python a.py --nojax_omnistaging", (1, 13, "--nojax_omnistaging"), id="negative flag"),
        pytest.param("ci.yml", 'env:\n  JAX_OMNISTAGING: "0"', (2, 3, "JAX_OMNISTAGING"), id="yaml mapping"),
        pytest.param("ci.yml", "env:\n  - JAX_OMNISTAGING=0", (2, 5, "JAX_OMNISTAGING"), id="yaml list"),
        pytest.param("k8s.yml", "env:\n- name: JAX_OMNISTAGING", (2, 9, "JAX_OMNISTAGING"), id="yaml name and value"),
        pytest.param("pyproject.toml", 'env = ["JAX_OMNISTAGING=0"]', (1, 9, "JAX_OMNISTAGING"), id="toml"),
        pytest.param("tox.ini", "setenv =\n    JAX_OMNISTAGING = 0", (2, 5, "JAX_OMNISTAGING"), id="ini"),
        pytest.param("Dockerfile", "FROM x\nENV JAX_OMNISTAGING 0", (2, 5, "JAX_OMNISTAGING"), id="dockerfile"),
        pytest.param(
            "Dockerfile", "ENV A=b JAX_OMNISTAGING=0", (1, 9, "JAX_OMNISTAGING"), id="second of a dockerfile line"
        ),
        pytest.param("Makefile", "export JAX_OMNISTAGING := 0", (1, 8, "JAX_OMNISTAGING"), id="makefile"),
        pytest.param("Makefile", "test:\n\tJAX_OMNISTAGING=0 pytest", (2, 2, "JAX_OMNISTAGING"), id="recipe"),
        pytest.param(
            "a.py", "import os\nos.environ['JAX_OMNISTAGING'] = '0'", (2, 12, "JAX_OMNISTAGING"), id="environ"
        ),
        pytest.param("a.py", "import os\nos.environ.get('JAX_OMNISTAGING')", (2, 16, "JAX_OMNISTAGING"), id="read"),
        pytest.param("a.py", "run(env=dict(JAX_OMNISTAGING='0'))", (1, 14, "JAX_OMNISTAGING"), id="keyword"),
        pytest.param("a.py", "run('JAX_OMNISTAGING=0 python a.py', shell=True)", (1, 5, "JAX_OMNISTAGING"), id="shell"),
        pytest.param("a.py", "argv = ['a', '--jax_omnistaging=false']", (1, 14, "--jax_omnistaging=false"), id="argv"),
        pytest.param(
            "a.py", "x = 'é'; argv = ['--nojax_omnistaging']", (1, 18, "--nojax_omnistaging"), id="characters"
        ),
        pytest.param(
            "a.py", "import jax\njax.config.update('jax_omnistaging', False)", (2, 19, "jax_omnistaging"), id="option"
        ),
        pytest.param(
            "a.py",
            "from jax.config import config\nconfig.disable_omnistaging()",
            (2, 1, "config.disable_omnistaging"),
            id="call",
        ),
        pytest.param(
            "a.py",
            "import jax\nif jax.config.omnistaging_enabled: pass",
            (2, 4, "jax.config.omnistaging_enabled"),
            id="attribute",
        ),
    ],
)
def test_reports(path: str, text: str, expected: tuple[int, int, str]) -> None:
    assert places(text, path) == [expected]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("run.sh", "# JAX_OMNISTAGING=0", id="comment"),
        pytest.param("run.sh", "pytest  # not --jax_omnistaging=false", id="comment after a command"),
        pytest.param("run.sh", 'echo "JAX_OMNISTAGING is gone"', id="talk in shell"),
        pytest.param("a.py", "def f(a):\n  return a == 'jax_omnistaging'", id="compared"),
        pytest.param("a.py", "import pytest\nC = [pytest.param('JAX_OMNISTAGING')]", id="case of a test"),
        pytest.param("tox.ini", "; JAX_OMNISTAGING=1", id="ini comment"),
        pytest.param("pyproject.toml", 'description = "needs no JAX_OMNISTAGING"', id="talk in toml"),
        pytest.param("CHANGELOG.md", "JAX_OMNISTAGING=0 is gone", id="changelog"),
        pytest.param("a.py", '"""Set JAX_OMNISTAGING=0 or --jax_omnistaging=false."""', id="docstring"),
        pytest.param("a.py", "# os.environ['JAX_OMNISTAGING']", id="python comment"),
        pytest.param("a.py", "print('JAX_OMNISTAGING=0')", id="printed"),
        pytest.param("a.py", "raise ValueError('unset JAX_OMNISTAGING')", id="error text"),
        pytest.param("a.py", "assert ok, 'JAX_OMNISTAGING=0'", id="assertion text"),
        pytest.param("a.py", "why = 'we used to set JAX_OMNISTAGING=0 here'", id="prose in a string"),
        pytest.param("a.py", "text.replace('--jax_omnistaging=false', '')", id="rewritten text"),
        pytest.param("a.py", "engine.disable_omnistaging()", id="a method of something else"),
        pytest.param(
            "a.py",
            "import jax\nif hasattr(jax.config, 'omnistaging_enabled'):\n  jax.config.omnistaging_enabled",
            id="probed",
        ),
        pytest.param(
            "a.py", "import jax\ntry:\n  jax.config.enable_omnistaging()\nexcept AttributeError:\n  pass", id="tried"
        ),
        pytest.param(
            "a.py", "import jax\nif jax.__version_info__ < (0, 2, 12):\n  jax.config.disable_omnistaging()", id="old"
        ),
        pytest.param("a.py", "def f(:\n  'JAX_OMNISTAGING'", id="syntax error, said elsewhere"),
        pytest.param("run.sh", "export JAX_OMNISTAGING_NOTES=1", id="other variable"),
    ],
)
def test_stays_quiet(path: str, text: str) -> None:
    assert places(text, path) == []


def test_the_message_says_what_to_do() -> None:
    (found,) = find(Source("run.sh", "export JAX_OMNISTAGING=0\n", "text"))
    assert found.code == "OMN406"
    assert found.message == (
        "`JAX_OMNISTAGING` is dead: omnistaging can't be switched off since JAX 0.2.12; "
        "remove it, and mend the code that needed it"
    )
