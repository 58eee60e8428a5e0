"""The data files of the folder: the items of each task as JSON Lines and Parquet, and people's answers as Parquet."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from exports.benchmark_items import BenchmarkTask, encode_answer
from exports.benchmark_items.task_functions import Doc
from exports.inputs import RESPONSE_COLUMNS, DataSet

if TYPE_CHECKING:
    import pyarrow as pa

FieldType = Literal["text", "integer", "number", "boolean", "texts"]
HUMAN_RESPONSES = "human_responses"
TEST, FEW_SHOT = "test", "few_shot"

_OTHER_TYPES: Mapping[str, FieldType] = MappingProxyType(
    {
        "item_revision": "integer", "label": "integer", "gold_confidence": "number", "options": "texts",
        "labels": "texts", "accepted": "texts", "insider": "boolean", "position": "integer", "page": "integer",
        "session": "integer", "seconds": "number", "gap_hours": "number", "is_control": "boolean",
        "is_repeat": "boolean", "exposed": "boolean", "revision": "integer", "by_rule": "boolean",
        "post_hoc": "boolean",
    }
)  # fmt: skip
"""The columns that are no text."""
HUMAN_COLUMNS = ("task", "answer", *(name for name in RESPONSE_COLUMNS if name != "dataset"))
"""The columns of the configuration `human_responses`: those of human_responses.csv, `answer` in the model's words."""


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A Parquet file of a configuration and split, with its columns and their types; `rows` counts its rows."""

    path: str
    configuration: str
    split: str
    fields: Mapping[str, FieldType]
    rows: int


def build_data_files(
    tasks: Sequence[BenchmarkTask], rows: Mapping[tuple[str, str], bytes]
) -> tuple[dict[str, bytes], tuple[DataFile, ...]]:
    """Build the data files (path → content), and what is in each Parquet file.

    `rows` are the rows by task and split as JSON Lines. Where the gold of a task is hidden, its answers by people are
    left out too: their majority would tell it.
    """
    files: dict[str, bytes] = {}
    described: list[DataFile] = []
    for task in tasks:
        for split, docs in ((TEST, task.docs), (FEW_SHOT, task.few_shot)):
            if docs:
                files[f"{task.name}/{split}.jsonl"] = rows[task.name, split]
                fields = {name: _OTHER_TYPES.get(name, "text") for name in docs[0]}
                described.append(_describe_file(task.name, split, fields, len(docs)))
                files[described[-1].path] = write_parquet(_build_table(docs, fields))
    open_tasks = [task for task in tasks if not task.source.hidden]
    responses = build_human_table(open_tasks)
    if responses is not None:
        fields = {name: _OTHER_TYPES.get(name, "text") for name in HUMAN_COLUMNS}
        described.append(_describe_file(HUMAN_RESPONSES, TEST, fields, responses.num_rows))
        files[described[-1].path] = write_parquet(responses)
    return files, tuple(described)


def build_human_table(tasks: Sequence[BenchmarkTask]) -> pa.Table | None:
    """All answers to the test items of the tasks, counted or not, with the columns HUMAN_COLUMNS; None without any."""
    import pyarrow as pa

    tables = [table for table in map(_build_task_answers, tasks) if table.num_rows]
    return pa.concat_tables(tables) if tables else None


def write_parquet(table: pa.Table) -> bytes:
    """The bytes of a table as Parquet."""
    from pyarrow import parquet

    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def _describe_file(configuration: str, split: str, fields: Mapping[str, FieldType], rows: int) -> DataFile:
    path = f"{configuration}/{split}.parquet"
    return DataFile(path=path, configuration=configuration, split=split, fields=fields, rows=rows)


def _get_arrow_type(field_type: FieldType) -> Any:
    import pyarrow as pa

    types = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}
    return types.get(field_type, pa.list_(pa.string()))


def _build_table(docs: Sequence[Doc], fields: Mapping[str, FieldType]) -> pa.Table:
    import pyarrow as pa

    arrays = {name: pa.array([doc[name] for doc in docs], _get_arrow_type(kind)) for name, kind in fields.items()}
    return pa.table(arrays)


def _build_task_answers(task: BenchmarkTask) -> pa.Table:
    import pyarrow as pa

    data: DataSet = task.data
    docs = {doc["item_id"]: doc for doc in task.docs}
    frame = data.responses.loc[data.responses["item_id"].isin(docs.keys())]
    frame = frame.sort_values(["item_id", "annotator", "is_repeat", "revision"], kind="stable", na_position="first")
    pairs = zip(frame["item_id"], frame["response"], strict=True)
    answers = [None if said is None else encode_answer(data.kind, said, docs[item]) for item, said in pairs]
    columns: dict[str, list[Any]] = {"task": [task.name] * len(frame), "answer": answers}
    columns |= {name: frame[name].tolist() for name in HUMAN_COLUMNS[2:]}
    return pa.table({name: _to_array(columns[name], _OTHER_TYPES.get(name, "text")) for name in HUMAN_COLUMNS})


def _to_array(values: list[Any], field_type: FieldType) -> Any:
    import pyarrow as pa

    if field_type in ("integer", "number"):
        convert = int if field_type == "integer" else float
        values = [None if value is None or value != value else convert(value) for value in values]  # noqa: PLR0124  # nan
    return pa.array(values, _get_arrow_type(field_type))
