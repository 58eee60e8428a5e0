"""Models as judges in people's place: what is measured of each, beside people's votes, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from aggregation.answers import Answers
from aggregation.findings import Finding
from aggregation.judges.alternative_annotator import JudgedPerson
from aggregation.judges.judge_scores import measure_judge
from aggregation.judges.records import JudgeAnswers, JudgeResult, JudgeRules, JudgeScore
from aggregation.sides import BOTH_BAD, SIDES, TIE
from exports import writers
from exports.inputs import DataSet
from exports.model_answers import ReadAnswers
from exports.rounding import round_row

JUDGE_COLUMNS = ("judge", "question", *[field.name for field in fields(JudgeScore)][1:])
"""The columns of judges.csv."""
PEOPLE_COLUMNS = ("judge", *(field.name for field in fields(JudgedPerson)))
"""The columns of judge_people.csv."""

Row = dict[str, Any]


def build_rules(data: DataSet, *, epsilon: float | None = None, margin: float | None = None) -> JudgeRules:
    """The rules by which judges of a data set are judged; what a command names goes before, and is post hoc."""
    plan = data.judges
    rules = JudgeRules(margin=plan.margin, margin_source=plan.margin_source, has_random_sample=plan.has_random_sample)
    if margin is not None and margin != plan.margin:
        rules = replace(rules, margin=margin, margin_source="option")
    return rules if epsilon is None else replace(rules, epsilon=epsilon)


def measure_judges(
    data: DataSet, models: Sequence[ReadAnswers], answers: Answers, rules: JudgeRules
) -> tuple[JudgeResult, ...]:
    """Measure each model as a judge beside these votes; none where an answer is not one label.

    What a model answered to another stimulus is left out.
    """
    if not data.answer_type.is_label:
        return ()
    return tuple(_measure_model(data, model, answers, rules) for model in models)


def _measure_model(data: DataSet, model: ReadAnswers, answers: Answers, rules: JudgeRules) -> JudgeResult:
    hashes = dict(zip(data.items["item_id"], data.items["stimulus_sha256"], strict=True))
    met = set(answers.votes.frame["item"])
    shown = {item: answer for item, answer in model.answers.items() if answer is not None}
    for item in [item for item in shown if item in hashes and model.stimuli.get(item) not in (None, hashes[item])]:
        del shown[item]
    others = {item: answer for item, answer in shown.items() if item not in met}
    winner, worths = _find_worths(data, shown)
    if data.answer_type.compares_texts:  # nothing is a mean over items where other systems are compared on each
        others = {item: answer for item, answer in others.items() if item in worths}
    judge = JudgeAnswers(
        name=model.name,
        answers={item: answer for item, answer in shown.items() if item in met},
        others=others,
        swaps=model.swaps,
        lengths=data.side_lengths,
        winner=winner,
        worths=worths,
    )
    result = measure_judge(answers.votes, judge, rules)
    return replace(result, notes=(*result.notes, *_list_reading_notes(data, model)))


def _list_reading_notes(data: DataSet, model: ReadAnswers) -> list[str]:
    """What was made of the answers as they were read."""
    unknown = len(set(model.answers) - set(data.items["item_id"]))
    return [
        *([Finding("judge-likeliest")] if model.distributions else []),
        *([Finding("judge-other-items", n=unknown)] if unknown else []),
    ]


def _find_worths(data: DataSet, answered: Mapping[str, str]) -> tuple[str, Mapping[str, Mapping[str, float]]]:
    """The first of two systems, and what each answer to an item is worth to it; nothing where other texts are compared.

    An item whose two texts are of one system is worth ½ whatever the answer.
    """
    if not data.answer_type.compares_texts:
        return "", {}
    names = sorted({name for own in data.systems.values() for name in own})
    if len(names) != 2:
        return "", {}
    worths = {}
    for item in answered:
        own = data.systems.get(item, ())
        if len(own) == 2:
            shares = {side: float(name == names[0]) for side, name in zip(SIDES, own, strict=False)}
            worths[item] = (shares if len(set(own)) == 2 else dict.fromkeys(shares, 0.5)) | {TIE: 0.5, BOTH_BAD: 0.5}
    return names[0], worths


def list_judge_rows(data: DataSet, judges: Sequence[JudgeResult]) -> list[Row]:
    """All numbers of judges with the columns of judges.csv."""
    return [round_row(asdict(score)) | {"question": data.question} for judge in judges for score in judge.scores]


def list_people_rows(judges: Sequence[JudgeResult]) -> list[Row]:
    """The people whom judges were tested against, with the columns of judge_people.csv."""
    return [round_row({"judge": judge.judge} | asdict(person)) for judge in judges for person in judge.people]


def build_judge_files(data: DataSet, judges: Sequence[JudgeResult]) -> dict[str, str]:
    """judges.csv and judge_people.csv; none where nothing was measured."""
    if not any(judge.scores for judge in judges):
        return {}
    return {
        "judges.csv": writers.format_rows(list_judge_rows(data, judges), JUDGE_COLUMNS),
        "judge_people.csv": writers.format_rows(list_people_rows(judges), PEOPLE_COLUMNS),
    }
