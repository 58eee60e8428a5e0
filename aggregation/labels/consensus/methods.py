"""The one interface to all consensus methods: what each needs, what it refuses, and its warnings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
import pandas as pd

from aggregation.consensus import Consensus, TieRule
from aggregation.dawid_skene import StopRule
from aggregation.errors import HromadaError, Refused
from aggregation.labels.consensus import fits
from aggregation.labels.consensus.method_input import MethodInput
from aggregation.labels.consensus.ties import MethodScores, settle_ties
from aggregation.schema import Votes
from aggregation.skills import compute_control_skills

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
]
METHOD_NAMES: Mapping[Method, str] = MappingProxyType(
    {
        "majority": "The majority",
        "gold_majority": "The majority weighed by gold",
        "wawa": "Wawa",
        "dawid_skene": "Dawid-Skene",
        "one_coin_dawid_skene": "One-coin Dawid-Skene",
        "glad": "GLAD",
        "one_coin": "The one-coin posterior",
        "skills": "Aggregation by skill",
        "rover": "ROVER",
        "closest": "The text nearest to all",
    }
)
METHODS_WITHOUT_CLASSES: tuple[Method, ...] = ("majority", "one_coin", "skills", "rover", "closest")
METHODS_WITH_ANCHORS: tuple[Method, ...] = ("dawid_skene", "gold_majority")
MAX_GLAD_VOTES = 200_000
NOTICEABLE_SHARE = 0.05  # a label with so large a share of the votes and no item causes a warning
_FITS: Mapping[Method, Callable[[MethodInput], MethodScores]] = MappingProxyType(
    {
        "majority": fits.fit_majority,
        "gold_majority": fits.fit_gold_majority,
        "wawa": fits.fit_wawa,
        "dawid_skene": fits.fit_dawid_skene,
        "one_coin_dawid_skene": fits.fit_one_coin_dawid_skene,
        "glad": fits.fit_glad,
        "one_coin": fits.fit_one_coin,
        "skills": fits.fit_skills,
        "rover": fits.fit_rover,
        "closest": fits.fit_closest_text,
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
    inputs = MethodInput(votes=votes, coded=votes.encode(), skills=skills, anchors=known_labels, stop=stop)
    scores = _FITS[method](inputs)
    warnings = (*scores.warnings, *_warn_of_few_votes(votes, method=method), *_warn_of_collapse(scores, votes))
    return settle_ties(replace(scores, warnings=warnings), votes=votes, method=method, ties=ties, seed=seed)


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
        raise Refused("Nobody answered an item that has gold.", remedy="Use majority or dawid_skene without anchors.")
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
            f"{METHOD_NAMES[method]} needs labels that mean the same on every item, and these options differ from item "
            "to item or are free texts.",
            remedy="Use majority or one_coin.",
        )
    if votes.classes is not None and method in ("rover", "closest"):
        raise Refused(f"{METHOD_NAMES[method]} is made of texts, and labels are not texts.", remedy="Use majority.")
    if anchors is not None and method not in METHODS_WITH_ANCHORS:
        raise Refused(f"{METHOD_NAMES[method]} cannot take known labels into account.", remedy="Use dawid_skene.")
    if method == "glad" and len(votes.frame) > MAX_GLAD_VOTES:
        raise Refused(
            f"GLAD needs minutes to hours for more than {MAX_GLAD_VOTES} votes.", remedy="Use dawid_skene or majority."
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
            f"The majority weighed by gold needs an answer of everybody to an item with gold, and {len(lacking)} "
            f"annotators have none, {lacking[0]!r} among them.",
            remedy="Use wawa or majority.",
        )


def _warn_of_few_votes(votes: Votes, *, method: Method) -> tuple[str, ...]:
    """Toloka's own warning: an annotator should give at least as many votes as a confusion matrix has cells, |L|²."""
    if method != "dawid_skene" or votes.classes is None:
        return ()
    classes, median = len(votes.classes), float(votes.frame["annotator"].value_counts().median())
    if median >= classes**2:
        return ()
    return (
        (
            f"Annotators gave {median:g} votes in the median, fewer than the {classes**2} cells of a confusion matrix "
            f"of {classes} labels: prefer the majority."
        ),
    )


def _warn_of_collapse(result: MethodScores, votes: Votes) -> tuple[str, ...]:
    """Warn of labels with many votes and no item: the sign of an estimate that collapsed into one class."""
    if not result.shared or result.iterations is None:
        return ()
    shares = votes.frame["answer"].value_counts(normalize=True)
    assigned = set(result.names[np.arange(len(result.items)), result.scores.argmax(axis=1)])
    return tuple(
        f"The label {name!r} has {100 * shares[name]:.0f} % of the votes and not one item: compare with the majority."
        for name in votes.classes or ()
        if shares.get(name, 0.0) >= NOTICEABLE_SHARE and name not in assigned
    )
