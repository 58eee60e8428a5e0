"""items.html: what was kept, the reasons why the rest was not, and each removed item to be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aggregation.agreement import Coefficient
from exports.evidence import excluded
from exports.items.reasons import LEVEL, RESAMPLES, Filtered, Reason, failure, rule_of
from exports.items.verdicts import KEPT, OPEN, REMOVED, UNDECIDED, Verdict
from exports.report import words
from exports.report.bars import bars
from exports.report.pages import rendered

MOST = 1000
"""Removed items of a data set that the page shows; the files hold all."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a table: its heading, its cells, and a remark below them."""

    head: str
    cells: tuple[str, ...]
    remark: str = ""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A removed item: what was named against it, how often, what was written, and the item itself."""

    item_id: str
    status: str
    named: tuple[str, ...]
    remarks: tuple[str, ...]
    shown: str


@dataclass(frozen=True, kw_only=True)
class Block:
    """One data set."""

    name: str
    title: str
    language: str
    simulated: bool
    rule: str
    counted: str
    glance: tuple[tuple[str, str, str], ...]
    panel: str
    reasons: tuple[Line, ...]
    agreement: tuple[Line, ...]
    failure: str
    items: tuple[Shown, ...]
    beyond: str


def page(found: Sequence[Filtered], *, seed: int = 0, title: str = "Filtered items") -> str:
    """One HTML document that needs nothing from outside; simulated data is stamped."""
    simulated = [one.sheets.data.name for one in found if one.sheets.data.simulated]
    return rendered(
        "items.html.j2",
        package="exports.items",
        title=title,
        simulated=simulated,
        all_simulated=len(simulated) == len(found),
        blocks=[_block(one, prefix=f"items-{number}") for number, one in enumerate(found)],
        level=f"{100 * LEVEL:g} %",
        resamples=RESAMPLES,
        seed=seed,
    )


def _block(found: Filtered, *, prefix: str) -> Block:
    data = found.sheets.data
    out = [item for item in found.items if item.status in {REMOVED, UNDECIDED}]
    left_out = ", ".join(f"{reason}: {count}" for reason, count in excluded(data).items())
    return Block(
        name=data.name,
        title=data.title,
        language=data.language,
        simulated=data.simulated,
        rule=rule_of(found),
        counted=f"Answers left out: {left_out or 'none'}.",
        glance=_glance(found),
        panel=_panel(found, prefix=prefix),
        reasons=tuple(_reason(one) for one in found.reasons),
        agreement=tuple(_agreement(one) for one in found.reasons),
        failure=_failure(found),
        items=tuple(_shown(found, item) for item in out[:MOST]),
        beyond=f"{len(out) - MOST} more items stand in the files beside this page." if len(out) > MOST else "",
    )


def _glance(found: Filtered) -> tuple[tuple[str, str, str], ...]:
    kept, removed, judged = found.count(KEPT), found.count(REMOVED), found.judged
    rows = [("Kept", f"{kept} of {judged}", _share(kept, judged)), ("Removed", str(removed), _share(removed, judged))]
    rows += [(words.capital(name), str(count), "") for name in (UNDECIDED, OPEN) if (count := found.count(name))]
    return tuple(rows)


def _share(count: int, of: int) -> str:
    return words.percent(count / of) if of else ""


def _panel(found: Filtered, *, prefix: str) -> str:
    removed = found.count(REMOVED)
    return bars(
        [(one.ground.reason, one.removed, f"{one.removed}, {words.percent(one.share)}")
         for one in found.reasons if one.removed],
        title="Removed, by reason",
        subtitle=f"of {words.counted(removed, 'removed item')}",
        prefix=prefix,
        simulated=found.sheets.data.simulated,
    )  # fmt: skip


def _reason(one: Reason) -> Line:
    cells = (str(one.removed), words.percent(one.share), str(one.named), str(one.votes))
    return Line(head=one.ground.reason, cells=cells)


def _agreement(one: Reason) -> Line:
    missing = sorted({row.reason for row in one.agreement if row.reason})
    cells = (*(_coefficient(row) for row in one.agreement), str(one.agreement[0].n_items))
    return Line(head=one.ground.reason, cells=cells, remark=" ".join(missing))


def _coefficient(row: Coefficient) -> str:
    value, interval = words.coefficient(row.name, row.value), words.coefficients(row.name, row.low, row.high)
    return value if row.low is None else f"{value} [{interval}]"


def _failure(found: Filtered) -> str:
    told = failure(found)
    asked, failed, by = told["items_with_answers_and_gold"], told["items_failed"], told["items_failed_by_status"]
    if not asked:
        return "No item has gold and answers to the first question, so nobody is known to have failed."
    counts = (
        f"On {failed} of {words.counted(asked, 'item')} more than {100 * found.rule.share:g} % of the people answered "
        f"wrongly: {by[KEPT]} kept, {by[REMOVED]} removed, {by[UNDECIDED]} undecided."
    )
    if not found.rule.failure:
        return f"It was no reason. {counts}"
    return f"It was a reason. {counts} {words.counted(told['removed_for_it_alone'], 'item')} went for it alone."


def _shown(found: Filtered, item: Verdict) -> Shown:
    return Shown(
        item_id=item.item_id,
        status=item.status,
        named=tuple(f"{ground.reason}: {votes} of {item.people}" for ground, votes in item.named.items()),
        remarks=item.remarks,
        shown=found.sheets.contents[item.item_id].shown,
    )
