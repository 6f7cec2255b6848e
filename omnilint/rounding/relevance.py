"""Which functions are worth interpreting: most never compare, and most comparisons are plainly loose enough."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from omnilint.index.module import Definition, ModuleIndex
from omnilint.index.project import Project
from omnilint.rounding import loose, spots, strictness
from omnilint.rounding.table import Table

# Packages without which, or another module of the project, a module has no arrays.
NUMERIC = frozenset({"jax", "numpy", "scipy", "chex", "flax", "haiku", "equinox", "optax", "numpyro"})
# Words by which a function may compile another; without any, nothing in a module is "the same function, jitted".
STAGING = frozenset({"jit", "disable_jit", "pmap", "pjit", "filter_jit", "variant", "checkpoint", "remat"})
_STAGED = STAGING | {"vmap", "scan", "fori_loop", "while_loop"}
# Words of hand-written distances, and the statements that assert them.
DISTANCES = frozenset({"abs", "absolute", "norm"})
ASSERTED = frozenset({"assertLess", "assertLessEqual"})
# Base classes that are followed into other modules.
BASES = 3
_ASSERTS = ("assert", "assert_", "assertTrue", "assertLess", "assertLessEqual", "assertEqual", "assertIs", "raise")


class Said(NamedTuple):
    """What statements say: a comparison that may be too tight, a plainly loose one, the answer of a tight one."""

    tight: bool = False
    lax: bool = False
    answer: bool = False


@dataclass(frozen=True)
class Wanted:
    """The comparisons that count in a module: names, by what they are called there, and kinds of assertions."""

    names: dict[str, str]
    answers: frozenset[str]
    equality: bool
    distances: bool
    asserts: bool

    def __bool__(self) -> bool:
        return bool(self.names) or self.equality or self.distances or self.asserts

    def words(self) -> list[str]:
        """What stands in the text where one of them stands."""
        bounds = ("<", ">", *ASSERTED) if self.distances or self.asserts else ()
        return [*self.names, *bounds, *(("==", "assertEqual") if self.equality else ())]


@dataclass(frozen=True)
class Relevant:
    """The qualified names of functions that compare, or call one that does, and whether the module's body does."""

    functions: frozenset[str]
    body: bool


def comparing(module: ModuleIndex, project: Project, table: Table) -> Relevant | None:
    """What is worth interpreting in a module, None when nothing is."""
    used = module.identifiers
    if not module.roots & NUMERIC and not any(project.find(module, d) for d in module.imports.values()):
        return None
    wanted = _wanted(module, table)
    imported = _imported(module, project, table)
    if not wanted and not imported:
        return None
    layout = spots.layout(module)
    text = module.source.text
    lines = spots.lines_with(wanted.words(), text)
    claims = spots.lines_with(_ASSERTS, text)
    reader = loose.Reader(module, table)
    reading = _Reading(lines, claims, wanted, reader)
    if used & loose.LOOPS:
        reading.looped = strictness.around(module, layout, spots.lines_with(loose.LOOPS, text))
    if wanted.equality:
        reading.staged = strictness.around(module, layout, spots.lines_with(_STAGED, text))
    found = {d.qualname: reading.of_function(d) for d in layout.functions}
    top = [s for s in module.tree.body if not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
    own = reading.of_body(top)
    for statement in top:
        if isinstance(statement, ast.Assign):  # `close = partial(allclose, ...)`
            said = reading.of_body([statement])
            imported |= {t.id: said for t in statement.targets if isinstance(t, ast.Name) and any(said)}

    def spread(counts: Sequence[int]) -> tuple[set[str], set[str]]:
        """The functions that say one of these things (by place in Said) or call one that does, and their names."""
        start = {q for q, s in found.items() if any(s[i] for i in counts)}
        words = {n for n, s in imported.items() if any(s[i] for i in counts)}
        return spots.callers(layout, start, words, None if 1 in counts else reading.calls)

    asserting = {d.qualname for d in layout.functions if _spanned(d, claims)}
    chosen, words = spread((0,))
    answering, answers = spread((0, 2))
    chosen |= answering & asserting
    words |= answers
    strict = strictness.NOWHERE
    if reading.relaxed or any(s.lax for s in (*found.values(), own, *imported.values())):
        strict = strictness.strict(module, layout)
        every, lax_words = spread((0, 1))
        every |= spread((0, 1, 2))[0] & asserting
        chosen |= {q for q in every if q in strict}
        words |= lax_words if strict.everywhere else set()
    body = own.tight or own.answer or (own.lax and strict.everywhere) or (bool(used & words) and _mentions(top, words))
    return Relevant(frozenset(chosen), body) if chosen or body else None


def _wanted(module: ModuleIndex, table: Table) -> Wanted:
    used = module.identifiers
    names = {word: word for word in used & table.vocabulary}
    for name, dotted in module.imports.items():
        last = dotted.rpartition(".")[2]
        if name != last and last in table.vocabulary and name in used:
            names[name] = last
    staged = bool(used & STAGING)
    asserts = "assertTrue" in used or "assert " in module.source.text
    if not staged:  # equality is only judged between compiled and eager results
        names = {n: w for n, w in names.items() if w not in table.exact_vocabulary}
    if not asserts:
        names = {n: w for n, w in names.items() if w not in table.answer_vocabulary}
    answers = frozenset(n for n, w in names.items() if w in table.answer_vocabulary)
    return Wanted(names, answers, staged, bool(used & DISTANCES), asserts)


def _spanned(definition: Definition, lines: Sequence[int]) -> bool:
    i = bisect_left(lines, definition.node.lineno)
    return i < len(lines) and lines[i] <= (definition.node.end_lineno or definition.node.lineno)


@dataclass
class _Reading:
    """Reads statements of a module on the lines where a word of interest stands.

    `relaxed`: a call was passed over because of the loose tolerance that it gives.
    """

    lines: Sequence[int]
    claims: Sequence[int]
    wanted: Wanted
    reader: loose.Reader
    looped: strictness.Reach = strictness.NOWHERE
    staged: strictness.Reach = strictness.NOWHERE
    relaxed: bool = False

    def of_function(self, definition: Definition) -> Said:
        """What a function says; the answer of a comparison that it may assert itself counts as a comparison."""
        if not _spanned(definition, self.lines):
            return Said()
        name = definition.qualname
        limit = loose.LOOSE_LOOPS if name in self.looped else loose.LOOSE
        said = self._said(definition.node.body, definition.identifiers, limit, name in self.staged)
        return said._replace(tight=True) if said.answer and _spanned(definition, self.claims) else said

    def calls(self, definition: Definition, words: set[str]) -> bool:
        """Whether a function uses one of these words otherwise than by calling it with a loose tolerance."""
        words = definition.identifiers & words
        if not words:
            return False
        limit = loose.LOOSE_LOOPS if definition.qualname in self.looped else loose.LOOSE
        text = self.reader.module.source.text
        lines = spots.lines_with(words, text)
        read: set[ast.AST] = set()
        for node in spots.nodes_on([definition.node], lines):
            if isinstance(node, ast.Call) and self.reader.relaxed(node, limit):
                read.add(node.func)
                self.relaxed = True
            elif node not in read and spots.name_of(node) in words:
                return True
        return False

    def of_body(self, statements: Sequence[ast.stmt]) -> Said:
        """What statements of the module's own body say."""
        module = self.reader.module
        limit = loose.LOOSE_LOOPS if module.identifiers & loose.LOOPS else loose.LOOSE
        return self._said(statements, module.identifiers, limit, self.wanted.equality)

    def _said(self, body: Sequence[ast.stmt], used: set[str], limit: float, equality: bool) -> Said:
        said: set[str] = set()
        answers = False
        read: set[ast.AST] = set()
        wanted, reader = self.wanted, self.reader
        distances = wanted.distances and bool(used & DISTANCES)
        for node in spots.nodes_on(body, self.lines):
            if isinstance(node, (ast.Name, ast.Attribute)):
                if spots.name_of(node) in wanted.names and node not in read:  # passed on, or bound to another name
                    said.add(loose.TIGHT)
            elif isinstance(node, ast.Call):
                name = spots.name_of(node.func)
                if name in wanted.names:
                    read.add(node.func)  # a node comes before those below it
                    kind = reader.call(node, wanted.names[name], limit, equality)
                    answers = answers or (name in wanted.answers and kind == loose.TIGHT)
                    said.add(kind if name not in wanted.answers or kind == loose.LAX else loose.NONE)
                elif name in ASSERTED and len(node.args) > 1:
                    said.add(reader.limited(node.args[1], limit, distances))
                elif name == "assertEqual" and equality and len(node.args) > 1:
                    said.add(loose.equal(node.args[0], node.args[1]))
            elif isinstance(node, (ast.Assert, ast.Return)):
                asserted = isinstance(node, ast.Assert)
                asked = node.test if isinstance(node, ast.Assert) else node.value
                for compare in spots.nodes_of(asked) if asked is not None else ():
                    if isinstance(compare, ast.Compare):
                        kind = reader.bound(compare, limit, distances, equality)
                        answers = answers or (not asserted and kind == loose.TIGHT)
                        said.add(kind if asserted or kind == loose.LAX else loose.NONE)
        return Said(loose.TIGHT in said, loose.LAX in said, answers)


def _mentions(body: Iterable[ast.stmt], words: set[str]) -> bool:
    return any(spots.name_of(node) in words for statement in body for node in spots.nodes_of(statement))


def _imported(module: ModuleIndex, project: Project, table: Table) -> dict[str, Said]:
    """What functions of the project's other modules say, by the names that this module uses for them."""
    found: dict[str, Said] = {}
    used = module.identifiers
    for name, dotted in module.imports.items():
        if name not in used or dotted in table.comparisons:
            continue
        parent, _, last = dotted.rpartition(".")
        target = project.find(module, parent) if parent else None
        if target is not None and target is not module:
            found[name] = _compared(target, last, table, project)
        target = project.find(module, dotted)
        if target is not None and target is not module and target.identifiers & table.vocabulary:
            outer = (used & target.definitions.keys()) - table.vocabulary
            found |= {n: _compared(target, n, table, project) for n in outer}
    for definition in module.definitions.values():
        if isinstance(definition.node, ast.ClassDef) and definition.node.bases:
            for name, said in _inherited(module, definition.node, table, project, BASES).items():
                if name in used:
                    found[name] = said
    return {name: said for name, said in found.items() if any(said)}


def _inherited(module: ModuleIndex, node: ast.ClassDef, table: Table, project: Project, levels: int) -> dict[str, Said]:
    """What the methods say that a class inherits from classes of other modules."""
    found: dict[str, Said] = {}
    for base in node.bases if levels else ():
        dotted = module.imports.get(base.id, "") if isinstance(base, ast.Name) else ""
        if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name):
            dotted = f"{module.imports.get(base.value.id, '')}.{base.attr}"
        parent, _, last = dotted.rpartition(".")
        target = project.find(module, parent) if parent else None
        held = target.definitions.get(last) if target is not None and target is not module else None
        if target is None or held is None or not isinstance(held.node, ast.ClassDef):
            continue
        found |= _inherited(target, held.node, table, project, levels - 1)
        for definition in target.definitions.values():
            if definition.owner == last and definition.node.name not in table.vocabulary:
                found[definition.node.name] = _compared(target, definition.qualname, table, project)
    return found


def _compared(module: ModuleIndex, name: str, table: Table, project: Project) -> Said:
    """What a function of another module says by itself."""
    key = ("compared", f"{module.path}:{name}")
    if key not in project.kept:
        project.kept[key] = _own(module, name, table)
    said: Said = project.kept[key]
    return said


def _own(module: ModuleIndex, name: str, table: Table) -> Said:
    definition = module.definitions.get(name)
    if definition is None or not definition.identifiers & table.vocabulary:
        return Said()
    names = {word: word for word in definition.identifiers & table.vocabulary}
    wanted = Wanted(names, table.answer_vocabulary.intersection(names), False, False, False)
    lines = range(definition.node.lineno, (definition.node.end_lineno or definition.node.lineno) + 1)
    claims = spots.lines_with(_ASSERTS, module.source.text)
    reading = _Reading(lines, claims, wanted, loose.Reader(module, table))
    if module.identifiers & loose.LOOPS:
        reading.looped = strictness.Reach(everywhere=True)
    return reading.of_function(definition)
