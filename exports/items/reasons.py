"""removal_reasons.csv and items.json: how many items were kept, why the others were not, how far people agree on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pandas as pd

from aggregation import schema
from aggregation.agreement import Coefficient, agreement
from aggregation.multilabel import NO, PER_BOX, YES
from exports import rows
from exports.cells import coefficient, rounded
from exports.evidence import excluded
from exports.items.verdicts import (
    FAILURE,
    KEPT,
    OPEN,
    REMOVED,
    UNDECIDED,
    Ground,
    Verdict,
    against,
    grounds,
    question_of,
    verdicts,
)
from exports.sheets import Filtering, Sheets

RESAMPLES, LEVEL = 1000, 0.95
REASONS: rows.Columns = MappingProxyType(
    {
        "dataset": "text", "question": "text", "reason": "text", "removed": "whole", "share_of_removed": "number",
        "named": "whole", "votes": "whole",
        **{f"{name}{part}": "number" for name in PER_BOX for part in ("", "_low", "_high")},
        "n_compared": "whole", "no_value": "text",
    }
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Reason:
    """A ground over all items: how many it removed, on how many somebody named it, how often, the agreement on it."""

    ground: Ground
    removed: int
    share: float | None
    named: int
    votes: int
    agreement: tuple[Coefficient, ...]

    def row(self, dataset: str) -> rows.Row:
        """Its row, with the columns REASONS."""
        said: dict[str, Any] = {}
        for one in self.agreement:
            said |= {one.name: one.value, f"{one.name}_low": one.low, f"{one.name}_high": one.high}
        missing = sorted({one.reason for one in self.agreement if one.reason})
        return {
            "dataset": dataset, "question": self.ground.question, "reason": self.ground.reason,
            "removed": self.removed, "share_of_removed": self.share, "named": self.named, "votes": self.votes,
            **dict.fromkeys(f"{name}{part}" for name in PER_BOX for part in ("", "_low", "_high")), **said,
            "n_compared": self.agreement[0].n_items if self.agreement else 0, "no_value": " ".join(missing) or None,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Filtered:
    """A data set after filtering: a verdict an item, and every reason there could be, those that removed most first."""

    sheets: Sheets
    rule: Filtering
    items: tuple[Verdict, ...]
    reasons: tuple[Reason, ...]

    def count(self, status: str) -> int:
        """How many items have that status."""
        return sum(item.status == status for item in self.items)

    @property
    def judged(self) -> int:
        """How many items anybody judged."""
        return len(self.items) - self.count(OPEN)


def filtered(every: Sequence[Sheets], *, seed: int = 0) -> tuple[Filtered, ...]:
    """One for each project that says by which rule items are kept."""
    return tuple(_filtered(sheets, sheets.filtering, seed=seed) for sheets in every if sheets.filtering is not None)


def _filtered(sheets: Sheets, rule: Filtering, *, seed: int) -> Filtered:
    items = tuple(verdicts(sheets, rule))
    removed = [item for item in items if item.status == REMOVED]
    counts = Counter(ground for item in removed for ground in item.reasons)
    said = _said(sheets, rule)
    reasons = [
        Reason(
            ground=ground,
            removed=counts[ground],
            share=counts[ground] / len(removed) if removed else None,
            named=sum(ground in item.named for item in items),
            votes=sum(item.named.get(ground, 0) for item in items),
            agreement=_agreement(sheets, rule, ground, said, seed=seed),
        )
        for ground in grounds(sheets, rule)
    ]
    ordered = sorted(reasons, key=lambda one: (-one.removed, -one.votes))
    return Filtered(sheets=sheets, rule=rule, items=items, reasons=tuple(ordered))


Said = list[tuple[str, str, Mapping[str, Sequence[Ground]]]]


def _said(sheets: Sheets, rule: Filtering) -> Said:
    """Item, annotator and what she has against it, in the order in which it was given."""
    gold = dict(zip(sheets.data.items["item_id"], sheets.data.items["gold"], strict=True))
    return [
        (sheet.item_id, sheet.annotator, against(sheets, rule, sheet, gold[sheet.item_id]))
        for sheet in sheets.counted(by_item=False)
        if sheet.skip_reason is None
    ]


def _agreement(sheets: Sheets, rule: Filtering, ground: Ground, said: Said, *, seed: int) -> tuple[Coefficient, ...]:
    """How far people agree whether that can be had against an item, yes or no."""
    question = question_of(ground, rule)
    votes = [(item, who, YES if ground in found[question] else NO) for item, who, found in said if question in found]
    items = sheets.data.items.set_index("item_id")[["group"]].rename_axis("item").assign(gold=None, n_options=2)
    frame = pd.DataFrame(votes, columns=list(schema.COLUMNS))
    made = agreement(
        schema.votes(frame, items=items, classes=(YES, NO)),
        overlap=sheets.data.overlap,
        resamples=RESAMPLES,
        seed=seed,
        level=LEVEL,
    )
    return tuple(made[name] for name in PER_BOX)


def told(found: Filtered) -> dict[str, Any]:
    """The object of one data set in items.json; shares are fractions."""
    data, kept = found.sheets.data, found.count(KEPT)
    return {
        "simulated": data.simulated,
        "rule": rule_of(found),
        "share": found.rule.share,
        "counts": {
            "items": len(found.items),
            "items_by_status": {status: found.count(status) for status in (KEPT, REMOVED, UNDECIDED, OPEN)},
            "kept_share": rounded(kept / found.judged) if found.judged else None,
            "excluded": len(data.dropped()),
            "excluded_by_reason": excluded(data),
        },
        "human_failure": failure(found),
        "removal_reasons": [
            {
                "question": one.ground.question,
                "reason": one.ground.reason,
                "removed": one.removed,
                "share_of_removed": rounded(one.share),
                "named": one.named,
                "votes": one.votes,
                "agreement": [coefficient(row) for row in one.agreement],
            }
            for one in found.reasons
        ],
    }


def failure(found: Filtered) -> dict[str, Any]:
    """Whether wrong answers were a reason, and what became of the items on which more than the share was wrong."""
    failed = [item for item in found.items if item.failed]
    alone = [item for item in failed if {ground.reason for ground in item.reasons} == {FAILURE}]
    return {
        "is_a_reason": found.rule.failure,
        "items_with_answers_and_gold": sum(item.answers > 0 for item in found.items),
        "items_failed": len(failed),
        "items_failed_by_status": {
            status: sum(item.status == status for item in failed) for status in (KEPT, REMOVED, UNDECIDED, OPEN)
        },
        "removed_for_it_alone": len(alone),
    }


def rule_of(found: Filtered) -> str:
    """The rule in words."""
    rule = found.rule
    share = f"more than {100 * rule.share:g} % of the people who were asked"
    said = []
    if rule.problems:
        said.append(f"{share} name one and the same problem ({', '.join(rule.problems)})")
    for name, values in rule.keep.items():
        said.append(f"{share} answer “{name}” otherwise than {' or '.join(values)}")
    if rule.failure:
        said.append(f"more than {100 * rule.share:g} % of the answers to “{found.sheets.questions[0].name}” are wrong")
    told = f"An item is removed where {', or '.join(said)}; undecided where it is exactly that share."
    return told if rule.failure else f"{told} A wrong answer is no reason."
