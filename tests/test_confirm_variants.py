"""A parameter that chooses between parts of a function is given each of the values that the function asks for."""

from __future__ import annotations

import pytest

from omnilint.model import Status
from tests.confirm_support import verdict

pytest.importorskip("jax", reason="confirm runs code under JAX")


@pytest.mark.parametrize(
    ("name", "code", "inputs"),
    [
        pytest.param("compared", "OMN504", "mode='down'", id="the second word that it is compared with"),
        pytest.param("default", "OMN502", "mode='down'", id="another than the default"),
        pytest.param("listed", "OMN502", "mode='b'", id="a word of its annotation"),
        pytest.param("member", "OMN502", "mode=Mode.DOWN", id="a member of an enumeration"),
        pytest.param("flag", "OMN502", "flag=True", id="a flag"),
        pytest.param("number", "OMN502", "n=6", id="a number beyond the one it is compared with"),
        pytest.param("truth", "OMN502", "quiet=False", id="a flag without a default"),
    ],
)
def test_each_value_is_tried_until_the_line_runs(name: str, code: str, inputs: str) -> None:
    told = verdict("calls", "modes", code, name)
    assert told.status is Status.CONFIRMED, told
    assert inputs in (told.inputs or "")
    assert told.source == "search"
