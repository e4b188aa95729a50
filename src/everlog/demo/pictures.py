"""Pictures, a sound and a leaflet for the sample blog: real files, made of a few lines each."""

from __future__ import annotations

import hashlib
import struct
import zlib

_FRAME_BYTES = 417


def png(width: int, height: int, *seed: object) -> bytes:
    """A picture of hills in colours that depend on the seed, as PNG.

    >>> png(8, 8, "x")[:4]
    b'\\x89PNG'
    """
    sky, far, near = (bytes(60 + dice(180, *seed, layer, part) for part in range(3)) for layer in range(3))
    far_tops = [height * (35 + 4 * dice(6, *seed, "far", hill)) // 100 for hill in range(12)]
    near_tops = [height * (65 + 4 * dice(5, *seed, "near", hill)) // 100 for hill in range(7)]
    tops = [(far_tops[column * 12 // width], near_tops[column * 7 // width]) for column in range(width)]
    lines: list[bytes] = []
    for row in range(height):
        # Rows differ only where a hill begins.
        if row and row not in far_tops and row not in near_tops:
            lines.append(lines[-1])
            continue
        lines.append(b"\0" + b"".join(sky if row < high else far if row < low else near for high, low in tops))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(lines), 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def mp3(frames: int) -> bytes:
    """Silence, of which each frame lasts 26 milliseconds."""
    # MPEG 1 layer III, 128 kbit/s, 44.1 kHz, joint stereo; nothing but zeros inside.
    return (b"\xff\xfb\x90\x64" + bytes(_FRAME_BYTES - 4)) * frames


def pdf(text: str) -> bytes:
    """A leaflet of one page with one line."""
    stream = f"BT /F1 24 Tf 60 700 Td ({text}) Tj ET".encode("ascii")
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % start)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def dice(sides: int, *seed: object) -> int:
    """A number below `sides` that depends on the seed alone, on every machine and Python.

    >>> dice(6, "demo", 1), dice(6, "demo", 1)
    (2, 2)
    """
    digest = hashlib.sha256(repr(seed).encode()).digest()
    return int.from_bytes(digest[:8], "big") % sides
