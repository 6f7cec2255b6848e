"""Reading releases: what a module binds, what warns, what only type checkers see; and the table made of many."""

from __future__ import annotations

import dataclasses
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from omnilint.api.build.namespace import read_namespace
from omnilint.api.build.release import Release, read_release
from omnilint.api.build.signature import arguments_text
from omnilint.api.build.table import is_private, merge, runs_of, write


def release_of(tmp_path: Path, files: dict[str, str], version: str = "1.0", wheel: bool = True) -> Release:
    """The table of a release made of these files."""
    if wheel:
        archive = tmp_path / f"jax-{version}-py3-none-any.whl"
        with zipfile.ZipFile(archive, "w") as z:
            for name, text in files.items():
                z.writestr(name, text)
    else:
        archive = tmp_path / f"jax-{version}.tar.gz"
        with tarfile.open(archive, "w:gz") as t:
            for name, text in files.items():
                info = tarfile.TarInfo(f"jax-{version}/{name}")
                info.size = len(text.encode())
                t.addfile(info, io.BytesIO(text.encode()))
    return read_release(archive, version)


def names(release: Release, module: str = "jax") -> set[str]:
    return set(release.modules[module])


DEPRECATIONS = """
from jax._src.core import new as new, old as _deprecated_old, hidden as hidden
_deprecations = {
  "old": ("jax.old is deprecated; "
          "use jax.new.", _deprecated_old),
  "gone": ("jax.gone was removed; use jax.new.", None),
}
import typing as _typing
if _typing.TYPE_CHECKING:
  from jax._src.core import typed as typed
else:
  from jax._src.deprecations import deprecation_getattr as _deprecation_getattr
  __getattr__ = _deprecation_getattr(__name__, _deprecations)
  del _deprecation_getattr
del hidden, _typing
"""


@pytest.mark.parametrize("wheel", [True, False], ids=["wheel", "source archive"])
def test_a_table_of_deprecations(tmp_path: Path, wheel: bool) -> None:
    core = "def new(a, b=1): ...\ndef old(a): ...\ndef hidden(): ...\ndef typed(): ...\n"
    release = release_of(tmp_path, {"jax/__init__.py": DEPRECATIONS, "jax/_src/core.py": core}, wheel=wheel)
    assert {"new", "old"} <= names(release)
    assert names(release).isdisjoint({"gone", "hidden", "typed", "_deprecation_getattr"})
    assert release.modules["jax"]["old"][3] == "jax.old is deprecated; use jax.new."
    assert release.modules["jax"]["new"][2:4] == ["a,b=", None]
    assert release.gone == {"jax": {"gone": "jax.gone was removed; use jax.new."}}


def test_modules_aliases_and_other_packages(tmp_path: Path) -> None:
    release = release_of(
        tmp_path,
        {
            "jax/__init__.py": "from jax import numpy\nfrom jax.interpreters import ad as ad\nimport numpy as np",
            "jax/numpy/__init__.py": "from jax._src.lax import *\nfrom jaxlib import xla_client as xc\nXla = xc.Xla",
            "jax/_src/lax.py": "__all__ = ['f']\n__all__ += ['_g']\ndef f(): ...\ndef _g(): ...\ndef h(): ...",
            "jax/interpreters/ad.py": "def jvp(): ...",
        },
    )
    assert release.modules["jax"]["ad"][:2] == ["m", "jax.interpreters.ad"]
    assert release.modules["jax"]["np"][:2] == ["x", "numpy"]
    assert release.modules["jax"]["_src"][:2] == ["m", "jax._src"]
    assert {"f", "_g", "Xla"} <= names(release, "jax.numpy")
    assert "h" not in names(release, "jax.numpy")
    assert release.modules["jax.numpy"]["Xla"][0] == "x"


def test_warnings_of_modules_and_of_functions(tmp_path: Path) -> None:
    release = release_of(
        tmp_path,
        {
            "jax/__init__.py": "import warnings\ndef shuffle(x):\n  msg = 'use permutation'\n"
            "  warnings.warn(msg, FutureWarning)\n  return x\n"
            "def f(x):\n  if x:\n    warnings.warn('m', FutureWarning)\n",
            "jax/maps.py": "import warnings\nwarnings.warn('jax.maps is deprecated')",
            "jax/bridge.py": "import warnings, sys\nif sys.platform == 'darwin':\n  warnings.warn('experimental')",
            "jax/lib.py": "from jax._src import deprecations as _d\n_d.warn('jax-lib', 'jax.lib goes', stacklevel=4)",
        },
    )
    assert release.warns == {"jax.maps": "jax.maps is deprecated", "jax.lib": "jax.lib goes"}
    assert release.modules["jax"]["shuffle"][4] == "use permutation"
    assert release.modules["jax"]["f"][4] is None


def test_a_written_getattr(tmp_path: Path) -> None:
    code = (
        "def __getattr__(attr):\n  import warnings\n  if attr in ['a', 'b']:\n"
        "    warnings.warn(f'jax.{attr} is old', FutureWarning)\n    return 1\n  if attr == 'c':\n    return 2\n"
        "  raise AttributeError(attr)"
    )
    release = release_of(tmp_path, {"jax/__init__.py": code})
    assert {"a", "b", "c"} <= names(release)
    assert release.modules["jax"]["b"][3] == "jax.b is old"
    assert release.modules["jax"]["c"][3] is None


def test_names_that_another_module_sets_and_names_bound_in_ways_that_cannot_be_read(tmp_path: Path) -> None:
    release = release_of(
        tmp_path,
        {
            "jax/__init__.py": "",
            "jax/xla.py": "put: Callable",
            "jax/dispatch.py": "from jax import xla\ndef put(): ...\nxla.put = put",
            "jax/numpy/__init__.py": "for f in (): globals()[f] = 1",
            "jax/linalg.py": "from jax.numpy import *",
        },
    )
    assert "put" in names(release, "jax.xla")
    assert set(release.dynamic) == {"jax.linalg", "jax.numpy"}


def test_a_module_that_raises_is_not_importable(tmp_path: Path) -> None:
    release = release_of(tmp_path, {"jax/__init__.py": "", "jax/old.py": "raise ImportError('gone')"})
    assert "jax.old" not in release.modules
    assert "old" not in names(release)


def test_options(tmp_path: Path) -> None:
    code = "x = define_bool_state(name='jax_enable_x64', default=False)\nflags.DEFINE_bool('jax_other', True, help='')"
    assert release_of(tmp_path, {"jax/__init__.py": code}).options == ["jax_enable_x64", "jax_other"]


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ("a, b=1, /, c=2, *, d, e=3, **k", "a,b=,/,c=,*,d,e=,**k"),
        ("*args, x", "*args,x"),
        ("a, old=DeprecatedArg()", "a,old!"),
        ("", ""),
    ],
)
def test_signatures(parameters: str, text: str) -> None:
    import ast

    node = ast.parse(f"def f({parameters}): ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert arguments_text(node.args) == text


@pytest.mark.parametrize(
    ("code", "signature"),
    [
        ("@partial(jit, static_argnums=0)\ndef f(a): ...", "a"),
        ("@ufunc_like(1)\ndef f(a): ...", None),
        ("class f:\n  def __init__(self, a, *, b=1): ...", "a,*,b="),
        ("class f(NamedTuple):\n  a: int\n  b: int = 1", "a,b="),
        ("@dataclass\nclass f:\n  a: int\n  b: int = 1", "a,b="),
        ("@dataclass\nclass f:\n  a: int = 1\n  _: KW_ONLY\n  b: int\n  c: int = 2", "a=,*,b,c="),
        ("@dataclass(kw_only=True)\nclass f:\n  a: int\n  b: list = field(default_factory=list)", "*,a,b="),
        ("@dataclass\nclass f:\n  a: int = field(kw_only=True)\n  b: int = field(repr=False)", "b,*,a"),
        ("def _f(a, *b, c=1): ...\n@functools.wraps(_f)\ndef f(*args, **kwargs): ...", "a,*b,c="),
        ("def _f(a): ...\n@wraps(_f)\ndef f(b, c=1): ...", "b,c="),
        ("@wraps(other)\ndef f(*args, **kwargs): ...", "*args,**kwargs"),
        ("@transformation\ndef f(a, b): ...", None),
        ("class f(Base):\n  x = 1", None),
        ("@overload\ndef f(a): ...\ndef f(b): ...", "b"),
    ],
)
def test_signatures_of_what_wraps_and_constructs(code: str, signature: str | None) -> None:
    assert read_namespace(code, "jax", "jax").names["f"].signature == signature


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param('def f():\n  """Text."""', True, id="its own"),
        pytest.param("def f(): ...", False, id="none"),
        pytest.param("def f():\n  'Text.'", True, id="quoted otherwise"),
        pytest.param("@jit\ndef f(): ...", False, id="a decorator that adds none"),
        pytest.param("@unknown\ndef f(): ...", None, id="a decorator that can't be read"),
        pytest.param('@unknown\ndef f():\n  """Text."""', True, id="its own below any decorator"),
        pytest.param("import numpy as np\n@_wraps(np.sin)\ndef f(): ...", True, id="NumPy's"),
        pytest.param("from scipy import special as sp\n@implements(sp.gamma)\ndef f(): ...", True, id="SciPy's"),
        pytest.param("import numpy as np\nf = _one_to_one_unop(np.sin, lax.sin)", True, id="NumPy's by a maker"),
        pytest.param("import numpy as np\nf = _wraps(np.sin)(lambda x: x)", True, id="NumPy's around a lambda"),
        pytest.param(
            "import numpy as np\n@_wraps(getattr(np, 'sin', None))\ndef f(): ...", None, id="depends on NumPy"
        ),
        pytest.param('def g():\n  """Text."""\n@wraps(g)\ndef f(): ...', True, id="of what it wraps"),
        pytest.param("def g(): ...\n@wraps(g)\ndef f(): ...", False, id="none of what it wraps"),
        pytest.param('def g():\n  """Text."""\nf = jit(g)', True, id="of what is jitted"),
        pytest.param("f = 3", None, id="a value"),
        pytest.param("def f(): ...\nf.__doc__ = 'Text.'", True, id="set afterwards"),
        pytest.param('class f:\n  """Text."""', True, id="a class"),
        pytest.param('class f:\n  """Text."""\nclass f(f): ...', True, id="another form of a documented class"),
        pytest.param("class f(NamedTuple):\n  a: int", False, id="what Python writes itself doesn't count"),
    ],
)
def test_what_is_documented(code: str, expected: bool | None) -> None:
    assert read_namespace(code, "jax", "jax").names["f"].documented is expected


def test_names_are_documented_by_what_they_lead_to(tmp_path: Path) -> None:
    release = release_of(
        tmp_path,
        {
            "jax/__init__.py": "from jax._src.core import f as g, h\nimport numpy as np\nfrom jax import lax",
            "jax/_src/core.py": 'def f():\n  """Text."""\ndef h(): ...',
            "jax/lax.py": '"""Text."""',
        },
    )
    assert {n: release.modules["jax"][n][5] for n in ("g", "h", "np", "lax", "_src")} == {
        "g": True, "h": False, "np": None, "lax": True, "_src": False,
    }  # fmt: skip
    assert release.documented == ["jax.lax"]


def test_the_table_says_in_which_releases_a_name_is_documented(tmp_path: Path) -> None:
    bodies = ("...", "'Text.'", "'Text.'", "...")
    tables = []
    for i, body in enumerate(bodies):
        files = {"jax/__init__.py": f"def f(): {body}\ndef g(): 'Text.'\nx = 1"}
        tables.append(dataclasses.asdict(release_of(tmp_path, files, f"1.{i}")))
    data = merge(tables)["names"]
    names = [n for text in data["modules"]["jax"].values() for n in text.split(" ")]
    told = dict(zip(names, data["documented"]["jax"].split(), strict=True))
    assert {n: data["documents"][int(i)] for n, i in told.items()} == {
        "": [0, 0], "f": [0, 0, 1, 1, 3, 0], "g": [0, 1], "x": [0, -1],
    }  # fmt: skip


def test_runs() -> None:
    assert runs_of([False, True, True, False, True]) == "1-2 4-"
    assert runs_of([True, False]) == "0-0"
    assert runs_of([False]) == ""


def test_private_names() -> None:
    assert [is_private(n) for n in ("jax._src.core", "jax.lax._f", "jax.__version__", "jax.numpy.sum")] == [
        True, True, False, False,
    ]  # fmt: skip


def test_the_same_releases_give_the_same_bytes(tmp_path: Path) -> None:
    def table(version: str, extra: str) -> dict[str, Any]:
        files = {"jax/__init__.py": f"def f(a{extra}): ...\ndef g_{extra[-1:] or 'x'}(): ..."}
        folder = tmp_path / version
        folder.mkdir(exist_ok=True)
        return dataclasses.asdict(release_of(folder, files, version))

    parts = merge([table("1.0", ""), table("1.1", ",b")])
    write(parts, tmp_path)
    first = (tmp_path / "jax_api_names.json.xz").read_bytes()
    write(merge([table("1.0", ""), table("1.1", ",b")]), tmp_path)
    assert (tmp_path / "jax_api_names.json.xz").read_bytes() == first
    data = json.loads(lzma.decompress(first))
    lives = data["lives"]
    found = {n: lives[int(k)] for k, text in data["modules"]["jax"].items() for n in text.split(" ")}
    assert found == {"": "0-", "f": "0-", "g_x": "0-0", "g_b": "1-"}
    assert data["releases"] == ["1.0", "1.1"]


@pytest.mark.parametrize(
    ("wrapper", "signature"), [("jit(f, static_argnums=0)", "a,b="), ("partial(f, 1)", None), ("other(f)", None)]
)
def test_signatures_of_wrapped_functions(wrapper: str, signature: str | None) -> None:
    assert read_namespace(f"def f(a, b=1): ...\ng = {wrapper}", "jax", "jax").names["g"].signature == signature


@pytest.mark.parametrize(
    ("code", "there", "warns"),
    [
        pytest.param("del rules[lax.tie_p]", True, None, id="an item that is deleted by a name"),
        pytest.param("del lax, core", False, None, id="several names that are deleted"),
        pytest.param("del (lax)", False, None, id="a name in parentheses"),
        pytest.param(
            "try:\n  start()\nexcept Exception as e:\n  warnings.warn(f'failed: {e}')",
            True,
            None,
            id="a warning of what went wrong",
        ),
        pytest.param("warnings.warn('old is deprecated')", True, "old is deprecated", id="a warning of the module"),
        pytest.param("if __name__ == '__main__':\n  del lax\n  args = 1", True, None, id="what only a script does"),
    ],
)
def test_what_a_module_binds_and_says_when_it_is_imported(code: str, there: bool, warns: str | None) -> None:
    start = "import warnings\nfrom jax import core\nfrom jax._src.lax import lax\n"
    ns = read_namespace(start + code, "jax.old", "jax")
    assert ("lax" in ns.names, ns.warns) == (there, warns)
    assert "args" not in ns.names
