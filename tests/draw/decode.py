"""Decodes a PNG, SVG or PDF without the library that wrote it, and prints its width and height."""
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path


def png(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    place, body, width, height = 8, b"", 0, 0
    while place < len(data):
        (length,), kind = struct.unpack(">I", data[place:place + 4]), data[place + 4:place + 8]
        chunk = data[place + 8:place + 8 + length]
        (crc,) = struct.unpack(">I", data[place + 8 + length:place + 12 + length])
        assert crc == zlib.crc32(kind + chunk), "checksum"
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and colours in (2, 6), "unusual PNG"
        body += chunk if kind == b"IDAT" else b""
        place += 12 + length
    assert kind == b"IEND", "cut off"
    assert len(zlib.decompress(body)) == height * (1 + width * (4 if colours == 6 else 3)), "wrong size"
    return width, height


def svg(data):
    root = ElementTree.fromstring(data)
    assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
    return tuple(float(re.match(r"[\d.]+", root.get(side)).group()) for side in ("width", "height"))


def pdf(data):
    assert data[:5] == b"%PDF-" and data.rstrip().endswith(b"%%EOF"), "cut off"
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+)", data)
    if box is None:  # in a compressed object
        for stream in re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL):
            try:
                box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+)", zlib.decompress(stream))
            except zlib.error:
                continue
            if box:
                break
    return tuple(float(side) for side in box.groups())


path = Path(sys.argv[1])
size = {".png": png, ".svg": svg, ".pdf": pdf}[path.suffix](path.read_bytes())
print(" ".join(f"{side:g}" for side in size), end="")
