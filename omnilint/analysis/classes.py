"""Classes of the run: what their bodies and decorators make of them, and how JAX sees their objects."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from omnilint.analysis import calls, records, tables
from omnilint.analysis import nodes as cst
from omnilint.analysis.code import Code, Scope
from omnilint.analysis.definitions import (
    UNSEEN,
    ClassVal,
    Ext,
    FieldSpec,
    Func,
    Instance,
    Member,
    Native,
    Partial,
    Transformed,
)
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import children
from omnilint.analysis.values import UNKNOWN, Const, Mapping, Seq, Tup, Value
from omnilint.index.module import ModuleIndex

METHOD_KINDS = {
    "builtins.property": "property",
    "builtins.staticmethod": "staticmethod",
    "builtins.classmethod": "classmethod",
    "functools.cached_property": "cached_property",
    "abc.abstractproperty": "property",
}


def _table(key: str) -> Any:
    return tables.binding_times()[key]


def apply_decorator(it: Interp, frame: Frame, decorator: Value, target: Value, node: cst.CSTNode) -> Value:
    """`decorator(target)`; an unknown decorator is taken to give back what it gets."""
    if isinstance(target, (Func, ClassVal)):
        it.ledger.save(target)
    if isinstance(decorator, Ext):
        kind = METHOD_KINDS.get(decorator.dotted)
        if kind is not None:
            if isinstance(target, Func):
                target.kind = kind
                return target
            return _holder(frame, kind, target)
        if isinstance(target, ClassVal) and _decorate_class(decorator.dotted, target, {}):
            return target
        if decorator.dotted in ("functools.lru_cache", "functools.cache") and isinstance(target, Func):
            target.attrs["@cached"] = Const(True)
            return target
    if (
        isinstance(decorator, Partial)
        and isinstance(decorator.func, Ext)
        and isinstance(target, ClassVal)
        and _decorate_class(decorator.func.dotted, target, decorator.kwargs)
    ):
        return target
    if isinstance(decorator, Native) and decorator.name.startswith("class:") and isinstance(target, ClassVal):
        return decorator.call(frame, [target], {}, node)
    if isinstance(decorator, Member) and decorator.name in ("setter", "deleter", "getter", "register"):
        return target
    result = calls.call(it, frame, decorator, [target], {}, node)
    return target if result is UNKNOWN else result


def _registering() -> list[str]:
    return [*_table("register")["class"], _table("register")["dataclass"]]


def class_decorator(dotted: str, kwargs: dict[str, Value]) -> Value | None:
    """What calling a class decorator with keywords gives, e.g. `dataclass(frozen=True)`."""
    if dotted in _table("records") or dotted in _registering():

        def decorate(frame: Frame, args: list[Value], kw: dict[str, Value], node: cst.CSTNode) -> Value:
            if args and isinstance(args[0], ClassVal):
                _decorate_class(dotted, args[0], kwargs)
                return args[0]
            return UNKNOWN

        return Native(f"class:{dotted}", decorate)
    return None


def _decorate_class(dotted: str, cls: ClassVal, kwargs: dict[str, Value]) -> bool:
    cls.decorations.append(dotted)
    if dotted in _table("records"):
        cls.record = cls.record or "dataclass"
        for option, hashable in (("frozen", True), ("unsafe_hash", True), ("eq", False)):
            given = kwargs.get(option)
            if isinstance(given, Const) and given.value is hashable:
                cls.frozen = True
        if _table("records")[dotted] == "node":
            cls.tree = "node"
            cls.meta_fields.update(f.name for f in cls.fields if f.meta)
        return True
    if dotted in _table("register")["class"]:
        cls.tree = "custom"
        return True
    if dotted == _table("register")["dataclass"]:
        register_dataclass(cls, kwargs)
        return True
    cls.decorations.pop()
    return False


def register_dataclass(cls: ClassVal, kwargs: dict[str, Value]) -> None:
    """`jax.tree_util.register_dataclass(cls, data_fields=…, meta_fields=…)`."""
    cls.record = cls.record or "dataclass"
    if _table("register")["dataclass"] not in cls.decorations:
        cls.decorations.append(_table("register")["dataclass"])
    meta = kwargs.get("meta_fields")
    known = isinstance(meta, (Tup, Seq)) and meta.items is not None and all(isinstance(v, Const) for v in meta.items)
    if meta is not None and not known:
        cls.decorations.append(UNSEEN)  # which of its fields are leaves is worked out at run time
        return
    cls.tree = "node"
    for v in children(meta) if isinstance(meta, (Tup, Seq)) else ():
        if isinstance(v, Const):
            cls.meta_fields.add(str(v.value))
    cls.meta_fields.update(f.name for f in cls.fields if f.meta)


def _tell_bases(it: Interp, cls: ClassVal) -> None:
    """Run what a base class does with each class that is derived from it."""
    from omnilint.analysis.objects import find

    hook = find(cls, "__init_subclass__", after=cls)
    if isinstance(hook, Func):
        frame = Frame(it.modules[hook.code.module.path], hook.code.unit, Scope(None, None))
        with it.under(None):
            calls.call(it, frame, hook, [cls], {}, hook.code.node)


# The code of what only holds another function.
_NOTHING = cst.Lambda(cst.Parameters((), None, (), None, ()), cst.Ellipsis())


def _holder(frame: Frame, kind: str, target: Value) -> Func:
    """What `staticmethod(target)` and the like make of something callable."""
    holder = Func(Code(frame.state.index, kind, kind, unit=frame.unit, node=_NOTHING), frame.scope, kind=kind)
    holder.attrs["__func__"] = target
    return holder


def make_method(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """`staticmethod(f)`, `property(f)` and the like, written as calls: `f` itself stays what it is."""
    if len(args) != 1 or kwargs or not isinstance(args[0], (Func, Transformed, Partial, Native)):
        return UNKNOWN
    return _holder(frame, METHOD_KINDS[dotted], args[0])


def settle_bases(cls: ClassVal) -> None:
    """Take over what the bases say of records and pytrees."""
    cls.bases = [records.base_class(cls.state, b) for b in cls.bases]
    for b in cls.bases:
        if isinstance(b, ClassVal):
            cls.record = cls.record or b.record
            if b.tree == "node" and (b.record in ("equinox", "namedtuple") or "flax.struct.PyTreeNode" in str(b.bases)):
                cls.tree = cls.tree or b.tree
            cls.meta_fields |= b.meta_fields
        elif isinstance(b, Ext) and b.dotted in _table("bases"):
            cls.record, tree = _table("bases")[b.dotted]
            cls.tree = "node" if tree == "node" else None
    if cls.tree == "node":
        cls.meta_fields.update(f.name for f in cls.fields if f.meta)


def _is_meta(text: str) -> bool:
    return any(mark in text for mark in _table("meta_marks"))


# -- classes at module level, known by their ast ----------------------------------------------------


def from_definition(it: Interp, state: Any, node: ast.ClassDef, qualname: str) -> ClassVal:
    """A class at module level: methods are parsed when they are first entered, attributes when first read."""
    cls = ClassVal(node.name, qualname, state, None)
    cls.reassigned = _reassigned(state.index, node, qualname)
    cls.bases = [state.static_value(b) for b in node.bases]
    for s in node.body:
        if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)):
            _lazy_method(it, state, cls, s, f"{qualname}.{s.name}")
        elif isinstance(s, ast.Assign):
            names = _bound_before(cls, s.value)
            for t in s.targets:
                if isinstance(t, ast.Name):
                    cls.lazy[t.id] = _lazy_statement(state, s, t.id, names)
        elif isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name):
            _field(state, cls, s)
        elif isinstance(s, ast.ClassDef):
            cls.lazy[s.name] = partial(from_definition, it, state, s, f"{qualname}.{s.name}")
    settle_bases(cls)
    _tell_bases(it, cls)
    for d in reversed(node.decorator_list):
        _decorate_lazily(it, state, cls, d)
    return cls


def _reassigned(index: ModuleIndex, node: ast.ClassDef, qualname: str) -> set[str]:
    out: set[str] = set()
    for s in node.body:
        if isinstance(s, ast.FunctionDef) and s.name not in ("__init__", "__post_init__", "setup"):
            name = f"{qualname}.{s.name}"
            for d in (index.definitions.get(name), index.definitions.get(f"{name}@{s.lineno}")):
                if d is not None:
                    out |= d.stored
    return out


def _field(state: Any, cls: ClassVal, s: ast.AnnAssign) -> None:
    assert isinstance(s.target, ast.Name)
    annotation = ast.unparse(s.annotation)
    if annotation.startswith(("ClassVar", "typing.ClassVar")):
        if s.value is not None:
            cls.lazy[s.target.id] = _lazy_statement(state, s, s.target.id, {})
        return
    default: Callable[[], Value] | None = None
    meta = _is_meta(annotation)
    if s.value is not None:
        meta = meta or (isinstance(s.value, ast.Call) and _is_meta(ast.unparse(s.value)))
        default = _lazy_statement(state, s, s.target.id, _bound_before(cls, s.value))
        cls.lazy[s.target.id] = default
    cls.fields.append(FieldSpec(s.target.id, annotation, default, meta))


Loader = Callable[[], Value]


def _bound_before(cls: ClassVal, *nodes: ast.expr) -> dict[str, Loader]:
    """What the names in these expressions stand for, of those that the body of the class has bound so far."""
    mentioned = {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)} & cls.lazy.keys()
    for name in mentioned:
        cls.lazy[name] = _once(cls.lazy[name])
    return {name: cls.lazy[name] for name in mentioned}


def _once(load: Loader) -> Loader:
    """A loader that gives the same value to whoever asks: the class, and what its body makes of the name."""
    known: list[Value] = []

    def get() -> Value:
        if not known:
            known.append(UNKNOWN)  # for whoever asks meanwhile
            known[0] = load()
        return known[0]

    return get


def _lazy_statement(state: Any, s: ast.stmt, name: str, names: dict[str, Loader]) -> Loader:
    def load() -> Value:
        value: Value = state.run_line(s, {n: get() for n, get in names.items()}).get(name, UNKNOWN)
        return value

    return load


def _lazy_method(
    it: Interp, state: Any, cls: ClassVal, s: ast.FunctionDef | ast.AsyncFunctionDef, qualname: str
) -> None:
    setter = any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in s.decorator_list)
    key = f"{s.name}@setter" if setter else s.name
    names = _bound_before(cls, *s.decorator_list)

    def load() -> Value:
        func = Func(Code(state.index, s.name, qualname, definition=s), None, cls)
        return state.decorated(func, s, names)  # type: ignore[no-any-return]

    cls.lazy[key] = load


def _decorate_lazily(it: Interp, state: Any, cls: ClassVal, d: ast.expr) -> None:
    target = d.func if isinstance(d, ast.Call) else d
    kwargs: dict[str, Value] = {}
    if isinstance(d, ast.Call):
        kwargs = {k.arg: state.static_value(k.value) for k in d.keywords if k.arg}
        if state.static_value(target) in (UNKNOWN,):
            return
        value = state.static_value(target)
        if isinstance(value, Ext) and value.dotted == "functools.partial" and d.args:
            value = state.static_value(d.args[0])
        if isinstance(value, Ext):
            _decorate_class(value.dotted, cls, kwargs)
        elif isinstance(value, Func):
            _decorate_by_factory(it, state, cls, d)
        return
    value = state.static_value(target)
    if isinstance(value, Ext):
        _decorate_class(value.dotted, cls, kwargs)
    elif isinstance(value, Func):
        frame = Frame(state, value.code.unit, Scope(None, None))
        with it.under(None):
            calls.call(it, frame, value, [cls], {}, value.code.node)


def _decorate_by_factory(it: Interp, state: Any, cls: ClassVal, d: ast.Call) -> None:
    """`@decorator(…)` with a function of the run: it makes the decorator."""
    line = ast.copy_location(ast.Assign([ast.Name("decorator", ast.Store())], d), d)
    made = state.run_line(ast.fix_missing_locations(line), {}).get("decorator")
    if isinstance(made, Func):
        frame = Frame(it.modules[made.code.module.path], made.code.unit, Scope(None, None))
        with it.under(None):
            calls.call(it, frame, made, [cls], {}, made.code.node)


# -- classes inside of functions, part of a parsed unit ----------------------------------------------


def from_statement(it: Interp, frame: Frame, node: cst.ClassDef) -> Value:
    """A class defined by a statement that runs."""
    from omnilint.analysis.expressions import evaluate
    from omnilint.analysis.statements import run_statement

    name = node.name.value
    qualname = f"{frame.symbol}.{name}" if frame.symbol else name
    cls = ClassVal(name, qualname, frame.state, it.trace)
    cls.bases = [evaluate(it, frame, b.value) for b in node.bases]
    scope = Scope(frame.scope, it.trace)
    inner = Frame(frame.state, frame.unit, scope, qualname)
    for line in node.body.body:
        smalls = line.body if type(line) is cst.SimpleStatementLine else [line]
        for s in smalls:
            if type(s) is cst.AnnAssign and type(s.target) is cst.Name:
                _statement_field(it, inner, cls, s)
            elif type(s) is cst.FunctionDef:
                _statement_method(it, inner, cls, s, qualname)
            elif isinstance(s, (cst.BaseStatement, cst.BaseSmallStatement)):
                run_statement(it, inner, s)
    cls.attrs.update(scope.vars)
    settle_bases(cls)
    _tell_bases(it, cls)
    value: Value = cls
    for d in reversed(node.decorators):
        decorator = evaluate(it, frame, d.decorator)
        value = apply_decorator(it, frame, decorator, value, d.decorator)
    return value


def _statement_field(it: Interp, inner: Frame, cls: ClassVal, s: cst.AnnAssign) -> None:
    from omnilint.analysis.expressions import evaluate

    assert type(s.target) is cst.Name
    default: Callable[[], Value] | None = None
    meta = _is_meta(inner.unit.text(s.annotation.annotation))
    if s.value is not None:
        value = evaluate(it, inner, s.value)
        default = lambda: value  # noqa: E731
        meta = meta or (type(s.value) is cst.Call and _is_meta(inner.unit.text(s.value)))
        cls.attrs[s.target.value] = value
    cls.fields.append(FieldSpec(s.target.value, inner.unit.text(s.annotation.annotation), default, meta))


def _statement_method(it: Interp, inner: Frame, cls: ClassVal, s: cst.FunctionDef, qualname: str) -> None:
    from omnilint.analysis.statements import decorate

    code = Code(inner.state.index, s.name.value, f"{qualname}.{s.name.value}", unit=inner.unit, node=s)
    setter = any(type(d.decorator) is cst.Attribute and d.decorator.attr.value == "setter" for d in s.decorators)
    func = Func(code, inner.scope.parent, cls)
    name = s.name.value
    if setter:
        cls.attrs[f"{name}@setter"] = func
    else:
        inner.scope.vars[name] = decorate(it, inner, func, s.decorators)


def named_tuple(it: Interp, frame: Frame, args: list[Value], state: Any) -> Value:
    """`collections.namedtuple(name, fields)` and `typing.NamedTuple(name, fields)`."""
    if len(args) < 2 or not isinstance(args[0], Const):
        return UNKNOWN
    cls = ClassVal(str(args[0].value), str(args[0].value), state, it.trace)
    cls.record, cls.tree = "namedtuple", "node"
    names: list[str] = []
    if isinstance(args[1], Const) and isinstance(args[1].value, str):
        names = args[1].value.replace(",", " ").split()
    elif isinstance(args[1], (Tup, Seq)):
        for v in children(args[1]):
            first = v.items[0] if isinstance(v, Tup) and v.items else v
            if isinstance(first, Const):
                names.append(str(first.value))
    elif isinstance(args[1], Mapping):
        names = [str(k) for k in args[1].items]
    cls.fields = [FieldSpec(n, "", None, False) for n in names]
    return cls


def annotation_class(state: Any, annotation: str) -> ClassVal | None:
    """The class of the run that an annotation names, if it is one."""
    value = state.dotted_value(annotation.strip("'\""))
    return value if isinstance(value, ClassVal) else None


def namespace(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """`types.SimpleNamespace(**kwargs)`."""
    out = Instance(ClassVal("SimpleNamespace", "SimpleNamespace", frame.state, it.trace), it.trace)
    out.attrs = {k: v for k, v in kwargs.items() if k not in ("*", "**")}
    out.open = "**" in kwargs
    return out


def signature(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """`inspect.signature(f)`: its `bind(…)` gives the arguments by name."""
    if not args or not isinstance(args[0], Func):
        return UNKNOWN
    func = args[0]

    def bind(f: Frame, a: list[Value], kw: dict[str, Value], n: cst.CSTNode) -> Value:
        bound = calls.bind_arguments(it, func, a, kw)
        return namespace(it, f, "", [], {"arguments": Mapping(dict(bound), None, it.trace), "args": Tup(a)}, n)

    return namespace(it, frame, "", [], {"bind": Native("bind", bind), "**": UNKNOWN}, node)


def context_variable(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """`contextvars.ContextVar(name, default=…)`."""
    from omnilint.analysis.objects import get_attribute, set_attribute

    out = namespace(it, frame, "", [], {"value": kwargs.get("default", UNKNOWN)}, node)

    def put(f: Frame, a: list[Value], kw: dict[str, Value], n: cst.CSTNode) -> Value:
        set_attribute(it, f, out, "value", a[0] if a else UNKNOWN, n)
        return UNKNOWN

    assert isinstance(out, Instance)
    out.attrs["set"] = Native("set", put)
    out.attrs["get"] = Native("get", lambda f, a, kw, n: get_attribute(it, f, out, "value", n))
    return out
