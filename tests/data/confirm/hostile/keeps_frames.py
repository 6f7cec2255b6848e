import sys

import jax

FRAMES = []


def tracer(frame, event, arg):
    FRAMES.append(frame)
    return tracer


sys.settrace(tracer)  # as a debugger or a coverage tool would


@jax.jit
def f(x):
    total = []
    total.append(x)  # mark
    return total[0] + 1


def trigger():
    return f(1.0)
