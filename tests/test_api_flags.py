"""Flags that say what a release of JAX has: of another module of the project, of a class, of a function."""

from __future__ import annotations

import os

import pytest

from omnilint.api.target import Target
from omnilint.hazards.internal import find
from omnilint.index.project import Project
from omnilint.model import Source

QUIET = "OMN404"


def codes(target: str = "0.10.2", /, **files: str) -> list[str]:
    """What is said of the modules of a package `q`, by file name, with `use` the last one."""
    base = os.path.abspath("project/q")
    named = {"__init__": "", **files}
    exists = {f"{base}/{name}.py" for name in named}
    project = Project()
    modules = [project.add(Source(f"{base}/{n}.py", text, file=f"{base}/{n}.py"), exists) for n, text in named.items()]
    return [f.code for m in modules for f in find(m, Target.parse(target), project) if f.code != QUIET]


TRIED = """
try:
    from jax.experimental import maps
    HAVE = True
except ImportError:
    HAVE = False
"""
USE = "    from jax.experimental import maps\n"
XMAP = "    from jax.experimental.maps import xmap\n"
# What the flag is true for, and how it is found out.
FLAGS = [
    pytest.param(TRIED, id="tried import"),
    pytest.param("import jax\nHAVE = hasattr(jax.experimental, 'maps')\n", id="hasattr"),
    pytest.param("import jax\nHAVE = not hasattr(jax, 'shard_map')\n", id="not hasattr"),
    pytest.param("import jax\nHAVE = jax.__version_info__ < (0, 4, 36)\n", id="version"),
    pytest.param("from jax import __version_info__\nHAVE = __version_info__ < (0, 4, 36)\n", id="imported version"),
    pytest.param("import jax\nV = tuple(map(int, jax.__version__.split('.')))\nHAVE = V < (0, 5)\n", id="in two steps"),
    pytest.param(
        "import jax\nHAVE = False\nif hasattr(jax.experimental, 'maps'):\n    HAVE = True\n", id="set in a branch"
    ),
    pytest.param("import jax\nfrom os import environ\nHAVE = check(jax.__version__)\n", id="unreadable"),
    pytest.param("import jax\nHAVE = supports('maps')\nOLD = hasattr(jax, 'xla')\n", id="beside a probe"),
]


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize(
    "use",
    [
        pytest.param("from ._compat import HAVE\nif HAVE:\n" + USE, id="name"),
        pytest.param("from . import _compat\nif _compat.HAVE:\n" + USE, id="attribute"),
        pytest.param("import q._compat\nif q._compat.HAVE:\n" + USE, id="absolute"),
        pytest.param("from q import _compat as c\nif c.HAVE and True:\n" + USE, id="module by another name"),
        pytest.param("from ._compat import HAVE as OLD\nif OLD:\n" + USE, id="by another name"),
        pytest.param("from ._compat import *\nif HAVE:\n" + USE, id="star"),
        pytest.param("from ._compat import HAVE\nif not HAVE:\n    raise ImportError\nelse:\n" + USE, id="else"),
        pytest.param("from ._compat import HAVE\nOWN = HAVE\nif OWN:\n" + USE, id="alias"),
        pytest.param("def f():\n  from ._compat import HAVE\n  if HAVE:\n" + USE, id="in a function"),
    ],
)
def test_a_flag_of_another_module_guards(flag: str, use: str) -> None:
    assert codes(_compat=flag, use=use) == []


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("passed", ["from ._compat import HAVE\n", "from ._compat import *\n", "from .more import *\n"])
def test_a_flag_that_other_modules_pass_on_guards(flag: str, passed: str) -> None:
    more = "from ._compat import *\n"
    assert codes(_compat=flag, more=more, __init__=passed, use="import q\nif q.HAVE:\n" + USE) == []
    assert codes(_compat=flag, more=more, __init__=passed, use="from q import HAVE\nif HAVE:\n" + USE) == []


HELPERS = [
    pytest.param("import jax\ndef has_maps():\n  return hasattr(jax.experimental, 'maps')\n", id="hasattr"),
    pytest.param("import jax\ndef has_maps():\n  '''Old?'''\n  return jax.__version_info__ < (0, 5)\n", id="docstring"),
    pytest.param(
        "def has_maps():\n  try:\n    from jax.experimental import maps\n    return True\n  except ImportError:\n"
        "    return False\n",
        id="tried import",
    ),
    pytest.param(
        "def has_maps():\n  try:\n    from jax.experimental import maps\n  except ImportError:\n    return False\n"
        "  return True\n",
        id="tried import, then",
    ),
    pytest.param(
        "import jax\ndef has_maps():\n  if hasattr(jax, 'shard_map'):\n    return False\n  return True\n", id="branches"
    ),
    pytest.param(
        "import functools\nimport jax\n@functools.lru_cache\ndef has_maps():\n"
        "  v = tuple(int(p) for p in jax.__version__.split('.'))\n  return v < (0, 5)\n",
        id="local variable",
    ),
    pytest.param(
        "import jax\ndef has_maps():\n  for n in NAMES:\n    if hasattr(jax.experimental, n):\n      return True\n",
        id="a loop",
    ),
]


@pytest.mark.parametrize("helper", HELPERS)
def test_a_function_that_asks_for_a_name_guards(helper: str) -> None:
    assert codes(use=helper + "if has_maps():\n" + USE) == []
    assert codes(_compat=helper, use="from ._compat import has_maps\nif has_maps():\n" + USE) == []
    assert codes(_compat=helper, use="from . import _compat\nif _compat.has_maps():\n" + USE) == []


@pytest.mark.parametrize(
    "helper",
    [
        "import jax\ndef before(v):\n  return jax.__version_info__ < v\n",
        "import jax\ndef before(v):\n  mine = jax.__version_info__\n  return mine < v\n",
    ],
)
def test_a_function_that_compares_the_version_guards(helper: str) -> None:
    assert codes(_compat=helper, use="from ._compat import before\nif before((0, 4, 36)):\n" + USE) == []


def test_a_function_that_compares_the_version_with_what_lets_the_target_in() -> None:
    helper = "import jax\ndef before(v):\n  return jax.__version_info__ < v\n"
    assert codes(_compat=helper, use="from ._compat import before\nif before((2, 0)):\n" + USE) == ["OMN401"]


@pytest.mark.parametrize(
    ("flag", "use"),
    [
        pytest.param(TRIED, "from ._compat import HAVE\nif not HAVE:\n" + USE, id="the wrong branch"),
        pytest.param(
            "import jax\nHAVE = hasattr(jax, 'jit')\n", "from ._compat import HAVE\nif HAVE:\n" + USE, id="true"
        ),
        pytest.param("import jax\nDEBUG = False\n", "from ._compat import DEBUG\nif DEBUG:\n" + USE, id="constant"),
        pytest.param(
            "import os\nDEBUG = os.environ.get('D')\n",
            "from ._compat import DEBUG\nif DEBUG:\n" + USE,
            id="environment",
        ),
        pytest.param(
            "import jax\nOLD = hasattr(jax, 'xla')\nDEBUG = False\n",
            "from ._compat import DEBUG\nif not DEBUG:\n" + USE,
            id="constant beside a probe",
        ),
        pytest.param(
            "def is_array(x):\n  return hasattr(x, 'shape')\n",
            "from ._compat import is_array\ndef f(x):\n  if is_array(x):\n" + USE,
            id="function of something else",
        ),
    ],
)
def test_a_flag_that_says_nothing_guards_nothing(flag: str, use: str) -> None:
    assert codes(_compat=flag, use=use) == ["OMN401"]


def test_modules_whose_flags_name_each_other() -> None:
    here, there = "from .use import HAVE\n", "from ._compat import HAVE\nif HAVE:\n" + USE
    assert codes(_compat=here, use=there) == ["OMN401"]


def test_names_that_a_module_sets_where_a_flag_of_its_own_says_so() -> None:
    shim = "import jax\ntry:\n  from jax import tree_map\n  HAVE = True\nexcept ImportError:\n  HAVE = False\n"
    shim += "if not HAVE:\n  jax.tree_map = jax.tree.map\n"
    assert codes(_compat=shim, use="import jax\nfrom . import _compat\njax.tree_map(f, t)\n") == []


CLASSES = [
    pytest.param("HAS = hasattr(jax, 'tree_map')", "self.HAS", id="of the class"),
    pytest.param("HAS = jax.__version_info__ < (0, 6)", "self.HAS", id="version"),
    pytest.param("HAS = hasattr(jax, 'tree_map')", "C.HAS", id="by the class's name"),
    pytest.param("HAS = hasattr(jax, 'tree_map')", "type(self).HAS", id="by type"),
    pytest.param("HAS = hasattr(jax, 'tree_map')", "self.__class__.HAS", id="by its class"),
    pytest.param("def __init__(self):\n    self.HAS = hasattr(jax, 'tree_map')", "self.HAS", id="set by a method"),
    pytest.param("@property\n  def HAS(self):\n    return hasattr(jax, 'tree_map')", "self.HAS", id="property"),
    pytest.param("def has(self):\n    return hasattr(jax, 'tree_map')", "self.has()", id="method"),
    pytest.param("@staticmethod\n  def has():\n    return hasattr(jax, 'tree_map')", "self.has()", id="static method"),
    pytest.param("HAS = bool(check(jax.__version__))", "self.HAS", id="unreadable"),
]


@pytest.mark.parametrize(("body", "test"), CLASSES)
def test_a_flag_of_a_class_guards(body: str, test: str) -> None:
    method = f"  def f(self, g, t):\n    if {test}:\n      return jax.tree_map(g, t)\n"
    assert codes(use=f"import jax\nclass C:\n  {body}\n{method}") == []
    assert codes(use=f"import jax\nclass B:\n  {body}\nclass C(B):\n{method}") == []
    base = f"import jax\nclass B:\n  {body}\n"
    assert codes(_compat=base, use=f"import jax\nfrom ._compat import B\nclass C(B):\n{method}") == []


@pytest.mark.parametrize(
    "code",
    [
        "class Caps:\n  tree = hasattr(jax, 'tree_map')\nif Caps.tree:\n  jax.tree_map(f, t)\n",
        "class Caps:\n  tree = hasattr(jax, 'tree_map')\ncaps = Caps()\nif caps.tree:\n  jax.tree_map(f, t)\n",
        "from types import SimpleNamespace\ncaps = SimpleNamespace(tree=hasattr(jax, 'tree_map'))\n"
        "if caps.tree:\n  jax.tree_map(f, t)\n",
        "caps = {'tree': hasattr(jax, 'tree_map')}\nif caps['tree']:\n  jax.tree_map(f, t)\n",
        "if callable(getattr(jax, 'tree_map', None)):\n  jax.tree_map(f, t)\n",
        "if bool(getattr(jax, 'tree_map', False)):\n  jax.tree_map(f, t)\n",
        "import types\nif isinstance(getattr(jax, 'tree_map', None), types.FunctionType):\n  jax.tree_map(f, t)\n",
        "if any(hasattr(jax, n) for n in ('tree_map', 'tree_multimap')):\n  jax.tree_map(f, t)\n",
        "if all((hasattr(jax, 'tree_map'), True)):\n  jax.tree_map(f, t)\n",
    ],
)
def test_other_ways_to_keep_what_a_probe_says(code: str) -> None:
    assert codes(use="import jax\n" + code) == []
    head, _, test = code.rpartition("if ")
    if head and not head.startswith("import"):
        held = test.partition("[")[0].partition(".")[0]
        assert codes(_compat="import jax\n" + head, use=f"import jax\nfrom ._compat import {held}\nif {test}") == []


@pytest.mark.parametrize(
    "code",
    [
        "class C:\n  HAS = hasattr(jax, 'jit')\n  def f(self):\n    if self.HAS:\n      jax.tree_map(f, t)\n",
        "class C:\n  HAS = True\n  def f(self):\n    if self.HAS:\n      jax.tree_map(f, t)\n",
        "class C:\n  def __init__(self, n):\n    self.n = n\n"
        "  def g(self):\n    if self.n:\n      jax.tree_map(f, t)\n",
        "class C:\n  def f(self):\n    if self.training:\n      jax.tree_map(f, t)\n",
        "if callable(getattr(jax, 'jit', None)):\n  jax.tree_map(f, t)\n",
        "def f(g, t):\n  if callable(g):\n    jax.tree_map(g, t)\n",
    ],
)
def test_what_is_no_flag_of_the_release_guards_nothing(code: str) -> None:
    assert codes(use="import jax\n" + code) == ["OMN401"]


@pytest.mark.parametrize(
    ("use", "reported"),
    [
        pytest.param("from ._compat import HAVE_MAPS\nif HAVE_MAPS:\n" + USE, False, id="name"),
        pytest.param("from . import _compat\nif not _compat.HAS_SHARD_MAP:\n" + USE, False, id="attribute"),
        pytest.param("from q._compat import has_maps\nif has_maps():\n" + USE, False, id="function"),
        pytest.param("from ._compat import SUPPORTS\nif SUPPORTS:\n" + USE, False, id="one word"),
        pytest.param("from ._compat import *\nif HAVE_MAPS:\n" + USE, False, id="star"),
        pytest.param("from ._compat import MAPS_AVAILABLE\nif MAPS_AVAILABLE:\n" + USE, False, id="word at its end"),
        pytest.param("from ._compat import maps_ok\nif not maps_ok:\n  raise E\nelse:\n" + USE, False, id="any word"),
        pytest.param("from . import _compat\nif _compat.IS_LEGACY:\n" + USE, False, id="attribute, any word"),
        pytest.param("import q._compat\nif q._compat.tm_ok:\n" + USE, False, id="absolute, any word"),
        pytest.param("from ._compat import maps\nif maps is not None:\n" + XMAP, False, id="None without it"),
        pytest.param("from ._compat import MODE\nif MODE == 'old':\n" + USE, False, id="compared"),
        pytest.param("from ._compat import before\nif before((0, 5)):\n" + USE, False, id="asked with a tuple"),
        pytest.param("from ._compat import before\nif before('0.5'):\n" + USE, False, id="asked with constants"),
        pytest.param(
            "try:\n  from ._compat import ok\nexcept ImportError:\n  ok = False\nif ok:\n" + USE, False, id="tried"
        ),
        pytest.param("from .kinds import A\ndef f(x):\n  if isinstance(x, A):\n" + USE, True, id="class"),
        pytest.param("from .config import DEBUG\nif DEBUG:\n" + USE, True, id="another flag"),
        pytest.param("from other import HAVE_MAPS\nif HAVE_MAPS:\n" + USE, True, id="of another package"),
        pytest.param("from .arrays import has_shape\ndef f(x):\n  if has_shape(x):\n" + USE, True, id="of a value"),
    ],
)
def test_a_flag_of_a_module_that_is_not_among_the_files(use: str, reported: bool) -> None:
    assert codes(use=use) == (["OMN401"] if reported else [])


def test_a_flag_of_a_module_beside_it_in_a_folder_that_is_no_package() -> None:
    base = os.path.abspath("project/scripts")
    texts = {"_compat": TRIED, "use": "from ._compat import HAVE\nif not HAVE:\n" + USE}
    files = {f"{base}/{name}.py": text for name, text in texts.items()}
    project = Project()
    modules = [project.add(Source(file, text, file=file), set(files)) for file, text in files.items()]
    assert [f.code for f in find(modules[1], Target.parse("0.4.30"), project)] == []
    assert [f.code for f in find(modules[1], Target.parse("0.10.2"), project)] == ["OMN401"]


MARK = "pytest.mark.skipif(not hasattr(jax, 'tree_map'), reason='')"


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        pytest.param(f"old = {MARK}\n@old\ndef test_x():\n  jax.tree_map(f, t)\n", False, id="kept in a name"),
        pytest.param(f"pytestmark = {MARK}\ndef test_x():\n  jax.tree_map(f, t)\n", False, id="of the module"),
        pytest.param(f"pytestmark = [{MARK}]\ndef test_x():\n  jax.tree_map(f, t)\n", False, id="among others"),
        pytest.param(f"pytestmark = {MARK}\njax.tree_map(f, t)\n", True, id="no test"),
        pytest.param("old = pytest.mark.slow\n@old\ndef test_x():\n  jax.tree_map(f, t)\n", True, id="another mark"),
        pytest.param("@jax.jit\ndef f(t):\n  return jax.tree_map(g, t)\n", True, id="no mark"),
        pytest.param("from .x import deco\n@deco\ndef f(t):\n  return jax.tree_map(g, t)\n", True, id="decorator"),
        pytest.param(
            "try:\n  from jax import jit\nexcept ImportError:\n  jit = None\n@jit\ndef f(t):\n  jax.tree_map(g, t)\n",
            True,
            id="tried decorator",
        ),
    ],
)
def test_marks_that_skip_a_test(code: str, reported: bool) -> None:
    assert codes(use="import jax\nimport pytest\n" + code) == (["OMN401"] if reported else [])


@pytest.mark.parametrize("use", ["from ._compat import old\n@old\n", "from . import _compat\n@_compat.old\n"])
def test_a_mark_of_another_module_that_skips_a_test(use: str) -> None:
    compat = f"import jax\nimport pytest\nold = {MARK}\n"
    assert codes(_compat=compat, use=f"import jax\n{use}def test_x():\n  jax.tree_map(f, t)\n") == []


NONE = "try:\n  from jax.experimental import maps\nexcept ImportError:\n  maps = None\n"


@pytest.mark.parametrize(
    "compat",
    [
        pytest.param(NONE, id="tried"),
        pytest.param(
            NONE.replace("maps\nexcept", "maps as _m\nexcept").replace("maps =", "_m =") + "maps = _m\n", id="alias"
        ),
        pytest.param("import jax\nmaps = getattr(jax.experimental, 'maps', None)\n", id="getattr"),
        pytest.param(
            "import jax\nif hasattr(jax.experimental, 'maps'):\n  from jax.experimental import maps\n"
            "else:\n  maps = None\n",
            id="asked for",
        ),
    ],
)
@pytest.mark.parametrize(
    "use",
    [
        pytest.param("if {m} is not None:\n", id="is not None"),
        pytest.param("if {m}:\n", id="true"),
        pytest.param("HAVE = {m} is not None\nif HAVE:\n", id="flag"),
        pytest.param("if {m} is None:\n  raise ImportError\nif True:\n", id="raise"),
        pytest.param("if {m} is None:\n  xmap = None\nelse:\n", id="else"),
    ],
)
def test_a_name_of_jax_that_is_none_where_jax_lacks_it(compat: str, use: str) -> None:
    own = compat + use.format(m="maps") + XMAP
    assert codes(use=own) == []
    assert codes(_compat=compat, use="from ._compat import maps\n" + use.format(m="maps") + XMAP) == []
    assert codes(_compat=compat, use="from . import _compat\n" + use.format(m="_compat.maps") + XMAP) == []
    passed = "from ._compat import maps\n"
    assert codes(_compat=compat, more=passed, use="from .more import maps\n" + use.format(m="maps") + XMAP) == []


@pytest.mark.parametrize("use", ["if maps is None:\n", "if not maps:\n", "if jnp is not None:\n", "if jnp:\n"])
def test_a_name_of_jax_that_is_there_or_is_asked_for_the_wrong_way(use: str) -> None:
    compat = NONE + "import jax.numpy as jnp\n"
    assert codes(_compat=compat, use="from ._compat import maps, jnp\n" + use + XMAP) == ["OMN401"]


TORCH = "try:\n  import torch\n  HAVE = True\nexcept ImportError:\n  HAVE = False\n"


@pytest.mark.parametrize(
    "flag",
    [
        pytest.param(TORCH, id="import"),
        pytest.param(TORCH.replace("import torch", "from torch.cuda import amp"), id="from"),
        pytest.param("try:\n  import torch\nexcept ImportError:\n  HAVE = False\nelse:\n  HAVE = True\n", id="else"),
        pytest.param(TORCH.replace("HAVE = True", "HAVE = torch.cuda.is_available()"), id="call"),
        pytest.param("HAVE = False\n" + TORCH.replace("HAVE = False", "pass"), id="set before"),
        pytest.param(TORCH + "import jax\nOLD = hasattr(jax, 'xla')\n", id="beside a probe"),
        pytest.param(TORCH.replace("import torch", "import torch\n  torch.x.y"), id="attribute"),
    ],
)
@pytest.mark.parametrize("test", ["HAVE", "not HAVE"])
def test_a_flag_of_another_library_guards_nothing(flag: str, test: str) -> None:
    assert codes(use=f"{flag}if {test}:\n" + USE) == ["OMN401"]
    assert codes(_compat=flag, use=f"from ._compat import HAVE\nif {test}:\n" + USE) == ["OMN401"]
    assert codes(_compat=flag, use="from . import _compat\nif _compat.HAVE:\n" + USE) == ["OMN401"]
    mark = flag + "import pytest\nold = pytest.mark.skipif(not HAVE, reason='')\n"
    skipped = "from ._compat import old\n@old\ndef test_x():\n" + USE
    assert codes(_compat=mark, use=skipped) == ["OMN401"]


@pytest.mark.parametrize(
    "tried",
    [
        pytest.param("x.device_buffer", id="an object that may be JAX's"),
        pytest.param("from .maps import f", id="of the project"),
        pytest.param("from q.maps import f", id="of the project, absolute"),
        pytest.param("__import__('jax.experimental.maps')", id="by a string"),
        pytest.param("import importlib\n  importlib.import_module(NAME)", id="by a name"),
        pytest.param("import jaxlib.xla_extension", id="jaxlib"),
        pytest.param("import torch\n  from jax.experimental import maps", id="of both"),
        pytest.param("import torch\n  if OLD:\n    raise ImportError", id="under a condition"),
    ],
)
def test_a_flag_of_what_may_be_of_jax_guards(tried: str) -> None:
    flag = f"try:\n  {tried}\n  HAVE = True\nexcept Exception:\n  HAVE = False\n"
    assert codes(use=f"{flag}if HAVE:\n" + USE) == []
