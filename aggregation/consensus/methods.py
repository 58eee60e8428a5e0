"""The one interface to all consensus methods: what each needs, what it refuses, and its warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.consensus import dawid_skene as sparse_dawid_skene
from aggregation.consensus import skills as skill_methods
from aggregation.consensus.consensus import TIE_TOLERANCE, Consensus, MethodScores, TieRule, settle_label_ties
from aggregation.consensus.dawid_skene import CROWDKIT_ITERATIONS, CROWDKIT_TOLERANCE, StopRule
from aggregation.consensus.method_input import (
    MethodInput,
    encode_anchors,
    encode_voted_anchors,
    get_crowdkit_version,
    index_skills,
    load_crowdkit_models,
    score_classes,
    score_pairs,
    warn_of_unvoted_anchors,
)
from aggregation.consensus.points import build_point_consensus
from aggregation.consensus.skills import compute_control_skills
from aggregation.errors import HromadaError, Refused
from aggregation.findings import Finding
from aggregation.schema import Codes, Votes
from aggregation.scoring import chrf, count_ngrams

CLOSEST_TEXT_VERSION = "hromada mean chrF 1"
MAX_CROWDKIT_VOTES = 100_000
TIPPED_DIFFERENCE = 0.01
"""By how much a posterior of crowd-kit's fit differs from that of rounded steps only where rounding tips a balance."""


def fit_majority(inputs: MethodInput) -> MethodScores:
    """Shares of votes. Without shared classes a column is the rank of an answer among the item's own answers.

    The table is then as wide as the largest number of different answers to one item, not as the number of all texts.
    """
    data, coded = inputs.coded.to_crowdkit(), inputs.coded
    if inputs.votes.classes is not None:
        return score_classes(load_crowdkit_models().MajorityVote().fit_predict_proba(data), inputs)
    data["text"] = data["label"]
    data["label"] = data.groupby("task")["label"].rank(method="dense").astype(int) - 1
    shares = load_crowdkit_models().MajorityVote().fit_predict_proba(data).sort_index().sort_index(axis=1)
    names = np.full(shares.shape, None, dtype=object)
    names[data["task"], data["label"]] = np.array(coded.labels, dtype=object)[data["text"]]
    return MethodScores(
        items=coded.item_ids,
        names=names,
        scores=shares.to_numpy(dtype=float),
        version=get_crowdkit_version(),
        shared=False,
    )


def fit_wawa(inputs: MethodInput) -> MethodScores:
    """Worker agreement with aggregate: votes weighted by how often their annotator agrees with the majority."""
    data = inputs.coded.to_crowdkit()
    model = load_crowdkit_models().Wawa().fit(data)
    shares, warnings = _weigh_votes(data, model.skills_)
    n_tied = _count_tied_items(data)
    warnings += (Finding("inner-ties", n=n_tied),) if n_tied else ()
    return score_classes(shares, inputs, skills=index_skills(model.skills_, inputs), warnings=warnings)


def fit_gold_majority(inputs: MethodInput) -> MethodScores:
    """Votes weighted by their annotator's share of right answers on the anchors; each answered at least one."""
    data = inputs.coded.to_crowdkit()
    anchors = pd.Series(encode_anchors(inputs), name="true_label")  # where nobody gave the gold label, all were wrong
    model = load_crowdkit_models().GoldMajorityVote().fit(data, anchors[anchors >= 0])
    shares, warnings = _weigh_votes(data, model.skills_)
    n_anchors = int((anchors >= 0).sum())
    return score_classes(
        shares, inputs, skills=index_skills(model.skills_, inputs), n_anchors=n_anchors, warnings=warnings
    )


def fit_dawid_skene(inputs: MethodInput) -> MethodScores:
    """Dawid and Skene (1979), doi:10.2307/2346806, as crowd-kit estimates it; rows scaled to one after its floor.

    The sparse fit takes over above MAX_CROWDKIT_VOTES, and if the stop is not crowd-kit's. It does so as well where
    votes are in exact balance: crowd-kit's fit then follows the rounding of sums, that is, the order of names.
    """
    anchors, warnings = encode_voted_anchors(inputs), warn_of_unvoted_anchors(inputs)
    if inputs.stop != "crowdkit":
        return _fit_sparse(inputs, anchors=anchors, warnings=(*warnings, Finding("sparse-until-still")))
    if len(inputs.coded.items) > MAX_CROWDKIT_VOTES:
        why = Finding("sparse-for-size", n=MAX_CROWDKIT_VOTES)
        return _fit_sparse(inputs, anchors=anchors, warnings=(*warnings, why))
    model = load_crowdkit_models().DawidSkene(n_iter=CROWDKIT_ITERATIONS, tol=CROWDKIT_TOLERANCE)
    anchored = pd.Series(anchors)
    anchored = anchored[anchored >= 0]
    table = model.fit_predict_proba(inputs.coded.to_crowdkit(), anchored if len(anchored) else None)
    change = _get_last_change(model.loss_history_)
    fit = score_classes(
        table,
        inputs,
        priors=model.priors_,
        iterations=len(model.loss_history_),
        converged=abs(change) < CROWDKIT_TOLERANCE,
        n_anchors=len(anchored),
        warnings=warnings + _warn_of_end(change),
    )
    rounded = _fit_sparse(inputs, anchors=anchors, warnings=(*warnings, Finding("sparse-for-balance")))
    is_tipped = np.abs(fit.scores - rounded.scores).max(initial=0.0) > TIPPED_DIFFERENCE
    return rounded if is_tipped else fit


def fit_one_coin_dawid_skene(inputs: MethodInput) -> MethodScores:
    """Dawid-Skene with one skill per annotator, Zhang et al. (2016), doi:10.48550/arXiv.1406.3824, by crowd-kit."""
    model = load_crowdkit_models().OneCoinDawidSkene(n_iter=CROWDKIT_ITERATIONS, tol=CROWDKIT_TOLERANCE)
    table = model.fit_predict_proba(inputs.coded.to_crowdkit())
    change = _get_last_change(model.loss_history_)
    return score_classes(
        table,
        inputs,
        priors=model.priors_,
        iterations=len(model.loss_history_),
        converged=abs(change) < CROWDKIT_TOLERANCE,
        skills=index_skills(model.skills_, inputs),
        warnings=_warn_of_end(change),
    )


def fit_glad(inputs: MethodInput) -> MethodScores:
    """Abilities and difficulties, Whitehill et al. (2009), by crowd-kit; a single label is not estimated."""
    data = inputs.coded.to_crowdkit()
    if data["label"].nunique() == 1:
        certain = pd.DataFrame(1.0, index=range(len(inputs.coded.item_ids)), columns=[data["label"].iloc[0]])
        return score_classes(certain, inputs, iterations=0, converged=True)
    model = load_crowdkit_models().GLAD(n_iter=CROWDKIT_ITERATIONS, tol=CROWDKIT_TOLERANCE)
    table = model.fit_predict_proba(data)
    change = _get_last_change(model.loss_history_)
    return score_classes(
        table,
        inputs,
        iterations=len(model.loss_history_),
        converged=abs(change) < CROWDKIT_TOLERANCE,
        warnings=_warn_of_end(change),
    )


def fit_one_coin(inputs: MethodInput) -> MethodScores:
    """The one-coin posterior, in which each item has its own number of options."""
    fit = skill_methods.fit_one_coin(inputs.votes)
    warnings = () if fit.converged else (Finding("not-settled", n=fit.iterations or 0),)
    return score_pairs(fit, inputs, decides=fit.posterior, version=skill_methods.ONE_COIN_VERSION, warnings=warnings)


def fit_skills(inputs: MethodInput) -> MethodScores:
    """Toloka's aggregation by skill: the largest sum of skills decides, the posterior is the confidence."""
    if inputs.skills is None:
        raise HromadaError("Aggregation by skill needs the skills.", remedy="Give control items, or use wawa.")
    fit, sums = skill_methods.weigh_by_skill(inputs.votes, inputs.skills)
    return score_pairs(fit, inputs, decides=sums, version=skill_methods.SKILL_WEIGHTED_VERSION)


def fit_rover(inputs: MethodInput) -> MethodScores:
    """ROVER, Fiscus (1997), doi:10.1109/ASRU.1997.659110: texts aligned word by word, a plurality for each word.

    Texts are aligned in sorted order, so that neither row order nor annotators' names have an influence; words are
    separated by blanks. The confidence is the share of the item's texts that equal the result.
    """
    frame = inputs.votes.frame.sort_values(["item", "answer"], kind="stable")
    data = frame.set_axis(["task", "worker", "text"], axis=1)
    joined = load_crowdkit_models().ROVER(tokenizer=str.split, detokenizer=" ".join).fit_predict(data).sort_index()
    same = frame["answer"].str.split().str.join(" ") == frame["item"].map(joined)
    shares = same.astype(float).groupby(frame["item"]).mean().reindex(joined.index)
    return MethodScores(
        items=joined.index.to_numpy(dtype=object),
        names=joined.to_numpy(dtype=object)[:, None],
        scores=np.asarray(shares, dtype=np.float64)[:, None],
        version=get_crowdkit_version(),
        shared=False,
    )


def fit_closest_text(inputs: MethodInput) -> MethodScores:
    """The text of an item that has the largest mean chrF with the item's other texts, each being the reference once.

    The confidence is that mean, 1 for a single text; if an item has just two votes that differ, they are tied.
    """
    coded = inputs.coded.sort_votes()
    texts = np.array(coded.labels, dtype=object)
    ends = np.flatnonzero(np.diff(coded.items)) + 1
    of_items = [Counter(texts[codes].tolist()) for codes in np.split(coded.answers, ends)]
    width = max(len(counts) for counts in of_items)
    names: NDArray[np.object_] = np.full((len(coded.item_ids), width), None, dtype=object)
    scores = np.full(names.shape, -1.0)
    for item, counts in enumerate(of_items):
        for place, (text, similarity) in enumerate(_compute_similarities(counts).items()):
            names[item, place], scores[item, place] = text, similarity
    return MethodScores(items=coded.item_ids, names=names, scores=scores, version=CLOSEST_TEXT_VERSION, shared=False)


def _compute_similarities(counts: Counter[str]) -> dict[str, float]:
    """The mean chrF of each text with all other texts of the item; equal texts have 1."""
    n = counts.total()
    ngrams = {text: count_ngrams(text) for text in sorted(counts)}
    if n == 1:
        return dict.fromkeys(ngrams, 1.0)
    sums = {text: float(counts[text] - 1) for text in ngrams}
    for one, two in combinations(ngrams, 2):
        similarity = (chrf(ngrams[one], ngrams[two]) + chrf(ngrams[two], ngrams[one])) / 2
        sums[one] += similarity * counts[two]
        sums[two] += similarity * counts[one]
    return {text: total / (n - 1) for text, total in sums.items()}


def _fit_sparse(inputs: MethodInput, *, anchors: Codes, warnings: tuple[str, ...]) -> MethodScores:
    fit = sparse_dawid_skene.fit_table(sparse_dawid_skene.build_table(inputs.coded), stop=inputs.stop, anchors=anchors)
    is_default = inputs.stop == "crowdkit"
    end = _warn_of_end(fit.change) if is_default else () if fit.converged else (_describe_limit(fit.iterations),)
    columns = range(len(inputs.coded.labels))
    return score_classes(
        pd.DataFrame(fit.posteriors, columns=columns),
        inputs,
        version=f"{sparse_dawid_skene.VERSION}, stop: {inputs.stop}",
        priors=pd.Series(fit.priors, index=columns),
        iterations=fit.iterations,
        converged=fit.converged,
        n_anchors=int((anchors >= 0).sum()),
        warnings=(*warnings, *end),
    )


def _weigh_votes(data: pd.DataFrame, skills: Any) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Shares of the votes weighted by skills, as crowd-kit's own prediction computes them, and warnings.

    crowd-kit's own prediction fails with newer versions of scikit-learn. Where nobody on an item has any weight there
    is no weighted share; the plain share takes its place.
    """
    weight = data["worker"].map(skills).groupby(data["task"]).transform("sum")
    plain = pd.crosstab(data["task"], data["label"], normalize="index")
    if not (weight > 0).any():
        return plain, (Finding("weightless", n=len(plain)),)
    shares = load_crowdkit_models().MajorityVote().fit_predict_proba(data.loc[weight > 0], skills=skills)
    empty = plain.index.difference(shares.index)
    if empty.empty:
        return shares, ()
    joined = pd.concat([shares, plain.loc[empty]]).fillna(0.0).sort_index()
    return joined, (Finding("weightless", n=len(empty)),)


def _count_tied_items(data: pd.DataFrame) -> int:
    """The number of items with several labels at the top of the plain counts."""
    counts = data.groupby(["task", "label"]).size()
    top = counts.groupby("task").transform("max")
    at_top = (counts == top).astype(int).groupby("task").sum()
    return int((at_top > 1).sum())


def _get_last_change(history: Sequence[float]) -> float:
    return float(history[-1] - history[-2]) if len(history) > 1 else float("inf")


def _warn_of_end(change: float) -> tuple[str, ...]:
    """A warning where the estimation did not converge; `change` is the last step's gain in crowd-kit's bound.

    crowd-kit stops on any step below the tolerance, so also when its bound falls, which is no convergence.
    """
    if change >= CROWDKIT_TOLERANCE:
        return (_describe_limit(CROWDKIT_ITERATIONS),)
    if change <= -CROWDKIT_TOLERANCE:
        return (Finding("bound-fell", change=-change),)
    return ()


def _describe_limit(iterations: int) -> Finding:
    return Finding("not-converged", n=iterations)


Method = Literal[
    "majority",
    "gold_majority",
    "wawa",
    "dawid_skene",
    "one_coin_dawid_skene",
    "glad",
    "one_coin",
    "skills",
    "rover",
    "closest",
    "mean",
    "median",
    "bradley_terry",
    "davidson",
]
METHOD_NAMES: Mapping[Method, Finding] = MappingProxyType({method: Finding(method) for method in get_args(Method)})
METHODS_WITHOUT_CLASSES: tuple[Method, ...] = ("majority", "one_coin", "skills", "rover", "closest")
RANKING_METHODS: tuple[Method, ...] = ("bradley_terry", "davidson")
"""They make strengths of the systems that wrote compared texts (`aggregation.preferences`), and no label of an item."""
METHODS_WITH_ANCHORS: tuple[Method, ...] = ("dawid_skene", "gold_majority")
MAX_GLAD_VOTES = 200_000
NOTICEABLE_SHARE = 0.05  # a label with so large a share of the votes and no item causes a warning
_FITS: Mapping[Method, Callable[[MethodInput], MethodScores]] = MappingProxyType(
    {
        "majority": fit_majority,
        "gold_majority": fit_gold_majority,
        "wawa": fit_wawa,
        "dawid_skene": fit_dawid_skene,
        "one_coin_dawid_skene": fit_one_coin_dawid_skene,
        "glad": fit_glad,
        "one_coin": fit_one_coin,
        "skills": fit_skills,
        "rover": fit_rover,
        "closest": fit_closest_text,
    }
)


def build_label_consensus(
    votes: Votes,
    *,
    method: Method,
    ties: TieRule,
    seed: int = 0,
    anchors: pd.Series[str] | None = None,
    skills: pd.Series[float] | None = None,
    stop: StopRule = "crowdkit",
) -> Consensus:
    """Aggregate the votes by `method` and settle ties by the rule `ties`.

    `first` takes the tied label that comes first in file order (one that nobody gave comes last), `alphabetical` the
    first by code point, `random` one drawn from `seed` and the item's id alone; `shared` and `drop` leave the label
    open, and `compute_label_accuracy` then counts one over the number of tied labels, or nothing.

    `anchors` (index item; label or None) are labels taken as known: `dawid_skene` fixes their items to them, and
    `gold_majority` needs them to weigh annotators by. `skills` (index annotator) are for the method of that name.
    `stop` is for `dawid_skene`: `converged` runs the sparse fit until no posterior moves.

    Raises HromadaError for no votes or an unknown name, Refused where the votes do not allow the method; the
    remedy names one that fits.
    """
    for kind, name, known in (
        ("method", method, get_args(Method)),
        ("tie rule", ties, get_args(TieRule)),
        ("stop", stop, get_args(StopRule)),
    ):
        if name not in known:
            raise HromadaError(f"There is no {kind} {name!r}.", remedy=f"Use one of {', '.join(known)}.")
    if votes.frame.empty:
        raise HromadaError("There are no votes to make a consensus of.", remedy="Collect or import answers first.")
    known_labels = None if anchors is None else anchors.dropna()
    _check_method(votes, method=method, anchors=known_labels)
    if method in ("mean", "median"):
        return build_point_consensus(votes, method=method, ties=ties, seed=seed)
    inputs = MethodInput(votes=votes, coded=votes.encode(), skills=skills, anchors=known_labels, stop=stop)
    scores = _FITS[method](inputs)
    warnings = (
        *scores.warnings,
        *_warn_of_few_votes(votes, method=method),
        *_warn_of_collapse(scores, votes),
        *_warn_of_degenerate_fit(scores, inputs, method=method),
    )
    return settle_label_ties(replace(scores, warnings=warnings), votes=votes, method=method, ties=ties, seed=seed)


def derive_anchors_and_skills(
    votes: Votes, *, method: Method, anchors: bool = False
) -> tuple[pd.Series[str] | None, pd.Series[float] | None]:
    """What a method may use of the votes' own gold: the anchors, and the annotators' skills.

    `gold_majority` and `skills` need gold; other methods take it as anchors if `anchors` is set. Raises Refused where
    there is no gold.
    """
    gold = votes.items["gold"].dropna()
    needed = anchors or method in ("gold_majority", "skills")
    if needed and not votes.frame["item"].isin(gold.index).any():
        raise Refused(Finding("no-answers-with-gold"), remedy="Use majority or dawid_skene without anchors.")
    if method == "skills":
        if anchors:
            raise Refused(
                f"{METHOD_NAMES[method]} takes no anchors.", remedy="Leave them out; its skills come from the gold."
            )
        return None, compute_control_skills(votes)
    return (gold if needed else None), None


def _check_method(votes: Votes, *, method: Method, anchors: pd.Series[str] | None) -> None:
    """Raise Refused or HromadaError for a combination whose result would mean nothing."""
    if votes.classes is None and method not in METHODS_WITHOUT_CLASSES:
        raise Refused(
            Finding("needs-classes", method=METHOD_NAMES[method]),
            remedy=Finding("use-either", method="majority", other="one_coin"),
        )
    if votes.classes is not None and method in ("rover", "closest"):
        raise Refused(Finding("needs-texts", method=METHOD_NAMES[method]), remedy=Finding("use", method="majority"))
    if anchors is not None and method not in METHODS_WITH_ANCHORS:
        raise Refused(Finding("no-anchors", method=METHOD_NAMES[method]), remedy=Finding("use", method="dawid_skene"))
    if method == "glad" and len(votes.frame) > MAX_GLAD_VOTES:
        raise Refused(
            Finding("too-slow", n=MAX_GLAD_VOTES),
            remedy=Finding("use-either", method="dawid_skene", other="majority"),
        )
    if method == "gold_majority":
        _check_anchored_annotators(votes, anchors)
    undeclared = [] if anchors is None else sorted(set(anchors) - set(votes.classes or ()))
    if undeclared:
        raise HromadaError(f"The gold says {undeclared[0]!r}, which is not a declared label.")


def _check_anchored_annotators(votes: Votes, anchors: pd.Series[str] | None) -> None:
    seen = votes.frame.loc[votes.frame["item"].isin([] if anchors is None else anchors.index), "annotator"]
    lacking = sorted(set(votes.frame["annotator"]) - set(seen))
    if lacking:
        raise Refused(
            Finding("people-without-gold", n=len(lacking), name=lacking[0]),
            remedy=Finding("use-either", method="wawa", other="majority"),
        )


def _warn_of_few_votes(votes: Votes, *, method: Method) -> tuple[str, ...]:
    """Toloka's own warning: an annotator should give at least as many votes as a confusion matrix has cells, |L|²."""
    if method != "dawid_skene" or votes.classes is None:
        return ()
    classes, median = len(votes.classes), float(votes.frame["annotator"].value_counts().median())
    if median >= classes**2:
        return ()
    return (Finding("few-votes", n=median, cells=classes**2, classes=classes),)


def _warn_of_collapse(result: MethodScores, votes: Votes) -> tuple[str, ...]:
    """Warn of labels with many votes and no item: the sign of an estimate that collapsed into one class."""
    if not result.shared or result.iterations is None:
        return ()
    shares = votes.frame["answer"].value_counts(normalize=True)
    assigned = set(result.names[np.arange(len(result.items)), result.scores.argmax(axis=1)])
    return tuple(
        Finding("collapsed", label=name, share=100 * float(shares[name]))
        for name in votes.classes or ()
        if shares.get(name, 0.0) >= NOTICEABLE_SHARE and name not in assigned
    )


def _warn_of_degenerate_fit(result: MethodScores, inputs: MethodInput, *, method: Method) -> tuple[str, ...]:
    """Warn where a fit ties more items than the majority, and of Dawid-Skene's annotators who met one label only.

    Somebody met a label if anybody gave it to an item that they answered. Of an annotator whose items all have one
    label nothing says what they would answer to another, so that their votes can count for every label alike: a fit
    left 120 items of two such teams tied, on which all votes were equal and right.
    """
    if result.iterations is None:
        return ()
    coded = inputs.coded
    n_labels = max(1, len(coded.labels))
    given = np.zeros((len(coded.item_ids), n_labels), dtype=bool)
    given[coded.items, coded.answers] = True
    met = np.zeros((len(coded.annotator_ids), n_labels), dtype=bool)
    np.logical_or.at(met, coded.annotators, given[coded.items])
    n_single = int((met.sum(axis=1) == 1).sum())
    warnings: list[str] = []
    n_ties = int((np.sum(result.scores >= result.scores.max(axis=1)[:, None] - TIE_TOLERANCE, axis=1) > 1).sum())
    n_majority = _count_tied_items(coded.to_crowdkit())
    if n_ties > n_majority:
        warnings.append(Finding("fit-ties", n=n_ties, majority=n_majority))
    if n_single and method == "dawid_skene":
        warnings.append(Finding("one-label-met", n=n_single, people=len(met)))
    return tuple(warnings)
