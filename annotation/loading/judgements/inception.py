"""Reads INCEpTION's and WebAnno's exports: WebAnno TSV 3 and UIMA CAS JSON, a file per document and annotator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput, Where
from annotation.input_files import FileRow
from annotation.loading import json_text
from annotation.loading.judgements import tool_rows
from annotation.loading.judgements.tool_rows import ToolRow
from annotation.vocabulary import DRAFT, PREDICTION, SKIPPED, Exclusion

DOCUMENT, ANNOTATOR, TEXT = "document", "annotator", "text"
PROJECT = "exportedproject.json"
ANNOTATION, INITIAL = "annotation", "INITIAL_CAS"
_REMEDY = "Export the project from INCEpTION as WebAnno TSV v3 or UIMA CAS JSON."
_TOKEN = re.compile(r"\d+-\d+(?P<inner>\.\d+)?")
_PLACE = re.compile(r"(?P<start>\d{1,9})-(?P<end>\d{1,9})")
_VALUE = re.compile(r"(?P<value>.*?)(?:\[(?P<number>\d+)\])?", re.DOTALL)
_UNITS = re.compile(r"(?<!\\)\|")

Parts = dict[str, list[dict[str, object]]]
"""The marked parts of a document by `Layer.feature`."""


def read_inception(path: Path, section: VotesSection) -> Iterator[ToolRow]:  # noqa: ARG001  # the folder says everything
    """Read one row per document and annotator, with a column per feature of a layer of spans.

    In the folder of a project, documents in progress are drafts, ignored ones skips, and what the document had before
    anybody opened it is a prediction; curated documents are left out.
    """
    tool_rows.refuse_archive(path)
    by_document = path if path.name == ANNOTATION else path / ANNOTATION
    is_project = by_document.is_dir()
    folder = by_document if is_project else path
    files = tool_rows.list_files(folder, ".tsv", ".json") if folder.is_dir() else [path]
    states = _read_states(by_document.parent / PROJECT) if is_project else {}
    read_files = [(file, *_read_file(file)) for file in files]
    answers = _list_questions([parts for _, _, parts in read_files])
    for file, text, parts in read_files:
        folder_name, name = file.parent.name, file.stem
        document, person = (folder_name, name) if is_project else (name, folder_name)
        values: dict[str, Any] = {**parts, DOCUMENT: document, ANNOTATOR: person, TEXT: text}
        row = ToolRow(FileRow(file, 1, values, place="document"), answers=answers)
        if person == INITIAL:
            yield row._replace(exclusion=PREDICTION, is_vote=False)
            continue
        exclusion = states.get((document, person))
        yield row._replace(exclusion=exclusion, is_vote=exclusion != DRAFT)


def _list_questions(found: Sequence[Parts]) -> tuple[str, ...]:
    """The features that hold answers: of each layer those with values, or its first one if none has."""
    with_values = {name: False for parts in found for name in parts}
    for parts in found:
        with_values |= {name: True for name, some in parts.items() if any("label" in part for part in some)}
    layers: dict[str, list[str]] = {}
    for name in with_values:
        layers.setdefault(name.partition(".")[0], []).append(name)
    return tuple(
        name for names in layers.values() for name in ([one for one in names if with_values[one]] or names[:1])
    )


def _read_states(path: Path) -> dict[tuple[str, str], Exclusion]:
    """Why documents of annotators do not count, from the description of an exported project."""
    if not path.exists():
        return {}
    row = FileRow(path, 1, {})
    project = tool_rows.require_mapping(
        json_text.parse_json(input_files.read_text(path), path=path, remedy=_REMEDY), row, PROJECT
    )
    states: dict[tuple[str, str], Exclusion] = {}
    for one in tool_rows.list_objects(project.get("annotation_documents") or [], row, "annotation_documents"):
        exclusion = {"INPROGRESS": DRAFT, "NEW": DRAFT, "IGNORE": SKIPPED}.get(str(one.get("state")))
        if exclusion is not None:
            states[str(one.get("name")), str(one.get("user"))] = exclusion
    return states


def _read_file(path: Path) -> tuple[str, Parts]:
    """The text of a document and its marked parts by feature."""
    content = input_files.read_text(path)
    if path.suffix.lower() == ".json":
        return _read_cas(content, path)
    document = _Document(path)
    for number, line in enumerate(content.split("\n"), start=1):
        document.read_line(line.rstrip("\r"), number)
    return document.finish()


@dataclass
class _Document:
    """A document of WebAnno TSV 3 as it is read line by line; places are in UTF-16 until it is finished.

    `columns` are the features by column, None for those of relations, chains and slots.
    """

    path: Path
    columns: list[str | None] = field(default_factory=list)
    text: str = ""
    sentence: list[str] = field(default_factory=list)
    is_new: bool = True
    parts: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)

    def read_line(self, line: str, number: int) -> None:
        """Read one line; raises BadInput for one of another format."""
        if number == 1 and not line.startswith("#FORMAT=WebAnno TSV 3"):
            raise BadInput("This is not WebAnno TSV 3.", where=Where(file=self.path, line=1), remedy=_REMEDY)
        if line.startswith("#T_"):
            self._add_layer(line[3:5], line.partition("=")[2])
        elif line.startswith("#Text="):
            self.sentence = [*([] if self.is_new else self.sentence), _unescape(line[len("#Text=") :])]
            self.is_new = False
        elif line.strip() and not line.startswith("#"):
            self._read_token(line.split("\t"), number)

    def _add_layer(self, kind: str, written: str) -> None:
        layer, *features = written.split("|")
        short = layer.rpartition(".")[2]
        for number, feature in enumerate(features or [""]):
            is_slot = feature.startswith("ROLE_") or (number > 0 and features[number - 1].startswith("ROLE_"))
            named = f"{short}.{feature}" if feature else short
            self.columns.append(None if is_slot or kind != "SP" else named)

    def _read_token(self, cells: list[str], number: int) -> None:
        place = _PLACE.fullmatch(cells[1]) if len(cells) > 2 else None
        token = _TOKEN.fullmatch(cells[0])
        if token is None or place is None:
            raise BadInput("This line is not a token.", where=Where(file=self.path, line=number), remedy=_REMEDY)
        start, end = int(place["start"]), int(place["end"])
        if not self.is_new:
            self._add_sentence(start, cells[2], number)
        for column, cell in zip(self.columns, cells[3:], strict=False):
            if column is not None and cell not in {"", "_"}:
                self._add_values(column, cell, (start, end))

    def _add_sentence(self, start: int, word: str, number: int) -> None:
        """Add the text of a sentence at the place of its first word; what is between two sentences is blank."""
        sentence = "\n".join(self.sentence)
        at = sentence.find(_unescape(word))
        gap = start - _count_units(sentence[: max(at, 0)]) - _count_units(self.text)
        if gap < 0 or gap > len(sentence) + 10_000:
            place = Where(file=self.path, line=number)
            raise BadInput("The token has a place outside its sentence.", where=place, remedy=_REMEDY)
        self.text += ("\n" if self.text else " ") * gap + sentence
        self.is_new = True

    def _add_values(self, column: str, cell: str, place: tuple[int, int]) -> None:
        for written in _UNITS.split(cell):
            found = _VALUE.fullmatch(written)
            value, number = (found["value"], found["number"]) if found else (written, None)
            label = "" if value == "*" else _unescape(value)
            key = (column, label, number or f"{place}")
            extent = self.parts.setdefault(key, [*place])
            extent[:] = [min(extent[0], place[0]), max(extent[1], place[1])]

    def finish(self) -> tuple[str, Parts]:
        """Return the text and the parts, with places in characters."""
        parts: Parts = {name: [] for name in self.columns if name is not None}
        for (column, label, _), (start, end) in self.parts.items():
            parts[column].append(_build_part(self.text, start, end, label))
        return self.text, parts


def _build_part(text: str, start: int, end: int, label: str) -> dict[str, object]:
    places = [tool_rows.to_code_points(text, place) for place in (start, end)]
    return {"start": places[0], "end": places[1], **({"label": label} if label else {})}


def _count_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _unescape(text: str) -> str:
    """Undo the escapes of WebAnno TSV: a backslash before a sign with a meaning, `\\t`, `\\n` and `\\r`."""
    return re.sub(r"\\(.)", lambda found: {"t": "\t", "n": "\n", "r": "\r"}.get(found[1], found[1]), text)


def _read_cas(content: str, path: Path) -> tuple[str, Parts]:
    """The text and the parts of a document in UIMA CAS JSON: feature structures with a type, a begin and an end."""
    row = FileRow(path, 1, {})
    cas = tool_rows.require_mapping(json_text.parse_json(content, path=path, remedy=_REMEDY), row, "file")
    structures = list(tool_rows.list_objects(cas.get("%FEATURE_STRUCTURES"), row, "%FEATURE_STRUCTURES"))
    text = next((one["sofaString"] for one in structures if isinstance(one.get("sofaString"), str)), None)
    if text is None:
        raise BadInput("The document has no text.", where=row.where("sofaString"), remedy=_REMEDY)
    parts: Parts = {}
    for one in structures:
        layer = str(one.get("%TYPE")).rpartition(".")[2]
        start, end = one.get("begin", 0), one.get("end")
        if layer in {"Token", "Sentence", "DocumentMetaData", "DocumentAnnotation"}:
            continue
        if type(start) is int and type(end) is int:
            for column, label in _list_features(one, layer):
                parts.setdefault(column, []).append(_build_part(text, start, end, label))
    return text, parts


def _list_features(structure: Mapping[str, Any], layer: str) -> Iterator[tuple[str, str]]:
    """Column and class of each feature that a structure has; the layer alone if it has none."""
    own = [(name, value) for name, value in structure.items() if name[:1] not in "%@^" and isinstance(value, str)]
    if not own:
        yield layer, ""
    for name, value in own:
        yield f"{layer}.{name}", value
