"""Reads brat's standoff files: a folder per annotator, with a .txt and an .ann for each document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from annotation import input_files
from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput, Where
from annotation.input_files import FileRow
from annotation.loading.judgements import tool_rows
from annotation.loading.judgements.tool_rows import ToolRow

DOCUMENT, ANNOTATOR, TEXT, PARTS = "document", "annotator", "text", "parts"
_BOUND = re.compile(r"T\d+\t(?P<label>\S+) (?P<places>\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)\t(?P<text>.*)")
_OTHER = tuple("REAMNC#*")
"""The first characters of lines about relations, events, attributes and notes, which no question asks for."""


def read_brat(path: Path, section: VotesSection) -> Iterator[ToolRow]:  # noqa: ARG001  # the folder says everything
    """Read one row per document and annotator: the name of the file, and of the folder in which it is."""
    tool_rows.refuse_archive(path)
    if not path.is_dir():
        raise BadInput("This is not a folder.", where=Where(file=path), remedy="Name the folder of the .ann files.")
    for file in tool_rows.list_files(path, ".ann"):
        text = _read_document(file.with_suffix(".txt"), root=path / file.with_suffix(".txt").name)
        parts = list(_read_parts(file, text))
        values = {DOCUMENT: file.stem, ANNOTATOR: file.parent.name, TEXT: text, PARTS: parts}
        yield ToolRow(FileRow(file, 1, values, place="document"), answers=(PARTS,))


def _read_document(beside: Path, *, root: Path) -> str:
    """The text of a document, beside its annotations or in the folder of all annotators."""
    return input_files.read_text(beside if beside.exists() or not root.exists() else root)


def _read_parts(file: Path, text: str) -> Iterator[dict[str, object]]:
    """The marked parts of a document; one in several pieces is a part for each of them."""
    if file.stat().st_size <= len("\r\n"):  # brat makes an empty file for a document that nobody has opened
        return
    for number, line in enumerate(input_files.read_text(file).split("\n"), start=1):
        if not line.strip() or line.startswith(_OTHER):
            continue
        found = _BOUND.fullmatch(line.rstrip("\r"))
        if found is None:
            raise BadInput(
                "This line is not a brat annotation.",
                where=Where(file=file, line=number),
                remedy="A marked part is written T1, tab, class, start, end, tab, text.",
            )
        places = [tuple(map(int, place.split())) for place in found["places"].split(";")]
        for start, end in places:
            part: dict[str, object] = {"start": start, "end": end, "label": found["label"]}
            if len(places) == 1 and text[start:end].replace("\n", " ") != found["text"]:
                part["text"] = found["text"]  # it is of another text, and the question will say so
            yield part
