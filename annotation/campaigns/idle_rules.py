"""Rules that never fire in a campaign of this size: each is a sentence for the organiser, with the remedy. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from annotation.campaigns.project_sections import ProjectSections
from annotation.campaigns.sections.base import multiply_share
from annotation.campaigns.sections.quality import ControlRule, StraightLiningRule
from annotation.campaigns.sections.sources import ItemsSection
from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.vocabulary import Pool


def list_idle_rules(
    definition: ProjectSections, item_counts: Mapping[Pool, int], *, quota: int | None = None
) -> Iterator[str]:
    """Sentences about quality rules, repeats and caps that can do nothing; `item_counts` are the items of each pool.

    `quota` is the most items that one annotator gets in the programme of the project.

    Imported votes are judged by what their file holds, of which nothing is said here.
    """
    if not isinstance(definition.items, ItemsSection) or definition.overlap is None:
        return
    n_items = _count_items_of_one(definition, item_counts, quota=quota)
    for number, rule in enumerate(definition.quality, start=1):
        if isinstance(rule, ControlRule):
            n_met = _count_controls_of_one(definition, item_counts, n_items)
            n_met += item_counts.get(Pool.TRAINING, 0) if rule.training_counts else 0
            if n_met < rule.min_controls:
                yield (
                    f"Rule {number} of `quality` judges nobody: it waits for {rule.min_controls} answers to control"
                    f" items, and one person meets at most {n_met}. Make more control items or show them more often,"
                    f" or write `min_controls: {max(1, n_met)}`."
                )
        elif isinstance(rule, StraightLiningRule) and rule.run > n_items:
            yield (
                f"Rule {number} of `quality` judges nobody: {rule.run} answers in a row are asked for, and one person"
                f" gets at most {n_items} items. Write a smaller `run`."
            )
    if definition.repeats is not None and round(definition.repeats.share * n_items) == 0:
        yield (
            f"No item is asked again: {definition.repeats.share:.0%} of the {n_items} items of one person is less than"
            " one. Write a larger `repeats.share`, or leave it out."
        )


def list_weaknesses(definition: ProjectSections, item_counts: Mapping[Pool, int]) -> Iterator[str]:
    """Sentences about what makes the results of a baseline weak although it can be run."""
    if definition.kind != "baseline" or definition.overlap is None:
        return
    if not isinstance(definition.items, ItemsSection) or not (definition.items.gold or definition.items.golds):
        yield "A baseline without gold scores nobody: name the column with right answers in `items.gold`."
    least = definition.overlap.min if isinstance(definition.overlap, DynamicOverlap) else definition.overlap
    if least == 1:
        yield "With one answer an item there is no agreement and no majority: write `overlap: 3` or more."
    elif least % 2 == 0:
        yield f"With an even number of answers ({least}) the majority can tie: write an odd `overlap`, as {least + 1}."
    if item_counts.get(Pool.MAIN, 0) == 1:
        yield "One item has no interval: put more items into the file."


def _count_items_of_one(definition: ProjectSections, item_counts: Mapping[Pool, int], *, quota: int | None) -> int:
    """The most main items that one annotator gets."""
    cap = None if definition.caps is None else definition.caps.items
    return min(limit for limit in (item_counts.get(Pool.MAIN, 0), cap, quota) if limit is not None)


def _count_controls_of_one(definition: ProjectSections, item_counts: Mapping[Pool, int], n_items: int) -> int:
    """The most control items that one annotator meets beside their main items."""
    controls = definition.controls
    if controls is None:
        return 0
    n_pool = item_counts.get(Pool.CONTROL, 0)
    if controls.per_page is not None and definition.pages is not None:
        n_pages = math.ceil(n_items / max(1, definition.pages.items - controls.per_page))
        return min(n_pool, n_pages * controls.per_page)
    rate = multiply_share(controls.rate or 0.0, 1)
    return n_pool if rate >= 1 else min(n_pool, math.ceil(n_items * rate / (1 - rate)))
