"""Tables in every kind of file and shape: the same rows and votes, whatever the file is that they are in."""

from __future__ import annotations

import io
import unicodedata
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from _examples import limit_examples
from _tables import RawCell, build_workbook, write_table
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.campaigns import project_file
from annotation.campaigns.sections.sources import TableKeys, VotesSection
from annotation.errors import BadInput
from annotation.loading import campaign, judgements, tables
from annotation.loading.drafts import get_cell

Triple = tuple[str, str, str]
Answers = Mapping[tuple[str, str], tuple[str, str]]
"""The answers to two questions by item and annotator; an empty one is none."""
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cf", "Zs", "Zl", "Zp"])
    | st.sampled_from(" ,;:'\"\n\t|"),
    min_size=1,
    max_size=8,
)
NAMES = WORDS.map(lambda word: unicodedata.normalize("NFC", word.strip())).filter(bool)
LONG = {"item": "item", "annotator": "who", "answer": "says"}
KEY = "key"
VOTES = st.dictionaries(st.tuples(NAMES.map("i".__add__), NAMES.map("w".__add__)), NAMES, min_size=1, max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples."""
    return tmp_path_factory.mktemp("shapes")


def read(path: Path, **section: object) -> list[Triple]:
    """The item, annotator and answer of every vote of a file, sorted."""
    votes = judgements.read_raw_votes(path, VotesSection.model_validate(section))
    return sorted((vote.key[0], vote.annotator, vote.answer.strip()) for vote in votes)


def pivot(votes: Mapping[tuple[str, str], str], *, by_item: bool) -> tuple[list[dict[str, object]], list[str]]:
    """The rows of a wide table with a column for each annotator, or item, and the names of these columns.

    Whose row it is stands in `KEY`, a name that no item and no annotator has.
    """
    pairs = {pair if by_item else pair[::-1]: says for pair, says in votes.items()}
    columns = sorted({column for column, _ in pairs})
    rows = sorted({row for _, row in pairs})
    return [{KEY: row} | {column: pairs.get((column, row)) for column in columns} for row in rows], columns


FILES: Sequence[tuple[str, Mapping[str, str]]] = [
    (".csv", {}),
    (".tsv", {}),
    (".xlsx", {}),
    (".jsonl", {}),
    (".json", {}),
    (".parquet", {}),
]
MORE_FILES: Sequence[tuple[str, Mapping[str, str]]] = [
    (".csv", {"separator": ";"}),
    (".csv", {"encoding": "utf-16"}),
    (".csv", {"separator": "|"}),
]


@given(votes=VOTES, file=st.sampled_from([*FILES, *MORE_FILES]))
@settings(max_examples=limit_examples(300), deadline=None)
def test_votes_in_rows_are_read_back(folder: Path, votes: dict[tuple[str, str], str], file: tuple[str, Any]) -> None:
    """Any words, with separators, quotes and line breaks in them, in every kind of file."""
    ending, how = file
    rows = [{"item": item, "who": who, "says": says} for (item, who), says in votes.items()]
    path = write_table(folder / f"votes{ending}", rows, **how)
    assert read(path, **LONG, **how) == sorted((item, who, says) for (item, who), says in votes.items())


@given(
    votes=VOTES, file=st.sampled_from(FILES), by_item=st.booleans(), said=st.sampled_from(["rest", "list", "pattern"])
)
@settings(max_examples=limit_examples(300), deadline=None)
def test_votes_in_columns_are_read_back(
    folder: Path, votes: dict[tuple[str, str], str], file: tuple[str, Any], by_item: bool, said: str
) -> None:
    """A column for each annotator or for each item; the columns named, by a pattern, or all that is left."""
    rows, columns = pivot(votes, by_item=by_item)
    key, place, owner = ("wide", "item", "annotator") if by_item else ("annotators", "annotator", "item")
    section: dict[str, object] = {owner: KEY, key: columns if said == "list" else "rest"}
    if said == "pattern":
        rows = [{KEY: row[KEY]} | {f"says [{column}]": row[column] for column in columns} for row in rows]
        section[key] = f"says [{{{place}}}]"
    path = write_table(folder / f"wide{file[0]}", rows)
    assert read(path, **section) == sorted((item, who, says) for (item, who), says in votes.items())


@given(
    votes=st.dictionaries(
        st.tuples(NAMES.map("i".__add__), NAMES.map("w".__add__)),
        st.tuples(NAMES | st.just(""), NAMES),
        min_size=1,
        max_size=6,
    ),
    file=st.sampled_from(FILES),
    by_item=st.booleans(),
)
@settings(max_examples=limit_examples(200), deadline=None)
def test_votes_on_several_questions_in_columns_are_read_back(
    folder: Path, votes: Answers, file: tuple[str, Any], by_item: bool
) -> None:
    """A column for each question of each annotator or item; what is empty is no answer."""
    key, place, owner = ("wide", "item", "annotator") if by_item else ("annotators", "annotator", "item")
    cells = {
        ((item, who) if by_item else (who, item), word): answer
        for (item, who), answers in votes.items()
        for word, answer in zip(("fits", "why: so"), answers, strict=True)
    }
    columns = sorted({(pair[0], word) for pair, word in cells})
    rows: list[dict[str, object]] = [
        {"id": row, **{f"{name}: {word}": cells.get(((name, row), word)) for name, word in columns}}
        for row in sorted({pair[1] for pair, _ in cells})
    ]
    path = write_table(folder / f"several{file[0]}", rows)
    section = {owner: "id", key: f"{{{place}}}: {{question}}", "answers": {"one": "fits", "two": "why: so"}}
    read_votes = judgements.read_raw_votes(path, VotesSection.model_validate(section))
    found = {
        (str(vote.key[0]), vote.annotator): tuple(get_cell(vote.row, word).strip() for word in ("fits", "why: so"))
        for vote in read_votes
    }
    assert found == votes


TABLE: Sequence[tuple[str, bytes, str]] = [
    ("commas in the header", b"id;How good, on a scale, from 1, to 5?;gold\n1;5;x\n2;3;y\n", "csv"),
    ("a line that names the separator", b"sep=;\r\nid;says\r\n1;5\r\n", "csv"),
    ("empty columns and rows at the end", b"id,says,,\n1,5,,\n,,,\n2,3,,\n,,,\n", "csv"),
    ("more empty cells than the header has", b"id,says\n1,5,,\n2,3\n", "csv"),
    ("a byte-order mark, and lines as in Windows", b"\xef\xbb\xbfid,says\r\n1,5\r\n\r\n2,3\r\n", "csv"),
    ("tabs in a .csv", b"id\tsays\n1\t5\n", "csv"),
]


@pytest.mark.parametrize(("what", "raw", "ending"), TABLE)
def test_a_table_loses_nothing_by_how_it_was_saved(tmp_path: Path, what: str, raw: bytes, ending: str) -> None:
    """The first column is the id, the second has 5 in the first row."""
    (tmp_path / f"t.{ending}").write_bytes(raw)
    rows = list(tables.read_rows(tmp_path / f"t.{ending}"))
    assert [*rows[0].values.values()][:2] == ["1", "5"], what
    assert "" not in rows[0].values


def refuse(path: Path, raw: bytes, **keys: str) -> str:
    """What is said of a file that cannot be read."""
    path.write_bytes(raw)
    with pytest.raises(BadInput) as refusal:
        list(tables.read_rows(path, TableKeys.model_validate(keys)))
    return str(refusal.value).removeprefix(f"{path.parent}/")


CYRILLIC = "id,слово\n1,так\n2,Не знаю\n"


@pytest.mark.parametrize(
    ("encoding", "says"),
    [
        ("cp1251", "it looks like Windows-1251. Write `encoding: cp1251` beside `file`, or save it as CSV UTF-8."),
        ("utf-16", "it looks like UTF-16. Write `encoding: utf-16` beside `file`, or save it as CSV UTF-8."),
        ("utf-16-le", "it looks like UTF-16."),
        ("koi8-u", "it looks like KOI8-U."),
        ("cp866", "it looks like DOS Cyrillic."),
    ],
)
def test_another_encoding_is_named_and_can_be_read(tmp_path: Path, encoding: str, says: str) -> None:
    """The message can be pasted; with the key the file is read."""
    raw = CYRILLIC.encode(encoding)
    assert says in refuse(tmp_path / "t.csv", raw)
    (row, _) = tables.read_rows(tmp_path / "t.csv", TableKeys(encoding=encoding))
    assert row.values == {"id": "1", "слово": "так"}
    assert "The file is not in utf-8" in refuse(tmp_path / "u.csv", "é".encode("latin-1"), encoding="utf-8")
    assert "Windows-1252" in refuse(tmp_path / "u.csv", "id,word\n1,café\n".encode("latin-1"))


def test_a_title_above_the_header_is_left_out(tmp_path: Path) -> None:
    """As people write it into merged cells of a spreadsheet; the lines of the rows stay those of the file."""
    (tmp_path / "t.csv").write_text("Звіт;;\n;;\nберезень;;\nід;хто;бал\n1;olena;5\n", "utf-8")
    (row,) = tables.read_rows(tmp_path / "t.csv")
    assert (row.line, row.values) == (5, {"ід": "1", "хто": "olena", "бал": "5"})


def test_an_unnamed_column_can_be_used(tmp_path: Path) -> None:
    """pandas writes the index of its tables so; two of them with cells cannot be told apart."""
    (tmp_path / "t.csv").write_text(",olena,ivan\ni1,так,ні\ni2,,так\n", "utf-8")
    assert read(tmp_path / "t.csv", item="", annotators="rest") == [
        ("i1", "ivan", "ні"), ("i1", "olena", "так"), ("i2", "ivan", "так"),
    ]  # fmt: skip
    assert "Two columns have no name" in refuse(tmp_path / "u.csv", b",,a\n1,2,3\n")


CELLS: Sequence[tuple[Mapping[str, Sequence[Sequence[object]]], Mapping[str, str], str]] = [
    ({"A": [["x"], [1]], "B": [["x"], [2]]}, {}, "t.xlsx, sheet: The file has 2 sheets: A, B. Name the one to read:"),
    ({"A": [["x"], [1]]}, {"sheet": "Б"}, "t.xlsx, sheet: There is no sheet 'Б'. There are: A."),
    (
        {"A": [["x"], [RawCell("<c><f>B1+1</f></c>")]]},
        {},
        "t.xlsx, cell A2: The cell A2 of the sheet 'A' has a formula, and not",
    ),
    (
        {"A": [["x"], [RawCell("<c t='str'><v>a_x0000_b</v></c>")]]},
        {},
        "t.xlsx:2: The character U+0000 cannot be stored.",
    ),
    ({"A": []}, {}, "t.xlsx: The file is empty."),
    ({"A": [["x"], [1]]}, {"separator": ";"}, "t.xlsx: Only a .csv or .tsv file has a separator. Take"),
]


@pytest.mark.parametrize(("sheets", "keys", "says"), CELLS)
def test_a_workbook_that_cannot_be_read_is_named(
    tmp_path: Path, sheets: Mapping[str, Sequence[Sequence[object]]], keys: dict[str, str], says: str
) -> None:
    """Which sheet, which cell, what to do."""
    assert refuse(tmp_path / "t.xlsx", build_workbook(sheets), **keys).startswith(says)


def test_a_workbook_has_the_values_of_its_cells(tmp_path: Path) -> None:
    """Whole numbers without a point, errors as they are shown, from wherever the table begins; hidden sheets apart."""
    rows: list[list[object]] = [[], [None, "id", "word", "share", "is", "day"], [],
            [None, 1, "так\nні", 0.5, True, RawCell("<c t='d'><v>2026-03-01T10:00:00</v></c>")],
            [None, 2, RawCell('<c t="e"><v>#N/A</v></c>'), 1e20, None, "x"]]  # fmt: skip
    raw = build_workbook({"A": rows, "B": [["x"], [7]], "C": []}, hidden=["B"])
    (tmp_path / "t.xlsx").write_bytes(raw)
    first, second = tables.read_rows(tmp_path / "t.xlsx")
    assert first.values == {"id": 1, "word": "так\nні", "share": 0.5, "is": True, "day": "2026-03-01T10:00:00"}
    assert (first.line, second.line) == (4, 5)
    assert [*second.values.values()][1:4] == ["#N/A", 10**20, ""]
    (hidden,) = tables.read_rows(tmp_path / "t.xlsx", TableKeys(sheet="B"))
    assert hidden.values == {"x": 7}


@pytest.mark.parametrize(
    "make", [lambda raw: raw[:40], lambda _: b"id,a\n1,2\n", lambda _: b"\xd0\xcf\x11\xe0" + b"\0" * 600]
)
def test_what_is_no_workbook_is_refused(tmp_path: Path, make: Callable[[bytes], bytes]) -> None:
    """A cut one, a renamed table, an old or locked one."""
    said = refuse(tmp_path / "t.xlsx", make(build_workbook({"A": [["x"], [1]]})))
    assert said.startswith(("t.xlsx: The .xlsx file cannot be read", "t.xlsx: This is a workbook of the old form"))


def test_a_cell_far_away_fills_no_memory(tmp_path: Path) -> None:
    """One cell in the last row and column would make 17 billion."""
    out = io.BytesIO()
    raw = build_workbook({"A": [["x"], [1]]})
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'r="A2"', b'r="XFD1048576"').replace(b'r="2"', b'r="1048576"'))
    assert "reaches to row 1048576 and column 16384" in refuse(tmp_path / "t.xlsx", out.getvalue())


CONTRADICTIONS: Sequence[tuple[Mapping[str, object], str]] = [
    ({"item": "i", "annotator": "w"}, "A table of votes needs the columns `item`, `annotator` and `answer`; with a"),
    ({"item": "i", "annotators": "rest", "answer": "a"}, "With `annotators` the columns say annotator and answer;"),
    ({"annotators": "rest"}, "With `annotators` every row is of one item; name its column as `item`"),
    ({"item": "i", "wide": "rest"}, "With `wide` the columns say item and answer; leave `item` and `answer` out"),
    ({"annotator": "w", "wide": "rest", "show": "t"}, "With `wide` no column is about an item; leave `show`,"),
    ({"item": "i", "annotators": "rest", "format": "toloka"}, "`annotators` is for tables; leave it or `format` out"),
    ({"annotator": "w", "wide": "{annotator} says"}, "A pattern of columns is one text with {item}"),
    ({"annotator": "w", "wide": "{item}: {question}"}, "With several questions a pattern has {question}, and"),
    ({"item": "i", "annotator": "w", "answer": "a", "ignore": "x"}, "`ignore` takes columns out of `rest`;"),
    ({"item": "i", "annotator": "w", "answer": "w"}, "The column 'w' cannot be the annotator and the answer; name"),
    ({"item": "i", "annotator": "w", "answer": "a", "encoding": "cp1215"}, "'cp1215' is not an encoding of text;"),
    ({"item": "i", "annotator": "w", "answer": "a", "encoding": "hex"}, "'hex' is not an encoding of text; write it"),
]  # fmt: skip


@pytest.mark.parametrize(("section", "says"), CONTRADICTIONS)
def test_keys_that_contradict_each_other_are_named(section: Mapping[str, object], says: str) -> None:
    """Which key to leave out, or to add."""
    with pytest.raises(ValidationError) as refusal:
        VotesSection.model_validate(section)
    assert says in str(refusal.value)


@pytest.mark.parametrize(
    ("where", "lines"),
    [
        ({"story": "not empty"}, [2, 4]),
        ({"story": "empty"}, [3]),
        ({"story": ["b", "empty"]}, [3, 4]),
        ({"story": "not empty", "kind": "x"}, [2]),
    ],
)
def test_a_condition_may_be_about_any_value(tmp_path: Path, where: dict[str, object], lines: list[int]) -> None:
    """`not empty` is any value, `empty` none, beside values themselves; of items and of votes alike."""
    (tmp_path / "v.csv").write_text("story,kind,who,says\na,x,w1,1\n ,x,w2,1\nb,y,w3,1\n", "utf-8")
    section = {"item": "kind", "annotator": "who", "answer": "says", "where": where}
    votes = judgements.read_raw_votes(tmp_path / "v.csv", VotesSection.model_validate(section))
    assert [vote.row.line for vote in votes if vote.exclusion is None] == lines


WIDE_PROJECT = """\
project: p
title: t
language: uk
question: {type: choice, text: "?", options: ["так, звісно", ні, 1, 2, 3, 4, 5]}
items: {file: w.csv, id: id, show: text, gold: right}
votes: {file: w.csv, item: id, annotators: rest, ignore: notes, MORE}
"""


def test_the_rest_has_no_column_that_the_items_name(tmp_path: Path) -> None:
    """One file of items, gold and votes; what is left are the annotators, whatever the order of the columns."""
    (tmp_path / "w.csv").write_text('id,ann,text,notes,right,bob\ni1,ні,а,!,ні,"так, звісно"\ni2,,б,,ні,ні\n', "utf-8")
    (tmp_path / "p.yaml").write_text(WIDE_PROJECT.replace(", MORE", ""), "utf-8")
    definition = project_file.read_project(tmp_path / "p.yaml").definition
    assert project_file.parse_definition(definition.model_dump(mode="json")) == definition
    assert definition.votes is not None
    votes = list(judgements.read_raw_votes(tmp_path / "w.csv", definition.votes))
    assert [(vote.key, vote.annotator, vote.answer) for vote in votes] == [
        (("i1",), "ann", "ні"), (("i1",), "bob", "так, звісно"), (("i2",), "bob", "ні"),
    ]  # fmt: skip


def test_long_lists_are_cut_and_words_with_commas_quoted(tmp_path: Path) -> None:
    """So that a message is read; the column of the vote is named, and each label with its number."""
    rows = "".join(f"i{number},{number},а,,ні\n" for number in range(6, 14))
    (tmp_path / "w.csv").write_text(f"id,ann,text,notes,right\n{rows}i1,6,б,,ні\n", "utf-8")
    (tmp_path / "p.yaml").write_text(WIDE_PROJECT.replace(", MORE", ""), "utf-8")
    checked = project_file.read_project(tmp_path / "p.yaml")
    contents = campaign.read_contents(checked)
    assert checked.definition.votes is not None
    with pytest.raises(BadInput) as refusal:
        campaign.read_votes(
            tmp_path / "w.csv",
            checked.definition.votes,
            questions=contents.questions,
            item_contents=contents.item_contents,
        )
    assert str(refusal.value).removeprefix(f"{tmp_path}/") == (
        "w.csv:2, ann: Labels that are not among the options ('так, звісно', ні, 1, 2, 3 and 2 more): '6' (2 times),"
        " '7' (1 time), '8' (1 time), '9' (1 time), '10' (1 time) and 3 more. Map them under `votes.labels.map`, or"
        " add them to the options."
    )
    (tmp_path / "p.yaml").write_text(WIDE_PROJECT.replace("MORE", "where: {nots: empty}"), "utf-8")
    votes = project_file.read_project(tmp_path / "p.yaml").definition.votes
    assert votes is not None
    with pytest.raises(BadInput, match=r"named under `votes\.where`\. Did you mean `notes`\? It has: id, ann, text,"):
        list(judgements.read_raw_votes(tmp_path / "w.csv", votes))
