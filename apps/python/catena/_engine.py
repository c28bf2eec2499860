"""The engine of an installed package: the extension module that was built for this processor.

Where the package was built for one machine, the extension module `_engine` lies here itself, and Python takes that one.
"""
import importlib.util
import os
import sys

from ._kernels import engine_file, find_compiler, kernels_folder

_found = engine_file()
if _found is None:
    raise ImportError(f"catena: there is no engine for this Python in {kernels_folder()}; install the package again")
find_compiler()
_spec = importlib.util.spec_from_file_location(__name__, _found)
assert _spec is not None and _spec.loader is not None
# The commands are in it as well, and what they draw by is in their program: those names are never called here.
_flags = sys.getdlopenflags()
sys.setdlopenflags(os.RTLD_LAZY)
try:
    _module = importlib.util.module_from_spec(_spec)
finally:
    sys.setdlopenflags(_flags)
sys.modules[__name__] = _module
_spec.loader.exec_module(_module)
