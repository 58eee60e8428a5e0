"""Projects: loaded once from their file; loading the same again changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, select

from annotation.campaigns import project as project_files
from annotation.campaigns import stimulus
from annotation.campaigns.lint import Finding
from annotation.campaigns.questions import Choice
from annotation.errors import Conflict, Where
from annotation.loading import campaign as campaigns
from annotation.loading import inspection
from annotation.loading.drafts import ItemDraft
from annotation.store import journal
from annotation.store.models import Item, Project
from annotation.vocabulary import Event, Stage

BATCH = 5_000
MOST_IDS = 100
"""How many ids of a finding the journal keeps; `hromada check --json` gives all."""

Progress = Callable[[float], None]
"""Called with the share that is done, from 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A project that is in the database; `fresh` is false where it was there already, the same.

    `findings` are the lint's warnings and notes on what was stored now.
    """

    name: str
    items: int
    golds: int
    fresh: bool
    findings: tuple[Finding, ...] = ()


def load_file(session: Session, path: Path, *, now: datetime, progress: Progress | None = None) -> Loaded:
    """Read, check and store the project of a file with its items; raises BadInput or Conflict, changing nothing."""
    campaign = project_files.read(path)
    return load(session, campaign, campaigns.contents(campaign), now=now, progress=progress)


def load(
    session: Session,
    campaign: project_files.Campaign,
    contents: campaigns.Contents,
    *,
    now: datetime,
    findings: tuple[Finding, ...] | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """Store a project with its items; `findings` are the lint's, where it has judged them already.

    Raises BadInput where the lint finds an error, Conflict where another project of that name is there.
    """
    digest = _digest(campaign, contents)
    golds = sum(item.gold is not None for item in contents.items)
    known = session.exec(select(Project).where(Project.name == campaign.name)).first()
    if known is not None and known.definition_sha256 != digest:
        raise Conflict(
            f"A project named {campaign.name!r} is loaded already, and it is not the same as this file.",
            where=Where(file=campaign.file, field="project"),
            remedy="Give the changed one another name, or use another database (HROMADA_DATABASE_URL).",
        )
    found: tuple[Finding, ...] = ()
    if known is None:
        found = inspection.findings(campaign, contents) if findings is None else findings
        inspection.refuse(found, campaign, contents)
        project = _project(campaign, digest=digest, now=now)
        session.add(project)
        session.flush()
        _add_items(session, project, contents, campaign=campaign, progress=progress)
        journal.record(
            session,
            Event.PROJECT_LOADED,
            now=now,
            project_id=project.id,
            data={"sha256": digest, "items": len(contents.items), "findings": [_noted(one) for one in found]},
        )
    return Loaded(name=campaign.name, items=len(contents.items), golds=golds, fresh=known is None, findings=found)


def _noted(finding: Finding) -> dict[str, object]:
    """A finding as the journal keeps it."""
    return {
        "rule": finding.rule.name,
        "severity": finding.rule.severity.value,
        "message": finding.message,
        "items": len(finding.ids),
        "ids": list(finding.ids[:MOST_IDS]),
    }


def _project(campaign: project_files.Campaign, *, digest: str, now: datetime) -> Project:
    definition = campaign.definition
    return Project(
        name=definition.project,
        title=definition.title,
        language=definition.language,
        instructions=definition.instructions,
        instructions_sha256=stimulus.text_digest(definition.instructions),
        definition=definition.model_dump(mode="json"),
        definition_sha256=digest,
        source=str(campaign.file.absolute()),
        overlap=definition.overlap,
        created_at=now,
    )


def _digest(campaign: project_files.Campaign, contents: campaigns.Contents) -> str:
    """sha256 of the definition and of every item's content, so that any change is seen."""
    parts = [campaign.definition.model_dump_json()]
    parts += [
        json.dumps([i.external_id, i.group, i.data, i.options, i.gold], ensure_ascii=False) for i in contents.items
    ]
    return stimulus.text_digest("\n".join(parts))


def _add_items(
    session: Session,
    project: Project,
    contents: campaigns.Contents,
    *,
    campaign: project_files.Campaign,
    progress: Progress | None,
) -> None:
    gold = _gold_facts(campaign.definition)
    for start in range(0, len(contents.items), BATCH):
        batch = [
            _row(item, contents.choice, rank=rank)
            | {"project_id": project.id}
            | (_NO_GOLD if item.gold is None else gold)
            for rank, item in enumerate(contents.items[start : start + BATCH], start)
        ]
        session.connection().execute(sa.insert(Item), batch)
        if progress is not None:
            progress(min(1.0, (start + BATCH) / len(contents.items)))


_NO_GOLD: dict[str, str | None] = {"gold_origin": None, "gold_version": None}


def _gold_facts(definition: project_files.ProjectFile) -> dict[str, str | None]:
    section = definition.items if isinstance(definition.items, project_files.ItemsSection) else definition.truth
    if section is None:
        return _NO_GOLD
    return {"gold_origin": section.gold_origin.value, "gold_version": section.gold_version}


def _row(item: ItemDraft, choice: Choice, *, rank: int) -> dict[str, object]:
    text = stimulus.render(item.shown)
    return {
        "external_id": item.external_id,
        "revision": 1,
        "group_id": item.group,
        "stage": Stage.MAIN,
        "rank": rank,
        "data": item.data,
        "options": None if item.options is None else list(item.options),
        "stimulus": text,
        "stimulus_sha256": stimulus.digest(text, question=choice.text, options=choice.options_of(item.options)),
        "gold": item.gold,
        "n_live": 0,
        "n_done": 0,
    }
