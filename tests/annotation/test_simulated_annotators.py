"""What simulated people are like: their answers fit every question, their skill shows, their days are their own."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from annotation.campaigns.questions import (
    ChoiceQuestion,
    ChoicesQuestion,
    EditQuestion,
    PreferenceQuestion,
    Question,
    QuestionContent,
    ScaleQuestion,
    SpanQuestion,
    TextQuestion,
)
from annotation.campaigns.questions import question_base as reading
from annotation.simulation import answer_generator, engine
from annotation.simulation.answer_generator import SimulatedAnnotator, SimulationSettings

FIELDS = {"text": "Лисиця знайшла в лісі дзеркало.", "word": "дзеркало"}
MATERIAL = QuestionContent(options=("а", "б", "в", "г"), fields=FIELDS)
QUESTIONS: dict[str, Question] = {
    "choice": ChoiceQuestion(type="choice", text="?"),
    "positions": ChoiceQuestion(type="choice", text="?", labels="positions", abstain="не знаю").with_positions(4),
    "choices": ChoicesQuestion(type="choices", text="?", least=1, most=2),
    "scale": ScaleQuestion(type="scale", text="?", options=("1", "2", "3", "4", "5")),
    "text": TextQuestion(type="text", text="?", shortest=20, longest=22),
    "short": TextQuestion(type="text", text="?", longest=3),
    "optional": TextQuestion(type="text", text="?", required=False),
    "span": SpanQuestion(type="span", text="?", field="text", most=2),
    "edit": EditQuestion(type="edit", text="?", field="text", must_change=True),
    "preference": PreferenceQuestion(
        type="preference", text="?", sides=("a", "b", "c", "d"), systems=("w", "x", "y", "z"), tie="t", both_bad="bb"
    ),
    "one word": EditQuestion(type="edit", text="?", field="word", must_change=True),
}


def person(*, skill: float = 0.8, careless: bool = False) -> SimulatedAnnotator:
    """Somebody with that skill."""
    return replace(answer_generator.draw_annotators(SimulationSettings(people=1))[0], skill=skill, careless=careless)


@pytest.mark.parametrize("careless", [False, True])
@pytest.mark.parametrize("kind", QUESTIONS)
def test_every_question_takes_every_made_up_answer(kind: str, careless: bool) -> None:
    """Truths, mistakes and thoughtless answers alike."""
    question = QUESTIONS[kind]
    for number in range(200):
        rng = person().rng(number)
        known = answer_generator.draw_item_truth([question], MATERIAL, golds={}, accepted=(), rng=rng)
        said = engine.draw_answers([question], known, annotator=person(skill=0.5, careless=careless), rng=rng)
        for given in (known.answers, said):
            stored = reading.parse_answers([question], given, MATERIAL)
            assert set(stored) == set(given)


def test_a_choice_is_right_with_the_chance_of_the_skill_and_else_any_other() -> None:
    """One-coin: 0.8, and a fifteenth for each of the three others."""
    counted = Counter(answer(QUESTIONS["choice"], "б", number) for number in range(6000))
    assert counted["б"] / 6000 == pytest.approx(0.8, abs=0.016)
    for other in "авг":
        assert counted[other] / 6000 == pytest.approx(0.2 / 3, abs=0.01)


def test_a_wrong_point_of_a_scale_is_mostly_a_neighbour() -> None:
    """Four of five mistakes, and half of the far ones by chance."""
    counted = Counter(answer(QUESTIONS["scale"], "3", number) for number in range(6000))
    near = (counted["2"] + counted["4"]) / (6000 - counted["3"])
    assert near == pytest.approx(0.9, abs=0.03)


def test_each_box_is_right_by_itself() -> None:
    """All four right has the chance of the skill to the power of four."""
    boxes = ChoicesQuestion(type="choices", text="?", name="answer")
    truth = json.dumps(["а", "в"], ensure_ascii=False)
    right = sum(answer(boxes, truth, number) == truth for number in range(3000))
    assert right / 3000 == pytest.approx(0.8**4, abs=0.027)


def answer(question: Question, truth: str, number: int) -> object:
    """The answer to an item with that truth."""
    known = answer_generator.ItemTruth(content=MATERIAL, answers={question.name: truth})
    return engine.draw_answers([question], known, annotator=person(), rng=person().rng(number))[question.name]


def test_what_was_not_asked_is_not_answered() -> None:
    """Answers respect `show_if`, whichever answers are wrong."""
    first = ChoiceQuestion(type="choice", name="ok", text="?", options=("так", "ні"))
    second = ChoiceQuestion(type="choice", name="why", text="?", options=("x", "y"), show_if={"ok": ("ні",)})
    for number in range(100):
        rng = person().rng(number)
        known = answer_generator.draw_item_truth([first, second], MATERIAL, golds={}, accepted=(), rng=rng)
        said = engine.draw_answers([first, second], known, annotator=person(skill=0.5), rng=rng)
        assert ("why" in said) == (said["ok"] == "ні")


def test_a_crowd_is_drawn_from_its_seed() -> None:
    """So many careless people, skills around the mean, hours of their own; another seed, other people."""
    people = answer_generator.draw_annotators(
        SimulationSettings(people=200, skill=0.8, spread=0.05, careless=0.1, seed=1)
    )
    assert sum(one.careless for one in people) == 20
    assert sum(one.skill for one in people) / 200 == pytest.approx(0.8, abs=0.011)
    assert people == answer_generator.draw_annotators(
        SimulationSettings(people=200, skill=0.8, spread=0.05, careless=0.1, seed=1)
    )
    assert people != answer_generator.draw_annotators(
        SimulationSettings(people=200, skill=0.8, spread=0.05, careless=0.1, seed=2)
    )


def test_an_annotator_comes_at_the_same_hour_of_a_later_day() -> None:
    """Work sessions never start too early and never at night."""
    now = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
    for one in answer_generator.draw_annotators(SimulationSettings(people=50)):
        first, later = one.first_session(now), one.next_session(now)
        assert now < first
        assert now.date() < later.date() < (now + timedelta(days=30)).date()
        assert 8 <= later.hour <= 22
