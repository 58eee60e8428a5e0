"""Corrections: what was changed, in words and in numbers counted by hand, and the files and the page made of them."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from aggregation.text_difference import compute_difference, measure_edits, normalize_text, split_pieces
from exports import corrections
from exports.adjudicated_gold import AdjudicatedItem
from exports.corrections.summary import summarize_corrections
from exports.joint_answers import JointAnswers, QuestionSpec

Make = Any
RESULT = QuestionSpec(name="result", kind="choice", text="Придатне?", options=("так", "ні"))
WHY = QuestionSpec(
    name="why", kind="choices", text="Чому?", options=("закоротке", "безнадійне"), show_if={"result": ("ні",)}
)
FIXED = QuestionSpec(name="fixed", kind="edit", text="Виправте.", field="story", show_if={"result": ("так",)})
NOTABLE = QuestionSpec(name="notable", kind="choices", text="Позначка", options=("варте уваги",))
COMMENT = QuestionSpec(name="comment", kind="text", text="Примітка")
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
def responses(make: Make) -> JointAnswers:
    """Five stories, two annotators; one answer is excluded, one story tied."""
    found: JointAnswers = make.joint_answers(
        QUESTIONS, GIVEN, texts={item: {"story": text} for item, text in TEXTS.items()}
    )
    return found


@pytest.fixture
def files(responses: JointAnswers) -> dict[str, Any]:
    """The files of those."""
    return dict(corrections.build_correction_files([responses]))


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
def test_a_difference_is_of_whole_words(original: str, fixed: str, parts: str) -> None:
    """Punctuation apart from words, marks with their letters, changes that stand beside each other as one."""
    assert "|".join(part.sign + part.text for part in compute_difference(original, fixed)) == parts


LETTERS = st.text(st.sampled_from("абїґєʼ'’-–«», .!\n\t\u0301\u0306\u200d\ufe0f🙂👩🏽1️⃣_xé"), max_size=60)


@given(LETTERS | st.text(max_size=40), LETTERS | st.text(max_size=40))
@settings(deadline=None)
def test_applying_a_difference_to_the_original_gives_the_corrected_text(one: str, other: str) -> None:
    """What stayed and went is the one, what stayed and came the other, whatever signs they are made of."""
    old, new = normalize_text(one), normalize_text(other)
    parts = compute_difference(old, new)
    assert "".join(part.text for part in parts if part.sign in "=-") == old
    assert "".join(part.text for part in parts if part.sign in "=+") == new
    assert all(part.text for part in parts)
    assert [part.sign for part in parts] == ["="] * bool(old) if old == new else any(p.sign != "=" for p in parts)
    assert "".join(split_pieces(old)) == old
    assert (
        measure_edits(old, new, parts).characters_changed
        == measure_edits(new, old, compute_difference(new, old)).characters_changed
    )


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


def test_numbers_equal_those_of_known_libraries(responses: JointAnswers) -> None:
    """rapidfuzz for the distances, sacreBLEU for chrF, over the same texts."""
    from rapidfuzz.distance import Levenshtein

    metrics = pytest.importorskip("sacrebleu.metrics", reason="in the development environment alone")
    (summary,) = summarize_corrections([responses])
    assert len(summary.pairs) == 4
    for pair in summary.pairs:
        assert pair.edits is not None
        assert pair.corrected is not None
        assert pair.edits.characters_changed == Levenshtein.distance(pair.original, pair.corrected)
        assert pair.edits.words_changed == Levenshtein.distance(pair.original.split(), pair.corrected.split())
        whole = metrics.CHRF().sentence_score(pair.original, [pair.corrected]).score / 100
        assert pair.edits.chrf == pytest.approx(whole, abs=1e-9)


def test_stories_and_reasons_are_counted_as_by_hand(files: dict[str, Any]) -> None:
    """Two usable, one not, one tied, one without an answer that counts; the excluded answer is counted, not shown."""
    published = json.loads(files["stories.json"])["так-ні"]["fixed"]
    assert published["counts"] == {
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
    assert published["unusable_reasons"] == [
        {"reason": "закоротке", "answers": 3, "share": 1.0, "stories": 2},
        {"reason": "безнадійне", "answers": 1, "share": 0.333333, "stories": 1},
    ]
    assert published["unchanged"] == {"corrections": 1, "share": 0.25}
    words = published["edits"]["wer"]
    assert (words["n"], words["median"], words["max"]) == (4, 0.1, 0.666667)
    assert words["pooled"]["value"] == pytest.approx(3 / 16, abs=1e-6)  # 1 + 0 + 2 + 0 words of 5 + 5 + 3 + 3
    assert words["mean"]["value"] == pytest.approx((0.1 + 2 / 3 + 0) / 3, abs=1e-6)
    several = published["several"]
    assert several["stories"] == 1
    assert {row["name"]: (row["value"], row["n_items"]) for row in several["agreement"]}["exact_match"] == (0.0, 1)
    assert published["rule"] == (
        "“fixed” is asked where “result” is так; any other answer there means unusable; "
        "the reasons are the answers to “why”."
    )
    assert "Усе." not in "".join(text for text in files.values() if isinstance(text, str))


def test_each_form_of_the_file_holds_the_same_rows(files: dict[str, Any]) -> None:
    """JSON Lines and Parquet give lists, CSV JSON; nothing else differs, nor do two runs."""
    lines = [json.loads(line) for line in files["stories.jsonl"].splitlines()]
    table = parquet.read_table(io.BytesIO(files["stories.parquet"]))
    assert table.column_names == list(corrections.STORY_COLUMNS) == list(lines[0])
    unpacked = [row | {"other_answers": json.loads(row["other_answers"])} for row in table.to_pylist()]
    assert unpacked == lines
    nested = [name for name, kind in corrections.STORY_COLUMNS.items() if kind in {"texts", "pairs", "object"}]
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
    """The order of the answers does not show."""
    texts = {item: {"story": text} for item, text in TEXTS.items()}
    assert corrections.build_correction_files([make.joint_answers(QUESTIONS, GIVEN[::-1], texts=texts)]) == files


def test_how_a_letter_is_composed_and_lines_end_is_no_correction(make: Make) -> None:
    """The original comes decomposed and with Windows' line ends, as some files have it."""
    text = unicodedata.normalize("NFD", "Її їжак\r\nйде.")
    given: list[Any] = [("s1", "olha", {"fixed": "Її їжак\nйде."})]
    edit = QuestionSpec(name="fixed", kind="edit", text="Виправте.", field="story")
    made = corrections.build_correction_files([make.joint_answers([edit], given, texts={"s1": {"story": text}})])
    (row,) = rows(made)
    assert (row["status"], row["original"], row["cer"]) == ("unchanged", "Її їжак\nйде.", "0")


def test_a_text_that_was_changed_after_the_answer_makes_no_pair(make: Make) -> None:
    """The text that was corrected is not known any more, so the answer counts in no number; it is kept in the file."""
    given: list[Any] = [("s1", "olha", {"fixed": "Нове."}), ("s2", "olha", {"fixed": "Так."})]
    edit = QuestionSpec(name="fixed", kind="edit", text="Виправте.", field="story")
    made = make.joint_answers([edit], given, texts={"s1": {"story": "Старе."}, "s2": {"story": "Тak."}})
    made.data.items.loc[0, "item_revision"] = 2
    files = corrections.build_correction_files([made])
    first = rows(files)[0]
    assert (first["status"], first["corrected"], first["difference"], first["wer"]) == ("text changed", "Нове.", "", "")
    published = json.loads(str(files["stories.json"]))["так-ні"]["fixed"]
    assert (published["edits"]["wer"]["n"], published["counts"]["stories_by_verdict"]["no answer"]) == (1, 1)


def test_only_corrections_are_judged(responses: JointAnswers) -> None:
    """Who corrected nothing was not passed over; that an item is broken is told of every answer."""
    decided = {"s3": AdjudicatedItem(labels=(), version="1"), "s5": AdjudicatedItem(labels=("Два.",), version="1")}
    found = rows(corrections.build_correction_files([replace(responses, adjudicated={"fixed": decided})]))
    assert [(row["item_id"], row["status"], row["adjudicated"]) for row in found if row["item_id"] in decided] == [
        ("s3", "unusable", "broken"), ("s3", "unusable", "broken"),
        ("s5", "unusable", ""), ("s5", "corrected", "other"),
    ]  # fmt: skip


STORY = "Кіт спав на печі, а пес сидів біля дверей і чекав на господаря. " * 8
DELETED: list[Any] = [
    ("s1", "olha", {"fixed": STORY.replace("спав", "дрімав")}),
    ("s1", "ivan", {"fixed": STORY.replace("спав", "дрімав", 1).replace("сидів", "лежав", 1)}),
    ("s2", "olha", {"fixed": STORY}),
    ("s3", "ivan", {"fixed": "Виправлене оповідання."}),
]


def test_a_correction_that_deletes_a_story_is_flagged_and_spoils_no_headline(make: Make) -> None:
    """One of four leaves two of 104 words: it is named, its story comes first, and the headline stays a share."""
    edit = QuestionSpec(name="fixed", kind="edit", text="Виправте.", field="story")
    texts = {item: {"story": STORY} for item in ("s1", "s2", "s3")}
    made = corrections.build_correction_files([make.joint_answers([edit], DELETED, texts=texts)])
    assert [row["most_dropped"] for row in rows(dict(made))] == ["false", "false", "false", "true"]
    published = json.loads(str(made["stories.json"]))["так-ні"]["fixed"]
    assert published["most_dropped"] == {"corrections": 1, "share": 0.25}
    words = published["edits"]["wer"]
    assert (words["max"], words["pooled"]["value"]) == (
        52.0,
        pytest.approx((8 + 2 + 0 + 104) / (3 * 104 + 2), abs=1e-6),
    )
    page = str(made["stories.html"])
    assert re.findall(r"<h3>(s\d)</h3>", page) == ["s3", "s1", "s2"]
    assert "Stories of which somebody deleted most come first." in page
    headline = page.partition("<dt>Words changed</dt>")[2].partition("</div>")[0]
    assert "<b>36.3 %</b>" in headline
    assert "median: 4.8 %" in headline
    assert page.count("most of the text was deleted</span>") == 1
    assert "Words now: 2; before: 104." in page


def test_two_correctors_of_a_story_are_compared(make: Make) -> None:
    """Olha changed eight words and Ivan two, of which they share one; equal texts are said to be equal."""
    edit = QuestionSpec(name="fixed", kind="edit", text="Виправте.", field="story")
    texts = {item: {"story": STORY} for item in ("s1", "s2", "s3")}
    given = [*DELETED, ("s2", "ivan", {"fixed": STORY})]
    page = str(corrections.build_correction_files([make.joint_answers([edit], given, texts=texts)])["stories.html"])
    compared = {part[:2]: part for part in page.split("<h3>")[1:]}
    assert "ivan and olha" in compared["s1"]
    assert "7.7 % of words apart, both made 1 of 9 changes" in compared["s1"]  # seven «спав» and one «лежав» of 104
    between = compared["s1"].split("between")[1].partition("versions")[0]
    assert (between.count("<del>спав</del><ins>дрімав</ins>"), between.count("<del>лежав</del>")) == (7, 1)
    assert " … " not in between, "nothing long lies between these changes"
    assert "the very same text" in compared["s2"]
    assert "between" not in compared["s3"]


def test_without_an_answer_there_are_empty_tables_and_a_page(make: Make) -> None:
    """A campaign that has just begun exports; every number is unknown, none is wrong."""
    made = corrections.build_correction_files([make.joint_answers(QUESTIONS, [], texts={"s1": {"story": "Так."}})])
    assert rows(dict(made)) == []
    assert parquet.read_table(io.BytesIO(bytes(made["stories.parquet"]))).num_rows == 0  # type: ignore[arg-type]
    published = json.loads(str(made["stories.json"]))["так-ні"]["fixed"]
    assert published["edits"]["cer"]["median"] is None
    assert published["edits"]["cer"]["mean"]["reason"] == "Nobody corrected anything."
    assert "0 of 0" in str(made["stories.html"])


def test_a_project_without_corrections_has_no_such_files(make: Make) -> None:
    """No files without a question of the type `edit`."""
    assert corrections.build_correction_files([make.joint_answers([RESULT], [], texts={"s1": {}})]) == {}


def test_half_a_character_is_refused_in_words(make: Make) -> None:
    """A lone surrogate is neither UTF-8 nor Parquet."""
    edit = QuestionSpec(name="fixed", kind="edit", text="Виправте.", field="story")
    made = make.joint_answers([edit], [("s1", "olha", {"fixed": "а\ud800"})], texts={"s1": {"story": "а"}})
    with pytest.raises(Exception, match="Half a character"):
        corrections.build_correction_files([made])


def test_what_annotators_marked_comes_first_and_is_counted(make: Make) -> None:
    """The third story and Ivan's correction of it are marked; all others keep their order."""
    texts = {f"s{number}": {"story": "Кіт спав."} for number in range(1, 5)}
    given = [(item, "olha", {"result": "так", "fixed": "Кіт не спав."}) for item in texts]
    given.append(("s3", "ivan", {"result": "так", "fixed": "Кіт дрімав.", "notable": '["варте уваги"]'}))
    page = corrections.build_correction_files([make.joint_answers(QUESTIONS, given, texts=texts)])["stories.html"]
    order = re.findall(r"<h3>(s\d)</h3>", str(page))
    assert order == ["s3", "s1", "s2", "s4"]
    story = str(page).split("<h3>s3</h3>")[1].split("<h3>")[0]
    assert story.index("ivan: corrected") < story.index("olha: corrected")
    assert '<span class="tag" lang="uk">варте уваги</span>' in story
    assert "Позначка" not in story, "a mark is not repeated as a note"
    assert "<dt>Marked “варте уваги”</dt><dd><b>1</b></dd>" in str(page)
    assert "marked “варте уваги” come first" in str(page)
    plain = corrections.build_correction_files([make.joint_answers(QUESTIONS, given[:-1], texts=texts)])["stories.html"]
    assert "come first" not in str(plain)
