"""The consensus methods, votes in and scores out: crowd-kit's, and our own where crowd-kit has none or is too slow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation import dawid_skene as sparse_dawid_skene
from aggregation import skills as skill_methods
from aggregation.dawid_skene import CROWDKIT_ITERATIONS, CROWDKIT_TOLERANCE
from aggregation.errors import HromadaError
from aggregation.labels.consensus.crowdkit_models import get_crowdkit_version, load_crowdkit_models
from aggregation.labels.consensus.method_input import (
    MethodInput,
    encode_anchors,
    encode_voted_anchors,
    index_skills,
    score_classes,
    score_pairs,
    warn_of_unvoted_anchors,
)
from aggregation.labels.consensus.ties import MethodScores
from aggregation.schema import Codes
from aggregation.scoring import chrf, count_ngrams

CLOSEST_TEXT_VERSION = "hromada mean chrF 1"
MAX_CROWDKIT_VOTES = 100_000
WARNING_WEIGHTLESS = "{n} items were answered only by people without weight; plain shares of votes decide them."
WARNING_INNER_TIES = "{n} items were tied when the first majority was taken; crowd-kit settles those alphabetically."


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
    warnings += (WARNING_INNER_TIES.format(n=n_tied),) if n_tied else ()
    return score_classes(shares, inputs, skills=index_skills(model.skills_, inputs), warnings=warnings)


def fit_gold_majority(inputs: MethodInput) -> MethodScores:
    """Votes weighted by their annotator's share of right answers on the anchors, which everybody has answered."""
    data = inputs.coded.to_crowdkit()
    anchors = pd.Series(encode_anchors(inputs), name="true_label")  # a label that nobody gave is a mistake of all
    model = load_crowdkit_models().GoldMajorityVote().fit(data, anchors[anchors >= 0])
    shares, warnings = _weigh_votes(data, model.skills_)
    n_anchors = int((anchors >= 0).sum())
    return score_classes(
        shares, inputs, skills=index_skills(model.skills_, inputs), n_anchors=n_anchors, warnings=warnings
    )


def fit_dawid_skene(inputs: MethodInput) -> MethodScores:
    """Dawid and Skene (1979), doi:10.2307/2346806, as crowd-kit estimates it; rows scaled to one after its floor.

    The sparse fit takes over above CROWD_KIT_VOTES, and where the stop is not crowd-kit's.
    """
    anchors, warnings = encode_voted_anchors(inputs), warn_of_unvoted_anchors(inputs)
    if inputs.stop != "crowdkit" or len(inputs.coded.items) > MAX_CROWDKIT_VOTES:
        return _fit_sparse(inputs, anchors=anchors, warnings=warnings)
    model = load_crowdkit_models().DawidSkene(n_iter=CROWDKIT_ITERATIONS, tol=CROWDKIT_TOLERANCE)
    known = pd.Series(anchors)
    known = known[known >= 0]
    table = model.fit_predict_proba(inputs.coded.to_crowdkit(), known if len(known) else None)
    change = _get_last_change(model.loss_history_)
    return score_classes(
        table,
        inputs,
        priors=model.priors_,
        iterations=len(model.loss_history_),
        converged=abs(change) < CROWDKIT_TOLERANCE,
        n_anchors=len(known),
        warnings=warnings + _warn_of_end(change),
    )


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
    warnings = () if fit.converged else (f"The one-coin estimation had not settled after {fit.iterations} iterations.",)
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

    The confidence is that mean, 1 for a single text; two different texts alone are always tied.
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
    reason = f"More than {MAX_CROWDKIT_VOTES} votes" if is_default else "Run until nothing moves"
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
        warnings=(*warnings, f"{reason}: fitted by the sparse Dawid-Skene instead of crowd-kit's.", *end),
    )


def _weigh_votes(data: pd.DataFrame, skills: Any) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Shares of the votes weighted by skills, as crowd-kit's own prediction computes them, and warnings.

    crowd-kit's own prediction fails with newer versions of scikit-learn. Where nobody on an item has any weight there
    is no weighted share; the plain share takes its place.
    """
    weight = data["worker"].map(skills).groupby(data["task"]).transform("sum")
    plain = pd.crosstab(data["task"], data["label"], normalize="index")
    if not (weight > 0).any():
        return plain, (WARNING_WEIGHTLESS.format(n=len(plain)),)
    shares = load_crowdkit_models().MajorityVote().fit_predict_proba(data.loc[weight > 0], skills=skills)
    empty = plain.index.difference(shares.index)
    if empty.empty:
        return shares, ()
    joined = pd.concat([shares, plain.loc[empty]]).fillna(0.0).sort_index()
    return joined, (WARNING_WEIGHTLESS.format(n=len(empty)),)


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
        return (f"The estimation stopped on a fall of its bound by {-change:.2g} a vote: it did not converge.",)
    return ()


def _describe_limit(iterations: int) -> str:
    return f"The estimation had not converged after {iterations} iterations."
