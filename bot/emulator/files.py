"""Uploaded files: how they are stored, and their limits."""

from __future__ import annotations

import hashlib
import re
import struct

from bot.emulator.calls import CallRefused, Upload, bad_request
from bot.emulator.model import File

MAX_UPLOAD, MAX_DOWNLOAD = 50 * 1024**2, 20 * 1024**2
"""Bytes of a file."""


def store_file(known: dict[str, File], upload: Upload, *, photo: bool = False) -> File:
    """Add an upload to the `known` files under a new id; the same bytes and name have the same unique id."""
    if len(upload.content) > MAX_UPLOAD:
        raise CallRefused(413, "Request Entity Too Large")
    if not upload.content:
        raise bad_request("file must be non-empty")
    width, height = _read_size(upload.content) if photo else (0, 0)
    digest = hashlib.sha256(upload.content + upload.name.encode()).hexdigest()
    folder = "photos" if photo else "documents"
    number = len(known)
    name = re.sub(r"[^\w.\-]", "_", upload.name, flags=re.ASCII) or "file"
    file = File(
        id=f"{'AgAC' if photo else 'BQAC'}{digest[:40]}{number}",
        unique_id=digest[:16],
        name=upload.name,
        mime=upload.mime,
        content=upload.content,
        path=f"{folder}/file_{number}_{name}",
        width=width,
        height=height,
    )
    known[file.id] = file
    return file


def _read_size(content: bytes) -> tuple[int, int]:
    """Width and height of a PNG or a JPEG; raises CallRefused for other files."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) >= 24:
        width, height = struct.unpack(">II", content[16:24])
        return int(width), int(height)
    if content[:2] == b"\xff\xd8":
        match = re.search(rb"\xff[\xc0-\xc3].{3}(.{4})", content, re.DOTALL)
        if match:
            height, width = struct.unpack(">HH", match[1])
            return int(width), int(height)
    raise bad_request("IMAGE_PROCESS_FAILED")
