"""Which items belong to which pool: chosen, sampled with a seed, and kept apart by item and by group."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotation import files
from annotation.campaigns import project
from annotation.campaigns.sources import PoolSection, SampleSection
from annotation.errors import BadInput, Where
from annotation.loading.drafts import ItemDraft, as_text
from annotation.loading.items import reader
from annotation.vocabulary import Pool

NAMED = 10
"""So many ids are named in a sentence."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What a sample was drawn from: sha256 over the sorted ids of the `of` candidates, a line feed between them."""

    pool: Pool
    sha256: str
    seed: int
    drawn: int
    of: int
    by: str | None
    strata: Mapping[str, tuple[int, int]]

    def stored(self) -> dict[str, object]:
        """As the database keeps it; `strata` maps a value to (drawn, of)."""
        return {
            "pool": self.pool.value, "sha256": self.sha256, "seed": self.seed, "drawn": self.drawn, "of": self.of,
            "by": self.by, "strata": {name: list(counts) for name, counts in self.strata.items()},
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Pools:
    """All items of a campaign, each in its pool, and the frames of the samples."""

    items: tuple[ItemDraft, ...]
    frames: tuple[Frame, ...]


def pooled(campaign: project.Campaign, section: project.ItemsSection) -> Pools:
    """Read the items of every pool; raises BadInput, naming ids, where pools share an item or a group."""
    base = reader.read(campaign, section)
    frames: list[Frame] = []
    apart: list[ItemDraft] = []
    for pool, wanted in _wanted(campaign.definition).items():
        taken = {item.external_id for item in apart}
        if wanted.file is None:
            source = [item for item in base if wanted.where or item.external_id not in taken]
        else:
            source = list(reader.read(campaign, section.model_copy(update={"file": wanted.file})))
        chosen = _chosen(source, wanted, pool=pool, frames=frames, file=campaign.path(wanted.file or section.file))
        _refuse_twice(chosen, apart, pool=pool)
        apart += [replace(item, pool=pool) for item in chosen]
    ids = {item.external_id for item in apart if item.origin.file == campaign.path(section.file)}
    rest = [item for item in base if item.external_id not in ids]
    own = PoolSection.model_construct(file=None, where=section.where, sample=section.sample)
    main = _chosen(rest, own, pool=Pool.MAIN, frames=frames, file=campaign.path(section.file))
    _refuse_twice(main, apart, pool=Pool.MAIN)
    _refuse_shared_groups(main, apart)
    return Pools(items=(*main, *apart), frames=tuple(frames))


def _wanted(definition: project.ProjectFile) -> dict[Pool, PoolSection]:
    wanted = {Pool(name): stage.pool for name, stage in definition.stages.named.items()}
    return wanted | ({Pool.CONTROL: definition.controls.pool} if definition.controls else {})


def _chosen(
    source: Sequence[ItemDraft], wanted: PoolSection, *, pool: Pool, frames: list[Frame], file: Path
) -> list[ItemDraft]:
    by = (wanted.sample.by,) if wanted.sample and wanted.sample.by else ()
    for column in (*wanted.where, *by) if source else ():
        if column not in source[0].origin.values:
            raise BadInput(
                f"There is no column {column!r}, by which the {pool.value} items are chosen.",
                where=source[0].origin.where(),
                remedy=f"It has: {files.named(source[0].origin.values)}.",
            )
    found = [item for item in source if _meets(item, wanted.where)]
    if not found:
        raise BadInput(
            f"No item is left for the {pool.value} pool.",
            where=Where(file=file),
            remedy="Look at its `where`, and at what the other pools take.",
        )
    if wanted.sample is None:
        return found
    drawn = draw(found, wanted.sample)
    frames.append(_frame(found, drawn, wanted.sample, pool=pool))
    return drawn


def _meets(item: ItemDraft, where: Mapping[str, Sequence[str]]) -> bool:
    return all(as_text(item.data.get(column)).strip() in values for column, values in where.items())


def draw(items: Sequence[ItemDraft], sample: SampleSection) -> list[ItemDraft]:
    """A sample in file order; the same seed draws the same ids, whatever the order of the file.

    Stratified, every value of the column gets its share by largest remainders. Raises BadInput for too few items.
    """
    units: dict[str, list[ItemDraft]] = defaultdict(list)
    for item in items:
        units[item.group if sample.groups else item.external_id].append(item)
    number = sample.number if sample.number is not None else max(1, round((sample.share or 0.0) * len(units)))
    if number > len(units):
        raise BadInput(
            f"{number} {'groups' if sample.groups else 'items'} are to be drawn, and there are {len(units)}.",
            where=items[0].origin.where(),
            remedy="Draw fewer.",
        )
    strata: dict[str, list[str]] = defaultdict(list)
    for name in units:
        strata[_stratum(units[name][0], sample.by)].append(name)
    drawn: set[str] = set()
    for stratum, quota in _quotas({name: len(names) for name, names in strata.items()}, number).items():
        drawn |= set(sorted(strata[stratum], key=lambda name: _lot(sample.seed, name))[:quota])
    return [item for item in items if (item.group if sample.groups else item.external_id) in drawn]


def _quotas(sizes: Mapping[str, int], number: int) -> dict[str, int]:
    """Shares of `number` in proportion to the sizes, by largest remainders; equal ones by name."""
    total = sum(sizes.values())
    quotas = {name: number * size // total for name, size in sizes.items()}
    remainders = sorted(sizes, key=lambda name: (-(number * sizes[name] % total), name))
    for name in remainders[: number - sum(quotas.values())]:
        quotas[name] += 1
    return quotas


def _lot(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{name}".encode()).digest()


def _stratum(item: ItemDraft, column: str | None) -> str:
    return "" if column is None else as_text(item.data.get(column)).strip()


def _frame(frame: Sequence[ItemDraft], drawn: Sequence[ItemDraft], sample: SampleSection, *, pool: Pool) -> Frame:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for place, some in enumerate((drawn, frame)):
        for item in some:
            counts[_stratum(item, sample.by)][place] += 1
    ids = "\n".join(sorted(item.external_id for item in frame))
    return Frame(
        pool=pool,
        sha256=hashlib.sha256(ids.encode()).hexdigest(),
        seed=sample.seed,
        drawn=len(drawn),
        of=len(frame),
        by=sample.by,
        strata={name: (one, of) for name, (one, of) in sorted(counts.items())} if sample.by else {},
    )


def _refuse_twice(chosen: Iterable[ItemDraft], apart: Iterable[ItemDraft], *, pool: Pool) -> None:
    known = {item.external_id: item for item in apart}
    both = [item for item in chosen if item.external_id in known]
    if both:
        other = known[both[0].external_id].pool
        raise BadInput(
            f"Items are in the {other.value} pool and in the {pool.value} pool: {_ids(both)}.",
            where=both[0].origin.where(),
            remedy="An item belongs to one pool; take them out of one.",
        )


def _refuse_shared_groups(main: Sequence[ItemDraft], apart: Sequence[ItemDraft]) -> None:
    groups = {item.group for item in main}
    shared = [item for item in apart if item.group in groups]
    if shared:
        raise BadInput(
            f"Items of the {shared[0].pool.value} pool share a group with main items: {_ids(shared)}.",
            where=shared[0].origin.where(),
            remedy="Who has met a group has met its answer: take whole groups (`sample: {groups: yes}`), or others.",
        )


def _ids(items: Sequence[ItemDraft]) -> str:
    named = ", ".join(item.external_id for item in items[:NAMED])
    return named if len(items) <= NAMED else f"{named} and {len(items) - NAMED} more"
