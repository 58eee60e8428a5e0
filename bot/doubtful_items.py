"""Which items are doubtful, and which contradict their gold: computed from a data set, for adjudication.

An item is doubtful where the answers that are given most often tie, where the confidence of its label is below a
threshold, or where its label would be another one if answers that a quality rule excluded counted, or if those that a
rule flagged did not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from aggregation import spelling
from aggregation.scoring import normalise_answer
from annotation.campaigns.questions import Question, QuestionContent
from annotation.errors import BadInput, Where
from annotation.loading.tables.delimited import read_delimited
from annotation.vocabulary import CaseReason, ExclusionKind, GoldStratum
from exports.inputs import DataSet
from exports.results import DataSetResult

MODEL_COLUMNS = ("item_id", "response")
"""The columns of a file of models' answers; a column `model` may name the model, and others are not read."""


def find_doubts(result: DataSetResult, *, below: float) -> dict[str, set[CaseReason]]:
    """Why items are doubtful, by item_id; those that are not are left out.

    The requested consensus gives the labels and their confidence, and leaves ties open; `below` is the threshold, 0 to
    1. Raises Refused for a method that the answers do not allow.
    """
    doubts: dict[str, set[CaseReason]] = defaultdict(set)
    if not result.has_votes:
        return {}
    labels = result.require_consensus().labels
    for item, tie, confidence in zip(labels.index, labels["tie"], labels["confidence"], strict=True):
        if tie:
            doubts[str(item)].add(CaseReason.TIE)
        if confidence < below:
            doubts[str(item)].add(CaseReason.LOW_CONFIDENCE)
    for item in _find_rule_conflicts(result.data):
        doubts[item].add(CaseReason.RULE_CONFLICT)
    return dict(doubts)


def divide_into_strata(
    data: DataSet, golds: Mapping[str, str], model_answers: Mapping[str, Sequence[str]]
) -> dict[str, GoldStratum]:
    """The stratum of each item with declared gold: `golds` and `model_answers` by item_id.

    The majority is the answer that is given most often, if no other is given as often.
    """
    votes = _list_votes(data)
    return {
        item: GoldStratum.PEOPLE
        if _contradicts_gold(data, item, votes.get(item, ()), gold)
        else GoldStratum.MODELS
        if _contradicts_gold(data, item, model_answers.get(item, ()), gold)
        else GoldStratum.REST
        for item, gold in golds.items()
    }


def read_model_answers(file: Path, question: Question, contents: Mapping[str, QuestionContent]) -> dict[str, list[str]]:
    """The answers of models as answers are stored, by item_id, from a file with the columns MODEL_COLUMNS.

    `contents` are those of the items with declared gold, by item_id. Raises BadInput, with the line, for a file without
    these columns, an item without declared gold, and an answer that does not fit the question.
    """
    answers: dict[str, list[str]] = defaultdict(list)
    items = spelling.index_names(contents)
    for row in read_delimited(file):
        missing = [name for name in MODEL_COLUMNS if name not in row.values]
        if missing:
            raise BadInput(
                f"The column {missing[0]!r} is missing.", where=row.where(), remedy=f"It has {', '.join(row.values)}."
            )
        written, response = (row.values[name].strip() for name in MODEL_COLUMNS)
        item = items.get(spelling.build_key(written))
        if item is None:
            named = spelling.quote_word(written, beside=items.values())
            raise BadInput(f"No item {named} has declared gold.", where=row.where("item_id"), remedy="Leave it out.")
        if not question.is_unanswered(response):
            answers[item].append(_parse_answer(question, response, contents[item], where=row.where("response")))
    return dict(answers)


def _parse_answer(question: Question, response: str, content: QuestionContent, *, where: Where) -> str:
    try:
        return question.encode_answer(question.parse_answer(response, content))
    except BadInput as refusal:
        problem = f"The answer does not fit: {refusal.problem}"
        raise BadInput(problem, where=where, remedy=f"{refusal.remedy} Leave the response empty for none.") from refusal


def _find_rule_conflicts(data: DataSet) -> set[str]:
    rows = data.responses
    is_ruled = rows["excluded_kind"].eq(ExclusionKind.RULE.value) & rows["assignment_kind"].isna()
    is_flagged = rows["flags"].notna() & ~rows["flags"].isin(["[]", "null"])
    if not (is_ruled.any() or is_flagged.any()):
        return set()
    kinds = rows["excluded_kind"]
    with_ruled = replace(data, responses=rows.assign(excluded_kind=kinds.mask(is_ruled, None)))
    without_flagged = replace(data, responses=rows.loc[~is_flagged])
    labels = _find_majorities(data)
    return {
        item
        for other in (with_ruled, without_flagged)
        for item, label in _find_majorities(other).items()
        if labels.get(item) != label
    }


def _find_majorities(data: DataSet) -> dict[str, str | None]:
    """The normalised majority of each item with votes; None for a tie."""
    return {item: _find_majority(data, answers) for item, answers in _list_votes(data).items()}


def _list_votes(data: DataSet) -> dict[str, list[str]]:
    frame: pd.DataFrame = data.list_counted_answers()
    votes: dict[str, list[str]] = defaultdict(list)
    for item, response in zip(frame["item_id"], frame["response"], strict=True):
        votes[item].append(response)
    return votes


def _find_majority(data: DataSet, answers: Sequence[str]) -> str | None:
    ranked = Counter(normalise_answer(data.normalise, answer) for answer in answers).most_common(2)
    is_tie = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return None if not ranked or is_tie else ranked[0][0]


def _contradicts_gold(data: DataSet, item: str, answers: Sequence[str], gold: str) -> bool:
    majority = _find_majority(data, answers)
    return majority is not None and not data.is_right(item, majority, gold)
