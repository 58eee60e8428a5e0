"""One label an item from its votes: crowd-kit's aggregators behind one function, ties settled by a named rule."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.errors import HromadaError, Refused
from aggregation.schema import Votes

Method = Literal["majority", "dawid_skene"]
Ties = Literal["first", "alphabetical", "random", "shared", "drop"]

ITERATIONS = 100
TOLERANCE = 1e-5
TIED = 1e-9  # shares of the same count are equal to the bit; posteriors carry rounding and crowd-kit's floor of 1e-10


@dataclass(frozen=True, kw_only=True, eq=False)
class Consensus:
    """What a method made of the votes, and all that has to be recorded with it.

    `labels` has one row a voted item, index `item` sorted, with the columns
      label       the text, None where a tie was left open (`shared`, `drop`)
      confidence  majority: share of the item's votes for the label; Dawid-Skene: its posterior (of each tied label)
      tie         whether several labels stand equal at the top
      tied        those labels, sorted; empty without a tie
      n_votes     how many votes the item has.
    `posteriors` is items × classes in declared order (majority: shares of votes), None where items share no classes.
    `marginals` maps each class to its estimated prior; `iterations` counts the steps of the EM algorithm; `converged`
    says that its last step moved crowd-kit's bound by less than TOLERANCE a vote. All three are None for the majority.
    """

    method: Method
    version: str
    ties: Ties
    seed: int
    labels: pd.DataFrame
    posteriors: pd.DataFrame | None
    marginals: Mapping[str, float] | None = None
    iterations: int | None = None
    converged: bool | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """How many of `total` items (with gold and votes) are right; a share of an item where ties are `shared`."""

    right: float
    total: int

    @property
    def value(self) -> float | None:
        """The share right, None without items."""
        return self.right / self.total if self.total else None


@dataclass(frozen=True, kw_only=True, eq=False)
class _Fit:
    """`scores[i, c]` of the label `names[i, c]` on `items[i]`, items sorted, and what the estimation says of itself."""

    items: NDArray[np.object_]
    names: NDArray[np.object_]
    scores: NDArray[np.float64]
    marginals: Mapping[str, float] | None = None
    iterations: int | None = None
    converged: bool | None = None
    warnings: tuple[str, ...] = ()


def consensus(votes: Votes, *, method: Method, ties: Ties, seed: int = 0) -> Consensus:
    """Aggregate the votes by `method` and settle ties by the rule `ties`.

    `first` takes the tied label met first in file order (one that nobody gave comes last), `alphabetical` the first by
    code point, `random` one drawn from `seed` and the item's id alone; `shared` and `drop` leave the label open, and
    `accuracy` then counts one over the number of tied labels, or nothing.

    Raises HromadaError for no votes or an unknown name, Refused for Dawid-Skene where items share no classes.
    """
    if method not in get_args(Method):
        raise HromadaError(f"There is no method {method!r}.", remedy=f"Use one of {', '.join(get_args(Method))}.")
    if ties not in get_args(Ties):
        raise HromadaError(f"There is no tie rule {ties!r}.", remedy=f"Use one of {', '.join(get_args(Ties))}.")
    if votes.frame.empty:
        raise HromadaError("There are no votes to make a consensus of.", remedy="Collect or import answers first.")
    fit = _majority(votes) if method == "majority" else _dawid_skene(votes)
    return Consensus(
        method=method,
        version=f"crowd-kit {version('crowd-kit')}",
        ties=ties,
        seed=seed,
        labels=_labels(fit, votes=votes, ties=ties, seed=seed),
        posteriors=_posteriors(fit, votes),
        marginals=fit.marginals,
        iterations=fit.iterations,
        converged=fit.converged,
        warnings=fit.warnings,
    )


def accuracy(consensus: Consensus, gold: pd.Series[str]) -> Accuracy:
    """Score the labels against `gold` (index item; text or None) over the items that have gold and votes.

    A tie under `shared` counts its expected value, one over the number of tied labels if gold is among them; under
    `drop` it counts nothing and stays in the total.
    """
    known = gold.dropna()
    judged = consensus.labels.loc[consensus.labels.index.isin(known.index)]
    truth = known.reindex(judged.index)
    right = float((judged["label"] == truth).sum())
    if consensus.ties == "shared":
        open_ties = judged.loc[judged["tie"], "tied"]
        right += sum(1 / len(tied) for item, tied in open_ties.items() if truth.loc[item] in tied)
    return Accuracy(right=right, total=len(judged))


def _majority(votes: Votes) -> _Fit:
    """Shares of votes. Without shared classes an answer is named by its rank among the item's own answers.

    The table then is as wide as the most divided item, not as the number of all texts.
    """
    from crowdkit.aggregation import MajorityVote  # slow to import

    data = votes.crowdkit()
    if votes.classes is not None:
        shares = MajorityVote().fit_predict_proba(data).sort_index().reindex(columns=votes.classes, fill_value=0.0)
        names = np.broadcast_to(np.array(votes.classes, dtype=object), shares.shape)
    else:
        data = data.assign(text=data["label"], label=np.unique(data["label"].to_numpy(str), return_inverse=True)[1])
        data["label"] = data.groupby("task")["label"].rank(method="dense").astype(int) - 1
        shares = MajorityVote().fit_predict_proba(data).sort_index().sort_index(axis=1)
        names = np.full(shares.shape, None, dtype=object)
        names[shares.index.get_indexer(pd.Index(data["task"])), data["label"]] = data["text"]
    return _Fit(items=shares.index.to_numpy(dtype=object), names=names, scores=shares.to_numpy(dtype=float))


def _dawid_skene(votes: Votes) -> _Fit:
    """Dawid and Skene (1979), doi:10.2307/2346806, as crowd-kit estimates it; rows scaled to one after its floor."""
    if votes.classes is None:
        raise Refused(
            "Dawid-Skene needs labels that mean the same on every item, and these options differ from item to item.",
            remedy="Use majority.",
        )
    from crowdkit.aggregation import DawidSkene  # slow to import

    model = DawidSkene(n_iter=ITERATIONS, tol=TOLERANCE)
    table = model.fit_predict_proba(votes.crowdkit()).sort_index().reindex(columns=votes.classes, fill_value=0.0)
    scores = table.to_numpy(dtype=float)
    priors = pd.Series(model.priors_).reindex(votes.classes, fill_value=0.0)
    change = float(np.diff(model.loss_history_)[-1])
    return _Fit(
        items=table.index.to_numpy(dtype=object),
        names=np.broadcast_to(np.array(votes.classes, dtype=object), scores.shape),
        scores=scores / scores.sum(axis=1, keepdims=True),
        marginals={label: float(share) for label, share in zip(votes.classes, priors, strict=True)},
        iterations=len(model.loss_history_),
        converged=abs(change) < TOLERANCE,
        warnings=_doubts(votes.frame["annotator"], classes=len(votes.classes), change=change),
    )


def _doubts(annotators: pd.Series[str], *, classes: int, change: float) -> tuple[str, ...]:
    """What a reader of Dawid-Skene labels should know; `change` is the last step's gain in crowd-kit's bound.

    crowd-kit stops on any step below the tolerance, so also when its bound falls: not convergence, but its label.
    """
    said = []
    if change >= TOLERANCE:
        said.append(f"The EM algorithm had not converged after {ITERATIONS} iterations.")
    elif change <= -TOLERANCE:
        said.append(f"The EM algorithm stopped on a fall of its bound by {-change:.2g} a vote: it did not converge.")
    median = float(annotators.value_counts().median())
    if median < classes**2:
        said.append(
            f"Annotators gave {median:g} votes in the median, fewer than the {classes**2} cells of a confusion matrix "
            f"of {classes} labels: prefer the majority."
        )
    return tuple(said)


def _posteriors(fit: _Fit, votes: Votes) -> pd.DataFrame | None:
    if votes.classes is None:
        return None
    index = pd.Index(fit.items, name="item")
    return pd.DataFrame(fit.scores, index=index, columns=pd.Index(votes.classes, name="label"))


def _labels(fit: _Fit, *, votes: Votes, ties: Ties, seed: int) -> pd.DataFrame:
    best = fit.scores.max(axis=1)
    top = fit.scores >= best[:, None] - TIED
    tie = top.sum(axis=1) > 1
    label = fit.names[np.arange(len(fit.items)), fit.scores.argmax(axis=1)].copy()
    tied = np.empty(len(fit.items), dtype=object)
    tied[:] = [()] * len(tied)
    for row in np.flatnonzero(tie):
        tied[row] = tuple(sorted(fit.names[row, top[row]]))
    open_ties = {str(fit.items[row]): tied[row] for row in np.flatnonzero(tie)}
    settled = _settle(open_ties, frame=votes.frame, ties=ties, seed=seed)
    label[tie] = np.array([settled[item] for item in open_ties], dtype=object)
    columns = {"label": label, "confidence": best, "tie": tie, "tied": tied}
    labels = pd.DataFrame(columns, index=pd.Index(fit.items, name="item"))
    return labels.assign(n_votes=votes.frame["item"].value_counts().reindex(labels.index))


def _settle(
    open_ties: Mapping[str, tuple[str, ...]], *, frame: pd.DataFrame, ties: Ties, seed: int
) -> dict[str, str | None]:
    """The label of each tied item under the rule; `open_ties` maps an item to its tied labels, sorted."""
    if ties in ("shared", "drop"):
        return dict.fromkeys(open_ties)
    settled: dict[str, str | None] = {item: tied[0] for item, tied in open_ties.items()}
    if ties == "random":
        settled = {item: tied[_drawn(item, seed=seed) % len(tied)] for item, tied in open_ties.items()}
    if ties == "first":
        for item, answer in frame.loc[frame["item"].isin(open_ties), ["item", "answer"]][::-1].itertuples(index=False):
            if answer in open_ties[item]:
                settled[item] = answer
    return settled


def _drawn(item: str, *, seed: int) -> int:
    """A number from the item's id and the seed alone: no other item, and no order of rows, can change the draw."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{item}".encode()).digest(), "big")
