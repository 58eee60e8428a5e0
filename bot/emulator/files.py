"""Uploads: what the server keeps of them, and the limits."""

from __future__ import annotations

import hashlib
import re
import struct

from bot.emulator.calls import Refused, Upload, bad_request
from bot.emulator.model import File

MOST_UPLOAD, MOST_DOWNLOAD = 50 * 1024**2, 20 * 1024**2


def stored(known: dict[str, File], upload: Upload, *, photo: bool = False) -> File:
    """Keep an upload under its id; the same bytes are the same file."""
    if len(upload.content) > MOST_UPLOAD:
        raise Refused(413, "Request Entity Too Large")
    if not upload.content:
        raise bad_request("file must be non-empty")
    width, height = _size(upload.content) if photo else (0, 0)
    print_ = hashlib.sha256(upload.content + upload.name.encode()).hexdigest()
    folder = "photos" if photo else "documents"
    number = len(known)
    name = re.sub(r"[^\w.\-]", "_", upload.name, flags=re.ASCII) or "file"
    file = File(
        id=f"{'AgAC' if photo else 'BQAC'}{print_[:40]}{number}",
        unique_id=print_[:16],
        name=upload.name,
        mime=upload.mime,
        content=upload.content,
        path=f"{folder}/file_{number}_{name}",
        width=width,
        height=height,
    )
    known[file.id] = file
    return file


def _size(content: bytes) -> tuple[int, int]:
    """Width and height of a PNG or a JPEG; nothing else is a photo here."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) >= 24:
        width, height = struct.unpack(">II", content[16:24])
        return int(width), int(height)
    if content[:2] == b"\xff\xd8":
        found = re.search(rb"\xff[\xc0-\xc3].{3}(.{4})", content, re.DOTALL)
        if found:
            height, width = struct.unpack(">HH", found[1])
            return int(width), int(height)
    raise bad_request("IMAGE_PROCESS_FAILED")
