"""Projects: loaded from their file; loading the same again changes nothing, a changed one shows its plan first."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns import project as project_files
from annotation.campaigns import stimulus
from annotation.campaigns.lint import Finding
from annotation.errors import Conflict, Where
from annotation.loading import bulk, inspection
from annotation.loading import campaign as campaigns
from annotation.loading.drafts import ItemDraft
from annotation.store import journal
from annotation.store.models import Assignment, Item, Project
from annotation.vocabulary import Event
from annotation.workflow import offering, plans

BATCH = 5_000
MOST_IDS = 100
"""How many ids of a finding the journal keeps; `hromada check --json` gives all."""

_CONTENT = json.JSONEncoder(ensure_ascii=False)

Progress = Callable[[float], None]
"""Called with the share that is done, from 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A project that is in the database; `fresh` is false where it was there already, `plan` what was changed then.

    `findings` are the lint's warnings and notes on what was stored now.
    """

    name: str
    items: int
    golds: int
    fresh: bool
    plan: plans.Plan = field(default_factory=plans.Plan)
    findings: tuple[Finding, ...] = ()


def load_file(
    session: Session, path: Path, *, now: datetime, yes: bool = False, progress: Progress | None = None
) -> Loaded:
    """Read, check and store the project of a file with its items; raises BadInput or Conflict, changing nothing."""
    campaign = project_files.read(path)
    return load(session, campaign, campaigns.contents(campaign), now=now, yes=yes, progress=progress)


def plan_file(session: Session, path: Path) -> plans.Plan | None:
    """What loading the file would change, with what may not be; None where no project of that name is loaded."""
    campaign = project_files.read(path)
    return plan(session, campaign, campaigns.contents(campaign))


def plan(session: Session, campaign: project_files.Campaign, contents: campaigns.Contents) -> plans.Plan | None:
    """What loading the contents would change, with what may not be; None where no project of that name is loaded."""
    known = _known(session, campaign)
    return None if known is None else _plan(session, known, campaign, _rows(campaign, contents))


@bulk.uncollected()
def load(
    session: Session,
    campaign: project_files.Campaign,
    contents: campaigns.Contents,
    *,
    now: datetime,
    yes: bool = False,
    findings: tuple[Finding, ...] | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """Store a project with its items. Where one of that name is there, change it, if `yes` says so.

    `findings` are the lint's, where it has judged the items already. Raises BadInput where it finds an error, Conflict
    where the project would change and `yes` is not given, and for changes to what people have met.
    """
    digest = _digest(campaign, contents)
    golds = sum(bool(item.golds) for item in contents.items)
    known = _known(session, campaign)
    changes = plans.Plan()
    if known is not None and known.definition_sha256 == digest:
        return Loaded(name=campaign.name, items=len(contents.items), golds=golds, fresh=False)
    found = inspection.findings(campaign, contents) if findings is None else findings
    inspection.refuse(found, campaign, contents)
    rows = _rows(campaign, contents)
    noted: dict[str, Any] = {"sha256": digest, "findings": [_noted(one) for one in found]}
    if known is None:
        project = Project(**_columns(campaign, contents, digest=digest), created_at=now)
        session.add(project)
        session.flush()
        _insert(session, project, list(rows.values()), progress=progress)
        event, data = Event.PROJECT_LOADED, noted | {"items": len(contents.items)}
        journal.record(session, event, now=now, project_id=project.id, data=data)
    else:
        changes = _plan(session, known, campaign, rows)
        _refuse(campaign, changes, yes=yes)
        _change(
            session, known, changes, rows=rows, columns=_columns(campaign, contents, digest=digest), progress=progress
        )
        data = noted | {"keys": list(changes.keys), "added": list(changes.added)}
        data |= {"changed": list(changes.changed), "removed": list(changes.removed)}
        journal.record(session, Event.PROJECT_CHANGED, now=now, project_id=known.id, data=data)
    return Loaded(
        name=campaign.name, items=len(contents.items), golds=golds, fresh=known is None, plan=changes, findings=found
    )


def _noted(finding: Finding) -> dict[str, object]:
    """A finding as the journal keeps it."""
    return {
        "rule": finding.rule.name,
        "severity": finding.rule.severity.value,
        "message": finding.message,
        "items": len(finding.ids),
        "ids": list(finding.ids[:MOST_IDS]),
    }


def _known(session: Session, campaign: project_files.Campaign) -> Project | None:
    return session.exec(select(Project).where(Project.name == campaign.name)).first()


def _columns(campaign: project_files.Campaign, contents: campaigns.Contents, *, digest: str) -> dict[str, Any]:
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
        "served": not offering.missing(definition),
        "frames": [frame.stored() for frame in contents.frames] or None,
    }


def _digest(campaign: project_files.Campaign, contents: campaigns.Contents) -> str:
    """sha256 of the definition, the instructions and every item's content, so that any change is seen."""
    parts = [campaign.definition.model_dump_json(), campaign.instructions()]
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


def _rows(campaign: project_files.Campaign, contents: campaigns.Contents) -> dict[str, dict[str, Any]]:
    """The items as they are stored, by external id."""
    facts = _gold_facts(campaign.definition)
    found: dict[str, dict[str, Any]] = {}
    for rank, item in enumerate(contents.items):
        found[item.external_id] = _row(item, contents, rank=rank) | (facts if item.golds else _NO_GOLD)
    return found


_NO_GOLD: dict[str, str | None] = {"gold_origin": None, "gold_version": None}


def _gold_facts(definition: project_files.ProjectFile) -> dict[str, str | None]:
    section = definition.items if isinstance(definition.items, project_files.ItemsSection) else definition.truth
    if section is None:
        return _NO_GOLD
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


def _plan(
    session: Session, known: Project, campaign: project_files.Campaign, rows: Mapping[str, dict[str, Any]]
) -> plans.Plan:
    items = session.exec(select(Item).where(Item.project_id == known.id).order_by(col(Item.rank)))
    met = set(session.exec(select(Assignment.item_id).join(Item).where(Item.project_id == known.id).distinct()))
    keys = next(iter(rows.values()))
    stored = {
        item.external_id: plans.Stored(
            id=item.id or 0, met=item.id in met, row={key: getattr(item, key) for key in keys}
        )
        for item in items
    }
    return plans.plan(project_files.definition_of(known.definition), campaign.definition, stored, rows)


def _refuse(campaign: project_files.Campaign, changes: plans.Plan, *, yes: bool) -> None:
    where = Where(file=campaign.file, field="project")
    if changes.refused:
        first = changes.refused[0]
        others = plans.named([one.what for one in changes.refused[1:]])
        raise Conflict(
            f"{campaign.name!r} is loaded already, and {first.what} may not change: {first.why}."
            + (f" Nor may {others}." if others else ""),
            where=where,
            remedy="Put it back as it was and add what is new under ids of its own, or load the changed file under"
            " another project name.",
        )
    if not changes.empty and not yes:
        told = "; ".join(f"{what}: {which}" for what, which in changes.lines)
        raise Conflict(
            f"A project named {campaign.name!r} is loaded already, and this file would change it ({told}).",
            where=where,
            remedy="Do it with --yes, look at it with --plan, or give the changed one another name.",
        )


def _change(
    session: Session,
    known: Project,
    changes: plans.Plan,
    *,
    rows: Mapping[str, dict[str, Any]],
    columns: Mapping[str, Any],
    progress: Progress | None,
) -> None:
    for name, value in columns.items():
        setattr(known, name, value)
    session.add(known)
    session.flush()
    ids = dict(session.exec(select(Item.external_id, Item.id).where(Item.project_id == known.id)).all())
    connection = session.connection()
    gone = [{"row": ids[name]} for name in changes.removed]
    if gone:
        connection.execute(sa.delete(Item).where(col(Item.id) == sa.bindparam("row")), gone)
    kept = [{"row": ids[name]} | rows[name] for name in sorted({*changes.changed, *changes.moved})]
    if kept:
        connection.execute(sa.update(Item).where(col(Item.id) == sa.bindparam("row")), kept)
    _insert(session, known, [rows[name] for name in changes.added], progress=progress)
    session.expire_all()


def _insert(session: Session, project: Project, rows: list[dict[str, Any]], *, progress: Progress | None) -> None:
    whole = {"project_id": project.id, "n_live": 0, "n_done": 0}
    for start in range(0, len(rows), BATCH):
        batch = [row | whole for row in rows[start : start + BATCH]]
        session.connection().execute(sa.insert(Item), batch)
        if progress is not None:
            progress(min(1.0, (start + BATCH) / len(rows)))
