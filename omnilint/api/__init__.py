"""JAX's API history: which names and arguments exist in which release, and what code uses of them."""
