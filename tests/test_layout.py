"""The parts of a module that answers depend on: its face, each body, and the lines that everything moved to."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from omnilint import pipeline
from omnilint.analysis.session import Part, Session
from omnilint.cache.layout import FACE, layout
from omnilint.cache.store import Store
from omnilint.config import Settings
from omnilint.index.module import index_module
from omnilint.model import Source
from tests.test_cache import told

TEXT = '''\
import jax

SIZE = 3
WORDS = """
# no comment

"""


# a comment
@jax.jit
def outer(x, y=SIZE):
    # why
    z = """
    # no comment either
    """

    def inner(v):
        return v + y

    return inner(x)


class Box(object):
    kind = "plain"

    def __init__(self, held):
        self.held = held

    @property
    def twice(self):
        if self.held:

            return 2
        # else
        return 0


def short(x): return x
'''


def cut(text: str) -> tuple[str, list[str]]:
    """The face, and the bodies in order."""
    made = layout(index_module(Source("a.py", text), "a"))
    return made.face(()), [body for _, body in made.inside(range(1, len(made.parts)))]


def test_the_parts_of_a_module() -> None:
    made = layout(index_module(Source("a.py", TEXT), "a"))
    face, *bodies = (made.text(n).splitlines() for n in range(len(made.parts)))
    assert [line for line in face if "def " in line] == [
        *("def outer(x, y=SIZE):", "    def __init__(self, held):", "    def twice(self):", "def short(x): return x"),
    ]
    assert "# no comment" in face
    assert "# a comment" not in face
    assert [body[0].strip() for body in bodies] == ['z = """', "self.held = held", "if self.held:"]
    assert "    # no comment either" in bodies[0]
    assert "" in bodies[2]  # between a header and what it heads


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("# a comment\n", "", id="a comment is gone"),
        pytest.param("# why\n", "# why\n\n    # really\n", id="comments in a body"),
        pytest.param("\n\nclass Box", "\n\n\n\n# far\nclass Box", id="blank lines"),
        pytest.param("        # else\n", "\n\n", id="a comment in a method"),
    ],
)
def test_what_only_moves_lines_changes_nothing(old: str, new: str) -> None:
    changed = TEXT.replace(old, new, 1)
    assert changed != TEXT
    assert cut(changed) == cut(TEXT)


@pytest.mark.parametrize(
    ("old", "new", "face", "body"),
    [
        pytest.param("return v + y", "return v - y", False, 0, id="a function inside of a function"),
        pytest.param("return 2", "return 3", False, 2, id="the body of a method"),
        pytest.param(
            "    # no comment either", "    # another text", False, 0, id="a string that looks like a comment"
        ),
        pytest.param("SIZE = 3", "SIZE = 4", True, None, id="the top level"),
        pytest.param("# no comment\n", "# another text\n", True, None, id="a string of the top level"),
        pytest.param("@jax.jit\n", "", True, None, id="a decorator"),
        pytest.param("y=SIZE", "y=0", True, None, id="a default"),
        pytest.param("def twice(self)", "def twice(self) -> int", True, None, id="an annotation"),
        pytest.param('kind = "plain"', 'kind = "other"', True, None, id="an attribute of a class"),
        pytest.param("self.held = held", "self.owned = held", True, 1, id="which attributes a method sets"),
        pytest.param("return 2", "import math", True, 2, id="an import in a body"),
        pytest.param("return 2", "global SIZE", True, 2, id="a global in a body"),
        pytest.param(
            "def short(x): return x", "def short(x): return 2", True, None, id="a body on the line of its def"
        ),
        pytest.param(
            "\n\ndef short", "\n\ndef more(x):\n    return x\n\n\ndef short", True, None, id="one more function"
        ),
    ],
)
def test_what_a_change_is_a_change_of(old: str, new: str, face: bool, body: int | None) -> None:
    before, after = cut(TEXT), cut(TEXT.replace(old, new, 1))
    assert (before[0] != after[0]) is face
    different = [n for n, (one, other) in enumerate(zip(before[1], after[1], strict=False)) if one != other]
    assert different == ([] if body is None else [body])


def test_the_body_of_a_function_that_imports_enter_is_part_of_the_face() -> None:
    made, other = (layout(index_module(Source("a.py", t), "a")) for t in (TEXT, TEXT.replace("v + y", "v - y")))
    line = next(iter(made.bodies))
    assert made.face([]) == other.face([])
    assert made.face([line]) != other.face([line])


def test_lines_are_found_where_they_moved_to() -> None:
    before = layout(index_module(Source("a.py", TEXT), "a"))
    text = TEXT.replace("# a comment\n", "").replace("# why\n", "# why\n    # and\n    # how\n")
    after = layout(index_module(Source("a.py", text), "a"))
    everything = range(len(before.parts))
    for n, line in enumerate(TEXT.splitlines(), 1):
        there = after.moved(n, before.runs(), everything)
        if there is None:
            assert line.strip()[:1] in ("", "#")
        else:
            assert text.splitlines()[there - 1] == line
    place = TEXT.splitlines().index("    return inner(x)") + 1
    assert after.moved(place, before.runs(), [FACE]) is None


CORE = """\
import jax
import jax.numpy as jnp


def registered(table):
    def note(f):
        table.append(f)
        return f
    return note


TABLE = []


@registered(TABLE)
def helper_{n}(x, k=1):
    y = x * k
    return y


class Layer:
    size = 2

    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        h = helper_{n}(x, self.k)
        return h

    def unused(self, x):
        h = x
        return h


def step_{n}(x):
    from pkg.m{next} import Layer as Other
    z = Other(2)(x)
    return Layer(3)(z)


run_{n} = jax.jit(step_{n})
"""
LINES = (
    *(
        "if x > 0:\n{pad}    x = -x",
        "x = jnp.zeros(x.shape[0])",
        "x = float(x)",
        "# a comment",
        "",
        "x = x.reshape(jnp.prod(x))",
    ),
    *(
        "x = x + 1",
        "x = 2.0  # noqa",
        "TABLE.append(x)",
        "x = [v for v in x]",
        "if x > 0: pass  # omnilint: ignore[CONC]",
    ),
)
COUNT = 6


def edit(folder: Path, rng: random.Random) -> str:
    """A line more or less in a body, or between functions."""
    file = folder / "pkg" / f"m{rng.randrange(COUNT)}.py"
    lines = file.read_text().split("\n")
    at = rng.choice([i for i, line in enumerate(lines) if line.strip().startswith(("y =", "h =", "z =", "return "))])
    pad = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    where = rng.choice(["body", "body", "body", "above", "less", "top"])
    if where == "body":
        lines[at:at] = (pad + rng.choice(LINES).format(pad=pad)).split("\n")
    elif where == "above":
        lines[0:0] = ["# above", ""]
    elif where == "less":
        lines[at] = pad + "return x"
    else:
        lines.append(rng.choice(["run_x = jax.jit(step_0)" if "m0" in file.name else "OTHER = 1", "# end"]))
    file.write_text("\n".join(lines))
    return f"{file.name}:{at + 1} {where}"


@pytest.mark.parametrize("seed", range(5))
def test_answers_outlive_changes_that_they_do_not_depend_on(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(seed)
    (tmp_path / "project/pkg").mkdir(parents=True)
    (tmp_path / "project/pkg/__init__.py").write_text("")
    for n in range(COUNT):
        (tmp_path / "project/pkg" / f"m{n}.py").write_text(CORE.format(n=n, next=(n + 1 + seed % 2) % COUNT))
    monkeypatch.setattr("omnilint.analysis.session.TOGETHER", 1)
    store = Store(tmp_path / "cache")
    pipeline.check(["project"], Settings(), cache=store)
    for _ in range(12):
        done = [edit(tmp_path / "project", rng) for _ in range(rng.choice([1, 1, 2]))]
        warm, cold = pipeline.check(["project"], Settings(), cache=store), pipeline.check(["project"], Settings())
        assert told(warm) == told(cold), done


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        pytest.param("import jax\n", "# moved\n\nimport jax\n", [], id="lines move"),
        pytest.param("    y = x * k\n", "    # why\n\n    y = x * k\n", [], id="a comment in a body"),
        pytest.param("        h = x\n", "        h = 2 * x\n", [], id="the body of a function that nobody calls"),
        pytest.param("    y = x * k\n", "    y = x + k\n", ["m0", "m1"], id="a body that the next one enters too"),
    ],
)
def test_what_is_worked_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, again: list[str]
) -> None:
    """Of three modules, the second calls the first, and all three are parts of their own."""
    monkeypatch.setattr("omnilint.analysis.session.TOGETHER", 1)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("")
    for n in range(3):
        (tmp_path / "pkg" / f"m{n}.py").write_text(CORE.format(n=n, next=0 if n == 1 else n))
    store = Store(tmp_path / "cache")
    settings = Settings()
    pipeline.check([str(tmp_path / "pkg")], settings, cache=store)
    ran: list[str] = []
    generic = Session.generic

    def counted(self: Session, key: str) -> Part:
        ran.append(Path(key.rpartition(":")[0]).stem)
        return generic(self, key)

    monkeypatch.setattr(Session, "generic", counted)
    file = tmp_path / "pkg/m0.py"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    warm = pipeline.check([str(tmp_path / "pkg")], settings, cache=store)
    assert ran == again
    monkeypatch.setattr(Session, "generic", generic)
    assert told(warm) == told(pipeline.check([str(tmp_path / "pkg")], settings))
