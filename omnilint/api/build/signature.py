"""Signatures as short text: `a,b=,/,*,c=,d!,**k`; `=` has a default, `!` a default that marks it as deprecated."""

from __future__ import annotations

import ast

# Decorators that leave a function's parameters as they stand, by the last part of their name.
_KEEPS = {
    "jit", "pjit", "wraps", "_wraps", "implements", "custom_jvp", "custom_vjp", "api_boundary", "export", "set_module",
    "contextmanager", "cache", "lru_cache", "deprecated", "curry", "api_hook", "named_call", "named_scope",
    "deprecated_arg", "profile", "annotate_function", "staticmethod", "handle_input_output_arrays",
    "_scipy_special_wraps", "inherits_doc", "final", "runtime_checkable", "use_cpp_method", "use_cpp_class",
    "allow_pass_by_position_with_warning",
    "transformation", "_allowed_kwarg", "register_pytree_node_class", "total_ordering", "doc_wrap", "_update_docstring",
    "set_enum", "custom_transpose", "deprecate_argument", "vectorize", "optimizer", "_allow_deprecated_jit_signature",
    "_warn_on_positional_kwargs",
}  # fmt: skip


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        name = _last(node.func)
        # partial(jit, …) and functools.partial(_wraps, …) count as what they wrap.
        return _last(node.args[0]) if name == "partial" and node.args else name
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def keeps_signature(node: ast.expr) -> bool:
    """Whether a decorator, or a function that wraps another, leaves the parameters as they stand."""
    return _last(node) in _KEEPS


def function_signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The signature of a function, None when a decorator may have changed it."""
    if not all(keeps_signature(d) for d in node.decorator_list):
        return None
    return arguments_text(node.args)


def arguments_text(a: ast.arguments, skip: int = 0) -> str:
    """The text of a parameter list without its first `skip` parameters."""
    positional = [*a.posonlyargs, *a.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(a.defaults)) + list(a.defaults)
    out: list[str] = []
    for i, (arg, default) in enumerate(zip(positional, defaults, strict=True)):
        if i >= skip:
            out.append(arg.arg + _default(default, arg.annotation))
        if a.posonlyargs and i == len(a.posonlyargs) - 1 and i >= skip:
            out.append("/")
    if a.vararg:
        out.append("*" + a.vararg.arg)
    elif a.kwonlyargs:
        out.append("*")
    out += [k.arg + _default(d, k.annotation) for k, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    if a.kwarg:
        out.append("**" + a.kwarg.arg)
    return ",".join(out)


def _default(node: ast.expr | None, annotation: ast.expr | None) -> str:
    if node is None:
        return ""
    marker = _last(node)
    hint = ast.dump(annotation) if annotation is not None else ""
    return "!" if marker.startswith("Deprecated") or "DeprecatedArg" in hint else "="


def class_signature(node: ast.ClassDef) -> str | None:
    """The signature of a class's constructor, None when bases, a metaclass or decorators may define it."""
    if node.keywords or any(_last(d) in ("", "dataclass_transform") for d in node.decorator_list):
        return None
    methods = {s.name: s for s in node.body if isinstance(s, ast.FunctionDef)}
    for name in ("__new__", "__init__"):
        if name in methods:
            return arguments_text(methods[name].args, 1) if not ("__new__" in methods and name == "__init__") else None
    bases = [_last(b) for b in node.bases]
    fields = [s for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)]
    if bases == ["NamedTuple"] or (not bases and any(_last(d) == "dataclass" for d in node.decorator_list)):
        shown = [s for s in fields if "ClassVar" not in ast.dump(s.annotation) and "init=False" not in ast.unparse(s)]
        return ",".join(s.target.id + ("=" if s.value is not None else "") for s in shown)  # type: ignore[union-attr]
    return None
