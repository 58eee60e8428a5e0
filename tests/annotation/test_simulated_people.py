"""What simulated people are like: their answers fit every question, their skill shows, their days are their own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from annotation.campaigns.questions import Choice, Choices, Edit, FreeText, Material, Question, Scale, SpanOf
from annotation.campaigns.questions import answers as reading
from annotation.simulation import crowd, replies
from annotation.simulation.crowd import Crowd, Person

FIELDS = {"text": "Лисиця знайшла в лісі дзеркало.", "word": "дзеркало"}
MATERIAL = Material(options=("а", "б", "в", "г"), fields=FIELDS)
QUESTIONS: dict[str, Question] = {
    "choice": Choice(type="choice", text="?"),
    "positions": Choice(type="choice", text="?", labels="positions", abstain="не знаю").counted(4),
    "choices": Choices(type="choices", text="?", least=1, most=2),
    "scale": Scale(type="scale", text="?", options=("1", "2", "3", "4", "5")),
    "text": FreeText(type="text", text="?", shortest=20, longest=22),
    "short": FreeText(type="text", text="?", longest=3),
    "optional": FreeText(type="text", text="?", required=False),
    "span": SpanOf(type="span", text="?", field="text", most=2),
    "edit": Edit(type="edit", text="?", field="text", must_change=True),
    "one word": Edit(type="edit", text="?", field="word", must_change=True),
}


def person(*, skill: float = 0.8, careless: bool = False) -> Person:
    """Somebody with that skill."""
    return replace(crowd.cast(Crowd(people=1))[0], skill=skill, careless=careless)


@pytest.mark.parametrize("careless", [False, True])
@pytest.mark.parametrize("kind", QUESTIONS)
def test_every_question_takes_every_made_up_answer(kind: str, careless: bool) -> None:
    """Truths, mistakes and thoughtless answers alike."""
    question = QUESTIONS[kind]
    for number in range(200):
        rng = person().rng(number)
        known = replies.key([question], MATERIAL, golds={}, accepted=(), rng=rng)
        said = replies.replies([question], known, person=person(skill=0.5, careless=careless), rng=rng)
        for given in (known.truth, said):
            stored = reading.parsed([question], given, MATERIAL)
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
    boxes = Choices(type="choices", text="?", name="answer")
    truth = json.dumps(["а", "в"], ensure_ascii=False)
    right = sum(answer(boxes, truth, number) == truth for number in range(3000))
    assert right / 3000 == pytest.approx(0.8**4, abs=0.027)


def answer(question: Question, truth: str, number: int) -> object:
    """What she says to an item with that truth."""
    known = replies.Key(material=MATERIAL, truth={question.name: truth})
    return replies.replies([question], known, person=person(), rng=person().rng(number))[question.name]


def test_what_was_not_asked_is_not_answered() -> None:
    """`show_if` is kept to, whichever way she errs."""
    first = Choice(type="choice", name="ok", text="?", options=("так", "ні"))
    second = Choice(type="choice", name="why", text="?", options=("x", "y"), show_if={"ok": ("ні",)})
    for number in range(100):
        rng = person().rng(number)
        known = replies.key([first, second], MATERIAL, golds={}, accepted=(), rng=rng)
        said = replies.replies([first, second], known, person=person(skill=0.5), rng=rng)
        assert ("why" in said) == (said["ok"] == "ні")


def test_a_crowd_is_drawn_from_its_seed() -> None:
    """So many careless people, skills around the mean, hours of their own; another seed, other people."""
    people = crowd.cast(Crowd(people=200, skill=0.8, spread=0.05, careless=0.1, seed=1))
    assert sum(one.careless for one in people) == 20
    assert sum(one.skill for one in people) / 200 == pytest.approx(0.8, abs=0.011)
    assert people == crowd.cast(Crowd(people=200, skill=0.8, spread=0.05, careless=0.1, seed=1))
    assert people != crowd.cast(Crowd(people=200, skill=0.8, spread=0.05, careless=0.1, seed=2))


def test_she_comes_at_her_hour_of_a_later_day() -> None:
    """Never earlier than she may, never at night."""
    now = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
    for one in crowd.cast(Crowd(people=50)):
        first, later = one.first_sitting(now), one.next_sitting(now)
        assert now < first
        assert now.date() < later.date() < (now + timedelta(days=30)).date()
        assert 8 <= later.hour <= 22


def test_simulating_needs_no_pandas() -> None:
    """Heavy imports are the command's, when it reckons."""
    look = "import sys, annotation.simulation.outcome, bot.trials; print('pandas' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
