"""Dead omnistaging switches: found where they act, in every kind of file; left alone where they are talked about."""

from __future__ import annotations

import pytest

from omnilint.api.target import Target
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


CALL = "import jax\njax.config.disable_omnistaging()"
ENABLE = "from jax.config import config\nconfig.enable_omnistaging()"
OPTION = "import jax\njax.config.update('jax_omnistaging', False)"
VARIABLE = "import os\nos.environ['JAX_OMNISTAGING'] = '0'"


@pytest.mark.parametrize(
    ("text", "target", "severity"),
    [
        pytest.param(CALL, "0.2.11", None, id="a target that still has the switch"),
        pytest.param(CALL, "0.2.11,0.2.12", "error", id="a range that ends after it"),
        pytest.param(CALL, "0.2.12", "error", id="what raised before it went"),
        pytest.param(ENABLE, "0.3.14", "warning", id="what did nothing before it went"),
        pytest.param(ENABLE, "0.3.15", "error", id="what is gone"),
        pytest.param(OPTION, "0.3.14", "warning", id="an option that did nothing"),
        pytest.param(OPTION, "0.10.2", "error", id="an option that is gone"),
        pytest.param("import jax\njax.config.jax_omnistaging", "0.10.2", "error", id="an option as an attribute"),
        pytest.param("FLAGS.jax_omnistaging", "0.10.2", "warning", id="flags that may be another's"),
        pytest.param("OPTIONS = {'jax_omnistaging': False}", "0.10.2", "warning", id="an option that nobody asks for"),
        pytest.param(VARIABLE, "0.10.2", "warning", id="a variable that nothing reads"),
    ],
)
def test_it_is_an_error_where_it_raises_in_the_target(text: str, target: str, severity: str | None) -> None:
    found = [f.severity.value for f in find(Source("a.py", text), Target.parse(target))]
    assert found == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("text", "start", "told"),
    [
        pytest.param(VARIABLE, "0.2.11", True, id="a variable that was read"),
        pytest.param(VARIABLE, "0.2.12", False, id="a variable that was dead already"),
        pytest.param(CALL, "0.2.12", False, id="a call that raised already"),
        pytest.param(ENABLE, "0.3.14", True, id="a call that did nothing, and raises now"),
        pytest.param(ENABLE, "0.3.15", False, id="a call that was gone already"),
        pytest.param(OPTION, "0.3.14", True, id="an option that was there"),
        pytest.param(OPTION, "0.9", False, id="an option that was gone already"),
    ],
)
def test_an_upgrade_tells_only_what_dies_on_the_way(text: str, start: str, told: bool) -> None:
    assert bool(find(Source("a.py", text), Target.parse("0.10.2", start=start))) is told


def test_an_upgrade_leaves_settings_alone_that_were_dead_before() -> None:
    assert find(Source("run.sh", "export JAX_OMNISTAGING=0", "text"), Target.parse("0.10.2", start="0.9")) == []
