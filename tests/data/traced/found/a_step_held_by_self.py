import jax


class Trainer:
    def __init__(self):
        self.u = jax.jit(jax.value_and_grad(self.loss))

    def loss(self, params, x):
        if params > 0:  # ! OMN501
            return params * x
        return x

    def step(self, params, x):
        return self.u(params, x)
# call: Trainer().step(1.0, 2.0)
