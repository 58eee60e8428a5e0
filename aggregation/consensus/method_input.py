"""What a method of crowd-kit reads, and crowd-kit's models, which load where they are used."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.consensus.consensus import MethodScores
from aggregation.consensus.dawid_skene import StopRule
from aggregation.consensus.skills import SkillFit
from aggregation.findings import Finding
from aggregation.schema import CodedVotes, Codes, Floats, Votes

UNUSED_MODULE = "nltk.translate.gleu_score"
"""The only module of nltk that `crowdkit.aggregation` imports: HRRASA, a method on texts, calls one function of it."""


def get_crowdkit_version() -> str:
    """Return crowd-kit's name and version, as they are published beside its labels."""
    return f"crowd-kit {metadata.version('crowd-kit')}"


def load_crowdkit_models() -> Any:
    """Return the module `crowdkit.aggregation`, in which each model is a class.

    nltk takes a second to import, hromada does not offer HRRASA, and runtime.lock leaves nltk out. So a lazy module
    takes nltk's place during this import. Other code in the process still gets the real nltk, HRRASA included.
    """
    lazy = _build_lazy_nltk() if "nltk" not in sys.modules and "crowdkit.aggregation" not in sys.modules else {}
    sys.modules.update(lazy)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "IProgress not found")  # tqdm's, in a notebook without ipywidgets
            import crowdkit.aggregation  # slow, so not at the top

        return crowdkit.aggregation
    finally:
        for name in lazy:
            del sys.modules[name]


def _build_lazy_nltk() -> dict[str, ModuleType]:
    """Return a module for each part of the unused module's name; the last one imports the real module when used."""
    parts = UNUSED_MODULE.split(".")
    modules = {name: ModuleType(name) for name in (".".join(parts[:end]) for end in range(1, len(parts) + 1))}

    def get_attribute(name: str) -> Any:
        return getattr(import_module(UNUSED_MODULE), name)

    vars(modules[UNUSED_MODULE])["__getattr__"] = get_attribute
    return modules


@dataclass(frozen=True, kw_only=True, eq=False)
class MethodInput:
    """Votes and what a method may use beside them: skills, known labels of items (both by id), and when to stop."""

    votes: Votes
    coded: CodedVotes
    skills: pd.Series[float] | None
    anchors: pd.Series[str] | None
    stop: StopRule


def encode_anchors(inputs: MethodInput) -> Codes:
    """The code of each voted item's known label, -1 for none."""
    labels = (pd.Series(dtype=object) if inputs.anchors is None else inputs.anchors).reindex(inputs.coded.item_ids)
    return pd.Index(inputs.coded.labels).get_indexer(pd.Index(labels))


def encode_voted_anchors(inputs: MethodInput) -> Codes:
    """As `encode_anchors`, with -1 also for labels that nobody gave."""
    codes = encode_anchors(inputs)
    return np.where(np.isin(codes, inputs.coded.answers), codes, -1)


def warn_of_unvoted_anchors(inputs: MethodInput) -> tuple[str, ...]:
    """A warning where anchors are left out because nobody gave their label; else empty."""
    if inputs.anchors is None:
        return ()
    is_anchored = inputs.anchors.reindex(inputs.coded.item_ids).notna().to_numpy()
    lost = int((is_anchored & (encode_voted_anchors(inputs) < 0)).sum())
    return (Finding("unvoted-anchors", n=lost),) if lost else ()


def index_skills(skills: Any, inputs: MethodInput) -> pd.Series[float]:
    """The skills that crowd-kit reports by code, with the annotators' ids as index."""
    by_code = pd.Series(skills).reindex(range(len(inputs.coded.annotator_ids)))
    return by_code.set_axis(pd.Index(inputs.coded.annotator_ids, name="annotator")).rename("skill").sort_index()


def score_classes(
    table: pd.DataFrame,
    inputs: MethodInput,
    *,
    version: str | None = None,
    priors: pd.Series[float] | None = None,
    iterations: int | None = None,
    converged: bool | None = None,
    skills: pd.Series[float] | None = None,
    n_anchors: int = 0,
    warnings: tuple[str, ...] = (),
) -> MethodScores:
    """Scores of the declared classes in declared order, from a table of codes (tasks × labels) in any order.

    Methods with priors also have crowd-kit's floor, so their rows are scaled to one.
    """
    classes: Sequence[str] = inputs.votes.classes or ()
    codes = [inputs.coded.labels.index(name) for name in classes]
    ordered = table.sort_index().reindex(columns=codes, fill_value=0.0).to_numpy(dtype=float)
    marginals: Mapping[str, float] | None = None
    if priors is not None:
        shares = priors.reindex(codes, fill_value=0.0).to_numpy(dtype=float)
        marginals = {name: float(share) for name, share in zip(classes, shares, strict=True)}
    return MethodScores(
        items=inputs.coded.item_ids,
        names=np.broadcast_to(np.array(classes, dtype=object), ordered.shape),
        scores=ordered / ordered.sum(axis=1, keepdims=True) if priors is not None else ordered,
        version=version or get_crowdkit_version(),
        shared=True,
        marginals=marginals,
        iterations=iterations,
        converged=converged,
        skills=skills,
        n_anchors=n_anchors,
        warnings=warnings,
    )


def score_pairs(
    fit: SkillFit, inputs: MethodInput, *, decides: Floats, version: str, warnings: tuple[str, ...] = ()
) -> MethodScores:
    """Scores from (item, answer) pairs: one column per class, or without classes per rank of the item's answers.

    `decides` has the number per pair that decides; the posterior of the fit is published as the confidence.
    """
    pairs, coded = fit.pairs, inputs.coded
    size = len(coded.item_ids)
    classes = inputs.votes.classes
    first = np.searchsorted(pairs.item, np.arange(size))
    place = np.arange(len(pairs.item)) - first[pairs.item]
    names: NDArray[np.object_] = np.full((size, int(place.max()) + 1), None, dtype=object)
    confidence, scores = np.zeros(names.shape), np.zeros(names.shape)
    if classes is not None:
        place = np.array([classes.index(name) for name in coded.labels])[pairs.answer]
        names = np.broadcast_to(np.array(classes, dtype=object), (size, len(classes)))
        confidence, scores = np.repeat(fit.unchosen[:, None], len(classes), axis=1), np.zeros(names.shape)
    else:
        names[pairs.item, place] = np.array(coded.labels, dtype=object)[pairs.answer]
    confidence[pairs.item, place], scores[pairs.item, place] = fit.posterior, decides
    skills = pd.Series(fit.skills, index=pd.Index(coded.annotator_ids, name="annotator"), name="skill").sort_index()
    return MethodScores(
        items=coded.item_ids,
        names=names,
        scores=scores,
        confidence=confidence,
        version=version,
        shared=classes is not None,
        iterations=fit.iterations,
        converged=fit.converged,
        skills=skills,
        warnings=warnings,
    )
