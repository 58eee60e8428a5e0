"""The items on which people failed most often, or agreed least, with their votes and the reasons of skips."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from exports.pages.display_text import NO_VALUE, shorten_text
from exports.pages.scaffold import TableRow
from exports.pages.translation import localize_number, mark_text, translate, translate_count
from exports.release_state import ReleaseState
from exports.report.chapters import Chapter, ChapterTable
from exports.results import DataSetResult

MOST_ITEMS, MOST_LETTERS, MOST_VOTES = 10, 300, 6
HOW = mark_text(
    "Where gold is known, the items that the fewest people had right come first; else those on whose most frequent"
    " answer the fewest agree. Ties stand in the order of their ids. Answers that count are shown, with the reasons"
    " of skips; human_items.csv has every item. A hard item may also be one whose gold is wrong: a gold review tells."
)


class _ItemVotes(NamedTuple):
    """An item with its votes, the share that is right (or says the most frequent answer), and its skip reasons."""

    item_id: str
    gold: str | None
    share: float
    votes: Counter[str]
    skips: Counter[str]


def build_hard_item_chapter(state: ReleaseState) -> Chapter:
    """A table of the hardest items of each data set."""
    shown = {
        task.data.name: dict(zip(task.texts["item_id"], task.texts["stimulus"], strict=True))
        for task in state.inputs.benchmark.tasks
        if not task.hidden
    }
    tables = [_build_table(result, shown.get(result.data.name, {})) for result in state.results]
    return Chapter(
        id="hard-items",
        title=translate("The hardest items"),
        how=translate(HOW),
        tables=tuple(table for table in tables if table.rows),
    )


def _build_table(result: DataSetResult, shown: Mapping[str, str]) -> ChapterTable:
    items = sorted(_list_items(result), key=lambda one: (one.share, one.item_id))
    hard = [one for one in items if one.share < 1][:MOST_ITEMS]
    rows = tuple(
        TableRow(
            head=one.item_id,
            cells=(
                localize_number(f"{100 * one.share:.0f} %"),
                NO_VALUE if one.gold is None else shorten_text(one.gold, max_length=40),
            ),
            remark=_describe_item(one, shown.get(one.item_id, "")),
        )
        for one in hard
    )
    what = translate("Right") if result.performance is not None else translate("Agree")
    caption = translate("{name}: the hardest of {n} answered items", name=result.data.name, n=len(items))
    return ChapterTable(caption, (translate("Item"), what, translate("Gold")), rows)


def _list_items(result: DataSetResult) -> list[_ItemVotes]:
    data = result.data
    golds = dict(zip(data.items["item_id"], data.list_scoring_gold(), strict=True))
    votes: dict[str, Counter[str]] = {}
    skips: dict[str, Counter[str]] = {}
    counted, skipped = data.list_counted_answers(), data.list_counted_skips()
    for item, answer in zip(counted["item_id"], counted["response"], strict=True):
        votes.setdefault(item, Counter())[answer] += 1
    for item, reason in zip(skipped["item_id"], skipped["skip_reason"], strict=True):
        skips.setdefault(item, Counter())[str(reason)] += 1
    found = []
    for item, gold in golds.items():
        own, passed = votes.get(item, Counter()), skips.get(item, Counter())
        total = own.total() + (passed.total() if gold is not None else 0)
        if not total:
            continue
        right = (
            sum(count for answer, count in own.items() if data.is_right(item, answer, gold))
            if gold is not None
            else max(own.values(), default=0)
        )
        found.append(_ItemVotes(item, gold, right / total, own, passed))
    return found


def _describe_item(one: _ItemVotes, shown: str) -> str:
    ordered = sorted(one.votes.items(), key=lambda vote: (-vote[1], vote[0]))
    parts = [f"{shorten_text(answer, max_length=60)} × {count}" for answer, count in ordered[:MOST_VOTES]]
    more = len(ordered) - MOST_VOTES
    parts += [translate_count("{n} more answer", "{n} more answers", more)] if more > 0 else []
    parts += [
        translate("skipped, {reason} × {count}", reason=reason, count=count)
        for reason, count in sorted(one.skips.items())
    ]
    text = shorten_text(" ".join(shown.split()), max_length=MOST_LETTERS)
    return f"{'; '.join(parts)}. {text}".strip()
