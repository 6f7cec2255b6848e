from dataclasses import dataclass
from functools import partial
import jax
import jax.numpy as jnp


class Meter:
    def __init__(self, n):
        self.acc = 0
        self.n = n

    @partial(jax.jit, static_argnums=0)
    def add(self, x):
        self.acc = self.acc + 1  # ! OMN203
        return x * self.acc


class Meter2:
    def __init__(self, n):
        self.acc = 0
        self.n = n

    @partial(jax.jit, static_argnums=0)
    def add(self, x):
        self.acc += 1  # ! OMN203
        return x * self.acc


@dataclass(eq=False)
class Meter3:
    n: int
    acc: float = 0.0

    @partial(jax.jit, static_argnums=0)
    def add(self, x):
        self.acc = self.acc + x  # ! OMN203
        return x


@dataclass(eq=False)
class Meter4:
    n: int
    acc: int = 0

    @partial(jax.jit, static_argnums=0)
    def add(self, x):
        self.acc += 1  # ! OMN203
        return x * self.acc


class Meter5:
    def __init__(self, n, key):
        self.key = key
        self.cache = {}
        self.hist = []

    def draw(self, shape):
        self.key, sub = jax.random.split(self.key)  # ! OMN203
        return jax.random.normal(sub, shape)

    @partial(jax.jit, static_argnums=0)
    def add(self, x):
        return x + self.draw(x.shape)

    @partial(jax.jit, static_argnums=0)
    def memo(self, x):
        if "v" not in self.cache:
            self.cache["v"] = x * 2  # ! OMN204
        return self.cache["v"]


class Meter6:
    total = 0.0

    @partial(jax.jit, static_argnums=0)
    def add(self, x):
        self.total = self.total + x  # ! OMN203
        return x


class Meter7:
    def __init__(self, decay, state):
        self.decay = decay
        self.state = state

    @partial(jax.jit, static_argnums=0)
    def add(self, x):
        self.state = self.decay * self.state + (1 - self.decay) * x  # ! OMN203
        self.state_dict["x"] = x  # ! OMN204
        return x * 2
# call: m = Meter(1); m.add(1.0); assert m.add(1.0) == 2.0
# call: m = Meter2(1); m.add(1.0); assert m.add(1.0) == 2.0
# call: m = Meter3(1); m.add(1.0); m.acc + 1
# call: m = Meter4(1); m.add(1.0); assert m.add(1.0) == 2.0
# call: m = Meter5(1, jax.random.key(0)); m.add(jnp.ones(3)); m.draw((3,))
# call: m = Meter5(1, None); m.memo(1.0); m.cache["v"] + 1
# call: m = Meter6(); m.add(1.0); m.total + 1
# call: m = Meter7(1, 0.0); m.state_dict = {}; m.add(1.0); m.state + m.state_dict["x"]
