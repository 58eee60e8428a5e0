"""All that is measured of one judge beside people: its rows, the people it was tested against, a verdict, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from aggregation.agreement.coefficients import compute_alpha
from aggregation.findings import Finding
from aggregation.intervals.panel import PanelIntervals
from aggregation.intervals.shares import share_interval
from aggregation.judges.agreement_difference import AgreementDifference, measure_difference
from aggregation.judges.alternative_annotator import (
    FEWEST_ITEMS,
    PASSING_SHARE,
    AlternativeTest,
    compare_with_people,
)
from aggregation.judges.corrected_means import (
    CorrectedMean,
    clip_mean,
    estimate_corrected_share,
    estimate_powered_mean,
)
from aggregation.judges.judged_votes import JudgedVotes, join_judge
from aggregation.judges.records import JudgeAnswers, JudgeResult, JudgeRules, JudgeScore
from aggregation.judges.side_bias import LengthSlope, measure_length_slope
from aggregation.judges.verdict import find_verdict, list_notes
from aggregation.schema import Floats, Votes

JUDGE = "judge"
LEVEL_OF_TEST = 0.05  # of the equivalence test


def measure_judge(votes: Votes, judge: JudgeAnswers, rules: JudgeRules) -> JudgeResult:
    """Measure a judge on the items that it and at least two people answered; a verdict alone where there is none."""
    judged = join_judge(votes, judge.answers)
    means = tuple(_measure_means(votes, judge, rules))
    mean_notes = tuple(_list_mean_notes(votes, judge, rules, means))
    if judged is None:
        return JudgeResult(judge=judge.name, scores=means, verdict=Finding("judge-no-pairs"), notes=mean_notes)
    difference = measure_difference(judged, confidence_level=rules.confidence_level)
    test = compare_with_people(judged, epsilon=rules.epsilon, level=rules.confidence_level)
    counts = _Counts(judge.name, judged.n_items, len(judged.person_ids), len(judged.items))
    slope = measure_length_slope(votes, judge.answers, judge.lengths, confidence_level=rules.confidence_level)
    scores = (
        *_list_agreement(difference, judged, counts, rules),
        *_list_test(test, judged, counts, rules),
        *_list_alphas(votes, judged, counts),
        *_list_biases(judge, slope),
        *means,
    )
    return JudgeResult(
        judge=judge.name,
        scores=scores,
        people=test.people,
        verdict=find_verdict(scores[0], rules, has_points=judged.has_points),
        notes=(*list_notes(judged, test, judge.swaps), *mean_notes),
    )


@dataclass(frozen=True)
class _Counts:
    """How many items, people and answers a judge is measured on."""

    judge: str
    n_items: int
    n_annotators: int
    n_answers: int

    def build(self, statistic: str, value: float | None, intervals: PanelIntervals | None = None) -> JudgeScore:
        """The score, with its intervals if it has any."""
        score = JudgeScore(
            judge=self.judge,
            statistic=statistic,
            value=value,
            n_items=self.n_items,
            n_annotators=self.n_annotators,
            n_answers=self.n_answers,
        )
        if intervals is None:
            return score
        fresh, this, variance = intervals.fresh_panel, intervals.this_panel, intervals.variance
        return replace(
            score,
            ci_low=fresh.low,
            ci_high=fresh.high,
            se=intervals.se,
            df=None if variance is None or intervals.se is None else variance.total_df,
            item_only_low=this.low,
            item_only_high=this.high,
            reason=intervals.reason,
        )


def _name_method(judged: JudgedVotes, score: JudgeScore, code: str) -> JudgeScore:
    """The score with how its intervals were made; without a method where it has none."""
    if score.item_only_low is None:
        return score
    n_people, n = len(judged.person_ids), judged.n_groups
    name = code if score.ci_low is not None else "judge-items"
    return replace(score, ci_method=Finding(name, people=n_people, groups=n))


def _list_agreement(
    difference: AgreementDifference, judged: JudgedVotes, counts: _Counts, rules: JudgeRules
) -> Iterator[JudgeScore]:
    """The difference with its test of equivalence, then both agreements."""
    row = _name_method(judged, counts.build("difference", difference.value, difference.intervals), "judge-jackknife")
    if rules.margin is not None:
        p = difference.compute_equivalence_p(rules.margin)
        row = replace(
            row,
            margin=rules.margin,
            p_margin=p,
            passes=None if p is None else p < LEVEL_OF_TEST,
            post_hoc=rules.margin_source != "start",
        )
    yield row
    yield counts.build("judge_person", difference.judge_person)
    yield counts.build("person_person", difference.person_person)


def _list_test(test: AlternativeTest, judged: JudgedVotes, counts: _Counts, rules: JudgeRules) -> Iterator[JudgeScore]:
    """The advantage probability and the winning rate of the people who are tested."""
    advantage = _name_method(
        judged, counts.build("advantage_probability", test.advantage_probability, test.intervals), "judge-two-way"
    )
    rate = replace(
        counts.build("winning_rate", test.winning_rate),
        epsilon=rules.epsilon,
        passes=None if test.winning_rate is None else test.winning_rate >= PASSING_SHARE,
    )
    for row in (advantage, rate):
        if test.tested:
            n_answers = sum(person.n for person in test.tested)
            yield replace(row, n_annotators=len(test.tested), n_answers=n_answers)
        else:
            yield replace(row, reason=Finding("judge-nobody-tested", least=FEWEST_ITEMS))


def _list_alphas(votes: Votes, judged: JudgedVotes, counts: _Counts) -> Iterator[JudgeScore]:
    """Krippendorff's α of the people on these items, and with the judge as one more rater; none without classes."""
    if votes.classes is None or not set(judged.told) <= set(votes.classes):
        return
    frame = votes.frame.loc[votes.frame["item"].isin(judged.item_ids)].drop_duplicates(["item", "annotator"])
    told = pd.DataFrame({"item": judged.item_ids, "annotator": f"\0{JUDGE}", "answer": judged.told}, dtype=object)
    more = pd.concat([frame, told], ignore_index=True)
    for statistic, rows in (("alpha_people", frame), ("alpha_with_judge", more)):
        _, value = compute_alpha(replace(votes, frame=rows))
        yield replace(counts.build(statistic, value), reason="" if value is not None else Finding("votes-equal"))


def _list_biases(judge: JudgeAnswers, slope: LengthSlope | None) -> Iterator[JudgeScore]:
    """How often both orders have the same answer, and the slope on the lengths."""
    swaps = judge.swaps
    if swaps.n_items:
        ends = share_interval(swaps.n_equal, swaps.n_items)
        yield JudgeScore(
            judge=judge.name,
            statistic="swap_consistency",
            value=swaps.n_equal / swaps.n_items,
            item_only_low=ends.low,
            item_only_high=ends.high,
            ci_method=Finding("share-items", n=swaps.n_items),
            n_items=swaps.n_items,
            n_annotators=0,
            n_answers=2 * swaps.n_items,
        )
    if slope is not None:
        counts = _Counts(judge.name, slope.n_items, slope.n_people, slope.n_answers)
        row = counts.build("length_slope", slope.value, slope.intervals)
        has_ends, name = row.item_only_low is not None, "judge-jackknife" if row.ci_low is not None else "judge-items"
        method = Finding(name, people=slope.n_people, groups=slope.n_groups) if has_ends else ""
        reason = row.reason if slope.value is not None else Finding("judge-lengths-equal")
        yield replace(row, ci_method=method, reason=reason)


def _measure_means(votes: Votes, judge: JudgeAnswers, rules: JudgeRules) -> Iterator[JudgeScore]:
    """The means over all items that the judge scored, if it scored others than people did."""
    judged = join_judge(votes, judge.answers, fewest_votes=1)
    if judged is None or len(judge.others) < 2:
        return
    for of, values, told, others in _list_values(votes, judge, judged):
        arrays = (judged, values, told, others)
        if rules.has_random_sample:
            mean = estimate_powered_mean(*arrays, confidence_level=rules.confidence_level)
            low, high = _find_ends(votes, of, winner=judge.winner)
            mean, code = clip_mean(mean, low, high), "judge-powered"
        elif _is_binary(votes):
            mean, code = (
                estimate_corrected_share(*arrays, confidence_level=rules.confidence_level),
                "judge-rogan-gladen",
            )
        else:
            continue
        yield _build_mean_score(judge, judged, of, mean, code)


def _build_mean_score(judge: JudgeAnswers, judged: JudgedVotes, of: str, mean: CorrectedMean, code: str) -> JudgeScore:
    return JudgeScore(
        judge=judge.name,
        statistic="corrected_mean",
        of=of,
        value=mean.value,
        ci_low=mean.fresh_panel.low,
        ci_high=mean.fresh_panel.high,
        se=mean.se,
        df=mean.df,
        item_only_low=mean.this_panel.low,
        item_only_high=mean.this_panel.high,
        ci_method=Finding(code, n=mean.n_others),
        n_items=judged.n_items + mean.n_others,
        n_annotators=len(judged.person_ids),
        n_answers=len(judged.items),
        reason=mean.reason if mean.value is not None else Finding("judge-useless"),
    )


def _is_binary(votes: Votes) -> bool:
    return votes.classes is not None and len(votes.classes) == 2


def _find_ends(votes: Votes, of: str, *, winner: str) -> tuple[float, float]:
    """The least and the largest value that the mean can have."""
    if of or winner:
        return 0.0, 1.0
    return float(votes.values().min()), float(votes.values().max())


def _list_values(
    votes: Votes, judge: JudgeAnswers, judged: JudgedVotes
) -> Iterator[tuple[str, Floats, Floats, Floats]]:
    """What means are of (points, wins of a system, or a class), and the numbers of votes, the judge's, and others."""
    answers, told, others = judged.answers, judged.told, list(judge.others.values())
    if judge.winner:
        pairs = zip(judged.item_ids[judged.items], answers, strict=True)
        yield (
            judge.winner,
            np.array([judge.worths[str(item)][answer] for item, answer in pairs]),
            np.array([judge.worths[str(item)][answer] for item, answer in zip(judged.item_ids, told, strict=True)]),
            np.array([judge.worths[item][answer] for item, answer in judge.others.items()]),
        )
    elif votes.classes is not None and votes.measurement_level in ("interval", "ratio"):
        points = dict(zip(votes.classes, votes.values(), strict=True))
        yield "", judged.values, judged.judge, np.array([points[answer] for answer in others])
    elif votes.classes is not None:
        for name in votes.classes[:1] if _is_binary(votes) else votes.classes:
            given, judged_so, others_so = (
                np.array([float(said == name) for said in part]) for part in (answers, told, others)
            )
            yield name, given, judged_so, others_so


def _list_mean_notes(
    votes: Votes, judge: JudgeAnswers, rules: JudgeRules, means: Sequence[JudgeScore]
) -> Iterator[str]:
    """What the means assume, and why there are none."""
    n = len(judge.others)
    if means:
        yield Finding("judge-assumes-sample" if rules.has_random_sample else "judge-assumes-rates", n=n)
    elif n >= 2 and votes.classes is not None and not rules.has_random_sample:
        yield Finding("judge-no-sample", n=n)
