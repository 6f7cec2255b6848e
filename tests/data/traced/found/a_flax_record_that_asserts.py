import flax.struct
import jax
import jax.numpy as jnp


@flax.struct.dataclass
class State:
    params: jax.Array
    step: int = 0

    def __post_init__(self):
        if self.step < 0:  # ! OMN501
            raise ValueError("negative")


def update(state, grad):
    return state.replace(params=state.params - grad)


step = jax.jit(update)


def main():
    s = State(jnp.ones(3), 0)
    return step(s, jnp.ones(3))
# call: main()
