"""How long proofs take beside a script written by hand that imports the package and jits its functions.

Run by hand: `python tests/benchmark_confirm.py [REPEATS]`; prints seconds, ratios, the cost of a second, cached run,
and of proving the repairs that are offered as well, which no script does: that runs each function before and after.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODULES, FUNCTIONS = 5, 10

# Hazards of several kinds, each in its own words; `{n}` tells functions apart.
BODIES = (
    "    if x.sum() > {n}:\n        return x\n    return -x\n",
    "    return x * float(x.mean() + {n})\n",
    "    return x[x > {n}]\n",
    "    size = jnp.prod(jnp.array(x.shape))\n    return x.reshape((size,)) + {n}\n",
    "    return jnp.zeros(int(x.sum())) + {n}\n",
)


def package(folder: Path) -> None:
    """A package of MODULES modules with FUNCTIONS jitted functions each, all with a finding."""
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").write_text("")
    for m in range(MODULES):
        text = "import jax\nimport jax.numpy as jnp\n\n"
        for f in range(FUNCTIONS):
            n = m * FUNCTIONS + f
            text += f"\n@jax.jit\ndef f{n}(x):\n{BODIES[n % len(BODIES)].format(n=n)}\n"
        (folder / "pack" / f"m{m}.py").write_text(text)


SCRIPT = """
import importlib
import jax
import jax.numpy as jnp

failed = 0
for m in range({modules}):
    module = importlib.import_module(f"pack.m{{m}}")
    for n in range(m * {functions}, (m + 1) * {functions}):
        function = getattr(module, f"f{{n}}")
        for shape in ((3,),):
            try:
                jax.block_until_ready(function(jnp.ones(shape)))
            except Exception as e:
                failed += 1
print(failed)
"""


def timed(command: list[str], folder: Path, **environ: str) -> tuple[tuple[float, float], str]:
    """(seconds by the clock, seconds of CPU) with all children, and what was printed."""
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(Path(__file__).parent.parent), **environ}
    # An installed omnilint has its bytecode, as JAX has: this tree may not be written to, so all of it lies elsewhere.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (time.perf_counter() - started, cpu), done.stdout + done.stderr


def main(repeats: int) -> None:
    """Print the medians of some repeats."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        package(folder)
        (folder / "by_hand.py").write_text(SCRIPT.format(modules=MODULES, functions=FUNCTIONS))
        check = [sys.executable, "-m", "omnilint", "check", "--confirm", "--python", sys.executable, "pack"]
        verdicts = [*check, "--no-prove-fixes"]
        script, first, second, static, repairs = [], [], [], [], []
        for command in ([sys.executable, "by_hand.py"], verdicts):  # files are read and bytecode is made once
            timed(command, folder, OMNILINT_CACHE_DIR=str(folder / "warm-up"))
        for n in range(repeats):
            cache = str(folder / f"cache{n}")
            seconds, told = timed([sys.executable, "by_hand.py"], folder)
            assert told.strip() == str(MODULES * FUNCTIONS), told
            script.append(seconds)
            seconds, told = timed(verdicts, folder, OMNILINT_CACHE_DIR=cache)
            assert f"{MODULES * FUNCTIONS} confirmed" in told, told[-2000:]
            first.append(seconds)
            second.append(timed(verdicts, folder, OMNILINT_CACHE_DIR=cache)[0])
            static.append(timed([*check[:4], "pack"], folder)[0])
        repairs.append(timed([*check, "--no-verdict-cache"], folder)[0])
        print(f"{MODULES * FUNCTIONS} functions; median of {repeats}: seconds by the clock, seconds of CPU, ratios")
        names = ("script by hand", "verdicts", "again, cached", "check alone", "repairs proven")
        base = [statistics.median(kind) for kind in zip(*script, strict=True)]
        for name, times in zip(names, (script, first, second, static, repairs), strict=True):
            wall, cpu = (statistics.median(kind) for kind in zip(*times, strict=True))
            print(f"{name:16} {wall:6.2f} {cpu:6.2f}   {wall / base[0]:.2f} x {cpu / base[1]:.2f} x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
