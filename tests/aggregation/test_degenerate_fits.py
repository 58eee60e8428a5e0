"""Fits that know less than a majority say so, and numbers that rounding made of zero print as zero."""

import pandas as pd
import pytest

from aggregation import scoring
from aggregation.answer_types import score_answers
from aggregation.answers import Answers
from aggregation.consensus.methods import build_label_consensus
from aggregation.findings import get_code
from aggregation.schema import Votes, check_votes


def build_teams(n_items: int = 60) -> Votes:
    """Two teams of three people: one saw only items of "так", the other only items of "ні"; all votes are right."""
    rows = [
        (f"{label}{item}", f"{label}{person}", label)
        for label in ("так", "ні")
        for item in range(n_items)
        for person in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["item", "annotator", "answer"], dtype=object)
    ids = pd.Index(frame["item"].unique(), name="item")
    gold = [str(item).rstrip("0123456789") for item in ids]
    items = pd.DataFrame({"group": list(ids), "gold": gold, "n_options": 2}, index=ids)
    return check_votes(frame, items=items, classes=("так", "ні"))


def test_teams_that_never_met_a_second_label_are_named_with_what_to_use() -> None:
    """Dawid-Skene ties all 120 unanimous items; the majority ties none, and warns of nothing."""
    consensus = build_label_consensus(build_teams(), method="dawid_skene", ties="drop")
    assert int(consensus.labels["tie"].sum()) == 120
    warnings = {get_code(warning): warning for warning in consensus.warnings}
    assert warnings["fit-ties"] == "This fit ties 120 items, the majority 0: use the majority."
    assert warnings["one-label-met"].startswith("6 of 6 annotators met items of one label only")
    assert not build_label_consensus(build_teams(), method="majority", ties="drop").warnings


def test_somebody_who_met_both_labels_is_not_counted() -> None:
    """A label is met if anybody gave it to the item, also if the annotator always says the other one."""
    votes = build_teams(2)
    more = pd.DataFrame([("ні0", "так0", "так"), ("ні1", "так0", "так")], columns=votes.frame.columns, dtype=object)
    frame = pd.concat([votes.frame, more], ignore_index=True)
    votes = check_votes(frame, items=votes.items, classes=votes.classes)
    consensus = build_label_consensus(votes, method="dawid_skene", ties="drop")
    (found,) = [warning for warning in consensus.warnings if get_code(warning) == "one-label-met"]
    assert found.startswith("2 of 6 annotators")


@pytest.mark.parametrize("method", ["glad", "one_coin_dawid_skene"])
def test_methods_with_one_skill_a_person_do_not_need_a_second_label(method: str) -> None:
    consensus = build_label_consensus(build_teams(5), method=method, ties="drop")  # type: ignore[arg-type]
    assert "one-label-met" not in {get_code(warning) for warning in consensus.warnings}


def test_a_correlation_of_zero_has_no_sign() -> None:
    """Shares of ties leave -1e-17 instead of 0, which would print as -0.000."""
    third = 1 / 3
    counts = scoring.LabelCounts(
        right=(third, third, third), gold=(1.0, 1.0, 1.0), answered=(1.0 + third / 1e14, 1.0, 1.0), total=3.0
    )
    assert f"{scoring.mcc(counts):.3f}" == "0.000"


def test_corpus_error_rates_divide_all_edits_by_the_whole_length() -> None:
    """Of several right answers the one with the least rate counts, with its own length."""
    assert scoring.count_edits([("а", "б"), ("а", "б", "в")], ("а", "б", "г")) == (1, 3)
    assert scoring.count_edits(["слово"], "слова") == (1, 5)


def test_a_skipped_correction_leaves_the_whole_right_text_to_write() -> None:
    """One text of two words is right and one of four is skipped: a mean of .5, and four of six words in all."""
    ids = pd.Index(["i1", "i2"], name="item")
    items = pd.DataFrame({"group": list(ids), "gold": ["а б", "а б в г"], "n_options": 2}, index=ids)
    votes = pd.DataFrame([("i1", "p", "а б")], columns=["item", "annotator", "answer"], dtype=object)
    skips = pd.DataFrame([("i2", "p")], columns=["item", "annotator"], dtype=object)
    answers = Answers(kind="edit", votes=check_votes(votes, items=items, classes=None))
    unit = score_answers(answers, skips=skips)["individual"]
    assert (unit["wer"].value, unit["wer_corpus"].value) == pytest.approx((0.5, 4 / 6))
