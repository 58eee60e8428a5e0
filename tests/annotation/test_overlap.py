"""When an item has enough answers: the posterior of votes weighed by skill, against values computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from aggregation import schema
from aggregation.consensus import skills
from aggregation.consensus.skill_posterior import compute_posterior, smooth_skill
from annotation.campaigns.questions import ChoiceQuestion, ChoicesQuestion, Question, ScaleQuestion, TextQuestion
from annotation.workflow.quality import enforcement
from annotation.workflow.quality.enforcement import Vote

OWN = ChoiceQuestion(type="choice", text="?", abstain="cannot say")
FIRST = ChoiceQuestion(type="choice", name="usable", text="?", options=("yes", "no"))
SECOND = ScaleQuestion(type="scale", name="kind", text="?", options=("1", "2", "3"), show_if={"usable": ("yes",)})
BOXES = ChoicesQuestion(type="choices", name="boxes", text="?", options=("a", "b"))
COMMENT = TextQuestion(type="text", name="comment", text="?")


@pytest.mark.parametrize(
    ("votes", "options", "label", "expected"),
    [
        ([("OK", 0.7), ("OK", 0.9)], 3, "OK", 0.976744),
        ([("OK", 0.7), ("BAD", 0.9)], 3, "BAD", 0.760563),
        ([("OK", 0.7), ("BAD", 0.9), ("BAD", 0.8)], 3, "BAD", 0.962138),
        ([("OK", 0.7), ("OK", 0.9)], 2, "OK", 0.63 / 0.66),
        ([("OK", 0.7)], 4, "OK", 0.7),
        ([("OK", 0.5)], 2, "OK", 0.5),
        ([("OK", 0.7), ("BAD", 0.7), ("THIRD", 0.7)], 2, "OK", 1 / 3),
    ],
)
def test_the_posterior_is_that_of_the_guide(
    votes: list[tuple[str, float]], options: int, label: str, expected: float
) -> None:
    """The worked example of Toloka's guide (three options), and others by hand."""
    assert compute_posterior(votes, options=options)[label] == pytest.approx(expected, abs=5e-7)


def test_the_order_of_votes_is_nothing() -> None:
    """Nobody has a say twice, and nothing is known without votes."""
    votes = [("a", 0.6), ("b", 0.8), ("a", 0.7)]
    assert compute_posterior(votes, options=4) == pytest.approx(compute_posterior(votes[::-1], options=4))
    assert compute_posterior([], options=4) == {}


@settings(deadline=None)
@given(
    some.lists(
        some.tuples(some.sampled_from("abc"), some.integers(0, 20), some.integers(0, 20)), min_size=1, max_size=9
    ),
    some.integers(3, 6),
)
def test_posterior_and_skill_follow_their_formulas(votes: list[tuple[str, int, int]], options: int) -> None:
    """Both by their definitions, and the same numbers from `aggregate --method skills` as from dynamic overlap."""
    quality = [(0.5 + right) / (1 + right + wrong) for _, right, wrong in votes]
    right, wrong = (np.array([float(vote[place]) for vote in votes]) for place in (1, 2))
    assert [smooth_skill(right, right + wrong) for _, right, wrong in votes] == pytest.approx(quality)
    assert list(smooth_skill(right, right + wrong)) == pytest.approx(quality)
    likelihood = {
        option: math.prod(
            q if vote[0] == option else (1 - q) / (options - 1) for vote, q in zip(votes, quality, strict=True)
        )
        for option in "abcdef"[:options]
    }
    expected = {label: likelihood[label] / sum(likelihood.values()) for label in {vote[0] for vote in votes}}
    found = compute_posterior([(vote[0], q) for vote, q in zip(votes, quality, strict=True)], options=options)
    assert found == pytest.approx(expected)
    people = [f"p{number}" for number in range(len(votes))]
    frame = pd.DataFrame({"item": "i", "annotator": people, "answer": [label for label, _, _ in votes]})
    known = pd.DataFrame({"group": ["i"], "gold": [None], "n_options": [options]}, index=pd.Index(["i"], name="item"))
    fit, _ = skills.weigh_by_skill(
        schema.check_votes(frame, items=known, classes=None),
        pd.Series(quality, index=pd.Index(people, name="annotator")),
    )
    assert sorted(fit.posterior) == pytest.approx(sorted(expected.values()))


def votes(*answers: dict[str, str], skill: float = 0.9) -> list[Vote]:
    """Votes of people of one skill."""
    return [Vote(answers=one, skill=skill) for one in answers]


YES, NO = {"usable": "yes"}, {"usable": "no"}


@pytest.mark.parametrize(
    ("asked", "given", "confidence", "expected"),
    [
        ([FIRST], votes(YES), 0.9, True),  # exactly as sure as asked for
        ([FIRST], votes(YES), 0.91, False),
        ([FIRST], votes(YES, NO), 0.6, False),
        ([FIRST], [], 0.6, False),
        ([FIRST, COMMENT], votes(YES), 0.9, True),
        ([FIRST, SECOND], votes(YES | {"kind": "1"}, YES | {"kind": "2"}), 0.9, False),
        ([FIRST, SECOND], votes(YES | {"kind": "1"}, YES | {"kind": "1"}), 0.9, True),
        ([FIRST, SECOND], votes(NO, NO), 0.9, True),  # the second was not asked
        ([FIRST, SECOND], votes(YES, YES), 0.9, False),
        ([FIRST, SECOND.model_copy(update={"required": False})], votes(YES, YES), 0.9, True),
        ([BOXES], votes({"boxes": '["a"]'}, {"boxes": '["a"]'}), 0.95, True),
        ([BOXES], votes({"boxes": '["a", "b"]'}, {"boxes": '["a"]'}), 0.95, False),
        ([COMMENT], votes({"comment": "so"}), 0.99, True),
    ],
)
def test_every_required_question_with_labels_is_to_be_sure(
    asked: list[Question], given: list[Vote], confidence: float, expected: bool
) -> None:
    """An item goes on until each has reached the confidence; texts do not count."""
    assert enforcement.is_confident(asked, given, own=None, confidence=confidence) is expected


@pytest.mark.parametrize(
    ("own", "expected"), [(["cat", "dog"], False), (["cat", "dog", "cow"], True), (["cat", "dog", "cow", "hen"], True)]
)
def test_each_item_has_its_own_number_of_options(own: list[str], expected: bool) -> None:
    """0.7 and 0.9 agree: .9545 of two options, .9767 of three: of more options agreement says more."""
    given = [Vote(answers={"answer": "cat"}, skill=q) for q in (0.7, 0.9)]
    assert enforcement.is_confident([OWN], given, own=own, confidence=0.96) is expected


def test_an_abstention_says_nothing() -> None:
    """Two who cannot say leave the third alone."""
    silent = votes({"answer": "cannot say"}, {"answer": "cannot say"})
    assert not enforcement.is_confident([OWN], silent, own=["cat", "dog"], confidence=0.6)
    assert enforcement.is_confident([OWN], [*silent, *votes({"answer": "cat"})], own=["cat", "dog"], confidence=0.9)
