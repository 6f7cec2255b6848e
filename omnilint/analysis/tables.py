"""Facts about JAX and NumPy, from the tables under `rules/`, in the form that the analysis asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, ParamSpec, TypeVar, cast

from omnilint import knowledge

# Third-party libraries whose import means that a module has to do with JAX.
JAX_ROOTS = frozenset(
    [
        "jax",
        "jaxlib",
        "flax",
        "haiku",
        "optax",
        "equinox",
        "numpyro",
        "chex",
        "diffrax",
        "optimistix",
        "lineax",
        "blackjax",
        "jaxopt",
        "brax",
        "distrax",
        "rlax",
        "trax",
        "objax",
        "penzai",
        "jraph",
        "mctx",
        "gymnax",
        "evosax",
        "netket",
        "jax_md",
        "neural_tangents",
        "oryx",
    ]
)


@dataclass(frozen=True, slots=True)
class TransformSpec:
    """One family of transforms; see the header of `rules/tables/transforms.toml`."""

    kind: str
    params: tuple[str, ...]
    functions: tuple[str, ...]
    statics: tuple[str, ...] = ()
    factory: bool = False
    result: str = ""
    arguments: tuple[str, ...] = ()
    only_arrays: bool = False
    restages: bool = False


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """A jax.numpy, jax.lax, … function: parameters, which must be static, what it gives."""

    params: tuple[str, ...]
    vararg: str | None
    static: dict[str, str]
    result: str
    needs: tuple[str, ...] = ()
    or_needs: tuple[str, ...] = ()
    unless_static: tuple[str, ...] = ()
    sized_by: tuple[str, ...] = ()
    scalar_type: bool = False


@dataclass(frozen=True, slots=True)
class Members:
    """Attributes and methods of a traced array: what an attribute gives, or that by what traces the array."""

    attributes: dict[str, str | dict[str, str]]
    methods: dict[str, FunctionSpec] = field(default_factory=dict)


Rows = dict[str, list[dict[str, Any]]]
_own: Rows = {}
_forgetting: list[Callable[[], None]] = []
Answer = TypeVar("Answer")
Given = ParamSpec("Given")


def remembered(work: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Keep what a function of the tables gives, until a team's own tables change."""
    keeping = cache(work)
    _forgetting.append(keeping.cache_clear)
    return cast("Callable[Given, Answer]", keeping)


def extend(rows: Rows) -> None:
    """Let a team's own transforms and functions (see `omnilint.config.tables`) count beside ours."""
    if rows != _own:
        _own.clear()
        _own.update(rows)
        for forget in _forgetting:
            forget()


def extension() -> Rows:
    """What `extend` was given last."""
    return dict(_own)


@remembered
def own_names() -> frozenset[str]:
    """Names that a team told us about: what they mean is said there, wherever they are defined."""
    return frozenset(name for rows in _own.values() for row in rows for name in row["names"])


@remembered
def jax_roots() -> frozenset[str]:
    """Packages whose import means that a module has to do with JAX."""
    return JAX_ROOTS | {name.partition(".")[0] for name in own_names()}


@remembered
def transforms() -> dict[str, TransformSpec]:
    """Transform families by dotted name."""
    out: dict[str, TransformSpec] = {}
    for row in (*knowledge.table("transforms")["transform"], *_own.get("transform", ())):
        spec = TransformSpec(
            row["kind"],
            tuple(row["params"]),
            tuple(row["functions"]),
            tuple(row.get("statics", ())),
            row.get("factory", False),
            row.get("result", ""),
            tuple(row.get("arguments", ())),
            row.get("only_arrays", False),
            row.get("restages", False),
        )
        for name in row["names"]:
            out[name] = spec
    return out


@lru_cache(maxsize=1)
def binding_times() -> dict[str, Any]:
    """The table of what freezes host state, makes pytrees, gives truth values."""
    return dict(knowledge.table("binding_times"))


@cache
def words(key: str) -> frozenset[str]:
    """One list of the binding-times table."""
    return frozenset(binding_times()[key])


@remembered
def transform_words() -> frozenset[str]:
    """Last parts of the names of transforms that trace: a function that mentions none of them applies none."""
    idle = {"plain", "plaincall", "host", "keep", "body"}
    words = {n.rpartition(".")[2] for n, s in transforms().items() if s.kind not in idle}
    return frozenset(words - {"map", "reduce"} | {"lax.map", "lax.reduce", "hk.map"})


def _spec(row: dict[str, Any]) -> FunctionSpec:
    return FunctionSpec(
        tuple(row.get("params", ())),
        row.get("vararg"),
        row.get("static", {}),
        row.get("result", "traced"),
        tuple(row.get("needs", ())),
        tuple(row.get("or_needs", ())),
        tuple(row.get("unless_static", ())),
        tuple(row.get("sized_by", ())),
        row.get("scalar_type", False),
    )


@lru_cache(maxsize=1)
def _functions() -> dict[str, Any]:
    rows: dict[str, Any] = dict(knowledge.table("jax_functions"))
    return rows


@lru_cache(maxsize=4096)
def canonical(dotted: str) -> str:
    """One name for things with several: `jax.tree_util.tree_map` and `jax.tree.map`, old modules, …"""
    alias: str | None = binding_times()["aliases"].get(dotted)
    if alias is not None:
        return alias
    for old, new in binding_times()["modules"].items():
        if dotted.startswith(old):
            dotted = new + dotted[len(old) :]
            break
    if dotted.startswith(("jax.tree_util.tree_", "jax.tree_")):
        leaf = dotted.rpartition("tree_")[2]
        if leaf in {"map", "leaves", "flatten", "unflatten", "structure", "reduce", "all", "transpose"}:
            return f"jax.tree.{leaf}"
        if leaf == "map_with_path":
            return "jax.tree.map_with_path"
        if leaf in {"leaves_with_path", "flatten_with_path"}:
            return f"jax.tree.{leaf}"
    return dotted


@remembered
def jax_function(dotted: str) -> FunctionSpec | None:
    """What is known of a JAX function by its dotted name."""
    row = next((r for r in _own.get("function", ()) if dotted in r["names"]), None) or _functions().get(dotted)
    row = row or binding_times()["removed"].get(dotted)
    return None if row is None or not isinstance(row, dict) else _spec(row)


@lru_cache(maxsize=1)
def array_members() -> Members:
    """Attributes and methods of a traced array."""
    rows = knowledge.table("array_members")
    return Members(dict(rows["attributes"]), {k: _spec(v) for k, v in rows["methods"].items()})


@lru_cache(maxsize=1)
def numpy_on_tracer() -> dict[str, Any]:
    """What NumPy functions do with a tracer: "traced", "static", "false", or the exception."""
    rows: dict[str, Any] = dict(knowledge.table("numpy_on_tracer"))
    return rows


@lru_cache(maxsize=1)
def layers() -> dict[str, Any]:
    """The table of neural-network libraries and optimisers."""
    return dict(knowledge.table("layers"))


@lru_cache(maxsize=1)
def library_parts() -> dict[str, tuple[str, str]]:
    """What is known of a class or function of such a library by its name: its kind, and what it gives."""
    out: dict[str, tuple[str, str]] = {}
    for kind in ("layers", "functions"):
        for gives, rows in layers()[kind].items():
            for prefix, names in rows.items():
                listed = isinstance(names, list)
                out.update({prefix + n: (kind, gives) for n in names} if listed else {prefix: (kind, gives)})
    optimizers = layers()["optimizers"]
    for word in ("scheduled", "combining", "plain", "joining", "injecting"):
        out.update({optimizers["library"] + n: ("optimizers", word) for n in optimizers[word]})
    for name, row in layers()["records"].items():
        out[name] = ("records", "")
        out.update({f"{name}.{n}": ("records", n) for n in row.get("class_methods", ())})
    return out


def is_layer(dotted: str) -> bool:
    """Is it a class of layers of such a library?"""
    return dotted in library_parts() and library_parts()[dotted][0] == "layers"


@cache
def library_methods(dotted: str) -> dict[str, str] | None:
    """What the methods do that objects of a class have from its library, by the class's name; None for others."""
    base = next((b for prefix, b in layers()["libraries"].items() if dotted.startswith(prefix)), None)
    return None if base is None else layers()["members"][base]
