"""Simulated campaigns of four labels, boxes, texts and marked parts, and what panels score in the long run.

Each person is right with a chance that follows the logistic law of `_panels`: on each box of an item, or on the item,
where a wrong answer is mostly one that is nearly right. What a panel scores in the long run is its score on many new
items, counted here by other code than that which is tested.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd
from _panels import Campaign, Design, Panel, draw_assignments, draw_ease, draw_panel, list_scores
from numpy.typing import NDArray

from aggregation import scoring
from aggregation.answer_types import score_answers
from aggregation.answer_types.text import EditType, TextType
from aggregation.answers import Answers, AnswerTypeName
from aggregation.schema import Floats, Votes
from aggregation.scoring import LabelCounts

ANSWER_TYPES: tuple[AnswerTypeName, ...] = ("label", "boxes", "text", "edit", "span")
BOXES = ("a", "b", "c", "d")
LABEL_SHARES = (0.4, 0.3, 0.2, 0.1)  # how often each of four labels (named as the boxes) is gold
TICKED = 0.4  # how often a box is gold
LONG_RUN = 8000  # items on which a panel's score in the long run is counted
NEAR = 0.6  # how often a wrong answer is the one that is nearly right, else one of two others

METRICS: Mapping[AnswerTypeName, tuple[str, ...]] = {
    "text": ("exact_match", "f1"),
    "edit": ("exact_match", "wer", "cer", "chrf", "wer_corpus", "cer_corpus"),
    "span": ("exact_match", "f1", "f1_char"),
}
ANSWERS: Mapping[AnswerTypeName, TextType] = {"text": TextType(), "edit": EditType()}
TEXT = "red fox jumps over it"
SENTENCE = "The red fox jumps."
SENTENCE_FORMS = (SENTENCE, "The red fox jump.", "A fox.", "Red jumps fox the.")
WRITTEN: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "text": (("red fox", "red dog", "blue bird", "old man"),),
    "edit": tuple(
        tuple(" ".join([form, *[SENTENCE] * further]) for form in SENTENCE_FORMS) for further in (0, 0, 2, 11)
    ),
}
"""The forms of an answer, the right one first; corrected texts have one, three or twelve sentences."""
MARKED = ((4, 7), (0, 7), (8, 13), (14, 18))  # fox; red fox; jumps; over
MARKED_F1 = (1.0, 2 / 3, 0.0, 0.0)
MARKED_F1_CHAR = (1.0, 2 * 3 / (3 + 7), 0.0, 0.0)


def simulate_answers(rng: np.random.Generator, design: Design, kind: AnswerTypeName) -> Campaign:
    """A campaign of answers of that type, scored as single answers and as majorities."""
    panel, others = draw_panel(rng, design), draw_panel(rng, design)
    long_run = replace(design, items=LONG_RUN)
    if kind == "boxes":
        answers = _build_boxes(design, *_draw_boxes(rng, design, panel))
        own, fresh = (_count_boxes(*_draw_boxes(rng, long_run, people)[1:]) for people in (panel, others))
        compute: Callable[[Floats], Mapping[str, float]] = _score_boxes
    elif kind == "label":
        people, said = _draw_choices(rng, design, panel)
        gold = rng.choice(len(BOXES), size=design.items, p=LABEL_SHARES)
        answers = _build_labels(design, people, gold, (gold[:, None] + said) % len(BOXES))
        own, fresh = (_count_labels(_draw_choices(rng, long_run, each)[1]) for each in (panel, others))
        compute = _score_label_counts
    else:
        grades = _grade_choices(kind)
        texts = rng.integers(len(grades), size=design.items)
        answers = _build_choices(design, *_draw_choices(rng, design, panel), texts, kind=kind)
        own, fresh = (
            _count_choices(_draw_choices(rng, long_run, people)[1], grades, needs_half=kind == "span")
            for people in (panel, others)
        )
        compute = partial(_name_means, kind=kind)
    made = score_answers(answers, units=("individual", "majority"))
    return Campaign(
        intervals=list_scores(made, tuple(own)),
        panel={unit: compute(counts) for unit, counts in own.items()},
        fresh=fresh,
        compute=compute,
    )


def _draw_chances(rng: np.random.Generator, design: Design, panel: Panel) -> tuple[NDArray[np.intp], Floats]:
    """Who answers each item (items × votes), and how likely each is right."""
    people = draw_assignments(rng, design)
    logits = panel.skills[people] + draw_ease(rng, design)[:, None]
    return people, np.asarray(1 / (1 + np.exp(-logits)))


def _draw_boxes(
    rng: np.random.Generator, design: Design, panel: Panel
) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.bool_]]:
    """Who answers each item, its gold (items × boxes), and what each ticks (items × votes × boxes)."""
    people, chances = _draw_chances(rng, design, panel)
    gold = rng.random((design.items, len(BOXES))) < TICKED
    is_right = rng.random((*chances.shape, len(BOXES))) < chances[:, :, None]
    return people, gold, is_right == gold[:, None, :]


def _draw_choices(rng: np.random.Generator, design: Design, panel: Panel) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Who answers each item, and which answer each gives (items × votes): 0 is right, 1 nearly."""
    people, chances = _draw_chances(rng, design, panel)
    wrong = np.where(rng.random(chances.shape) < NEAR, 1, rng.integers(2, 4, size=chances.shape))
    return people, np.where(rng.random(chances.shape) < chances, 0, wrong)


def _build_answers(
    design: Design, people: NDArray[np.intp], answers: list[str], gold: list[str], *, kind: AnswerTypeName
) -> Answers:
    ids = design.item_ids
    names = np.array([f"p{number:04}" for number in range(design.people)], dtype=object)
    frame = pd.DataFrame({"item": np.repeat(ids, design.votes), "annotator": names[people.ravel()]}, dtype=object)
    frame["answer"] = pd.Series(answers, dtype=object)
    items = pd.DataFrame({"group": ids, "gold": gold, "n_options": 2}, index=pd.Index(ids, dtype=object))
    return Answers(
        kind=kind,
        votes=Votes(frame=frame, items=items, classes=None),
        boxes=BOXES if kind == "boxes" else None,
        texts=dict.fromkeys(ids, TEXT) if kind == "span" else {},
    )


def _build_labels(
    design: Design, people: NDArray[np.intp], gold: NDArray[np.intp], labels: NDArray[np.intp]
) -> Answers:
    names = [BOXES[label] for label in labels.ravel().tolist()]
    made = _build_answers(design, people, names, [BOXES[label] for label in gold.tolist()], kind="label")
    return made.with_votes(replace(made.votes, classes=BOXES))


def _count_labels(said: NDArray[np.intp]) -> dict[str, Floats]:
    """The expected label counts of an answer and of a majority; each item has each gold label by its share."""
    given = np.stack([(said == choice).sum(axis=1) for choice in range(len(BOXES))], axis=1)
    top = (given == given.max(axis=1, keepdims=True)).astype(np.float64)
    n_top = top.sum(axis=1)
    shares = (top / n_top[:, None]).mean(axis=0)
    return {
        "individual": _spread_labels(given.mean(axis=0) / said.shape[1]),
        "majority": _spread_labels(shares),
    }


def _spread_labels(shares: Floats) -> Floats:
    """Label counts from how often the label that is so many places after gold is said."""
    gold = np.array(LABEL_SHARES)
    said = np.sum([shares[steps] * np.roll(gold, steps) for steps in range(len(BOXES))], axis=0)
    return np.array([*(shares[0] * gold), *gold, *said, 1.0])


def _score_label_counts(counts: Floats) -> dict[str, float]:
    right, gold, answered = (tuple(part) for part in counts[:-1].reshape(3, len(BOXES)).tolist())
    known = LabelCounts(right=right, gold=gold, answered=answered, total=counts[-1])
    return {name: metric(known) for name, metric in scoring.METRICS.items()}


def _build_boxes(
    design: Design, people: NDArray[np.intp], gold: NDArray[np.bool_], ticked: NDArray[np.bool_]
) -> Answers:
    def write(row: NDArray[np.bool_]) -> str:
        return json.dumps([box for box, is_ticked in zip(BOXES, row, strict=True) if is_ticked])

    given = [write(row) for row in ticked.reshape(-1, len(BOXES))]
    return _build_answers(design, people, given, [write(row) for row in gold], kind="boxes")


def _build_choices(
    design: Design, people: NDArray[np.intp], said: NDArray[np.intp], texts: NDArray[np.intp], *, kind: AnswerTypeName
) -> Answers:
    written = WRITTEN.get(kind) or (
        tuple(json.dumps([{"start": start, "end": end, "text": TEXT[start:end]}]) for start, end in MARKED),
    )
    of_items = [written[text] for text in texts.tolist()]
    answers = [forms[choice] for forms, row in zip(of_items, said.tolist(), strict=True) for choice in row]
    return _build_answers(design, people, answers, [forms[0] for forms in of_items], kind=kind)


@cache
def _grade_choices(kind: AnswerTypeName) -> Floats:
    """What each choice has in each text: texts × choices × columns, as `AnswerType.grade` has them."""
    if kind == "span":
        return np.column_stack([[1.0, 0.0, 0.0, 0.0], MARKED_F1, MARKED_F1_CHAR])[None]
    small = Design(name="", people=1, items=1, votes=1)
    nothing = np.zeros((1, 1), dtype=np.intp)
    empty = _build_choices(small, nothing, nothing, nothing[0], kind=kind)
    return np.array(
        [
            [ANSWERS[kind].measure_text(empty, small.item_ids[0], form, forms[0]) for form in forms]
            for forms in WRITTEN[kind]
        ]
    )


def _count_choices(said: NDArray[np.intp], grades: Floats, *, needs_half: bool) -> dict[str, Floats]:
    """The mean columns of single answers and of pluralities (spans: of more than half, else of any vote)."""
    n_choices = grades.shape[1]
    given = np.stack([(said == choice).sum(axis=1) for choice in range(n_choices)], axis=1)
    shares = (given == given.max(axis=1, keepdims=True)).astype(np.float64)
    if needs_half:
        has_half = np.asarray(2 * given.max(axis=1, keepdims=True) > said.shape[1])
        shares = np.where(has_half, shares, given)
    shares = shares / shares.sum(axis=1, keepdims=True)
    return {
        unit: np.einsum("c,tcm->m", of_items.mean(axis=0), grades) / len(grades)  # every text is as frequent
        for unit, of_items in (("individual", given / said.shape[1]), ("majority", shares))
    }


def _name_means(means: Floats, *, kind: AnswerTypeName) -> dict[str, float]:
    names = METRICS[kind]
    if kind != "edit":
        return dict(zip(names, means.tolist(), strict=True))
    return dict(zip(names, [*means[:4], means[4] / means[5], means[6] / means[7]], strict=True))


def _count_boxes(gold: NDArray[np.bool_], ticked: NDArray[np.bool_]) -> dict[str, Floats]:
    """The mean counts of an answer and of a majority: exact, F1, precision, recall; of each box right, gold, ticked."""
    twice, votes = np.asarray(2 * ticked.sum(axis=1, keepdims=True)), ticked.shape[1]
    settled = (twice > votes) | ((twice == votes) & ticked)  # each vote settles the tied boxes
    of_votes = np.repeat(gold, votes, axis=0)
    return {
        "individual": _average_boxes(of_votes, ticked.reshape(-1, len(BOXES))),
        "majority": _average_boxes(of_votes, settled.reshape(-1, len(BOXES))),
    }


def _average_boxes(gold: NDArray[np.bool_], ticked: NDArray[np.bool_]) -> Floats:
    right, total = (gold & ticked).sum(axis=1), gold.sum(axis=1) + ticked.sum(axis=1)
    f1 = np.where(total > 0, 2 * right / np.maximum(total, 1), 1.0)
    exact = (gold == ticked).all(axis=1)
    per_box = np.concatenate([(gold & ticked).mean(axis=0), gold.mean(axis=0), ticked.mean(axis=0)])
    precision, recall = (
        np.where(size > 0, right / np.maximum(size, 1), 1.0).mean() for size in (ticked.sum(axis=1), gold.sum(axis=1))
    )
    return np.array([exact.mean(), f1.mean(), precision, recall, *per_box])


def _score_boxes(means: Floats) -> dict[str, float]:
    right, gold, ticked = means[4:].reshape(3, len(BOXES))
    pooled = {"exact_match": means[0], "f1m": means[1], "f1a": 2 * right.sum() / (gold.sum() + ticked.sum())}
    pooled["f1m_of_averages"] = 2 * means[2] * means[3] / (means[2] + means[3])
    return pooled | {f"f1 {box}": 2 * right[k] / (gold[k] + ticked[k]) for k, box in enumerate(BOXES)}
