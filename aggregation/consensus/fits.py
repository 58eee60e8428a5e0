"""The methods themselves, votes in and scores out: crowd-kit's, and ours where crowd-kit has none or is too slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation import dawid_skene as sparse_dawid_skene
from aggregation import skills as skill
from aggregation.consensus.labels import Scores
from aggregation.dawid_skene import ITERATIONS, TOLERANCE, Stop
from aggregation.errors import HromadaError
from aggregation.schema import Coded, Codes, Floats, Votes

CROWD_KIT_VOTES = 100_000
WEIGHTLESS = "{n} items were answered only by people without weight; plain shares of votes decide them."
INNER_TIES = "{n} items were tied when the first majority was taken; crowd-kit settles those alphabetically."


@dataclass(frozen=True, kw_only=True, eq=False)
class Given:
    """Votes and what a method may be told beside them: skills, known labels of items (both by id), and when to stop."""

    votes: Votes
    coded: Coded
    skills: pd.Series[float] | None
    anchors: pd.Series[str] | None
    stop: Stop


def crowd_kit() -> str:
    """The version of crowd-kit, as it stands beside its labels."""
    return f"crowd-kit {version('crowd-kit')}"


def majority(given: Given) -> Scores:
    """Shares of votes. Without shared classes an answer is named by its rank among the item's own answers.

    The table then is as wide as the most divided item, not as the number of all texts.
    """
    from crowdkit.aggregation import MajorityVote  # slow to import

    data, coded = given.coded.crowdkit(), given.coded
    if given.votes.classes is not None:
        return _closed(MajorityVote().fit_predict_proba(data), given)
    data["text"] = data["label"]
    data["label"] = data.groupby("task")["label"].rank(method="dense").astype(int) - 1
    shares = MajorityVote().fit_predict_proba(data).sort_index().sort_index(axis=1)
    names = np.full(shares.shape, None, dtype=object)
    names[data["task"], data["label"]] = np.array(coded.labels, dtype=object)[data["text"]]
    return Scores(
        items=coded.item_ids, names=names, scores=shares.to_numpy(dtype=float), version=crowd_kit(), shared=False
    )


def wawa(given: Given) -> Scores:
    """Worker agreement with aggregate: votes weighed by how often their giver agrees with the majority."""
    from crowdkit.aggregation import Wawa

    data = given.coded.crowdkit()
    model = Wawa().fit(data)
    shares, said = _weighed(data, model.skills_)
    tied = _tied_first(data)
    said += (INNER_TIES.format(n=tied),) if tied else ()
    return _closed(shares, given, skills=_skills(model.skills_, given), warnings=said)


def gold_majority(given: Given) -> Scores:
    """Votes weighed by their giver's share of right answers on the anchors, which everybody has answered."""
    from crowdkit.aggregation import GoldMajorityVote

    data = given.coded.crowdkit()
    anchors = pd.Series(_anchors(given), name="true_label")
    model = GoldMajorityVote().fit(data, anchors[anchors >= 0])
    shares, said = _weighed(data, model.skills_)
    n_anchors = int((anchors >= 0).sum())
    return _closed(shares, given, skills=_skills(model.skills_, given), n_anchors=n_anchors, warnings=said)


def dawid_skene(given: Given) -> Scores:
    """Dawid and Skene (1979), doi:10.2307/2346806, as crowd-kit estimates it; rows scaled to one after its floor.

    The sparse fit takes over above CROWD_KIT_VOTES, and where the stop is not crowd-kit's.
    """
    anchors, said = _anchors(given), _unvoted(given)
    if given.stop != "crowdkit" or len(given.coded.items) > CROWD_KIT_VOTES:
        return _sparse(given, anchors=anchors, said=said)
    from crowdkit.aggregation import DawidSkene

    model = DawidSkene(n_iter=ITERATIONS, tol=TOLERANCE)
    known = pd.Series(anchors)
    known = known[known >= 0]
    table = model.fit_predict_proba(given.coded.crowdkit(), known if len(known) else None)
    change = _last_change(model.loss_history_)
    return _closed(
        table,
        given,
        priors=model.priors_,
        iterations=len(model.loss_history_),
        converged=abs(change) < TOLERANCE,
        n_anchors=len(known),
        warnings=said + _ended(change),
    )


def one_coin_dawid_skene(given: Given) -> Scores:
    """Dawid-Skene with one skill a person, Zhang et al. (2016), doi:10.48550/arXiv.1406.3824, by crowd-kit."""
    from crowdkit.aggregation import OneCoinDawidSkene

    model = OneCoinDawidSkene(n_iter=ITERATIONS, tol=TOLERANCE)
    table = model.fit_predict_proba(given.coded.crowdkit())
    change = _last_change(model.loss_history_)
    return _closed(
        table,
        given,
        priors=model.priors_,
        iterations=len(model.loss_history_),
        converged=abs(change) < TOLERANCE,
        skills=_skills(model.skills_, given),
        warnings=_ended(change),
    )


def glad(given: Given) -> Scores:
    """Abilities and difficulties, Whitehill et al. (2009), by crowd-kit; one label alone needs no estimate."""
    from crowdkit.aggregation import GLAD

    data = given.coded.crowdkit()
    if data["label"].nunique() == 1:
        sure = pd.DataFrame(1.0, index=range(len(given.coded.item_ids)), columns=[data["label"].iloc[0]])
        return _closed(sure, given, iterations=0, converged=True)
    model = GLAD(n_iter=ITERATIONS, tol=TOLERANCE)
    table = model.fit_predict_proba(data)
    change = _last_change(model.loss_history_)
    return _closed(
        table,
        given,
        iterations=len(model.loss_history_),
        converged=abs(change) < TOLERANCE,
        warnings=_ended(change),
    )


def one_coin(given: Given) -> Scores:
    """The one-coin posterior in which each item has its own number of options."""
    fit = skill.one_coin(given.votes)
    said = () if fit.converged else (f"The one-coin estimation had not settled after {fit.iterations} iterations.",)
    return _of_pairs(fit, given, decides=fit.posterior, version=skill.ONE_COIN, warnings=said)


def by_skills(given: Given) -> Scores:
    """Toloka's aggregation by skill: the largest sum of skills decides, the posterior is told."""
    if given.skills is None:
        raise HromadaError("Aggregation by skill needs the skills.", remedy="Give control items, or use wawa.")
    fit, sums = skill.weighted(given.votes, given.skills)
    return _of_pairs(fit, given, decides=sums, version=skill.WEIGHTED)


def rover(given: Given) -> Scores:
    """ROVER, Fiscus (1997), doi:10.1109/ASRU.1997.659110: texts aligned word by word, each place by plurality.

    Texts are aligned in sorted order, so that neither the order of rows nor the names of people are an input; words
    are what blanks divide. The confidence is the share of the item's texts that equal the result.
    """
    from crowdkit.aggregation import ROVER

    frame = given.votes.frame.sort_values(["item", "answer"], kind="stable")
    data = frame.set_axis(["task", "worker", "text"], axis=1)
    joined = ROVER(tokenizer=str.split, detokenizer=" ".join).fit_predict(data).sort_index()
    same = frame["answer"].str.split().str.join(" ") == frame["item"].map(joined)
    shares = same.astype(float).groupby(frame["item"]).mean().reindex(joined.index)
    return Scores(
        items=joined.index.to_numpy(dtype=object),
        names=joined.to_numpy(dtype=object)[:, None],
        scores=np.asarray(shares, dtype=np.float64)[:, None],
        version=crowd_kit(),
        shared=False,
    )


def _sparse(given: Given, *, anchors: Codes, said: tuple[str, ...]) -> Scores:
    fit = sparse_dawid_skene.fit(sparse_dawid_skene.table(given.coded), stop=given.stop, anchors=anchors)
    many = f"More than {CROWD_KIT_VOTES} votes" if given.stop == "crowdkit" else "Run until nothing moves"
    ended = _ended(fit.change) if given.stop == "crowdkit" else () if fit.converged else (_unfinished(fit.iterations),)
    columns = range(len(given.coded.labels))
    return _closed(
        pd.DataFrame(fit.posteriors, columns=columns),
        given,
        made_by=f"{sparse_dawid_skene.VERSION}, stop: {given.stop}",
        priors=pd.Series(fit.priors, index=columns),
        iterations=fit.iterations,
        converged=fit.converged,
        n_anchors=int((anchors >= 0).sum()),
        warnings=(*said, f"{many}: fitted by the sparse Dawid-Skene instead of crowd-kit's.", *ended),
    )


def _closed(
    table: pd.DataFrame,
    given: Given,
    *,
    made_by: str | None = None,
    priors: pd.Series[float] | None = None,
    iterations: int | None = None,
    converged: bool | None = None,
    skills: pd.Series[float] | None = None,
    n_anchors: int = 0,
    warnings: tuple[str, ...] = (),
) -> Scores:
    """Scores of declared classes in declared order, from a table of codes (tasks × labels) in any order.

    What has priors also has crowd-kit's floor, after which rows are scaled to one.
    """
    classes: Sequence[str] = given.votes.classes or ()
    codes = [given.coded.labels.index(name) for name in classes]
    ordered = table.sort_index().reindex(columns=codes, fill_value=0.0).to_numpy(dtype=float)
    marginals: Mapping[str, float] | None = None
    if priors is not None:
        shares = priors.reindex(codes, fill_value=0.0).to_numpy(dtype=float)
        marginals = {name: float(share) for name, share in zip(classes, shares, strict=True)}
    return Scores(
        items=given.coded.item_ids,
        names=np.broadcast_to(np.array(classes, dtype=object), ordered.shape),
        scores=ordered / ordered.sum(axis=1, keepdims=True) if priors is not None else ordered,
        version=made_by or crowd_kit(),
        shared=True,
        marginals=marginals,
        iterations=iterations,
        converged=converged,
        skills=skills,
        n_anchors=n_anchors,
        warnings=warnings,
    )


def _of_pairs(fit: skill.Fit, given: Given, *, decides: Floats, version: str, warnings: tuple[str, ...] = ()) -> Scores:
    """Scores from (item, answer) pairs: by class where there are classes, else by the rank of the item's answers."""
    pairs, coded = fit.given, given.coded
    size = len(coded.item_ids)
    classes = given.votes.classes
    first = np.searchsorted(pairs.item, np.arange(size))
    place = np.arange(len(pairs.item)) - first[pairs.item]
    names: NDArray[np.object_] = np.full((size, int(place.max()) + 1), None, dtype=object)
    told, deciding = np.zeros(names.shape), np.zeros(names.shape)
    if classes is not None:
        place = np.array([classes.index(name) for name in coded.labels])[pairs.answer]
        names = np.broadcast_to(np.array(classes, dtype=object), (size, len(classes)))
        told, deciding = np.repeat(fit.unchosen[:, None], len(classes), axis=1), np.zeros(names.shape)
    else:
        names[pairs.item, place] = np.array(coded.labels, dtype=object)[pairs.answer]
    told[pairs.item, place], deciding[pairs.item, place] = fit.posterior, decides
    by_person = pd.Series(fit.skills, index=pd.Index(coded.annotator_ids, name="annotator"), name="skill")
    return Scores(
        items=coded.item_ids,
        names=names,
        scores=deciding,
        confidence=told,
        version=version,
        shared=classes is not None,
        iterations=fit.iterations,
        converged=fit.converged,
        skills=by_person,
        warnings=warnings,
    )


def _anchors(given: Given) -> Codes:
    """The code of each voted item's known label, -1 for none and for labels that nobody gave."""
    known = (pd.Series(dtype=object) if given.anchors is None else given.anchors).reindex(given.coded.item_ids)
    codes = pd.Index(given.coded.labels).get_indexer(pd.Index(known))
    return np.where(np.isin(codes, given.coded.answers), codes, -1)


def _unvoted(given: Given) -> tuple[str, ...]:
    if given.anchors is None:
        return ()
    known = given.anchors.reindex(given.coded.item_ids).notna().to_numpy()
    lost = int((known & (_anchors(given) < 0)).sum())
    return (f"{lost} gold anchors name a label that nobody gave and are left out.",) if lost else ()


def _skills(found: Any, given: Given) -> pd.Series[float]:
    known = pd.Series(found).reindex(range(len(given.coded.annotator_ids)))
    return known.set_axis(pd.Index(given.coded.annotator_ids, name="annotator")).rename("skill")


def _weighed(data: pd.DataFrame, skills: Any) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Shares of the votes weighed by skills, which is what crowd-kit's own prediction is.

    That one asks scikit-learn whether it is fitted, and newer versions refuse to say. Where nobody on an item has any
    weight there is no weighted share; the plain one takes its place.
    """
    from crowdkit.aggregation import MajorityVote

    weight = data["worker"].map(skills).groupby(data["task"]).transform("sum")
    plain = pd.crosstab(data["task"], data["label"], normalize="index")
    if not (weight > 0).any():
        return plain, (WEIGHTLESS.format(n=len(plain)),)
    shares = MajorityVote().fit_predict_proba(data.loc[weight > 0], skills=skills)
    empty = plain.index.difference(shares.index)
    if empty.empty:
        return shares, ()
    joined = pd.concat([shares, plain.loc[empty]]).fillna(0.0).sort_index()
    return joined, (WEIGHTLESS.format(n=len(empty)),)


def _tied_first(data: pd.DataFrame) -> int:
    counts = data.groupby(["task", "label"]).size()
    top = counts.groupby("task").transform("max")
    at_top = (counts == top).astype(int).groupby("task").sum()
    return int((at_top > 1).sum())


def _last_change(history: Sequence[float]) -> float:
    return float(history[-1] - history[-2]) if len(history) > 1 else float("inf")


def _ended(change: float) -> tuple[str, ...]:
    """What a reader should know of the end; `change` is the last step's gain in crowd-kit's bound.

    crowd-kit stops on any step below the tolerance, so also when its bound falls: not convergence, but its label.
    """
    if change >= TOLERANCE:
        return (_unfinished(ITERATIONS),)
    if change <= -TOLERANCE:
        return (f"The estimation stopped on a fall of its bound by {-change:.2g} a vote: it did not converge.",)
    return ()


def _unfinished(iterations: int) -> str:
    return f"The estimation had not converged after {iterations} iterations."
