"""Repairs of dead switches: simple commands and entries go; blocks, strings and commands of several parts stay."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from omnilint import cli


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fixed(name: str, text: str) -> str:
    Path(name).write_bytes(text.encode())
    assert cli.run(["check", "--no-config", "--fix", name]) in (0, 1)
    return Path(name).read_bytes().decode()


SET = "export JAX_OMNISTAGING=0\n"
STAYS_IN_SHELL = [
    pytest.param(f'if [ -n "$X" ]; then\n  {SET}fi\n', id="the only line of an if"),
    pytest.param("for i in 1 2; do export JAX_OMNISTAGING=0; done\n", id="in a loop of one line"),
    pytest.param("if true; then JAX_OMNISTAGING=0; fi\n", id="in an if of one line"),
    pytest.param(f"f() {{\n  {SET}}}\nf\n", id="in a function"),
    pytest.param(f"f()\n{{\n{SET}echo a\n}}\nf\n", id="in a function, not indented"),
    pytest.param(f'[ "$Y" ] &&\n  {SET}echo done\n', id="behind an and"),
    pytest.param(f'[ "$Y" ] ||\n{SET}echo done\n', id="behind an or"),
    pytest.param(f'[ "$Y" ] ||\n\n# why\n{SET}echo done\n', id="behind an or and a comment"),
    pytest.param("JAX_OMNISTAGING=0 && echo a\n", id="before an and"),
    pytest.param("true; JAX_OMNISTAGING=0; echo a\n", id="of several commands"),
    pytest.param(f"cat > a.sh <<EOF\n{SET}EOF\n", id="in a here-document"),
    pytest.param(f"cat > a.sh <<-'EOF'\n\t{SET}\tEOF\necho a\n", id="in an indented here-document"),
    pytest.param(f"A='\n{SET}'\necho $A\n", id="in a string"),
    pytest.param(f'bash -c "\n{SET}python a.py"\n', id="in a script in a string"),
    pytest.param(f"A=$(\n{SET}python a.py)\necho\n", id="in a substitution"),
    pytest.param(f"(\n{SET}python a.py\n)\n", id="in a subshell"),
    pytest.param("A=(\nJAX_OMNISTAGING=0 x\n)\necho\n", id="in an array"),
    pytest.param(f"case $A in\nb)\n{SET};;\nesac\n", id="in a case"),
    pytest.param(f"case $A in\n(b) true ;;\n*)\n{SET}esac\n", id="the last of a case"),
    pytest.param(f"while true; do\n{SET}break\ndone\n", id="in a loop"),
    pytest.param("export JAX_OMNISTAGING=$(python a.py)\necho\n", id="a value that a command gives"),
    pytest.param("export JAX_OMNISTAGING=`python a.py`\necho\n", id="a value that a command gives, as of old"),
    pytest.param("docker run -e JAX_OMNISTAGING=0 image\n", id="an option's value"),
    pytest.param("echo JAX_OMNISTAGING=0 python\n", id="talk"),
    pytest.param("grep -r -- --jax_omnistaging=false .\n", id="looked for"),
    pytest.param("cat <<EOF\npython a.py --jax_omnistaging=false\nEOF\n", id="a flag in a here-document"),
    pytest.param('A="python a.py --jax_omnistaging=false b"\n$A\n', id="a flag in a string"),
    pytest.param("if python a.py --nojax_omnistaging; then\n  echo\nfi\n", id="a flag in a condition"),
    pytest.param("python a.py \\\n  --nojax_omnistaging\n", id="the last line of a command of several"),
    pytest.param(f"python a.py\n{SET}", id="the result of a script"),
    pytest.param(f"python a.py\n{SET}exit $?\n", id="the next command asks"),
    pytest.param(SET + 'python a.py --staging "$JAX_OMNISTAGING"\n', id="read"),
    pytest.param(SET + 'python a.py "${JAX_OMNISTAGING}"\n', id="read in braces"),
    pytest.param(SET + "echo done)\n", id="in what can't be told"),
    pytest.param(SET + "if true\n", id="in a script without an end"),
    pytest.param("((\n JAX_OMNISTAGING=0\n))\n", id="in arithmetic"),
    pytest.param("export JAX_OMNISTAGING=0 \\\n\na\n", id="an export that goes on in an empty line"),
    pytest.param("export JAX_OMNISTAGING=0 2>log\na\n", id="an export with only a redirection left"),
    pytest.param("export JAX_OMNISTAGING=0 -p\na\n", id="an export with only an option left"),
    pytest.param("export JAX_OMNISTAGING=0 $MORE\na\n", id="an export with what may be nothing left"),
    pytest.param("env JAX_OMNISTAGING=0\na\n", id="an env without a program"),
    pytest.param("env A=1 JAX_OMNISTAGING=0\na\n", id="an env of several variables without a program"),
    pytest.param("env JAX_OMNISTAGING=0 A=1 >log\na\n", id="an env whose last word is a file"),
    pytest.param("export JAX_OMNISTAGING=0 A=1 2>log\na\n", id="an export and a redirection"),
    pytest.param("env JAX_OMNISTAGING=0 2>log\na\n", id="an env with only a redirection left"),
    pytest.param("#!/usr/bin/fish\n" + SET + "a\n", id="another shell"),
]


@pytest.mark.parametrize("text", STAYS_IN_SHELL)
def test_a_script_stays(text: str) -> None:
    assert fixed("run.sh", text) == text


GOES_IN_SHELL = [
    pytest.param(f"set -e\n{SET}python a.py\n", "set -e\npython a.py\n", id="export"),
    pytest.param(f"set -e\r\n{SET[:-1]}\r\npython a.py\r\n", "set -e\r\npython a.py\r\n", id="line ends of Windows"),
    pytest.param("JAX_OMNISTAGING='0'  # as of old\npython a.py\n", "python a.py\n", id="quoted, with a comment"),
    pytest.param("unset JAX_OMNISTAGING\npython a.py\n", "python a.py\n", id="unset"),
    pytest.param("JAX_OMNISTAGING=0\nexport JAX_OMNISTAGING\na\n", "a\n", id="set, then exported"),
    pytest.param(f"export A=1\n{SET}", "export A=1\n", id="the last of a list of settings"),
    pytest.param("export A=1 JAX_OMNISTAGING=0 B=2\na\n", "export A=1 B=2\na\n", id="one of several"),
    pytest.param("export JAX_OMNISTAGING=0 A\na\n", "export A\na\n", id="before one that is passed on"),
    pytest.param("env JAX_OMNISTAGING=0 a >log\n", "env a >log\n", id="before an env's program"),
    pytest.param("export A=1 JAX_OMNISTAGING=0\na\n", "export A=1\na\n", id="the last of several"),
    pytest.param("A=1 JAX_OMNISTAGING=0 python a.py > log\n", "A=1 python a.py > log\n", id="before a program"),
    pytest.param("env JAX_OMNISTAGING=0 python a.py\n", "env python a.py\n", id="before a program, by env"),
    pytest.param("python a.py --nojax_omnistaging 2>&1\n", "python a.py 2>&1\n", id="a flag before a redirection"),
    pytest.param(
        "python a.py \\\n  --nojax_omnistaging \\\n  -v\n", "python a.py \\\n  -v\n", id="a flag in a line of its own"
    ),
    pytest.param(
        f'cd "$(dirname "$0")"\nif [ $A ]; then a; fi\ncase $A in b|c) d;; esac\n{SET}x\n',
        'cd "$(dirname "$0")"\nif [ $A ]; then a; fi\ncase $A in b|c) d;; esac\nx\n',
        id="behind blocks that ended",
    ),
    pytest.param(f"cat <<EOF\nif it's\nEOF\n{SET}x\n", "cat <<EOF\nif it's\nEOF\nx\n", id="behind a here-document"),
]


@pytest.mark.parametrize(("before", "after"), GOES_IN_SHELL)
def test_a_simple_command_goes(before: str, after: str) -> None:
    assert fixed("run.sh", before) == after


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash reads the results")
@pytest.mark.parametrize(("before", "after"), GOES_IN_SHELL)
def test_bash_reads_what_is_left(before: str, after: str) -> None:
    done = subprocess.run(["bash", "-n"], input=after.replace("\r", ""), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("Dockerfile", "FROM x\nENV A=1 \\\n    JAX_OMNISTAGING=0\nRUN python a.py\n", id="end of an ENV"),
        pytest.param("Dockerfile", "FROM x\nENV A=1 \\\n# why\n JAX_OMNISTAGING=0\nRUN a\n", id="behind a comment"),
        pytest.param("Dockerfile", "FROM x\nENV JAX_OMNISTAGING=0 \\\n    A=1\n", id="begin of an ENV"),
        pytest.param("Dockerfile", "FROM x\nRUN export JAX_OMNISTAGING=0\n", id="all of a RUN"),
        pytest.param("Dockerfile", "FROM x\nRUN export JAX_OMNISTAGING=0 && a\n", id="in a RUN of several"),
        pytest.param("Dockerfile", "FROM x\nENV A b JAX_OMNISTAGING=0\n", id="in a value"),
        pytest.param("Dockerfile", 'FROM x\nCMD ["a", "--jax_omnistaging=false"]\n', id="in a list"),
        pytest.param("Dockerfile", "FROM x\nRUN <<EOF\nexport JAX_OMNISTAGING=0\nEOF\n", id="in a here-document"),
        pytest.param("Dockerfile", "FROM x\nARG JAX_OMNISTAGING=0\nENV A=$JAX_OMNISTAGING\n", id="read"),
        pytest.param(
            "Dockerfile", "# escape=`\nFROM x\nENV A=1 `\n  JAX_OMNISTAGING=0\n", id="with another sign for going on"
        ),
        pytest.param("Makefile", "a:\n\texport JAX_OMNISTAGING=0; \\\n\tpython b.py\n", id="in a recipe's script"),
        pytest.param("Makefile", "a:\n\texport JAX_OMNISTAGING=0\n", id="all of a recipe"),
        pytest.param("Makefile", "ifdef A\nexport JAX_OMNISTAGING=0\nendif\n", id="in a condition"),
        pytest.param("Makefile", "define a\nJAX_OMNISTAGING=0\nendef\n", id="in a text"),
        pytest.param("Makefile", "A = 1 \\\nJAX_OMNISTAGING=0\n", id="in a value"),
        pytest.param("Makefile", "a: export JAX_OMNISTAGING = 0\n", id="of one target"),
        pytest.param("Makefile", "JAX_OMNISTAGING = 0\na:\n\techo $(JAX_OMNISTAGING)\n", id="read"),
        pytest.param("Makefile", "JAX_OMNISTAGING := $(shell a)\n", id="what a command gives"),
        pytest.param("a.yml", "run: |\n  if a; then\n    export JAX_OMNISTAGING=0\n  fi\n", id="in a script's block"),
        pytest.param("a.yml", "run: >\n  export JAX_OMNISTAGING=0\n  a\n", id="in a folded text"),
        pytest.param("a.yml", "run: |\n  export JAX_OMNISTAGING=0\n", id="all of a script"),
        pytest.param("a.yml", "run: export JAX_OMNISTAGING=0\n", id="all of a script of one line"),
        pytest.param("a.yml", "- run: export JAX_OMNISTAGING=0  \n", id="all of a script of one line, with blanks"),
        pytest.param("a.yml", "run: env JAX_OMNISTAGING=0\n", id="an env that is all of a script"),
        pytest.param("a.yml", "run: JAX_OMNISTAGING=0\n", id="a setting that is all of a script"),
        pytest.param("a.yml", "run: unset JAX_OMNISTAGING\n", id="an unset that is all of a script"),
        pytest.param("Makefile", "a:\n\texport JAX_OMNISTAGING=0 2>log\n", id="all of a recipe but a redirection"),
        pytest.param("a.yml", "text: |\n  env:\n    JAX_OMNISTAGING: 0\n    A: 1\n", id="in a text"),
        pytest.param("a.yml", "env:\n- name: JAX_OMNISTAGING\n  value: '0'\n", id="name and value"),
        pytest.param("a.yml", "args:\n  - -e\n  - JAX_OMNISTAGING=0\n  - a\n", id="an argument"),
        pytest.param("a.yml", "args:\n  - --jax_omnistaging=false\n  - a\n", id="a flag in a list"),
        pytest.param("a.yml", "env:\n  A: 1\n  JAX_OMNISTAGING:\n    '0'\n", id="a value in the next line"),
        pytest.param("a.yml", "env:\n  A: 1\n  JAX_OMNISTAGING: &zero '0'\n", id="an anchor"),
        pytest.param("a.yml", "inputs:\n  JAX_OMNISTAGING: '0'\n  A: 1\n", id="another mapping"),
        pytest.param("a.yml", "env: {JAX_OMNISTAGING: '0', A: 1}\n", id="a mapping in a line"),
        pytest.param("a.yml", "env:\n  A: 1\n  JAX_OMNISTAGING: 0\nx: ${{ env.JAX_OMNISTAGING }}\n", id="read there"),
        pytest.param("pyproject.toml", '[tool.pytest.ini_options]\nenv = ["JAX_OMNISTAGING=0", "A=1"]\n', id="a list"),
        pytest.param("a.toml", "[tool.x]\nJAX_OMNISTAGING = '0'\n", id="another table"),
        pytest.param("a.toml", '[env]\nA = """\nJAX_OMNISTAGING=0\n"""\n', id="a string of several lines"),
        pytest.param("pytest.ini", "[pytest]\naddopts =\n    A=1\n    JAX_OMNISTAGING=0\n", id="another list"),
    ],
)
def test_settings_stay(name: str, text: str) -> None:
    assert fixed(name, text) == text


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        pytest.param("Dockerfile", "FROM x\nENV JAX_OMNISTAGING 0\nRUN a\n", "FROM x\nRUN a\n", id="ENV"),
        pytest.param("Dockerfile", "FROM x\nENV A=1 JAX_OMNISTAGING=0\n", "FROM x\nENV A=1\n", id="one of an ENV"),
        pytest.param("Dockerfile", "FROM x\nRUN JAX_OMNISTAGING=0 a\n", "FROM x\nRUN a\n", id="before a RUN's program"),
        pytest.param("Dockerfile", "FROM x\nCMD a --nojax_omnistaging\n", "FROM x\nCMD a\n", id="a flag"),
        pytest.param("Makefile", "export JAX_OMNISTAGING := 0\na:\n\tb\n", "a:\n\tb\n", id="a variable of make"),
        pytest.param(
            "Makefile", "a:\n\t@JAX_OMNISTAGING=0 b $(C)\n", "a:\n\t@b $(C)\n", id="before a recipe's program"
        ),
        pytest.param(".env", "A=1\nJAX_OMNISTAGING=0\n", "A=1\n", id="a file of variables"),
        pytest.param("a.yml", "env:\n  - A=1\n  - JAX_OMNISTAGING=0\n", "env:\n  - A=1\n", id="a list of variables"),
        pytest.param("a.yml", "env:\n- A=1\n- JAX_OMNISTAGING=0\n", "env:\n- A=1\n", id="a list not indented"),
        pytest.param(
            "a.yml", "- run: |\n    JAX_OMNISTAGING=0\n    a\n  b: c\n", "- run: |\n    a\n  b: c\n", id="in a script"
        ),
        pytest.param("a.yml", "run: export A=1 JAX_OMNISTAGING=0\n", "run: export A=1\n", id="one of an export"),
        pytest.param("a.yml", "- run: JAX_OMNISTAGING=0 a\n- b\n", "- run: a\n- b\n", id="in a command"),
        pytest.param(
            "tox.ini", "[x]\nsetenv =\n    A=1\n    JAX_OMNISTAGING = 0\n", "[x]\nsetenv =\n    A=1\n", id="tox"
        ),
        pytest.param("a.toml", "[env]\nJAX_OMNISTAGING = '0'\nA = '1'\n", "[env]\nA = '1'\n", id="a table"),
    ],
)
def test_an_entry_goes(name: str, before: str, after: str) -> None:
    assert fixed(name, before) == after


ENVIRON = "import os\n\nos.environ['JAX_OMNISTAGING'] = '0'\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('import os\n\nos.putenv("JAX_OMNISTAGING", str(print("x")))\n', id="an argument with an effect"),
        pytest.param("import os\n\nos.environ['JAX_OMNISTAGING'] = [print()][0] or '0'\n", id="a value with an effect"),
        pytest.param("import a\n\na.env()['JAX_OMNISTAGING'] = '0'\n", id="a call in the target"),
        pytest.param("import a\n\na.options.pop('jax_omnistaging')\n", id="taken out of other options"),
        pytest.param("import a\n\na.settings['jax_omnistaging'] = False\n", id="of other settings"),
        pytest.param("import a\n\na.launch(JAX_OMNISTAGING='0')\n", id="an argument of a function"),
        pytest.param(ENVIRON + "print(os.environ['JAX_OMNISTAGING'])\n", id="read"),
        pytest.param(ENVIRON + "print(os.getenv('JAX_OMNISTAGING'))\n", id="asked for"),
        pytest.param("import os\n\nx = os.environ.pop('JAX_OMNISTAGING', None)\n", id="the value is kept"),
        pytest.param("import os\n\na = os.environ['JAX_OMNISTAGING'] = '0'\n", id="two targets"),
    ],
)
def test_python_stays(text: str) -> None:
    assert fixed("a.py", text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("import os\n\nos.putenv('JAX_OMNISTAGING', str(0))\n", "import os\n\n", id="putenv"),
        pytest.param("import os\n\nos.environ.pop('JAX_OMNISTAGING', None)\n", "import os\n\n", id="pop"),
        pytest.param("import os\n\ndel os.environ['JAX_OMNISTAGING']\n", "import os\n\n", id="del"),
        pytest.param("def f(env):\n    env['JAX_OMNISTAGING'] = '0'\n", "def f(env):\n    pass\n", id="a copy"),
        pytest.param(
            "import os\n\nE = dict(os.environ, JAX_OMNISTAGING='0', A='1')\n",
            "import os\n\nE = dict(os.environ, A='1')\n",
            id="an entry of a copy",
        ),
    ],
)
def test_in_python_the_statement_goes(before: str, after: str) -> None:
    assert fixed("a.py", before) == after
