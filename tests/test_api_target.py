"""Which JAX releases the code must run on: what the user writes, and what a project's metadata says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from omnilint import cli
from omnilint.api import history
from omnilint.api.project import metadata_files, target_of
from omnilint.api.target import Target, TargetError

NEWEST = history.releases()[-1]
Check = Callable[..., tuple[int, str]]


@pytest.mark.parametrize(
    ("text", "versions", "ends"),
    [
        ("0.9", ("0.9",), ("0.9.0", "0.9.0")),
        ("0.10,0.4.30", ("0.4.30", "0.10"), ("0.4.30", "0.10.0")),
        (" v0.4.20 , 0.6.0 ", ("0.4.20", "0.6.0"), ("0.4.20", "0.6.0")),
        ("0.4.32", ("0.4.32",), ("0.4.31", "0.4.31")),
    ],
)
def test_targets(text: str, versions: tuple[str, ...], ends: tuple[str, str]) -> None:
    target = Target.parse(text)
    found = [history.releases()[i] for i in target.indices]
    assert (target.versions, (found[0], found[-1])) == (versions, ends)
    assert str(target) == ",".join(versions)


def test_a_range_holds_what_lies_between() -> None:
    assert [history.releases()[i] for i in Target.parse("0.4.35,0.4.38").indices] == [
        "0.4.35",
        "0.4.36",
        "0.4.37",
        "0.4.38",
    ]


def test_the_default_is_the_newest_release() -> None:
    assert [history.releases()[i] for i in Target.newest().indices] == [NEWEST]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("latest", "'latest' is no JAX version; write one such as 0.9"),
        ("0.4.x", "'0.4.x' is no JAX version"),
        ("", "no JAX version given"),
        ("0.1.2", "JAX 0.1.2 is older than 0.1.60"),
    ],
)
def test_what_is_no_target(text: str, message: str) -> None:
    with pytest.raises(TargetError) as caught:
        Target.parse(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("uv.lock", '[[package]]\nname = "jax"\nversion = "0.4.30"\n', "0.4.30"),
        (
            "poetry.lock",
            '[[package]]\nname = "numpy"\nversion = "1"\n[[package]]\nname = "jax"\nversion = "0.6.0"',
            "0.6.0",
        ),
        ("pylock.toml", '[[packages]]\nname = "jax"\nversion = "0.6.0"\n', "0.6.0"),
        ("requirements.txt", "numpy\njax==0.4.20  # pinned\n", "0.4.20"),
        ("requirements.txt", "jax[cpu]==0.4.20 --hash=sha256:00\n", "0.4.20"),
        ("requirements.txt", 'jax>=0.4.20,<0.6; python_version > "3.8"\n', "0.4.20,0.5.3"),
        ("requirements/base.txt", "jax~=0.4.30", "0.4.30,0.4.38"),
        ("environment.yml", "dependencies:\n  - jax=0.4.30\n", "0.4.30"),
        ("environment.yml", "dependencies:\n  - conda-forge::jax>=0.9\n", f"0.9,{NEWEST}"),
        ("pyproject.toml", '[project]\nname = "x"\ndependencies = ["jax >= 0.4.27", "jaxlib"]\n', f"0.4.27,{NEWEST}"),
        (
            "pyproject.toml",
            '[project]\nname = "x"\n[project.optional-dependencies]\ngpu = ["jax[cuda12]==0.7.0"]\n',
            "0.7.0",
        ),
        ("pyproject.toml", '[dependency-groups]\ndev = ["jax==0.7.0"]\n', "0.7.0"),
        ("pyproject.toml", '[tool.poetry.dependencies]\njax = "^0.4.30"\n', "0.4.30,0.4.38"),
        ("setup.cfg", "[options]\ninstall_requires =\n    jax>0.4.30,<=0.4.33\n", "0.4.31,0.4.33"),
        ("setup.py", "setup(install_requires=['numpy', 'jax>=0.10.1'])", f"0.10.1,{NEWEST}"),
        ("setup.py", "_v = '>=0.10.1'\nsetup(install_requires=[f'jax{_v}', f'jaxlib{_v}'])", f"0.10.1,{NEWEST}"),
        ("setup.py", "V = '0.10.1'\nsetup(install_requires=['jax>=' + V, 'a' + str(V)])", f"0.10.1,{NEWEST}"),
        ("requirements.txt", "jax==0.4.*", "0.4.1,0.4.38"),
        ("environment.yml", "dependencies: [python, {pip: [jax==0.4.30]}]\n", "0.4.30"),
        ("environment.yml", "dependencies: [python=3.10, {pip: [numpy, 'x[a]']}, jax=0.4.30]\n", "0.4.30"),
        ("environment.yml", 'dependencies:\n  - python\n  - {pip: ["jax[cpu]==0.4.30", chex]}\n', "0.4.30"),
        ("environment.yml", "dependencies: [\n  python, # jax==0.4.1]\n  {pip: [jax==0.4.30]}]\n", "0.4.30"),
        ("setup.py", "V = '0.4.30'\nsetup(install_requires=[f'jax=={V}'])", "0.4.30"),
        ("setup.py", "V = '0.4.30'\nsetup(install_requires=['numpy', 'jax==' + V])", "0.4.30"),
        ("setup.py", "V = '0.4.30'\nsetup(install_requires=['jax[cpu]==%s' % V])", "0.4.30"),
        ("setup.py", "V = '0.4.30'\nsetup(install_requires=['jax=={}'.format(V)])", "0.4.30"),
        ("setup.py", "A, B = 20, '0.4.30'\nsetup(install_requires=[f'jax>=0.4.{A},<={B}'])", "0.4.20,0.4.30"),
        ("setup.py", "import os\nsetup(install_requires=['jax==0.4.30'] + more)", "0.4.30"),
        ("setup.py", "V = ',<=0.4.30'\nsetup(install_requires=['jax>=0.4.20' + V])", "0.4.20,0.4.30"),
    ],
)
def test_a_project_says_which(tmp_path: Path, file: str, text: str, expected: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    target = target_of(tmp_path)
    assert target is not None
    assert (str(target), target.origin) == (expected, path.name)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("requirements.txt", "jaxlib==0.4.20\njaxtyping==0.2\n"),
        ("requirements.txt", "jax\n"),
        ("pyproject.toml", "[project\n"),
        ("pyproject.toml", '[project]\nname = "jax-thing"\nversion = "0.4.1"\n'),
        ("setup.py", "setup(name='jax-md'"),
        ("environment.yml", "dependencies: [python, jaxlib=0.4.30]\n"),
        ("environment.yml", "dependencies:\n  - jax2 0.4.30\n  - jaxtyping 0.2\n"),
        ("setup.py", "print('jax is great')"),
        ("setup.py", "import os\nV = os.environ['V']\nsetup(install_requires=[f'jax=={V}', 'jax==%s' % V])"),
        ("setup.py", "V = '0.4.30'\nV = '0.4.31'\nsetup(install_requires=[f'jax=={V}'])"),
        ("setup.py", "import os\nsetup(install_requires=[f'jax>=0.4.30{os.environ}', 'jax>=0.4.30' + str(x)])"),
        ("environment.yml", "dependencies: [python, {pip: [jaxlib==0.4.30]}]\n"),
        ("environment.yml", "dependencies: [python, # {pip: [jax==0.4.30]}\n]\n"),
    ],
)
def test_a_project_that_says_nothing(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)
    (tmp_path / ".git").mkdir()
    assert target_of(tmp_path) is None


def test_a_lock_file_wins_and_folders_above_are_searched_up_to_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["jax>=0.4.20"]\n')
    (tmp_path / "uv.lock").write_text('[[package]]\nname = "jax"\nversion = "0.8.1"\n')
    inner = tmp_path / "src" / "x"
    inner.mkdir(parents=True)
    assert str(target_of(inner)) == "0.8.1"
    outer = tmp_path / "other"
    outer.mkdir()
    (outer / "pyproject.toml").write_text('[project]\nname = "y"\n')
    assert target_of(outer) is None


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        pytest.param("requirements.txt", "jax>=0.4.0\n", f"0.4.1,{NEWEST}", id="a bound that was never released"),
        pytest.param("requirements.txt", "jax>=0.4.15,<0.4.20\n", "0.4.16,0.4.19", id="a lower bound in a gap"),
        pytest.param("requirements.txt", "jax>=0.4.30,!=0.4.30,<0.5\n", "0.4.31,0.4.38", id="one left out"),
        pytest.param("requirements.txt", "jax<0.4\n", "0.1.60,0.3.25", id="an upper bound alone"),
        pytest.param("requirements.txt", "jax>=99\n", "99", id="newer than all that is known"),
        pytest.param("requirements.txt", "jax==0.4.32\n", "0.4.32", id="pinned to what isn't known"),
        pytest.param("requirements.in", "jax==0.4.30\n", "0.4.30", id="input of pip-compile"),
        pytest.param("constraints.txt", "jax==0.4.30\n", "0.4.30", id="constraints"),
        pytest.param("Pipfile.lock", '{"default": {"jax": {"version": "==0.6.0"}}}', "0.6.0", id="Pipfile.lock"),
        pytest.param("Pipfile", '[packages]\njax = ">=0.9.0"\n', f"0.9.0,{NEWEST}", id="Pipfile"),
        pytest.param(
            "conda-lock.yml", "package:\n- name: jax\n  version: 0.4.30\n- name: jaxlib\n  version: 0.4.29\n", "0.4.30",
            id="conda-lock",
        ),
        pytest.param("pixi.lock", "- pypi: https://x.example/jax-0.6.2-py3-none-any.whl\n", "0.6.2", id="pixi.lock"),
        pytest.param("pixi.toml", '[dependencies]\njax = "==0.6.2"\n', "0.6.2", id="pixi"),
        pytest.param("environment.yml", "dependencies:\n  - pip:\n    - jax[cuda12]==0.6.2\n", "0.6.2", id="pip"),
        pytest.param("environment-gpu.yml", "dependencies:\n  - jax=0.6.2\n", "0.6.2", id="another environment"),
        pytest.param(
            "uv.lock", '[[package]]\nname = "jax"\nversion = "0.4.30"\n[[package]]\nname = "jax"\nversion = "0.6.0"\n',
            "0.4.30,0.6.0", id="two releases locked, for two Pythons",
        ),
        pytest.param(
            "pyproject.toml",
            '[project]\nname = "x"\ndependencies = ["jax<=0.4.13; python_version < \'3.9\'", "jax>=0.4.30,<0.5"]\n',
            "0.1.60,0.4.38", id="markers",
        ),
        pytest.param(
            "pyproject.toml", '[tool.poetry.group.dev.dependencies]\njax = { version = "^0.5.0", optional = true }\n',
            "0.5.0,0.5.3", id="group of poetry",
        ),
        pytest.param(
            "pyproject.toml", '[tool.flit.metadata]\nrequires = ["jax>=0.4.20"]\n', f"0.4.20,{NEWEST}", id="flit"
        ),
        pytest.param(
            "pyproject.toml", '[tool.flit.metadata.requires-extra]\ntest = ["jax==0.4.20"]\n', "0.4.20", id="flit extra"
        ),
        *(
            pytest.param("pyproject.toml", f'[tool.poetry.dependencies]\njax = "{spec}"', expected, id=f"poetry {spec}")
            for spec, expected in (
                ("~0.4.20", "0.4.20,0.4.38"), ("~0.4", "0.4.1,0.4.38"), ("^0.4.20 || ^0.5.0", "0.4.20,0.5.3"),
                ("^0.4.20, !=0.4.38", "0.4.20,0.4.37"), ("~=0.4.20", "0.4.20,0.4.38"), ("0.4.*", "0.4.1,0.4.38"),
            )
        ),
        *(
            pytest.param("environment.yml", f"dependencies:\n  - {spec}\n", expected, id=f"conda {spec}")
            for spec, expected in (
                ("jax=0.4", "0.4.1,0.4.38"), ("jax=0.4.*", "0.4.1,0.4.38"), ("jax 0.4.30", "0.4.30"),
                ("jax=0.4.30=pyhd8ed1ab_0", "0.4.30"), ("'jax >=0.4.30,<0.5'", "0.4.30,0.4.38"),
                ("jax 0.4.30|0.4.31  # either", "0.4.30,0.4.31"), ("jax 0.4.30 pyhd8ed1ab_0", "0.4.30"),
            )
        ),
        *(
            pytest.param("environment.yml", text, expected, id=f"in brackets, {expected}")
            for text, expected in (
                ("dependencies: [python, jax=0.4.30]\n", "0.4.30"),
                ('dependencies: [python, "jax>=0.4.30,<0.5", numpy]\n', "0.4.30,0.4.38"),
                ("dependencies: [\n  python,  # any, jax=0.4.1\n  jax=0.4.31,\n]\n", "0.4.31"),
                ("dependencies:\n  - pip: ['jax[cpu]==0.4.33']\n", "0.4.33"),
            )
        ),
        pytest.param("requirements.txt", "JAX==0.4.30\n", "0.4.30", id="capitals"),
        pytest.param("requirements.txt", "\ufeffjax==0.4.30\n", "0.4.30", id="a mark of the byte order"),
        pytest.param("requirements.txt", "jax==0.4.30 -f https://example.org/x.html\n", "0.4.30", id="links after it"),
        pytest.param("pyproject.toml", '[tool.hatch.envs.test]\ndependencies = ["jax==0.7.0"]\n', "0.7.0", id="hatch"),
    ],
)  # fmt: skip
def test_more_places_in_which_a_project_says_it(tmp_path: Path, file: str, text: str, expected: str) -> None:
    (tmp_path / file).write_text(text)
    target = target_of(tmp_path)
    assert target is not None
    assert (str(target), target.origin) == (expected, file)


def environment(folder: Path, version: str | None, series: str = "3.11") -> Path:
    """An environment with JAX's metadata alone: that nothing is run shows in that nothing here can run."""
    packages = folder / "lib" / f"python{series}" / "site-packages"
    packages.mkdir(parents=True)
    (folder / "bin").mkdir()
    executable = folder / "bin" / "python"
    executable.write_text("#!/bin/false\n")
    executable.chmod(0o755)
    (folder / "pyvenv.cfg").write_text("include-system-site-packages = false\n")
    (packages / "jaxtyping-0.2.0.dist-info").mkdir()
    if version:
        (packages / f"jax-{version}.dist-info").mkdir()
    return executable


@pytest.fixture
def checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Checks one use of `jax.tree_map` with these options: the exit code, and all that was printed."""

    def check(*options: str) -> tuple[int, str]:
        (tmp_path / "case.py").write_text("import jax\njax.tree_map(f, t)\n")
        (tmp_path / ".git").mkdir(exist_ok=True)
        code = cli.run(["check", str(tmp_path / "case.py"), *options])
        out, err = capsys.readouterr()
        return code, out + err

    return check


def test_the_installed_jax_when_asked(tmp_path: Path, checked: Check) -> None:
    old = environment(tmp_path / "old", "0.4.30")
    code, text = checked("--python", str(old), "--target-jax", "installed")
    assert code == 1
    assert "OMN402" in text
    assert f"for JAX 0.4.30 (installed for {old})" in text


def test_the_installed_jax_of_several_interpreters_is_a_range(tmp_path: Path, checked: Check) -> None:
    old, new = environment(tmp_path / "old", "0.4.30"), environment(tmp_path / "new", "0.10.2", "3.13")
    _, text = checked("--python", str(old), "--python", str(new), "--target-jax", "installed")
    assert "OMN401" in text
    assert "for JAX 0.4.30,0.10.2 (installed for " in text


def test_an_interpreter_that_is_named_tells_more_than_a_project_that_says_nothing(
    tmp_path: Path, checked: Check
) -> None:
    old = environment(tmp_path / "old", "0.4.25")
    code, text = checked("--python", str(old))
    assert (code, "for JAX 0.4.25" in text) == (0, True)
    (tmp_path / "requirements.txt").write_text("jax==0.6.0\n")
    assert "for JAX 0.6.0 (requirements.txt)" in checked("--python", str(old))[1]


def test_an_interpreter_without_jax(tmp_path: Path, checked: Check) -> None:
    bare = environment(tmp_path / "bare", None)
    code, text = checked("--python", str(bare), "--target-jax", "installed")
    assert code == 2
    assert f"{bare} (--python) has no JAX; name another with --python, or write the version" in text
    assert "Traceback" not in text


def test_what_was_taken_stands_in_the_summary_and_in_json(tmp_path: Path, checked: Check) -> None:
    (tmp_path / "requirements.txt").write_text("jax==0.4.30\n")
    assert "for JAX 0.4.30 (requirements.txt)" in checked()[1]
    summary = json.loads(checked("--format", "json")[1])["summary"]
    assert summary["target_origin"] == "requirements.txt"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param({"requirements.txt": "-r other.txt\n", "other.txt": "jax==0.4.20\n"}, "0.4.20", id="-r"),
        pytest.param(
            {"requirements.txt": "--requirement=deps/a.txt", "deps/a.txt": "-r b.txt", "deps/b.txt": "jax==0.4.20"},
            "0.4.20",
            id="from the folder of each file",
        ),
        pytest.param(
            {"requirements.txt": "jax>=0.4.20\n-c pins.txt # for all\n", "pins.txt": "jax==0.4.30\n"},
            "0.4.30",
            id="a constraint narrows it",
        ),
        pytest.param(
            {"requirements.txt": "jax>=0.4.20\n-r upper.txt\n", "upper.txt": "jax<0.4.31\n"},
            "0.4.20,0.4.30",
            id="two bounds in two files",
        ),
        pytest.param(
            {"requirements.txt": "-r a.txt\n", "a.txt": "-r requirements.txt\njax==0.4.20"}, "0.4.20", id="loop"
        ),
        pytest.param({"requirements.txt": "-r gone.txt\n-r .\njax==0.4.20\n"}, "0.4.20", id="not there, or a folder"),
        pytest.param({"requirements.txt": "-r https://example.org/r.txt\n-r " + "x" * 5000}, None, id="not a file"),
        pytest.param({"requirements.txt": "# -r other.txt\n", "other.txt": "jax==0.4.20\n"}, None, id="a comment"),
    ],
)
def test_requirements_that_include_others(tmp_path: Path, files: dict[str, str], expected: str | None) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = target_of(tmp_path)
    assert (None if found is None else str(found)) == expected
    assert {p.name for p in metadata_files([tmp_path])} >= {Path(n).name for n in files if expected}


@pytest.fixture
def ran(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Check:
    """Runs `omnilint check` here: the exit code, and all that was printed. There is a file `case.py` to check."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.py").write_text("import jax\njax.tree_map(f, t)\n")

    def check(*options: str) -> tuple[int, str]:
        code = cli.run(["check", *options])
        out, err = capsys.readouterr()
        return code, out if "json" in options else out + err

    return check


def project(
    folder: Path, jax: str, name: str = "requirements.txt", code: str = "import jax\njax.tree_map(f, x)\n"
) -> Path:
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(jax)
    (folder / "m.py").write_text(code)
    return folder


def test_each_file_is_judged_for_the_jax_of_its_own_project(tmp_path: Path, ran: Check) -> None:
    project(tmp_path / "old", "jax==0.4.20\n")
    project(tmp_path / "new", "jax==0.10.0\n")
    project(tmp_path / "silent", "numpy\n")
    _, text = ran("--format", "concise", "old", "new", "silent")
    assert [line.split()[:2] for line in text.splitlines() if "OMN4" in line] == [
        ["new/m.py:2:1:", "OMN401"],
        ["silent/m.py:2:1:", "OMN401"],
    ]
    told = "JAX 0.10.0 (new/requirements.txt) in 1 file; JAX 0.4.20 (old/requirements.txt) in 1 file"
    told += f"; JAX {NEWEST} (the newest release known) in 1 file"
    assert f", each file for the JAX of its project: {told}" in text
    document = json.loads(ran("--format", "json", "new", "old")[1])
    assert document["target_jax"] == "0.10.0; 0.4.20"
    assert document["summary"]["targets"] == [
        {
            "target_jax": v,
            "origin": f"{folder}/requirements.txt",
            "from_jax": None,
            "judged_as": None,
            "files": 1,
            "notes": "",
        }
        for v, folder in (("0.10.0", "new"), ("0.4.20", "old"))
    ]


def test_a_part_of_a_project_with_requirements_of_its_own(tmp_path: Path, ran: Check) -> None:
    project(tmp_path, "jax==0.10.0\n")
    (tmp_path / "examples" / "a").mkdir(parents=True)
    (tmp_path / "examples" / "requirements.txt").write_text("jax==0.4.20\n")
    (tmp_path / "examples" / "a" / "m.py").write_text("import jax\njax.tree_map(f, x)\n")
    text = ran(".")[1]
    assert "examples/a/m.py" not in text
    assert "JAX 0.10.0 (requirements.txt) in 2 files; JAX 0.4.20 (examples/requirements.txt) in 1 file" in text


def test_projects_that_agree_are_told_as_one(tmp_path: Path, ran: Check) -> None:
    for name in "abcde":
        project(tmp_path / name, "jax==0.4.20\n")
    text = ran(*"abcde")[1]
    wanted = "for JAX 0.4.20 (a/requirements.txt, b/requirements.txt, c/requirements.txt and 2 more)"
    assert (wanted in text, "each file" in text) == (True, False)


def test_repairs_fit_the_project_too(tmp_path: Path, ran: Check) -> None:
    code = "import jax.numpy as jnp\n\n\ndef f(x):\n    return jnp.clip(x, a_min=0)\n"
    project(tmp_path / "old", "jax>=0.4.26,<0.4.28\n", code=code)
    project(tmp_path / "new", "jax==0.10.0\n", code=code)
    ran("--unsafe-fixes", "--fix", "old", "new")
    assert (tmp_path / "new" / "m.py").read_text() == code.replace("a_min", "min")
    assert (tmp_path / "old" / "m.py").read_text() == code.replace("a_min=", "")  # `min=` came in between


def test_a_warm_run_tells_the_same_targets(tmp_path: Path, ran: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path / "old", "jax==0.4.20\n")
    project(tmp_path / "new", "jax==0.10.0\n")
    kept = ("--cache-dir", str(tmp_path / "kept"), "--from", "0.4.20", "old", "new")
    cold = ran(*kept)
    assert ran(*kept) == cold
    (tmp_path / "old" / "requirements.txt").write_text("jax==0.10.1\n")
    assert "JAX 0.10.1 (old/requirements.txt)" in ran(*kept)[1]


def test_a_target_beyond_what_is_known_is_judged_as_the_newest_and_says_so(ran: Check) -> None:
    code, text = ran("--target-jax", "99.0", "case.py")
    assert code == 1
    assert f"for JAX 99.0 (judged as {NEWEST}, the newest release known)" in text
    assert json.loads(ran("--target-jax", "0.4.20,99.0", "--format", "json", "case.py")[1])["summary"]["targets"] == [
        {"target_jax": "0.4.20,99.0", "origin": "", "from_jax": None, "judged_as": NEWEST, "files": 1, "notes": ""}
    ]


def test_the_summary_says_from_where_an_upgrade_starts(ran: Check) -> None:
    assert "for JAX 0.7.0, only what changes from 0.4.20 on" in ran("--target-jax", "0.7.0", "--from", "0.4.20")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--from", "foo"), "error: --from: 'foo' is no JAX version; write one such as 0.9"),
        (("--from", "0.4.20,0.5"), "error: --from: '0.4.20,0.5' is no JAX version; write one such as 0.9"),
        (
            ("--target-jax", "foo", "--from", "bar"),
            "error: --target-jax: 'foo' is no JAX version; write one such as 0.9",
        ),
    ],
)
def test_an_error_blames_the_option_that_is_wrong(ran: Check, arguments: tuple[str, ...], message: str) -> None:
    code, text = ran(*arguments)
    assert (code, message in text) == (2, True)


@pytest.mark.parametrize(
    ("start", "target", "is_fine"),
    [
        ("0.9", "0.4.30", False),
        ("0.4.30", "0.4.30", True),
        ("0.9.0", "0.9", True),
        ("0.9", "0.4.30,0.10", True),
        ("0.9", "0.4.20,0.4.30", False),
        ("99.0", "99", True),
        ("99.1", "99", False),
        ("99", NEWEST, False),
    ],
)
def test_an_upgrade_starts_from_what_comes_first(ran: Check, start: str, target: str, is_fine: bool) -> None:
    code, text = ran("--from", start, "--target-jax", target)
    wanted = f"error: --from: JAX {start} comes after {target} (--target-jax), the target of the upgrade"
    assert (code == 2, wanted in text, len(text.splitlines()) == 1) == (
        (False, False, False) if is_fine else (True,) * 3
    )


def test_an_upgrade_from_more_than_a_project_runs_on(tmp_path: Path, ran: Check) -> None:
    project(tmp_path / "old", "jax==0.4.20\n")
    project(tmp_path / "new", "jax==0.10.0\n")
    code, text = ran("--from", "0.9", "old", "new")
    assert (code, "JAX 0.9 comes after 0.4.20 (old/requirements.txt), the target" in text) == (2, True)


def test_an_error_names_the_configuration_file(tmp_path: Path, ran: Check) -> None:
    (tmp_path / "omnilint.toml").write_text('target-jax = "soon"\n')
    assert "error: omnilint.toml: target-jax: 'soon' is no JAX version" in ran()[1]


def test_settings_may_name_an_environment_that_is_not_everywhere(tmp_path: Path, checked: Check) -> None:
    (tmp_path / "omnilint.toml").write_text('python = [".venv/bin/python"]\n')
    code, text = checked()
    assert (code, "the newest release known" in text) == (1, True)
    code, text = checked("--python", "nowhere/python")
    assert (code, "--python nowhere/python: no such interpreter" in text) == (2, True)
    code, text = checked("--confirm")
    assert (code, ".venv/bin/python: no such interpreter" in text) == (2, True)
