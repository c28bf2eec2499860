"""Which of the builds in an installed package fits this processor, and what of a wheel lies packed until it is needed."""
from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Callable

#: What the level x86-64-v3 consists of, as Linux names it.
_V3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
_HERE = Path(__file__).parent


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
    return _HERE / "_kernels_of" / level()


def engine_file() -> Path | None:
    """The extension module for this processor. In wheels it lies packed, that for older ones as what it differs by from the first, and is
    unpacked once, for this user."""
    folder = kernels_folder()
    for plain in sorted(folder.glob("_engine.*.so")):
        return plain
    for packed in sorted(folder.glob("_engine.*.so.*")):
        name = packed.name.rpartition(".")[0]
        if packed.suffix == ".xz":
            return _unpacked(packed, lambda to: (to / name).write_bytes(_decompressed(packed))) / name
        (whole,) = folder.parent.glob(f"*/{name}.xz")
        return _unpacked(packed, lambda to: (to / name).write_bytes(patched(_decompressed(whole), _decompressed(packed)))) / name
    return None


def program_folder() -> Path:
    """bin/catena and share/catena/lab, the page: in wheels they lie packed, and are unpacked once, for this user."""
    packed = _HERE / "_program.tar.xz"
    if not packed.exists():
        return _HERE / "_program"

    def unpack(to: Path) -> None:
        import tarfile

        with tarfile.open(packed) as archive:
            archive.extractall(to)

    return _unpacked(packed, unpack) / "_program"


def put_beside(program: Path, engine: Path) -> None:
    """Where a program looks for its commands when it is started by itself, as by Slurm."""
    link = program.parents[2] / "_kernels_of" / level() / engine.name
    if program.parents[2] != _HERE and not link.exists():
        try:
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(engine)
        except OSError:  # somebody else was quicker
            pass


def _decompressed(file: Path) -> bytes:
    import lzma

    return lzma.decompress(file.read_bytes())


def find_compiler() -> None:
    """`pip install catena[gpu]` puts NVRTC beside this package: the engine is told where, unless somebody else told it."""
    for library in sorted(_HERE.parent.glob("nvidia/*/lib/libnvrtc.so*")):
        os.environ.setdefault("CATENA_NVRTC", str(library.parent))


def patched(whole: bytes, patch: bytes) -> bytes:
    """What bsdiff found: pieces of `whole` with small numbers added, and others that are new."""
    import numpy as np

    sizes = np.frombuffer(patch[:24], dtype="<i8")
    at = 24
    # Three columns of numbers, each as all first bytes, all second ones, ..; their signs are in the last bit.
    words = np.frombuffer(patch[at : at + int(sizes[0])], dtype=np.uint8).reshape(3, 4, -1).transpose(2, 0, 1).copy().view("<u4")[:, :, 0].astype(np.int64)
    steps = words >> 1 ^ -(words & 1)
    at += int(sizes[0])
    added = np.frombuffer(patch[at : at + int(sizes[1])], dtype=np.uint8)
    new = patch[at + int(sizes[1]) :]
    old = np.frombuffer(whole, dtype=np.uint8)
    out, here, taken, fresh = [], 0, 0, 0
    for length, extra, shift in steps.tolist():
        out.append((old[here : here + length] + added[taken : taken + length]).tobytes())
        out.append(new[fresh : fresh + extra])
        here, taken, fresh = here + length + shift, taken + length, fresh + extra
    return b"".join(out)


def _unpacked(packed: Path, unpack: Callable[[Path], object]) -> Path:
    """A folder with what `unpack` puts into it, kept for the next time."""
    import hashlib
    import shutil
    import tempfile

    mark = hashlib.sha256(packed.read_bytes() + os.fsencode(_HERE)).hexdigest()[:16]
    for cache in _caches():
        folder = cache / f"{packed.name.partition('.')[0].strip('_')}-{mark}"
        if folder.exists():
            return folder
        try:
            cache.mkdir(parents=True, exist_ok=True, mode=0o700)
            made = Path(tempfile.mkdtemp(dir=cache))
        except OSError:
            continue
        unpack(made)
        for path in made.rglob("*.so"):
            path.chmod(0o755)
        try:
            made.rename(folder)  # whole or not at all
        except OSError:  # somebody else was quicker
            shutil.rmtree(made, ignore_errors=True)
        return folder
    raise OSError(f"catena: nowhere to unpack {packed.name} to: neither ~/.cache nor a folder for temporary files can be written")


def _caches() -> list[Path]:
    """Where this user alone writes; without a home, among temporary files."""
    import tempfile

    found = []
    try:
        found.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "catena")
    except RuntimeError:
        pass
    own = Path(tempfile.gettempdir()) / f"catena-{os.getuid()}"
    try:
        own.mkdir(mode=0o700)
    except OSError:
        pass
    facts = own.lstat() if own.exists() else None
    if facts is not None and facts.st_uid == os.getuid() and not own.is_symlink() and facts.st_mode & 0o077 == 0:
        found.append(own)
    return found
