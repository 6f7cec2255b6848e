"""A reproducer for a backend's authors: scripts, the program, the inputs, versions, flags and the message."""

from __future__ import annotations

import ast
import base64
import os
import platform
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omnilint.confirm.host import Worker, environment
from omnilint.confirm.literal import Entry
from omnilint.confirm.places import real_file
from omnilint.confirm.recording import FOLDER
from omnilint.confirm.specs import Spec
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """What went wrong, with what, where."""

    code: str
    what: str
    entry: Entry
    program: Json
    platform: str
    worker: Worker
    modules: tuple[ModuleIndex, ...]
    project: Project
    target: str
    jitted_here: bool
    module: ModuleIndex
    parameters: ast.arguments


_STORED = """
with np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrays.npz")) as file:
    stored = [file[name] for name in file.files]
"""

_VALUES = '''
def array(dtype, shape):
    """Small distinct numbers."""
    steps = np.arange(int(np.prod(shape)))
    flat = steps % 2 == 0 if dtype == "bool" else 1 + steps % 2 if "int" in dtype else 0.25 + (steps % 17) / 11.0
    return jnp.asarray(flat.reshape(shape)).astype(dtype)
'''


def expression(spec: Spec, name: str = "module") -> str:
    """Python source for an argument's description."""
    kind = spec["kind"]
    if kind == "array":
        shape, dtype = tuple(spec["shape"]), spec["dtype"]
        if "values" in spec:
            made = f"np.asarray({spec['values']!r}, {dtype!r}).reshape({shape!r})"
            return made if spec.get("numpy") else f"jnp.asarray({made})"
        return f"array({dtype!r}, {shape!r})"
    if kind == "stored":
        return f"{'' if spec['numpy'] else 'jnp.asarray'}(stored[{spec['index']}])"
    if kind == "key":
        return "jax.random.key(0)" if spec.get("typed") else "jax.random.PRNGKey(0)"
    if kind in ("literal", "scalar"):
        return f"eval({spec['source']!r}, vars({name}))"
    if kind == "tree":
        return "{" + ", ".join(f"{k!r}: {expression(v)}" for k, v in spec["items"].items()) + "}"
    if kind in ("sequence", "tuple"):
        parts = "".join(f"{expression(v)}, " for v in spec["items"])
        return f"[{parts}]" if kind == "sequence" else f"({parts})"
    made_by = f"{name}.{spec['class']}" if kind == "instance" else f"eval({spec['of']!r}, vars({name}))"
    return f"{made_by}({', '.join(f'{k}={expression(v)}' for k, v in spec['arguments'].items())})"


def _call(case: Case) -> str:
    """The body of `call()`: the very call that went wrong, else the entry, as Python source."""
    spec = case.entry.spec
    if "call" in case.program and "." not in case.target:
        call = case.program["call"]
        named = [f"{k}={expression(v)}" for k, v in call["kwargs"].items()]
        parameters = [p.arg for p in (*case.parameters.posonlyargs, *case.parameters.args)]
        static = [n for n, s in zip(parameters, call["args"], strict=False) if s["kind"] == "literal"]
        static += [k for k, s in call["kwargs"].items() if s["kind"] == "literal"]
        function = f"module.{case.target}"
        if not case.jitted_here:
            function = f"jax.jit({function}, static_argnames={static!r})"
        return f"    return {function}({', '.join([*map(expression, call['args']), *named])})"
    if spec["kind"] == "source":
        lines = str(spec["source"]).splitlines()
        if len(lines) == 1 and not re.match(r"(import|from|assert|for|with)\b", lines[0]):
            return f"    return eval({spec['source']!r}, vars(module))"
        return f"    exec({spec['source']!r}, vars(module))"
    chosen = case.program.get("chosen") or 0
    arguments: dict[str, Spec] = spec["assignments"][min(chosen, len(spec["assignments"]) - 1)]
    static = [n for n, s in arguments.items() if s["kind"] in ("literal", "scalar")]
    given = ", ".join(f"{k}={expression(v)}" for k, v in arguments.items())
    function = f"module.{spec['qualname']}"
    if "." in spec["qualname"]:
        owner, _, method = spec["qualname"].rpartition(".")
        sources = spec.get("owner_sources") or []
        made = f"eval({sources[0]!r}, vars(module))" if sources else f"module.{owner}()"
        function = f"{made}.{method}"
    if not case.jitted_here:
        function = f"jax.jit({function}, static_argnames={static!r})"
    return f"    return {function}({given})"


def _script(case: Case) -> str:
    """The script that runs the copied sources."""
    module = (case.module if "call" in case.program and "." not in case.target else case.entry.module).name
    flags = environment(case.worker.platforms)["XLA_FLAGS"]
    finish = "out = jax.block_until_ready(call())\nprint(out)\n"
    if case.code == "OMN602":
        finish = (
            "compiled = jax.tree_util.tree_leaves(call())\n"
            "with jax.disable_jit():\n    eager = jax.tree_util.tree_leaves(call())\n"
            "for a, b in zip(compiled, eager):\n"
            "    a, b = np.asarray(a), np.asarray(b)\n"
            '    print("compiled:", a)\n    print("eager:   ", b)\n'
            "    gap = np.max(np.abs(a.astype('float64') - b.astype('float64')))\n"
            '    print("largest difference:", gap)\n'
        )
    return (
        f'"""{_sentence(case)}"""\n\n'
        "import importlib\nimport os\nimport sys\n\n"
        f'os.environ["JAX_PLATFORMS"] = {case.worker.platforms or "cpu"!r}\n'
        f'os.environ.setdefault("XLA_FLAGS", {flags!r})\n'
        'sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "source"))\n\n'
        "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n"
        f"module = importlib.import_module({module!r})\n{_STORED if 'call' in case.program else ''}\n{_VALUES}\n\n"
        f"def call():\n{_call(case)}\n\n\n{finish}"
    )


_PROGRAM_SCRIPT = '''"""Runs the exported program alone: no code of the project's is needed."""

import os

os.environ["JAX_PLATFORMS"] = {platforms!r}

import jax
import numpy as np
from jax import export

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "program.bin"), "rb") as f:
    program = export.deserialize(bytearray(f.read()))
with np.load(os.path.join(here, "inputs.npz")) as stored:
    inputs = [stored[name] for name in stored.files]
print(jax.block_until_ready(jax.jit(program.call)(*inputs)))
'''


def _sentence(case: Case) -> str:
    return case.what.replace('"""', "'''").replace("\\", "\\\\")


def _report(case: Case) -> str:
    hello, error = case.worker.hello, case.program.get("error") or {}
    rows = [
        ("jax", hello.get("jax")),
        ("jaxlib", hello.get("jaxlib")),
        ("Python", hello.get("python")),
        ("platform", platform.platform()),
        ("backend", case.platform),
        ("XLA_FLAGS", environment(case.worker.platforms)["XLA_FLAGS"]),
        ("step", case.program["step"]),
    ]
    lines = [f"# {case.code}: {case.what}", ""]
    lines += [f"- {name}: `{value}`" for name, value in rows if value]
    message = case.program.get("died") or (f"{error['type']}: {error['message']}" if error else "")
    if message:
        lines += ["", "```text", str(message), "```"]
    lines += [
        "",
        "`python reproduce.py` runs the project's code (a copy of what it needs is in `source/`);",
        "`program.mlir` is the StableHLO that the backend was given."
        + (" `python reproduce_program.py` runs it without the project." if "exported" in case.program else ""),
        "",
        "File it at https://github.com/jax-ml/jax/issues (or with the backend's authors), with these files.",
    ]
    return "\n".join(lines) + "\n"


def write(case: Case) -> str:
    """Write the bundle, and give the path of its folder as people see it; no folder, no bundle: the reason instead."""
    name = re.sub(r"[^\w.-]", "_", f"{case.code}-{case.platform}-{case.entry.module.name}.{case.target}")
    folder = Path.cwd() / FOLDER / "xla" / name
    try:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "source").mkdir(parents=True)
        ignore = folder.parent.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        for module in {real_file(m): m for m in (*case.modules, case.entry.module)}.values():
            root = os.path.realpath(case.project.root_of(module))
            target = folder / "source" / os.path.relpath(real_file(module), root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(module.source.text, encoding="utf-8", errors="surrogatepass")
        (folder / "reproduce.py").write_text(_script(case), encoding="utf-8")
        (folder / "program.mlir").write_text(str(case.program.get("program") or ""), encoding="utf-8")
        if "call" in case.program:
            (folder / "arrays.npz").write_bytes(base64.b64decode(case.program["arrays"]))
        if "exported" in case.program:
            program, inputs = (base64.b64decode(part) for part in case.program["exported"])
            (folder / "program.bin").write_bytes(program)
            (folder / "inputs.npz").write_bytes(inputs)
            script = _PROGRAM_SCRIPT.replace("{platforms!r}", repr(case.worker.platforms or "cpu"))
            (folder / "reproduce_program.py").write_text(script, encoding="utf-8")
        (folder / "REPORT.md").write_text(_report(case), encoding="utf-8")
    except OSError as error:
        return f"(no bundle: {folder} can't be written, {error.strerror})"
    return os.path.relpath(folder)
