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


def engine_file() -> Path | None:
    """The extension module for this processor. That for older ones lies packed in wheels, and is unpacked once, for this user."""
    folder = kernels_folder()
    for plain in sorted(folder.glob("_engine.*.so")):
        return plain
    for packed in sorted(folder.glob("_engine.*.so.xz")):
        return _unpacked(packed)
    return None


def _unpacked(packed: Path) -> Path:
    import hashlib
    import lzma
    import tempfile

    content = packed.read_bytes()
    name = f"{packed.parent.name}-{hashlib.sha256(content).hexdigest()[:16]}"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "catena" / name
    target = cache / packed.name[: -len(".xz")]
    if target.exists():
        return target
    try:
        cache.mkdir(parents=True, exist_ok=True)
        folder = cache
    except OSError:  # no home to write to: for this process alone
        folder = Path(tempfile.mkdtemp(prefix="catena-"))
        target = folder / target.name
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(lzma.decompress(content))
    os.chmod(file.name, 0o755)
    os.replace(file.name, target)  # whole or not at all, whoever else does the same
    return target
