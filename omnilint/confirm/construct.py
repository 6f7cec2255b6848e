"""What a class of the user's is made from: `__init__` or its fields, read with what its methods do with them."""

from __future__ import annotations

import ast
import copy

from omnilint.index.module import FunctionNode, ModuleIndex


def constructor(module: ModuleIndex, name: str) -> FunctionNode | None:
    """`__init__` of a class of the module, or one made up from the fields of a dataclass or NamedTuple.

    Its body goes on with those of the other methods, in which `self.attribute` is the parameter that it was set to:
    what is known of a parameter is what is done with it.
    """
    definition = module.definitions.get(name)
    if definition is None or not isinstance(definition.node, ast.ClassDef):
        return None
    made = next((n for n in definition.node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    made = copy.copy(made) if made is not None else _of_fields(definition.node)
    if made is None:
        return None
    kept = _kept(made)
    methods = [n for n in definition.node.body if isinstance(n, ast.FunctionDef) and n.name != "__init__"]
    made.body = [*made.body, *(_Renamed(kept).visit(copy.deepcopy(s)) for m in methods for s in m.body)]
    return made


def _of_fields(node: ast.ClassDef) -> ast.FunctionDef | None:
    fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
    named = [(n.target.id, n) for n in fields if isinstance(n.target, ast.Name)]
    args = ", ".join(
        f"{field}: {ast.unparse(n.annotation)}" + (f" = {ast.unparse(n.value)}" if n.value else "")
        for field, n in sorted(named, key=lambda pair: pair[1].value is not None)
        if "ClassVar" not in ast.unparse(n.annotation)
    )
    body = "; ".join(f"self.{field} = {field}" for field, _ in named) or "pass"
    try:
        made = ast.parse(f"def __init__(self{', ' + args if args else ''}): {body}").body[0]
    except SyntaxError:
        return None
    assert isinstance(made, ast.FunctionDef)
    return made


def _kept(node: ast.FunctionDef) -> dict[str, str]:
    """The parameters that a constructor keeps as they are, by the attribute."""
    own = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    found = {}
    for n in ast.walk(node):
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Name) and n.value.id in own:
            for target in n.targets:
                if isinstance(target, ast.Attribute) and _is_self(target.value):
                    found[target.attr] = n.value.id
    return found


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


class _Renamed(ast.NodeTransformer):
    """Parameters in the place of the attributes that keep them."""

    def __init__(self, kept: dict[str, str]) -> None:
        self.kept = kept

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name of the method's own must not be taken for a parameter of the constructor."""
        return ast.copy_location(ast.Name(f"{node.id}@", node.ctx), node) if node.id in self.kept.values() else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if _is_self(node.value) and node.attr in self.kept and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Name(self.kept[node.attr], node.ctx), node)
        self.generic_visit(node)
        return node
