"""Damaged files of every kind: read whole, or refused with the file, the line, the column or field, and the remedy."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from _damage import damage
from _examples import limit_examples
from _tables import build_workbook
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from annotation.campaigns import project_file
from annotation.errors import BadInput
from annotation.loading import campaign

ROWS = [
    {"id": "1", "text": "Яке слово довше?", "options": ["кіт", "собака"], "gold": "собака"},
    {"id": "2", "text": "А яке, із цих?", "options": ["дуб", "береза"], "gold": "береза"},
    {"id": "3", "text": "Останнє", "options": ["яр", "гора"], "gold": "яр"},
]
HEAD = 'project: words\ntitle: Слова\nlanguage: uk\nquestion: {type: choice, text: "Яке?"%s}\n'
ITEMS_PROJECT = HEAD % "" + "items: {file: FILE, id: id, show: text, options: OPTIONS, gold: gold}\noverlap: 3\n"
VOTES_PROJECT = HEAD % ", options: [так, ні]" + "items: from votes\nvotes: {file: FILE, FORMAT}\n"
TABLE = "".join(
    ",".join([row["id"], f'"{row["text"]}"', *row["options"], str(row["gold"])]) + "\n"  # type: ignore[list-item]
    for row in ROWS
)
VOTES = [("i1", "ann", "так"), ("i1", "bob", "ні"), ("i2", "ann", "так"), ("i2", "bob", '"так"')]
TASKS = [
    {
        "id": number,
        "data": {"text": f"слово {number}"},
        "annotations": [
            {"id": number * 10 + who, "completed_by": who, "lead_time": 3.5, "was_cancelled": False,
             "result": [{"from_name": "says", "to_name": "text", "type": "choices", "value": {"choices": ["так"]}}]}
            for who in (1, 2)
        ],
    }
    for number in (1, 2)
]  # fmt: skip
INSTANCES = [{"question": f"слово {number}", "humanAnswer": "так"} for number in (1, 2, 3)]


def dump_json(value: object) -> str:
    """JSON with a value a line, as most tools write it."""
    return json.dumps(value, ensure_ascii=False, indent=1)


def write_table(separator: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Rows with a header."""
    return "".join(separator.join(row) + "\n" for row in [header, *rows])


FILES: Mapping[str, tuple[str, str]] = {
    "items.csv": (ITEMS_PROJECT.replace("OPTIONS", "[first, second]"), "id,text,first,second,gold\n" + TABLE),
    "items.tsv": (
        ITEMS_PROJECT.replace("OPTIONS", "[first, second]"),
        write_table(
            "\t",
            ("id", "text", "first", "second", "gold"),
            [("1", "Яке?", "кіт", "собака", "собака"), ("2", "Яке?", "дуб", "яр", "яр")],
        ),
    ),
    "items.jsonl": (
        ITEMS_PROJECT.replace("OPTIONS", "options"),
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS),
    ),
    "items.json": (ITEMS_PROJECT.replace("OPTIONS", "options"), dump_json(ROWS)),
    "votes.csv": (
        VOTES_PROJECT.replace("FORMAT", "format: csv, item: item, annotator: who, answer: says"),
        write_table(",", ("item", "who", "says"), VOTES),
    ),
    "wide.tsv": (
        VOTES_PROJECT.replace("FORMAT", "item: item, annotators: rest"),
        write_table("\t", ("item", "ann", "bob"), [("i1", "так", ""), ("i2", "ні", "так")]),
    ),
    "form.jsonl": (
        VOTES_PROJECT.replace("FORMAT", 'annotator: who, wide: "says [{item}]"'),
        "".join(json.dumps({"who": who, "says [a]": "так", "says [b]": None}) + "\n" for who in ("ann", "bob")),
    ),
    "crowd-kit.csv": (
        VOTES_PROJECT.replace("FORMAT", "format: crowd-kit"),
        write_table(",", ("task", "worker", "label"), VOTES),
    ),
    "toloka.tsv": (
        VOTES_PROJECT.replace("FORMAT", 'format: toloka, item: ["INPUT:text"]'),
        write_table("\t", ("INPUT:text", "ASSIGNMENT:worker_id", "OUTPUT:says"), VOTES),
    ),
    "label-studio.json": (VOTES_PROJECT.replace("FORMAT", "format: label-studio, item: text"), dump_json(TASKS)),
    "human-response-bot.json": (
        VOTES_PROJECT.replace("FORMAT", "format: human-response-bot, item: question"),
        dump_json({"name": "words", "instances": INSTANCES}),
    ),
}
CELLS = ("1,Яке?,кіт,собака,кіт", "2,А яке?,дуб,яр,яр")
OF_THE_WHOLE = re.compile(
    r"The file is empty\.|The file has a header but no (items|votes)\.|The (Parquet )?file cannot be read|"
    r"There is no file |Tables are read from |This is a folder|"
    r"Two columns have (the same|no) name\.|The name of a column has "
)
"""What is wrong with a file as a whole, which has no line."""
IN_A_SENTENCE = re.compile("[:;?,] ")
"""How validators of project files end a sentence with the remedy in it."""


def save_as(encoding: str) -> Callable[[bytes], bytes]:
    """The damage of saving a file in another encoding."""
    return lambda raw: raw.decode("utf-8").encode(encoding, "replace")


def draw_damage(raw: bytes) -> st.SearchStrategy[bytes]:
    """A file that was truncated, saved in another encoding, or in which a few bytes were swapped, lost or put in."""
    place = st.integers(0, len(raw) - 1)
    junk = st.sampled_from([b'"', b"'", b"\0", b"\xff", b"{", b"]", b",", b"\t", b"\n", b"\r", b";", b": ", b"\\", b""])
    return st.one_of(
        place.map(lambda at: raw[:at]),
        st.sampled_from(["cp1251", "utf-16", "utf-16-le", "utf-32", "koi8-u", "utf-8-sig"]).map(
            lambda encoding: save_as(encoding)(raw)
        ),
        st.tuples(place, place).map(lambda two: swap_bytes(raw, *two)),
        st.tuples(place, st.integers(0, 12), junk).map(lambda one: raw[: one[0]] + one[2] + raw[one[0] + one[1] :]),
    )


def swap_bytes(raw: bytes, one: int, two: int) -> bytes:
    """The bytes with two of them in each other's place."""
    changed = bytearray(raw)
    changed[one], changed[two] = changed[two], changed[one]
    return bytes(changed)


def find_refusal(file: Path) -> BadInput | None:
    """The refusal of a project file and the files that it names; None where they are read. No other error is caught."""
    try:
        read = project_file.read_project(file)
        contents = campaign.read_contents(read)
        assert contents.items
        votes = read.definition.votes
        if votes is not None and votes.file is not None:
            path = read.resolve_path(votes.file)
            campaign.read_votes(path, votes, questions=contents.questions, item_contents=contents.item_contents)
    except BadInput as refusal:
        return refusal
    return None


def assert_located(refusal: BadInput | None, *, file: Path) -> None:
    """Line, column or field, and remedy stand in it, but for what is wrong with the whole file."""
    if refusal is None:
        return
    where = refusal.where
    assert where is not None, refusal
    assert refusal.remedy or IN_A_SENTENCE.search(refusal.problem), refusal
    assert Path(str(where.file)).parent == file.parent, refusal
    if OF_THE_WHOLE.match(refusal.problem) is None:
        assert where.line is not None or where.field is not None, refusal  # JSON has tasks, not lines
        assert where.column is not None or where.field, refusal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples."""
    return tmp_path_factory.mktemp("damaged")


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@settings(max_examples=limit_examples(60), deadline=None)
def test_a_damaged_file_is_read_or_refused_with_its_place(folder: Path, name: str, data: st.DataObject) -> None:
    """Items and votes in every format; each is read when it is whole."""
    project, text = FILES[name]
    path = folder / name
    (folder / "p.yaml").write_text(project.replace("FILE", name), "utf-8")
    path.write_text(text, "utf-8")
    assert find_refusal(folder / "p.yaml") is None
    path.write_bytes(data.draw(draw_damage(text.encode())))
    assert_located(find_refusal(folder / "p.yaml"), file=path)


@pytest.mark.parametrize("name", ["items.csv", "votes.csv"])
@given(data=st.data())
@settings(max_examples=limit_examples(100), deadline=None)
def test_a_damaged_project_file_is_read_or_refused_with_its_place(folder: Path, name: str, data: st.DataObject) -> None:
    """YAML that was truncated, re-encoded or changed."""
    project, text = FILES[name]
    whole = project.replace("FILE", name)
    (folder / name).write_text(text, "utf-8")
    (folder / "p.yaml").write_bytes(data.draw(draw_damage(whole.encode())))
    assert_located(find_refusal(folder / "p.yaml"), file=folder / name)


@given(data=st.data())
@settings(max_examples=limit_examples(60), deadline=None)
def test_a_damaged_workbook_is_read_or_refused_with_its_remedy(folder: Path, data: st.DataObject) -> None:
    """The packed file, and the XML of its sheet before it is packed."""
    path = folder / "items.xlsx"
    (folder / "p.yaml").write_text(FILES["items.csv"][0].replace("FILE", path.name), "utf-8")
    raw = build_workbook({"A": [["id", "text", "first", "second", "gold"], *(line.split(",") for line in CELLS)]})
    path.write_bytes(raw)
    assert find_refusal(folder / "p.yaml") is None
    seed = data.draw(st.integers(0, 10**6))
    path.write_bytes(damage(raw, ".xlsx", random.Random(seed)))  # noqa: S311
    refusal = find_refusal(folder / "p.yaml")
    assert refusal is None or (refusal.where is not None and refusal.remedy), refusal


def write_parquet() -> bytes:
    """The items as Parquet."""
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(ROWS), buffer)
    return buffer.getvalue()


@given(data=st.data())
@settings(max_examples=limit_examples(60), deadline=None)
def test_a_damaged_parquet_file_is_read_or_refused_with_its_remedy(folder: Path, data: st.DataObject) -> None:
    """What is no Parquet any more is refused as a whole; a value that cannot be used has its row and column."""
    path = folder / "items.parquet"
    (folder / "p.yaml").write_text(FILES["items.json"][0].replace("FILE", path.name), "utf-8")
    path.write_bytes(write_parquet())
    assert find_refusal(folder / "p.yaml") is None
    raw = write_parquet()
    place = st.integers(0, len(raw) - 1)
    path.write_bytes(
        data.draw(place.map(lambda at: raw[:at]) | st.tuples(place, place).map(lambda two: swap_bytes(raw, *two)))
    )
    assert_located(find_refusal(folder / "p.yaml"), file=path)


QUOTES = [
    ('id,text,first,second,gold\n1,Яке?,"кіт,собака,собака\n2,Яке?,дуб,яр,яр\n', "items.csv:2, first: The row"),
    (
        'id,text,first,second,gold\n1,Яке?,кіт,собака,собака\n\n2,"Я"ке?,дуб,яр,яр\n',
        "items.csv:4, text: The row",
    ),
    ("id,text,first,second,gold\n1,Яке?,кіт,собака\n", "items.csv:2, gold: The row has 4 cells, the header 5."),
    ("id,text,first,second,gold\n1,Яке,а,кіт,собака,а\n", "items.csv:2, cell 6: The row has 6 cells, the header 5."),
]


@pytest.mark.parametrize(("text", "says"), QUOTES)
def test_the_broken_cell_is_named(tmp_path: Path, text: str, says: str) -> None:
    """A quote that is not closed is told where it opens, not where the file ends; so is the cell that is missing."""
    (tmp_path / "p.yaml").write_text(FILES["items.csv"][0].replace("FILE", "items.csv"), "utf-8")
    (tmp_path / "items.csv").write_text(text, "utf-8")
    assert str(find_refusal(tmp_path / "p.yaml")).removeprefix(f"{tmp_path}/").startswith(says)
