"""What every method is given, and what it makes of it: tables of codes become scores of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation import skills as skill
from aggregation.consensus.labels import Scores
from aggregation.dawid_skene import Stop
from aggregation.schema import Coded, Codes, Floats, Votes


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


def declared(given: Given) -> Codes:
    """The code of each voted item's known label, -1 for none."""
    known = (pd.Series(dtype=object) if given.anchors is None else given.anchors).reindex(given.coded.item_ids)
    return pd.Index(given.coded.labels).get_indexer(pd.Index(known))


def anchored(given: Given) -> Codes:
    """The code of each voted item's known label, -1 for none and for labels that nobody gave."""
    codes = declared(given)
    return np.where(np.isin(codes, given.coded.answers), codes, -1)


def unvoted(given: Given) -> tuple[str, ...]:
    if given.anchors is None:
        return ()
    known = given.anchors.reindex(given.coded.item_ids).notna().to_numpy()
    lost = int((known & (anchored(given) < 0)).sum())
    return (f"{lost} gold anchors name a label that nobody gave and are left out.",) if lost else ()


def skills_of(found: Any, given: Given) -> pd.Series[float]:
    known = pd.Series(found).reindex(range(len(given.coded.annotator_ids)))
    return known.set_axis(pd.Index(given.coded.annotator_ids, name="annotator")).rename("skill")


def closed(
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


def of_pairs(fit: skill.Fit, given: Given, *, decides: Floats, version: str, warnings: tuple[str, ...] = ()) -> Scores:
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
