"""Exports of other people's Label Studio projects: marked parts by their places, empty boxes, what was left hidden."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from annotation.campaigns import project_file
from annotation.campaigns.questions import AnyQuestion, QuestionContent
from annotation.errors import BadInput
from annotation.label_studio_controls import CONTROLS_BY_VALUE
from annotation.label_studio_controls.text_controls import TextControl
from annotation.loading import campaign
from annotation.loading.drafts import VoteDraft

TEXT = "Лис і лис,\nі знову лис."
MARKED = [
    {"start": 6, "end": 9, "text": "лис", "labels": ["X"]},
    {"start": 9, "end": 12, "text": ",\\nі", "labels": ["X"], "globalOffsets": {"start": 9, "end": 12}},
]
FOUND = [{"start": 6, "end": 9, "text": "лис"}, {"start": 9, "end": 12, "text": ",\nі"}]
SPAN = {"type": "span", "text": "Де?", "field": "text", "most": 3}
BOXES = {"type": "choices", "text": "Які?", "options": ["а", "б"]}
SEVERAL = (
    {"name": "usable", "type": "choice", "text": "?", "options": ["так", "ні"]},
    {"name": "fixed", "type": "edit", "text": "?", "field": "text", "show_if": {"usable": "так"}},
    {"name": "boxes", **BOXES},
)


def read(path: Path, *questions: dict[str, Any], **section: Any) -> tuple[VoteDraft, ...]:
    """The votes of a file on the item with TEXT."""
    told = {"format": "label-studio", "item": "key", **section}
    return campaign.read_votes(
        path,
        project_file.VotesSection.model_validate(told),
        questions=[TypeAdapter(AnyQuestion).validate_python(question) for question in questions],
        item_contents={"i": QuestionContent(fields={"text": TEXT})},
    ).votes


def write_task(path: Path, *regions: tuple[str, dict[str, Any]], **more: Any) -> Path:
    """A JSON export with one annotation."""
    result = [
        {"id": f"r{number}", "from_name": name, "to_name": "t", "type": "labels", "value": value}
        for number, (name, value) in enumerate(regions)
    ]
    own = {"id": 1, "completed_by": 3, "result": result, "was_cancelled": False, **more}
    path.write_text(json.dumps([{"id": 1, "data": {"key": "i", "text": TEXT}, "annotations": [own]}]), "utf-8")
    return path


def write_table(path: Path, **cells: object) -> Path:
    """A CSV export with one annotation."""
    row = {"key": "i", "annotator": 3, "text": TEXT, **cells}
    text = io.StringIO()
    writer = csv.DictWriter(text, list(row), lineterminator="\n")
    writer.writeheader()
    writer.writerow(row)
    path.write_text(text.getvalue(), "utf-8")
    return path


def test_marked_parts_are_where_they_were_marked(tmp_path: Path) -> None:
    """A word that stands three times, two parts, a line break: in JSON, JSON_MIN and CSV alike."""
    regions = [("where", region) for region in MARKED]
    flat = [{"key": "i", "annotator": 3, "text": TEXT, "where": MARKED}]
    (tmp_path / "min.json").write_text(json.dumps(flat), "utf-8")
    files = [
        write_task(tmp_path / "whole.json", *regions),
        tmp_path / "min.json",
        write_table(tmp_path / "flat.csv", where=json.dumps(MARKED, ensure_ascii=False)),
    ]
    for file in files:
        (vote,) = read(file, SPAN, answer="where", **{"class": "X"})
        assert json.loads(vote.response) == FOUND
        assert vote.exclusion is None


def test_a_part_that_the_item_does_not_have_there_is_refused(tmp_path: Path) -> None:
    """The item was changed, or is another one: file, task, annotation, region and question are named."""
    file = write_task(tmp_path / "t.json", ("where", {"start": 0, "end": 3, "text": "кіт", "labels": ["X"]}))
    with pytest.raises(
        BadInput, match=r"t\.json, task 1, annotation 1, region r0, answer: «Де\?» has 'кіт' where `text` says 'Лис'"
    ):
        read(file, SPAN, answer="where", **{"class": "X"})


def test_no_box_ticked_is_an_answer(tmp_path: Path) -> None:
    """Where the question allows it and the task was not skipped; else there is no answer."""
    file = write_task(tmp_path / "t.json")
    skipped = write_task(tmp_path / "skipped.json", was_cancelled=True)
    table = write_table(tmp_path / "t.csv", boxes="")
    for path, least, response, reason in (
        (file, 0, "[]", None), (table, 0, "[]", None), (file, 1, "", "no answer"), (skipped, 0, "", "skipped"),
    ):  # fmt: skip
        (vote,) = read(path, {**BOXES, "least": least}, answer="boxes")
        assert (vote.response, vote.exclusion and vote.exclusion.reason) == (response, reason)


def test_what_was_hidden_in_the_end_is_left_out(tmp_path: Path) -> None:
    """A text corrected before the story was called unusable; boxes that nobody ticked are an empty answer."""
    regions = [("verdict", {"choices": ["ні"]}), ("text", {"text": ["Лисиця."]})]
    (vote,) = read(
        write_task(tmp_path / "t.json", *regions), *SEVERAL,
        answers={"usable": "verdict", "fixed": "text", "boxes": "faults"},
    )  # fmt: skip
    assert vote.answers == {"usable": "ні", "boxes": "[]"}


class CountControl(TextControl):
    """A control of a type that the product has not: a number."""

    value_key = "number"

    def read_value(self, value: object) -> list[str] | None:
        """Return the number in digits."""
        return [str(value)] if isinstance(value, int) else None


def test_a_control_says_under_which_key_its_answer_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In JSON and in cells of CSV; the reader knows no type of its own."""
    monkeypatch.setitem(CONTROLS_BY_VALUE, "number", CountControl())
    question = {"type": "text", "text": "Скільки?"}
    files = (
        write_task(tmp_path / "v.json", ("said", {"number": 5})),
        write_table(tmp_path / "v.csv", said='{"number": 5}'),
    )
    for path in files:
        (vote,) = read(path, question, answer="said")
        assert vote.response == "5", path.name
