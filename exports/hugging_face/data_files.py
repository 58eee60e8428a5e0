"""The Parquet files of the folder: the items of each task, and people's answers to them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from exports.benchmark_items import HUMAN_RESPONSES, BenchmarkTask
from exports.benchmark_items.answer_spaces.answer_space import FieldType
from exports.benchmark_items.task_functions import Doc
from exports.inputs import RESPONSE_COLUMNS, DataSet

if TYPE_CHECKING:
    import pyarrow as pa

TEST, FEW_SHOT = "test", "few_shot"
RESPONSE_ORDER = ("item_id", "annotator", "is_repeat", "revision")
ROWS_AT_ONCE = 10_000
"""How many rows of a file are held in Arrow's memory, and form a row group."""
PICTURE_ROWS_AT_ONCE = 100
"""The same of rows with pictures, which the Hub's viewer reads by row group."""

_OTHER_TYPES: Mapping[str, FieldType] = MappingProxyType(
    {
        "item_revision": "integer", "gold_confidence": "number", "insider": "boolean", "position": "integer",
        "page": "integer", "session": "integer", "seconds": "number", "gap_hours": "number", "is_control": "boolean",
        "is_repeat": "boolean", "exposed": "boolean", "revision": "integer", "by_rule": "boolean",
        "post_hoc": "boolean", "entropy": "number", "p_correct": "number", "difficulty": "number",
    }
)  # fmt: skip
"""The columns that are no text, besides `field_types` of the answer space of a task."""
HUMAN_COLUMNS = ("task", "answer", *(name for name in RESPONSE_COLUMNS if name != "dataset"))
"""The columns of the configuration `human_responses`: those of human_responses.csv, `answer` in the model's words."""


DTYPES: Mapping[FieldType, str] = MappingProxyType(
    {
        "text": "string", "integer": "int64", "number": "float64", "boolean": "bool", "texts": "string",
        "picture": "image",
    }
)  # fmt: skip
"""The types of values, or of those in a list, in the words of `datasets`."""
IMAGES, IMAGE = "images", "image"
"""The field with the names of an item's pictures, and the column of each picture: most tools read no list of them."""


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A Parquet file of a configuration and split, with its columns and their types; `rows` counts its rows."""

    path: str
    configuration: str
    split: str
    fields: Mapping[str, FieldType]
    rows: int


def build_data_files(
    tasks: Sequence[BenchmarkTask], pictures: Mapping[str, bytes]
) -> tuple[dict[str, bytes], tuple[DataFile, ...]]:
    """Build the Parquet files (path → content), and what is in each of them; `pictures` are bytes by name.

    Where the gold of a task is hidden, its answers by people are left out too: their majority would tell it.
    """
    files: dict[str, bytes] = {}
    described: list[DataFile] = []
    for task in tasks:
        for split, docs in ((TEST, task.docs), (FEW_SHOT, task.few_shot)):
            if docs:
                types = {**_OTHER_TYPES, **task.space.field_types}
                fields = {name: types.get(name, "text") for name in docs[0] if name != IMAGES}
                fields |= dict.fromkeys(_name_image_columns(docs), "picture")
                described.append(_describe_file(task.name, split, fields, len(docs)))
                files[described[-1].path] = write_parquet(_build_tables(docs, fields, pictures))
    open_tasks = [task for task in tasks if not task.source.hidden]
    answers = build_human_file(open_tasks)
    if answers is not None:
        fields = {name: _OTHER_TYPES.get(name, "text") for name in HUMAN_COLUMNS}
        described.append(_describe_file(HUMAN_RESPONSES, TEST, fields, sum(map(_count_answers, open_tasks))))
        files[described[-1].path] = answers
    return files, tuple(described)


def build_human_file(tasks: Sequence[BenchmarkTask]) -> bytes | None:
    """All answers to the test items of the tasks, counted or not, as Parquet with the columns HUMAN_COLUMNS.

    None where there are no answers.
    """
    if not any(map(_count_answers, tasks)):
        return None
    return write_parquet(table for task in tasks for table in _build_answer_tables(task))


def write_parquet(tables: Iterable[pa.Table]) -> bytes:
    """The bytes of a table as Parquet, written part by part; Arrow gives the memory of each part back."""
    import pyarrow as pa
    from pyarrow import parquet

    buffer, writer = io.BytesIO(), None
    for table in tables:
        writer = writer or parquet.ParquetWriter(buffer, table.schema)
        writer.write_table(table)
        del table
        pa.default_memory_pool().release_unused()
    if writer is not None:
        writer.close()
    return buffer.getvalue()


def _describe_file(configuration: str, split: str, fields: Mapping[str, FieldType], rows: int) -> DataFile:
    path = f"{configuration}/{split}.parquet"
    return DataFile(path=path, configuration=configuration, split=split, fields=fields, rows=rows)


def _get_arrow_type(field_type: FieldType) -> Any:
    import pyarrow as pa

    types = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}
    types["picture"] = pa.struct({"bytes": pa.binary(), "path": pa.string()})  # an `Image` of `datasets`
    return types.get(field_type, pa.list_(pa.string()))


def _build_tables(
    docs: Sequence[Doc], fields: Mapping[str, FieldType], pictures: Mapping[str, bytes]
) -> Iterator[pa.Table]:
    """The rows of a task, some at a time; pictures are in them as they are stored."""
    import pyarrow as pa

    columns = [name for name, kind in fields.items() if kind == "picture"]
    rows_at_once = PICTURE_ROWS_AT_ONCE if columns else ROWS_AT_ONCE
    types = [(name, _get_arrow_type(kind)) for name, kind in fields.items()]
    schema = pa.schema(types, metadata=_describe_features(fields) if columns else None)
    for start in range(0, len(docs), rows_at_once):
        part = docs[start : start + rows_at_once]
        values: dict[str, list[Any]] = {name: [doc[name] for doc in part] for name in fields if name not in columns}
        for place, name in enumerate(columns):
            shown = (doc[IMAGES][place : place + 1] for doc in part)
            values[name] = [{"bytes": pictures[one[0]], "path": one[0]} if one else None for one in shown]
        yield pa.table(values, schema=schema)


def _name_image_columns(docs: Sequence[Doc]) -> list[str]:
    """The column of each picture, in the order of their places: `image`, or `image_1` and so on if an item has more."""
    most = max(len(doc.get(IMAGES, ())) for doc in docs)
    return [IMAGE] if most == 1 else [f"{IMAGE}_{number}" for number in range(1, most + 1)]


def _describe_features(fields: Mapping[str, FieldType]) -> dict[str, str]:
    """The features of the columns in the words of `datasets`, which finds them under this key of a schema."""
    features = {name: _describe_feature(kind) for name, kind in fields.items()}
    return {"huggingface": json.dumps({"info": {"features": features}})}


def _describe_feature(field_type: FieldType) -> dict[str, Any]:
    if field_type == "picture":
        return {"_type": "Image"}
    if field_type == "texts":
        return {"feature": {"dtype": "string", "_type": "Value"}, "_type": "List"}
    return {"dtype": DTYPES[field_type], "_type": "Value"}


def _count_answers(task: BenchmarkTask) -> int:
    return int(task.data.responses["item_id"].isin({doc["item_id"] for doc in task.docs}).sum())


def _build_answer_tables(task: BenchmarkTask) -> Iterator[pa.Table]:
    """The answers to the test items of a task, sorted as in human_responses.csv."""
    import pyarrow as pa

    data: DataSet = task.data
    docs = {doc["item_id"]: doc for doc in task.docs}
    keys = data.responses.loc[data.responses["item_id"].isin(docs.keys()), list(RESPONSE_ORDER)]
    order = keys.sort_values(list(RESPONSE_ORDER), kind="stable", na_position="first").index
    for start in range(0, len(order), ROWS_AT_ONCE):
        frame = data.responses.loc[order[start : start + ROWS_AT_ONCE]]
        pairs = zip(frame["item_id"], frame["response"], strict=True)
        answers = [None if said is None else task.space.encode_answer(said, docs[item]) for item, said in pairs]
        own: dict[str, list[Any]] = {"task": [task.name] * len(frame), "answer": answers}
        yield pa.table(
            {
                name: _to_array(own[name] if name in own else frame[name].tolist(), _OTHER_TYPES.get(name, "text"))
                for name in HUMAN_COLUMNS
            }
        )


def _to_array(values: list[Any], field_type: FieldType) -> Any:
    """A column for Arrow; texts are encoded here, since Arrow would leave a second copy in each of them."""
    import pyarrow as pa

    if field_type in ("integer", "number"):
        convert = int if field_type == "integer" else float
        values = [None if value is None or value != value else convert(value) for value in values]  # noqa: PLR0124  # nan
    elif field_type == "text":
        values = [None if value is None else value.encode() for value in values]
    return pa.array(values, _get_arrow_type(field_type))
