"""`import *` from a module that moved: another module's name where that has all that is used, else a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_fixes import repair


@pytest.mark.parametrize(
    ("module", "use", "new"),
    [
        pytest.param("jax.experimental.stax", "serial(Dense(3), Relu)", "jax.example_libraries.stax", id="stax"),
        pytest.param("jax.experimental.optimizers", "adam(1e-3)", "jax.example_libraries.optimizers", id="optimizers"),
        pytest.param("jax.experimental.stax", "nothing", "jax.example_libraries.stax", id="a name of neither"),
    ],
)
def test_a_module_that_moved_is_named_anew(module: str, use: str, new: str, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(f"from {module} import *\n\nprint({use})\n")
    (after,) = repair(file, unsafe=False).after.values()
    assert after.decode() == f"from {new} import *\n\nprint({use})\n"


@pytest.mark.parametrize(
    ("module", "use", "reason"),
    [
        pytest.param("jax.tree_util", "tree_multimap(abs, 1)", "import it by its name", id="one name is gone"),
        pytest.param("jax.interpreters.xla", "DeviceArray", "import it by its name", id="of a module that is left"),
        pytest.param("jax.ops", "index_update(x, index[0], 1)", "import it by its name", id="a call"),
        pytest.param("jax.experimental.maps", "xmap", "other arguments", id="a module without its like"),
        pytest.param("jax.experimental.callback", "find_by_value", "nothing replaces", id="a module that is gone"),
    ],
)
def test_what_is_open_is_left_with_a_reason(module: str, use: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(f"from {module} import *\n\nx = {use}\n")
    out = repair(file, unsafe=True)
    assert not out.changed()
    assert out.report.findings
    assert all(reason in str(f.data["unfixed"]) for f in out.report.findings)


def test_a_name_that_the_new_module_lacks_is_a_reason(tmp_path: Path) -> None:
    """`FanInConcat` of stax stayed; `np` is a name that the old module had by an import of its own."""
    file = tmp_path / "a.py"
    file.write_text("from jax.experimental.stax import *\n\nprint(np.zeros(3), serial)\n")
    out = repair(file, unsafe=True)
    assert not out.changed()
    assert "has no `np`" in str(out.report.findings[0].data["unfixed"])
