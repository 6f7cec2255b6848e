"""What omnilint says of JAX's names in real packages, against a real JAX of that release.

    python tests/real_api.py --python ENV/bin/python FOLDER… [--misses] [--all]

The target is the JAX of ENV. Each FOLDER is one package, unpacked. Every name, argument and attribute that is reported
is tried in ENV: what is called missing must be missing, what is called deprecated must warn, what is called private or
internal must be there, and what is advised must be there without a warning. `--misses` also tries the unguarded names
that nothing is said of: they must be there. Those that the history can't judge (what JAX's objects and jaxlib hold) are
tried too, and counted apart. `--all` lists every claim with what was seen. Not a test: it needs environments with old
releases of JAX.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MISSING, THERE, WARNS, UNKNOWN = "missing", "there", "warns", "can't be tried"


# In the environment with JAX


def seen(action: Any) -> str:
    """Whether something can be had: missing (and not merely broken), there, or there with a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            action()
        except ModuleNotFoundError as error:
            # What JAX itself needs, and this environment lacks, says nothing of JAX.
            lacks = (error.name or "jax").partition(".")[0]
            return MISSING if lacks in ("jax", "jaxlib") else f"{UNKNOWN}: needs {lacks}"
        except (ImportError, AttributeError):
            return MISSING
        except Exception as error:
            return f"{UNKNOWN}: {type(error).__name__}"
    return WARNS if any(issubclass(w.category, (DeprecationWarning, FutureWarning)) for w in caught) else THERE


def reach(name: str, imported: int = 1) -> Any:
    """What a dotted name leads to, of which an import statement names the first `imported` parts."""
    thing: Any = importlib.import_module("jax")
    path = "jax"
    for i, part in enumerate(name.split(".")[1:], 2):
        path += "." + part
        if i < imported:
            thing = importlib.import_module(path)
            continue
        try:
            thing = getattr(thing, part)
        except AttributeError:
            thing = importlib.import_module(path)
    return thing


def parameters(name: str, argument: str, made: dict[str, Any]) -> str:
    kind, _, method = name.partition(".")
    try:
        known = inspect.signature(getattr(made[kind], method) if kind in made else reach(name)).parameters
    except Exception as error:
        return f"{UNKNOWN}: {type(error).__name__}"
    found = known.get(argument)
    if found is not None and found.kind is found.POSITIONAL_ONLY:
        return "positional-only"
    if found is not None:
        return WARNS if "Deprecated" in repr(found.default) + repr(found.annotation) else THERE
    return "**kwargs" if any(p.kind is p.VAR_KEYWORD for p in known.values()) else MISSING


def objects() -> dict[str, Any]:
    import jax
    import jax.numpy as jnp
    import numpy as np

    x = jnp.ones((2, 3))
    jitted = jax.jit(lambda a: a + 1)
    lowered = jitted.lower(x)
    closed = jax.make_jaxpr(lambda a: a + 1)(x)
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
    made = {
        "Array": x, "jitted": jitted, "Lowered": lowered, "Compiled": lowered.compile(), "device": jax.devices()[0],
        "ShapeDtypeStruct": jax.ShapeDtypeStruct((2,), jnp.float32), "ShapedArray": closed.in_avals[0], "Mesh": mesh,
        "config": jax.config, "ClosedJaxpr": closed, "Jaxpr": closed.jaxpr,
        "PartitionSpec": jax.sharding.PartitionSpec("x"),
        "NamedSharding": jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x")),
    }  # fmt: skip

    def keep(a: Any) -> Any:
        made["tracer"] = a  # omnilint: ignore[OMN204] only looked at, never used
        return a

    jax.jit(keep)(x)
    return made


def attribute_of(thing: Any, path: str) -> Any:
    for part in path.split("."):
        thing = getattr(thing, part)
    return thing


def worker() -> None:
    """Answers the questions on standard input."""
    import jax

    made = objects()
    answers: list[str] = []
    warned: set[str] = set()  # JAX gives some of its warnings once in a process
    for how, name, argument in json.load(sys.stdin):
        if how == "argument":
            answers.append(parameters(name, argument, made))
        elif how == "object":
            kind, _, attribute = name.partition(".")
            thing = made.get(kind)
            answers.append(UNKNOWN if thing is None else seen(lambda t=thing, a=attribute: attribute_of(t, a)))
        elif how == "option":
            answers.append(seen(lambda n=name: getattr(jax.config, n)))
        elif how == "from":
            module, _, leaf = name.rpartition(".")
            code = f"from {module} import {leaf}" if module else f"import {name}"
            answers.append(seen(lambda c=code: exec(c, {})))
        elif how in ("import", "dynamic"):
            answers.append(seen(lambda n=name: importlib.import_module(n)))
        else:
            answers.append(seen(lambda n=name, i=int(argument or 1): reach(n, i)))
        if answers[-1] == THERE and name in warned:
            answers[-1] = WARNS
        elif answers[-1] == WARNS:
            warned.add(name)
    json.dump({"jax": jax.__version__, "answers": answers}, sys.stdout)


# Beside omnilint

ADVICE = "advice"
BEYOND = "beyond"  # the history can't judge the name
WANTED = {
    "OMN401": {MISSING}, "OMN407": {MISSING}, "OMN402": {WARNS}, "OMN403": {THERE, WARNS}, "OMN404": {THERE, WARNS},
    "OMN405": {MISSING, "positional-only"}, "OMN408": {WARNS}, ADVICE: {THERE},
}  # fmt: skip
NAME = re.compile(r"\bjax(?:\.\w+)+")
CALLED = ("OMN402", "OMN405", "OMN408")
Question = tuple[str, str, str]


def claims(folder: Path, version: str) -> Iterator[tuple[str, Question, str, str]]:
    """(code, what to ask, place, message) of each finding in a package; code "": a name that nothing is said of."""
    from omnilint.api import history
    from omnilint.api.live import Liveness
    from omnilint.api.passing import walked
    from omnilint.api.target import Target
    from omnilint.api.uses import Use, uses
    from omnilint.hazards import internal
    from omnilint.index.project import Project
    from omnilint.model import Source

    target = Target.parse(version)
    project = Project()
    files = sorted(folder.rglob("*.py"))
    exists = {str(f) for f in files}
    modules = []
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                modules.append(project.add(Source(str(file), text, file=str(file)), exists))
        except (SyntaxError, ValueError):
            continue
    told: dict[str, set[str]] = {}
    for module in modules:
        here = told.setdefault(module.path, set())
        for f in internal.find(module, target, project):
            here.add(f.data["name"])
            where = f"{f.place.path}:{f.place.line}"
            for name in NAME.findall(f.data.get("replacement") or ""):
                yield ADVICE, ("attribute", name, ""), where, f.message
            if "argument" in f.data:
                yield f.code, ("argument", f.data["name"], f.data["argument"]), where, f.message
            elif f.data["how"] in ("object", "class", "option"):
                how = "option" if f.data["how"] == "option" else "object"  # what an object lacks, its class lacks too
                yield f.code, (how, f.data["used"], ""), where, f.message
            else:
                whole = f.data["how"] in ("import", "from", "dynamic") and f.code != "OMN404"
                yield f.code, (f.data["how"], f.data["used"] if whole else f.data["name"], ""), where, f.message
    everywhere = set().union(*told.values())
    for module in modules:
        found = list(uses(walked(module, project)))
        live = Liveness(found, target.newest_index)
        for use in found:
            if (
                not isinstance(use, Use)
                or use.kind in ("object", "class", "option", "star", "text")
                or len(use.names) != 1
            ):
                continue
            name, known = use.names[0].name, use.names[0].known
            if not live.runs(use.guards):
                continue
            judged = history.resolve(name, target.newest_index, max(known, 1)).known
            # What is told where a name is imported, or where another module passes it on, isn't told at each use.
            if not any(name == t or name.startswith(t + ".") for t in told[module.path]) and not any(
                t.count(".") < known and (name == t or name.startswith(t + ".")) for t in everywhere
            ):
                where = f"{module.path}:{use.statement.lineno}"
                yield "" if judged else BEYOND, (use.kind, name, str(known)), where, "nothing said"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--python", required=True, help="an interpreter that has the JAX to compare with")
    parser.add_argument("--misses", action="store_true", help="also try the names that nothing is said of")
    parser.add_argument("--all", action="store_true", help="list every claim")
    args = parser.parse_args()

    def ask(questions: list[Question]) -> dict[str, Any]:
        command = [args.python, __file__, "--worker"]
        done = subprocess.run(command, input=json.dumps(questions), capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{args.python}: {done.stderr.strip().splitlines()[-1]}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    version = ask([])["jax"]
    found = {folder: list(claims(folder, version)) for folder in args.folders}
    untold = () if args.misses else ("", BEYOND)
    questions = sorted({q for some in found.values() for code, q, _, _ in some if code not in untold})
    answers = dict(zip(questions, ask(questions)["answers"], strict=True))
    total: Counter[str] = Counter()
    for folder, some in found.items():
        counts: Counter[str] = Counter()
        for code, question, where, message in some:
            if question not in answers:
                continue
            answer = answers[question]
            right = answer in WANTED.get(code, ())
            word = "right" if right else "open" if is_open(code, answer, question, version) else "wrong"
            if code in ("", BEYOND):
                word = "missed" if answer == MISSING else "quiet" if answer in (THERE, WARNS) else "open"
                word += " beyond the history" if code else ""
            counts[word] += 1
            if (code and args.all) or word.startswith(("wrong", "missed")):
                print(f"{word}: {where}: {code} {'.'.join(question[1:]).strip('.')}: {answer}; {message}")
        total += counts
        print(f"{folder.name}: {', '.join(f'{n} {word}' for word, n in sorted(counts.items()))}")
    distinct = len({(c, q) for some in found.values() for c, q, _, _ in some if c not in ("", BEYOND)})
    print(f"jax {version}: {len(found)} packages, {distinct} different claims; {dict(sorted(total.items()))}")


def is_open(code: str, answer: str, question: Question, version: str) -> bool:
    """Whether an import can't tell: what warns or is refused when called, and what jaxlib holds."""
    from omnilint.api import history

    if answer.startswith(UNKNOWN) or (code in CALLED and answer in (THERE, "**kwargs")):
        return True
    if code == "OMN405" and answer == WARNS:
        return True  # a parameter that is there to raise when it is given
    return code == "OMN403" and not history.resolve(question[1], history.index_of(version), 1).known


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        worker()
    else:
        main()
