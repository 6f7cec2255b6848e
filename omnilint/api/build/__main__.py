"""`python -m omnilint.api.build`: brings the shipped history of JAX's API up to date with the package index."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from omnilint.api.build import docstrings, expressions, namespace, release, signature
from omnilint.api.build.releases import FetchError, archive, listed_versions
from omnilint.api.build.table import merge, write

FIRST = "0.1.60"
# JAX 0.11 is written in the syntax of Python 3.12.
NEEDS = (3, 12)


def reader_digest() -> str:
    """A hash of the code that reads a release: tables read by other code are read again."""
    modules = (docstrings, expressions, namespace, release, signature)
    texts = [Path(m.__file__ or "").read_text(encoding="utf-8") for m in modules]
    code = "".join(ast.dump(ast.parse(t)) for t in texts)  # comments and layout change nothing
    return hashlib.sha256(code.encode()).hexdigest()[:12]


def read(version: str, cache: Path, digest: str) -> dict[str, Any]:
    """The table of one release, from the cache when this reader has already read it."""
    stored = cache / "tables" / f"{version}.{digest}.json"
    if not stored.exists():
        table = dataclasses.asdict(release.read_release(archive(version, cache), version))
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_text(json.dumps(table), encoding="utf-8")
    loaded: dict[str, Any] = json.loads(stored.read_text(encoding="utf-8"))
    return loaded


def main() -> int:
    """Build; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m omnilint.api.build", description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "omnilint" / "jax-releases",
                        help="where archives and read tables are kept between builds")  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("rules/tables"), help="folder of the tables to write")
    parser.add_argument("--offline", action="store_true", help="only the releases that the cache already holds")
    args = parser.parse_args()
    if sys.version_info < NEEDS:
        print(f"error: run this with Python {NEEDS[0]}.{NEEDS[1]} or newer, to parse recent JAX", file=sys.stderr)
        return 2
    if not args.out.is_dir():
        print(f"error: no folder {args.out}; run this in the repository's root or give --out", file=sys.stderr)
        return 2
    try:
        versions = _cached(args.cache) if args.offline else listed_versions()
        versions = versions[versions.index(FIRST) :]
        digest = reader_digest()
        tables = [read(v, args.cache, digest) for v in versions]
    except FetchError as e:
        print(f"error: {e}; `--offline` builds from the cache alone", file=sys.stderr)
        return 2
    except ValueError:
        print(f"error: {args.cache} holds no release {FIRST}; build once without --offline", file=sys.stderr)
        return 2
    sizes = write(merge(tables), args.out)
    coverage = {
        "releases": len(versions), "first": versions[0], "last": versions[-1],
        "unread": {t["version"]: t["unread"] for t in tables if t["unread"]},
        "names": {t["version"]: sum(len(m) for m in t["modules"].values()) for t in tables},
    }  # fmt: skip
    (args.out / "jax_api_coverage.json").write_text(json.dumps(coverage, indent=1) + "\n", encoding="utf-8")
    total = sum(sizes.values())
    print(f"{len(versions)} releases, {versions[0]} to {versions[-1]}; {total / 1024:.0f} KB: {sizes}")
    return 0


def _cached(cache: Path) -> list[str]:
    found = {p.name.removeprefix("jax-").removesuffix(".tar.gz").partition("-")[0] for p in cache.glob("jax-*")}
    return sorted(found, key=lambda v: [int(n) for n in v.split(".")])


if __name__ == "__main__":
    sys.exit(main())
