"""A program that kills the process when it runs."""

import ctypes

import jax


def _kernel():
    """A kernel whose code is libc's abort."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    address = ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value
    return make(address, b"xla._CUSTOM_CALL_TARGET", None)


jax.ffi.register_ffi_target("aborting_kernel", _kernel(), platform="cpu", api_version=0)


@jax.jit
def crashes(x):
    call = jax.ffi.ffi_call("aborting_kernel", jax.ShapeDtypeStruct(x.shape, x.dtype), custom_call_api_version=2)
    return call(x)
