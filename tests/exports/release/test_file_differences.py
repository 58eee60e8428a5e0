"""Where two versions of a file differ is named: the cell, the place, the line."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exports.release.verification import describe_difference


def write_parquet(values: list[int]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"n": values}), buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("path", "found", "expected", "sentence"),
    [
        (
            "t.csv",
            b"dataset,unit,value\nx,one,0.91\nx,two,0.8\n",
            b"dataset,unit,value\nx,one,0.91\nx,two,0.9\n",
            "row 2 (x, two, 0.9), column value: “0.8” is there, “0.9” follows",
        ),
        ("t.csv", b"a\n1\n2\n", b"a\n1\n", "2 rows are there, 1 follow"),
        ("t.csv", b"b\n1\n", b"a\n1\n", 'the columns are “[["b"]]”, and “[["a"]]” follow'),
        ("t.csv", b'a\n"1"\n', b"a\n1\n", 'line 2: “"1"” is there, “1” follows'),
        ("t.json", b'{"a": [1, 2]}', b'{"a": [1, 3]}', "a[1]: “2” is there, “3” follows"),
        ("t.json", b'{"a": 1.0}', b'{"a": 1}', "a: “1.0” is there, “1” follows"),
        ("t.json", b'{"a":1}', b'{"a": 1}', "only its layout differs"),
        ("t.json", b"{", b"{}", "its content is of another form than follows"),
        ("t.md", b"a\nb", b"a\nc", "line 2: “b” is there, “c” follows"),
        ("t.md", b"\xff", b"a", "its content is of another form than follows"),
        ("t.parquet", write_parquet([1, 2]), write_parquet([1, 3]), "row 2, column n: “2” is there, “3” follows"),
        ("t.parquet", b"PAR1", write_parquet([1]), "it cannot be read as a Parquet file"),
    ],
)
def test_the_first_difference_is_named(path: str, found: bytes, expected: bytes, sentence: str) -> None:
    assert describe_difference(path, found, expected) == sentence


def test_long_texts_are_shown_where_they_differ() -> None:
    text = "слово " * 100
    sentence = describe_difference("t.txt", f"{text}тут{text}".encode(), f"{text}там{text}".encode())
    assert len(sentence) < 250
    assert "тут" in sentence
    assert "там" in sentence
