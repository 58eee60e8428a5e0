"""Questions whose answers are texts: consensus, agreement and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar, Unpack

import numpy as np
import pandas as pd

from aggregation.agreement.pair_means import estimate_pair_mean
from aggregation.agreement.table import Basis, Coefficient, Definition, estimate_item_mean
from aggregation.answer_types.answer_type import AnswerType, ConsensusOptions, ResamplingOptions
from aggregation.answers import Answers, AnswerTypeName
from aggregation.consensus.consensus import Consensus, TieRule
from aggregation.consensus.methods import Method, build_label_consensus
from aggregation.errors import HromadaError
from aggregation.findings import Finding
from aggregation.gold_comparison import ScoredAnswers
from aggregation.intervals.panel import Contributions, Metric, Scale
from aggregation.intervals.resampling import Resampling
from aggregation.schema import VOTE_COLUMNS, Floats, Votes, divide_safely
from aggregation.scores.graded_answers import (
    GradedOptions,
    build_column_mean,
    build_share_metric,
    sum_pluralities,
    sum_single_answers,
)
from aggregation.scoring import (
    NORMALISATIONS,
    chrf,
    count_edits,
    count_ngrams,
    edit_distance,
    error_rate,
    normalise_answer,
    overlap_f1,
    split_words,
)


def build_text_consensus(answers: Answers, *, method: Method, ties: TieRule, seed: int) -> Consensus:
    """The consensus by one of `TextType.methods`; texts that are equal after normalisation count as one.

    All texts that are accepted as right count as one too. A label is published as the most frequent original text
    among the equal ones; `rover` aligns the original texts.
    """
    if method == "rover":
        return build_label_consensus(answers.votes, method=method, ties=ties, seed=seed)
    merged = answers.merge_right_answers()
    consensus = build_label_consensus(merged, method=method, ties=ties, seed=seed)
    originals = _find_originals(answers.votes.frame.assign(normalised=merged.frame["answer"]))
    labels = consensus.labels.copy()
    labels["label"] = [
        originals[item, label] if isinstance(label, str) else None for item, label in labels["label"].items()
    ]  # None: left open
    labels["tied"] = [
        tuple(sorted(originals[item, text] for text in tied)) for item, tied in consensus.labels["tied"].items()
    ]
    labels["label"] = labels["label"].astype(object)
    return replace(consensus, labels=labels)


def _find_originals(frame: pd.DataFrame) -> dict[tuple[object, str], str]:
    """The most frequent original of each normalised text, by item; the alphabetically first of several."""
    originals = {}
    for (item, normalised), texts in frame.groupby(["item", "normalised"])["answer"]:
        counts = Counter(texts)
        originals[item, str(normalised)] = min(counts, key=lambda text: (-counts[text], text))
    return originals


DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "exact_match": "mean over items of the share of equal pairs of texts",
        "plurality_share": "mean over items of the share of the votes for the most frequent text",
        "mean_cer": "mean over items of the character errors of each two texts, over the mean of their lengths",
        "mean_chrf": "mean over items of the mean chrF (0 to 1) of each two texts, each being the reference once",
    }
)

SHARE_NAMES = ("exact_match", "plurality_share")


def normalise_votes(votes: Votes, rule: str) -> Votes:
    """The votes with every text normalised by the rule.

    Raises HromadaError for an unknown rule and for votes with classes, which are no texts.
    """
    if rule not in NORMALISATIONS:
        raise HromadaError(f"There is no normalisation {rule!r}.", remedy=f"Use one of {', '.join(NORMALISATIONS)}.")
    if votes.classes is not None:
        raise HromadaError("Declared labels are not texts to normalise.")
    return replace(votes, frame=votes.frame.assign(answer=votes.frame["answer"].map(NORMALISATIONS[rule])))


def compute_text_agreement(
    votes: Votes,
    *,
    rule: str = "ukrainian",
    overlap: int | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """The coefficients of DESCRIPTIONS, in its order, over items with two texts or more, normalised by `rule`.

    Votes are free texts (no classes). `overlap` is the planned number of texts per item; only the first so many texts
    of each item count.
    """
    chosen = normalise_votes(votes if overlap is None else votes.first_votes(overlap), rule)
    resampling = Resampling(n_resamples=n_resamples, seed=seed, confidence_level=confidence_level)
    paired = chosen.frame["item"].map(chosen.frame["item"].value_counts()) >= 2
    frame = chosen.frame.loc[paired].rename(columns={"answer": "said"})
    basis: Basis = "pooled" if overlap is None else "first"
    measures: dict[str, tuple[Callable[[Sequence[str]], Callable[[str, str], float]], Scale]] = {
        "exact_match": (lambda _: lambda _one, _two: 0.0, "share"),
        "mean_cer": (lambda _: _measure_cer, "errors"),
        "mean_chrf": (build_chrf_measure, "fraction"),
    }
    rows = {
        name: estimate_pair_mean(
            Definition(
                name=name,
                how=f"{DESCRIPTIONS[name]}; texts normalised by the rule {rule}",
                scale=scale,
                level="nominal" if scale == "share" else "similarity",
                basis=basis,
            ),
            frame,
            build_measure,
            resampling,
            groups=chosen.items["group"],
        )
        for name, (build_measure, scale) in measures.items()
    }
    rows["plurality_share"] = _estimate_plurality(chosen, frame, resampling, rule=rule, basis=basis)
    return tuple(rows[name] for name in DESCRIPTIONS)


def _estimate_plurality(
    chosen: Votes, frame: pd.DataFrame, resampling: Resampling, *, rule: str, basis: Basis
) -> Coefficient:
    """The share of the most frequent text, of texts `said` on items with two or more; it is no mean over pairs."""
    counts_by_item = {str(item): Counter(texts) for item, texts in frame.groupby("item")["said"]}
    shares = [max(texts.values()) / texts.total() for texts in counts_by_item.values()]
    return estimate_item_mean(
        Definition(
            name="plurality_share",
            how=f"{DESCRIPTIONS['plurality_share']}; texts normalised by the rule {rule}",
            scale="share",
            basis=basis,
        ),
        np.array(shares, dtype=np.float64),
        resampling,
        groups=chosen.items["group"].reindex(list(counts_by_item)),
        n_votes=len(frame),
        n_annotators=frame["annotator"].nunique(),
    )


def _measure_cer(one: str, two: str) -> float:
    """Each text is the reference once, and both count together: a few words beside a long text stay a bounded error."""
    length = len(one) + len(two)
    return 2 * edit_distance(one, two) / length if length else 0.0


def build_chrf_measure(texts: Iterable[str]) -> Callable[[str, str], float]:
    """The mean chrF (0 to 1) of two of these texts, each being the reference once, as a function of both."""
    ngrams = {text: count_ngrams(text) for text in texts}

    def measure(one: str, two: str) -> float:
        return (chrf(ngrams[one], ngrams[two]) + chrf(ngrams[two], ngrams[one])) / 2

    return measure


class TextType(AnswerType):
    """A free text.

    `scales` are the metrics beside `exact_match` with their scales, in the order of `grade`; `unanswered` are the
    grades of a skip: nothing is right, and the whole right text would still have to be written.
    """

    name: ClassVar[AnswerTypeName] = "text"
    plural = Finding("texts")
    questions = ("text",)
    methods = ("majority", "rover", "closest")
    why_no_dawid_skene = Finding("texts-apart")
    is_free_text = True
    headlines = ("exact_match", "exact_match")
    similarities = ("mean_chrf", "mean_chrf")
    scales: ClassVar[Mapping[str, Scale]] = MappingProxyType({"f1": "fraction"})
    unanswered: ClassVar[tuple[float, ...]] = (0.0, 0.0)
    covers_majority: ClassVar[bool] = True

    def build_consensus(self, answers: Answers, **options: Unpack[ConsensusOptions]) -> Consensus:
        """By `build_text_consensus`."""
        return build_text_consensus(answers, method=options["method"], ties=options["ties"], seed=options["seed"])

    def list_coefficients(
        self, answers: Answers, overlap: int | None, **options: Unpack[ResamplingOptions]
    ) -> tuple[Coefficient, ...]:
        """By `compute_text_agreement`."""
        return compute_text_agreement(answers.votes, rule=answers.rule or "exact", overlap=overlap, **options)

    def build_similarity(self, answers: Answers) -> tuple[pd.DataFrame, Callable[..., float]]:
        """The mean chrF of two texts, each being the reference once."""
        frame = answers.normalise_votes().frame
        return frame.assign(said=frame["answer"]), build_chrf_measure(set(frame["answer"]))

    def list_metrics(self, answers: Answers) -> dict[str, Metric]:
        """Exact match, and the means of the columns of `grade` in their order; a tie has the expected one.

        The most frequent correction is right or far off, so intervals of its distances rest on few items and cover too
        little (benchmarks/score_coverage.py).
        """
        means = {
            name: build_column_mean(number, scale, covers_majority=self.covers_majority)
            for number, (name, scale) in enumerate(self.scales.items(), start=1)
        }
        return {"exact_match": build_share_metric(), **means}

    def sum_contributions(
        self, answers: Answers, scored: ScoredAnswers
    ) -> tuple[Contributions, Contributions, GradedOptions | None]:
        """Of texts that `measure_text` grades."""
        options = self.grade_texts(answers, scored)
        return sum_single_answers(options), sum_pluralities(options), options

    def grade_texts(self, answers: Answers, scored: ScoredAnswers) -> GradedOptions:
        """The different texts of each item (see `Answers.merge_right_answers`), graded by `measure_text`."""
        voted = scored.frame.loc[scored.voted, list(VOTE_COLUMNS)]
        merged = answers.with_votes(replace(answers.votes, frame=voted)).merge_right_answers()
        frame = pd.DataFrame(
            {"item": scored.items[scored.voted], "text": merged.frame["answer"].to_numpy(dtype=object)}
        )
        number = frame.groupby(["item", "text"], sort=True).ngroup().to_numpy(dtype=np.intp)
        different = frame.assign(number=number).drop_duplicates("number").sort_values("number")
        ids = scored.gold.index.to_numpy(dtype=object)
        grades = [
            (*self.measure_text(answers, str(ids[item]), text, scored.gold.iloc[item]), 1.0)
            for item, text in zip(different["item"], different["text"], strict=True)
        ]
        unanswered = np.array([*self.unanswered, 1.0])
        table = np.array(grades, dtype=np.float64).reshape(len(different), len(unanswered))
        votes = np.full(len(scored.frame), -1, dtype=np.intp)
        votes[scored.voted] = number
        return GradedOptions(
            scored=scored,
            items=different["item"].to_numpy(dtype=np.intp),
            grades=table,
            unanswered=np.tile(unanswered, (len(scored.gold), 1)),
            right=table[:, 0],
            votes=votes,
        )

    def measure_text(self, answers: Answers, item: str, text: str, gold: str) -> tuple[float, ...]:
        """The grades of one text: `exact_match`, then those of `scales`, each against the right text it is best with.

        All texts are compared under the normalisation of the answers.
        """
        right, normalised = answers.list_right_answers(item, gold), normalise_answer(answers.rule, text)
        return (float(normalised in right), *self.grade(normalised, right))

    def grade(self, text: str, right: Sequence[str]) -> tuple[float, ...]:
        """F1 of what is between blanks, as SQuAD counts it, of texts as they are compared."""
        return (max(overlap_f1(gold.split(), text.split()) for gold in right),)


CORPUS_METRICS = ("wer_corpus", "cer_corpus")
"""The error rates of all answers together, which long texts weigh more than the means of answers."""


def _divide_columns(edits: int, length: int) -> Callable[[Floats], Floats]:
    return lambda sums: divide_safely(sums[:, edits], sums[:, length])


class EditType(TextType):
    """A new version of a text of the item, scored by what would still have to be changed."""

    name = "edit"
    plural = Finding("corrected-texts")
    questions = ("edit",)
    is_free_text = False
    revises_text = True
    scales = MappingProxyType({"wer": "errors", "cer": "errors", "chrf": "fraction"})
    unanswered = (0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    covers_majority = False

    def list_metrics(self, answers: Answers) -> dict[str, Metric]:
        """With the corpus value of each error rate: all edits over the length of all right answers."""
        metrics = super().list_metrics(answers)
        first = len(metrics)
        for number, name in enumerate(CORPUS_METRICS):
            edits, length = first + 2 * number, first + 2 * number + 1
            metrics[name] = Metric(compute=_divide_columns(edits, length), scale="errors", covers_majority=False)
        return metrics

    def grade_texts(self, answers: Answers, scored: ScoredAnswers) -> GradedOptions:
        """With the edits that a skip leaves: the whole right text, which depends on the item."""
        options = super().grade_texts(answers, scored)
        unanswered = options.unanswered.copy()
        for row, gold in enumerate(scored.gold):
            text = normalise_answer(answers.rule, gold)
            unanswered[row, -5:-1] = [len(split_words(text))] * 2 + [len(text)] * 2
        return replace(options, unanswered=unanswered)

    def grade(self, text: str, right: Sequence[str]) -> tuple[float, ...]:
        """Word and character error rates (means of answers), chrF; then edits and lengths of words, of characters."""
        words, said = [split_words(gold) for gold in right], split_words(text)
        return (
            min(error_rate(gold, said) for gold in words),
            min(error_rate(gold, text) for gold in right),
            max(chrf(count_ngrams(gold), count_ngrams(text)) for gold in right),
            *map(float, count_edits(words, said)),
            *map(float, count_edits(right, text)),
        )
