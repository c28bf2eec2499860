#!/usr/bin/env python3
"""Packs what was built for packages (build/portable/LEVEL): a wheel, a tarball, Debian packages, and what is inside.

usage: package.py wheel|tarball|deb|npm|blender|source|sbom|sums [--out FOLDER]

`./dev wheel`, `./dev deb` and `./dev release` build first and then call this. Two calls on the same files give the same
bytes: times are those of SOURCE_DATE_EPOCH, by default of the last commit.
"""
import argparse
import base64
import bz2
import gzip
import hashlib
import importlib.util
import io
import json
import lzma
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PORTABLE, STAGES, PAGE = ROOT / "build/portable", ROOT / "build/stages", ROOT / "build/web/page"
MACHINE = platform.machine()
LEVELS = ["x86-64-v3", "x86-64-v2"] if MACHINE == "x86_64" else [MACHINE]
PLAIN = LEVELS[-1]  # runs on every processor of this kind
OF_MACHINE = {"id": lzma.FILTER_X86} if MACHINE == "x86_64" else None  # what packs this kind of code tighter
# Debian's packages that are linked into the programs, and what they are.
INSIDE = {
    "libhdf5-dev": "HDF5", "libaec-dev": "libaec", "zlib1g-dev": "zlib", "libminizip-dev": "minizip", "libfmt-dev": "fmt",
    "libtomlplusplus-dev": "toml++", "nlohmann-json3-dev": "JSON for Modern C++", "libcli11-dev": "CLI11",
    "libeigen3-dev": "Eigen", "libcairo2-dev": "cairo", "libpixman-1-dev": "pixman", "libfontconfig-dev": "fontconfig",
    "libfreetype-dev": "FreeType", "libexpat1-dev": "Expat", "libpng-dev": "libpng", "libbrotli-dev": "Brotli",
    "uuid-dev": "libuuid", "pybind11-dev": "pybind11", "libstdc++-12-dev": "libstdc++ (GCC)",
}


def said(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True, **options).stdout


def version():
    return said(sys.executable, ROOT / "tools/version.py").strip()


def epoch():
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given) if given else int(said("git", "-C", ROOT, "log", "-1", "--format=%ct") or 0)


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def put(source, target, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def put_binary(source, target, mode=0o755, without=()):
    target.parent.mkdir(parents=True, exist_ok=True)
    left_out = [f"--remove-section={section}" for section in without]
    subprocess.run(["strip", "--strip-unneeded", *left_out, "-o", target, source], check=True)
    target.chmod(mode)


# ---- what is inside ---------------------------------------------------------------------------------------


def debian_version(package):
    return said("dpkg-query", "-W", "-f", "${Version}", package).strip()


def page_packages():
    """What of npm is in the page: [(name, version, licence)]."""
    lock = json.loads((ROOT / "apps/web/package-lock.json").read_text(encoding="utf-8"))["packages"]
    wanted, found = list(lock[""].get("dependencies", {})), {}
    while wanted:
        name = wanted.pop()
        entry = lock.get(f"node_modules/{name}")
        if entry and name not in found:
            found[name] = (entry["version"], entry.get("license", "unknown"))
            wanted += entry.get("dependencies", {})
    return sorted((name, *facts) for name, facts in found.items())


def licences():
    """One text with the licences of everything inside."""
    parts = ["Catena contains the following, each under its own licence.\n"]
    for package, name in sorted(INSIDE.items(), key=lambda item: item[1].lower()):
        text = Path(f"/usr/share/doc/{package}/copyright")
        parts.append(f"\n{'=' * 100}\n{name} (Debian's {package} {debian_version(package)})\n{'=' * 100}\n\n"
                     + text.read_text(encoding="utf-8", errors="replace"))
    for name, number, licence in page_packages():
        file = next(iter(sorted((ROOT / "apps/web/node_modules" / name).glob("LICEN[CS]E*"))), None)
        parts.append(f"\n{'=' * 100}\n{name} {number} ({licence}), in the page of the lab\n{'=' * 100}\n\n"
                     + (file.read_text(encoding="utf-8") if file else licence + "\n"))
    return "".join(parts)


def sbom():
    """CycloneDX: what is inside, with versions."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))
    components = [{"type": "library", "name": name, "version": debian_version(package),
                   "purl": f"pkg:deb/debian/{package}@{debian_version(package)}?arch={MACHINE}"}
                  for package, name in sorted(INSIDE.items())]
    components += [{"type": "library", "name": name, "version": number, "licenses": [{"expression": licence}],
                    "purl": f"pkg:npm/{name.replace('@', '%40')}@{number}"} for name, number, licence in page_packages()]
    me = {"type": "application", "name": "catena", "version": version(), "licenses": [{"license": {"id": "MIT"}}]}
    return json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
                       "metadata": {"timestamp": stamp, "component": me}, "components": components}, indent=1) + "\n"


# ---- trees ------------------------------------------------------------------------------------------------


def check_built(*files):
    missing = [str(PORTABLE / level / file) for level in LEVELS for file in files if not (PORTABLE / level / file).exists()]
    if not (PAGE / "index.html").exists():
        missing.append(str(PAGE))
    if missing:
        sys.exit("not built: " + ", ".join(missing))


def stage_program(prefix):
    """`catena` with all that belongs to it, as it is installed."""
    check_built("catena")
    put_binary(PORTABLE / PLAIN / "catena-launcher", prefix / "bin/catena")
    for level in LEVELS:
        put_binary(PORTABLE / level / "catena", prefix / f"lib/catena/{level}/catena")
    for path in sorted(PAGE.iterdir()):
        put(path, prefix / "share/catena/lab" / path.name)


def stage_manuals(prefix):
    program = PORTABLE / PLAIN / "catena"
    subprocess.run([sys.executable, ROOT / "tools/man_pages.py", program, prefix / "share/man/man1"], check=True)
    for path in sorted((prefix / "share/man/man1").iterdir()):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        path.unlink()
    for shell, name in (("bash", "bash-completion/completions/catena"), ("zsh", "zsh/vendor-completions/_catena"),
                        ("fish", "fish/vendor_completions.d/catena.fish")):
        target = prefix / "share" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(said(program, "completion", shell), encoding="utf-8")


def stage_papers(folder):
    for name in ("README.md", "CHANGELOG.md", "CITATION.cff"):
        put(ROOT / name, folder / name)
    (folder / "copyright").write_text((ROOT / "LICENSE").read_text(encoding="utf-8") + "\n" + licences(), encoding="utf-8")
    (folder / "sbom.json").write_text(sbom(), encoding="utf-8")


def stage_package(folder):
    """The Python package, with an engine for each level."""
    check_built("python/catena/_parts.py")
    for path in sorted((PORTABLE / PLAIN / "python/catena").iterdir()):
        if path.suffix in (".py", ".pyi", ".typed"):
            put(path, folder / path.name)
    for level in LEVELS:
        (engine,) = (PORTABLE / level / "python/catena").glob("_engine.*.so")
        put_binary(engine, folder / "_kernels_of" / level / engine.name)


def stage_loader(prefix):
    """`catena` of a wheel: the commands are in the module."""
    check_built("catena-loader")
    # No exception passes through C.
    put_binary(PORTABLE / PLAIN / "catena-loader", prefix / "bin/catena", without=(".eh_frame", ".eh_frame_hdr"))
    for path in sorted(PAGE.iterdir()):
        put(path, prefix / "share/catena/lab" / path.name)


def pack_engines(folder):
    """Packed tighter than zips can, and unpacked once (apps/python/catena/_kernels.py). The engine for older processors, which few have,
    is what it differs by from the first: much of both is the same code."""
    (whole,) = (folder / "_kernels_of" / LEVELS[0]).glob("_engine.*.so")
    if len(LEVELS) > 1:
        pack_plain(folder, whole)
    whole.with_name(whole.name + ".xz").write_bytes(packed_engine(whole.read_bytes()))
    whole.unlink()


def pack_plain(folder, whole):
    (plain,) = (folder / "_kernels_of" / PLAIN).glob("_engine.*.so")
    patch = plain.with_name(plain.name + ".patch")
    said("bsdiff", whole, plain, patch)
    content = patch.read_bytes()
    # BSDIFF40: sizes, and three parts, each by bzip2: steps, what is added, what is new. Together, by xz, they take a tenth less.
    sizes = [int.from_bytes(content[at : at + 8], "little") for at in (8, 16)]
    ends = [32, 32 + sizes[0], 32 + sum(sizes), len(content)]
    steps, added, new = (bz2.decompress(content[one:other]) for one, other in zip(ends, ends[1:]))
    numbers = [with_sign(int.from_bytes(steps[at : at + 8], "little")) for at in range(0, len(steps), 8)]
    signed = b"".join(in_planes(numbers[first::3]) for first in range(3))
    lengths = b"".join(len(part).to_bytes(8, "little") for part in (signed, added, new))
    parts = lengths + signed + added + new
    steps_end = len(lengths) + len(signed)
    patch.write_bytes(packed(parts[:steps_end], lc=0) + packed(parts[steps_end:]))
    spec = importlib.util.spec_from_file_location("kernels", folder / "_kernels.py")
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    if kernels.patched(whole.read_bytes(), parts) != plain.read_bytes():
        sys.exit("the patch for older processors does not give their engine")
    plain.unlink()


def with_sign(number):
    """As bsdiff writes numbers: the highest bit is the sign."""
    return -(number & ~(1 << 63)) if number >> 63 else number


def in_planes(numbers):
    """Numbers of 32 bits, the sign last (0, -1, 1, -2, ..), as all their first bytes, all their second ones, ..: these pack better."""
    words = [(number << 1 ^ number >> 31) & 0xFFFFFFFF for number in numbers]
    return b"".join(bytes(word >> shift & 0xFF for word in words) for shift in (0, 8, 16, 24))


def packed(content, of_machine=None, **settings):
    pressed = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 26, "lc": 4, "pb": 0, **settings}
    return lzma.compress(content, filters=[*([of_machine] if of_machine else []), pressed])


def packed_engine(content):
    """Code apart from what stands before and behind it: what packs code tighter does not do so for constants, which come in
    words of four and eight bytes. Streams of xz one behind the other are one file to whoever reads them."""
    count, headers = int.from_bytes(content[56:58], "little"), int.from_bytes(content[32:40], "little")
    numbers = [struct.unpack_from("<IIQQQQQQ", content, headers + 56 * i) for i in range(count)]
    code = [(of[2], of[2] + of[5]) for of in numbers if of[0] == 1 and of[1] & 1]  # loaded, to be executed
    first, last = min(code)[0], max(code)[1]
    return packed(content[:first]) + packed(content[first:last], OF_MACHINE) + packed(content[last:], lc=3, pb=2)


def pack_program(folder):
    """The program and the page, of which a wheel has one file: zips pack worse. It is unpacked when a command is called."""
    archive = io.BytesIO()
    tar(folder / "_program", "_program", archive)
    content, page = archive.getvalue(), archive.getvalue().index(b"_program/share/\0")  # the program stands before the page
    (folder / "_program.tar.xz").write_bytes(packed(content[:page], OF_MACHINE) + packed(content[page:], lc=3))
    shutil.rmtree(folder / "_program")


# ---- a wheel ----------------------------------------------------------------------------------------------


def needed_glibc(binaries):
    """The newest GLIBC that any of them asks for: (2, 34)."""
    found = set()
    for binary in binaries:
        found |= {tuple(map(int, text.split("."))) for text in re.findall(r"GLIBC_([\d.]+)", said("objdump", "-T", binary))}
    return max(found)


def metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}", f"Summary: {project['description']}",
             "License: MIT", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Project-URL: {name}, {url}" for name, url in project.get("urls", {}).items()]
    lines += [f"Requires-Dist: {one}" for one in project["dependencies"]]
    for extra, needs in project.get("optional-dependencies", {}).items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {one}; extra == "{extra}"' for one in needs)]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines)


def wheel(out):
    stage = fresh(STAGES / "wheel")
    stage_package(stage / "catena")
    stage_loader(stage / "catena/_program")
    binaries = [path for path in sorted(stage.rglob("*")) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-manylinux_{'_'.join(map(str, needed_glibc(binaries)))}_{MACHINE}"
    pack_engines(stage / "catena")
    pack_program(stage / "catena")
    info = stage / f"catena-{version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata(project), encoding="utf-8")
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: catena\nRoot-Is-Purelib: false\nTag: {tag}\n", encoding="utf-8")
    scripts = "".join(f"{name} = {place}\n" for name, place in project["scripts"].items())
    (info / "entry_points.txt").write_text("[console_scripts]\n" + scripts, encoding="utf-8")
    put(ROOT / "LICENSE", info / "LICENSE")
    (info / "THIRD-PARTY.txt").write_text(licences(), encoding="utf-8")
    (info / "sbom.json").write_text(sbom(), encoding="utf-8")
    return zipped(stage, info, out / f"catena-{version()}-{tag}.whl")


def zipped(stage, info, path):
    date = time.gmtime(max(epoch(), 315532800))[:6]
    record = []
    with zipfile.ZipFile(path, "w") as archive:

        def add(name, content, mode):
            entry = zipfile.ZipInfo(name, date_time=date)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_STORED if name.endswith((".xz", ".patch")) else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)

        for file in sorted(path for path in stage.rglob("*") if path.is_file()):
            name, content = file.relative_to(stage).as_posix(), file.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")
            add(name, content, 0o755 if os.access(file, os.X_OK) else 0o644)
        add(f"{info.name}/RECORD", "".join(record) + f"{info.name}/RECORD,,\n", 0o644)
    return path


def tar(folder, prefix, out):
    """All of a folder, the same bytes whenever it is called."""
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for file in sorted(folder.rglob("*")):
            entry = archive.gettarinfo(file, (Path(prefix) / file.relative_to(folder)).as_posix())
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = epoch()
            if file.is_file():
                with open(file, "rb") as content:
                    archive.addfile(entry, content)
            else:
                archive.addfile(entry)


# ---- a tarball --------------------------------------------------------------------------------------------


def tarball(out):
    name = f"catena-{version()}-linux-{MACHINE}"
    stage = fresh(STAGES / "tarball")
    stage_program(stage / name)
    stage_manuals(stage / name)
    stage_papers(stage / name / "share/doc/catena")
    path = out / f"{name}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed_file:
        tar(stage, "", packed_file)
    return path


# ---- Debian packages --------------------------------------------------------------------------------------


def stage_debian():
    """{package: folder}; each folder is what the package puts below /."""
    stage = fresh(STAGES / "deb")
    folders = {name: stage / name for name in ("catena", "libcatena0", "libcatena-dev", "python3-catena")}
    usr = folders["catena"] / "usr"
    stage_program(usr)
    stage_manuals(usr)
    stage_papers(usr / "share/doc/catena")
    everything = stage / "library"
    subprocess.run(["cmake", "--install", PORTABLE / PLAIN, "--component", "library", "--prefix", "/usr"], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": str(everything)})
    for path in sorted(everything.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        package = "libcatena0" if re.fullmatch(r"libcatena\.so\.\d.*", path.name) else "libcatena-dev"
        target = folders[package] / path.relative_to(everything)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            target.symlink_to(os.readlink(path))
        elif ".so." in path.name:
            put_binary(path, target, 0o644)
        else:
            put(path, target)
    (plain,) = (path for path in folders["libcatena0"].rglob("libcatena.so.*") if not path.is_symlink())
    for level in LEVELS[:-1]:  # where the linker of the C library looks first on such processors
        (fast,) = (path for path in (PORTABLE / level / "apps/library").glob("libcatena.so.*.*") if not path.is_symlink())
        folder = plain.parent / "glibc-hwcaps" / level
        put_binary(fast, folder / fast.name, 0o644)
        (folder / re.match(r"libcatena\.so\.\d+", fast.name).group()).symlink_to(fast.name)
    stage_package(folders["python3-catena"] / "usr/lib/python3/dist-packages/catena")
    kernels = folders["python3-catena"] / "usr/lib/python3/dist-packages/catena/_kernels.py"
    kernels.write_text(kernels.read_text(encoding="utf-8").replace('return _HERE / "_program"', 'return Path("/usr")'), encoding="utf-8")
    for name in ("libcatena0", "libcatena-dev", "python3-catena"):
        stage_papers(folders[name] / "usr/share/doc" / name)
    return folders


def debian_fields(glibc):
    """{package: control fields}; what is linked in needs no package."""
    libc, minor = f"libc6 (>= {'.'.join(map(str, glibc))})", sys.version_info.minor
    same = f"libcatena0 (= {version()})"
    return {
        "catena": {"Section": "science", "Depends": libc, "Recommends": "ffmpeg, fonts-dejavu-core",
                   "has": "the program, its manuals, and the lab, an interactive page"},
        "libcatena0": {"Section": "libs", "Depends": libc, "has": "the shared library"},
        "libcatena-dev": {"Section": "libdevel", "Depends": f"{same}, libfmt-dev, libminizip-dev, zlib1g-dev, libhdf5-dev, libaec-dev",
                          "has": "what other programs are built with: the header, the static library, and how to find them"},
        "python3-catena": {"Section": "python", "Depends": f"{libc}, python3 (>= 3.{minor}), python3 (<< 3.{minor + 1}), python3-numpy",
                           "Recommends": f"catena (= {version()}), python3-matplotlib", "has": "the Python package"},
    }


def control(package, fields, size):
    about = (f"Pendulum chains and mechanisms, simulated to the last digits\n Catena simulates chains of pendulums, linkages and rigid-body "
             f"mechanisms in space\n by the power series of their motion. This package has {fields.pop('has')}.")
    first = {"Package": package, "Source": "catena", "Version": version(), "Architecture": said("dpkg", "--print-architecture").strip(),
             "Maintainer": "The Catena authors <catena@localhost>", "Installed-Size": size, "Priority": "optional"}
    return "".join(f"{name}: {value}\n" for name, value in {**first, **fields, "Description": about}.items())


def debian_package(folder, package, fields, out):
    """One .deb of a folder that is laid out as it is installed."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    sums_of = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n" for path in files)
    (folder / "DEBIAN").mkdir()
    size = sum(path.stat().st_size for path in files) // 1024 + 1
    (folder / "DEBIAN/control").write_text(control(package, fields, size), encoding="utf-8")
    (folder / "DEBIAN/md5sums").write_text(sums_of, encoding="utf-8")
    if package.startswith("libcatena0"):  # the linker's cache learns of it
        (folder / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n", encoding="utf-8")
    if package.startswith("python3-"):  # what Python compiled goes, too
        clean = folder / "DEBIAN/prerm"
        clean.write_text("#!/bin/sh\nset -e\nfind /usr/lib/python3/dist-packages/catena -name __pycache__ -prune -exec rm -r {} +\n",
                         encoding="utf-8")
        clean.chmod(0o755)
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    path = out / f"{package}_{version()}_{said('dpkg', '--print-architecture').strip()}.deb"
    said("dpkg-deb", "--build", "--root-owner-group", "-Zxz", folder, path, env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})
    return path


def deb(out):
    check_built("apps/library/libcatena.so", "apps/library/libcatena.a")
    folders = stage_debian()
    binaries = [path for folder in folders.values() for path in folder.rglob("*")
                if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    return [debian_package(folders[package], package, fields, out)
            for package, fields in debian_fields(needed_glibc(binaries)).items()]


# ---- what others pack -------------------------------------------------------------------------------------


def npm(out):
    said("node", ROOT / "apps/npm/build.mjs", cwd=ROOT)
    return out / json.loads(said("npm", "pack", "--json", "--pack-destination", out, cwd=ROOT / "build/npm"))[0]["filename"]


def blender(out):
    program = STAGES / "blender/catena"
    put_binary(PORTABLE / PLAIN / "catena", program)
    said(sys.executable, ROOT / "tools/pack_blender.py", program, out / f"catena-blender-{version()}.zip", "--no-libraries")
    return out / f"catena-blender-{version()}.zip"


def source(out):
    """What is committed."""
    name = f"catena-{version()}"
    packed = subprocess.run(["git", "-C", ROOT, "archive", "--format=tar", f"--prefix={name}/", "HEAD"], capture_output=True, check=True)
    (out / f"{name}.tar.gz").write_bytes(gzip.compress(packed.stdout, 9, mtime=0))
    return out / f"{name}.tar.gz"


# ---- commands ---------------------------------------------------------------------------------------------


def sums(out):
    path = out / "SHA256SUMS"
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(out.iterdir())
             if file.is_file() and file != path]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("what", choices=("wheel", "tarball", "deb", "npm", "blender", "source", "sbom", "sums"))
    parser.add_argument("--out", type=Path, default=ROOT / "build/packages")
    asked = parser.parse_args()
    out = asked.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    make = {"wheel": wheel, "tarball": tarball, "deb": deb, "npm": npm, "blender": blender, "source": source, "sums": sums,
            "sbom": lambda folder: [written(folder / f"catena-{version()}.sbom.json", sbom()),
                                    written(folder / f"catena-{version()}.licences.txt", licences())]}[asked.what]
    made = make(out)
    for path in made if isinstance(made, list) else [made]:
        print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
