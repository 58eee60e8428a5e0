"""Takes metadata out of pictures without decoding them, so that no pixel changes and every machine gets the same bytes.

What a decoder needs is kept, colour profiles with it. All else is left out: EXIF with its places and times, XMP,
comments, thumbnails, and whatever follows the end of the picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_JFIF, _JFIF_BYTES = 0xE0, 14
"""The marker of the JFIF segment, and its bytes without a thumbnail."""
_JPEG_KEPT_APPS = {_JFIF: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
"""The application segments that say how to decode, by marker, with how they begin."""
_JPEG_COMMENT = 0xFE
_START_OF_SCAN, _END_OF_IMAGE = 0xDA, 0xD9
_JPEG_MARKER = re.compile(rb"\xff+([^\x00\xff\xd0-\xd7])")
"""A marker after coded data, in which FF is followed by 00 or by a restart marker."""
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = {
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"cICP", b"pHYs",
}  # fmt: skip
_WEBP_KEPT = {b"VP8X", b"ICCP", b"ALPH", b"VP8 ", b"VP8L"}
_WEBP_METADATA_FLAGS = 0x04 | 0x08
"""The bits of VP8X that announce XMP and EXIF."""


def strip_metadata(content: bytes, ending: str) -> bytes:
    """Return a picture without metadata; `ending` is jpg, png or webp. Raises ValueError where its parts do not fit."""
    strip = {"jpg": _strip_jpeg, "png": _strip_png, "webp": _strip_webp}[ending]
    return b"".join(strip(content))


def _strip_jpeg(content: bytes) -> Iterator[bytes]:
    if content[:2] != b"\xff\xd8":
        raise ValueError("no start of image")
    yield content[:2]
    position = 2
    while True:
        found = _JPEG_MARKER.match(content, position)
        if found is None:
            raise ValueError("no marker")
        marker = found[1][0]
        if marker == _END_OF_IMAGE:
            yield b"\xff\xd9"
            return
        end = found.end() + int.from_bytes(content[found.end() : found.end() + 2])
        if end < found.end() + 2 or end > len(content):
            raise ValueError("a segment of no length")
        if _is_kept_segment(marker, content[found.end() + 2 : end]):
            yield bytes((0xFF, marker)) + content[found.end() : end]
        position = end
        if marker == _START_OF_SCAN:
            after = _JPEG_MARKER.search(content, end)
            if after is None:
                raise ValueError("no end of image")
            yield content[end : after.start()]
            position = after.start()


def _is_kept_segment(marker: int, data: bytes) -> bool:
    if 0xE0 <= marker <= 0xEF:
        has_thumbnail = marker == _JFIF and len(data) > _JFIF_BYTES
        return marker in _JPEG_KEPT_APPS and data.startswith(_JPEG_KEPT_APPS[marker]) and not has_thumbnail
    return marker != _JPEG_COMMENT


def _strip_png(content: bytes) -> Iterator[bytes]:
    if not content.startswith(_PNG_SIGNATURE):
        raise ValueError("no signature")
    yield _PNG_SIGNATURE
    position, kind = len(_PNG_SIGNATURE), b""
    while kind != b"IEND":
        length, kind = int.from_bytes(content[position : position + 4]), content[position + 4 : position + 8]
        end = position + 12 + length
        if end > len(content):
            raise ValueError("a chunk is cut off")
        if kind in _PNG_KEPT:
            yield content[position:end]
        position = end


def _strip_webp(content: bytes) -> Iterator[bytes]:
    chunks = [_clear_flags(chunk) for chunk in _list_webp_chunks(content) if chunk[:4] in _WEBP_KEPT]
    yield b"RIFF" + (4 + sum(map(len, chunks))).to_bytes(4, "little") + b"WEBP"
    yield from chunks


def _list_webp_chunks(content: bytes) -> Iterator[bytes]:
    if content[:4] != b"RIFF" or content[8:12] != b"WEBP":
        raise ValueError("no WebP")
    position, stop = 12, min(len(content), 8 + int.from_bytes(content[4:8], "little"))
    while position < stop:
        length = int.from_bytes(content[position + 4 : position + 8], "little")
        end = position + 8 + length
        if end > len(content):
            raise ValueError("a chunk is cut off")
        yield content[position:end] + bytes(length % 2)  # the byte that fills an odd chunk up may be missing at the end
        position = end + length % 2


def _clear_flags(chunk: bytes) -> bytes:
    if chunk[:4] != b"VP8X" or len(chunk) < 9:
        return chunk
    return chunk[:8] + bytes((chunk[8] & ~_WEBP_METADATA_FLAGS,)) + chunk[9:]
