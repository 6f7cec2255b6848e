"""Which functions are worth interpreting: most never compare, and most comparisons are plainly loose enough."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.rounding.table import Table

# Packages without which, or another module of the project, a module has no arrays.
NUMERIC = frozenset({"jax", "numpy", "scipy", "chex", "flax", "haiku", "equinox", "optax", "numpyro"})
# Words by which a function may compile another; without any, nothing in a module is "the same function, jitted".
STAGING = frozenset({"jit", "disable_jit", "pmap", "pjit", "filter_jit", "variant", "checkpoint", "remat"})
# Words of hand-written distances, and the statements that assert them.
DISTANCES = frozenset({"abs", "absolute", "norm"})
ASSERTED = frozenset({"assert bound", "assertLess", "assertLessEqual"})
# The largest literal that is a bound on a distance.
SMALL_LITERAL = 0.01
# Dtypes that round so coarsely that no usual tolerance is plainly loose enough.
HALVES = frozenset({"float16", "bfloat16", "half", "f2"})
# From this relative tolerance on, float32 results are not questioned (8 eps).
LOOSE = 9e-7
# The same for modules with compiled loops, in which rounding adds up.
LOOSE_LOOPS = 2e-5
LOOPS = frozenset({"scan", "fori_loop", "while_loop", "associative_scan"})


def comparing(module: ModuleIndex, project: Project, table: Table) -> tuple[set[str], bool]:
    """(qualified names of the functions that compare, or call one that does; whether the module's body does)."""
    words = _words(module, project, table)
    if not words:
        return set(), False
    functions = {d.qualname: d.node for d in module.definitions.values() if not isinstance(d.node, ast.ClassDef)}
    lenient = None if _strict(module) else (table, LOOSE_LOOPS if module.identifiers & LOOPS else LOOSE)
    said = {name: _mentions(node.body, lenient) for name, node in functions.items()}
    found: set[str] = set()
    # A caller of a comparing function supplies values: it is looked at too.
    while more := {name for name, mentioned in said.items() if name not in found and mentioned & words}:
        found |= more
        words = words | {functions[name].name for name in more}
    top = [s for s in module.tree.body if not isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    return found, bool(_mentions(top, lenient) & words)


def _words(module: ModuleIndex, project: Project, table: Table) -> set[str]:
    """Names whose mention makes a function worth interpreting: comparisons, and imported functions that compare."""
    used = module.identifiers
    if not module.roots & NUMERIC and not any(project.find(module, d) for d in module.imports.values()):
        return set()
    words = set(used & table.vocabulary)
    if not used & STAGING:
        words -= table.exact_vocabulary  # equality is only judged between compiled and eager results
    else:
        words.add("assert Eq")
    if used & DISTANCES:
        words |= ASSERTED
    if "assertTrue" in used or "assert " in module.source.text:
        words.add("assert small")
    else:
        words -= table.answer_vocabulary
    for statement in module.tree.body:
        if isinstance(statement, ast.Assign) and _mentions([statement], None) & words:
            words |= {t.id for t in statement.targets if isinstance(t, ast.Name)}  # `close = partial(allclose, ...)`
    for name, dotted in module.imports.items():
        if name not in used:
            continue
        parent, _, last = dotted.rpartition(".")
        target = project.find(module, parent) if parent else None
        if target is not None and target is not module and _compares(target, last, table):
            words.add(name)
        target = project.find(module, dotted)
        if target is not None and target is not module and target.identifiers & table.vocabulary:
            words |= {n for n in target.definitions if n in used and _compares(target, n, table)}
    return words


def _compares(module: ModuleIndex, name: str, table: Table) -> bool:
    """Whether a function of another module mentions a comparison."""
    definition = module.definitions.get(name)
    if definition is None or not module.identifiers & table.vocabulary:
        return False
    return bool(_mentions(definition.node.body, None) & table.vocabulary)


def _strict(module: ModuleIndex) -> bool:
    """Whether loose-looking tolerances matter too: half precision, literals next to 1, differences of two calls."""
    text = module.source.text
    if any(word in text for word in HALVES):
        return True
    for node in ast.walk(module.tree):
        match node:
            case ast.Constant(float() as value) if 0 < abs(1 - value) < 1e-4:
                return True
            case ast.BinOp(ast.Call(), ast.Sub(), ast.Call()):
                return True
    return False


def _mentions(body: Sequence[ast.stmt], lenient: tuple[Table, float] | None) -> set[str]:
    """Names in these statements, and kinds of comparison that they assert, plainly loose calls left out."""
    said: set[str] = set()
    skipped: set[ast.AST] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name | ast.Attribute):
                if node not in skipped:
                    said.add(node.id if isinstance(node, ast.Name) else node.attr)
            elif isinstance(node, ast.Call):
                if lenient is not None and _loose(node, *lenient):
                    skipped.add(node.func)
                if isinstance(node.func, ast.Attribute) and node.func.attr in ASSERTED:
                    said |= {"assert small" for a in node.args if _small(a)}
                elif isinstance(node.func, ast.Attribute) and node.func.attr == "assertEqual":
                    said |= {"assert Eq"} if not any(map(_plain, node.args[:2])) else set()
            elif isinstance(node, ast.Assert):
                said |= {kind for n in ast.walk(node.test) if isinstance(n, ast.Compare) for kind in _kinds(n)}
            elif isinstance(node, ast.Return) and node.value is not None:
                # A function that answers whether something is close, for others to assert.
                kinds = {kind for n in ast.walk(node.value) if isinstance(n, ast.Compare) for kind in _kinds(n)}
                said |= kinds - {"assert Eq"}
    return said if said & DISTANCES else said - ASSERTED


def _kinds(node: ast.Compare) -> set[str]:
    """What an asserted comparison asks: equality, a bound, a small bound."""
    if isinstance(node.ops[0], ast.Eq):
        return {"assert Eq"} if not (_plain(node.left) or _plain(node.comparators[0])) else set()
    if isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return {"assert bound", *(["assert small"] if any(map(_small, (node.left, *node.comparators))) else [])}
    return set()


def _plain(node: ast.expr) -> bool:
    """Whether an expression is visibly no floating-point array: a literal, a shape, a dtype, a length."""
    match node:
        case ast.Constant() | ast.Tuple() | ast.List() | ast.Dict() | ast.UnaryOp():
            return True
        case ast.Attribute(_, name):
            return name in ("shape", "dtype", "ndim", "size")
        case ast.Call(ast.Name(name)):
            return name in ("len", "type", "set", "list", "str", "id", "int")
    return False


def _small(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value <= SMALL_LITERAL


def _loose(call: ast.Call, table: Table, loose: float) -> bool:
    """Whether a comparison's tolerance is written out, or known as its default, and too large to question."""
    name = (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )
    default = table.loosest_default.get(name)
    if default is None:
        return False
    given = [k for k in call.keywords if k.arg is None or k.arg in table.keywords]
    if not given:
        return default >= loose and len(call.args) <= table.sides[name]
    for keyword in given:
        if keyword.arg in ("rtol", "rel", "rel_tol", "atol", "abs", "abs_tol") and isinstance(
            keyword.value, ast.Constant
        ):
            value = keyword.value.value
            if isinstance(value, int | float) and value >= (loose if keyword.arg[0] == "r" else 2 * loose):
                return True
    return False
