"""What modules leave behind when they are imported, and the way back to it: each module is analysed from there.

Without this, what one module's functions do to shared state would change what is found in the next
one, and an answer could be neither kept nor worked out in another process.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from omnilint.analysis.definitions import ClassVal, Func, Instance, Transformed
from omnilint.analysis.values import Mapping, Mutable, Seq, serials

if TYPE_CHECKING:
    from omnilint.analysis.code import Code, Scope
    from omnilint.analysis.interp import Interp
    from omnilint.index.module import ModuleIndex

Holder = Any  # Mutable, Scope or Func
Asked = dict[tuple[str, str], "ModuleIndex | None"]


class Ledger:
    """Who imports whom, who writes to whose state, and the state as it was when all imports were done."""

    def __init__(self) -> None:
        self.asked: dict[str, Asked] = {}
        self.touched: dict[str, set[str]] = {}
        self.made: list[tuple[str, Transformed]] = []
        self.counted: list[Code] = []
        self._running: list[str] = []
        self._starts: list[int] = []
        self._owners: list[str] = []
        self._scopes: dict[int, str] = {}
        self._watermark: int | None = None
        self._modules: set[str] = set()
        self._saved: dict[int, tuple[Holder, Callable[[], None]]] = {}

    # -- while modules are imported ---------------------------------------------------------------

    def begin(self, it: Interp, path: str, scope: Scope) -> None:
        """The top level of a module starts to run, maybe in the middle of another one's."""
        self._scopes[id(scope)] = path
        if self._running:
            self._collect(it)
        self._running.append(path)
        self._switch(it, path)

    def end(self, it: Interp) -> None:
        """It is done."""
        self._collect(it)
        self._running.pop()
        self._switch(it, self._running[-1] if self._running else "")

    def _switch(self, it: Interp, path: str) -> None:
        if self._watermark is not None:
            return
        self._starts.append(next(serials))
        self._owners.append(path)
        it.project.asked = self.asked.setdefault(path, {}) if path else None

    def _collect(self, it: Interp) -> None:
        if self._watermark is None:
            path = self._running[-1]
            self.made += [(path, made) for made in it.transformed[len(self.made) :]]

    def settle(self, it: Interp) -> None:
        """All imports are done: from now on, what is written is taken back by `restore`."""
        self._collect_rest(it)
        self._watermark = next(serials)
        self._modules = set(it.modules)
        it.project.asked = None
        self.recount()  # what imports took of a budget would be missing in the first part alone

    def _collect_rest(self, it: Interp) -> None:
        self.made += [(made.links[0].unit.module.path, made) for made in it.transformed[len(self.made) :]]

    # -- writes -------------------------------------------------------------------------------------

    def save(self, holder: Holder) -> None:
        """`holder` is about to change: note whose it is, or keep what it was."""
        if self._watermark is None:
            owner = self._owner(holder)
            if self._running and owner and owner != self._running[-1]:
                self.touched.setdefault(owner, set()).add(self._running[-1])
        elif id(holder) not in self._saved and getattr(holder, "serial", 0) < self._watermark:
            self._saved[id(holder)] = (holder, _keeper(holder))

    def _owner(self, holder: Holder) -> str:
        if not isinstance(holder, Mutable):
            return self._scopes.get(id(holder), "") or (holder.code.module.path if isinstance(holder, Func) else "")
        i = bisect.bisect_right(self._starts, holder.serial) - 1
        return self._owners[i] if i >= 0 else ""

    def recount(self) -> None:
        """Let every function be called anew in as many ways as one root may call it."""
        for code in self.counted:
            code.runs, code.cost, code.spent = 0, 0, False
        self.counted.clear()

    def restore(self, it: Interp) -> None:
        """Back to how things were when all imports were done."""
        for _, undo in self._saved.values():
            undo()
        self._saved.clear()
        self.recount()
        for _, made in self.made:
            made.forget()
        del it.transformed[len(self.made) :]
        for path in [p for p in it.modules if p not in self._modules]:
            del it.modules[path]
        it.forget()


def _keeper(holder: Holder) -> Callable[[], None]:
    """What puts a holder back into its present state."""
    if isinstance(holder, Seq):
        items, elem, trace = None if holder.items is None else list(holder.items), holder.elem, holder.trace

        def seq() -> None:
            holder.items, holder.elem, holder.trace = items, elem, trace

        return seq
    if isinstance(holder, Mapping):
        entries, rest, trace = dict(holder.items), holder.elem, holder.trace

        def mapping() -> None:
            holder.items, holder.elem, holder.trace = entries, rest, trace

        return mapping
    if isinstance(holder, Instance):
        attrs, opened, trace = dict(holder.attrs), holder.open, holder.trace

        def instance() -> None:
            holder.attrs, holder.open, holder.trace = attrs, opened, trace

        return instance
    if isinstance(holder, ClassVal):
        return _class_keeper(holder)
    if isinstance(holder, Func):
        own, defaults, kind = (
            dict(holder.attrs),
            None if holder.defaults is None else dict(holder.defaults),
            holder.kind,
        )

        def func() -> None:
            holder.attrs, holder.defaults, holder.kind = own, defaults, kind

        return func
    names = dict(getattr(holder, "vars", {}))

    def scope() -> None:
        if names or hasattr(holder, "vars"):
            holder.vars.clear()
            holder.vars.update(names)

    return scope


def _class_keeper(cls: ClassVal) -> Callable[[], None]:
    attrs, tree, record, frozen = dict(cls.attrs), cls.tree, cls.record, cls.frozen
    metas, decorations, fields = set(cls.meta_fields), list(cls.decorations), list(cls.fields)

    def undo() -> None:
        cls.attrs, cls.tree, cls.record, cls.frozen = attrs, tree, record, frozen
        cls.meta_fields, cls.decorations, cls.fields = metas, decorations, fields

    return undo
