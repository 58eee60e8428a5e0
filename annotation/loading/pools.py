"""Reads the items of every pool: filtered, sampled with a seed, and separate by item and by group."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aggregation import spelling
from annotation import input_files
from annotation.campaigns import project_file
from annotation.campaigns.sections.sources import PoolSection, SampleSection, index_conditions
from annotation.errors import BadInput, ErrorCollector, Where
from annotation.loading.drafts import ItemDraft, find_unmet, format_value
from annotation.loading.items import item_reader
from annotation.vocabulary import Pool


@dataclass(frozen=True, kw_only=True)
class SamplingFrame:
    """The frame of a sample: `sha256` is over the sorted ids of all candidates, joined by line feeds.

    `strata` maps a value of the column `by` to the numbers of drawn items and of candidates.
    """

    pool: Pool
    sha256: str
    seed: int
    n_drawn: int
    n_candidates: int
    by: str | None
    strata: Mapping[str, tuple[int, int]]

    def to_dict(self) -> dict[str, object]:
        """The frame as JSON, as the database stores it."""
        return {
            "pool": self.pool.value, "sha256": self.sha256, "seed": self.seed, "drawn": self.n_drawn,
            "of": self.n_candidates, "by": self.by,
            "strata": {name: list(counts) for name, counts in self.strata.items()},
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PooledItems:
    """All items of a campaign with their pools, and the frames of the samples."""

    items: tuple[ItemDraft, ...]
    frames: tuple[SamplingFrame, ...]


def read_pools(campaign: project_file.CheckedProject, section: project_file.ItemsSection) -> PooledItems:
    """Read the items of every pool; raises BadInput, naming ids, where pools share an item or a group.

    What is wrong with the files and with each pool is told at once.
    """
    frames: list[SamplingFrame] = []
    base: Sequence[ItemDraft] = ()
    separate: list[ItemDraft] = []
    errors = ErrorCollector()
    with errors:
        base = item_reader.read_items(campaign, section)
    for pool, wanted in _list_pool_sections(campaign.definition).items():
        with errors:
            chosen = _read_pool(campaign, section, wanted, pool=pool, base=base, separate=separate, frames=frames)
            separate += [item._replace(pool=pool) for item in chosen]
    errors.refuse()
    ids = {_get_key(item) for item in separate if item.origin.file == campaign.resolve_path(section.file)}
    rest = [item for item in base if _get_key(item) not in ids]
    own = PoolSection.model_construct(file=None, where=section.where, sample=section.sample)
    main = _select_items(rest, own, pool=Pool.MAIN, frames=frames, file=campaign.resolve_path(section.file))
    _refuse_twice(main, separate, pool=Pool.MAIN)
    _refuse_shared_groups(main, separate)
    return PooledItems(items=(*main, *separate), frames=tuple(frames))


def read_examples(campaign: project_file.CheckedProject, main: Sequence[ItemDraft]) -> tuple[ItemDraft, ...]:
    """Read the examples for models of items that are made from votes; none where the project names no file of them.

    The file has the columns of the votes; the right answer is in that of the answer, or in that of the truth.
    """
    own, votes, truth = campaign.definition.benchmark.own_pool, campaign.definition.votes, campaign.definition.truth
    if own is None or own.file is None or votes is None:
        return ()
    shown = votes.show or votes.item
    if not shown:
        raise BadInput(
            "What do the examples show? Votes have the usual columns of their format, examples have none.",
            where=Where(file=campaign.path, field="benchmark.few_shot"),
            remedy="Name the columns as `votes.show`.",
        )
    section = project_file.ItemsSection(
        file=own.file,
        id=(votes.item or shown)[0],
        show=shown,
        options=votes.options,
        gold=truth.gold if truth is not None else None if votes.answers else votes.answer or "gold",
        golds={} if truth is not None else votes.answers,
        group=votes.group,
    )
    items = item_reader.read_items(campaign, section)
    file = campaign.resolve_path(own.file)
    examples = [
        item._replace(pool=Pool.FEW_SHOT)
        for item in _select_items(items, own, pool=Pool.FEW_SHOT, frames=[], file=file)
    ]
    _refuse_twice(main, examples, pool=Pool.MAIN)
    _refuse_shared_groups(main, examples)
    return tuple(examples)


def _read_pool(
    campaign: project_file.CheckedProject,
    section: project_file.ItemsSection,
    wanted: PoolSection,
    *,
    pool: Pool,
    base: Sequence[ItemDraft],
    separate: Sequence[ItemDraft],
    frames: list[SamplingFrame],
) -> Sequence[ItemDraft]:
    """The items of one pool, from `base`, the main file, or a file of its own; none where `base` could not be read."""
    if wanted.file is not None:
        source = list(item_reader.read_items(campaign, section.model_copy(update={"file": wanted.file})))
    elif base:
        taken = {_get_key(item) for item in separate}
        source = [item for item in base if wanted.where or _get_key(item) not in taken]
    else:
        return ()
    file = campaign.resolve_path(wanted.file or section.file)
    chosen = _select_items(source, wanted, pool=pool, frames=frames, file=file)
    _refuse_twice(chosen, separate, pool=pool)
    return chosen


def _list_pool_sections(definition: project_file.ProjectFile) -> dict[Pool, PoolSection]:
    sections = {Pool(name): stage.pool for name, stage in definition.stages.by_name.items()}
    own = definition.benchmark.own_pool
    sections |= {Pool.CONTROL: definition.controls.pool} if definition.controls else {}
    return sections | ({Pool.FEW_SHOT: own} if own is not None else {})


def _select_items(
    source: Sequence[ItemDraft], wanted: PoolSection, *, pool: Pool, frames: list[SamplingFrame], file: Path
) -> list[ItemDraft]:
    by = (wanted.sample.by,) if wanted.sample and wanted.sample.by else ()
    for column in (*wanted.where, *by) if source else ():
        if column not in source[0].origin.values:
            raise BadInput(
                f"There is no column {column!r}, by which the {pool.value} items are chosen.",
                where=source[0].origin.where(),
                remedy=f"It has: {input_files.format_columns(source[0].origin.values)}.",
            )
    conditions = index_conditions(wanted.where)
    matching = [item for item in source if find_unmet(conditions, item.data) is None]
    if not matching:
        raise BadInput(
            f"No item is left for the {pool.value} pool.",
            where=Where(file=file),
            remedy="Look at its `where`, and at what the other pools take.",
        )
    if wanted.sample is None:
        return matching
    drawn = draw_sample(matching, wanted.sample)
    frames.append(_build_frame(matching, drawn, wanted.sample, pool=pool))
    return drawn


def draw_sample(items: Sequence[ItemDraft], sample: SampleSection) -> list[ItemDraft]:
    """Draw a sample, in file order; the same seed draws the same ids whatever the order of the file.

    In a stratified sample every value of the column gets its share by largest remainders. Raises BadInput for too few
    items.
    """
    units: dict[str, list[ItemDraft]] = defaultdict(list)
    for item in items:
        units[item.group if sample.groups else item.external_id].append(item)
    number = sample.number if sample.number is not None else max(1, round((sample.share or 0.0) * len(units)))
    if number > len(units):
        raise BadInput(
            f"Cannot draw {number} {'groups' if sample.groups else 'items'}: there are only {len(units)}.",
            where=items[0].origin.where(),
            remedy="Draw fewer.",
        )
    strata: dict[str, list[str]] = defaultdict(list)
    for name in units:
        strata[_get_stratum(units[name][0], sample.by)].append(name)
    drawn: set[str] = set()
    for stratum, quota in divide_by_size({name: len(names) for name, names in strata.items()}, number).items():
        drawn |= set(sorted(strata[stratum], key=lambda name: _rank_by_seed(sample.seed, name))[:quota])
    return [item for item in items if (item.group if sample.groups else item.external_id) in drawn]


def divide_by_size(sizes: Mapping[str, int], number: int) -> dict[str, int]:
    """Divide `number` in proportion to the sizes, by largest remainders; equal remainders in order of name."""
    total = sum(sizes.values())
    quotas = {name: number * size // total for name, size in sizes.items()}
    remainders = sorted(sizes, key=lambda name: (-(number * sizes[name] % total), name))
    for name in remainders[: number - sum(quotas.values())]:
        quotas[name] += 1
    return quotas


def _rank_by_seed(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{name}".encode()).digest()


def _get_stratum(item: ItemDraft, column: str | None) -> str:
    return "" if column is None else format_value(item.data.get(column)).strip()


def _build_frame(
    frame: Sequence[ItemDraft], drawn: Sequence[ItemDraft], sample: SampleSection, *, pool: Pool
) -> SamplingFrame:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for place, some in enumerate((drawn, frame)):
        for item in some:
            counts[_get_stratum(item, sample.by)][place] += 1
    ids = "\n".join(sorted(item.external_id for item in frame))
    return SamplingFrame(
        pool=pool,
        sha256=hashlib.sha256(ids.encode()).hexdigest(),
        seed=sample.seed,
        n_drawn=len(drawn),
        n_candidates=len(frame),
        by=sample.by,
        strata={name: (one, of) for name, (one, of) in sorted(counts.items())} if sample.by else {},
    )


def _refuse_twice(chosen: Iterable[ItemDraft], separate: Iterable[ItemDraft], *, pool: Pool) -> None:
    item_by_key = {_get_key(item): item for item in separate}
    both = [item for item in chosen if _get_key(item) in item_by_key]
    if both:
        other = item_by_key[_get_key(both[0])].pool
        raise BadInput(
            f"Items are in the {other.value} pool and in the {pool.value} pool: {_format_ids(both)}.",
            where=both[0].origin.where(),
            remedy="An item belongs to one pool; take them out of one.",
        )


def _refuse_shared_groups(main: Sequence[ItemDraft], separate: Sequence[ItemDraft]) -> None:
    groups = {item.group for item in main}
    shared = [item for item in separate if item.group in groups]
    if shared:
        raise BadInput(
            f"These {shared[0].pool.value} items share a group with main items: {_format_ids(shared)}.",
            where=shared[0].origin.where(),
            remedy="They would give answers away: sample whole groups (`sample: {groups: yes}`) or choose other items.",
        )


def _get_key(item: ItemDraft) -> str:
    return spelling.build_key(item.external_id)


def _format_ids(items: Sequence[ItemDraft]) -> str:
    return spelling.join_first(item.external_id for item in items)
