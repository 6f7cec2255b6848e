"""The history that ships: what it says of known names, and `omnilint api`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from omnilint import cli, knowledge
from omnilint.api import history
from omnilint.api.judge import judge
from omnilint.api.life import (
    CALL,
    DEPRECATED,
    MISSING,
    STUB,
    THERE,
    QueryError,
    life_of,
    near,
    near_arguments,
    parse,
    state_of,
)
from omnilint.api.replacement import instead_of
from omnilint.commands.api import command

LIMIT = 200 * 1024


def runs(name: str, argument: str | None = None) -> list[tuple[str, str | None, str]]:
    return [(p.first, p.last, p.state) for p in life_of(name, argument).periods]


def test_the_tables_stay_small_and_say_what_they_cover() -> None:
    tables = sorted((knowledge.folder() / "tables").glob("jax_api_*.json.xz"))
    assert [t.name for t in tables] == [f"jax_api_{p}.json.xz" for p in ("names", "private", "signatures")]
    assert sum(t.stat().st_size for t in tables) <= LIMIT
    coverage = knowledge.table("jax_api_coverage")
    assert (coverage["first"], coverage["last"]) == (history.releases()[0], history.releases()[-1])
    assert coverage["releases"] == len(history.releases())
    assert coverage["unread"] == {}


def test_the_history_is_read_only_for_code_that_names_jax() -> None:
    code = (
        "import sys\nfrom omnilint.hazards.internal import find\nfrom omnilint.index.module import index_module\n"
        "from omnilint.model import Source\n"
        "find(index_module(Source('a.py', 'import numpy'), 'a'), None)\n"
        "from omnilint.api import history\n"
        "assert history._part.cache_info().currsize == 0\n"
        "find(index_module(Source('a.py', 'import jax'), 'a'), None)\n"
        "assert history._part.cache_info().currsize == 1\n"
        "assert 'jax' not in sys.modules\n"
    )
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_tree_map() -> None:
    assert runs("jax.tree_map") == [
        ("0.1.60", "0.3.14", THERE),
        ("0.3.15", "0.3.15", CALL),
        ("0.3.16", "0.4.25", THERE),
        ("0.4.26", "0.5.3", DEPRECATED),
        ("0.6.0", None, MISSING),
    ]


def test_names_that_came_back() -> None:
    assert runs("jax.interpreters.xla.translations")[-4:] == [
        ("0.4.16", "0.4.23", DEPRECATED),
        ("0.4.24", "0.4.24", MISSING),
        ("0.4.25", "0.4.28", DEPRECATED),
        ("0.4.29", None, MISSING),
    ]


def test_a_function_that_warns_when_called() -> None:
    assert ("0.2.13", None, CALL) in runs("jax.host_count")


def test_an_argument() -> None:
    assert runs("jax.numpy.clip", "a_min") == [
        ("0.1.60", "0.4.26", THERE),
        ("0.4.27", "0.9.2", DEPRECATED),
        ("0.10.0", None, MISSING),
    ]


@pytest.mark.parametrize(
    ("name", "version", "state"),
    [
        ("jax.lib.xla_client.XlaBuilder", "0.3.25", "not judged"),
        ("jax.numpy.no_such_function", "0.2.0", MISSING),
        ("jax.numpy.in1d", "0.1.60", STUB),
        ("jax.numpy.concat", "0.4.1", MISSING),
        ("jax.numpy.rank", "0.2.0", "not judged"),
        ("jax.numpy.no_such_function", "0.10.2", MISSING),
        ("jax.ad", "0.4.14", MISSING),
        ("jax.linear_util", "0.4.20", THERE),  # set by its own import, so that nothing warns
        ("jax.linear_util.wrap_init", "0.4.20", DEPRECATED),
        ("jax.experimental.maps", "0.4.26", DEPRECATED),
        ("jax.config.config", "0.4.24", DEPRECATED),
        ("jax.config.config", "0.4.30", MISSING),
        ("jax.config.jax_enable_x64", "0.10.2", THERE),
        ("jax.config.jax_array", "0.4.14", MISSING),
        ("jax.config.update", "0.10.2", THERE),
        ("jax.config.no_such_option", "0.10.2", "not judged"),
        ("jax.config.FLAGS", "0.4.20", MISSING),
        ("jax._src.core.get_aval", "0.9.2", THERE),
        ("jax._src.core.get_aval", "0.10.0", MISSING),
    ],
)
def test_states(name: str, version: str, state: str) -> None:
    assert state_of(name, history.index_of(version))[0] == state


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("0.4.32", "0.4.31"),
        ("0.9", "0.9.0"),
        ("99", history.releases()[-1]),
        ("0.4.30.dev1", "0.4.30"),
        ("0.4.15", "0.4.14"),
        ("0.4", "0.4.1"),
        ("0.4.0", "0.4.1"),
        ("0.3", "0.3.0"),
        ("0.4.10.1", "0.4.10"),
    ],
)
def test_a_version_means_the_newest_release_that_is_not_newer(version: str, release: str) -> None:
    assert history.releases()[history.index_of(version)] == release


def test_versions_before_the_first_have_no_release() -> None:
    assert history.index_of("0.1.0") == -1


def test_every_suggestion_of_the_hand_table_is_offered_somewhere() -> None:
    """A line whose suggestions no release of its time bears would be dead weight, or wrong."""
    last = len(history.releases()) - 1
    dead = []
    for row in knowledge.table("internal")["instead"]:
        for name in row["names"]:
            if row["use"] and not any(instead_of(name, (i,)) for i in range(last, 0, -1)):
                dead.append(name)
    assert dead == []


def test_every_name_of_the_hand_table_was_there_once() -> None:
    last = len(history.releases()) - 1
    names = [n for row in knowledge.table("internal")["instead"] for n in row["names"]]
    names += [row["old"] for row in knowledge.table("internal")["move"]]
    unknown = [n for n in names if all(state_of(n, i)[0] == MISSING for i in range(last + 1))]
    assert unknown == []


def test_every_argument_rule_names_a_function() -> None:
    last = len(history.releases()) - 1
    for row in knowledge.table("internal_arguments")["argument"]:
        for function in row["functions"]:
            if function.startswith("jax."):
                assert any(state_of(function, i)[0] != MISSING for i in range(last + 1)), function
            else:
                assert function in knowledge.table("internal_attributes")["methods"], function
        assert {"warns", "fails"} & set(row)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("jax.tree_map", ("jax.tree_map", None)),
        ("tree_map", ("jax.tree_map", None)),
        ("jnp.clip(a_min)", ("jax.numpy.clip", "a_min")),
        ("jax.jit(device=)", ("jax.jit", "device")),
        ("jax.jit()", ("jax.jit", None)),
    ],
)
def test_queries(query: str, expected: tuple[str, str | None]) -> None:
    assert parse(query) == expected


def test_a_query_that_is_no_name() -> None:
    with pytest.raises(QueryError, match=r"is no name; write one such as jax\.tree_map"):
        parse("jax tree map")


def test_a_query_for_jaxlib_says_that_it_is_another_package() -> None:
    with pytest.raises(QueryError, match=r"^jaxlib\.xla_client: jaxlib is a package of its own"):
        parse("jaxlib.xla_client")


@pytest.mark.parametrize("name", ["jax.linear_util.wrap_init", "jax.prng", "jax.util.safe_map", "jax.core.Primitive"])
def test_names_that_were_never_promised_are_internal(name: str) -> None:
    assert life_of(name).tier == "internal"


def test_the_life_of_an_argument_of_a_method() -> None:
    life = life_of(*parse("Array.clip(a_min)"))
    assert [(p.first, p.state) for p in life.periods] == [
        ("0.1.60", "there"),
        ("0.2.21", "deprecated"),
        ("0.3.15", "missing"),
    ]
    assert (life.instead, near_arguments("jax.Array.clip", "amin")[0]) == ("`min`", "jax.Array.clip(a_min)")


def test_what_a_module_passes_on_is_judged_by_what_it_leads_to() -> None:
    """A warning of what goes wrong on some machines, as `import jax` gives, isn't that of a deprecated module."""
    assert [state_of("jax.experimental.multihost_utils.jax", i)[0] for i in (60, 100, 128)] == ["there"] * 3
    assert state_of("jax.experimental.multihost_utils.jax.tree_map", history.index_of("0.5.3"))[0] == "deprecated"
    assert state_of("jax.experimental.shard_map.lax", history.index_of("0.4.30"))[0] == "there"


def test_near_names() -> None:
    assert "jax.numpy.arange" in near("jax.numpy.arrange")
    assert "jax.experimental.maps.xmap" in near("jax.xmap")


def test_the_command() -> None:
    result = CliRunner().invoke(command, ["jax.tree_map"])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:3] == [
        "jax.tree_map · public name",
        "  0.1.60 or before to 0.3.14 there",
        "  0.3.15                     deprecated on call",
    ]
    assert "  0.6.0 on                   not there" in lines
    assert lines[-1] == "  use `jax.tree.map`"


def test_the_command_in_json() -> None:
    result = CliRunner().invoke(command, ["jnp.clip(a_min)", "--format", "json"])
    document = json.loads(result.output)
    assert (document["version"], document["name"], document["argument"]) == (1, "jax.numpy.clip", "a_min")
    assert [p["from"] for p in document["periods"]] == ["0.1.60", "0.4.27", "0.10.0"]
    assert set(document) == {
        "version", "name", "argument", "kind", "tier", "signature", "periods", "instead", "note", "releases",
        "imports", "documented", "known", "near",
    }  # fmt: skip
    assert document["instead"] == "`min`"
    assert document["known"] is True


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("jax.nn.softmax(initial)", "it had no effect: drop it"),
        ("jax.numpy.einsum_path(subscripts)", "pass it by position"),
    ],
    ids=["said by the table", "positional-only by its signature"],
)
def test_an_argument_that_nothing_replaces_has_its_remark(query: str, note: str) -> None:
    document = json.loads(CliRunner().invoke(command, [query, "--format", "json"]).output)
    assert (document["instead"], document["note"]) == (None, note)
    assert CliRunner().invoke(command, [query]).output.splitlines()[-1] == f"  {note}"


def test_an_unknown_name_in_json_lists_what_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.run(["api", "jax.numpy.arrange", "--format", "json"])
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert code == 2
    assert (document["name"], document["known"]) == ("jax.numpy.arrange", False)
    assert "jax.numpy.arange" in document["near"]
    assert "jax.numpy.arange" in err


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("jnp.array_split", "  jax.numpy.array_split(ary, indices_or_sections, axis=…) in JAX "),
        ("jnp.clip(a_min)", "  jax.numpy.clip(arr=…, /, min=…, max=…) in JAX "),
    ],
)
def test_the_signature_is_shown(query: str, shown: str) -> None:
    assert CliRunner().invoke(command, [query]).output.splitlines()[1].startswith(shown)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("jax.numpy.array_split", [("0.1.60", "0.1.75", STUB), ("0.1.76", None, THERE)]),
        (
            "jax.numpy.round_",
            [
                ("0.1.60", "0.2.13", STUB),
                ("0.2.14", "0.4.31", THERE),
                ("0.4.33", "0.4.37", DEPRECATED),
                ("0.4.38", None, MISSING),
            ],
        ),
    ],
)
def test_releases_with_a_stub_are_a_period_of_their_own(name: str, expected: list[tuple[str, str | None, str]]) -> None:
    assert runs(name) == expected
    text = CliRunner().invoke(command, [name]).output
    assert [line.split()[0] for line in text.splitlines() if "NotImplementedError" in line] == ["0.1.60"]


def test_a_replacement_that_only_jax_names_in_its_short_form() -> None:
    assert life_of("jax.numpy.round_").instead == "`jax.numpy.round`"
    newest = (len(history.releases()) - 1,)
    assert instead_of("jax.numpy.no_such", newest, "jnp.no_such is deprecated; use jnp.not_there instead.") is None


@pytest.mark.parametrize("attribute", ["update", "read", "values", "parse_flags_with_absl"])
def test_methods_of_the_configuration_are_there_while_a_module_has_its_name(attribute: str) -> None:
    assert runs(f"jax.config.{attribute}") == [("0.1.60", None, THERE)]


def test_a_module_that_went_and_left_its_name_to_an_object() -> None:
    life = life_of("jax.config")
    assert (life.kind, [(p.first, p.last, p.state) for p in life.periods]) == ("name", [("0.1.60", None, THERE)])
    assert [(p.first, p.last, p.state) for p in life.imports] == [
        ("0.1.60", "0.4.24", THERE),
        ("0.4.25", "0.4.28", DEPRECATED),
        ("0.4.29", None, MISSING),
    ]
    assert "  as a module (import jax.config):" in CliRunner().invoke(command, ["jax.config"]).output.splitlines()


@pytest.mark.parametrize("version", ["0.4.25", "0.4.26", "0.4.28"])
def test_an_import_is_deprecated_since_the_same_release_for_every_target(version: str) -> None:
    verdict = judge("jax.config", (history.index_of(version),), 3)
    assert verdict is not None
    assert (verdict.since, verdict.gone) == ("0.4.25", "0.4.29")


@pytest.mark.parametrize(
    ("query", "near_it"),
    [
        ("jax.numpy.arrange", "jax.numpy.arange"),
        ("jax.jit(static_argnum)", "jax.jit(static_argnums)"),
        ("Array.sume", "jax.Array.sum"),
        ("jax.config.jax_enable_x65", "jax.config.jax_enable_x64"),
    ],
)
def test_the_command_offers_what_is_near(query: str, near_it: str) -> None:
    result = CliRunner().invoke(command, [query])
    assert result.exit_code == 2
    assert near_it in re.split(r"[\s,]+", result.output.partition("close to it: ")[2])


@pytest.mark.parametrize(
    ("query", "periods", "instead"),
    [
        (
            "Array.device_buffer",
            [("0.3.19", "0.4.21", THERE), ("0.4.22", "0.4.26", DEPRECATED), ("0.4.27", None, MISSING)],
            "`x.addressable_data(0)`",
        ),
        (
            "jax.config.config",
            [("0.1.60", "0.4.19", THERE), ("0.4.20", "0.4.24", DEPRECATED), ("0.4.25", None, MISSING)],
            "the object `jax.config` after `import jax`",
        ),
        ("jax.stages.Compiled.input_layouts", [("0.7.0", None, MISSING)], "`compiled.input_formats`"),
    ],
)
def test_attributes_and_options_of_objects(
    query: str, periods: list[tuple[str, str | None, str]], instead: str | None
) -> None:
    life = life_of(*parse(query))
    assert [(p.first, p.last, p.state) for p in life.periods][-len(periods) :] == periods
    assert (life.kind, life.instead) == ("attribute", instead)


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        (
            "jax_array",
            "option",
            [("0.1.60", "0.3.13", MISSING), ("0.3.14", "0.4.13", THERE), ("0.4.14", None, MISSING)],
        ),
        ("jax_enable_x64", "option", [("0.1.60", None, THERE)]),
        ("x64_enabled", "attribute", [("0.1.60", "0.2.9", MISSING), ("0.2.10", None, THERE)]),
        (
            "define_bool_state",
            "attribute",
            [
                ("0.1.60", "0.2.10", MISSING),
                ("0.2.11", "0.4.14", THERE),
                ("0.4.16", "0.4.24", DEPRECATED),
                ("0.4.25", None, MISSING),
            ],
        ),
        (
            "disable_omnistaging",
            "attribute",
            [("0.1.60", "0.1.75", MISSING), ("0.1.76", "0.3.14", THERE), ("0.3.15", None, MISSING)],
        ),
    ],
)
def test_options_and_methods_of_the_configuration(
    name: str, kind: str, expected: list[tuple[str, str | None, str]]
) -> None:
    assert (life_of(f"jax.config.{name}").kind, runs(f"jax.config.{name}")) == (kind, expected)


def test_an_attribute_has_the_remark_of_its_row_and_no_signature_of_its_class() -> None:
    life = life_of("jax.ShapeDtypeStruct.named_shape")
    assert (life.instead, life.note, life.signature) == (None, "named shapes are gone: drop it", None)
    assert life_of("jax.config.disable_omnistaging").note == "omnistaging is always on: drop it"


def test_a_function_that_only_raises_is_told_apart_from_one_that_works() -> None:
    name = "jax.experimental.host_callback.call"
    assert runs(name)[1:] == [
        ("0.2.8", "0.4.25", THERE),
        ("0.4.26", "0.4.34", DEPRECATED),
        ("0.4.35", "0.7.2", STUB),
        ("0.8.0", None, MISSING),
    ]
    lines = CliRunner().invoke(command, [name]).output.splitlines()
    assert f"  {'0.4.35 to 0.7.2':<26} there, but calling it raises NotImplementedError" in lines


@pytest.mark.parametrize(
    ("query", "line", "document"),
    [
        ("jax.numpy.clip", "  documented", [("0.1.60", None, True)]),
        ("jax.experimental.maps", "  without a docstring", [("0.2.7", "0.4.30", False)]),
        (
            "jax.random.key_data",
            "  without a docstring from 0.3.17 to 0.4.16; documented since 0.4.17",
            [("0.3.17", "0.4.16", False), ("0.4.17", None, True)],
        ),
        ("jax.numpy.float32", None, []),
        ("jax.jit(device)", None, []),
    ],
    ids=["a function", "a module", "once it was written", "an object", "an argument"],
)
def test_the_command_says_what_is_documented(
    query: str, line: str | None, document: list[tuple[str, str | None, bool]]
) -> None:
    told = [t for t in CliRunner().invoke(command, [query]).output.splitlines() if "document" in t or "docstring" in t]
    assert told == ([line] if line else [])
    found = json.loads(CliRunner().invoke(command, [query, "--format", "json"]).output)["documented"]
    assert [(p["from"], p["to"], p["documented"]) for p in found] == document


@pytest.mark.parametrize("query", ["jax.numpy.arrange", "jax.jit(no_such)", "jax tree"])
def test_the_command_on_what_is_unknown(query: str) -> None:
    result = CliRunner().invoke(command, [query])
    assert result.exit_code == 2
    assert "jax" in result.output
    assert "Traceback" not in result.output
