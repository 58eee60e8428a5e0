"""Durations that cannot be, in files of votes: they stop no import and are in no number."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: old
title: t
language: en
question: {type: choice, text: Which?, options: [x, y]}
items: from votes
votes: {format: label-studio, file: export.json, item: id, show: text, answer: answer}
"""


def test_a_lead_time_below_zero_is_stored_as_unknown_with_the_reason(hromada: Hromada) -> None:
    """A clock was set while somebody answered in a browser; the answer counts."""
    tasks = [
        {
            "id": number,
            "data": {"id": number, "text": f"text {number}"},
            "annotations": [
                {
                    "id": number * 10 + who,
                    "completed_by": who,
                    "lead_time": 12.0 if who == 1 else -579.0,
                    "was_cancelled": False,
                    "result": [{"from_name": "answer", "type": "choices", "value": {"choices": ["x"]}}],
                }
                for who in (1, 2)
            ],
        }
        for number in (1, 2)
    ]
    hromada.write("old.yaml", PROJECT)
    hromada.write("export.json", json.dumps(tasks))
    assert hromada("load", "old.yaml").code == 0
    imported = hromada("import", "old", "--json")
    assert (imported.code, imported.json["retained"]) == (0, 4), imported.err
    shown = hromada("status", "old", "--item", "1", "--json").json
    assert shown["seconds"] == 12.0
    assert sorted(event["what"] for event in shown["events"]) == [
        "answered in 12 s (imported)",
        "answered, and nobody knows how long it took: no possible duration (imported)",
    ]
    assert hromada("database", "check").code == 0
    assert hromada("import", "old", "export.json").code == 2
