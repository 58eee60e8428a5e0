"""Pictures, and a project whose items show them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

PROJECT = """\
project: birds
title: Birds
language: en
instructions: Look.
question: {type: choice, text: "Which bird?", options: [owl, stork]}
items: {file: items.csv, id: id, show: [{field: file, as: image, title: "The bird"}, text], gold: gold}
overlap: 2
"""


def draw(colour: str = "red", *, size: tuple[int, int] = (40, 30), mode: str = "RGB") -> Image.Image:
    """A picture of one colour whose left upper corner is white."""
    picture = Image.new("RGB", size, colour)
    picture.paste("white", (0, 0, 8, 8))
    return picture.convert(mode)


def encode(picture: Image.Image, form: str, **how: Any) -> bytes:
    """The bytes of a picture."""
    written = io.BytesIO()
    picture.save(written, form, **how)
    return written.getvalue()


def write_items(folder: Path, *rows: str) -> None:
    """Write the file of items."""
    (folder / "items.csv").write_text("\n".join(["id,file,text,gold", *rows]) + "\n", "utf-8")


def write_project(folder: Path, *, project: str = PROJECT) -> Path:
    """Write a project of two items, an owl and a stork; the path of its file."""
    (folder / "pictures").mkdir(parents=True)
    (folder / "birds.yaml").write_text(project, "utf-8")
    (folder / "pictures" / "owl.png").write_bytes(encode(draw("brown", size=(400, 300)), "PNG"))
    (folder / "pictures" / "stork.jpg").write_bytes(encode(draw("white", size=(300, 400)), "JPEG"))
    write_items(folder, "a,pictures/owl.png,It sits.,owl", "b,pictures/stork.jpg,It stands.,stork")
    return folder / "birds.yaml"
