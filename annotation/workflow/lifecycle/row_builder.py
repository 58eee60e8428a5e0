"""Projects and items as they are stored, made of what was read: pure."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.campaigns import project as project_files
from annotation.campaigns import stimulus
from annotation.campaigns.stages import DynamicOverlap
from annotation.loading import campaign as campaigns
from annotation.loading.drafts import ItemDraft
from annotation.store import overlap_counts
from annotation.vocabulary import GoldOrigin, Pool, WordingKind
from annotation.workflow import text_versions
from annotation.workflow.lifecycle import telegram_support

_CONTENT = json.JSONEncoder(ensure_ascii=False)


def columns_of(campaign: project_files.Campaign, contents: campaigns.Contents, *, digest: str) -> dict[str, Any]:
    """The project as it is stored."""
    definition, instructions = campaign.definition, campaign.instructions()
    return {
        "name": definition.project,
        "title": definition.title,
        "language": definition.language,
        "instructions": instructions,
        "instructions_sha256": stimulus.text_digest(instructions),
        "definition": definition.model_dump(mode="json"),
        "definition_sha256": digest,
        "source": str(campaign.file.absolute()),
        "overlap": definition.least_overlap,
        "overlap_max": most_overlap(definition),
        "served": not telegram_support.missing(definition),
        "frames": [frame.stored() for frame in contents.frames] or None,
        "word_lists": campaign.word_lists() or None,
    }


def digest(campaign: project_files.Campaign, contents: campaigns.Contents) -> str:
    """sha256 of the definition, the texts and every item's content, so that any change is seen."""
    parts = [campaign.definition.model_dump_json(), campaign.instructions()]
    parts += [text for kind, text in text_versions.of_project(campaign).items() if kind is WordingKind.CONSENT]
    parts += [json.dumps(words, ensure_ascii=False) for words in campaign.word_lists().values()]
    parts += [
        _CONTENT.encode(
            [
                i.external_id, i.revision, i.pool.value, i.group, i.data, i.options, i.golds, i.accepted, i.explanation,
                i.stratum, i.tags, i.lineage,
            ]
        )
        for i in contents.items
    ]  # fmt: skip
    return stimulus.text_digest("\n".join(parts))


def rows_of(campaign: project_files.Campaign, contents: campaigns.Contents) -> dict[str, dict[str, Any]]:
    """The items as they are stored, by external id."""
    found: dict[str, dict[str, Any]] = {}
    for rank, item in enumerate(contents.items):
        found[item.external_id] = _row(item, contents, rank=rank) | _gold_facts(campaign.definition, item)
    return found


def most_overlap(definition: project_files.ProjectFile) -> int | None:
    """How many answers an item gets at the most; None for imported votes."""
    return definition.overlap.max if isinstance(definition.overlap, DynamicOverlap) else definition.overlap


def places(pool: Pool, overlap: int | None) -> int:
    """How many places an item of the pool has at first."""
    return (overlap or 0) if pool in overlap_counts.PLACED else 0


def rings(items: Iterable[tuple[str, Pool]], *, seed: int, after: Mapping[Pool, int]) -> dict[str, int]:
    """A random order of the items (external id, pool) of every pool, the same for the same seed, whatever their order.

    Each pool counts on from its number in `after`, or from 0, without a gap.
    """
    pools: dict[Pool, list[tuple[bytes, str]]] = defaultdict(list)
    for name, pool in items:
        pools[pool].append((hashlib.sha256(f"{seed}\x1f{name}".encode()).digest(), name))
    return {
        name: after.get(pool, 0) + place
        for pool, members in pools.items()
        for place, (_, name) in enumerate(sorted(members))
    }


_NO_GOLD: dict[str, str | None] = {"gold_origin": None, "gold_version": None}


def _gold_facts(definition: project_files.ProjectFile, item: ItemDraft) -> dict[str, str | None]:
    section = definition.items if isinstance(definition.items, project_files.ItemsSection) else definition.truth
    if not item.golds:
        return _NO_GOLD
    if section is None:
        return _NO_GOLD | {"gold_origin": GoldOrigin.DECLARED.value}
    return {"gold_origin": section.gold_origin.value, "gold_version": section.gold_version}


def _row(item: ItemDraft, contents: campaigns.Contents, *, rank: int) -> dict[str, Any]:
    plain, text = all(piece.plain for piece in item.pieces), stimulus.text_of(item.pieces)
    digest = stimulus.rendered_digest(item.pieces, text, questions=contents.questions, own=item.options)
    return {
        "external_id": item.external_id,
        "revision": item.revision,
        "group_id": item.group,
        "stage": item.pool.stage,
        "pool": item.pool,
        "rank": rank,
        "data": item.data,
        "options": None if item.options is None else list(item.options),
        "stimulus": text,
        "pieces": None if plain else json.loads(json.dumps([piece.stored() for piece in item.pieces])),
        "stimulus_sha256": digest,
        "gold": item.gold,
        "golds": (item.golds or None) if len(contents.questions) > 1 else None,
        "accepted": list(item.accepted) or None,
        "explanation": item.explanation,
        "stratum": item.stratum,
        "tags": list(item.tags) or None,
        "lineage": item.lineage,
    }
