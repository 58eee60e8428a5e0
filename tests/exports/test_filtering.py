"""Filtering: which items the rule of the project file keeps, and why the others are removed, counted by hand."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import Any

import pytest
from pyarrow import parquet

from exports import filtering
from exports.filtering.filtered_items import filter_data_sets
from exports.joint_answers import FilteringRule, JointAnswers, QuestionSpec

Make = Any
ANSWER = QuestionSpec(name="answer", kind="choice", text="Яке слово?")
LOGIC = QuestionSpec(name="logic", kind="choices", text="Вади логіки?", options=("невідомо", "кілька"))
OTHER = QuestionSpec(name="other", kind="text", text="Інша вада")
FITS = QuestionSpec(name="fits", kind="choice", text="Пасує?", options=("так", "частково", "ні"))
TEXTS = {f"i{number}": {"text": f"Речення {number} з ______."} for number in range(1, 7)}
GOLD = dict.fromkeys(TEXTS, "кіт")
UNKNOWN, SEVERAL = '["невідомо"]', '["невідомо", "кілька"]'


def answers(answer: str, logic: str | None = None, other: str | None = None) -> dict[str, str]:
    """One annotator's answers; questions left open are missing."""
    given = {"answer": answer, "logic": logic, "other": other}
    return {name: value for name, value in given.items() if value is not None}


GIVEN: list[Any] = [
    ("i1", "a", answers("кіт", "[]")), ("i1", "b", answers("кіт")), ("i1", "c", answers("пес", UNKNOWN)),
    ("i2", "a", answers("кіт", UNKNOWN)), ("i2", "b", answers("кіт", SEVERAL)), ("i2", "c", answers("кіт")),
    ("i3", "a", answers("пес", UNKNOWN)), ("i3", "b", answers("пес", "[]")),
    ("i4", "a", answers("пес")), ("i4", "b", answers("пес")), ("i4", "c", answers("кіт")),
    ("i5", "a", answers("кіт", None, "обидва")), ("i5", "b", answers("кіт", None, "довге")),
    ("i5", "c", answers("кіт")),
    ("i5", "d", answers("пес", SEVERAL), {"excluded_reason": "control: 20 %", "by_rule": True}),
    ("i6", "d", answers("пес", SEVERAL), {"excluded_reason": "control: 20 %", "by_rule": True}),
]  # fmt: skip


def filtered_responses(make: Make, **rule: Any) -> JointAnswers:
    """Six cloze items judged by three annotators, with a fourth one excluded."""
    chosen = FilteringRule(**({"problems": ("logic", "other")} | rule))
    found: JointAnswers = make.joint_answers((ANSWER, LOGIC, OTHER), GIVEN, texts=TEXTS, gold=GOLD, filtering=chosen)
    return found


def table(text: str | bytes) -> list[dict[str, str]]:
    """A CSV file."""
    return list(csv.DictReader(io.StringIO(str(text))))


def statuses(made: JointAnswers) -> list[str]:
    """The statuses of the items, in their order."""
    (found,) = filter_data_sets([made])
    return [item.status for item in found.items]


def test_items_are_removed_for_what_more_than_half_of_the_annotators_name(make: Make) -> None:
    """i1: 1 of 3 names a problem; i2: 2 of 3; i3: 1 of 2; i4: nobody; i5: two texts; i6: nobody who counts."""
    assert statuses(filtered_responses(make)) == ["kept", "removed", "undecided", "kept", "removed", "not judged"]
    assert statuses(filtered_responses(make, share=0.0)) == [
        "removed",
        "removed",
        "removed",
        "kept",
        "removed",
        "not judged",
    ]
    assert statuses(filtered_responses(make, share=0.7)) == ["kept", "kept", "kept", "kept", "kept", "not judged"]


def test_human_failure_removes_only_where_the_rule_says_so(make: Make) -> None:
    """On i3 and i4 more than half answer wrongly; published either way, a reason only with `failure`."""
    without = json.loads(str(filtering.build_filtering_files([filtered_responses(make)])["items.json"]))["так-ні"]
    assert without["human_failure"] == {
        "is_a_reason": False,
        "items_with_answers_and_gold": 5,
        "items_failed": 2,
        "items_failed_by_status": {"kept": 1, "removed": 0, "undecided": 1, "not judged": 0},
        "removed_for_it_alone": 0,
    }
    assert without["rule"].endswith("undecided where it is exactly that share. A wrong answer is not a reason.")
    counted = filtered_responses(make, failure=True)
    assert statuses(counted) == ["kept", "removed", "removed", "removed", "removed", "not judged"]
    published = json.loads(str(filtering.build_filtering_files([counted])["items.json"]))["так-ні"]
    assert published["human_failure"]["items_failed_by_status"]["removed"] == 2
    assert published["human_failure"]["removed_for_it_alone"] == 2
    (reason,) = [row for row in published["removal_reasons"] if row["reason"] == "human failure"]
    assert (reason["removed"], reason["share_of_removed"], reason["votes"]) == (2, 0.5, 5)


def test_the_table_of_reasons_is_that_counted_by_hand(make: Make) -> None:
    """Of two removed items one goes for «невідомо», one for a text; «кілька» is named once and removes nothing."""
    made = filtering.build_filtering_files([filtered_responses(make)])
    rows = table(made["removal_reasons.csv"])
    columns = ("question", "reason", "removed", "share_of_removed", "named", "votes", "n_compared")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("logic", "невідомо", "1", "0.5", "3", "4", "5"),
        ("other", "Інша вада", "1", "0.5", "1", "2", "5"),
        ("logic", "кілька", "0", "0", "1", "1", "5"),
    ]
    assert list(rows[0]) == list(filtering.REASON_COLUMNS)
    # equal pairs of «невідомо»: 1/3, 1/3, 0, 1 and 1 over i1 to i5
    assert float(rows[0]["percent_agreement"]) == pytest.approx((1 / 3 + 1 / 3 + 0 + 1 + 1) / 5, abs=1e-6)
    assert rows[0]["krippendorff_alpha_nominal"]


def test_each_item_says_what_was_named_and_by_how_many(make: Make) -> None:
    """Reasons are those that removed it; everything named stands beside them, remarks without their authors."""
    made = filtering.build_filtering_files([filtered_responses(make)])
    rows = {row["item_id"]: row for row in table(made["items.csv"])}
    assert json.loads(rows["i2"]["reasons"]) == ["невідомо"]
    assert json.loads(rows["i2"]["named"]) == [
        {"question": "logic", "reason": "невідомо", "votes": 2}, {"question": "logic", "reason": "кілька", "votes": 1},
    ]  # fmt: skip
    numbers = ("n_annotators", "n_against", "n_answers", "n_wrong", "human_failure")
    assert [rows["i2"][name] for name in numbers] == ["3", "2", "3", "0", "false"]
    assert [rows["i4"][name] for name in numbers] == ["3", "0", "3", "2", "true"]
    assert [rows["i6"][name] for name in numbers] == ["0", "0", "0", "0", ""]
    assert json.loads(rows["i5"]["remarks"]) == ["довге", "обидва"]
    lines = [json.loads(line) for line in str(made["items.jsonl"]).splitlines()]
    stored = parquet.read_table(io.BytesIO(bytes(made["items.parquet"]))).to_pylist()  # type: ignore[arg-type]
    assert [row | {"named": json.loads(row["named"])} for row in stored] == lines
    counts = json.loads(str(made["items.json"]))["так-ні"]["counts"]
    assert counts["items_by_status"] == {"kept": 2, "removed": 2, "undecided": 1, "not judged": 1}
    assert (counts["kept_share"], counts["excluded_by_reason"]) == (0.4, {"control: 20 %": 2})


def test_answers_that_do_not_keep_decide_together(make: Make) -> None:
    """Two of three do not say «так», each in another way: the item goes, and both answers are its reasons."""
    given: list[Any] = [
        ("i1", "a", {"fits": "частково"}), ("i1", "b", {"fits": "ні"}), ("i1", "c", {"fits": "так"}),
        ("i2", "a", {"fits": "так"}), ("i2", "b", {"fits": "так"}), ("i2", "c", {"fits": "ні"}),
        ("i3", "a", {"fits": "не знаю"}),
    ]  # fmt: skip
    texts = {name: TEXTS[name] for name in ("i1", "i2", "i3")}
    made = make.joint_answers([FITS], given, texts=texts, filtering=FilteringRule(keep={"fits": ("так",)}))
    assert statuses(made) == ["removed", "kept", "not judged"]
    (found,) = filter_data_sets([made])
    assert [objection.reason for objection in found.items[0].reasons] == ["частково", "ні"]


def test_a_question_that_was_not_asked_says_nothing(make: Make) -> None:
    """Boxes with a condition are judged only by those who were asked; an empty box is then a no."""
    shown = QuestionSpec(
        name="logic", kind="choices", text="?", options=("невідомо", "кілька"), show_if={"answer": ("пес",)}
    )
    given: list[Any] = [
        ("i1", "a", {"answer": "пес", "logic": UNKNOWN}), ("i1", "b", {"answer": "кіт"}),
        ("i1", "c", {"answer": "кіт"}), ("i2", "a", {"answer": "кіт"}),
    ]  # fmt: skip
    texts = {name: TEXTS[name] for name in ("i1", "i2")}
    made = make.joint_answers([ANSWER, shown], given, texts=texts, filtering=FilteringRule(problems=("logic",)))
    assert statuses(made) == ["removed", "not judged"]


def test_an_item_that_nobody_has_looked_at_is_not_judged(make: Make) -> None:
    """The second pass is missing on i1 and was done by one of two on i2, who found nothing; i3 fell by its answers."""
    given: list[Any] = [
        ("i1", "a", answers("кіт")), ("i1", "b", answers("кіт")), ("i2", "a", answers("кіт")),
        ("i2", "b", answers("кіт")), ("i3", "a", answers("пес")),
    ]  # fmt: skip
    texts, later = {name: TEXTS[name] for name in ("i1", "i2", "i3")}, frozenset({"logic", "other"})
    unasked = (later, later, later, frozenset[str](), later)

    def build(**rule: Any) -> JointAnswers:
        chosen = FilteringRule(problems=("logic", "other"), **rule)
        made: JointAnswers = make.joint_answers((ANSWER, LOGIC, OTHER), given, texts=texts, gold=GOLD, filtering=chosen)
        return dataclasses.replace(made, unasked=unasked)

    assert statuses(build()) == ["not judged", "kept", "not judged"]
    assert statuses(build(failure=True)) == ["not judged", "kept", "removed"]
    published = filtering.build_filtering_files([build(failure=True)])
    rows = table(published["items.csv"])
    assert [(row["status"], row["n_annotators"], row["n_answers"]) for row in rows] == [
        ("not judged", "0", "2"), ("kept", "1", "2"), ("removed", "0", "1"),
    ]  # fmt: skip
    counts = json.loads(str(published["items.json"]))["так-ні"]["counts"]
    assert counts["items_by_status"] == {"kept": 1, "removed": 1, "undecided": 0, "not judged": 1}
    page = str(published["items.html"])
    assert "1 of 2" in page
    assert "human failure: 1 of 1" in page


def test_a_project_without_a_rule_has_no_such_files(make: Make) -> None:
    """Without a rule no item is called kept or removed."""
    assert filtering.build_filtering_files([make.joint_answers([ANSWER], [], texts=TEXTS)]) == {}
