"""64-bit mode: where it is switched on, float32's rounding is no argument."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tolerance_support import HEAD, findings

TEST = HEAD + "\n\ndef test():\n    np.testing.assert_allclose(smooth(X), WANT, rtol=1e-11)\n"


def count(texts: dict[str, str], root: Path) -> int:
    return len(findings(texts, root))


def test_off_by_default(tmp_path: Path) -> None:
    assert count({"test_it.py": TEST}, tmp_path) == 1


@pytest.mark.parametrize(
    "line",
    [
        'jax.config.update("jax_enable_x64", True)',
        'from jax import config; config.update("jax_enable_x64", 1)',
        "jax.config.jax_enable_x64 = True",
        'import os; os.environ["JAX_ENABLE_X64"] = "1"',
        'import os; os.environ.setdefault("JAX_ENABLE_X64", "true")',
        'import os; os.environ.update({"HOME": "/", "JAX_ENABLE_X64": "1"})',
        'import os; os.environ.update(JAX_ENABLE_X64="1")',
        "import numpyro; numpyro.enable_x64()",
        "import netket",
        'if __name__ == "__main__": jax.config.update("jax_enable_x64", True)',
        'def setup_module():\n    jax.config.update("jax_enable_x64", True)',
        "import library; jax.config.update('jax_enable_x64', library.FLAG)",
    ],
)
def test_switched_in_the_module(line: str, tmp_path: Path) -> None:
    assert count({"test_it.py": TEST + line + "\n"}, tmp_path) == 0


@pytest.mark.parametrize(
    "line",
    ['jax.config.update("jax_enable_x64", False)', 'import os; os.environ["JAX_ENABLE_X64"] = "0"', "# about x64"],
)
def test_switched_off(line: str, tmp_path: Path) -> None:
    assert count({"test_it.py": TEST + line + "\n"}, tmp_path) == 1


def test_dtype_that_is_written_out_counts_all_the_same(tmp_path: Path) -> None:
    text = TEST.replace("smooth(X)", "smooth(X.astype(np.float32))")
    assert count({"test_it.py": text + 'jax.config.update("jax_enable_x64", True)\n'}, tmp_path) == 1


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("conftest.py", 'import jax\njax.config.update("jax_enable_x64", True)\n', 0),
        ("tests/conftest.py", 'import jax\njax.config.update("jax_enable_x64", True)\n', 0),
        ("pytest.ini", "[pytest]\nenv =\n    JAX_ENABLE_X64=1\n", 0),
        ("tox.ini", "[testenv]\nsetenv =\n    JAX_ENABLE_X64 = True\n", 0),
        ("pyproject.toml", '[tool.pytest_env]\nJAX_ENABLE_X64 = "1"\n', 0),
        (".env", "JAX_ENABLE_X64=1\n", 0),
        (".github/workflows/test.yml", "env:\n  JAX_ENABLE_X64: 1\n", 0),
        (".github/workflows/test.yml", "matrix:\n  x64: [0, 1]\nenv:\n  JAX_ENABLE_X64: ${{ matrix.x64 }}\n", 0),
        (".github/workflows/test.yml", "env:\n  JAX_ENABLE_X64: 0\n", 1),
        ("conftest.py", "import jax\n", 1),
        ("tests/other/conftest.py", 'import jax\njax.config.update("jax_enable_x64", True)\n', 1),
        ("pytest.ini", "[pytest]\nenv =\n    JAX_ENABLE_X64=0\n", 1),
    ],
)
def test_settings_around_the_file(name: str, text: str, expected: int, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    assert count({"tests/test_it.py": TEST}, tmp_path) == expected


def test_settings_beyond_the_project_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('import jax\njax.config.update("jax_enable_x64", True)\n')
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "pyproject.toml").write_text("")
    assert count({"project/test_it.py": TEST}, tmp_path) == 1


def test_settings_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_bytes(b"\xff\xfe x64")
    assert count({"test_it.py": TEST}, tmp_path) == 1


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('import jax\njax.config.update("jax_enable_x64", True)\n', 0),
        ('import jax\ndef _setup():\n    jax.config.update("jax_enable_x64", True)\n_setup()\n', 0),
        ('import jax\ndef enable_x64():\n    jax.config.update("jax_enable_x64", True)\n', 1),
    ],
)
def test_package_that_is_imported(body: str, expected: int, tmp_path: Path) -> None:
    assert count({"pkg/__init__.py": body, "test_it.py": "import pkg\n" + TEST}, tmp_path) == expected


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("jax.enable_x64()", 0),
        ("jax.enable_x64(True)", 0),
        ("jax.experimental.enable_x64()", 0),
        ("jax.enable_x64(False)", 1),
        ("switched()", 0),
        ("unknown.x64_mode()", 0),
        ("np.errstate(all='ignore')", 1),
    ],
)
def test_context_managers(context: str, expected: int, tmp_path: Path) -> None:
    text = f"""{HEAD}

import unknown

def switched():
    return jax.enable_x64(True)

def test():
    with {context}:
        np.testing.assert_allclose(smooth(X), WANT, rtol=1e-11)
"""
    assert count({"test_it.py": text}, tmp_path) == expected


@pytest.mark.parametrize(
    ("decorator", "before", "expected"),
    [
        ("jax.enable_x64(True)", "", 0),
        ("jax.enable_x64()", "", 0),
        ("unknown.in_x64", "", 0),
        ("jax.enable_x64(False)", 'jax.config.update("jax_enable_x64", True)', 1),
        ("unknown.slow", "", 1),
    ],
)
def test_decorators(decorator: str, before: str, expected: int, tmp_path: Path) -> None:
    text = f"""{HEAD}

import unknown
{before}

@{decorator}
def test():
    np.testing.assert_allclose(smooth(X), WANT, rtol=1e-11)
"""
    assert count({"test_it.py": text}, tmp_path) == expected


def test_set_up_of_the_class(tmp_path: Path) -> None:
    text = f"""{HEAD}

import unittest

from switches import go_double

class Cases(unittest.TestCase):
    def setUp(self):
        go_double()

    def test(self):
        np.testing.assert_allclose(smooth(X), WANT, rtol=1e-11)
"""
    switches = 'import jax\n\ndef go_double():\n    jax.config.update("jax_enable_x64", True)\n'
    assert count({"test_it.py": text, "switches.py": switches}, tmp_path) == 0
    assert count({"test_it.py": text, "switches.py": "def go_double():\n    pass\n"}, tmp_path) == 1
