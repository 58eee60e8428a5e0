"""Writing of projects and their items to the database: new ones, and the changes of a plan."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from aggregation import spelling
from annotation.campaigns import project_file, stimulus
from annotation.campaigns.questions import Question
from annotation.loading.campaign import CampaignContents
from annotation.loading.drafts import ItemDraft
from annotation.store import overlap_counts, table_base
from annotation.store.models import Adjudication, AdjudicationCase, Assignment, Item, Project, RequeuedItem
from annotation.vocabulary import POOLS_WITH_OVERLAP, GoldOrigin, ItemStatus, Pool, TextKind
from annotation.workflow import text_versions
from annotation.workflow.lifecycle import campaign_reader, change_plan, sampled_places

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
        "overlap_max": definition.max_overlap,
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
    images = [[piece.image for piece in item.pieces if piece.image] for item in contents.items if item.pictures]
    if images:  # the data have only the paths of pictures
        digest.update(_ENCODER.encode(images).encode())
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


_SHOWN = ("stimulus", "pieces", "options")
"""The columns that the hash of all that is shown is made of."""


def keep_stored_spelling(
    rows: Mapping[str, dict[str, Any]],
    items: Iterable[Item],
    *,
    definition: project_file.ProjectFile,
    questions: Sequence[Question],
) -> dict[str, dict[str, Any]]:
    """Return the rows by external id, with what is stored where a row differs from it in its spelling alone.

    `rows` are the columns of all items of a file, `items` those that are stored, with the `definition` and `questions`
    of the file.
    """
    stored = {spelling.build_key(item.external_id): item for item in items}
    kept: dict[str, dict[str, Any]] = {}
    for name, row in rows.items():
        item = stored.get(spelling.build_key(name))
        changed = row if item is None else _keep_row(item, row, definition=definition, questions=questions)
        kept[changed["external_id"]] = changed
    return kept


def _keep_row(
    item: Item, row: dict[str, Any], *, definition: project_file.ProjectFile, questions: Sequence[Question]
) -> dict[str, Any]:
    before = {column: getattr(item, column) for column in row}
    kept = {
        column: before[column] if value != before[column] and _spell(value) == _spell(before[column]) else value
        for column, value in row.items()
    }
    if all(kept[column] is row[column] for column in _SHOWN) or any(kept[name] != before[name] for name in _SHOWN):
        return kept
    pieces = campaign_reader.get_pieces(item, definition)
    digest = stimulus.compute_item_digest(pieces, item.stimulus, questions=questions, item_options=item.options)
    return kept | {"stimulus_sha256": digest}


def _spell(value: Any) -> Any:
    """A value of JSON with the key of every text in it."""
    if isinstance(value, str):
        return spelling.build_key(value)
    if isinstance(value, Mapping):
        return {_spell(name): _spell(one) for name, one in value.items()}
    return [_spell(element) for element in value] if isinstance(value, list | tuple) else value


ROWS_PER_STATEMENT = 5_000
"""The most rows that one statement inserts."""

Progress = Callable[[float], None]
"""A callback that is called with the share of the work that is done, from 0 to 1."""

ItemRows = Mapping[str, dict[str, Any]]
"""The columns of items, by external id."""


def build_rows_of_stored(
    session: Session, project: Project, campaign: project_file.CheckedProject, contents: CampaignContents
) -> dict[str, dict[str, Any]]:
    """The columns of the items of a file, by external id, beside those that are stored.

    An item that was fixed keeps its higher stored revision, and what only differs in its spelling that of the database.
    """
    items = session.exec(select(Item).where(Item.project_id == project.id)).all()
    rows = keep_stored_spelling(
        build_item_rows(campaign, contents),
        items,
        definition=campaign.definition,
        questions=contents.questions,
    )
    revisions = {item.external_id: item.revision for item in items}
    for name, row in rows.items():
        row["revision"] = max(row["revision"], revisions.get(name, 1))
    return rows


def plan_project_changes(
    session: Session, project: Project, campaign: project_file.CheckedProject, rows: ItemRows
) -> change_plan.ChangePlan:
    """The plan of what storing the rows of a changed file would change in a stored project."""
    items = session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank)))
    met = {
        item_id
        for met_in in (Assignment.item_id, AdjudicationCase.item_id, Adjudication.item_id)
        for item_id in session.exec(select(met_in).join(Item).where(Item.project_id == project.id).distinct())
    }
    columns = next(iter(rows.values())).keys()
    stored = {
        item.external_id: change_plan.StoredItem(
            id=item.id or 0,
            was_met=item.id in met,
            columns={column: getattr(item, column) for column in columns},
        )
        for item in items
    }
    definition = project_file.parse_definition(project.definition)
    return change_plan.plan_changes(
        definition, campaign.definition, stored, rows, started=project.started_at is not None
    )


def add_project(
    session: Session,
    *,
    columns: Mapping[str, Any],
    rows: ItemRows,
    encoded_data: Sequence[str],
    now: datetime,
    progress: Progress | None,
) -> Project:
    """Store a new project with its items, each with its places and its position in a random queue order.

    `encoded_data` are the data of the items as JSON.
    """
    project = Project(**columns, created_at=now)
    session.add(project)
    session.flush()
    positions = shuffle_items(_list_pools(rows), seed=_get_seed(project), after={})
    _insert_items(
        session, project, list(rows.values()), encoded_data=encoded_data, positions=positions, progress=progress
    )
    sampled_places.set_places(session, project)
    return project


def change_project(
    session: Session,
    project: Project,
    changes: change_plan.ChangePlan,
    *,
    rows: ItemRows,
    columns: Mapping[str, Any],
    now: datetime,
    progress: Progress | None,
) -> None:
    """Carry out the plan `changes`: `rows` are the new columns of the items, `columns` those of the project.

    Before the start of the project all items get new random queue positions; after it, new items follow the others.
    """
    for name, value in columns.items():
        setattr(project, name, value)
    session.add(project)
    session.flush()
    ids, stored_pools = _list_stored_items(session, project)
    _delete_items(session, [ids[name] for name in changes.removed])
    changed = [{"row": ids[name]} | rows[name] | {"bin": None} for name in sorted(changes.changed)]
    if changed:
        session.connection().execute(sa.update(Item).where(col(Item.id) == sa.bindparam("row")), changed)
    _update_numbers(session, [{"row": ids[name], "to": rows[name]["rank"]} for name in changes.moved], column="rank")
    started = project.started_at is not None
    after = _get_next_positions(session, project) if started else {}
    reshuffled = [name for name, row in rows.items() if not started or stored_pools.get(name) is not row["pool"]]
    positions = shuffle_items(
        _list_pools({name: rows[name] for name in reshuffled}), seed=_get_seed(project), after=after
    )
    _insert_items(session, project, [rows[name] for name in changes.added], positions=positions, progress=progress)
    _update_numbers(
        session,
        [{"row": ids[name], "to": positions[name]} for name in reshuffled if name in ids],
        column="queue_position",
    )
    reset_free_places(session, project, added=reshuffled)
    if started:
        overlap_counts.requeue_new_items(session, project_id=project.id or 0, after=after, now=now)
    session.expire_all()


def reset_free_places(session: Session, project: Project, *, added: Collection[str] = ()) -> None:
    """Set the free places of open items: the overlap less the imported answers, and none in pools without places.

    After the start of the project only items that were never assigned are changed; where the overlap has a sample, only
    the `added` ones, by external id, because the others are drawn already.
    """
    if sampled_places.set_places(session, project, added=added):
        return
    overlap = project.overlap or 0
    free_places = sa.case(
        (col(Item.pool).not_in(POOLS_WITH_OVERLAP), 0),
        (col(Item.n_live) >= overlap, 0),
        else_=overlap - col(Item.n_live),
    )
    open_items = sa.update(Item).where(col(Item.project_id) == project.id, col(Item.status) == ItemStatus.OPEN)
    if project.started_at is not None:
        open_items = open_items.where(~sa.exists().where(col(Assignment.item_id) == Item.id))
    session.connection().execute(open_items.values(free=free_places))


def _list_stored_items(session: Session, project: Project) -> tuple[dict[str, int], dict[str, Pool]]:
    """The database ids and the pools of the items, by external id."""
    items = select(Item.external_id, Item.id, Item.pool).where(Item.project_id == project.id)
    rows = session.exec(items).all()
    return {name: item_id or 0 for name, item_id, _ in rows}, {name: Pool(pool) for name, _, pool in rows}


def _update_numbers(session: Session, rows: Sequence[dict[str, Any]], *, column: str) -> None:
    """Set a column of items; each of the `rows` holds the item's database id ("row") and its new number ("to")."""
    if rows:
        numbered = sa.update(Item).where(col(Item.id) == sa.bindparam("row")).values({column: sa.bindparam("to")})
        session.connection().execute(numbered, rows)


def _list_pools(rows: ItemRows) -> Iterable[tuple[str, Pool]]:
    """Pairs of external id and pool."""
    return ((name, row["pool"]) for name, row in rows.items())


def _get_seed(project: Project) -> int:
    return project_file.parse_definition(project.definition).seed


def _get_next_positions(session: Session, project: Project) -> dict[Pool, int]:
    """The queue position after the last item of each pool."""
    last_positions = (
        select(Item.pool, func.max(Item.queue_position)).where(Item.project_id == project.id).group_by(col(Item.pool))
    )
    return {Pool(pool): last + 1 for pool, last in session.exec(last_positions)}


def _delete_items(session: Session, ids: Sequence[int]) -> None:
    """Delete items that nobody has met."""
    rows = [{"row": item_id} for item_id in ids]
    if rows:
        connection = session.connection()
        connection.execute(sa.delete(RequeuedItem).where(col(RequeuedItem.item_id) == sa.bindparam("row")), rows)
        connection.execute(sa.delete(Item).where(col(Item.id) == sa.bindparam("row")), rows)


def _insert_items(
    session: Session,
    project: Project,
    rows: Sequence[dict[str, Any]],
    *,
    encoded_data: Sequence[str] | None = None,
    positions: Mapping[str, int],
    progress: Progress | None,
) -> None:
    """Insert items with their places; `positions` are their queue positions by external id.

    `encoded_data` are the data of the items as JSON, where they are encoded already.
    """
    constants = {"project_id": project.id, "n_live": 0, "n_done": 0}
    places = {pool: count_places(pool, project.overlap) for pool in Pool}
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        batch = rows[start : start + ROWS_PER_STATEMENT]
        columns = {name: [row[name] for row in batch] for name in batch[0]}
        columns["queue_position"] = [positions[name] for name in columns["external_id"]]
        columns["free"] = [places[pool] for pool in columns["pool"]]
        encoded = {} if encoded_data is None else {"data": encoded_data[start : start + ROWS_PER_STATEMENT]}
        table_base.insert_rows(session, Item, columns, constants=constants, encoded=encoded)
        if progress is not None:
            progress(min(1.0, (start + ROWS_PER_STATEMENT) / len(rows)))
