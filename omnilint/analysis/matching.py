"""`match`: what the patterns bind, and what they ask of the subject."""

from __future__ import annotations

from typing import Any

from omnilint.analysis import indexing, objects
from omnilint.analysis import nodes as cst
from omnilint.analysis.calls import is_instance
from omnilint.analysis.definitions import ClassVal, Instance
from omnilint.analysis.expressions import evaluate, iterate
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import join_all
from omnilint.analysis.lowering import parts
from omnilint.analysis.values import UNKNOWN, Const, Either, JaxArray, Mapping, Seq, Value


def matches_class(it: Interp, frame: Frame, pattern: Any, subject: Value) -> bool | None:
    """Does a class pattern match? None when not known; with arguments it is never known to."""
    if type(pattern) is not cst.MatchClass:
        return None
    with it.guarded():
        known = is_instance(subject, evaluate(it, frame, pattern.cls))
    return None if known and (pattern.patterns or pattern.kwds) else known


def bind_pattern(it: Interp, frame: Frame, pattern: Any, subject: Value) -> None:
    """Bind the names of a pattern to parts of the subject; what is compared with a value must be concrete."""
    if type(pattern) is cst.MatchValue:
        value = evaluate(it, frame, pattern.value)
        if isinstance(subject, JaxArray) and not (isinstance(value, Const) and isinstance(value.value, str)):
            it.demand(frame, subject, "bool", pattern, "match", "TracerBoolConversionError")
    elif type(pattern) is cst.MatchAs:
        if pattern.pattern is not None:
            bind_pattern(it, frame, pattern.pattern, subject)
        if pattern.name is not None:
            frame.scope.vars[pattern.name.value] = subject
    elif type(pattern) is cst.MatchOr:
        for option in pattern.patterns:
            bind_pattern(it, frame, option.pattern, subject)
    elif type(pattern) is cst.MatchList:
        _bind_sequence(it, frame, pattern, subject)
    elif type(pattern) is cst.MatchClass:
        _bind_class(it, frame, pattern, subject)
    else:
        for child in parts(pattern):
            if type(child) is cst.MatchMappingElement:
                key = evaluate(it, frame, child.key)
                known = isinstance(subject, Mapping) and isinstance(key, Const)
                part = indexing.get_item(it, frame, subject, key, pattern) if known else UNKNOWN
                bind_pattern(it, frame, child.pattern, part)


def _bind_sequence(it: Interp, frame: Frame, pattern: cst.MatchList, subject: Value) -> None:
    items, elem = iterate(it, frame, subject, pattern)
    exact = items is not None and len(items) == len(pattern.patterns)
    for i, p in enumerate(pattern.patterns):
        if type(p) is cst.MatchSequenceElement:
            bind_pattern(it, frame, p.value, items[i] if exact and items is not None else elem)
        elif type(p) is cst.MatchStar and p.name is not None:
            frame.scope.vars[p.name.value] = Seq("list", None, elem, it.trace)


def _bind_class(it: Interp, frame: Frame, pattern: cst.MatchClass, subject: Value) -> None:
    with it.guarded():
        cls = evaluate(it, frame, pattern.cls)
    fitting = subject.options if isinstance(subject, Either) else (subject,)
    fitting = tuple(v for v in fitting if isinstance(v, Instance) and is_instance(v, cls))
    fields = [f.name for f in objects.all_fields(cls)] if isinstance(cls, ClassVal) else []

    def part(name: str) -> Value:
        found = [objects.get_attribute(it, frame, v, name, pattern) for v in fitting]
        return join_all(found) if found else UNKNOWN

    for i, p in enumerate(pattern.patterns):
        bind_pattern(it, frame, p.value, part(fields[i]) if i < len(fields) else UNKNOWN)
    for k in pattern.kwds:
        bind_pattern(it, frame, k.pattern, part(k.key.value))
