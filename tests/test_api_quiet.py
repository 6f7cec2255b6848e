"""Code that expects, probes for or makes up for what a JAX release lacks stays quiet; its look-alikes don't."""

from __future__ import annotations

import textwrap

import pytest

from omnilint.api.target import Target
from omnilint.hazards.internal import find
from omnilint.index.module import index_module
from omnilint.model import Finding, Source

QUIET = "OMN404"


def findings(code: str, target: str = "0.10.2", path: str = "case.py", name: str = "case") -> list[Finding]:
    source = Source(path, textwrap.dedent(code).lstrip("\n"))
    return [f for f in find(index_module(source, name), Target.parse(target)) if f.code != QUIET]


def codes(code: str, target: str = "0.10.2") -> list[str]:
    return [f.code for f in findings(code, target)]


ARGUMENT_PROBES = [
    pytest.param(
        "try:\n  y = jnp.clip(x, a_min=0)\nexcept TypeError:\n  y = jnp.clip(x, min=0)", id="TypeError around a call"
    ),
    pytest.param(
        "def f():\n  try:\n    return jnp.clip(x, a_min=0)\n  except TypeError:\n    return jnp.clip(x, min=0)",
        id="TypeError around a return",
    ),
    pytest.param(
        "try:\n  y = jnp.clip(x, min=0)\nexcept TypeError:\n  y = jnp.clip(x, a_min=0)", id="fallback of what works"
    ),
    pytest.param(
        "try:\n  y = jnp.clip(x, a_min=0)\nexcept (TypeError, ValueError):\n  y = jnp.clip(x, min=0)",
        id="TypeError among others",
    ),
    pytest.param(
        "import inspect\nif 'a_min' in inspect.signature(jnp.clip).parameters:\n  y = jnp.clip(x, a_min=0)",
        id="signature",
    ),
    pytest.param(
        "import inspect\nOLD = 'a_min' in inspect.signature(jnp.clip).parameters\n"
        "y = jnp.clip(x, a_min=0) if OLD else jnp.clip(x, min=0)",
        id="flag of a signature",
    ),
    pytest.param(
        "from inspect import signature\nP = signature(jnp.clip).parameters\nif 'a_min' in P.keys():\n"
        "  y = jnp.clip(x, a_min=0)",
        id="keys of parameters",
    ),
    pytest.param(
        "import inspect\nif 'min' not in inspect.getfullargspec(jnp.clip).args:\n  y = jnp.clip(x, a_min=0)",
        id="getfullargspec",
    ),
    pytest.param(
        "import inspect\ndef f(x):\n  sig = inspect.signature(jnp.clip)\n  if 'min' in sig.parameters:\n"
        "    return jnp.clip(x, min=0)\n  return jnp.clip(x, a_min=0)",
        id="early return after a signature",
    ),
    pytest.param(
        "import contextlib\nwith contextlib.suppress(TypeError):\n  jnp.clip(x, a_min=0)", id="suppressed TypeError"
    ),
]


@pytest.mark.parametrize("code", ARGUMENT_PROBES)
def test_a_probe_for_an_argument_is_quiet(code: str) -> None:
    assert codes("import jax\nimport jax.numpy as jnp\n" + code) == []


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            "def f():\n  new = getattr(module(), 'enable_x64', None)\n  if new is not None:\n    return new(True)\n"
            "  return jax.experimental.enable_x64()",
            id="of what may be JAX",
        ),
        pytest.param("def f(m):\n  if not hasattr(m, 'shard_map'):\n    jax.tree_map(g, t)", id="of a parameter"),
    ],
)
def test_a_probe_of_what_may_be_jax_is_quiet(code: str) -> None:
    assert codes("import jax\nimport jax.experimental\n" + code) == []


def test_a_probe_for_what_has_nothing_to_do_with_jax_guards_nothing() -> None:
    assert codes("import jax\ndef f(m):\n  if hasattr(m, 'shape'):\n    jax.tree_map(g, m)") == ["OMN401"]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("try:\n  y = jnp.clip(x, a_min=0)\nexcept ImportError:\n  pass", id="another error"),
        pytest.param(
            "try:\n  f()\nexcept TypeError:\n  y = jnp.clip(x, a_min=0)",
            id="handler of other code",
        ),
        pytest.param(
            "import inspect\nif 'min' in inspect.signature(jnp.clip).parameters:\n  y = jnp.clip(x, a_min=0)",
            id="the wrong branch",
        ),
        pytest.param(
            "import inspect\nif 'arr' in inspect.signature(jnp.clip).parameters:\n  y = jnp.clip(x, a_min=0)",
            id="a parameter that is there",
        ),
    ],
)
def test_what_is_no_probe_for_the_argument_is_reported(code: str) -> None:
    assert codes("import jax\nimport jax.numpy as jnp\n" + code) == ["OMN405"]


def test_a_name_that_is_gone_is_not_guarded_by_a_type_error() -> None:
    assert codes("import jax\ntry:\n  jax.tree_map(f, t)\nexcept TypeError:\n  pass") == ["OMN401"]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("jax.tree_map = jax.tree_util.tree_map\njax.tree_map(f, t)", id="set back"),
        pytest.param(
            "if not hasattr(jax, 'tree_map'):\n  jax.tree_map = jax.tree_util.tree_map\njax.tree_map(f, t)",
            id="set back where it is missing",
        ),
        pytest.param("setattr(jax, 'tree_map', jax.tree_util.tree_map)\njax.tree_map(f, t)", id="setattr"),
        pytest.param(
            "jax.tree_map = jax.tree_util.tree_map\ndef g(t):\n  return jax.tree_map(f, t)", id="used in a function"
        ),
        pytest.param("jax.linear_util = jax.extend.linear_util\njax.linear_util.wrap_init(f)", id="a module set back"),
        pytest.param("import jax.experimental as e\ne.stax = make()\ne.stax.Dense(3)", id="set through an alias"),
        pytest.param(
            "from jax import tree_util\ntree_util.tree_multimap = tree_util.tree_map\n"
            "jax.tree_util.tree_multimap(f, t)",
            id="set by another path",
        ),
        pytest.param(
            "import sys, types\nsys.modules['jax.linear_util'] = types.ModuleType('x')\n"
            "from jax.linear_util import wrap_init",
            id="put into sys.modules",
        ),
        pytest.param("def install():\n  jax.tree_map = f\ninstall()\njax.tree_map(f, t)", id="set by a function"),
    ],
)
def test_a_name_that_the_module_sets_itself_is_quiet(code: str) -> None:
    assert codes("import jax\n" + code) == []


def test_another_name_than_the_one_that_is_set_is_reported() -> None:
    assert codes("import jax\njax.tree_map = f\njax.tree_multimap(f, t)") == ["OMN401"]


@pytest.mark.parametrize(
    "code",
    [
        "mock.patch('jax.tree_map', create=True)",
        "@mock.patch('jax.tree_map', new=f, create=True)\ndef test_x(): ...",
        "def test_x(monkeypatch):\n  monkeypatch.setattr('jax.tree_map', f, raising=False)",
        "def test_x(monkeypatch):\n  monkeypatch.delattr('jax.tree_map', raising=False)",
    ],
)
def test_a_patch_that_may_create_the_name_is_quiet(code: str) -> None:
    assert codes("from unittest import mock\n" + code) == []


@pytest.mark.parametrize("code", ["mock.patch('jax.tree_map')", "mock.patch('jax.tree_map', create=False)"])
def test_a_patch_of_a_missing_name_is_reported(code: str) -> None:
    assert codes("from unittest import mock\n" + code) == ["OMN401"]


@pytest.mark.parametrize(
    ("code", "severity"),
    [
        pytest.param("k: jax.random.KeyArray", "error", id="evaluated"),
        pytest.param("def f(k: jax.random.KeyArray): ...", "error", id="of a parameter"),
        pytest.param("class A:\n  k: jax.random.KeyArray", "error", id="in a class"),
        pytest.param("k: 'jax.random.KeyArray'", "warning", id="in a string"),
        pytest.param("def f() -> 'jax.random.KeyArray': ...", "warning", id="returned, in a string"),
        pytest.param("def f():\n  k: jax.random.KeyArray = g()", "warning", id="of a local variable"),
        pytest.param("def f():\n  class A:\n    k: jax.random.KeyArray", "error", id="in a local class"),
    ],
)
def test_an_annotation_that_nothing_evaluates_is_less_severe(code: str, severity: str) -> None:
    (found,) = findings("import jax\n" + code)
    assert (found.code, found.severity) == ("OMN401", severity)
    assert found.message.endswith(" (in an annotation that nothing here evaluates)") is (severity == "warning")


@pytest.mark.parametrize(
    ("code", "severity"),
    [
        pytest.param("def f(k: jax.random.KeyArray): ...", "warning", id="of a parameter"),
        pytest.param("class A:\n  k: jax.random.KeyArray", "warning", id="in a class"),
        pytest.param("@dataclass\nclass A:\n  k: jax.random.KeyArray", "warning", id="in a dataclass"),
        pytest.param("class A(pydantic.BaseModel):\n  k: jax.random.KeyArray", "error", id="in a pydantic model"),
        pytest.param("@beartype\ndef f(k: 'jax.random.KeyArray'): ...", "error", id="checked when it is called"),
        pytest.param("def f(k=jax.random.KeyArray): ...", "error", id="a default is no annotation"),
    ],
)
def test_postponed_annotations(code: str, severity: str) -> None:
    (found,) = findings("from __future__ import annotations\nimport jax\n" + code)
    assert (found.code, found.severity) == ("OMN401", severity)


@pytest.mark.parametrize(
    ("path", "name", "code"),
    [
        ("jax/ops.py", "jax.ops", "from .trees import tree_map\nfrom . import linear\nlinear.solve(tree_map)"),
        ("jax/__init__.py", "jax", "from .backend import index_update\nfrom .ops import index_update as u\nu(x)"),
        ("backends/run.py", "run", "from .jax import Backend, tree_map\ntree_map(f)"),
        ("lib/jax/core.py", "lib.jax.core", "from ..jax import tree_map\nfrom .core import get_aval"),
    ],
)
def test_relative_imports_in_a_folder_that_is_called_jax(path: str, name: str, code: str) -> None:
    source = Source(path, code)
    package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
    module = index_module(source, name, package)
    assert find(module, Target.parse("0.10.2")) == []


UNPACKED = 'import jax\nmajor, minor, patch = map(int, jax.__version__.split(".")[:3])\n'
SPECIFIER = "import jax\nfrom packaging.specifiers import SpecifierSet\n"


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        pytest.param(UNPACKED + "if minor < 5:\n  jax.tree_map(f, t)", False, id="unpacked"),
        pytest.param(UNPACKED + "if minor > 5:\n  jax.tree_map(f, t)", True, id="unpacked, lets the target in"),
        pytest.param(
            "import jax\nmajor, *rest = jax.__version_info__\nif major >= 1:\n  jax.tree_map(f, t)",
            False,
            id="unpacked with a star",
        ),
        pytest.param(
            'import jax\nif jax.__version__ in SpecifierSet("<0.5"):\n  jax.tree_map(f, t)', False, id="specifier"
        ),
        pytest.param(
            SPECIFIER + 'if jax.__version__ in SpecifierSet(">=0.5,<1"):\n  jax.tree_map(f, t)',
            True,
            id="specifier that lets the target in",
        ),
        pytest.param(
            SPECIFIER + 'if jax.__version__ not in SpecifierSet(">=0.5"):\n  jax.tree_map(f, t)',
            False,
            id="not in a specifier",
        ),
        pytest.param(
            SPECIFIER + 'if SpecifierSet("<0.5").contains(jax.__version__):\n  jax.tree_map(f, t)',
            False,
            id="contains of a specifier",
        ),
        pytest.param(
            "import jax\nmatch jax.__version_info__[:2]:\n  case (0, 4):\n    jax.tree_map(f, t)",
            False,
            id="match of another release",
        ),
        pytest.param(
            "import jax\nmatch jax.__version_info__[:2]:\n  case (0, 4):\n    pass\n  case _:\n    jax.tree_map(f, t)",
            True,
            id="match of the rest",
        ),
        pytest.param(
            "import jax\nmatch jax.__version_info__[:2]:\n  case (0, 10) | (0, 11):\n    pass\n"
            "  case _:\n    jax.tree_map(f, t)",
            False,
            id="match of the rest, without the target",
        ),
        pytest.param(
            "import jax\nmatch jax.__version_info__:\n  case (0, minor, *_) if minor < 6:\n    jax.tree_map(f, t)",
            False,
            id="match with a guard on a captured part",
        ),
        pytest.param(
            "import jax\nmatch jax.__version__:\n  case Old():\n    jax.tree_map(f, t)",
            False,
            id="match of what can't be read",
        ),
        pytest.param(
            "import jax\nmatch mode:\n  case 'a':\n    jax.tree_map(f, t)", True, id="match of something else"
        ),
        pytest.param(
            "import jax\nfrom typing import TYPE_CHECKING as TC\nif TC:\n  jax.tree_map(f, t)",
            False,
            id="TYPE_CHECKING by another name",
        ),
        pytest.param(
            "import jax\nif jax.__version__ == pinned():\n  jax.tree_map(f, t)", False, id="compared with the unknown"
        ),
        pytest.param(
            "import jax\nif jax.__version__ in {**old}:\n  jax.tree_map(f, t)", False, id="among what isn't known"
        ),
        pytest.param(
            UNPACKED + 'if f"{major}.{minor}" == "0.4":\n  jax.tree_map(f, t)', False, id="text made of its parts"
        ),
        pytest.param(UNPACKED + "if major * 100 + minor < 5:\n  jax.tree_map(f, t)", False, id="sum of its parts"),
        pytest.param("import jax\nn = 3\nif n * 2 < size:\n  jax.tree_map(f, t)", True, id="sum of other things"),
        pytest.param("import jax\na, b = make()\nif a < 5:\n  jax.tree_map(f, t)", True, id="unpacked from elsewhere"),
    ],
)
def test_branches_that_ask_for_the_release(code: str, reported: bool) -> None:
    assert codes(code) == (["OMN401"] if reported else [])
