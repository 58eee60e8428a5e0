"""What is weak in the systems that a campaign compares: none named, one with itself, groups that never meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aggregation import spelling
from annotation.campaigns.questions import Question
from annotation.loading.drafts import ItemDraft, format_value
from annotation.vocabulary import Pool

MAX_NAMED = 3
"""How many items a sentence names."""


def describe_systems(questions: Sequence[Question], items: Iterable[ItemDraft]) -> Iterator[str]:
    """Yield sentences about main items without a system, or with one system only, and about groups that never meet."""
    compared, columns = read_systems(questions, items), _list_columns(questions)
    nameless = [item for item, systems in compared.items() if "" in systems]
    if nameless:
        yield f"{_count(nameless, 'lacks', 'lack')} a system ({_name(nameless)}): fill {' and '.join(columns)}."
    same = [item for item, systems in compared.items() if len({*systems}) < len(systems) and "" not in systems]
    if same:
        yield f"{_count(same, 'compares', 'compare')} a system with itself ({_name(same)}): leave them out."
    groups = join_compared({*systems} - {""} for systems in compared.values())
    if len(groups) > 1:
        listed = "; ".join(spelling.join_first(group) for group in groups)
        yield (
            f"The systems make {len(groups)} groups that no item compares with each other, so they have no common"
            f" ranking: {listed}. Add items that do."
        )


def read_systems(questions: Sequence[Question], items: Iterable[ItemDraft]) -> dict[str, tuple[str, ...]]:
    """The systems of each main item, in the order of its sides; empty if no question names their columns."""
    columns = _list_columns(questions)
    main = [item for item in items if columns and item.pool is Pool.MAIN]
    return {item.external_id: tuple(format_value(item.data.get(column)).strip() for column in columns) for item in main}


def _list_columns(questions: Sequence[Question]) -> tuple[str, ...]:
    return next((question.system_columns for question in questions if question.system_columns), ())


def join_compared(pairs: Iterable[Iterable[str]]) -> list[list[str]]:
    """The systems in groups that comparisons connect, in the order of their names."""
    groups: list[set[str]] = []
    for pair in pairs:
        joined = set(pair)
        apart = [group for group in groups if not group & joined]
        for group in groups:
            if group & joined:
                joined |= group
        groups = [*apart, joined] if joined else groups
    return sorted(sorted(group) for group in groups)


def _count(items: Sequence[str], one: str, several: str) -> str:
    return f"1 item {one}" if len(items) == 1 else f"{len(items)} items {several}"


def _name(items: Sequence[str]) -> str:
    return spelling.join_first(items, most=MAX_NAMED)
