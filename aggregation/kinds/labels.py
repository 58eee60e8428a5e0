"""The consensus on answers of any kind, in the form in which answers are stored."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pandas as pd

from aggregation.consensus import NAMES, Accuracy, Consensus, Method, Ties, accuracy, consensus, from_gold
from aggregation.dawid_skene import Stop
from aggregation.errors import HromadaError
from aggregation.kinds.answers import WRITTEN, Answers, Kind, no_method
from aggregation.kinds.boxes import box_consensus
from aggregation.spans import Span

OF_TEXTS: tuple[Method, ...] = ("majority", "rover", "closest")
FIT: Mapping[Kind, tuple[Method, ...]] = MappingProxyType({"text": OF_TEXTS, "edit": OF_TEXTS, "span": ("majority",)})
SPANS = "hromada majority of each span 1"


def consensus_of(
    answers: Answers, *, method: Method, ties: Ties, seed: int = 0, anchors: bool = False, stop: Stop = "crowdkit"
) -> Consensus:
    """The consensus on answers of any kind; `anchors` lets the method take declared gold for known.

    Labels: `aggregation.consensus`. Boxes: each by itself. Texts: the plurality of texts that are equal as compared
    (all that are accepted as right are one), in its most frequent wording, the text nearest to all (`closest`), or
    ROVER. Spans: all that more than half of an item's answers mark; nothing marked needs more than half too, else the
    item is left open, whatever the rule of ties.

    Raises HromadaError for no votes, and Refused for a method that the answers do not allow, with those that fit.
    """
    if answers.votes.frame.empty:
        raise HromadaError("There are no votes to make a consensus of.", remedy="Collect or import answers first.")
    fit = FIT.get(answers.kind)
    if method not in (fit or (method,)):
        raise no_method(NAMES[method], answers.kind, fit or ())
    if fit is None and method in ("rover", "closest"):
        raise no_method(NAMES[method], answers.kind, ("majority",))
    if answers.kind == "boxes":
        return box_consensus(answers, method=method, ties=ties, seed=seed, anchors=anchors, stop=stop)
    if answers.kind == "span":
        return _majority_of_spans(answers, seed=seed)
    if answers.kind in WRITTEN:
        return _texts(answers, method=method, ties=ties, seed=seed)
    known, skills = from_gold(answers.votes, method=method, anchors=anchors)
    return consensus(answers.votes, method=method, ties=ties, seed=seed, anchors=known, skills=skills, stop=stop)


def accuracy_of(answers: Answers, found: Consensus) -> Accuracy:
    """How many labels are right over the items with gold and votes; a shared tie counts its share of right ones."""
    known = answers.votes.items["gold"].dropna()
    if answers.kind == "label":
        return accuracy(found, known)
    gold = {str(item): str(one) for item, one in known.items()}
    judged = found.labels.loc[found.labels.index.isin(list(gold))]
    right = 0.0
    for item, label in judged["label"].items():
        right += isinstance(label, str) and answers.right(str(item), label, gold[str(item)])
    if found.ties == "shared" and answers.kind in WRITTEN:
        for item, tied in judged.loc[judged["tie"], "tied"].items():
            right += sum(answers.right(str(item), one, gold[str(item)]) for one in tied) / len(tied)
    return Accuracy(right=right, total=len(judged))


def _texts(answers: Answers, *, method: Method, ties: Ties, seed: int) -> Consensus:
    if method == "rover":
        return consensus(answers.votes, method=method, ties=ties, seed=seed)
    compared = answers.merged()
    found = consensus(compared, method=method, ties=ties, seed=seed)
    worded = _wordings(answers.votes.frame.assign(equal=compared.frame["answer"]))
    labels = found.labels.copy()
    labels["label"] = [
        worded[item, label] if isinstance(label, str) else None for item, label in found.labels["label"].items()
    ]
    labels["tied"] = [tuple(sorted(worded[item, one] for one in tied)) for item, tied in found.labels["tied"].items()]
    labels["label"] = labels["label"].astype(object)
    return replace(found, labels=labels)


def _wordings(frame: pd.DataFrame) -> dict[tuple[object, str], str]:
    """The most frequent wording of each text as compared, by item; the first by alphabet of several."""
    found = {}
    for (item, equal), wordings in frame.groupby(["item", "equal"])["answer"]:
        counts = Counter(wordings)
        found[item, str(equal)] = min(counts, key=lambda text: (-counts[text], text))
    return found


def _majority_of_spans(answers: Answers, *, seed: int) -> Consensus:
    given = answers.spans()
    made, ids = [], []
    for item, marked in given.frame.groupby("item")["spans"]:
        n, counts = len(marked), Counter(span for spans in marked for span in spans)
        nothing = sum(not spans for spans in marked)
        kept = sorted(span for span, count in counts.items() if 2 * count > n)
        half = [span for span, count in counts.items() if 2 * count == n]
        is_open = bool(half) or (not kept and 2 * nothing <= n)
        shares = [counts[span] / n for span in kept] if kept else [max([nothing, *counts.values()]) / n]
        text = answers.texts.get(str(item), "")
        made.append(
            {
                "label": None if is_open else _stored(kept, text),
                "confidence": min(shares),
                "tie": is_open,
                "tied": tuple(_stored([span], text) for span in sorted(half)),
                "n_votes": n,
            }
        )
        ids.append(item)
    labels = pd.DataFrame(made, index=pd.Index(ids, name="item", dtype=object))
    return Consensus(method="majority", version=SPANS, ties="drop", seed=seed, labels=labels)


def _stored(spans: list[Span], text: str) -> str:
    """Spans as answers are stored."""
    told = [{"start": span.start, "end": span.end, "text": text[span.start : span.end]} for span in spans]
    return json.dumps(told, ensure_ascii=False)
