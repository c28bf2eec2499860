"""The engine of an installed package: the extension module that was built for this processor.

Where the package was built for one machine, the extension module `_engine` lies here itself, and Python takes that one.
"""
import importlib.util
import sys

from ._kernels import kernels_folder

_found = next(iter(sorted(kernels_folder().glob("_engine.*.so"))), None)
if _found is None:
    raise ImportError(f"catena: there is no engine for this Python in {kernels_folder()}; install the package again")
_spec = importlib.util.spec_from_file_location(__name__, _found)
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
sys.modules[__name__] = _module
_spec.loader.exec_module(_module)
