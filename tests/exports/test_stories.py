"""Corrections: what was changed, in words and in numbers counted by hand, and the files and the page made of them."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from exports import stories
from exports.sheets import Asked, Sheets
from exports.stories.edits import difference, edits, pieces, plain
from exports.stories.summary import corrected

Make = Any
RESULT = Asked(name="result", kind="choice", text="Придатне?", options=("так", "ні"))
WHY = Asked(name="why", kind="choices", text="Чому?", options=("закоротке", "безнадійне"), show_if={"result": ("ні",)})
FIXED = Asked(name="fixed", kind="edit", text="Виправте.", field="story", show_if={"result": ("так",)})
NOTABLE = Asked(name="notable", kind="choices", text="Позначка", options=("варте уваги",))
COMMENT = Asked(name="comment", kind="text", text="Примітка")
QUESTIONS = (RESULT, WHY, FIXED, NOTABLE, COMMENT)

TEXTS = {
    "s1": "Кіт спав.\n\nПес не спав.",
    "s2": "Пʼять слів 🙂",
    "s3": "Погано.",
    "s4": "Ніхто.",
    "s5": "Один два три",
}
TOO_SHORT, BOTH = '["закоротке"]', '["закоротке", "безнадійне"]'
GIVEN: list[Any] = [
    ("s1", "olha", {"result": "так", "fixed": "Кіт спав.\n\nПес не дрімав.", "comment": "<b>живе</b>"}),
    ("s1", "ivan", {"result": "так", "fixed": "Кіт спав.\r\n\r\nПес не спав.\n", "notable": '["варте уваги"]'}),
    ("s2", "olha", {"result": "так", "fixed": "П'ять слів 🙃!"}, {"seconds": 12.5}),
    ("s3", "olha", {"result": "ні", "why": BOTH}),
    ("s3", "ivan", {"result": "ні", "why": TOO_SHORT}),
    ("s4", "olha", {"result": "так", "fixed": "Усе."}, {"excluded_reason": "seconds: 1", "by_rule": True}),
    ("s5", "ivan", {"result": "ні", "why": TOO_SHORT}),
    ("s5", "olha", {"result": "так", "fixed": "Один\nдва три"}),
]


@pytest.fixture
def sheets(make: Make) -> Sheets:
    """Five stories, two people; one answer is excluded, one story tied."""
    found: Sheets = make.sheets(QUESTIONS, GIVEN, texts={item: {"story": text} for item, text in TEXTS.items()})
    return found


@pytest.fixture
def files(sheets: Sheets) -> dict[str, Any]:
    """The files of those."""
    return dict(stories.files([sheets]))


def rows(files: dict[str, Any]) -> list[dict[str, str]]:
    """stories.csv."""
    return list(csv.DictReader(io.StringIO(files["stories.csv"])))


@pytest.mark.parametrize(
    ("original", "fixed", "parts"),
    [
        ("Вона подивився.", "Вона подивилася.", "=Вона |-подивився|+подивилася|=."),
        ("Пес, кіт", "Пес кіт", "=Пес|-,|= кіт"),
        ("п’ять’ох слів", "п'ять’ох слів", "-п’ять’ох|+п'ять’ох|= слів"),
        ("мати його їла тут", "мати його з'їла й тут", "=мати його |-їла|+з'їла й|= тут"),
        ("а б в г", "а х у г", "=а |-б в|+х у|= г"),
        ("перше.\n\nдруге", "перше. друге", "=перше.|-\n\n|+ |=друге"),
        ("за́мок", "замо́к", "-за́мок|+замо́к"),
        ("рік 1️⃣ 👩‍🌾!", "рік 2️⃣ 👩‍🌾!", "=рік |-1️⃣|+2️⃣|= 👩‍🌾!"),
        ("усе так", "усе так", "=усе так"),
        ("", "так", "+так"),
    ],
)
def test_a_difference_is_told_in_whole_words(original: str, fixed: str, parts: str) -> None:
    """Punctuation apart from words, marks with their letters, changes that stand beside each other as one."""
    assert "|".join(part.sign + part.text for part in difference(original, fixed)) == parts


LETTERS = st.text(st.sampled_from("абїґєʼ'’-–«», .!\n\t\u0301\u0306\u200d\ufe0f🙂👩🏽1️⃣_xé"), max_size=60)


@given(LETTERS | st.text(max_size=40), LETTERS | st.text(max_size=40))
@settings(deadline=None)
def test_applying_a_difference_to_the_original_gives_the_corrected_text(one: str, other: str) -> None:
    """What stayed and went is the one, what stayed and came the other, whatever signs they are made of."""
    old, new = plain(one), plain(other)
    parts = difference(old, new)
    assert "".join(part.text for part in parts if part.sign in "=-") == old
    assert "".join(part.text for part in parts if part.sign in "=+") == new
    assert all(part.text for part in parts)
    assert [part.sign for part in parts] == ["="] * bool(old) if old == new else any(p.sign != "=" for p in parts)
    assert "".join(pieces(old)) == old
    assert edits(old, new, parts).characters == edits(new, old, difference(new, old)).characters


def test_the_numbers_of_a_correction_are_those_counted_by_hand(files: dict[str, Any]) -> None:
    """s1: 4 of 25 letters, 1 of 5 words; s2: an apostrophe, an emoji and a sign of 13, 2 of 3 words."""
    found = {(row["item_id"], row["status"]): row for row in rows(files)}
    numbers = ("characters_changed", "cer", "words_changed", "wer", "words_kept")
    assert [found["s1", "corrected"][name] for name in numbers] == ["4", "0.16", "1", "0.2", "0.8"]
    assert [found["s2", "corrected"][name] for name in numbers] == ["3", "0.230769", "2", "0.666667", "0.5"]
    assert [found["s1", "unchanged"][name] for name in (*numbers, "chrf")] == ["0", "0", "0", "0", "1", "1"]
    assert [found["s5", "corrected"][name] for name in numbers] == ["1", "0.083333", "0", "0", "1"]
    assert found["s2", "corrected"]["seconds"] == "12.5"
    assert json.loads(found["s1", "corrected"]["difference"]) == [
        ["=", "Кіт спав.\n\nПес не "], ["-", "спав"], ["+", "дрімав"], ["=", "."],
    ]  # fmt: skip


def test_numbers_equal_those_of_known_libraries(sheets: Sheets) -> None:
    """rapidfuzz for the distances, sacreBLEU for chrF, over the same texts."""
    from rapidfuzz.distance import Levenshtein

    metrics = pytest.importorskip("sacrebleu.metrics", reason="in the development environment alone")
    (found,) = corrected([sheets])
    assert len(found.pairs) == 4
    for one in found.pairs:
        assert one.edits is not None
        assert one.corrected is not None
        assert one.edits.characters == Levenshtein.distance(one.original, one.corrected)
        assert one.edits.words == Levenshtein.distance(one.original.split(), one.corrected.split())
        whole = metrics.CHRF().sentence_score(one.original, [one.corrected]).score / 100
        assert one.edits.chrf == pytest.approx(whole, abs=1e-9)


def test_stories_and_reasons_are_counted_as_by_hand(files: dict[str, Any]) -> None:
    """Two usable, one not, one tied, one without an answer that counts; the excluded answer is counted, not shown."""
    told = json.loads(files["stories.json"])["так-ні"]["fixed"]
    assert told["counts"] == {
        "stories": 5,
        "stories_by_verdict": {"usable": 2, "unusable": 1, "tied": 1, "no answer": 1},
        "answers": 7,
        "answers_by_status": {
            "corrected": 3, "unchanged": 1, "unusable": 3, "not answered": 0, "skipped": 0, "text changed": 0,
        },
        "annotators": 2,
        "excluded": 1,
        "excluded_by_reason": {"seconds: 1": 1},
    }  # fmt: skip
    assert told["unusable_reasons"] == [
        {"reason": "закоротке", "answers": 3, "share": 1.0, "stories": 2},
        {"reason": "безнадійне", "answers": 1, "share": 0.333333, "stories": 1},
    ]
    assert told["unchanged"] == {"corrections": 1, "share": 0.25}
    words = told["edits"]["wer"]
    assert (words["n"], words["median"], words["max"]) == (4, 0.1, 0.666667)
    assert words["pooled"] == pytest.approx(3 / 16, abs=1e-6)  # 1 + 0 + 2 + 0 words of 5 + 5 + 3 + 3
    assert words["mean"]["value"] == pytest.approx((0.1 + 2 / 3 + 0) / 3, abs=1e-6)
    several = told["several"]
    assert several["stories"] == 1
    assert {row["name"]: (row["value"], row["n_items"]) for row in several["agreement"]}["exact_match"] == (0.0, 1)
    assert told["rule"] == (
        "“fixed” is asked where “result” is так; any other answer there means unusable; "
        "the reasons are the answers to “why”."
    )
    assert "Усе." not in "".join(text for text in files.values() if isinstance(text, str))


def test_each_form_of_the_file_holds_the_same_rows(files: dict[str, Any]) -> None:
    """JSON Lines and Parquet give lists, CSV JSON; nothing else differs, nor do two runs."""
    lines = [json.loads(line) for line in files["stories.jsonl"].splitlines()]
    table = parquet.read_table(io.BytesIO(files["stories.parquet"]))
    assert table.column_names == list(stories.STORIES) == list(lines[0])
    unpacked = [row | {"other_answers": json.loads(row["other_answers"])} for row in table.to_pylist()]
    assert unpacked == lines
    nested = [name for name, kind in stories.STORIES.items() if kind in {"texts", "pairs", "object"}]
    for row, line in zip(rows(files), lines, strict=True):
        assert {name: json.loads(row[name]) if row[name] else None for name in nested} == {
            name: line[name] for name in nested
        }
    assert lines[0]["other_answers"] == {"result": "так", "notable": '["варте уваги"]'}
    assert [(line["item_id"], line["annotator"]) for line in lines] == [
        ("s1", "ivan"), ("s1", "olha"), ("s2", "olha"), ("s3", "ivan"), ("s3", "olha"), ("s5", "ivan"), ("s5", "olha"),
    ]  # fmt: skip
    assert len(pd.read_parquet(io.BytesIO(files["stories.parquet"]))) == 7


def test_the_same_answers_in_another_order_give_the_same_bytes(make: Make, files: dict[str, Any]) -> None:
    """Whoever came first does not show."""
    texts = {item: {"story": text} for item, text in TEXTS.items()}
    assert stories.files([make.sheets(QUESTIONS, GIVEN[::-1], texts=texts)]) == files


def test_how_a_letter_is_composed_and_lines_end_is_no_correction(make: Make) -> None:
    """The original comes decomposed and with Windows' line ends, as some files have it."""
    text = unicodedata.normalize("NFD", "Її їжак\r\nйде.")
    given: list[Any] = [("s1", "olha", {"fixed": "Її їжак\nйде."})]
    edit = Asked(name="fixed", kind="edit", text="Виправте.", field="story")
    made = stories.files([make.sheets([edit], given, texts={"s1": {"story": text}})])
    (row,) = rows(made)
    assert (row["status"], row["original"], row["cer"]) == ("unchanged", "Її їжак\nйде.", "0")


def test_a_text_that_was_changed_after_the_answer_makes_no_pair(make: Make) -> None:
    """What she corrected is not known any more, so it counts in no number; what she wrote is kept."""
    given: list[Any] = [("s1", "olha", {"fixed": "Нове."}), ("s2", "olha", {"fixed": "Так."})]
    edit = Asked(name="fixed", kind="edit", text="Виправте.", field="story")
    made = make.sheets([edit], given, texts={"s1": {"story": "Старе."}, "s2": {"story": "Тak."}})
    made.data.items.loc[0, "item_revision"] = 2
    files = stories.files([made])
    first = rows(files)[0]
    assert (first["status"], first["corrected"], first["difference"], first["wer"]) == ("text changed", "Нове.", "", "")
    told = json.loads(str(files["stories.json"]))["так-ні"]["fixed"]
    assert (told["edits"]["wer"]["n"], told["counts"]["stories_by_verdict"]["no answer"]) == (1, 1)


def test_without_an_answer_there_are_empty_tables_and_a_page(make: Make) -> None:
    """A campaign that has just begun exports; every number is unknown, none is wrong."""
    made = stories.files([make.sheets(QUESTIONS, [], texts={"s1": {"story": "Так."}})])
    assert rows(dict(made)) == []
    assert parquet.read_table(io.BytesIO(bytes(made["stories.parquet"]))).num_rows == 0  # type: ignore[arg-type]
    told = json.loads(str(made["stories.json"]))["так-ні"]["fixed"]
    assert told["edits"]["cer"]["median"] is None
    assert told["edits"]["cer"]["mean"]["reason"] == "Nobody corrected anything."
    assert "0 of 0" in str(made["stories.html"])


def test_a_project_without_corrections_has_no_such_files(make: Make) -> None:
    """Nothing is written where nothing is asked."""
    assert stories.files([make.sheets([RESULT], [], texts={"s1": {}})]) == {}


def test_half_a_character_is_refused_in_words(make: Make) -> None:
    """A lone surrogate is neither UTF-8 nor Parquet."""
    edit = Asked(name="fixed", kind="edit", text="Виправте.", field="story")
    made = make.sheets([edit], [("s1", "olha", {"fixed": "а\ud800"})], texts={"s1": {"story": "а"}})
    with pytest.raises(Exception, match="Half a character"):
        stories.files([made])
