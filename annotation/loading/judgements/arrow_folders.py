"""Reads data sets of Hugging Face from disk: folders of Arrow files, as `save_to_disk` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput, Where
from annotation.input_files import FileRow
from annotation.loading import json_text, tables
from annotation.loading.judgements import tool_rows
from annotation.loading.judgements.tool_rows import ToolRow
from annotation.loading.tables import parquet_rows

INFO, SPLITS = "dataset_info.json", "dataset_dict.json"
_REMEDY = "Save the data set again with `save_to_disk`, or as JSON Lines."


def read_data_set(path: Path, section: VotesSection) -> Iterator[ToolRow]:
    """Read one row per vote: per row, or per element of lists of annotators and answers that belong together."""
    annotator = section.annotator or ""
    answers = tuple(section.answers.values()) or ((section.answer,) if section.answer is not None else ())
    for row in read_rows(path, section):
        people = row.values.get(annotator)
        if not isinstance(people, list):
            yield ToolRow(row)
            continue
        together = {
            name: value
            for name, value in row.values.items()
            if isinstance(value, list) and (name in {annotator, *answers} or _is_of(name, annotator))
        }
        for name, values in together.items():
            if len(values) != len(people):
                raise BadInput(
                    f"The row has {len(people)} annotators and {len(values)} values in {name!r}.",
                    where=row.where(name),
                    remedy="Name lists of one length, or a row per vote.",
                )
        for index in range(len(people)):
            one = {name: listed[index] for name, listed in together.items()}
            yield ToolRow(row._replace(values={**row.values, **one}))


def _is_of(name: str, annotator: str) -> bool:
    """Whether a column is of the same list of objects: `votes.label` beside `votes.worker`."""
    above, point, _ = annotator.rpartition(".")
    return bool(point) and name.startswith(f"{above}.")


def read_rows(path: Path, section: VotesSection) -> Iterator[FileRow]:
    """Yield the rows of a folder of Arrow files, all splits in their order, or of any other table.

    Classes have their names, lists of objects a column per field (`votes.worker`). Raises BadInput for a folder that
    cannot be read.
    """
    tool_rows.refuse_archive(path)
    if not path.is_dir():
        yield from tables.read_rows(path, section)
        return
    splits = _read_json(path / SPLITS).get("splits") if (path / SPLITS).exists() else [""]
    folders = {"", *(child.name for child in path.iterdir() if child.is_dir())}
    if not isinstance(splits, list) or not all(isinstance(name, str) and name in folders for name in splits):
        raise BadInput("The splits are not folders.", where=Where(file=path / SPLITS), remedy=_REMEDY)
    for split in splits:
        folder = path / split
        described = _read_json(folder / INFO) if (folder / INFO).exists() else {}
        features = tool_rows.require_mapping(described.get("features") or {}, FileRow(folder / INFO, 1, {}), "features")
        names = {name: _find_names(feature) for name, feature in features.items()}
        for file in tool_rows.list_files(folder, ".arrow"):
            for row in parquet_rows.read_arrow(file):
                values = {name: _name_classes(value, names.get(name)) for name, value in row.values.items()}
                if split:
                    values = {"split": split} | values
                yield row._replace(values=_spread(values))


def _read_json(path: Path) -> Mapping[str, Any]:
    found = json_text.parse_json(input_files.read_text(path), path=path, remedy=_REMEDY)
    return tool_rows.require_mapping(found, FileRow(path, 1, {}), path.name)


def _find_names(feature: Any) -> Any:
    """The names of the classes of a feature: a list, or by field; None if it has no classes."""
    if isinstance(feature, list):
        return _find_names(feature[0]) if feature else None
    if not isinstance(feature, Mapping):
        return None
    if feature.get("_type") == "ClassLabel":
        return feature.get("names")
    if "feature" in feature:
        return _find_names(feature["feature"])
    found = {name: _find_names(inner) for name, inner in feature.items() if name != "_type"}
    return {name: names for name, names in found.items() if names is not None} or None


def _name_classes(value: Any, names: Any) -> Any:
    """A value with the names of classes for their numbers; −1 is no class."""
    if names is None:
        return value
    if isinstance(value, list):
        return [_name_classes(element, names) for element in value]
    if isinstance(value, Mapping):
        return {
            name: _name_classes(inner, names.get(name) if isinstance(names, Mapping) else None)
            for name, inner in value.items()
        }
    if type(value) is int and isinstance(names, list):
        return names[value] if 0 <= value < len(names) else None
    return value


def _spread(values: Mapping[str, Any]) -> dict[str, Any]:
    """The row with a column for each field of an object, and of the objects of a list."""
    spread: dict[str, Any] = {}
    for name, value in values.items():
        spread[name] = value
        if isinstance(value, Mapping):
            spread |= {f"{name}.{inner}": found for inner, found in value.items()}
        elif isinstance(value, list) and value and all(isinstance(element, Mapping) for element in value):
            inner_names = dict.fromkeys(inner for element in value for inner in element)
            spread |= {f"{name}.{inner}": [element.get(inner) for element in value] for inner in inner_names}
    return spread
