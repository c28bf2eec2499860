"""Which of the builds in an installed package fits this processor."""
from __future__ import annotations

import os
import platform
from pathlib import Path

#: What the level x86-64-v3 consists of, as Linux names it.
_V3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}


def level() -> str:
    """"x86-64-v3" or "x86-64-v2"; on other machines their name. CATENA_KERNELS in the environment names another one."""
    asked = os.environ.get("CATENA_KERNELS")
    if asked:
        return asked
    machine = platform.machine()
    if machine not in ("x86_64", "AMD64"):
        return machine
    flags: list[str] = []
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            flags = next((line.split() for line in file if line.startswith("flags")), flags)
    except OSError:
        pass
    return "x86-64-v3" if _V3 <= set(flags) else "x86-64-v2"


def kernels_folder() -> Path:
    return Path(__file__).parent / "_kernels_of" / level()
