"""Boxes, texts and parts of a text: their consensus, agreement and scores, counted by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from aggregation import schema
from aggregation.answer_types import (
    ANSWER_TYPES,
    build_consensus,
    compute_agreement,
    score_answers,
)
from aggregation.answer_types.box_votes import build_pooled_box_votes
from aggregation.answers import Answers
from aggregation.consensus.methods import Method
from aggregation.errors import Refused
from aggregation.scores.performance import Unit

Rows = Sequence[tuple[str, str, str]]
TEXT = "Галина черепашка"
BOXES = ("а", "б", "в")


def ticks(*boxes: str) -> str:
    return json.dumps(list(boxes), ensure_ascii=False)


def marks(*ends: tuple[int, int]) -> str:
    return json.dumps([{"start": a, "end": b, "text": TEXT[a:b]} for a, b in ends], ensure_ascii=False)


def answers(kind: Any, rows: Rows, gold: Mapping[str, str | None], **more: Any) -> Answers:
    frame = pd.DataFrame(list(rows), columns=list(schema.VOTE_COLUMNS), dtype=object)
    index = pd.Index(list(gold), dtype=object, name="item")
    items = pd.DataFrame({"group": list(gold), "gold": list(gold.values()), "n_options": 2}, index=index).astype(object)
    return Answers(kind=kind, votes=schema.check_votes(frame, items=items, classes=None), **more)


def labels(given: Answers, method: Method = "majority", ties: Any = "drop") -> dict[str, Any]:
    return dict(build_consensus(given, method=method, ties=ties).labels["label"])


def scores(unit: Unit) -> dict[str, float]:
    return {score.metric: round(score.value, 6) for score in unit.scores if score.value is not None}


def test_boxes_by_hand() -> None:
    """Each box has the majority of its own; half of the votes for one leaves the item open."""
    rows = [
        ("i", "p", ticks("а")), ("i", "q", ticks("а", "б")), ("i", "r", ticks("б", "в")),
        ("j", "p", ticks("а")), ("j", "q", ticks()),
        ("k", "p", ticks("в")), ("k", "q", ticks("а")), ("k", "r", ticks("б")),
    ]  # fmt: skip
    given = answers("boxes", rows, {"i": ticks("а", "б"), "j": ticks("а"), "k": ticks("в")}, boxes=BOXES)
    assert labels(given) == {"i": ticks("а", "б"), "j": None, "k": ticks()}
    assert labels(given, ties="alphabetical")["j"] == ticks()
    found = build_consensus(given, method="majority", ties="drop")
    assert dict(found.labels["tie"]) == {"i": False, "j": True, "k": False}
    assert found.labels["confidence"].round(3).to_dict() == {"i": 0.667, "j": 0.5, "k": 0.667}
    assert ANSWER_TYPES[given.kind].compute_accuracy(given, found).right == 1
    made = score_answers(given)
    # exact: j by p, i by q, k by p; all boxes: 6 right, 11 gold, 9 ticked
    # precision 1, 1, .5, 1, 1 (nothing ticked), 1, 0, 0; recall .5, 1, .5, 1, 0, 1, 0, 0
    assert scores(made["individual"]) == {
        "exact_match": 0.375, "f1a": round(2 * 6 / (11 + 9), 6), "f1m": round((2 / 3 + 1 + 1 / 2 + 1 + 1) / 8, 6),
        "f1m_of_averages": round(2 * (5.5 / 8) * (4 / 8) / (9.5 / 8), 6),
        "f1 а": round(2 * 3 / (5 + 4), 6), "f1 б": round(2 * 2 / (3 + 3), 6), "f1 в": round(2 * 1 / (3 + 2), 6),
    }  # fmt: skip
    # а is tied on j: one vote settles that the item is right, the other that nothing is ticked
    # precision 1, 1, 1 (nothing ticked), recall 1, .5, 0
    assert scores(made["majority"]) == {
        "exact_match": round(1.5 / 3, 6), "f1a": round(2 * 2.5 / (4 + 2.5), 6),
        "f1m": round((1 + (1 + 0) / 2) / 3, 6), "f1m_of_averages": round(2 * 1 * 0.5 / (1 + 0.5), 6),
        "f1 а": round(2 * 1.5 / (2 + 1.5), 6), "f1 б": 1.0, "f1 в": 0.0,
    }  # fmt: skip
    assert (made["majority"].n_ties, made["majority"].wrong, made.random) == (1, 1, None)
    assert made["majority"].primary.value_ties_wrong == pytest.approx(1 / 3)
    assert (
        ANSWER_TYPES[given.kind].compute_accuracy(given, build_consensus(given, method="majority", ties="shared")).right
        == 1.5
    )
    assert "judged each by itself" in made.refused["dawid_skene"]


def test_the_known_case_of_f1a(known: dict[str, Any]) -> None:
    """MultiRC's F1 over all boxes, and its mean over items, where every item has boxes of its own."""
    case = known["multirc_case"]
    own = {f"i{n}": tuple(f"{n}.{box}" for box in range(len(gold))) for n, gold in enumerate(case["gold"])}

    def said(table: Sequence[Sequence[int]]) -> dict[str, str]:
        return {
            item: ticks(*(box for box, yes in zip(own[item], row, strict=True) if yes))
            for item, row in zip(own, table, strict=True)
        }

    rows = [(item, "model", answer) for item, answer in said(case["pred"]).items()]
    made = score_answers(answers("boxes", rows, said(case["gold"]), own_boxes=own))
    for unit in made.units:
        assert scores(unit) == {
            "exact_match": case["EM"], "f1a": pytest.approx(case["F1a"]), "f1m": pytest.approx(case["F1m_average"]),
            "f1m_of_averages": case["F1m_of_averages"],
        }  # fmt: skip


def test_agreement_on_boxes_of_items_is_that_of_every_box() -> None:
    """Boxes that differ have equal sets and yes or no on every box, and no alpha of sets, with the reason."""
    rows = [("i", "p", ticks("а")), ("i", "q", ticks("а")), ("j", "p", ticks("г")), ("j", "q", ticks("г", "д"))]
    given = answers("boxes", rows, {"i": None, "j": None}, own_boxes={"i": ("а", "б"), "j": ("г", "д")})
    made = {(row.name, row.of): row for row in compute_agreement(given, n_resamples=20).rows}
    assert made["exact_sets", ""].value == 0.5
    assert made["percent_agreement", "every box"].value == 0.75
    # of 8 yes or no (5 yes) 2 of 8 ordered pairs differ; 2·5·3/(8·7) were to be expected
    assert made["krippendorff_alpha_nominal", "every box"].value == pytest.approx(1 - (2 / 8) / (30 / 56))
    alpha = made["krippendorff_alpha_masi", ""]
    assert (alpha.value, "differ from item to item" in alpha.reason) == (None, True)
    assert len(build_pooled_box_votes(given).frame) == 8
    with pytest.raises(Refused, match=r"tells nothing of another\. Use majority"):
        build_consensus(given, method="dawid_skene", ties="drop")


def test_texts_by_hand() -> None:
    """Case and punctuation do not count; all accepted answers are one, in the wording that most people gave."""
    rows = [
        ("i", "p", "Дніпро."), ("i", "q", "на Дніпрі"), ("i", "r", "Дон"), ("i", "s", "Дон"), ("i", "t", "дніпро"),
        ("j", "p", "вітер з моря"), ("j", "q", "вітер із моря"),
    ]  # fmt: skip
    given = answers("text", rows, {"i": "Дніпро", "j": "вітер"}, accepted={"i": ("на Дніпрі",)})
    assert labels(given) == {"i": "Дніпро.", "j": None}
    assert labels(given, ties="alphabetical")["j"] == "вітер з моря"
    made = score_answers(given, skips=pd.DataFrame({"item": ["j"], "annotator": ["r"]}))
    # exact: three of five on i, none of two and a skip on j; F1 of one word against three is 2·1/4
    assert scores(made["individual"]) == {"exact_match": 0.375, "f1": (3 + 0.5 + 0.5) / 8}
    # both texts of the tie have one word of three in common with gold
    assert scores(made["majority"]) == {"exact_match": 0.5, "f1": (1 + 0.5) / 2}
    assert (made["individual"].total, made["individual"].wrong, made["majority"].n_ties) == (8, 5, 1)
    assert made.annotators.loc["r", "accuracy"] == 0


def test_the_nearest_text_is_one_that_somebody_wrote() -> None:
    """Three corrections: the one between the others is taken; the majority is tied, ROVER joins words."""
    rows = [("i", "p", "Він пішов до школи"), ("i", "q", "Він пішов до школи."), ("i", "r", "Він йшов до школи.")]
    given = answers("edit", rows, {"i": "Він пішов до школи."})
    assert labels(given)["i"] is None
    assert labels(given, "closest") == {"i": "Він пішов до школи."}
    assert labels(given, "rover") == {"i": "Він пішов до школи."}
    found = scores(score_answers(given)["individual"])
    assert found["exact_match"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["cer"] == pytest.approx((1 / 19 + 0 + 2 / 19) / 3, abs=1e-6)
    assert found["wer"] == pytest.approx((0 + 0 + 1 / 4) / 3, abs=1e-6)  # punctuation is no word


def test_spans_by_hand(known: dict[str, Any]) -> None:
    """A span needs more than half; the words and characters that it shares with the gold are counted."""
    case = known["span_case"]
    a, b = (marks(*((start, end) for start, end, _ in case[who])) for who in "ab")
    rows = [
        ("i", "p", a),
        ("i", "q", b),
        ("j", "p", a),
        ("j", "q", b),
        ("j", "r", b),
        ("k", "p", marks()),
        ("k", "q", b),
    ]
    given = answers("span", rows, {"i": a, "j": a, "k": None}, texts=dict.fromkeys("ijk", case["text"]))
    assert labels(given) == {"i": None, "j": b, "k": None}
    made = score_answers(given)
    char = 2 * 13 / (13 + 15)
    assert scores(made["individual"]) == {"exact_match": 0.4, "f1": 1.0, "f1_char": round((2 + 3 * char) / 5, 6)}
    # i is tied: a half of the time, which is gold, and b the other half; j has the majority b
    assert scores(made["majority"]) == {
        "exact_match": 0.25,
        "f1": 1.0,
        "f1_char": round(((1 + char) / 2 + char) / 2, 6),
    }
    assert [score.value_ties_wrong for score in made["majority"].scores] == pytest.approx([0, 0.5, char / 2])
    pair = compute_agreement(given, overlap=2, n_resamples=20)
    assert pair["span_f1_exact"].value == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert {row.basis for row in pair.rows} == {"first", "pooled"}


def test_nothing_marked_needs_more_than_half_too() -> None:
    """Two of three who find no answer are a consensus, one of three is none."""
    rows = [("i", "p", marks()), ("i", "q", marks()), ("i", "r", marks((0, 6)))]
    rows += [("j", "p", marks()), ("j", "q", marks((0, 6))), ("j", "r", marks((7, 16)))]
    given = answers("span", rows, {"i": marks(), "j": marks()}, texts=dict.fromkeys("ij", TEXT))
    assert labels(given) == {"i": "[]", "j": None}
    # each of the three answers to j counts a third
    assert set(scores(score_answers(given)["majority"]).values()) == {round((1 + 1 / 3) / 2, 6)}
    assert labels(given, ties="first") == {"i": "[]", "j": "[]"}
    assert labels(given, ties="random").keys() == {"i", "j"}


@pytest.mark.parametrize(
    ("kind", "method", "message"),
    [
        ("text", "dawid_skene", "Dawid-Skene cannot weigh texts. Use majority, rover or closest."),
        ("edit", "one_coin", "The one-coin posterior cannot weigh corrected texts. Use majority, rover or closest."),
        ("span", "rover", "ROVER cannot weigh parts of a text. Use majority."),
        ("boxes", "closest", "The text nearest to all cannot weigh boxes. Use majority."),
        ("label", "rover", "ROVER cannot weigh labels. Use majority."),
    ],
)
def test_what_cannot_be_computed_is_refused_with_what_fits(kind: str, method: Method, message: str) -> None:
    """One sentence each for the reason and the remedy."""
    with pytest.raises(Refused) as refused:
        build_consensus(answers(kind, [("i", "p", "[]")], {"i": None}, boxes=BOXES), method=method, ties="drop")
    assert str(refused.value) == message


def test_dawid_skene_weighs_each_box_and_breakdowns_name_it() -> None:
    """A careless person counts less in every box; agreement by label is that of each box."""
    rng = np.random.default_rng(3)
    gold = {f"i{n}": ticks(*(box for box in BOXES if rng.random() < 0.5)) for n in range(30)}
    other = list(gold.values())
    rows = [(item, who, said) for item, said in gold.items() for who in "pq"]
    rows += [(item, who, other[int(rng.integers(30))]) for item in gold for who in "xyz"]
    given = answers("boxes", rows, gold, boxes=BOXES)
    found = build_consensus(given, method="dawid_skene", ties="drop")
    assert found.provenance == f"dawid_skene ({found.version}), ties: drop"
    assert found.version.endswith(", of each box by itself")
    majority = build_consensus(given, method="majority", ties="drop")
    assert (
        ANSWER_TYPES[given.kind].compute_accuracy(given, found).right
        > ANSWER_TYPES[given.kind].compute_accuracy(given, majority).right
    )
    assert {row.of for row in ANSWER_TYPES["boxes"].break_down(given, "label", n_resamples=20, seed=0)} == set(BOXES)
    assert [row.of for row in ANSWER_TYPES["boxes"].break_down(given, "annotator", n_resamples=20, seed=0)] == list(
        "pqxyz"
    )
    with pytest.raises(Refused, match="by time needs labels"):
        ANSWER_TYPES["boxes"].break_down(given, "time", n_resamples=20, seed=0)


def test_order_of_rows_changes_nothing() -> None:
    """Neither labels nor scores, whatever the kind."""
    rows = [("i", "p", "Дон"), ("i", "q", "Десна"), ("i", "r", "дон"), ("j", "p", "Тиса"), ("j", "q", "тиса!")]
    one = answers("text", rows, {"i": "Дон", "j": "Тиса"})
    two = answers("text", rows[::-1], {"j": "Тиса", "i": "Дон"})
    for method in ("majority", "closest", "rover"):
        assert labels(one, method) == labels(two, method)
    assert score_answers(one).units == score_answers(two).units


def test_distances_of_the_most_frequent_correction_have_no_interval() -> None:
    """It covered too little in simulation; single corrections have theirs, and the majority its share of right ones."""
    rows = [
        (f"i{n:02}", who, "Він пішов." if (n + m) % 3 else "Він пише.")
        for n in range(20)
        for m, who in enumerate("abcde")
    ]
    made = score_answers(answers("edit", rows, {f"i{n:02}": "Він пішов." for n in range(20)}))
    for metric in ("wer", "cer", "chrf"):
        majority = made["majority"][metric]
        assert (majority.ci_low, majority.item_only_low, majority.ci_method) == (None, None, "none")
        assert majority.reason == "No interval: that for a majority covered too little in simulation."
        assert made["individual"][metric].ci_low is not None
    assert made["majority"]["exact_match"].item_only_low is not None
