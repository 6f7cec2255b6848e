"""The kinds of nodes that the interpreter reads: LibCST's, by their names and what they hold, without formatting.

Type checkers see LibCST's own classes. At run time these are bare ones: importing LibCST takes as long as `ast.parse`
takes for 40,000 lines, and a check that edits nothing needs no more of it than the names.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

# The attributes that a node has, by the name of its class. Each is a node, a sequence of nodes, text or None.
HOLDS: dict[str, tuple[str, ...]] = {
    "Module": ("body",),
    "IndentedBlock": ("body",),
    "SimpleStatementLine": ("body",),
    # compound statements
    "FunctionDef": ("name", "params", "body", "decorators", "returns", "asynchronous"),
    "ClassDef": ("name", "body", "bases", "keywords", "decorators"),
    "If": ("test", "body", "orelse"),
    "For": ("target", "iter", "body", "orelse", "asynchronous"),
    "While": ("test", "body", "orelse"),
    "Try": ("body", "handlers", "orelse", "finalbody"),
    "TryStar": ("body", "handlers", "orelse", "finalbody"),
    "ExceptHandler": ("body", "type", "name"),
    "ExceptStarHandler": ("body", "type", "name"),
    "With": ("items", "body", "asynchronous"),
    "WithItem": ("item", "asname"),
    "Else": ("body",),
    "Finally": ("body",),
    "Match": ("subject", "cases"),
    "MatchCase": ("pattern", "body", "guard"),
    "MatchValue": ("value",),
    "MatchSingleton": ("value",),
    "MatchList": ("patterns",),
    "MatchSequenceElement": ("value",),
    "MatchStar": ("name",),
    "MatchMapping": ("elements", "rest"),
    "MatchMappingElement": ("key", "pattern"),
    "MatchClass": ("cls", "patterns", "kwds"),
    "MatchKeywordElement": ("key", "pattern"),
    "MatchAs": ("pattern", "name"),
    "MatchOr": ("patterns",),
    "MatchOrElement": ("pattern",),
    # simple statements
    "Assign": ("targets", "value"),
    "AssignTarget": ("target",),
    "AnnAssign": ("target", "annotation", "value"),
    "AugAssign": ("target", "operator", "value"),
    "Return": ("value",),
    "Raise": ("exc", "cause"),
    "Assert": ("test", "msg"),
    "Expr": ("value",),
    "Del": ("target",),
    "Global": ("names",),
    "Nonlocal": ("names",),
    "NameItem": ("name",),
    "Import": ("names",),
    "ImportFrom": ("module", "names", "relative"),
    "ImportAlias": ("name", "asname"),
    "ImportStar": (),
    "AsName": ("name",),
    "Dot": (),
    "Pass": (),
    "Break": (),
    "Continue": (),
    # functions
    "Parameters": ("params", "star_arg", "kwonly_params", "star_kwarg", "posonly_params"),
    "Param": ("name", "annotation", "default"),
    "Annotation": ("annotation",),
    "Decorator": ("decorator",),
    "Asynchronous": (),
    # expressions
    "Name": ("value",),
    "Attribute": ("value", "attr"),
    "Integer": ("value",),
    "Float": ("value",),
    "Imaginary": ("value",),
    "Ellipsis": (),
    "SimpleString": ("value",),
    "FormattedString": ("parts",),
    "FormattedStringText": ("value",),
    "FormattedStringExpression": ("expression", "conversion", "format_spec"),
    "Tuple": ("elements",),
    "List": ("elements",),
    "Set": ("elements",),
    "Element": ("value",),
    "StarredElement": ("value",),
    "Dict": ("elements",),
    "DictElement": ("key", "value"),
    "StarredDictElement": ("value",),
    "BinaryOperation": ("left", "operator", "right"),
    "UnaryOperation": ("operator", "expression"),
    "BooleanOperation": ("left", "operator", "right"),
    "Comparison": ("left", "comparisons"),
    "ComparisonTarget": ("operator", "comparator"),
    "IfExp": ("test", "body", "orelse"),
    "Subscript": ("value", "slice"),
    "SubscriptElement": ("slice",),
    "Index": ("value", "star"),
    "Slice": ("lower", "upper", "step"),
    "Lambda": ("params", "body"),
    "NamedExpr": ("target", "value"),
    "Await": ("expression",),
    "Yield": ("value",),
    "From": ("item",),
    "ListComp": ("elt", "for_in"),
    "SetComp": ("elt", "for_in"),
    "GeneratorExp": ("elt", "for_in"),
    "DictComp": ("key", "value", "for_in"),
    "CompFor": ("target", "iter", "ifs", "inner_for_in", "asynchronous"),
    "CompIf": ("test",),
    "Call": ("func", "args"),
    "Arg": ("value", "keyword", "star"),
}
_SIGNS = (
    *("Add", "Subtract", "Multiply", "Divide", "FloorDivide", "Modulo", "Power", "MatrixMultiply"),
    *("BitAnd", "BitOr", "BitXor", "LeftShift", "RightShift"),
    *("AddAssign", "SubtractAssign", "MultiplyAssign", "DivideAssign", "FloorDivideAssign", "ModuloAssign"),
    *("PowerAssign", "MatrixMultiplyAssign", "BitAndAssign", "BitOrAssign", "BitXorAssign", "LeftShiftAssign"),
    "RightShiftAssign",
    *("Not", "Minus", "Plus", "BitInvert", "And", "Or"),
    *("Equal", "NotEqual", "LessThan", "LessThanEqual", "GreaterThan", "GreaterThanEqual"),
    *("Is", "IsNot", "In", "NotIn"),
)
# What a class is a kind of, where somebody asks.
_KINDS: dict[str, tuple[str, ...]] = {
    "BaseExpression": (
        *("Name", "Attribute", "Integer", "Float", "Imaginary", "Ellipsis", "SimpleString", "FormattedString"),
        *("Tuple", "List", "Set", "StarredElement", "Dict", "BinaryOperation", "UnaryOperation", "BooleanOperation"),
        *("Comparison", "IfExp", "Subscript", "Lambda", "NamedExpr", "Await", "Yield"),
        *("ListComp", "SetComp", "GeneratorExp", "DictComp", "Call"),
    ),
    "BaseSuite": ("IndentedBlock",),
    "BaseStatement": ("SimpleStatementLine",),
    "BaseCompoundStatement": ("FunctionDef", "ClassDef", "If", "For", "While", "Try", "TryStar", "With", "Match"),
    "BaseSmallStatement": (
        *("Assign", "AnnAssign", "AugAssign", "Return", "Raise", "Assert", "Expr", "Del", "Global", "Nonlocal"),
        *("Import", "ImportFrom", "Pass", "Break", "Continue"),
    ),
}

if TYPE_CHECKING:
    from libcst import *  # noqa: F403
else:

    class CSTNode:
        """A node."""

        __slots__ = ()

    class BaseExpression(CSTNode):
        """What has a value."""

        __slots__ = ()

    class BaseSuite(CSTNode):
        """Statements below a header."""

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

    def _evaluated(string: Any) -> Any:
        return ast.literal_eval(string.value)

    def _declare() -> None:
        names = globals()
        bases = {name: names[kind] for kind, members in _KINDS.items() for name in members}
        for name, fields in {**HOLDS, **dict.fromkeys(_SIGNS, ())}.items():
            names[name] = type(name, (bases.get(name, CSTNode),), {"__slots__": fields, "__module__": __name__})
        names["SimpleString"].evaluated_value = property(_evaluated)

    _declare()
