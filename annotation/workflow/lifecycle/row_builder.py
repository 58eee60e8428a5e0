"""Database rows of projects and items, built from their files; and what the Telegram bot does not support. Pure."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.campaigns import project_file, stimulus
from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.loading.campaign import CampaignContents
from annotation.loading.drafts import ItemDraft
from annotation.vocabulary import POOLS_WITH_OVERLAP, GoldOrigin, Pool, TextKind
from annotation.workflow import text_versions

_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False)
_STAGES = {pool: pool.stage for pool in Pool}
_ITEMS_A_CHUNK = 500
"""How many items are encoded at once: fewer take longer, more take more memory."""


def build_project_columns(
    campaign: project_file.CheckedProject, contents: CampaignContents, *, digest: str
) -> dict[str, Any]:
    """The columns of a project, by name; `digest` is the result of `compute_digest`."""
    definition, instructions = campaign.definition, campaign.read_instructions()
    return {
        "name": definition.project,
        "title": definition.title,
        "language": definition.language,
        "instructions": instructions,
        "instructions_sha256": stimulus.compute_text_digest(instructions),
        "definition": definition.model_dump(mode="json"),
        "definition_sha256": digest,
        "source": str(campaign.path.absolute()),
        "overlap": definition.min_overlap,
        "overlap_max": get_max_overlap(definition),
        "frames": [frame.to_dict() for frame in contents.frames] or None,
        "word_lists": campaign.read_word_lists() or None,
    }


def encode_data(contents: CampaignContents) -> tuple[str, ...]:
    """The data of all items as JSON, as the database stores it: for the digest and the rows, as encoding takes long."""
    return tuple([_ENCODER.encode(item.data) for item in contents.items])


def compute_digest(
    campaign: project_file.CheckedProject, contents: CampaignContents, *, encoded_data: Sequence[str]
) -> str:
    """The sha256 of the definition, the texts and the contents of all items: another one after any change of a file.

    `encoded_data` is the result of `encode_data`.
    """
    parts = [campaign.definition.model_dump_json(), campaign.read_instructions()]
    parts += [text for kind, text in text_versions.read_project_texts(campaign).items() if kind is TextKind.CONSENT]
    parts += [_ENCODER.encode(words) for words in campaign.read_word_lists().values()]
    digest = hashlib.sha256("\n".join(parts).encode())
    for start in range(0, len(contents.items), _ITEMS_A_CHUNK):
        chunk = [
            [
                i.external_id, i.revision, i.pool, i.group, i.options, i.golds, i.accepted, i.explanation,
                i.stratum, i.tags, i.lineage,
            ]
            for i in contents.items[start : start + _ITEMS_A_CHUNK]
        ]  # fmt: skip
        digest.update("\n".join([_ENCODER.encode(chunk), *encoded_data[start : start + _ITEMS_A_CHUNK]]).encode())
    return digest.hexdigest()


def build_item_rows(campaign: project_file.CheckedProject, contents: CampaignContents) -> dict[str, dict[str, Any]]:
    """The columns of all items, by external id."""
    gold_columns = _build_gold_columns(campaign.definition)
    return {
        item.external_id: _build_item_row(
            item, contents, rank=rank, gold_columns=gold_columns if item.golds else _NO_GOLD
        )
        for rank, item in enumerate(contents.items)
    }


def get_max_overlap(definition: project_file.ProjectFile) -> int | None:
    """The most answers that an item gets; None for a project of imported votes."""
    return definition.overlap.max if isinstance(definition.overlap, DynamicOverlap) else definition.overlap


def count_places(pool: Pool, overlap: int | None) -> int:
    """How many overlap places a new item of the pool has."""
    return (overlap or 0) if pool in POOLS_WITH_OVERLAP else 0


def shuffle_items(items: Iterable[tuple[str, Pool]], *, seed: int, after: Mapping[Pool, int]) -> dict[str, int]:
    """Queue positions of items by external id: a random order in every pool, which depends on the seed alone.

    `items` are pairs of external id and pool. The positions of a pool start at its entry in `after`, or at 0, and have
    no gaps.
    """
    keys_by_pool: dict[Pool, list[tuple[bytes, str]]] = defaultdict(list)
    for name, pool in items:
        keys_by_pool[pool].append((hashlib.sha256(f"{seed}\x1f{name}".encode()).digest(), name))
    return {
        name: after.get(pool, 0) + index
        for pool, keys in keys_by_pool.items()
        for index, (_, name) in enumerate(sorted(keys))
    }


_NO_GOLD: dict[str, str | None] = {"gold_origin": None, "gold_version": None}


def _build_gold_columns(definition: project_file.ProjectFile) -> dict[str, str | None]:
    """The columns about the gold of every item that has gold."""
    gold_section = definition.items if isinstance(definition.items, project_file.ItemsSection) else definition.truth
    if gold_section is None:
        return _NO_GOLD | {"gold_origin": GoldOrigin.DECLARED.value}
    return {"gold_origin": gold_section.gold_origin.value, "gold_version": gold_section.gold_version}


def _build_item_row(
    item: ItemDraft, contents: CampaignContents, *, rank: int, gold_columns: Mapping[str, str | None]
) -> dict[str, Any]:
    is_plain_text, text = stimulus.are_plain(item.pieces), stimulus.render_pieces(item.pieces)
    digest = stimulus.compute_item_digest(item.pieces, text, questions=contents.questions, item_options=item.options)
    return {
        "external_id": item.external_id,
        "revision": item.revision,
        "group_id": item.group,
        "stage": _STAGES[item.pool],
        "pool": item.pool,
        "rank": rank,
        "data": item.data,
        "options": None if item.options is None else list(item.options),
        "stimulus": text,
        "pieces": None if is_plain_text else json.loads(json.dumps([piece.to_dict() for piece in item.pieces])),
        "stimulus_sha256": digest,
        "gold": item.gold,
        "golds": (item.golds or None) if len(contents.questions) > 1 else None,
        "accepted": list(item.accepted) or None,
        "explanation": item.explanation,
        "stratum": item.stratum,
        "tags": list(item.tags) or None,
        "lineage": item.lineage,
        **gold_columns,
    }
