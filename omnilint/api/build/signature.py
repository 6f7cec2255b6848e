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
    "_allowed_kwarg", "register_pytree_node_class", "total_ordering", "doc_wrap", "_update_docstring",
    "set_enum", "custom_transpose", "deprecate_argument", "vectorize", "optimizer", "_allow_deprecated_jit_signature",
    "_warn_on_positional_kwargs",
}  # fmt: skip


def last_part(node: ast.expr) -> str:
    """The last part of the name that an expression is written as, or of the function that it calls; "" for others."""
    if isinstance(node, ast.Call):
        name = last_part(node.func)
        # partial(jit, …) and functools.partial(_wraps, …) count as what they wrap.
        return last_part(node.args[0]) if name == "partial" and node.args else name
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def keeps_signature(node: ast.expr) -> bool:
    """Whether a decorator, or a function that wraps another, leaves the parameters as they stand."""
    return last_part(node) in _KEEPS


def wrapped_name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The function whose parameters a wrapper that hands on `*args, **kwargs` takes, by its `wraps(function)`."""
    a = node.args
    if a.posonlyargs or a.args or a.kwonlyargs or a.vararg is None or a.kwarg is None:
        return None
    for d in node.decorator_list:
        if isinstance(d, ast.Call) and last_part(d.func) == "wraps" and d.args and isinstance(d.args[0], ast.Name):
            return d.args[0].id
    return None


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
    marker = last_part(node)
    hint = ast.dump(annotation) if annotation is not None else ""
    return "!" if marker.startswith("Deprecated") or "DeprecatedArg" in hint else "="


def class_signature(node: ast.ClassDef) -> str | None:
    """The signature of a class's constructor, None when bases, a metaclass or decorators may define it."""
    if node.keywords or any(last_part(d) in ("", "dataclass_transform") for d in node.decorator_list):
        return None
    methods = {s.name: s for s in node.body if isinstance(s, ast.FunctionDef)}
    for name in ("__new__", "__init__"):
        if name in methods:
            return arguments_text(methods[name].args, 1) if not ("__new__" in methods and name == "__init__") else None
    bases = [last_part(b) for b in node.bases]
    if bases == ["NamedTuple"] or (not bases and any(last_part(d) == "dataclass" for d in node.decorator_list)):
        return _fields_text(node, any("kw_only=True" in ast.unparse(d) for d in node.decorator_list))
    return None


def _fields_text(node: ast.ClassDef, keywords_only: bool) -> str:
    """The parameters that the fields of a named tuple or dataclass make: those given by keyword only stand last."""
    plain: list[str] = []
    named: list[str] = []
    for s in node.body:
        if not isinstance(s, ast.AnnAssign) or not isinstance(s.target, ast.Name):
            continue
        if last_part(s.annotation) == "KW_ONLY":
            keywords_only = True
        elif "ClassVar" not in ast.dump(s.annotation) and "init=False" not in ast.unparse(s):
            by_keyword = keywords_only or "kw_only=True" in ast.unparse(s)
            text = s.target.id + ("=" if _has_default(s.value) else "")
            (named if by_keyword else plain).append(text)
    return ",".join([*plain, *(["*", *named] if named else [])])


def _has_default(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call) and last_part(value) == "field":
        return any(k.arg in ("default", "default_factory") for k in value.keywords)
    return value is not None
