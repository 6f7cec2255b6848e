"""The releases of JAX on the package index: their versions and their archives, nothing of them executed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

# A source archive makes pip ask its build backend for metadata, which would run the release's own
# setup.py. This backend answers from PKG-INFO instead, so that no line of JAX runs.
_BACKEND = """\
import pathlib
import re


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    text = pathlib.Path("PKG-INFO").read_text(encoding="utf-8", errors="replace")
    version = re.search(r"(?m)^Version: *(\\S+)", text).group(1)
    folder = pathlib.Path(metadata_directory, f"jax-{version}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\\nName: jax\\nVersion: {version}\\n", encoding="utf-8")
    return folder.name


class __legacy__:
    prepare_metadata_for_build_wheel = staticmethod(prepare_metadata_for_build_wheel)
"""


class FetchError(Exception):
    """pip could not list or download; the message is pip's last line."""


def _pip(*args: str, env: dict[str, str] | None = None) -> str:
    done = subprocess.run([sys.executable, "-m", "pip", *args], capture_output=True, text=True, env=env)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["pip failed without a word"]
        raise FetchError(lines[-1])
    return done.stdout


def listed_versions() -> list[str]:
    """Every final release that the index offers to any Python, oldest first; yanked ones are not listed."""
    out = _pip("index", "versions", "jax", "--ignore-requires-python")
    found = re.search(r"(?m)^Available versions: (.*)$", out)
    if found is None:
        raise FetchError("`pip index versions jax` printed no versions")
    return [v.strip() for v in reversed(found.group(1).split(","))]


def archive(version: str, cache: Path) -> Path:
    """The wheel or source archive of one release, downloaded unless `cache` already has it."""
    cache.mkdir(parents=True, exist_ok=True)
    for name in (f"jax-{version}-py3-none-any.whl", f"jax-{version}.tar.gz"):
        if (cache / name).exists():
            return cache / name
    stub = cache / "backend" / "setuptools"
    stub.mkdir(parents=True, exist_ok=True)
    (stub / "__init__.py").write_text("")
    (stub / "build_meta.py").write_text(_BACKEND)
    env = {**os.environ, "PYTHONPATH": str(stub.parent)}
    options = ["--quiet", "--no-deps", "--ignore-requires-python", "--no-build-isolation", "--use-pep517"]
    _pip("download", *options, "--dest", str(cache), f"jax=={version}", env=env)
    found = sorted(cache.glob(f"jax-{version}-*.whl")) + sorted(cache.glob(f"jax-{version}.tar.gz"))
    if not found:
        raise FetchError(f"pip downloaded no archive of jax {version}")
    return found[0]
