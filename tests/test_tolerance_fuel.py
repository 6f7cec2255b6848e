"""How long a function is followed, and the copies that are made of values on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.rounding.copying import replace
from omnilint.rounding.values import Opaque
from tests.tolerance_support import of_body, statements

TIGHT = "np.testing.assert_allclose(smooth(X), WANT, rtol=1e-12)"
STEP = "x = x + 1"  # three steps of the interpreter


def tight_lines(*body: str, root: Path) -> int:
    lines = "\n".join(f"    {line}" for line in ("x = X", *body))
    return statements(of_body(f"\ndef test():\n{lines}\n", root)).count(("OMN301", TIGHT))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param([*[STEP] * 200, TIGHT], 1, id="a-long-way"),
        pytest.param([*[STEP] * 400, TIGHT], 0, id="too-long-a-way"),
        pytest.param([*[STEP] * 250, TIGHT] * 3, 3, id="comparisons-on-the-way"),
        pytest.param([*[STEP] * 250, TIGHT] * 8, 4, id="long-with-comparisons-on-the-way"),
    ],
)
def test_where_following_ends(body: list[str], found: int, tmp_path: Path) -> None:
    assert tight_lines(*body, root=tmp_path) == found


def test_every_function_starts_anew(tmp_path: Path) -> None:
    function = "\n".join(["    x = X", *[f"    {STEP}"] * 250, f"    {TIGHT}"])
    found = of_body("".join(f"\ndef test_{i}():\n{function}\n" for i in range(6)), tmp_path)
    assert statements(found) == [("OMN301", TIGHT)] * 6


def test_set_up_is_the_same_for_every_test(tmp_path: Path) -> None:
    methods = "".join(f"\n    def test_{i}(self):\n        self.x = self.x + {i}\n        {TIGHT}\n" for i in range(3))
    body = f"\nclass Cases:\n    def setUp(self):\n        self.x = X\n{methods}"
    tight = TIGHT.replace("smooth(X)", "smooth(self.x - X + X)")
    found = statements(of_body(body.replace(TIGHT, tight), tmp_path))
    assert found == [("OMN301", tight)] * 3


def test_set_up_that_makes_an_object_to_change_runs_again(tmp_path: Path) -> None:
    found = of_body(
        """
        class Held:
            def __init__(self):
                self.rtol = 1e-12

        class Cases:
            def setUp(self):
                self.held = Held()

            def test_loosened(self):
                self.held.rtol = 1e-2
                np.testing.assert_allclose(smooth(X), WANT, rtol=self.held.rtol)

            def test_tight(self):
                np.testing.assert_allclose(smooth(X), WANT, rtol=self.held.rtol)
        """,
        tmp_path,
    )
    assert [f.symbol for f in found] == ["Cases.test_tight"]


def test_copy_of_a_value() -> None:
    value = Opaque(key=1, form=2, depth=3)
    copy = replace(value, form=4)
    assert (copy.key, copy.form, copy.depth, copy.trail) == (1, 4, 3, None)
    assert (type(copy), value.form) == (Opaque, 2)


def test_copy_with_a_field_that_there_is_not() -> None:
    with pytest.raises(TypeError, match="no such field: shape, size"):
        replace(Opaque(key=1, form=1), depth=0, shape=(), size=1)
