"""What a simulated person answers to an item, from the truth and her skill. Pure.

A choice is right with the chance of her skill, else any other option (one-coin); of several boxes each is right with
that chance by itself; a wrong point of a scale is mostly a neighbour; texts, spans and corrections are the truth or
something made up. An abstention is offered as one more answer that she gives now and then.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.campaigns.questions import Choice, Choices, Material, Question
from annotation.campaigns.questions import answers as reading
from annotation.simulation import invented
from annotation.simulation.crowd import Person

ABSTAINS = 0.02
"""How often a diligent person abstains where that is offered."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """An item as a simulation knows it: the truth of each question, as stored, and further right answers to the first.

    A question that the truth leaves open is not among `truth`.
    """

    material: Material
    truth: Mapping[str, str]
    accepted: tuple[str, ...] = ()


def key(
    questions: Sequence[Question],
    material: Material,
    *,
    golds: Mapping[str, str],
    accepted: Sequence[str],
    rng: random.Random,
) -> Key:
    """The gold where there is one, a drawn truth where there is none; every question has one, asked or not."""
    drawn = {one.name: invented.truth(one, material, rng) for one in questions}
    known = {name: answer for name, answer in drawn.items() if answer is not None}
    return Key(material=material, truth=known | dict(golds), accepted=tuple(accepted))


def replies(questions: Sequence[Question], known: Key, *, person: Person, rng: random.Random) -> dict[str, object]:
    """Her answers by question, those alone that her earlier answers let be asked."""
    given: dict[str, str] = {}
    for number, question in enumerate(questions):
        if reading.asked(question, given):
            answer = _answer(question, known, first=number == 0, person=person, rng=rng)
            if answer is not None:
                given[question.name] = answer
    return dict(given)


def _answer(question: Question, known: Key, *, first: bool, person: Person, rng: random.Random) -> str | None:
    if person.careless:
        return invented.thoughtless(question, known.material, rng)
    if isinstance(question, Choice) and question.abstain is not None and rng.random() < ABSTAINS:
        return question.abstain
    truth = known.truth.get(question.name)
    if truth is None:
        return invented.thoughtless(question, known.material, rng) if question.required else None
    if isinstance(question, Choices):
        return _ticked(question, known, truth, skill=person.skill, rng=rng)
    if rng.random() >= person.skill:
        return invented.wrong(question, known.material, truth, rng)
    return rng.choice((truth, *known.accepted)) if first else truth


def _ticked(question: Choices, known: Key, truth: str, *, skill: float, rng: random.Random) -> str:
    """Every box right or not by itself."""
    right = set(json.loads(truth))
    boxes = question.options_of(known.material.options)
    chosen = [box for box in boxes if (box in right) == (rng.random() < skill)]
    return invented.ticks(question, known.material, chosen, rng)
