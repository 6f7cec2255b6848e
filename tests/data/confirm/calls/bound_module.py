class Module:
    """Stands for a framework's: methods only work while `init_with_output` runs."""

    def __init__(self, width: int):
        self.width = width
        self._bound = False

    def init_with_output(self, key, *args, method, **kwargs):
        self._bound = True
        try:
            return method(self, *args, **kwargs), {"params": key}
        finally:
            self._bound = False

    def encode(self, x):
        if not self._bound:
            raise RuntimeError("not bound")
        if x.sum() > 0:  # mark
            return x * self.width
        return x
