"""Opens the files from which a project is drafted: what they are, how they are read, and their rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from annotation import input_files, text_encodings
from annotation.campaigns.sections.sources import TableKeys, VotesSection
from annotation.errors import BadInput, HromadaError, Where, combine_errors
from annotation.input_files import FileRow
from annotation.loading import json_text, tables
from annotation.loading.items import item_reader
from annotation.loading.judgements import recognition, tool_votes
from annotation.loading.project_drafts import label_config
from annotation.loading.project_drafts.column_profiles import ColumnProfile, profile_columns
from annotation.loading.project_drafts.label_config import LabelConfig
from annotation.loading.project_drafts.yaml_lines import YamlLine
from annotation.loading.tables import json_rows
from annotation.vocabulary import ExclusionKind

READING_KEYS = ("encoding", "sheet", "path", "separator")
"""The keys of the project file beside `file` that the option `--as` may name."""
_FILE_KEY = re.compile(rf"`({'|'.join(READING_KEYS)}): ([^`]+)`(?: beside `file`)?")
"""A key of the project file in a remedy; who drafts one has none yet, and says it by `--as`."""
_TEXT_ENDINGS = tables.DELIMITED | tables.JSON_LINES | {".json"}
LABEL_STUDIO_TASKS = "label-studio tasks"
"""The format of tasks without annotations, which are items: `label-studio` in the project file."""
_CONFIG_KEY = "label_config"
_ENDINGS_BY_KEY = {
    "encoding": _TEXT_ENDINGS,
    "sheet": frozenset({".xlsx", ".xlsm"}),
    "path": frozenset({".json"}),
    "separator": tables.DELIMITED,
}


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A file or folder of rows.

    `format` is the word of the project file for its format, None for a table of anybody; `keys` are the lines of the
    project file beside `file` that say how it is read. `answers` are the columns that hold answers, if the format says
    so, and `config` the labelling configuration in the file. `counted` are the rows with answers, all if None. `remark`
    is what somebody should know of the format.
    """

    path: Path
    format: str | None
    keys: tuple[YamlLine, ...]
    rows: Sequence[FileRow]
    answers: tuple[str, ...] = ()
    config: LabelConfig | None = None
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    place: str = ""
    counted: Sequence[FileRow] | None = None
    remark: str = ""

    @property
    def name(self) -> str:
        """The name under which the project file names it: that of a copy beside it, unless it has another place."""
        return self.place or self.path.resolve().name

    @cached_property
    def columns(self) -> dict[str, ColumnProfile]:
        """The profiles of its columns by name."""
        return profile_columns(self.rows)

    def where(self, column: str | None = None) -> Where:
        """The place of the file, or of one of its columns."""
        return Where(file=self.path, field=column)


def open_file(path: Path, *, chosen: Mapping[str, tuple[str, ...]]) -> SourceFile | LabelConfig:
    """Open a file; `chosen` is what the option `--as` says. Raises BadInput for a file that cannot be read."""
    try:
        return _open_file(path, chosen)
    except BadInput as refusal:
        raise combine_errors([_name_option(error) for error in refusal.all_found]) from None


def _name_option(error: HromadaError) -> BadInput:
    """The error with a remedy for somebody who has no project file yet."""
    remedy = _FILE_KEY.sub(r"--as \1=\2", error.remedy)
    return BadInput(error.problem, where=error.where, remedy=remedy)


def _open_file(path: Path, chosen: Mapping[str, tuple[str, ...]]) -> SourceFile | LabelConfig:
    ending = path.suffix.lower()
    stated = {key: chosen[key][0] for key in READING_KEYS if key in chosen and ending in _ENDINGS_BY_KEY[key]}
    if path.is_dir():
        return _open_folder(path, chosen)
    if path.suffix.lower() == ".xml":
        return label_config.read_config(input_files.read_text(path), path=path)
    if path.suffix.lower() in _TEXT_ENDINGS and "encoding" not in stated:
        encoding = _find_encoding(path)
        stated |= {"encoding": encoding} if encoding else {}
    doubt = "" if "encoding" in chosen else "recognised; are the letters right?"
    keys = [YamlLine(key, value, doubt * (key == "encoding"), sure=not doubt) for key, value in stated.items()]
    keys = [line if line.key == "encoding" else YamlLine(line.key, line.value) for line in keys]
    if path.suffix.lower() == ".json":
        return _open_json(path, keys, stated, chosen)
    rows = _require_rows(list(tables.read_rows(path, _build_keys(stated))), path)
    found = recognition.recognise_rows(row.values for row in rows)
    if found == "ua-cbt" and path.suffix.lower() == ".csv":
        rows = list(item_reader.read_ua_cbt_csv(path))
    return _build(path, found, keys, rows, chosen)


def _open_folder(path: Path, chosen: Mapping[str, tuple[str, ...]]) -> SourceFile:
    found = recognition.recognise_folder(path)
    if found is None:
        raise BadInput(
            "No annotation tool is known to write such a folder.",
            where=Where(file=path),
            remedy="Name the files in it that hold items, votes or gold.",
        )
    return _build(path, found, [], [], chosen)


def _open_json(
    path: Path, keys: list[YamlLine], stated: Mapping[str, str], chosen: Mapping[str, tuple[str, ...]]
) -> SourceFile | LabelConfig:
    """A list of objects at the top or under a key, or a project of Label Studio with its configuration."""
    text = input_files.read_table_text(path, encoding=stated.get("encoding"))
    value = json_text.parse_json(text, path=path, remedy="Write a list of objects: [{…}, {…}].")
    config = None
    if isinstance(value, dict) and isinstance(value.get("tasks"), list) and any(map(_is_rows, value["tasks"])):
        return _build(path, "ua-cbt", keys, list(item_reader.read_ua_cbt_json(path)), chosen)
    if isinstance(value, dict):
        written = value.get(_CONFIG_KEY)
        config = label_config.read_config(written, path=path) if isinstance(written, str) and written.strip() else None
        if "path" not in stated:
            lists = json_rows.list_paths(value)
            if not lists and config is not None:
                return config
            if len(lists) > 1:
                raise BadInput(
                    f"The file has several lists: {', '.join(lists)}.",
                    where=Where(file=path),
                    remedy=f"Say which holds the rows: --as path={lists[0]}",
                )
            stated = {**stated, "path": lists[0]} if lists else stated
            keys = [*keys, *(YamlLine("path", name) for name in lists)]
    rows = _require_rows(list(tables.read_rows(path, _build_keys(stated))), path)
    values = [row.values for row in rows]
    found = recognition.recognise_instances(values) if stated.get("path") == "instances" else None
    found = found or recognition.recognise_rows(values)
    if found in {"lmes", "human-response-bot"}:
        keys = [line for line in keys if line.key != "path"]
    if found == "lmes":
        rows = list(item_reader.read_lmes(path))
    if not keys and all(isinstance(row.get("data"), dict) and not row.get("annotations") for row in values):
        tasks = list(item_reader.read_label_studio_tasks(path))
        source = _build(path, LABEL_STUDIO_TASKS, keys, tasks, chosen, config=config)
        return replace(source, remark=_describe_tasks(values))
    return _build(path, found, keys, rows, chosen, config=config)


def _describe_tasks(tasks: Sequence[Mapping[str, Any]]) -> str:
    """What is doubtful about tasks without annotations: an export should have some."""
    if not any("annotations" in task for task in tasks):
        return ""
    n_predictions = sum(len(found) for task in tasks if isinstance(found := task.get("predictions"), list))
    of_models = f", only {n_predictions} predictions, which are not votes" if n_predictions else ""
    return f"the tasks have no annotations{of_models}; they are taken for items"


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(element, dict) for element in value)


def _build(
    path: Path,
    found: str | None,
    keys: Sequence[YamlLine],
    rows: Sequence[FileRow],
    chosen: Mapping[str, tuple[str, ...]],
    *,
    config: LabelConfig | None = None,
) -> SourceFile:
    answers: tuple[str, ...] = ()
    counted: Sequence[FileRow] | None = None
    if found is not None and found in tool_votes.TOOLS:
        section = VotesSection.model_validate({"format": found} | {str(line.key): line.value for line in keys})
        votes = [one for one in tool_votes.TOOLS[found].read(path, section) if one.is_vote]
        rows = [one.row for one in votes]
        counted = [one.row for one in votes if one.exclusion is None or one.exclusion.kind is not ExclusionKind.SKIPPED]
        answers = votes[0].answers if votes else ()
        _require_rows(rows, path)
    return SourceFile(
        path=path,
        format=found,
        keys=tuple(keys),
        rows=rows,
        answers=answers,
        config=config,
        chosen=chosen,
        counted=counted,
    )


def _require_rows(rows: list[FileRow], path: Path) -> list[FileRow]:
    if not any(row.values for row in rows):
        raise BadInput("The file has no rows.", where=Where(file=path), remedy="Is it the right one?")
    return rows


def _build_keys(stated: Mapping[str, str]) -> TableKeys:
    try:
        return TableKeys.model_validate(stated)
    except ValidationError as failure:
        key = str(failure.errors()[0]["loc"][0])
        raise BadInput(
            f"{stated[key]!r} cannot be the {key} of a file.",
            where=Where(field=f"--as {key}"),
            remedy="Write it as in the project file.",
        ) from None


def _find_encoding(path: Path) -> str | None:
    """The encoding of a text that is not UTF-8, as far as it can be told; None lets the reader say what is wrong."""
    input_files.require_file(path)
    raw = path.read_bytes()
    try:
        is_text = "\0" not in text_encodings.decode_text(raw, "utf-8")
    except UnicodeError:
        is_text = False
    return None if is_text else text_encodings.recognise_encoding(raw)
