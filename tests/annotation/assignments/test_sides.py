"""Which of the compared texts is shown where: balanced for each annotator, and the other way round when asked again."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from aggregation.sides import SIDES, TIE
from annotation.store import frames
from annotation.store.models import Project
from annotation.workflow import assignments

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

COLUMNS = ("left", "right", "third")
QUESTION = {"type": "preference", "text": "Яка казка краща?", "tie": "Однаково", "both_bad": "Обидві погані"}


def begin(scenario: Scenario, *, sides: int, items: int, **keys: object) -> int:
    """A project that compares texts; each text says the column in which it is."""
    rows = [{"id": f"i{n}", "text": f"Про {n}", **{name: f"{name} {n}" for name in COLUMNS}} for n in range(items)]
    (scenario.folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    section = {"file": "s.jsonl", "id": "id", "show": "text"}
    question = QUESTION | {"sides": COLUMNS[:sides]} | keys
    return scenario.project(section=section, question=question, overlap=3, repeats={"share": 1.0, "after": "24 h"})


@pytest.mark.parametrize(("sides", "items"), [(2, 8), (3, 12)])
def test_each_column_is_first_equally_often_and_last_when_asked_again(
    scenario: Scenario, sides: int, items: int
) -> None:
    """What is shown has the label of its column; a tie and both bad stay behind; people have orders of their own."""
    project = begin(scenario, sides=sides, items=items)
    orders: dict[int, dict[str, tuple[str, ...]]] = {}
    for who in map(scenario.person, (1, 2)):
        for again in (False, True):
            shown = {}
            for _ in range(items):
                assigned = scenario.assign(who, project)
                (asked,) = assigned.questions
                assert asked.labels[sides:] == (TIE, "both_bad")
                assert asked.options[sides:] == ("Однаково", "Обидві погані")
                assert [COLUMNS[SIDES.index(label)] for label in asked.labels[:sides]] == [
                    text.split()[0] for text in asked.options[:sides]
                ]
                shown[assigned.item] = asked.labels[:sides]
                scenario.submit(who, assigned, asked.labels[0])
            if again:
                assert shown == {item: order[::-1] for item, order in orders[who].items()}
            else:
                orders[who] = shown
                assert set(Counter(order[0] for order in shown.values()).values()) == {items // sides}
            scenario.later(hours=25)
    assert len({tuple(order.items()) for order in orders.values()}) == 2
    scenario.check_counts()


def test_sides_that_are_not_shuffled_stay_where_they_are(scenario: Scenario) -> None:
    """Also when they are shown again."""
    project = begin(scenario, sides=2, items=2, shuffle=False, order_reason="перша написана раніше")
    who = scenario.person()
    for _ in range(2):
        for _ in range(2):
            assigned = scenario.assign(who, project)
            assert assigned.questions[0].labels[:2] == SIDES[:2]
            scenario.submit(who, assigned, TIE)
        scenario.later(hours=25)


def test_two_questions_about_the_same_texts_have_one_order(scenario: Scenario) -> None:
    """So that a text stays on its side; over the items each column comes first."""
    rows = [{"id": f"i{n}", "text": f"Про {n}", "left": f"А {n}", "right": f"Б {n}"} for n in range(4)]
    (scenario.folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    question: dict[str, object] = {**QUESTION, "sides": COLUMNS[:2]}
    questions = [question | {"name": name} for name in ("better", "clearer")]
    section = {"file": "s.jsonl", "id": "id", "show": "text"}
    project, who = scenario.project(section=section, questions=questions), scenario.person()
    first = []
    for _ in rows:
        assigned = scenario.assign(who, project)
        better, clearer = assigned.questions
        assert better.labels == clearer.labels
        first.append(better.labels[0])
        with scenario.db.transaction() as session:
            opened = scenario.open(session, who, assigned.assignment_id)
            both = {"better": TIE, "clearer": TIE}
            assignments.submit_judgement(opened, revision=0, answers=both, now=scenario.now)
    assert Counter(first) == {"first": 2, "second": 2}


def test_the_published_order_of_a_later_question_is_its_own(scenario: Scenario) -> None:
    """Not that of the first question."""
    rows = [{"id": "i", "text": "Про", "left": "А", "right": "Б"}]
    (scenario.folder / "s.jsonl").write_text(json.dumps(rows[0]) + "\n", "utf-8")
    first = {"name": "fine", "type": "choice", "text": "Так?", "options": ["так", "ні", "не знаю"]}
    later = QUESTION | {"name": "answer", "sides": COLUMNS[:2], "required": False}
    section = {"file": "s.jsonl", "id": "id", "show": "text"}
    project, who = scenario.project(section=section, questions=[first, later]), scenario.person()
    assigned = scenario.assign(who, project)
    with scenario.db.transaction() as session:
        opened = scenario.open(session, who, assigned.assignment_id)
        assignments.submit_judgement(opened, revision=0, answers={"fine": "так", "answer": TIE}, now=scenario.now)
    with scenario.db.reading() as session:
        stored = session.get_one(Project, project)
        orders = [frames.read_responses(session, stored, later=name)["option_order"][0] for name in (None, "answer")]
    shown = [SIDES.index(label) for label in assigned.questions[1].labels[:2]]
    assert orders == [[0, 1, 2], [*shown, 2, 3]]
