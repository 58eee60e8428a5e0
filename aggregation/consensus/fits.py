"""The methods themselves, votes in and scores out: crowd-kit's, and ours where crowd-kit has none or is too slow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation import dawid_skene as sparse_dawid_skene
from aggregation import skills as skill
from aggregation.consensus.given import Given, anchored, closed, crowd_kit, declared, of_pairs, skills_of, unvoted
from aggregation.consensus.labels import Scores
from aggregation.dawid_skene import ITERATIONS, TOLERANCE
from aggregation.errors import HromadaError
from aggregation.schema import Codes
from aggregation.scoring import chrf, ngrams

CLOSEST = "hromada mean chrF 1"
CROWD_KIT_VOTES = 100_000
WEIGHTLESS = "{n} items were answered only by people without weight; plain shares of votes decide them."
INNER_TIES = "{n} items were tied when the first majority was taken; crowd-kit settles those alphabetically."


def majority(given: Given) -> Scores:
    """Shares of votes. Without shared classes an answer is named by its rank among the item's own answers.

    The table then is as wide as the most divided item, not as the number of all texts.
    """
    from crowdkit.aggregation import MajorityVote  # slow to import

    data, coded = given.coded.crowdkit(), given.coded
    if given.votes.classes is not None:
        return closed(MajorityVote().fit_predict_proba(data), given)
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
    return closed(shares, given, skills=skills_of(model.skills_, given), warnings=said)


def gold_majority(given: Given) -> Scores:
    """Votes weighed by their giver's share of right answers on the anchors, which everybody has answered."""
    from crowdkit.aggregation import GoldMajorityVote

    data = given.coded.crowdkit()
    anchors = pd.Series(declared(given), name="true_label")  # one that nobody gave is a mistake of all who answered
    model = GoldMajorityVote().fit(data, anchors[anchors >= 0])
    shares, said = _weighed(data, model.skills_)
    n_anchors = int((anchors >= 0).sum())
    return closed(shares, given, skills=skills_of(model.skills_, given), n_anchors=n_anchors, warnings=said)


def dawid_skene(given: Given) -> Scores:
    """Dawid and Skene (1979), doi:10.2307/2346806, as crowd-kit estimates it; rows scaled to one after its floor.

    The sparse fit takes over above CROWD_KIT_VOTES, and where the stop is not crowd-kit's.
    """
    anchors, said = anchored(given), unvoted(given)
    if given.stop != "crowdkit" or len(given.coded.items) > CROWD_KIT_VOTES:
        return _sparse(given, anchors=anchors, said=said)
    from crowdkit.aggregation import DawidSkene

    model = DawidSkene(n_iter=ITERATIONS, tol=TOLERANCE)
    known = pd.Series(anchors)
    known = known[known >= 0]
    table = model.fit_predict_proba(given.coded.crowdkit(), known if len(known) else None)
    change = _last_change(model.loss_history_)
    return closed(
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
    return closed(
        table,
        given,
        priors=model.priors_,
        iterations=len(model.loss_history_),
        converged=abs(change) < TOLERANCE,
        skills=skills_of(model.skills_, given),
        warnings=_ended(change),
    )


def glad(given: Given) -> Scores:
    """Abilities and difficulties, Whitehill et al. (2009), by crowd-kit; one label alone needs no estimate."""
    from crowdkit.aggregation import GLAD

    data = given.coded.crowdkit()
    if data["label"].nunique() == 1:
        sure = pd.DataFrame(1.0, index=range(len(given.coded.item_ids)), columns=[data["label"].iloc[0]])
        return closed(sure, given, iterations=0, converged=True)
    model = GLAD(n_iter=ITERATIONS, tol=TOLERANCE)
    table = model.fit_predict_proba(data)
    change = _last_change(model.loss_history_)
    return closed(
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
    return of_pairs(fit, given, decides=fit.posterior, version=skill.ONE_COIN, warnings=said)


def by_skills(given: Given) -> Scores:
    """Toloka's aggregation by skill: the largest sum of skills decides, the posterior is told."""
    if given.skills is None:
        raise HromadaError("Aggregation by skill needs the skills.", remedy="Give control items, or use wawa.")
    fit, sums = skill.weighted(given.votes, given.skills)
    return of_pairs(fit, given, decides=sums, version=skill.WEIGHTED)


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


def closest(given: Given) -> Scores:
    """The one of an item's own texts that has the largest mean chrF with its others, each being the reference once.

    The confidence is that mean, 1 where the text stands alone; two different texts alone are always tied.
    """
    coded = given.coded.ordered()
    texts = np.array(coded.labels, dtype=object)
    ends = np.flatnonzero(np.diff(coded.items)) + 1
    of_items = [Counter(texts[codes].tolist()) for codes in np.split(coded.answers, ends)]
    width = max(len(counts) for counts in of_items)
    names: NDArray[np.object_] = np.full((len(coded.item_ids), width), None, dtype=object)
    scores = np.full(names.shape, -1.0)
    for item, counts in enumerate(of_items):
        for place, (text, near) in enumerate(_nearness(counts).items()):
            names[item, place], scores[item, place] = text, near
    return Scores(items=coded.item_ids, names=names, scores=scores, version=CLOSEST, shared=False)


def _nearness(counts: Counter[str]) -> dict[str, float]:
    """The mean likeness of each text to all others of the item; equal texts have 1."""
    n = counts.total()
    cut = {text: ngrams(text) for text in sorted(counts)}
    found = dict.fromkeys(cut, 1.0)
    if n > 1:
        found = {text: float(counts[text] - 1) for text in cut}
        for one, two in combinations(cut, 2):
            alike = (chrf(cut[one], cut[two]) + chrf(cut[two], cut[one])) / 2
            found[one] += alike * counts[two]
            found[two] += alike * counts[one]
        found = {text: total / (n - 1) for text, total in found.items()}
    return found


def _sparse(given: Given, *, anchors: Codes, said: tuple[str, ...]) -> Scores:
    fit = sparse_dawid_skene.fit(sparse_dawid_skene.table(given.coded), stop=given.stop, anchors=anchors)
    many = f"More than {CROWD_KIT_VOTES} votes" if given.stop == "crowdkit" else "Run until nothing moves"
    ended = _ended(fit.change) if given.stop == "crowdkit" else () if fit.converged else (_unfinished(fit.iterations),)
    columns = range(len(given.coded.labels))
    return closed(
        pd.DataFrame(fit.posteriors, columns=columns),
        given,
        made_by=f"{sparse_dawid_skene.VERSION}, stop: {given.stop}",
        priors=pd.Series(fit.priors, index=columns),
        iterations=fit.iterations,
        converged=fit.converged,
        n_anchors=int((anchors >= 0).sum()),
        warnings=(*said, f"{many}: fitted by the sparse Dawid-Skene instead of crowd-kit's.", *ended),
    )


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
