import unittest

import jax
import pytest


def sign(x):
    if x > 0:  # mark: parametrized
        return x
    return -x


def flip(x):
    if x > 0:  # mark: unittest
        return -x
    return x


def twice(x):
    if x > 0:  # mark: class
        return x * 2
    return x


@pytest.mark.parametrize("value,expected", [(2.0, 2.0), (-1.0, 1.0)])
def test_sign(value, expected):
    assert jax.jit(sign)(value) == expected


class FlipTest(unittest.TestCase):
    def test_flip(self):
        self.assertEqual(jax.jit(flip)(1.0), -1.0)


class TestTwice:
    def test_twice(self):
        assert jax.jit(twice)(1.0) == 2.0
