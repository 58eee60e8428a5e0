"""The overlap sample: which groups of main items get more answers than the others (`overlap: {each, sample, of}`)."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from annotation.campaigns import project_file
from annotation.campaigns.sections.base import multiply_share
from annotation.campaigns.sections.stages import SampledOverlap
from annotation.errors import BadInput, Where
from annotation.loading.drafts import ItemDraft
from annotation.loading.pools import divide_by_size
from annotation.vocabulary import Pool

ItemInGroup = tuple[str, str, str | None]
"""An item as it is drawn: its external id, its group and its stratum."""


@dataclass(frozen=True, kw_only=True)
class SampleSize:
    """How many main items and groups the overlap sample has, and how many there are in all."""

    items: int
    all_items: int
    groups: int
    all_groups: int


def draw_groups(
    items: Iterable[ItemInGroup], *, share: float, seed: int, earlier: Collection[str] = (), drawn: Collection[str] = ()
) -> frozenset[str]:
    """Draw the groups of the sample; returns those of `drawn` and the new ones.

    `items` are all main items. The sample has the share of all groups, rounded. Whole groups are drawn by the seed,
    whatever the order of the items, and every stratum gets its share by largest remainders. A group has the stratum of
    its first item by id. Groups of `earlier` items were drawn before: those in `drawn` stay in the sample, the others
    stay out of it.
    """
    strata: dict[str, str] = {}
    for _, group, stratum in sorted(items, key=lambda item: item[0]):
        strata.setdefault(group, stratum or "")
    by_stratum: dict[str, list[str]] = defaultdict(list)
    for group in strata.keys() - set(earlier):
        by_stratum[strata[group]].append(group)
    n_new = sum(map(len, by_stratum.values()))
    number = min(n_new, max(0, round(multiply_share(share, len(strata))) - len(drawn)))
    chosen = set(drawn)
    quotas = divide_by_size({name: len(groups) for name, groups in by_stratum.items()}, number) if n_new else {}
    for name, quota in quotas.items():
        chosen |= set(sorted(by_stratum[name], key=lambda group: _rank_group(seed, group))[:quota])
    return frozenset(chosen)


def measure_sample(overlap: SampledOverlap, items: Iterable[ItemDraft], *, seed: int) -> SampleSize:
    """Measure the sample that would be drawn of the main items among these."""
    main = [item for item in items if item.pool is Pool.MAIN]
    listed = [(item.external_id, item.group, item.stratum) for item in main]
    groups = draw_groups(listed, share=overlap.sample, seed=seed)
    return SampleSize(
        items=sum(item.group in groups for item in main),
        all_items=len(main),
        groups=len(groups),
        all_groups=len({item.group for item in main}),
    )


def refuse_useless_sample(campaign: project_file.CheckedProject, items: Iterable[ItemDraft]) -> None:
    """Raise BadInput if the overlap sample of the items has no group, or all of them."""
    overlap = campaign.definition.sampled_overlap
    if overlap is None:
        return
    size = measure_sample(overlap, items, seed=campaign.definition.seed)
    if 0 < size.groups < size.all_groups:
        return
    found = "all of them" if size.groups else "empty"
    least = next(
        (percent for percent in range(1, 100) if 0 < round(percent * size.all_groups / 100) < size.all_groups), 0
    )
    remedy = f"Write `overlap: {overlap.of if size.groups else overlap.each}`, or a sample"
    raise BadInput(
        f"A sample of {overlap.sample * 100:g}% of {size.all_groups} groups is {found}.",
        where=campaign.places.get(project_file.OVERLAP_SAMPLE, Where(file=campaign.path, field="overlap.sample")),
        remedy=f"{remedy} of {least}% or more." if least and not size.groups else f"{remedy} of a smaller share.",
    )


def hash_ids(ids: Iterable[str]) -> str:
    """The sha256 over the sorted ids, joined by line feeds, as in the frames of other samples."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


def describe_frame(
    overlap: SampledOverlap, items: Iterable[ItemInGroup], drawn: Collection[str], *, seed: int
) -> Mapping[str, object]:
    """The frame of the drawn sample as JSON: the keys of `SamplingFrame.to_dict`, the groups, and what was drawn."""
    all_items = list(items)
    ids = [name for name, group, _ in all_items if group in drawn]
    strata: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for _, group, stratum in all_items:
        strata[stratum or ""][0] += group in drawn
        strata[stratum or ""][1] += 1
    is_stratified = any(stratum is not None for _, _, stratum in all_items)
    return {
        "pool": "overlap sample", "sha256": hash_ids(name for name, _, _ in all_items), "seed": seed,
        "drawn": len(ids), "of": len(all_items), "by": "stratum" if is_stratified else None,
        "strata": dict(sorted(strata.items())) if is_stratified else {},
        "groups": [len(drawn), len({group for _, group, _ in all_items})], "drawn_sha256": hash_ids(ids),
        "each": overlap.each, "answers": overlap.of,
    }  # fmt: skip


def _rank_group(seed: int, group: str) -> bytes:
    """The rank of a group in the draw. It has nothing in common with the queue order, which the seed makes too."""
    return hashlib.sha256(f"overlap\x1f{seed}\x1f{group}".encode()).digest()
