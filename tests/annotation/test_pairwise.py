"""Label Studio's control Pairwise, in exports of projects that other people made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.campaigns import project_file
from annotation.errors import BadInput
from annotation.loading import campaign

PROJECT = """\
project: pairs
title: Пари
language: uk
instructions: Яка краща?
question: {type: preference, text: Яка?, sides: [right, left], tie: Однаково}
items: from votes
votes: {format: label-studio, file: pairs.json, answer: better, show: topic, MORE}
"""


def annotate(number: int, person: int, *selected: str, objects: tuple[str, str]) -> dict[str, Any]:
    """A task with the annotation of one person, who selected these sides."""
    result = [
        {"from_name": "better", "to_name": objects, "type": "pairwise", "value": {"selected": side}}
        for side in selected
    ]
    annotations = [{"id": number, "completed_by": person, "result": result}]
    data = {"topic": f"Тема {number}", "left": f"ліва {number}", "right": f"права {number}"}
    return {"id": number, "data": data, "annotations": annotations}


def read(folder: Path, more: str, tasks: list[dict[str, Any]]) -> list[tuple[str, list[int] | None]]:
    """The answers as they are stored, or why they do not count; and the order in which the texts were shown."""
    (folder / "pairs.json").write_text(json.dumps(tasks), "utf-8")
    (folder / "p.yaml").write_text(PROJECT.replace(", MORE", more), "utf-8")
    checked = project_file.read_project(folder / "p.yaml")
    contents, section = campaign.read_contents(checked), checked.definition.votes
    assert section is not None
    found = campaign.read_votes(
        folder / "pairs.json", section, questions=contents.questions, item_contents=contents.item_contents
    )
    return [
        (vote.response or (vote.exclusion.reason if vote.exclusion else ""), vote.option_order) for vote in found.votes
    ]


def test_a_side_is_the_column_that_its_object_names_or_else_the_one_in_its_place(tmp_path: Path) -> None:
    """`right` is the first of `sides` here; names that are no columns follow the order of `sides`."""
    named, others = ("left", "right"), ("txt-1", "txt-2")
    tasks = [
        annotate(1, 1, "left", objects=named),
        annotate(2, 1, "right", objects=named),
        annotate(3, 1, "left", objects=others),
        annotate(4, 1, objects=named),
    ]
    answers = [("second", [1, 0, 2]), ("first", [1, 0, 2]), ("first", None)]
    assert read(tmp_path, "", tasks) == [*answers, ("no answer", None)]
    assert read(tmp_path, ", empty: tie", tasks) == [*answers, ("tie", None)]


def test_nothing_selected_is_a_tie_only_where_there_is_one(tmp_path: Path) -> None:
    """A question without a tie refuses the key."""
    text = PROJECT.replace(", tie: Однаково", "").replace(", MORE", ", empty: tie")
    (tmp_path / "p.yaml").write_text(text, "utf-8")
    with pytest.raises(BadInput, match="No question of the type `preference` has a `tie`"):
        project_file.read_project(tmp_path / "p.yaml")
