"""What kinds of nodes there are."""

from __future__ import annotations


class CSTNode:
    """A node."""

    __slots__ = ()


class BaseExpression(CSTNode):
    """What has a value."""

    __slots__ = ()


class BaseStatement(CSTNode):
    """A line or a compound statement."""

    __slots__ = ()


class BaseCompoundStatement(BaseStatement):
    """A statement with others in it."""

    __slots__ = ()


class BaseSmallStatement(CSTNode):
    """A statement that may share its line."""

    __slots__ = ()


class BaseSuite(CSTNode):
    """Statements below a header."""

    __slots__ = ("body",)

    def __init__(self, body: tuple[BaseStatement, ...]) -> None:
        self.body = body


class MatchPattern(CSTNode):
    """What a case of a `match` asks for."""

    __slots__ = ()
