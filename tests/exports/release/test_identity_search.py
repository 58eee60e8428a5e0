"""The search for identities: found behind every escape that a published file uses, and not inside other words."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exports import writers
from exports.release import ForbiddenString, find_identities

ID = ForbiddenString("the Telegram id of an annotator", "123456789")
MAIL = ForbiddenString("the address of an account", "Olha_K@example.org")
NAME = ForbiddenString("a name", "O'Hara & Co")
TOKEN = ForbiddenString("the bot's token", "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", inside=True)


@pytest.mark.parametrize(
    ("path", "content", "string"),
    [
        ("a.csv", "x,y\n1,123456789\n", ID),
        ("a.json", '{"a": "id 123456789."}', ID),
        ("a.md", "olha\\_k@example.org", MAIL),
        ("a.tex", "\\texttt{olha\\_k@EXAMPLE.org}", MAIL),
        ("a.html", "<b>O&#39;Hara &amp; Co</b>", NAME),
        ("a.txt", "token=110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw;", TOKEN),
        ("samples/123456789.json", "{}", ID),
        ("a.md", "see https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe", TOKEN),
        ("a.md", "tg_123456789", ID),
        ("a.md", "id123456789.", ID),
        ("a.bin", b"\xff\x00 123456789 \xff", ID),
    ],
)
def test_found_in_every_kind_of_file(path: str, content: str | bytes, string: ForbiddenString) -> None:
    (found,) = find_identities({path: content, "other.txt": "nothing"}, [ID, MAIL, NAME, TOKEN])
    assert (found.file, found.kind) == (path, string.kind)
    assert string.value not in found.kind


def test_the_line_is_named() -> None:
    (found,) = find_identities({"a.csv": "a\nb\nc 123456789\n"}, [ID])
    assert found.line == 3


@pytest.mark.parametrize(
    "text",
    [
        "0.123456789012",
        "0.123456789",
        "1234567890",
        f"{'ab' * 12}123456789{'cd' * 16}",
        "0.5 12345 6789",
        "xolha_k@example.org",
    ],
)
def test_not_inside_other_words(text: str) -> None:
    assert find_identities({"a.csv": text}, [ID, MAIL]) == ()


def test_found_in_a_cell_that_is_quoted_and_escaped() -> None:
    import pandas as pd

    string = ForbiddenString("a name", 'Лі "Бо"')
    content = writers.format_csv(pd.DataFrame({"a": ['каже Лі "Бо", так', "=1"]}))
    (found,) = find_identities({"a.csv": content}, [string])
    assert found.line == 2


def test_found_in_parquet_by_row() -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": ["x"] * 30_000 + ["tell 123456789"], "b": list(range(30_001))}), buffer)
    (found,) = find_identities({"d/a.parquet": buffer.getvalue()}, [ID])
    assert found.line == 30_001
