"""Stands for the library: modules are made, and parameters asked for, only within a transform."""

from collections import namedtuple

Pair = namedtuple("Pair", "init apply")
_params = []


def _within():
    if not _params:
        raise ValueError("All `hk.Module`s must be initialized inside an `hk.transform`.")
    return _params[-1]


class Module:
    def __init__(self, name=None):
        _within()


def get_parameter(name, shape, init):
    return _within().setdefault(name, init(shape))


def transform_with_state(fun):
    def run(params, args, kwargs):
        _params.append(params)
        try:
            return fun(*args, **kwargs)
        finally:
            _params.pop()

    def init(key, *args, **kwargs):
        params = {}
        run(params, args, kwargs)
        return params, {}

    def apply(params, state, key, *args, **kwargs):
        return run(params, args, kwargs), state

    return Pair(init, apply)
