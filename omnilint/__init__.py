"""omnilint: find, prove and explain the JAX bugs that omnistaging turned from luck into errors."""

__version__ = "0.1.0"
