"""Statements, and the patterns of `match`."""

from __future__ import annotations

from omnilint.analysis.nodes.base import (
    BaseCompoundStatement,
    BaseExpression,
    BaseSmallStatement,
    BaseStatement,
    BaseSuite,
    CSTNode,
    MatchPattern,
)
from omnilint.analysis.nodes.expressions import (
    Annotation,
    Arg,
    Asynchronous,
    Attribute,
    Decorator,
    From,
    Name,
    Parameters,
)


class Module(CSTNode):
    __slots__ = ("body",)

    def __init__(self, body: tuple[BaseStatement, ...]) -> None:
        self.body = body


class IndentedBlock(BaseSuite):
    __slots__ = ()


class SimpleStatementLine(BaseStatement):
    __slots__ = ("body",)

    def __init__(self, body: tuple[BaseSmallStatement, ...]) -> None:
        self.body = body


class FunctionDef(BaseCompoundStatement):
    __slots__ = ("asynchronous", "body", "decorators", "name", "params", "returns")

    def __init__(
        self,
        name: Name,
        params: Parameters,
        body: BaseSuite,
        decorators: tuple[Decorator, ...],
        returns: Annotation | None,
        asynchronous: Asynchronous | None,
    ) -> None:
        self.name = name
        self.params = params
        self.body = body
        self.decorators = decorators
        self.returns = returns
        self.asynchronous = asynchronous


class ClassDef(BaseCompoundStatement):
    __slots__ = ("bases", "body", "decorators", "keywords", "name")

    def __init__(
        self,
        name: Name,
        body: BaseSuite,
        bases: tuple[Arg, ...],
        keywords: tuple[Arg, ...],
        decorators: tuple[Decorator, ...],
    ) -> None:
        self.name = name
        self.body = body
        self.bases = bases
        self.keywords = keywords
        self.decorators = decorators


class If(BaseCompoundStatement):
    __slots__ = ("body", "orelse", "test")

    def __init__(self, test: BaseExpression, body: BaseSuite, orelse: If | Else | None) -> None:
        self.test = test
        self.body = body
        self.orelse = orelse


class For(BaseCompoundStatement):
    __slots__ = ("asynchronous", "body", "iter", "orelse", "target")

    def __init__(
        self,
        target: BaseExpression,
        iter: BaseExpression,
        body: BaseSuite,
        orelse: Else | None,
        asynchronous: Asynchronous | None,
    ) -> None:
        self.target = target
        self.iter = iter
        self.body = body
        self.orelse = orelse
        self.asynchronous = asynchronous


class While(BaseCompoundStatement):
    __slots__ = ("body", "orelse", "test")

    def __init__(self, test: BaseExpression, body: BaseSuite, orelse: Else | None) -> None:
        self.test = test
        self.body = body
        self.orelse = orelse


class Try(BaseCompoundStatement):
    __slots__ = ("body", "finalbody", "handlers", "orelse")

    def __init__(
        self, body: BaseSuite, handlers: tuple[ExceptHandler, ...], orelse: Else | None, finalbody: Finally | None
    ) -> None:
        self.body = body
        self.handlers = handlers
        self.orelse = orelse
        self.finalbody = finalbody


class TryStar(BaseCompoundStatement):
    __slots__ = ("body", "finalbody", "handlers", "orelse")

    def __init__(
        self, body: BaseSuite, handlers: tuple[ExceptStarHandler, ...], orelse: Else | None, finalbody: Finally | None
    ) -> None:
        self.body = body
        self.handlers = handlers
        self.orelse = orelse
        self.finalbody = finalbody


class ExceptHandler(CSTNode):
    __slots__ = ("body", "name", "type")

    def __init__(self, body: BaseSuite, type: BaseExpression | None, name: AsName | None) -> None:
        self.body = body
        self.type = type
        self.name = name


class ExceptStarHandler(CSTNode):
    __slots__ = ("body", "name", "type")

    def __init__(self, body: BaseSuite, type: BaseExpression, name: AsName | None) -> None:
        self.body = body
        self.type = type
        self.name = name


class With(BaseCompoundStatement):
    __slots__ = ("asynchronous", "body", "items")

    def __init__(self, items: tuple[WithItem, ...], body: BaseSuite, asynchronous: Asynchronous | None) -> None:
        self.items = items
        self.body = body
        self.asynchronous = asynchronous


class WithItem(CSTNode):
    __slots__ = ("asname", "item")

    def __init__(self, item: BaseExpression, asname: AsName | None) -> None:
        self.item = item
        self.asname = asname


class Else(CSTNode):
    __slots__ = ("body",)

    def __init__(self, body: BaseSuite) -> None:
        self.body = body


class Finally(CSTNode):
    __slots__ = ("body",)

    def __init__(self, body: BaseSuite) -> None:
        self.body = body


class Match(BaseCompoundStatement):
    __slots__ = ("cases", "subject")

    def __init__(self, subject: BaseExpression, cases: tuple[MatchCase, ...]) -> None:
        self.subject = subject
        self.cases = cases


class MatchCase(CSTNode):
    __slots__ = ("body", "guard", "pattern")

    def __init__(self, pattern: MatchPattern, body: BaseSuite, guard: BaseExpression | None) -> None:
        self.pattern = pattern
        self.body = body
        self.guard = guard


class MatchValue(MatchPattern):
    __slots__ = ("value",)

    def __init__(self, value: BaseExpression) -> None:
        self.value = value


class MatchSingleton(MatchPattern):
    __slots__ = ("value",)

    def __init__(self, value: Name) -> None:
        self.value = value


class MatchList(MatchPattern):
    __slots__ = ("patterns",)

    def __init__(self, patterns: tuple[MatchSequenceElement | MatchStar, ...]) -> None:
        self.patterns = patterns


class MatchSequenceElement(CSTNode):
    __slots__ = ("value",)

    def __init__(self, value: MatchPattern) -> None:
        self.value = value


class MatchStar(CSTNode):
    __slots__ = ("name",)

    def __init__(self, name: Name | None) -> None:
        self.name = name


class MatchMapping(MatchPattern):
    __slots__ = ("elements", "rest")

    def __init__(self, elements: tuple[MatchMappingElement, ...], rest: Name | None) -> None:
        self.elements = elements
        self.rest = rest


class MatchMappingElement(CSTNode):
    __slots__ = ("key", "pattern")

    def __init__(self, key: BaseExpression, pattern: MatchPattern) -> None:
        self.key = key
        self.pattern = pattern


class MatchClass(MatchPattern):
    __slots__ = ("cls", "kwds", "patterns")

    def __init__(
        self, cls: BaseExpression, patterns: tuple[MatchSequenceElement, ...], kwds: tuple[MatchKeywordElement, ...]
    ) -> None:
        self.cls = cls
        self.patterns = patterns
        self.kwds = kwds


class MatchKeywordElement(CSTNode):
    __slots__ = ("key", "pattern")

    def __init__(self, key: Name, pattern: MatchPattern) -> None:
        self.key = key
        self.pattern = pattern


class MatchAs(MatchPattern):
    __slots__ = ("name", "pattern")

    def __init__(self, pattern: MatchPattern | None, name: Name | None) -> None:
        self.pattern = pattern
        self.name = name


class MatchOr(MatchPattern):
    __slots__ = ("patterns",)

    def __init__(self, patterns: tuple[MatchOrElement, ...]) -> None:
        self.patterns = patterns


class MatchOrElement(CSTNode):
    __slots__ = ("pattern",)

    def __init__(self, pattern: MatchPattern) -> None:
        self.pattern = pattern


class Assign(BaseSmallStatement):
    __slots__ = ("targets", "value")

    def __init__(self, targets: tuple[AssignTarget, ...], value: BaseExpression) -> None:
        self.targets = targets
        self.value = value


class AssignTarget(CSTNode):
    __slots__ = ("target",)

    def __init__(self, target: BaseExpression) -> None:
        self.target = target


class AnnAssign(BaseSmallStatement):
    __slots__ = ("annotation", "target", "value")

    def __init__(self, target: BaseExpression, annotation: Annotation, value: BaseExpression | None) -> None:
        self.target = target
        self.annotation = annotation
        self.value = value


class AugAssign(BaseSmallStatement):
    __slots__ = ("operator", "target", "value")

    def __init__(self, target: BaseExpression, operator: CSTNode, value: BaseExpression) -> None:
        self.target = target
        self.operator = operator
        self.value = value


class Return(BaseSmallStatement):
    __slots__ = ("value",)

    def __init__(self, value: BaseExpression | None) -> None:
        self.value = value


class Raise(BaseSmallStatement):
    __slots__ = ("cause", "exc")

    def __init__(self, exc: BaseExpression | None, cause: From | None) -> None:
        self.exc = exc
        self.cause = cause


class Assert(BaseSmallStatement):
    __slots__ = ("msg", "test")

    def __init__(self, test: BaseExpression, msg: BaseExpression | None) -> None:
        self.test = test
        self.msg = msg


class Expr(BaseSmallStatement):
    __slots__ = ("value",)

    def __init__(self, value: BaseExpression) -> None:
        self.value = value


class Del(BaseSmallStatement):
    __slots__ = ("target",)

    def __init__(self, target: BaseExpression) -> None:
        self.target = target


class Global(BaseSmallStatement):
    __slots__ = ("names",)

    def __init__(self, names: tuple[NameItem, ...]) -> None:
        self.names = names


class Nonlocal(BaseSmallStatement):
    __slots__ = ("names",)

    def __init__(self, names: tuple[NameItem, ...]) -> None:
        self.names = names


class NameItem(CSTNode):
    __slots__ = ("name",)

    def __init__(self, name: Name) -> None:
        self.name = name


class Import(BaseSmallStatement):
    __slots__ = ("names",)

    def __init__(self, names: tuple[ImportAlias, ...]) -> None:
        self.names = names


class ImportFrom(BaseSmallStatement):
    __slots__ = ("module", "names", "relative")

    def __init__(
        self, module: Attribute | Name | None, names: tuple[ImportAlias, ...] | ImportStar, relative: tuple[Dot, ...]
    ) -> None:
        self.module = module
        self.names = names
        self.relative = relative


class ImportAlias(CSTNode):
    __slots__ = ("asname", "name")

    def __init__(self, name: Attribute | Name, asname: AsName | None) -> None:
        self.name = name
        self.asname = asname


class ImportStar(CSTNode):
    __slots__ = ()


class AsName(CSTNode):
    __slots__ = ("name",)

    def __init__(self, name: BaseExpression) -> None:
        self.name = name


class Dot(CSTNode):
    __slots__ = ()


class Pass(BaseSmallStatement):
    __slots__ = ()


class Break(BaseSmallStatement):
    __slots__ = ()


class Continue(BaseSmallStatement):
    __slots__ = ()
