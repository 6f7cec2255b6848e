"""Names of JAX that a target lacks, deprecates or keeps private: what is reported, where, and what stays quiet."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from omnilint.api.target import Target
from omnilint.config import Settings
from omnilint.hazards.internal import find
from omnilint.index.module import index_module
from omnilint.model import Finding, Source
from omnilint.pipeline import check

QUIET = "OMN404"


def findings(code: str, target: str = "0.10.2", start: str | None = None) -> list[Finding]:
    source = Source("case.py", textwrap.dedent(code).lstrip("\n"))
    found = find(index_module(source, "case"), Target.parse(target, start=start))
    return [f for f in found if f.code != QUIET]


def told(code: str, target: str = "0.10.2") -> list[tuple[str, str]]:
    return [(f.code, f.data["name"]) for f in findings(code, target)]


def check_quiet(code: str, target: str = "0.10.2") -> None:
    assert told(code, target) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("import jax\njax.tree_map(f, t)", ("OMN401", "jax.tree_map"), id="attribute"),
        pytest.param("import jax.ops as o\no.index_update(x, i, y)", ("OMN401", "jax.ops.index_update"), id="alias"),
        pytest.param("from jax import random as r\nk: r.KeyArray", ("OMN401", "jax.random.KeyArray"), id="annotation"),
        pytest.param("import jax\nk: 'jax.random.KeyArray'", ("OMN401", "jax.random.KeyArray"), id="string annotation"),
        pytest.param(
            "from __future__ import annotations\nimport jax\ndef f(k: 'list[jax.random.KeyArray]'): ...",
            ("OMN401", "jax.random.KeyArray"),
            id="name inside a string annotation",
        ),
        pytest.param(
            "import jax\ndef f(xs):\n  out = []\n  for x in xs:\n    out.append(x)\n  if not out:\n    return\n"
            "  jax.tree_map(g, *out)",
            ("OMN401", "jax.tree_map"),
            id="after a test for an empty list",
        ),
        pytest.param(
            "import jax\ndef f(xs):\n  acc = None\n  for x in xs:\n    if acc is None:\n      acc = x\n    else:\n"
            "      acc = jax.tree_map(g, acc, x)",
            ("OMN401", "jax.tree_map"),
            id="accumulated in a loop",
        ),
        pytest.param(
            "import jax\ndef f(xs):\n  first = True\n  for x in xs:\n    if first:\n      first = False\n    else:\n"
            "      jax.tree_map(g, x)",
            ("OMN401", "jax.tree_map"),
            id="flag of a loop",
        ),
        pytest.param(
            "import jax\ndef f(version, use_jax):\n  if use_jax and version == 2:\n    jax.tree_map(g, t)",
            ("OMN401", "jax.tree_map"),
            id="parameters named for versions of other things",
        ),
        pytest.param(
            "import sys, jax\nif sys.version_info >= (3, 8):\n  jax.tree_map(f, t)",
            ("OMN401", "jax.tree_map"),
            id="version of Python",
        ),
        pytest.param("from jax.experimental import maps", ("OMN401", "jax.experimental.maps"), id="from a package"),
        pytest.param(
            "from jax.experimental.maps import Mesh, xmap", ("OMN401", "jax.experimental.maps"), id="module, said once"
        ),
        pytest.param("import jax.experimental.stax", ("OMN401", "jax.experimental.stax"), id="plain import"),
        pytest.param(
            "def f():\n  import jax\n  xp = jax.numpy\n  xp.trapz(y)", ("OMN401", "jax.numpy.trapz"), id="local"
        ),
        pytest.param("import jax\ngetattr(jax, 'tree_map')(f, t)", ("OMN401", "jax.tree_map"), id="getattr"),
        pytest.param(
            "import importlib\nm = importlib.import_module('jax.experimental.host_callback')",
            ("OMN401", "jax.experimental.host_callback"),
            id="import_module",
        ),
        pytest.param(
            "import importlib\nN = ('maps', 'jet')\ndef get(i):\n"
            "  return importlib.import_module('.'.join(('jax', 'experimental', N[i])))\nget(0)",
            ("OMN401", "jax.experimental.maps"),
            id="import_module of a folded name",
        ),
        pytest.param("from unittest import mock\nmock.patch('jax.tree_map')", ("OMN401", "jax.tree_map"), id="patched"),
        pytest.param("from jax.numpy import *\ntrapz(y)", ("OMN401", "jax.numpy.trapz"), id="star import"),
        pytest.param("import jax\njax.config.update('jax_array', 1)", ("OMN401", "jax.config.jax_array"), id="option"),
        pytest.param(
            "import jax\njax.config.update('jax_enable_x65', 1)",
            ("OMN407", "jax.config.jax_enable_x65"),
            id="no option",
        ),
        pytest.param(
            "import jax\njax.config.update('unknown_option', 1)",
            ("OMN407", "jax.config.unknown_option"),
            id="nothing like an option",
        ),
        pytest.param(
            "import jax\njax.config.update(name='enable_x64', val=1)",
            ("OMN407", "jax.config.enable_x64"),
            id="an option without its prefix, by keyword",
        ),
        pytest.param(
            "from jax import config\nconfig.read('jax_array')", ("OMN401", "jax.config.jax_array"), id="an option read"
        ),
        pytest.param(
            "import jax\njax.config.jax_parallel_functions_output_gda",
            ("OMN401", "jax.config.jax_parallel_functions_output_gda"),
            id="read",
        ),
        pytest.param("from jax.config import config", ("OMN401", "jax.config"), id="module that became an object"),
        pytest.param("import jax\njax.core.get_aval", ("OMN401", "jax.core.get_aval"), id="internal and gone"),
        pytest.param("import jax\njax.numpy.arrange(3)", ("OMN407", "jax.numpy.arrange"), id="typo"),
        pytest.param("from jax._src import core", ("OMN403", "jax._src.core"), id="private module"),
        pytest.param(
            "import jax\njax.tree_util._registry_with_keypaths",
            ("OMN403", "jax.tree_util._registry_with_keypaths"),
            id="private",
        ),
        pytest.param(
            "from jax.experimental.shard_map import shard_map",
            ("OMN402", "jax.experimental.shard_map.shard_map"),
            id="deprecated",
        ),
    ],
)
def test_reports(code: str, expected: tuple[str, str]) -> None:
    assert told(code) == [expected]


def test_every_use_is_reported_at_its_own_expression() -> None:
    found = findings("import jax.ops as o\na = o.index_add(x, i, 1)\nb = [o.index_update(a, i, 2)]\n")
    assert [(f.place.line, f.place.column, f.place.end_column) for f in found] == [(2, 5, 16), (3, 6, 20)]


def test_columns_count_characters() -> None:
    (found,) = findings("import jax\ns = 'é'; jax.tree_map(f, s)\n")
    assert (found.place.column, found.place.end_column) == (10, 22)


def test_uses_of_a_module_that_is_reported_at_its_import_are_not_reported_again() -> None:
    assert told("from jax.experimental import stax\nstax.serial(stax.Dense(3))") == [
        ("OMN401", "jax.experimental.stax")
    ]
    assert told("import jax.experimental.maps\njax.experimental.maps.xmap(f)") == [("OMN401", "jax.experimental.maps")]


def test_a_message_says_since_when_and_what_to_use() -> None:
    (found,) = findings("import jax.ops as o\no.index_update(x, i, y)")
    assert found.message == "`jax.ops.index_update` was removed in JAX 0.3.2; use `x.at[idx].set(y)`"


def test_a_close_name_is_offered_for_an_unknown_one() -> None:
    (found,) = findings("import jax.numpy as jnp\njnp.arrange(3)")
    assert found.message == "JAX has no `jax.numpy.arrange`; did you mean `jax.numpy.arange`?"


def test_a_name_that_comes_later_is_reported_with_its_release() -> None:
    (found,) = findings("import jax\njax.typeof(x)", "0.5.2")
    assert (found.code, found.message) == ("OMN407", "`jax.typeof` isn't in JAX 0.5.2: it came with JAX 0.5.3")


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("try:\n  from jax.core import Primitive\nexcept ImportError:\n  Primitive = None", id="tried"),
        pytest.param("try:\n  f = jax.tree_map\nexcept AttributeError:\n  f = jax.tree.map", id="attribute tried"),
        pytest.param(
            "try:\n  from jax import shard_map as s\nexcept ImportError:\n"
            "  from jax.experimental.shard_map import shard_map as s",
            id="fallback of what works",
        ),
        pytest.param("if hasattr(jax, 'tree_map'):\n  jax.tree_map(f, t)", id="hasattr"),
        pytest.param("f = jax.tree_map if hasattr(jax, 'tree_map') else jax.tree.map", id="hasattr in an expression"),
        pytest.param("hasattr(jax, 'tree_map') and jax.tree_map(f, t)", id="hasattr in a conjunction"),
        pytest.param("f = getattr(jax, 'tree_map', None) or jax.tree.map", id="getattr with a default"),
        pytest.param("f = getattr(jax, 'typeof', None) or jax.core.get_aval", id="fallback of getattr"),
        pytest.param("if jax.__version_info__ < (0, 6):\n  jax.tree_map(f, t)", id="version_info"),
        pytest.param("if jax.__version_info__ >= (0, 6):\n  pass\nelse:\n  jax.tree_map(f, t)", id="else of a version"),
        pytest.param(
            "from packaging.version import Version as V\nif V(jax.__version__) < V('0.6.0'):\n  jax.tree_map(f, t)",
            id="packaging",
        ),
        pytest.param(
            "V = tuple(int(p) for p in jax.__version__.split('.')[:3])\nif V < (0, 6, 0):\n  jax.tree_map(f, t)",
            id="tuple of ints",
        ),
        pytest.param(
            "V = tuple(map(int, jax.__version__.split('.')))\nOLD = V < (0, 6, 0)\nif OLD:\n  jax.tree_map(f, t)",
            id="flag",
        ),
        pytest.param(
            "from importlib.metadata import version\nfrom packaging.version import parse\n"
            "if parse(version('jax')) < parse('0.6'):\n  jax.tree_map(f, t)",
            id="metadata",
        ),
        pytest.param(
            "def g():\n  if hasattr(jax, 'typeof'):\n    return jax.typeof(x)\n  return jax.core.get_aval(x)",
            id="early return",
        ),
        pytest.param(
            "try:\n  import jax.experimental.maps\n  HAS = True\nexcept ImportError:\n  HAS = False\n"
            "if HAS:\n  jax.experimental.maps.xmap(f)",
            id="flag of an attempt",
        ),
        pytest.param(
            "from compat import JAX_VERSION_OLD\nif JAX_VERSION_OLD:\n  jax.tree_map(f, t)", id="unreadable version"
        ),
        pytest.param(
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  from jax.random import KeyArray", id="typing"
        ),
        pytest.param(
            "import contextlib\nwith contextlib.suppress(AttributeError):\n  jax.tree_map(f, t)", id="suppressed"
        ),
        pytest.param("import pytest\nwith pytest.raises(AttributeError):\n  jax.tree_map(f, t)", id="expected"),
        pytest.param(
            "import pytest\n@pytest.mark.skipif(jax.__version_info__ >= (0, 6), reason='')\ndef test_x():\n"
            "  jax.tree_map(f, t)",
            id="skipped test",
        ),
        pytest.param("def f(jax):\n  return jax.tree_map", id="parameter called jax"),
        pytest.param("import numpy as jnp\njnp.trapz(y)", id="other module under the usual alias"),
        pytest.param("def f(xp=None):\n  xp = jax.numpy\n  xp = numpy\n  xp.trapz(y)", id="rebound"),
        pytest.param("'jax.tree_map(f, t)'\nd = {'jax.tree_map': 'jax.tree.map'}  # jax.tree_map", id="talked about"),
        pytest.param("jax.tree_map = jax.tree.map", id="set"),
        pytest.param("jax.lib.__version__; jax.numpy.ndarray.at", id="members of classes"),
        pytest.param("jax.numpy.__name__; jax.__spec__", id="dunder names"),
        pytest.param(
            "flags.DEFINE_bool('jax_of_my_plugin', True, '')\njax.config.update('jax_of_my_plugin', 1)",
            id="option that the module defines",
        ),
        pytest.param("jax.config.update('jax2tf_default_native_serialization', 1)", id="option without the prefix"),
        pytest.param("jax.config.update(name, 1); jax.config.update()", id="option that can't be told"),
        pytest.param("jax.config.values['jax_enable_x65']; my.update('jax_enable_x65')", id="no call of an option"),
        pytest.param("from jaxlib import xla_client\nxla_client.XlaBuilder", id="other package"),
    ],
)
def test_stays_quiet(code: str) -> None:
    check_quiet("import jax\n" + code)


def test_a_version_check_that_lets_the_target_in_guards_nothing() -> None:
    code = "import jax\nif jax.__version_info__ >= (0, 5):\n  jax.tree_map(f, t)"
    assert told(code) == [("OMN401", "jax.tree_map")]


def test_a_fallback_that_runs_in_the_target_is_judged() -> None:
    code = """
        try:
            from jax.experimental.maps import xmap
        except ImportError:
            from jax.interpreters.xla import xmap
    """
    assert told(code) == [("OMN407", "jax.interpreters.xla.xmap")]


def test_a_function_defined_in_a_try_is_not_guarded_by_it() -> None:
    code = "import jax\ntry:\n  def f(t):\n    return jax.tree_map(g, t)\nexcept AttributeError:\n  pass"
    assert told(code) == [("OMN401", "jax.tree_map")]


def test_internal_names_that_work_are_notes() -> None:
    source = Source("case.py", "from jax.core import Tracer\n")
    (found,) = find(index_module(source, "case"), Target.parse("0.10.2"))
    assert (found.code, found.severity) == ("OMN404", "note")


@pytest.mark.parametrize(
    ("target", "code"),
    [("0.4.25", None), ("0.4.26", "OMN402"), ("0.5.3", "OMN402"), ("0.6.0", "OMN401"), ("0.4.20,0.6", "OMN401")],
)
def test_tree_map_by_target(target: str, code: str | None) -> None:
    assert [f.code for f in findings("import jax\njax.tree_map(f, t)", target)] == ([code] if code else [])


def test_the_suggestion_exists_in_every_release_of_the_target() -> None:
    (new,) = findings("import jax\njax.tree_map(f, t)", "0.6.0")
    (wide,) = findings("import jax\njax.tree_map(f, t)", "0.4.20,0.6.0")
    assert (new.data["replacement"], wide.data["replacement"]) == ("`jax.tree.map`", "`jax.tree_util.tree_map`")


def test_a_range_without_a_common_name_is_told_from_when_on_a_name_works() -> None:
    (found,) = findings("import jax\njax.core.Literal", "0.4.20,0.9.0")
    assert found.data["replacement"] is None
    assert found.message.endswith("; from JAX 0.4.27 on use `jax.extend.core.Literal`")


def test_config_as_module_and_as_object() -> None:
    module, attribute = (
        "from jax.config import config\nconfig.update('jax_enable_x64', True)",
        "import jax\njax.config.update",
    )
    assert [f.code for f in findings(module, "0.4.10")] == []
    assert [f.code for f in findings(module, "0.4.20")] == ["OMN402"]
    assert [f.code for f in findings(module, "0.4.25")] == ["OMN401"]
    assert [f.code for f in findings("import jax.config", "0.4.25")] == ["OMN402"]
    for target in ("0.1.60", "0.4.10", "0.4.25", "0.10.2"):
        check_quiet(attribute, target)


def test_a_name_that_came_back_is_there_again() -> None:
    code = "from jax.interpreters import xla\nxla.translations"
    assert [[f.code for f in findings(code, t)] for t in ("0.4.23", "0.4.24", "0.4.25", "0.4.29")] == [
        ["OMN402"], ["OMN401"], ["OMN402"], ["OMN401"],
    ]  # fmt: skip


def test_a_gap_is_told_as_such() -> None:
    (found,) = findings("from jax.interpreters import xla\nxla.translations", "0.4.24")
    assert "was removed in JAX 0.4.24, and is back since JAX 0.4.25" in found.message


def test_only_what_changes_on_the_way_with_a_start() -> None:
    code = "import jax\njax.tree_map(f, t)\njax.ops.index_add(x, i, 1)"
    assert [f.data["name"] for f in findings(code, "0.6.0", start="0.4.20")] == ["jax.tree_map"]


@pytest.mark.parametrize(
    ("target", "codes"),
    [
        ("0.3.14", []),
        ("0.3.15", ["OMN402"]),  # it warned when called, in this one release
        ("0.3.16", []),
        ("0.4.25", []),
        ("0.4.26", ["OMN402"]),
        ("0.5.3", ["OMN402"]),
        ("0.6.0", ["OMN401"]),
        ("0.3.15,0.3.16", ["OMN402"]),
    ],
)
def test_tree_map_was_deprecated_taken_back_and_deprecated_again(target: str, codes: list[str]) -> None:
    assert [f.code for f in findings("import jax\njax.tree_map(f, t)", target)] == codes


@pytest.mark.parametrize(
    ("code", "lives"),
    [
        (
            "from jax.interpreters import xla\nxla.register_translation",
            {"0.4.23": "OMN402", "0.4.24": "OMN401", "0.4.25": "OMN402", "0.4.29": "OMN401"},
        ),
        (
            "import jax\njax.ad.JVPTracer",
            {"0.4.7": None, "0.4.8": "OMN402", "0.4.13": "OMN402", "0.4.14": "OMN401", "0.9.2": "OMN401"},
        ),
    ],
    ids=["register_translation", "jax.ad"],
)
def test_names_that_came_back(code: str, lives: dict[str, str | None]) -> None:
    found = {t: next((f.code for f in findings(code, t)), None) for t in lives}
    assert found == lives


def test_a_range_tells_what_happens_between_its_ends() -> None:
    """Gone in one release between two that have it, and a name that comes after the range's start."""
    (gap,) = findings("from jax.interpreters import xla\nxla.translations", "0.4.20,0.4.28")
    assert (gap.code, gap.data["removed"]) == ("OMN401", "0.4.24")
    (new,) = findings("import jax\njax.typeof(x)", "0.5.0,0.10.2")
    assert (new.code, new.message) == ("OMN407", "`jax.typeof` isn't in JAX 0.5.0: it came with JAX 0.5.3")


def test_an_upgrade_tells_what_changes_on_the_way_of_each_kind() -> None:
    code = """
        import jax
        import jax.numpy as jnp
        jax.ops.index_add(x, i, 1)
        jax.config.update('jax_array', True)
        jax.config.update('jax_default_dtype_bits', '64')
        jnp.clip(x, a_min=0)
        jnp.where(condition=c, x=a, y=b)
        jnp.ones(3).device_buffer
        jax.jit(f).lower(x).compile().input_layouts
        jax._src.util
    """
    found = findings(code, "0.10.0", start="0.4.30")
    assert [(f.place.line, f.code) for f in found] == [(5, "OMN401"), (6, "OMN405"), (9, "OMN401")]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        pytest.param("jax.gard", "jax.grad", id="two letters changed places"),
        pytest.param("jax.lax.scna", "jax.lax.scan", id="at the end"),
        pytest.param("jax.numpy.linalg.nrom", "jax.numpy.linalg.norm", id="of a submodule"),
        pytest.param("jax.numpy.sni", "jax.numpy.sin", id="in a word of three"),
        pytest.param("jax.sharding.Mash", "jax.sharding.Mesh", id="another letter"),
        pytest.param("jax.vmapp", "jax.vmap", id="one letter more"),
        pytest.param("jax.numpy.conatenate", "jax.numpy.concatenate", id="one letter less"),
        pytest.param("jax.zzzz", None, id="nothing like it"),
        pytest.param("jax.numpy.sxm", None, id="too short to tell"),
    ],
)
def test_a_mistyped_name_is_told_what_was_meant(name: str, meant: str | None) -> None:
    (found,) = findings(f"import jax\n{name}")
    assert (found.code, found.data["replacement"]) == ("OMN407", meant)


def test_a_function_imported_as_a_module_is_not_advised_by_its_own_name() -> None:
    (found,) = findings("import jax.xla_computation", "0.4.20")
    assert found.message == (
        "`jax.xla_computation` is no module that can be imported; write `from jax import xla_computation`"
    )
    (found,) = findings("import jax.xla_computation", "0.10.2")  # which has no such function either
    assert "did you mean" not in found.message


@pytest.mark.parametrize(
    ("target", "code", "says"),
    [
        ("0.4.25", "", ""),
        ("0.4.34", "OMN402", "is deprecated since JAX 0.4.26"),
        ("0.4.35", "OMN401", "only raises NotImplementedError since JAX 0.4.35"),
        ("0.7.0", "OMN401", "only raises NotImplementedError since JAX 0.4.35"),
        ("0.4.30,0.7.0", "OMN401", "only raises NotImplementedError since JAX 0.4.35"),
        ("0.8.0", "OMN401", "was removed in JAX 0.8.0"),
    ],
)
@pytest.mark.parametrize(
    "use",
    [
        "from jax.experimental import host_callback as h\nh.call(f, x)",
        "from jax.experimental.host_callback import id_tap",
    ],
)
def test_functions_that_are_kept_only_to_raise(use: str, target: str, code: str, says: str) -> None:
    found = findings(use, target)
    assert [f.code for f in found] == ([code] if says else [])
    assert all(says in f.message and f.data["replacement"] for f in found)


@pytest.mark.parametrize(("error", "count"), [("NotImplementedError", 0), ("Exception", 0), ("KeyError", 1)])
def test_the_error_of_such_a_function_may_be_expected(error: str, count: int) -> None:
    code = f"""
        from jax.experimental import host_callback as h
        try:
            h.call(f, x)
        except {error}:
            pass
    """
    assert len(findings(code, "0.4.36")) == count


def test_what_stands_beside_an_expected_error_is_still_judged() -> None:
    code = """
        import jax
        try:
            jax.tree_map(f, t)
        except NotImplementedError:
            jax.tree_leaves(t)
        else:
            jax.tree_flatten(t)
    """
    assert [name for _, name in told(code)] == ["jax.tree_map", "jax.tree_leaves", "jax.tree_flatten"]


def used(finding: Finding) -> list[int]:
    return [r.place.line for r in finding.related if r.message == "used here"]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        pytest.param("from jax import linear_util as lu\ndef f(g):\n  return lu.wrap_init(g)\n", [3], id="attribute"),
        pytest.param(
            "from jax.experimental.maps import xmap, Mesh\nm = Mesh(d)\nassert isinstance(m, Mesh)\nxmap(f)\n",
            [2, 3, 4],
            id="names, called and not",
        ),
        pytest.param("import jax.experimental.maps as m\ny = m.xmap(m.f, m.g)\n", [2], id="one a line"),
        pytest.param("from jax.experimental import maps\n" + "maps.f()\n" * 60, [*range(2, 52)], id="the first fifty"),
        pytest.param(
            "from jax import linear_util\ndef f(linear_util):\n  return linear_util.x\n", [], id="another of the name"
        ),
        pytest.param(
            "import jax\nfrom jax import linear_util\nif hasattr(jax, 'linear_util'):\n  linear_util.x\n",
            [],
            id="in a branch that doesn't run",
        ),
    ],
)
def test_what_breaks_with_an_import_is_shown(code: str, lines: list[int]) -> None:
    (finding,) = findings(code)
    assert finding.code == "OMN401"
    assert used(finding) == lines


def test_an_import_that_works_shows_no_uses() -> None:
    (finding,) = findings("from jax._src import core\ncore.x\n")
    assert finding.code == "OMN403"
    assert not finding.related


def test_a_removed_name_is_shown_in_dead_branches_too() -> None:
    code = """
        import jax
        new = hasattr(jax, "tree")
        def f(g, t):
            if new:
                jax.tree_map(g, t)
            else:
                jax.tree_map(g, t, None)
            if t:
                jax.tree_map(g, g)
    """
    first, second = findings(code)
    assert (first.place.line, second.place.line) == (5, 9)
    assert [r.place.line for r in first.related] == [7]


def test_what_is_taken_for_a_tracer_is_shown() -> None:
    code = "import jax\ndef level(x):\n  if hasattr(x, '_trace'):\n    return x._trace.master.level\n"
    (finding,) = findings(code)
    assert (finding.code, finding.place.line) == ("OMN401", 4)
    assert [r.place.line for r in finding.related] == [3]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("if hasattr(x._trace, 'master'):\n    y = x._trace.master", id="asked for before"),
        pytest.param("if hasattr(x._trace.main, 'level'):\n    y = x._trace.main.level", id="asked for deeper inside"),
        pytest.param("y = getattr(x._trace, 'master', None) and x._trace.master", id="got with a default"),
        pytest.param(
            "class Handler:\n  def __enter__(self):\n    self._trace = []\n  def level(self):\n"
            "    return self._trace.level",
            id="a trace of its own",
        ),
    ],
)
def test_a_trace_is_left_alone_that_is_none_of_jax_or_is_asked_for(code: str) -> None:
    check_quiet("import jax\nx = jax.numpy.ones(3)\n" + code)


def test_a_tracer_of_the_module_has_a_trace_of_jax() -> None:
    code = "import jax\nclass T(jax.core.Tracer):\n  def __init__(self, t):\n    self._trace = t\n"
    assert [c for c, _ in told(code + "def f(x):\n  return x._trace.level\n")] == ["OMN401"]


@pytest.mark.parametrize(
    ("option", "code", "severity", "message"),
    [
        ("unknown_option", "OMN407", "warning", "JAX has no option `unknown_option` of jax.config"),
        (
            "jax_enable_omnistaging",
            "OMN407",
            "error",
            "JAX has no option `jax_enable_omnistaging` of jax.config; "
            "omnistaging is always on since JAX 0.2.12: drop it",
        ),
        (
            "jax_enable_x65",
            "OMN407",
            "error",
            "JAX has no option `jax_enable_x65` of jax.config; did you mean `jax_enable_x64`?",
        ),
        (
            "enable_x64",
            "OMN407",
            "error",
            "JAX has no option `enable_x64` of jax.config; did you mean `jax_enable_x64`?",
        ),
        ("jax_array", "OMN401", "error", "jax.config option `jax_array` was removed in JAX 0.4.14"),
    ],
)
def test_what_is_said_of_an_option(option: str, code: str, severity: str, message: str) -> None:
    (finding,) = findings(f"import jax\njax.config.update({option!r}, True)\n")
    assert (finding.code, finding.severity and finding.severity.value, finding.message) == (code, severity, message)


def test_an_option_that_another_package_may_define_is_a_warning() -> None:
    use = "jax.config.update('jax_of_theirs', True)\n"
    told = [findings(f"import jax\n{more}\n{use}") for more in ("import os, numpy", "import their_plugin")]
    assert [f.severity and f.severity.value for some in told for f in some] == ["error", "warning"]


def test_an_option_that_a_module_of_the_project_defines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flags.py").write_text("from absl import flags\nflags.DEFINE_bool('jax_of_mine', True, '')\n")
    (tmp_path / "main.py").write_text("import jax\nimport flags\njax.config.update('jax_of_mine', False)\n")
    (tmp_path / "other.py").write_text("import jax\njax.config.update('jax_of_mine', False)\n")
    report = check(["."], Settings(target_jax="0.10.2"))
    assert [f.place.path for f in report.findings] == ["other.py"]


def test_what_a_trace_of_the_module_has() -> None:
    code = """
        import jax
        from jax import core

        class Own(core.Trace):
            def process_call(self, f):
                return start(f, self.master)

            def lift(self, t):
                return self.sublevel, self.main

        class Other:
            def process_call(self, f):
                return start(f, self.master, self.level)
    """
    assert [(f.code, f.place.line) for f in findings(code)] == [("OMN401", 6), ("OMN401", 9)]


STARS = "from jax.numpy import *\nfrom jax.lax import *\n"


@pytest.mark.parametrize(
    ("code", "target", "expected"),
    [
        pytest.param(STARS + "trapz(y)", "0.10.2", [("OMN401", "jax.numpy.trapz")], id="of the first"),
        pytest.param(STARS + "tie_in(x, y)", "0.10.2", [("OMN401", "jax.lax.tie_in")], id="of the second"),
        pytest.param(STARS + "abs(x)", "0.10.2", [], id="of both"),
        pytest.param(STARS + "soft_max(x)", "0.10.2", [], id="of neither"),
        pytest.param(STARS + "clip(x, a_min=0)", "0.10.2", [("OMN405", "jax.numpy.clip")], id="an argument"),
        pytest.param(STARS + "linalg.tensorsolv(x)", "0.10.2", [], id="a module of either"),
        pytest.param(
            "from jax.numpy import *\nlinalg.tensorsolv(x)",
            "0.10.2",
            [("OMN407", "jax.numpy.linalg.tensorsolv")],
            id="below a module of the only one",
        ),
        pytest.param("from numpy import *\n" + STARS + "trapz(y)", "0.10.2", [], id="beside another package"),
        pytest.param(STARS + "trapz = f\ntrapz(y)", "0.10.2", [], id="bound otherwise"),
        pytest.param(
            "from jax.experimental.optimizers import *\nadam(1)",
            "0.10.2",
            [("OMN401", "jax.experimental.optimizers")],
            id="of a module that is gone",
        ),
        pytest.param(
            "from jax.lax import *\nfrom jax.numpy import *\nsort(x, kind='a')",
            "0.10.2",
            [("OMN405", "jax.numpy.sort")],
            id="an argument of the last, which always had the name",
        ),
        pytest.param(
            "from jax.tree_util import *\nfrom jax import *\ntree_map(f, t)",
            "0.10.2",
            [],
            id="the first, where the last has it no more",
        ),
        pytest.param(
            "from jax.tree_util import *\nfrom jax import *\ntree_map(f, t)",
            "0.5.3",
            [("OMN402", "jax.tree_map")],
            id="the last, where it has it",
        ),
        pytest.param(
            "from jax import *\nfrom jax.tree_util import *\ntree_map(f, t)", "0.5.3", [], id="the other way round"
        ),
    ],
)
def test_names_of_star_imports(code: str, target: str, expected: list[tuple[str, str]]) -> None:
    assert [(f.code, f.data["name"]) for f in findings(code, target)] == expected


def test_a_test_of_what_took_many_steps_to_compute_says_nothing_of_the_release() -> None:
    steps = "".join(f"    if n{i}:\n        n{i + 1} = min(n{i}, {i})\n" for i in range(60))
    code = f"import jax\ndef run(n0, batch, f, t):\n{steps}    assert batch % n60 == 0\n    return jax.tree_map(f, t)"
    assert [f.data["name"] for f in findings(code, "0.10.2")] == ["jax.tree_map"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        pytest.param(
            "from jax.experimental.multihost_utils import jnp\njnp.clip(x, a_min=1)",
            "argument `a_min` of `jax.numpy.clip` is refused since JAX 0.10.0; use `min`",
            id="an argument",
        ),
        pytest.param(
            "from jax.experimental.jet import lax\nlax.tie_in",
            "`jax.experimental.jet.lax.tie_in` was removed in JAX 0.4.29; it has had no effect since omnistaging: "
            "use its second argument itself",
            id="a name",
        ),
        pytest.param(
            "from jax.experimental.ode import jax as j\nj.tree_leaves(t)",
            "`jax.experimental.ode.jax.tree_leaves` was removed in JAX 0.6.0; use `jax.tree.leaves`",
            id="a name of jax itself",
        ),
    ],
)
def test_names_below_a_module_that_is_passed_on_are_those_of_the_module(code: str, message: str) -> None:
    assert [f.message for f in findings(code, "0.10.2")] == [message]


@pytest.mark.parametrize(
    "code",
    [
        "from jax.experimental.ode import jax as j\nj.jit(f)",
        "from jax.experimental.multihost_utils import jax\njax.tree_util.tree_map(f, t)",
        "from jax.experimental.sparse.bcoo import jnp, lax\njnp.ones(3), lax.exp(x)",
        "import jax.experimental.jet\njax.experimental.jet.lax.exp(x)",
    ],
)
def test_a_module_that_is_passed_on_is_as_good_as_itself(code: str) -> None:
    for target in ("0.4.30", "0.10.2"):
        check_quiet(code, target)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("class A:\n    xp = jnp\n    def f(self, y): return self.xp.trapz(y)", True, id="of the class"),
        pytest.param(
            "class A:\n    def __init__(self): self.xp = jnp\n    def f(self, y): return self.xp.trapz(y)",
            True,
            id="set by the constructor",
        ),
        pytest.param(
            "class A(B):\n    def __init__(self): self.xp = jnp\n    def f(self, y): return self.xp.trapz(y)",
            False,
            id="a base class may have its say",
        ),
        pytest.param(
            "class A:\n    xp = jnp\n    def f(self, y): return self.xp.trapz(y)\nclass C(A):\n    xp = numpy",
            False,
            id="another class has another",
        ),
        pytest.param(
            "class A:\n    xp = jnp\n    def f(self, y): return self.xp.trapz(y)\na = A()\na.xp = numpy",
            False,
            id="set from outside",
        ),
        pytest.param(
            "class A:\n    def __init__(self, xp=jnp): self.xp = xp\n    def f(self, y): return self.xp.trapz(y)",
            False,
            id="a parameter",
        ),
        pytest.param(
            "class A:\n    xp = jnp\n    def f(self, y):\n"
            "        if hasattr(self.xp, 'trapezoid'): return self.xp.trapezoid(y)\n        return self.xp.trapz(y)",
            False,
            id="asked for",
        ),
    ],
)
def test_a_module_that_an_object_holds(body: str, found: bool) -> None:
    assert bool(told(f"import numpy\nimport jax.numpy as jnp\n{body}\n")) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("OPTIONS = {'a_min': 0.0}\njnp.clip(x, **OPTIONS)", True, id="a dict of the module"),
        pytest.param("def f(x):\n    kw = dict(a_max=1.0)\n    return jnp.clip(x, **kw)", True, id="a local one"),
        pytest.param("OPTIONS = {'min': 0.0}\njnp.clip(x, **OPTIONS)", False, id="right keywords"),
        pytest.param("OPTIONS = {'a_min': 0.0}\nOPTIONS.pop('a_min')\njnp.clip(x, **OPTIONS)", False, id="changed"),
        pytest.param("OPTIONS = {'a_min': 0.0}\nfix(OPTIONS)\njnp.clip(x, **OPTIONS)", False, id="handed on"),
        pytest.param("OPTIONS = {'a_min': 0.0}\ndel OPTIONS['a_min']\njnp.clip(x, **OPTIONS)", False, id="deleted"),
        pytest.param("O = {'a_min': 0.0}\nif new:\n    O = {}\njnp.clip(x, **O)", False, id="bound twice"),
    ],
)
def test_keywords_of_a_dict_by_its_name(body: str, found: bool) -> None:
    assert bool(told(f"import jax.numpy as jnp\n{body}\n")) == found
