"""Files of items in every format: read with their places, or refused in a sentence; never anything in between."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from annotation import input_files
from annotation.campaigns import project_file, stimulus
from annotation.errors import BadInput
from annotation.input_files import parse_printed_list
from annotation.loading import campaign, drafts, json_text
from annotation.loading.items import item_reader as items
from annotation.loading.tables import delimited

ROW = {"id": "1", "text": "Кіт, який спав.", "options": ["кіт", "пес"], "gold": "кіт"}


def read(path: Path, **how: str) -> list[tuple[int, dict[str, Any]]]:
    """Lines and values of a file."""
    keys = {"file": path.name, "id": "id", "show": "text", "format": how.get("form"), "path": how.get("under")}
    section = project_file.ItemsSection.model_validate(keys)
    return [(row.line, dict(row.values)) for row in items.read_rows(path, section)]


def write(path: Path, value: object) -> Path:
    """A JSON file, written over several lines."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
    return path


def test_a_json_list_is_read_with_lines(tmp_path: Path) -> None:
    """At the top, or under a path of keys; each item knows the line on which it begins."""
    found = read(write(tmp_path / "i.json", [ROW, ROW | {"id": "2"}]))
    assert found == [(2, ROW), (11, ROW | {"id": "2"})]
    nested = {"name": "]", "a": {"x": [1, {"y": '"'}], "tasks": [ROW], "z": None}, "b": []}
    assert read(write(tmp_path / "n.json", nested), under="a.tasks") == [(11, ROW)]


@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=5), max_size=3), max_size=6))
def test_lines_of_json_are_those_that_a_reader_would_point_at(values: list[dict[str, Any]]) -> None:
    """However the file is laid out, the text at the line begins with the item."""
    for indent in (None, 2):
        text = json.dumps({"k": ["]"], "list": values}, ensure_ascii=False, indent=indent)
        lines = json_text.find_element_lines(text, ["list"])
        assert len(lines) == len(values)
        for line in lines:
            assert "{" in text.split("\n")[line - 1]


@pytest.mark.parametrize(
    ("text", "how", "line", "says"),
    [
        ('{"tasks": []}', {}, 1, "not a list"),
        ('{"tasks": []}', {"under": "items"}, 1, "no 'items'"),
        ('{"tasks": {"a": 1}}', {"under": "tasks.b"}, 1, "no 'tasks.b'"),
        ("[1]", {}, 1, "not a JSON object"),
        ('[\n{"a": 1},\n{"a": }]', {}, 3, "not JSON"),
        ("\ufeff\n", {}, None, "The file is empty"),
        ("[]]", {}, 1, "not JSON"),
        ("[{}]", {"form": "lmes"}, 1, "no 'instances'"),
        ('{"instances": [{"question": "?"}]}', {"form": "lmes"}, 1, "no 'correctAnswer'"),
        ('{"tasks": [[1]]}', {"form": "ua-cbt"}, 1, "not a JSON object"),
        ('{"tasks": [[{"md": {"a": 1}, "md_a": 2}]]}', {"form": "ua-cbt"}, 1, "the column 'md_a'"),
        ('[{"id": 1}]', {"form": "label-studio"}, 1, "no `data`"),
    ],
)
def test_json_that_cannot_be_used_is_named(
    tmp_path: Path, text: str, how: dict[str, str], line: int | None, says: str
) -> None:
    """File, line where there is one, what is wrong, a remedy."""
    (tmp_path / "i.json").write_text(text, "utf-8")
    with pytest.raises(BadInput, match=says) as refusal:
        read(tmp_path / "i.json", **how)
    where = refusal.value.where
    assert where is not None
    assert (str(where.file), refusal.value.remedy is not None) == (str(tmp_path / "i.json"), True)
    if line is not None:
        assert where.line == line


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ('[{"NaN": "NaN",\n  "a": NaN, "b": Infinity}]', 2, 8, "NaN is not a number"),
        ('[{"a": 1},\n {"b": {"a": 1}, "a": 1, "a": 2}]', 2, 26, "'a' occurs twice"),
        ('[{"a": {"b": [{}]},\n "a": {"c": 1, "c": 2}}]', 2, 16, "'c' occurs twice"),
        ('[{"a": "a",\n "\\u0061": "x"}]', 2, 2, "'a' occurs twice"),
        ('[{"a": "\\ud83d\\ude00"},\n {"a": "\\ud800"}]', 2, 8, "half a character"),
        ('[{"a":\n1,\n"\\u0000": 1}]', 3, 1, "U\\+0000"),
        ('[{"a": "[["},\n {"b": ' + "[" * 100_000, 2, 100_007, "nested too deeply"),
        ('[{"a": 1},\n {"b": ' + "[" * 100 + "]" * 100 + "}]", 2, 107, "nested too deeply"),
        ('[{"a": "' + "9" * 5000 + '"},\n -' + "9" * 5000 + "]", 2, 2, "a number has more than 4300 digits"),
        ('[{"a":\n -1e999}]', 2, 2, "the number -1e999 is too large"),
        ('[{"a": 1}\n {}]', 2, 2, "not JSON"),
    ],
)
def test_json_that_would_lose_something_is_refused_with_line_and_column(
    tmp_path: Path, text: str, line: int, column: int, says: str
) -> None:
    """What the parser says without a place is looked for; texts that only look like it are no mistakes."""
    (tmp_path / "i.json").write_text(text, "utf-8")
    with pytest.raises(BadInput, match=says) as refusal:
        read(tmp_path / "i.json")
    where = refusal.value.where
    assert where is not None
    assert (where.line, where.column, bool(refusal.value.remedy)) == (line, column, True)


def test_a_backslash_before_u0000_is_text(tmp_path: Path) -> None:
    """A regular expression in an item is no U+0000."""
    item = {"a": "\\u0000", "b": "\\ud800"}
    assert [values for _, values in read(write(tmp_path / "i.json", [item]))] == [item]


@pytest.mark.parametrize(
    ("name", "raw", "says"),
    [
        ("i.csv", b"id,a\n1,\x00\n", "i.csv:2, byte 8: This is a binary file, not text. Export it as CSV or JSONL."),
        ("i.yaml", b"project: a\n\0", "i.yaml:2, byte 12: This is a binary file, not text. Save it as text in UTF-8."),
        (
            "i.csv",
            "id,a\n".encode("utf-16"),
            "i.csv:1, byte 1: The file is not UTF-8, it looks like UTF-16. Save it as UTF-8.",
        ),
        ("i.csv", b"\xef\xbb\xbfid,a\n\xff,1\n", "i.csv:2, byte 9: The file is not UTF-8. Save it as UTF-8."),
    ],
)
def test_the_first_bad_byte_is_named(tmp_path: Path, name: str, raw: bytes, says: str) -> None:
    """With its line; a project file is not to be exported as CSV."""
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(BadInput) as refusal:
        input_files.read_text(tmp_path / name)
    assert str(refusal.value) == f"{tmp_path}/{says}"


@pytest.mark.parametrize(
    "read", [input_files.read_text, input_files.read_table_text, input_files.require_file, input_files.compute_sha256]
)
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, read: Callable[[Path], object]) -> None:
    """Nobody writes into it, so that to open it would take for ever; a device is none either."""
    os.mkfifo(tmp_path / "items.csv")
    (tmp_path / "items.jsonl").symlink_to("/dev/zero")
    for name in ("items.csv", "items.jsonl"):
        with pytest.raises(BadInput, match=f"{name}: This is a pipe or a device, not a file") as refused:
            read(tmp_path / name)
        assert refused.value.remedy == "Save its content as a file, and name that one."


def test_a_column_without_a_name_is_called_that(tmp_path: Path) -> None:
    """Spreadsheets and pandas write an index without a header."""
    (tmp_path / "i.csv").write_text(",story\n0,x\n", "utf-8")
    (row,) = delimited.read_delimited(tmp_path / "i.csv")
    with pytest.raises(BadInput, match=r"It has: an unnamed column, story\."):
        input_files.require_columns({"items.show": ["text"]}, row)


def test_a_list_that_was_not_found_names_the_path_to_one(tmp_path: Path) -> None:
    """The remedy can be pasted."""
    with pytest.raises(BadInput) as refusal:
        read(write(tmp_path / "i.json", {"name": "x", "tasks": [ROW]}))
    assert refusal.value.remedy == "Write `path: tasks`."


@pytest.mark.parametrize("text", ["\ufeff\n", "\u2003\n", "\x1c\n", ""])
def test_a_table_without_a_line_is_empty(tmp_path: Path, text: str) -> None:
    """Whatever its white space is made of."""
    (tmp_path / "i.csv").write_text(text, "utf-8")
    with pytest.raises(BadInput, match=r"The file is empty"):
        read(tmp_path / "i.csv")


def test_a_header_that_is_too_long_is_named(tmp_path: Path) -> None:
    """It is looked at before the rows, to find what separates the cells."""
    (tmp_path / "i.csv").write_text("id," + "a" * 10_000_001 + "\n1,2\n", "utf-8")
    with pytest.raises(BadInput, match=r"i\.csv:1:1: The header cannot be read"):
        read(tmp_path / "i.csv")


OWN = """\
project: own
title: p
language: uk
question: {type: choice, text: "Яке?", abstain: не знаю}
items: {file: i.jsonl, id: id, show: [{field: text, mark: [one, two], gap: __}], options: options, gold: gold}
overlap: 1
"""


def own(folder: Path, **facts: object) -> drafts.ItemDraft:
    """The only item of a file of one."""
    row = {"id": 1, "text": "Кіт і пес __.", "one": "", "two": "", "options": [1, 2], "gold": 1} | facts
    (folder / "i.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    (folder / "p.yaml").write_text(OWN, "utf-8")
    return campaign.read_contents(project_file.read_project(folder / "p.yaml")).items[0]


def test_options_are_words_as_gold_is(tmp_path: Path) -> None:
    """Numbers, switches and objects become the same text in both; nothing is an empty option, which the lint finds."""
    found = own(tmp_path, options=[1.5, True, {"b": 1, "a": 2}, None], gold={"b": 1, "a": 2})
    assert found.options == ("1.5", "true", '{"a": 2, "b": 1}', "")
    assert found.gold == '{"a": 2, "b": 1}'


def test_an_item_has_no_option_that_is_the_abstention(tmp_path: Path) -> None:
    """Two buttons with the same words could not be told apart."""
    with pytest.raises(BadInput, match=r"i\.jsonl:1: The item has the option 'не знаю' already, which `abstain` adds"):
        own(tmp_path, options=["кіт", "не знаю"], gold="кіт")


def test_highlights_may_hold_each_other(tmp_path: Path) -> None:
    """Every highlight begins and ends with its sign at its own place."""
    assert stimulus.render_pieces(own(tmp_path, one="Кіт і пес", two="Кіт").pieces) == "*_Кіт_ і пес* __."
    assert stimulus.render_pieces(own(tmp_path, one="Кіт", two="пес").pieces) == "*Кіт* і _пес_ __."


@pytest.mark.parametrize("facts", [{"text": "Кіт і ___."}, {"text": "Кіт __ ананас.", "one": "ана"}])
def test_what_overlaps_itself_stands_twice(tmp_path: Path, facts: dict[str, object]) -> None:
    """Nobody could say which of the places is meant."""
    with pytest.raises(BadInput, match="occurs 2 times in the text"):
        own(tmp_path, **facts)


def test_parquet_is_read_row_by_row(tmp_path: Path) -> None:
    """Lists, structs, times, decimals and missing values become what JSON would have."""
    table = pa.table(
        {
            "id": [1, 2],
            "options": [["кіт", "пес"], None],
            "meta": [{"a": 1.5}, {"a": float("nan")}],
            "day": [date(2024, 5, 1), None],
            "price": [Decimal("1.50"), None],
            "kind": pa.array(["x", "x"]).dictionary_encode(),
        }
    )
    parquet.write_table(table, tmp_path / "i.parquet")
    first = {"id": 1, "options": ["кіт", "пес"], "meta": {"a": 1.5}, "day": "2024-05-01", "price": "1.50", "kind": "x"}
    second = {"id": 2, "options": None, "meta": {"a": None}, "day": None, "price": None, "kind": "x"}
    assert read(tmp_path / "i.parquet") == [(1, first), (2, second)]


def test_parquet_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """No Parquet, an empty file, a cut one, pictures, U+0000."""
    whole = tmp_path / "whole.parquet"
    parquet.write_table(pa.table({"id": list(range(1000))}), whole)
    parquet.write_table(pa.table({"id": [1], "picture": [b"\x89PNG"]}), tmp_path / "picture.parquet")
    parquet.write_table(pa.table({"id": [1], "text": ["a\0b"]}), tmp_path / "nul.parquet")
    parquet.write_table(pa.table({"id": [1], "a\0b": ["text"]}), tmp_path / "nul_name.parquet")
    (tmp_path / "none.parquet").write_bytes(b"id,text\n1,a\n")
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "cut.parquet").write_bytes(whole.read_bytes()[:-20])
    says = {
        "picture": "row|neither text nor numbers",
        "nul": r"nul.parquet:1, text: .*U\+0000",
        "nul_name": r"nul_name.parquet, a\\0b: The name of a column has .*U\+0000",
        "none": "cannot be read",
        "empty": "is empty",
        "cut": "cannot be read",
        "missing": "no such file",
    }
    for name, words in says.items():
        with pytest.raises(BadInput, match=words):
            read(tmp_path / f"{name}.parquet")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("['а', \"б\"]", ["а", "б"]),
        ("[1, -2.5, None, True]", [1, -2.5, None, True]),
        (r"['it\'s', 'a\nb']", ["it's", "a\nb"]),
        ("[]", []),
        ("[Сміється] Так.", "[Сміється] Так."),
        ("[[1], [2]]", "[[1], [2]]"),
        ("['a', __import__('os')]", "['a', __import__('os')]"),
        ("[" + "-" * 5000 + "1]", "[" + "-" * 5000 + "1]"),
        ("['a'", "['a'"),
        ("['a' 'b']", "['a' 'b']"),
        ("('a', 'b')", "('a', 'b')"),
        (r"['\ud800']", r"['\ud800']"),
        (r"['\x']", r"['\x']"),
        ("[007]", "[007]"),
        (r"['\d']", [r"\d"]),
    ],
)
def test_python_lists_are_read_without_running_anything(text: str, found: object) -> None:
    """Flat lists of texts and numbers; whatever else begins like one stays text."""
    assert parse_printed_list(text) == found


@given(st.lists(st.text(max_size=20) | st.integers(-(10**9), 10**9) | st.none() | st.booleans(), max_size=8))
def test_what_python_prints_is_read_back(values: list[object]) -> None:
    """repr and back, but for what no database takes."""
    storable = all(not isinstance(one, str) or "\0" not in one for one in values)
    assert parse_printed_list(repr(values)) == (values if storable else repr(values))


def test_eval_ua_tions_items_are_the_same_in_every_form(shared: Path) -> None:
    """UA-CBT as .json, .jsonl and .csv gives the same ids, options and answers; LMES has its metadata as columns."""
    folder = shared / "data/eval-ua-tion/ua-cbt"
    forms = [read(folder / f"stories_train.{ending}", form="ua-cbt") for ending in ("json", "jsonl", "csv")]
    for key in ("context", "question", "options", "answer", "taskType", "md_opts_correct_answer"):
        for form in forms:
            assert [values[key] for _, values in form] == [values[key] for _, values in forms[0]]
    assert [len(values["options"]) for _, values in forms[2]] == [6] * 8
    assert {name for _, values in forms[0] for name in values} == {name for _, values in forms[1] for name in values}
    lmes = read(shared / "data/eval-ua-tion/lmes/DoAllWordsBelongToCatTask.json", form="lmes")
    assert len(lmes) == 400
    assert {values["correctAnswer"] for _, values in lmes} == {"так", "ні"}
    assert lmes[0][0] == 4
    assert lmes[0][1]["additionalMetadata_cat_name_main"] == "почуття"


def test_a_word_is_highlighted_although_others_hold_it(tmp_path: Path) -> None:
    """«it» is found once as a word, beside "fit" and "suitcase"; a part of a word is found where it is alone."""
    found = own(tmp_path, text="The cup did not fit into the suitcase, because it was big __.", one="it", two="suit")
    assert [found.shown[0][start:end] for start, end in found.pieces[0].marks] == ["it", "suit"]
    assert found.pieces[0].marks[0][0] == found.shown[0].index(" it ") + 1
