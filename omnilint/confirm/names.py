"""INTERNAL: really look the name up in the interpreter, the way the code does."""

from __future__ import annotations

import ast
from typing import Any

from omnilint.confirm.families import first_words, fits
from omnilint.confirm.literal import Entry
from omnilint.confirm.observe import PLAIN, Observer
from omnilint.confirm.places import Site
from omnilint.model import Finding, Status, Verdict

Json = dict[str, Any]

_REMOVED = ("OMN401", "OMN407")
_DEPRECATED = ("OMN402",)
_PRIVATE = ("OMN403", "OMN404")
_ARGUMENT = ("OMN405", "OMN408")


def form(site: Site, name: str) -> str:
    """How the code asks for the name: "import", "from" or "attribute"."""
    statement = site.statement
    if isinstance(statement, ast.Import):
        return "import"
    if isinstance(statement, ast.ImportFrom):
        return "from"
    if statement is not None:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                callee = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if callee in ("import_module", "__import__"):
                    return "import"
    return "attribute"


def dotted(finding: Finding) -> str:
    """The JAX name that the finding is about, "" when it doesn't say."""
    return str(finding.data.get("name") or "")


def _importing(finding: Finding, site: Site, observer: Observer) -> Verdict | None:
    """The verdict when importing the module itself already fails at the place."""
    entry = Entry(site.module, {"kind": "import"}, f"import {site.module.name}", "import")
    seen = observer.run(entry, PLAIN)
    error = seen.get("exception")
    if not error:
        return None
    for link in [error, *error.get("chain", ())]:
        frames = link.get("frames") or []
        if frames and site.holds(frames[-1][0], frames[-1][1]) and fits(finding.code, link):
            return Verdict(
                status=Status.CONFIRMED,
                exception=error["type"],
                message=first_words(str(error["message"])),
                line=int(frames[-1][1]),
                inputs=entry.label,
                source=entry.source,
                legacy=False,
                reached=True,
                backend=seen.get("backend"),
            )
    return None


def resolve(finding: Finding, site: Site, observer: Observer) -> Verdict | None:
    """The interpreter's answer on the finding's name; None when the finding names none."""
    code, name = finding.code, dotted(finding)
    if code == "OMN406":
        return switch(finding, observer, site)
    if not name:
        return None
    if site.module.source.kind == "python" and site.module.source.file and finding.symbol == "":
        found = _importing(finding, site, observer)
        if found:
            return found
    request: Json = {
        "op": "resolve",
        "name": name,
        "form": form(site, name),
        "argument": finding.data.get("argument"),
        "home": [],
    }
    seen = observer.ask(request)
    if "died" in seen or "timeout" in seen:
        return Verdict(status=Status.CRASHED, inputs=name, reason=f"looking up {name} ended the process")
    return answer(code, name, seen)


def use_of(statement: ast.stmt | None, name: str) -> str:
    """How a statement uses a switch: the method or function that gets its name, "attribute", "key", or one of these
    "assigned"; "" where that can't be told."""
    word = name.partition("=")[0].rpartition(".")[2]
    for node in ast.walk(statement) if statement is not None else ():
        stored = "assigned " if isinstance(getattr(node, "ctx", None), ast.Store) else ""
        if isinstance(node, ast.Attribute) and node.attr == word:
            return f"{stored}attribute"
        if isinstance(node, ast.Subscript) and _says(node.slice, word):
            return f"{stored}key"
        if isinstance(node, ast.Call) and any(_says(a, word) for a in node.args):
            callee = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            return "get" if callee == "getattr" and len(node.args) > 2 else callee
    return ""


def _says(node: ast.expr, word: str) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.partition("=")[0] == word


def _nothing_raised(name: str, seen: Json) -> str:
    """What to say of a switch that raises nothing."""
    if name.startswith("--"):
        return "absl, which would read this flag for JAX, isn't installed"
    return "" if seen.get("unknown") else "setting this one does nothing"


def switch(finding: Finding, observer: Observer, site: Site | None = None) -> Verdict | None:
    """The verdict on a dead switch in any text; None for other findings."""
    if finding.code != "OMN406":
        return None
    name = dotted(finding)
    base: Json = {"inputs": name or None, "source": "name"}
    use = use_of(site.statement if site is not None else None, name)
    seen = observer.ask({"op": "switch", "name": name, "use": use, "home": []})
    if "died" in seen or "timeout" in seen:
        return Verdict(status=Status.CRASHED, reason="asking JAX for its switches ended the process", **base)
    jax, error = seen.get("jax", "?"), seen.get("exception")
    if seen.get("known"):
        return Verdict(status=Status.REFUTED, reason=f"jax {jax} still has {', '.join(seen['known'])}", **base)
    if error:
        return Verdict(
            status=Status.CONFIRMED,
            exception=error["type"],
            message=first_words(error["message"]),
            reason=f"jax {jax} has no omnistaging switch",
            legacy=False,
            **base,
        )
    told = ": ".join(filter(None, [f"jax {jax} has no omnistaging switch", _nothing_raised(name, seen)]))
    return Verdict(status=Status.CONFIRMED, reason=told, **base)


def answer(code: str, name: str, seen: Json) -> Verdict:
    """What a look-up says of a finding."""
    jax = seen.get("jax", "?")
    error, warned = seen.get("exception"), seen.get("warning")
    base: Json = {"inputs": name, "source": "name"}
    if error:
        if code in _ARGUMENT and not seen.get("resolved"):
            return Verdict(
                status=Status.INCONCLUSIVE,
                reason=f"{name} itself is not in jax {jax}: {error['message'][:160]}",
                **base,
            )
        return Verdict(
            status=Status.CONFIRMED,
            exception=error["type"],
            message=first_words(error["message"]),
            legacy=False,
            **base,
        )
    if code in _REMOVED:
        note = f" (it warns: {warned[:120]})" if warned else ""
        return Verdict(status=Status.REFUTED, reason=f"jax {jax} still has {name}{note}", **base)
    if code in _DEPRECATED:
        if warned:
            return Verdict(status=Status.CONFIRMED, message=warned, reason=f"jax {jax} warns", **base)
        return Verdict(status=Status.INCONCLUSIVE, reason=f"jax {jax} has {name} and gives no warning", **base)
    if code in _PRIVATE:
        where = seen.get("defined") or name
        return Verdict(
            status=Status.CONFIRMED,
            reason=f"jax {jax} has {name} today ({where}), outside of its public API, so any release may change it",
            **base,
        )
    if code in _ARGUMENT:
        if seen.get("accepts") is True:
            if warned:
                return Verdict(status=Status.CONFIRMED, message=warned, reason=f"jax {jax} warns", **base)
            return Verdict(status=Status.REFUTED, reason=f"{name} of jax {jax} takes the argument", **base)
        return Verdict(status=Status.INCONCLUSIVE, reason=f"the signature of {name} does not tell", **base)
    return Verdict(status=Status.INCONCLUSIVE, reason=f"jax {jax} has {name}", **base)
