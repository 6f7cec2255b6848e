"""Nodes lowered from the `ast` say what LibCST's own parser says, and stand where it says they stand."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from omnilint.analysis import nodes
from omnilint.analysis.code import Unit
from omnilint.analysis.lowering import every, parts, same
from omnilint.index.module import index_module
from omnilint.model import Source

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(itertools.chain(ROOT.glob("omnilint/**/*.py"), ROOT.glob("tests/*.py"), ROOT.glob("fixtures/**/*.py")))
TRICKY = '''
x = (a, b)[1:2, ..., ::3]; y = -1; z = 0x1F + 1_000 + 1e3 + 2j
def f(a, /, b: int = 3, *args: str, c, d=lambda q, *r, **s: (q, r), **kw) -> "list[int]":
    """Text."""
    global g, h
    if a < b <= c or not d and e and f:
        pass
    elif a is not None and b not in c:
        del a, b
    else:
        return f(*a, b, c=1, **d)
    for i, (j, *k) in zip(a, b):
        continue
    else:
        break
    while x := y:
        a[b.c(d)[e], f] += g ** -h @ i
    try:
        raise ValueError("a" "b") from None
    except (A, B) as e:
        print(f"{a!r:>{width}} and {b.c:.2f} text {{}}", b"bytes", r"raw\\d")
    finally:
        yield
    with open(a) as b, c:
        yield from d
    async def g():
        async with a as b:
            await c
        return [x async for x in y if x if z for w in x]
    assert a, "message"
    return {**a, "k": v}, {1, *b}, {k: v for k, v in w}, (x for x in y), {s for s in t}
@decorated(a=1)
class C(Base, metaclass=Meta):
    field: int = field(default=3)
    other: "text"
    @property
    def p(self): return self.x if self.y else self.z
from ..a.b import c as d, e
from . import *
import a.b.c as d, e.f
é = "ü"; ä(é.ö, b)
'''


def lowered(text: str) -> Unit:
    module = index_module(Source("x.py", text, "x.py"), "x")
    return Unit(module, *module.tree.body)


def _is(node: Any, *names: str) -> bool:
    """Is it one of these, in LibCST's classes or in ours of the same name?"""
    return type(node).__name__ in names


def flat(value: Any) -> Any:
    """A node of LibCST's parser as tuples of what has a meaning; None where the lowered form says it otherwise."""
    if isinstance(value, (cst.MaybeSentinel, cst.ParamStar)):
        return None
    if isinstance(value, (cst.CSTNode, nodes.CSTNode)):
        return _NORMAL.get(type(value).__name__, _plain)(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(flat, value))
    return value or None


def _plain(node: cst.CSTNode) -> Any:
    name = type(node).__name__
    return (name, *(flat(getattr(node, f)) for f in nodes.HOLDS.get(name, ())))


def _constant(node: Any) -> Any:
    value = node.evaluated_value if isinstance(node, cst.CSTNode) else ast.literal_eval(node.value)
    return ("constant", type(value).__name__, value)


def _block(node: Any) -> Any:
    out: list[Any] = []
    for s in node.body:
        out += [s] if not _is(s, "SimpleStatementLine") else s.body
    return ("block", *(flat(s) for s in out))


def _expr(node: cst.Expr) -> Any:
    """A constant that stands alone says nothing."""
    value = node.value
    word = _is(value, "Name") and value.value in ("None", "True", "False")
    text = _is(value, "ConcatenatedString") and value.evaluated_value is not None
    constant = _is(value, "SimpleString", "Integer", "Float", "Imaginary", "Ellipsis")
    return ("Pass",) if word or text or constant else _plain(node)


def _subscript(node: cst.Subscript) -> Any:
    slices = [e.slice for e in node.slice]
    if len(slices) == 1 and _is(slices[0], "Index") and _is(slices[0].value, "Tuple"):
        elements = slices[0].value.elements
        if elements and not any(_is(e, "StarredElement") for e in elements):
            return ("Subscript", flat(node.value), *(flat(e.value) for e in elements))
    return ("Subscript", flat(node.value), *(flat(s.value if _is(s, "Index") else s) for s in slices))


def _call(node: cst.Call) -> Any:
    args = sorted(node.args, key=lambda a: a.keyword is not None or a.star == "**")
    return ("Call", flat(node.func), *((flat(a.value), flat(a.keyword), a.star) for a in args))


def _boolean(node: cst.BooleanOperation) -> Any:
    """`a or (b or c)` and `a or b or c` differ in the parser, not in their meaning; kept as written."""
    return ("BooleanOperation", flat(node.left), type(node.operator).__name__, flat(node.right))


def _formatted(node: cst.FormattedString) -> Any:
    """The expressions; the pieces of text are cut differently."""
    out: list[Any] = []
    for p in node.parts:
        if _is(p, "FormattedStringExpression"):
            spec = [flat(s.expression) for s in p.format_spec or () if _is(s, "FormattedStringExpression")]
            out.append((flat(p.expression), p.conversion or ("r" if _debug(p) else None), tuple(spec)))
    return ("FormattedString", *out)


def _debug(part: Any) -> bool:
    return getattr(part, "equal", None) is not None and not part.format_spec


def _import_from(node: cst.ImportFrom) -> Any:
    return ("ImportFrom", flat(node.module), flat(node.names), len(node.relative))


def _delete(node: cst.Del) -> Any:
    return ("Del", flat(node.target))


_NORMAL: dict[str, Any] = {
    "Integer": _constant,
    "Float": _constant,
    "Imaginary": _constant,
    "SimpleString": _constant,
    "IndentedBlock": _block,
    "SimpleStatementSuite": _block,
    "Module": _block,
    "Expr": _expr,
    "Subscript": _subscript,
    "Call": _call,
    "BooleanOperation": _boolean,
    "FormattedString": _formatted,
    "ImportFrom": _import_from,
    "Del": _delete,
}


def _pieces(node: Any) -> Iterator[Any]:
    """The pieces of implicitly concatenated strings."""
    if isinstance(node, cst.ConcatenatedString):
        yield from _pieces(node.left)
        yield from _pieces(node.right)
    else:
        yield node


def _concatenated(node: cst.ConcatenatedString) -> Any:
    pieces = list(_pieces(node))
    if all(isinstance(p, cst.SimpleString) for p in pieces):
        return _constant(node)
    formatted = [p for p in pieces if isinstance(p, cst.FormattedString)]
    return ("FormattedString", *(x for p in formatted for x in _formatted(p)[1:]))


_NORMAL["ConcatenatedString"] = _concatenated
_NORMAL["MatchTuple"] = _NORMAL["MatchList"] = lambda node: ("sequence", flat(node.patterns))


@pytest.mark.parametrize(
    "text", [pytest.param(TRICKY, id="tricky"), *(pytest.param(p, id=str(p.relative_to(ROOT))) for p in FILES)]
)
def test_it_says_what_the_parser_says(text: str | Path) -> None:
    if isinstance(text, Path):
        data = text.read_bytes()
        try:
            text = data.decode("utf-8-sig")
            ast.parse(text)
            expected = cst.parse_module(text)
        except (SyntaxError, ValueError, cst.ParserSyntaxError):
            pytest.skip("one of the parsers compared doesn't take this file, which is broken on purpose")
    else:
        expected = cst.parse_module(text)
    unit = lowered(text)
    for ours, theirs in zip(_block(unit.root)[1:], _block(expected)[1:], strict=False):
        assert ours == theirs
    assert len(_block(unit.root)) == len(_block(expected))


# Nodes that both sides have, one for one, with a place that both define in the same way.
_PLACED = (
    *("Call", "Attribute", "Name", "BinaryOperation", "Comparison", "Subscript", "UnaryOperation"),
    *("Assign", "AugAssign", "Return", "IfExp", "FunctionDef", "ClassDef", "Lambda", "Assert"),
)


@pytest.mark.parametrize(
    "text",
    [pytest.param(TRICKY, id="tricky")]
    + [pytest.param(p, id=p.name) for p in sorted(ROOT.glob("omnilint/analysis/*s.py"))],
)
def test_it_stands_where_the_parser_says(text: str | Path) -> None:
    text = text.read_text() if isinstance(text, Path) else text
    unit = lowered(text)
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    ranges = wrapper.resolve(PositionProvider)
    theirs = {
        (type(n).__name__, r.start.line, r.start.column, r.end.line, r.end.column)
        for n, r in ranges.items()
        if _is(n, *_PLACED)
    }
    ours = set()
    for node in every(unit.root):
        if id(node) in unit.origins and _is(node, *_PLACED):
            p = unit.place(node)
            ours.add((type(node).__name__, p.line, p.column - 1, p.end_line, p.end_column - 1))
    assert len(ours) > 10
    missing = {o for o in ours - theirs if o[0] not in ("FunctionDef", "ClassDef")}
    assert not missing
    starts = {t[:3] for t in theirs}
    assert {o[:3] for o in ours if o[0] in ("FunctionDef", "ClassDef")} <= starts


def test_text_and_name_place_of_a_function() -> None:
    unit = lowered("é = 1\n@deco\nasync def  name(a: 'ü[x]' = (1 +\n 2)):\n    return é\n")
    function = unit.body[1]
    assert unit.text(function.params.params[0].annotation.annotation) == "'ü[x]'"
    assert unit.text(function.params.params[0].default) == "1 +\n 2"
    place = unit.name_place(function)
    assert (place.line, place.column, place.end_column) == (3, 12, 16)


def test_same_compares_what_nodes_say_and_not_where() -> None:
    a, b, c = (s.body[0].value for s in lowered("f( x )[0]\nf(x)[0]\nf(x)[1]\n").body)
    assert same(a, b)
    assert not same(a, c)
    assert [type(p).__name__ for p in parts(a)] == ["Call", "SubscriptElement"]


def test_a_module_without_statements_stands_at_its_first_line() -> None:
    unit = lowered("")
    assert unit.place(unit.root).line == 1


def test_patterns() -> None:
    text = (
        "match x:\n case {'a': 1, **rest}: pass\n case C(1, b=[y, *_]) as z if z: pass\n case None | 'b' | -1: pass\n"
        " case (a, b): pass\n case [a]: pass\n case _: pass\n"
    )
    ours, theirs = lowered(text).body[0], cst.parse_module(text).body[0]
    assert [type(c.pattern).__name__.replace("MatchTuple", "MatchList") for c in theirs.cases] == [
        type(c.pattern).__name__ for c in ours.cases
    ]


@pytest.mark.parametrize("name", sorted(nodes.HOLDS))
def test_a_kind_of_node_is_of_the_kinds_that_the_parser_says_it_is(name: str) -> None:
    kinds = ("BaseExpression", "BaseSuite", "BaseStatement", "BaseCompoundStatement", "BaseSmallStatement")
    ours, theirs = (
        [k for k in kinds if issubclass(getattr(module, name), getattr(module, k))] for module in (nodes, cst)
    )
    assert ours == theirs


@pytest.mark.parametrize("name", sorted(nodes.HOLDS))
def test_the_table_says_what_a_class_holds(name: str) -> None:
    cls = getattr(nodes, name)
    own = [f for c in cls.__mro__ for f in getattr(c, "__mypyc_attrs__", None) or getattr(c, "__slots__", ())]
    assert sorted(set(own)) == sorted(nodes.HOLDS[name])


def test_every_kind_of_node_that_the_analysis_names_is_there_and_none_is_libcsts() -> None:
    for file in ROOT.glob("omnilint/**/*.py"):
        text = file.read_text()
        assert file.parent.name == "fixes" or not re.search(r"^import libcst", text, re.MULTILINE), file
        if "from omnilint.analysis import nodes as cst" in text:
            wanted = {n.attr for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Attribute) and _names_it(n.value)}
            assert not [name for name in wanted if not hasattr(nodes, name)], file


def _names_it(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "cst"


def test_a_string_tells_its_value() -> None:
    text, data = (s.body[0].value for s in lowered("'a' \"b\" + x\nb'\\n' + x\n").body)
    assert (text.left.evaluated_value, data.left.evaluated_value) == ("ab", b"\n")
