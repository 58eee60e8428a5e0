"""One label per item from shares or posteriors that an engine holds."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Literal

import ibis
import ibis.expr.types as ir

from aggregation.consensus.consensus import TIE_TOLERANCE
from aggregation.relations.em import N_VOTES, POSTERIOR, find_greatest
from aggregation.relations.vote_relation import ITEM, VoteRelation, name_columns

TieRule = Literal["shared", "alphabetical"]
"""Those of the tie rules that need neither the order of votes nor chance."""


def choose_labels(votes: VoteRelation, posteriors: ir.Table, *, ties: TieRule) -> ir.Table:
    """The label of every item: item_id, label, confidence, tie, tied, n_votes, and a column `posterior LABEL` a label.

    They are those of `consensus.consensus.Consensus`: `label` is null where a tie stays open (`shared`), and the first
    of the tied labels under `alphabetical`; `tied` lists the labels with the highest score, none without a tie.
    """
    names = name_columns(POSTERIOR, len(votes.labels))
    scored = posteriors.mutate(confidence=find_greatest([posteriors[name] for name in names]))
    is_top = {f"top_{name}": scored[name] >= scored["confidence"] - TIE_TOLERANCE for name in names}
    topped = scored.mutate(**is_top)
    n_top = reduce(add, [topped[f"top_{name}"].cast("int64") for name in names])
    counted = topped.mutate(tie=n_top > 1)
    first = ibis.cases(*((counted[f"top_{name}"], label) for name, label in zip(names, votes.labels, strict=True)))
    places = [
        ibis.ifelse(counted["tie"] & counted[f"top_{name}"], ibis.literal(label), ibis.null("string"))
        for name, label in zip(names, votes.labels, strict=True)
    ]
    return counted.join(votes.items, ITEM).select(
        item_id=ibis._["name"],
        label=first if ties == "alphabetical" else ibis.ifelse(counted["tie"], ibis.null("string"), first),
        confidence=counted["confidence"],
        tie=counted["tie"],
        tied=ibis.array(places).filter(lambda place: place.notnull()),
        n_votes=counted[N_VOTES],
        **{f"posterior {label}": counted[name] for name, label in zip(names, votes.labels, strict=True)},
    )
