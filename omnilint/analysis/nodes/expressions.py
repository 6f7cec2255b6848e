"""Expressions, and the parameters of functions."""

from __future__ import annotations

import ast
from typing import Any

from omnilint.analysis.nodes.base import BaseExpression, CSTNode


class Parameters(CSTNode):
    __slots__ = ("kwonly_params", "params", "posonly_params", "star_arg", "star_kwarg")

    def __init__(
        self,
        params: tuple[Param, ...],
        star_arg: Param | None,
        kwonly_params: tuple[Param, ...],
        star_kwarg: Param | None,
        posonly_params: tuple[Param, ...],
    ) -> None:
        self.params = params
        self.star_arg = star_arg
        self.kwonly_params = kwonly_params
        self.star_kwarg = star_kwarg
        self.posonly_params = posonly_params


class Param(CSTNode):
    __slots__ = ("annotation", "default", "name")

    def __init__(self, name: Name, annotation: Annotation | None, default: BaseExpression | None) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default


class Annotation(CSTNode):
    __slots__ = ("annotation",)

    def __init__(self, annotation: BaseExpression) -> None:
        self.annotation = annotation


class Decorator(CSTNode):
    __slots__ = ("decorator",)

    def __init__(self, decorator: BaseExpression) -> None:
        self.decorator = decorator


class Asynchronous(CSTNode):
    __slots__ = ()


class Name(BaseExpression):
    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value


class Attribute(BaseExpression):
    __slots__ = ("attr", "value")

    def __init__(self, value: BaseExpression, attr: Name) -> None:
        self.value = value
        self.attr = attr


class Integer(BaseExpression):
    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value


class Float(BaseExpression):
    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value


class Imaginary(BaseExpression):
    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value


class Ellipsis(BaseExpression):
    __slots__ = ()


class SimpleString(BaseExpression):
    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    @property
    def evaluated_value(self) -> Any:
        """The text or the bytes that it stands for."""
        return ast.literal_eval(self.value)


class FormattedString(BaseExpression):
    __slots__ = ("parts",)

    def __init__(self, parts: tuple[FormattedStringText | FormattedStringExpression, ...]) -> None:
        self.parts = parts


class FormattedStringText(CSTNode):
    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value


class FormattedStringExpression(CSTNode):
    __slots__ = ("conversion", "expression", "format_spec")

    def __init__(
        self,
        expression: BaseExpression,
        conversion: str | None,
        format_spec: tuple[FormattedStringText | FormattedStringExpression, ...] | None,
    ) -> None:
        self.expression = expression
        self.conversion = conversion
        self.format_spec = format_spec


class Tuple(BaseExpression):
    __slots__ = ("elements",)

    def __init__(self, elements: tuple[Element | StarredElement, ...]) -> None:
        self.elements = elements


class List(BaseExpression):
    __slots__ = ("elements",)

    def __init__(self, elements: tuple[Element | StarredElement, ...]) -> None:
        self.elements = elements


class Set(BaseExpression):
    __slots__ = ("elements",)

    def __init__(self, elements: tuple[Element | StarredElement, ...]) -> None:
        self.elements = elements


class Element(CSTNode):
    __slots__ = ("value",)

    def __init__(self, value: BaseExpression) -> None:
        self.value = value


class StarredElement(BaseExpression):
    __slots__ = ("value",)

    def __init__(self, value: BaseExpression) -> None:
        self.value = value


class Dict(BaseExpression):
    __slots__ = ("elements",)

    def __init__(self, elements: tuple[DictElement | StarredDictElement, ...]) -> None:
        self.elements = elements


class DictElement(CSTNode):
    __slots__ = ("key", "value")

    def __init__(self, key: BaseExpression, value: BaseExpression) -> None:
        self.key = key
        self.value = value


class StarredDictElement(CSTNode):
    __slots__ = ("value",)

    def __init__(self, value: BaseExpression) -> None:
        self.value = value


class BinaryOperation(BaseExpression):
    __slots__ = ("left", "operator", "right")

    def __init__(self, left: BaseExpression, operator: CSTNode, right: BaseExpression) -> None:
        self.left = left
        self.operator = operator
        self.right = right


class UnaryOperation(BaseExpression):
    __slots__ = ("expression", "operator")

    def __init__(self, operator: CSTNode, expression: BaseExpression) -> None:
        self.operator = operator
        self.expression = expression


class BooleanOperation(BaseExpression):
    __slots__ = ("left", "operator", "right")

    def __init__(self, left: BaseExpression, operator: CSTNode, right: BaseExpression) -> None:
        self.left = left
        self.operator = operator
        self.right = right


class Comparison(BaseExpression):
    __slots__ = ("comparisons", "left")

    def __init__(self, left: BaseExpression, comparisons: tuple[ComparisonTarget, ...]) -> None:
        self.left = left
        self.comparisons = comparisons


class ComparisonTarget(CSTNode):
    __slots__ = ("comparator", "operator")

    def __init__(self, operator: CSTNode, comparator: BaseExpression) -> None:
        self.operator = operator
        self.comparator = comparator


class IfExp(BaseExpression):
    __slots__ = ("body", "orelse", "test")

    def __init__(self, test: BaseExpression, body: BaseExpression, orelse: BaseExpression) -> None:
        self.test = test
        self.body = body
        self.orelse = orelse


class Subscript(BaseExpression):
    __slots__ = ("slice", "value")

    def __init__(self, value: BaseExpression, slice: tuple[SubscriptElement, ...]) -> None:
        self.value = value
        self.slice = slice


class SubscriptElement(CSTNode):
    __slots__ = ("slice",)

    def __init__(self, slice: Index | Slice) -> None:
        self.slice = slice


class Index(CSTNode):
    __slots__ = ("star", "value")

    def __init__(self, value: BaseExpression, star: str | None) -> None:
        self.value = value
        self.star = star


class Slice(CSTNode):
    __slots__ = ("lower", "step", "upper")

    def __init__(self, lower: BaseExpression | None, upper: BaseExpression | None, step: BaseExpression | None) -> None:
        self.lower = lower
        self.upper = upper
        self.step = step


class Lambda(BaseExpression):
    __slots__ = ("body", "params")

    def __init__(self, params: Parameters, body: BaseExpression) -> None:
        self.params = params
        self.body = body


class NamedExpr(BaseExpression):
    __slots__ = ("target", "value")

    def __init__(self, target: BaseExpression, value: BaseExpression) -> None:
        self.target = target
        self.value = value


class Await(BaseExpression):
    __slots__ = ("expression",)

    def __init__(self, expression: BaseExpression) -> None:
        self.expression = expression


class Yield(BaseExpression):
    __slots__ = ("value",)

    def __init__(self, value: BaseExpression | From | None) -> None:
        self.value = value


class From(CSTNode):
    __slots__ = ("item",)

    def __init__(self, item: BaseExpression) -> None:
        self.item = item


class ListComp(BaseExpression):
    __slots__ = ("elt", "for_in")

    def __init__(self, elt: BaseExpression, for_in: CompFor) -> None:
        self.elt = elt
        self.for_in = for_in


class SetComp(BaseExpression):
    __slots__ = ("elt", "for_in")

    def __init__(self, elt: BaseExpression, for_in: CompFor) -> None:
        self.elt = elt
        self.for_in = for_in


class GeneratorExp(BaseExpression):
    __slots__ = ("elt", "for_in")

    def __init__(self, elt: BaseExpression, for_in: CompFor) -> None:
        self.elt = elt
        self.for_in = for_in


class DictComp(BaseExpression):
    __slots__ = ("for_in", "key", "value")

    def __init__(self, key: BaseExpression, value: BaseExpression, for_in: CompFor) -> None:
        self.key = key
        self.value = value
        self.for_in = for_in


class CompFor(CSTNode):
    __slots__ = ("asynchronous", "ifs", "inner_for_in", "iter", "target")

    def __init__(
        self,
        target: BaseExpression,
        iter: BaseExpression,
        ifs: tuple[CompIf, ...],
        inner_for_in: CompFor | None,
        asynchronous: Asynchronous | None,
    ) -> None:
        self.target = target
        self.iter = iter
        self.ifs = ifs
        self.inner_for_in = inner_for_in
        self.asynchronous = asynchronous


class CompIf(CSTNode):
    __slots__ = ("test",)

    def __init__(self, test: BaseExpression) -> None:
        self.test = test


class Call(BaseExpression):
    __slots__ = ("args", "func")

    def __init__(self, func: BaseExpression, args: tuple[Arg, ...]) -> None:
        self.func = func
        self.args = args


class Arg(CSTNode):
    __slots__ = ("keyword", "star", "value")

    def __init__(self, value: BaseExpression, keyword: Name | None, star: str) -> None:
        self.value = value
        self.keyword = keyword
        self.star = star
