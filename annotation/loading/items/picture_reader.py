"""Reads the pictures that items show: which files are taken, and what is shown of them."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import warnings
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from annotation import input_files
from annotation.errors import BadInput
from annotation.input_files import FileRow
from annotation.loading.drafts import get_cell
from annotation.loading.items.picture_metadata import strip_metadata

if TYPE_CHECKING:
    from PIL.Image import Image

MEDIA_TYPES: Mapping[str, str] = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}
"""The media types of pictures, by the ending of their names."""
ENDINGS = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}
"""The endings by Pillow's names of the formats that every browser, Telegram and Label Studio show."""
MAX_BYTES = 10_000_000
MAX_WIDTH_AND_HEIGHT = 10_000
MAX_RATIO = 20
"""Telegram's limits for photos."""
_ORIENTATION = 0x0112
"""The EXIF tag that says how a picture is to be turned; 1 is upright."""
_BROKEN = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    LookupError,
    TypeError,
    ArithmeticError,
    MemoryError,
    struct.error,
)
"""What Pillow raises for files that are damaged or made to harm."""


class PictureFile(NamedTuple):
    """A picture that items show: its name, the sha256 of what is shown with its ending, and its file."""

    name: str
    path: Path


class PreparedPicture(NamedTuple):
    """What is shown of a picture, as bytes without metadata; its name is the sha256 of `content` with its ending."""

    name: str
    width: int
    height: int
    content: bytes

    @property
    def media_type(self) -> str:
        """The media type, as image/png."""
        return MEDIA_TYPES[self.name.rpartition(".")[2]]


class UnusablePicture(ValueError):
    """A picture that cannot be shown; `remedy` says what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.remedy = remedy


class PictureReader:
    """Reads the pictures of one file of items; each file is decoded once, however many items show it.

    Paths start at the folder of the file of items. No link leads out of that folder or the project's.
    """

    def __init__(self, items_file: Path, *, project_folder: Path) -> None:
        self._folder = items_file.parent
        self._allowed = [Path(os.path.realpath(folder)) for folder in (project_folder, self._folder)]
        self._names: dict[Path, str] = {}

    def read_cell(self, row: FileRow, column: str) -> PictureFile | None:
        """Return the picture that a cell names, None for an empty cell.

        Raises BadInput with the place of the cell for a path that leads elsewhere, and for a file that cannot be shown.
        """
        written = get_cell(row, column).strip()
        if not written:
            return None
        where = row.where(column)
        if "\\" in written or "\0" in written or PurePosixPath(written).is_absolute() or ".." in written.split("/"):
            raise BadInput(
                f"The path {written[:80]!r} cannot be used.",
                where=where,
                remedy="Write it from the folder of this file, with `/` and without `..`.",
            )
        path = self._folder / written
        if input_files.is_missing(path):
            raise input_files.build_missing_error(path, written=written, where=where)
        real = Path(os.path.realpath(path))
        if not any(real.is_relative_to(folder) for folder in self._allowed):
            raise BadInput(
                f"{written!r} is a link to a file outside the project's folder.",
                where=where,
                remedy="Copy the picture into that folder.",
            )
        if real not in self._names:
            try:
                self._names[real] = read_picture(path).name
            except UnusablePicture as unusable:
                raise BadInput(f"{written!r} {unusable}.", where=where, remedy=unusable.remedy) from None
            except BadInput as unreadable:
                raise BadInput(f"{written!r}: {unreadable.problem}", where=where, remedy=unreadable.remedy) from None
        return PictureFile(self._names[real], path)


def read_picture(path: Path) -> PreparedPicture:
    """Return what is shown of a picture: upright, on white if transparent, without metadata, with its colour profile.

    Raises UnusablePicture for a file that no surface shows, and BadInput for one that cannot be read. Limits are
    checked on the header, before anything is decoded.
    """
    content = input_files.read_bytes(path, most=MAX_BYTES + 1)
    _check_size(content)
    try:
        with warnings.catch_warnings():  # Pillow warns of what is odd, and of large pictures, which are refused here
            warnings.simplefilter("ignore")
            return _prepare_picture(content)
    except UnusablePicture:
        raise
    except _BROKEN:
        raise UnusablePicture("is damaged: it cannot be decoded", "Save it again as PNG or JPEG.") from None


def _check_size(content: bytes) -> None:
    if len(content) > MAX_BYTES:
        raise UnusablePicture(f"has more than {MAX_BYTES // 1_000_000} MB", "Make it smaller; Telegram takes no more.")


def _prepare_picture(content: bytes) -> PreparedPicture:
    from PIL import Image, UnidentifiedImageError

    try:
        picture = Image.open(io.BytesIO(content), formats=tuple(ENDINGS))
    except UnidentifiedImageError:
        raise UnusablePicture("is not a JPEG, PNG or WebP picture", "Save it in one of these formats.") from None
    except Image.DecompressionBombError:
        problem = f"has a width and height of more than {MAX_WIDTH_AND_HEIGHT:,} pixels together"
        raise UnusablePicture(problem, "Make it smaller; Telegram takes no larger ones.") from None
    with picture:
        _check_header(picture)
        orientation = picture.getexif().get(_ORIENTATION, 1)
        ending = ENDINGS["JPEG" if picture.format == "MPO" else str(picture.format)]
        is_turned, has_deep_grey = orientation in range(2, 9), picture.mode.startswith("I")
        is_as_shown = not is_turned and not has_deep_grey and not _is_transparent(picture)
        shown = strip_metadata(content if is_as_shown else _write_as_shown(picture), ending)
    _check_size(shown)
    with Image.open(io.BytesIO(shown), formats=tuple(ENDINGS)) as decoded:
        decoded.load()
        size = decoded.size
    return PreparedPicture(f"{hashlib.sha256(shown).hexdigest()}.{ending}", *size, shown)


def _check_header(picture: Image) -> None:
    _check_sides(*picture.size)
    if getattr(picture, "n_frames", 1) > 1:
        raise UnusablePicture("has more than one frame", "Save one of them as a picture of its own.")
    if picture.mode == "CMYK":
        raise UnusablePicture(
            "has the colours of printers (CMYK), which models cannot read", "Save it with RGB colours."
        )


def _check_sides(width: int, height: int) -> None:
    if width + height > MAX_WIDTH_AND_HEIGHT:
        problem = f"has a width and height of {width + height:,} pixels together, more than {MAX_WIDTH_AND_HEIGHT:,}"
        raise UnusablePicture(problem, "Make it smaller; Telegram takes no larger ones.")
    if max(width, height) > MAX_RATIO * min(width, height):
        problem = f"has one side more than {MAX_RATIO} times as long as the other"
        raise UnusablePicture(problem, "Cut it; Telegram takes no longer ones.")


def _is_transparent(picture: Image) -> bool:
    """Whether any pixel is; many pictures only could be."""
    return picture.has_transparency_data and picture.convert("RGBA").getchannel("A").getextrema() != (255, 255)


def _write_as_shown(picture: Image) -> bytes:
    """The picture written again: turned as its EXIF asks, on white if it is transparent, with 8 bits a channel.

    Else a dark page, Telegram and models would each show something else.
    """
    from PIL import Image, ImageOps

    shown, written = ImageOps.exif_transpose(picture), io.BytesIO()
    if shown.mode.startswith("I"):
        shown = shown.convert("I").point(lambda value: value * (1 / 257)).convert("L")
    if _is_transparent(shown):
        white = Image.new("RGBA", shown.size, "white")
        shown = Image.alpha_composite(white, shown.convert("RGBA")).convert("RGB")
    form = "JPEG" if picture.format == "MPO" else str(picture.format)
    profile = picture.info.get("icc_profile")
    shown.save(written, form, icc_profile=profile, quality=95, subsampling=0, lossless=True)
    return written.getvalue()
