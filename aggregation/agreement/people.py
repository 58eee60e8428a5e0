"""Agreement by person: pairs of annotators, each against the others, each against themselves, and confidence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import sparse

from aggregation.agreement.item_columns import build_item_columns
from aggregation.agreement.table import Coefficient, Definition, estimate_coefficient, estimate_item_mean
from aggregation.consensus import dawid_skene
from aggregation.consensus.consensus import TIE_TOLERANCE, Consensus
from aggregation.errors import Refused
from aggregation.findings import Finding, join_findings
from aggregation.intervals.resampling import FEWEST_GROUPS, Resampling, Sparse
from aggregation.intervals.shares import share_interval
from aggregation.schema import Codes, Floats, Votes, count_codes, divide_safely

MAX_RESAMPLED_NUMBERS = 500_000_000  # column sums in all resamples together; more would take minutes
ROUNDING_TOLERANCE = 1e-9  # a divisor that is not larger counts as zero
FEWEST_SHARED_ITEMS = 10  # in the median pair; a pair's chance is estimated from few items, and with one it is P itself
REASON_NO_KAPPA = Finding("no-kappa")


@dataclass(frozen=True, kw_only=True, eq=False)
class _SharedItems:
    """The items that each pair of annotators both answered.

    `rows` has one row per pair of annotators and shared item, with the columns item, annotator_a, annotator_b, answer_a
    and answer_b (all of them codes, annotator_a below annotator_b) and weight. An annotator who answered an item twice
    has a row for each answer; the weights of a pair's rows on an item sum to one. `pairs` has one row per pair, with
    the columns annotator_a and annotator_b, sorted. `pair_codes` has, for each row of `rows`, the index of its pair in
    `pairs`.
    """

    rows: pd.DataFrame
    pairs: pd.DataFrame
    pair_codes: Codes
    n_classes: int

    @property
    def width(self) -> int:
        """How many columns a pair has: shared items, equal answers, and each annotator's votes for every class."""
        return 2 + 2 * self.n_classes

    def compute_median_items(self) -> float:
        """How many items the median pair shares; 0 where no two annotators share one."""
        weights = self.rows["weight"].to_numpy(dtype=np.float64)
        shared = np.bincount(self.pair_codes, weights=weights, minlength=len(self.pairs))
        return float(np.median(shared.round())) if len(shared) else 0.0

    def build_columns(self, *, n_items: int) -> Sparse:
        """The columns of all pairs, one pair after the other: items × (pairs · width), made to be summed over items."""
        items, answers_a, answers_b = (
            self.rows[name].to_numpy(dtype=np.intp) for name in ("item", "answer_a", "answer_b")
        )
        weights = self.rows["weight"].to_numpy(dtype=np.float64)
        starts, is_equal = self.pair_codes * self.width, answers_a == answers_b
        class_starts = starts + 2
        columns = [starts, starts[is_equal] + 1, class_starts + answers_a, class_starts + self.n_classes + answers_b]
        rows = np.concatenate([items, items[is_equal], items, items])
        values = np.concatenate([weights, weights[is_equal], weights, weights])
        shape = (n_items, len(self.pairs) * self.width)
        return sparse.csr_array((values, (rows, np.concatenate(columns))), shape=shape)

    def compute_kappas(self, sums: Floats) -> Floats:
        """Cohen's (1960) kappa (draws × pairs, nan: undefined) from the column sums of the pairs."""
        by_pair = sums.reshape(len(sums), len(self.pairs), self.width)
        n, n_equal = by_pair[:, :, 0], by_pair[:, :, 1]
        votes_a, votes_b = by_pair[:, :, 2 : 2 + self.n_classes], by_pair[:, :, 2 + self.n_classes :]
        products = np.einsum("dpc,dpc->dp", votes_a, votes_b)
        # kappa = 1 - (1 - P) / (1 - P_e) with P = n_equal / n and P_e = sum of votes_a · votes_b / n²; times n² / n²
        return 1 - divide_safely(n * (n - n_equal), n * n - products, above=ROUNDING_TOLERANCE)

    def compute_pooled(self, sums: Floats) -> Floats:
        """(P - P_e) / (1 - P_e), one number per draw, nan where P_e is 1: P and P_e are averaged over all pairs' items.

        So a pair weighs as many times as it shares items, and P_e comes from each pair's own labels.
        """
        by_pair = sums.reshape(len(sums), len(self.pairs), self.width)
        n, n_equal = by_pair[:, :, 0], by_pair[:, :, 1]
        votes_a, votes_b = by_pair[:, :, 2 : 2 + self.n_classes], by_pair[:, :, 2 + self.n_classes :]
        chance = np.nan_to_num(divide_safely(np.einsum("dpc,dpc->dp", votes_a, votes_b), n)).sum(axis=1)
        total = n.sum(axis=1)
        return 1 - divide_safely(total - n_equal.sum(axis=1), total - chance, above=ROUNDING_TOLERANCE)


def compute_cohen_pairs(votes: Votes) -> pd.DataFrame:
    """Cohen's kappa of each pair of annotators who answered a common item, one row per pair, sorted.

    Columns: annotator_a, annotator_b, n_items (shared items), percent_agreement (share of equal answers, 0 to 1) and
    kappa (nan where both annotators gave one and the same label every time). Two answers of an annotator to one item
    count half each. Raises Refused where items share no classes.
    """
    if votes.classes is None:
        raise Refused(
            "The options differ from item to item and share no classes, so Cohen's kappa has no chance to correct by.",
            remedy="Compare each annotator with the rest.",
        )
    shared = _find_shared_items(votes)
    names = votes.encode().annotator_ids
    sums = _sum_columns(shared.build_columns(n_items=votes.frame["item"].nunique()))
    by_pair = sums.reshape(len(shared.pairs), shared.width)
    both = np.sort(np.column_stack([names[shared.pairs["annotator_a"]], names[shared.pairs["annotator_b"]]]), axis=1)
    return pd.DataFrame(
        {
            "annotator_a": both[:, 0],
            "annotator_b": both[:, 1],
            "n_items": by_pair[:, 0].round().astype(int),
            "percent_agreement": by_pair[:, 1] / by_pair[:, 0],
            "kappa": shared.compute_kappas(sums)[0],
        }
    ).sort_values(["annotator_a", "annotator_b"], ignore_index=True)


def estimate_pooled_cohen(votes: Votes, *, resampling: Resampling, how: str) -> Coefficient:
    """Cohen's kappa pooled over pairs of annotators, resampled over the items that two annotators share.

    It is refused where the median pair shares fewer than FEWEST_SHARED_ITEMS items. Simulated annotators who are all
    alike, with an alpha of .64 to .69, have a mean of pairwise kappas of .66 where 6 people share many items and of
    .04 where 400 share few.
    """
    shared, coded = _find_shared_items(votes), votes.encode()
    shared_codes = np.unique(shared.rows["item"])
    columns = shared.build_columns(n_items=len(coded.item_ids))[shared_codes]
    both = shared.rows.melt(id_vars="item", value_vars=["annotator_a", "annotator_b"], value_name="annotator")
    answered = both[["item", "annotator"]].drop_duplicates()
    item_columns = build_item_columns(
        columns,
        groups=votes.items["group"].reindex(coded.item_ids[shared_codes]),
        n_votes=len(answered),  # an annotator who answered an item twice counts once
        n_annotators=answered["annotator"].nunique(),
    )
    median = shared.compute_median_items()
    is_refused = 0 < median < FEWEST_SHARED_ITEMS
    can_compute = len(shared.pairs) > 0 and not is_refused
    value = item_columns.compute(shared.compute_pooled) if can_compute else float("nan")
    resampled, is_too_large = None, columns.shape[1] * resampling.n_resamples > MAX_RESAMPLED_NUMBERS
    if can_compute and not is_too_large and item_columns.n_groups >= FEWEST_GROUPS:
        resampled = item_columns.resample(resampling, statistic=lambda sums: shared.compute_pooled(sums)[:, None])
    how = f"{how}; {len(shared.pairs)} pairs, which share {median:g} items in the median"
    if can_compute and is_too_large:
        how += f"; no interval, because resampling the pairs takes more than {MAX_RESAMPLED_NUMBERS:.0e} numbers"
    code = "one-shared-item" if median == 1 else "few-shared-items"
    return estimate_coefficient(
        Definition(
            name="cohen_kappa_pooled",
            how=how,
            scale="correlation",
            reason_undefined=Finding(code, median=median, fewest=FEWEST_SHARED_ITEMS)
            if is_refused
            else REASON_NO_KAPPA,
        ),
        value,
        item_columns,
        resampling,
        resampled=None if resampled is None else resampled[:, 0],
    )


def _sum_columns(columns: Sparse) -> Floats:
    """The sums over all items, as one row: 1 × columns."""
    return np.asarray(columns.sum(axis=0), dtype=np.float64)[None]


def _find_shared_items(votes: Votes) -> _SharedItems:
    coded = votes.encode()
    answers = pd.DataFrame({"item": coded.items, "annotator": coded.annotators, "answer": coded.answers})
    answers = answers.sort_values(["item", "annotator", "answer"], kind="stable")
    answers["weight"] = 1 / answers.groupby(["item", "annotator"])["answer"].transform("size")
    joined = answers.merge(answers, on="item", suffixes=("_a", "_b"))
    joined = joined.loc[joined["annotator_a"] < joined["annotator_b"]]
    rows = joined[["item", "annotator_a", "annotator_b", "answer_a", "answer_b"]].assign(
        weight=joined["weight_a"] * joined["weight_b"]
    )
    n_annotators = max(1, len(coded.annotator_ids))
    keys = rows["annotator_a"].to_numpy(dtype=np.intp) * n_annotators + rows["annotator_b"].to_numpy()
    pair_keys, pair_codes = np.unique(keys, return_inverse=True)
    pairs = pd.DataFrame({"annotator_a": pair_keys // n_annotators, "annotator_b": pair_keys % n_annotators})
    return _SharedItems(rows=rows, pairs=pairs, pair_codes=pair_codes, n_classes=len(coded.labels))


MOST_REFITS = 50
"""With more annotators than this Dawid-Skene is not fitted again without each; the others' skills stay fixed."""


def compute_agreement_with_others(votes: Votes) -> pd.DataFrame:
    """How often each annotator says what the others say: one row per annotator, index `annotator` sorted.

    Columns: n (the annotator's votes on items that others voted on too), majority and dawid_skene (0 to 1; nan without
    such votes, and for dawid_skene where items share no classes or one label alone was given). An annotator's vote is
    held against the label of the item made of the others' votes: the most frequent answer, exactly; and Dawid-Skene's,
    fitted again without the annotator, or, with more than MOST_REFITS annotators, with the others' skills as the fit of
    all votes gives them. Where t labels of the others tie, a vote for one of them counts 1/t.
    """
    coded = votes.encode()
    ids = pd.Index(coded.annotator_ids, name="annotator")
    majority = _match_majority(votes)
    table = pd.DataFrame(index=ids)
    table["n"] = np.bincount(coded.annotators[~np.isnan(majority)], minlength=len(ids))
    table["majority"] = _average_by_annotator(majority, coded.annotators, len(ids))
    matches: Floats = np.full(len(votes.frame), np.nan)
    if votes.classes is not None and votes.frame["answer"].nunique() > 1:
        matches = _match_dawid_skene(votes)
        matches[np.isnan(majority)] = np.nan
    table["dawid_skene"] = _average_by_annotator(matches, coded.annotators, len(ids))
    return table.sort_index()


def _average_by_annotator(matches: Floats, annotators: Codes, n_annotators: int) -> Floats:
    """The mean of the known matches of each annotator, nan where none is known."""
    is_known = ~np.isnan(matches)
    sums = count_codes(annotators[is_known], size=n_annotators, weights=matches[is_known])
    return divide_safely(sums, count_codes(annotators[is_known], size=n_annotators))


def _match_majority(votes: Votes) -> Floats:
    """For each vote 1/t where it is one of the t most frequent answers of the others, else 0; nan without others."""
    frame = votes.frame.assign(vote=np.arange(len(votes.frame)))
    given = frame.groupby(["item", "answer"]).size().rename("given").reset_index()
    own = frame.groupby(["item", "annotator", "answer"]).size().rename("own").reset_index()
    pairs = frame.merge(given.rename(columns={"answer": "other_answer"}), on="item")
    pairs = pairs.merge(
        own.rename(columns={"answer": "other_answer"}), on=["item", "annotator", "other_answer"], how="left"
    )
    pairs["rest"] = pairs["given"] - pairs["own"].fillna(0)
    pairs["is_top"] = (pairs["rest"] == pairs.groupby("vote")["rest"].transform("max")) & (pairs["rest"] > 0)
    n_top = pairs.groupby("vote")["is_top"].sum().to_numpy(dtype=np.float64)
    matched = pairs.loc[pairs["is_top"] & (pairs["other_answer"] == pairs["answer"]), "vote"].to_numpy(dtype=np.intp)
    is_matched = np.zeros(len(frame))
    is_matched[matched] = 1.0
    return divide_safely(is_matched, n_top)


def _match_dawid_skene(votes: Votes) -> Floats:
    """As `_match_majority`, against the labels of the highest posterior without the annotator's votes."""
    coded = votes.encode()
    if len(coded.annotator_ids) > MOST_REFITS:
        table = dawid_skene.build_table(coded)
        posteriors = dawid_skene.leave_annotators_out(table, coded=coded, fit=dawid_skene.fit_table(table))
        return _share_top(posteriors, coded.answers)
    matches = np.full(len(coded.items), np.nan)
    for annotator in range(len(coded.annotator_ids)):
        own = coded.annotators == annotator
        if own.all():
            continue
        others = replace(coded, items=coded.items[~own], annotators=coded.annotators[~own], answers=coded.answers[~own])
        fit = dawid_skene.fit_table(dawid_skene.build_table(others))
        matches[own] = _share_top(fit.posteriors[coded.items[own]], coded.answers[own])
    return matches


def _share_top(posteriors: Floats, answers: Codes) -> Floats:
    """For each answer 1/t where it is one of the t labels of the highest posterior, else 0."""
    is_top = posteriors >= posteriors.max(axis=1, keepdims=True) - TIE_TOLERANCE
    return np.asarray(is_top[np.arange(len(answers)), answers] / is_top.sum(axis=1), dtype=np.float64)


REASON_NO_CLASSES = Finding("no-classes-for-kappa")
REASON_ONE_LABEL = Finding("always-one-label")
REASON_NO_REPEAT = Finding("no-repeat")


@dataclass(frozen=True, kw_only=True)
class SelfAgreement:
    """How often annotators gave the same answer again, over the repeats of all annotators together.

    `percent` is the share of repeats with two equal answers (0 to 1), `independent_low` and `independent_high` the ends
    of its interval, which treats all repeats as independent; `kappa` is Cohen's κ. `reason` says why `kappa`, or every
    number, is missing; else it is empty.
    """

    n_repeats: int
    n_annotators: int
    percent: float | None
    independent_low: float | None
    independent_high: float | None
    kappa: float | None
    reason: str


def compute_self_agreement(
    repeats: pd.DataFrame, *, has_classes: bool, confidence_level: float = 0.95
) -> SelfAgreement:
    """Compare first and later answers; `repeats` has one row per repeat with the columns annotator, first, again.

    The columns first and again are the two answers of the annotator to the same item. κ is Cohen's (1960), of first
    against later answers; without classes (`has_classes` is false: options differ from item to item) it is missing.
    """
    n = len(repeats)
    first, again = repeats["first"].astype(str), repeats["again"].astype(str)
    n_equal = int((first == again).sum())
    interval = share_interval(n_equal, n, confidence_level=confidence_level)
    kappa, reason = (
        _compute_kappa(first, again) if n and has_classes else (None, REASON_NO_CLASSES if n else REASON_NO_REPEAT)
    )
    return SelfAgreement(
        n_repeats=n,
        n_annotators=int(repeats["annotator"].nunique()),
        percent=n_equal / n if n else None,
        independent_low=interval.low,
        independent_high=interval.high,
        kappa=kappa,
        reason=reason,
    )


def _compute_kappa(first: pd.Series[str], again: pd.Series[str]) -> tuple[float | None, str]:
    """Cohen's kappa = 1 - (share of different answers) / (1 - chance), or None with the reason why it is undefined.

    Chance is the sum over labels of the product of the label's share among first and among later answers.
    """
    codes, labels = pd.factorize(np.concatenate([first.to_numpy(), again.to_numpy()]), sort=True)
    shares = [np.bincount(part, minlength=len(labels)) / len(first) for part in np.split(codes, 2)]
    chance = float(shares[0] @ shares[1])
    if len(labels) == 1:
        return None, REASON_ONE_LABEL
    return 1 - float((first != again).mean()) / (1 - chance), ""


OVERCONFIDENCE_WARNING = join_findings(Finding("overconfident"), Finding("overconfident-interval"))
DESCRIPTION_MEAN_POSTERIOR = "mean over items of the posterior of the item's label, {made}, labels and posteriors fixed"
N_CLASS_VOTES = 3
DESCRIPTION_CLASS_CONFIDENCE = (
    "mean over the items of a class of the share of their first {n} votes that give the class"
)


def estimate_mean_posterior(
    labels: Consensus, votes: Votes, *, n_resamples: int = 1000, seed: int = 0, confidence_level: float = 0.95
) -> Coefficient:
    """The mean posterior of the labels, a fraction, which published campaigns call "Dawid-Skene IAA".

    The row is named after the method (`dawid_skene_iaa`), and its `how` ends in OVERCONFIDENCE_WARNING.

    Raises Refused for labels whose confidence is a share of votes, not a posterior.
    """
    if labels.method not in ("dawid_skene", "one_coin_dawid_skene", "one_coin", "glad", "skills"):
        raise Refused(
            f"The labels by {labels.method} have no posterior to take the mean of.", remedy="Use dawid_skene, or alpha."
        )
    posteriors = np.asarray(labels.labels["confidence"], dtype=np.float64)
    return estimate_item_mean(
        Definition(
            name=f"{labels.method}_iaa",
            how=f"{DESCRIPTION_MEAN_POSTERIOR.format(made=labels.provenance)}. {OVERCONFIDENCE_WARNING.rstrip('.')}",
        ),
        posteriors,
        Resampling(n_resamples=n_resamples, seed=seed, confidence_level=confidence_level),
        groups=votes.items["group"].reindex(labels.labels.index),
        n_votes=len(votes.frame),
        n_annotators=votes.frame["annotator"].nunique(),
    )


def estimate_class_confidence(
    votes: Votes, labels: pd.Series[str], *, n_resamples: int = 1000, seed: int = 0
) -> tuple[Coefficient, ...]:
    """The share of votes that equal the class of their item: one row over all items, then one per class, sorted.

    `labels` (index item; label or None) is the class of each item: its gold, or its consensus. The first
    N_CLASS_VOTES votes of an item count; items with fewer votes are left out.
    """
    first_votes = votes.first_votes(N_CLASS_VOTES).frame
    size = first_votes.groupby("item")["answer"].transform("size")
    counted = first_votes.loc[(size == N_CLASS_VOTES) & first_votes["item"].map(labels).notna()]
    item_class = counted["item"].map(labels)
    share = (counted["answer"] == item_class).astype(float).groupby(counted["item"]).mean()
    classes = labels.reindex(share.index)
    resampling = Resampling(n_resamples=n_resamples, seed=seed)
    rows = []
    for name in ("", *sorted(classes.dropna().unique())):
        class_share = share if not name else share.loc[classes == name]
        class_votes = counted.loc[counted["item"].isin(class_share.index)]
        rows.append(
            estimate_item_mean(
                Definition(
                    name="class_confidence",
                    how=DESCRIPTION_CLASS_CONFIDENCE.format(n=N_CLASS_VOTES),
                    scale="share",
                    of=name,
                    reason_undefined=f"No item of the class has {N_CLASS_VOTES} votes.",
                ),
                np.asarray(class_share, dtype=np.float64),
                resampling,
                groups=votes.items["group"].reindex(class_share.index),
                n_votes=len(class_votes),
                n_annotators=class_votes["annotator"].nunique(),
            )
        )
    return tuple(rows)
