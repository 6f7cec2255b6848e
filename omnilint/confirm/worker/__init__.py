"""The part of confirm that runs under the user's interpreter: standard library and JAX only, Python 3.8 and up."""
