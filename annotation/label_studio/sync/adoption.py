"""Adoption of a project that somebody made by hand in Label Studio: its project file, its items, every later pull."""

from __future__ import annotations

import re
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from sqlmodel import Session, col, func, select

from annotation import settings
from annotation.campaigns.project_file import ItemsSection
from annotation.campaigns.template_files import PROJECT, require_new_folder
from annotation.errors import BadInput, Conflict, HromadaError, Where, explain_disk
from annotation.label_studio import server_models
from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteProject, RemoteTask
from annotation.label_studio.sync import adopted_answers, batches
from annotation.label_studio.sync.adopted_answers import AdoptedProject
from annotation.loading.project_drafts import adopted_project, label_config, project_draft
from annotation.loading.project_drafts.label_config import LabelConfig
from annotation.store import pseudonyms
from annotation.store.database import Database
from annotation.store.models import Annotator, Assignment, Item, LabelStudioAccount, LabelStudioBatch, Project
from annotation.vocabulary import BatchWork
from annotation.workflow import definitions
from annotation.workflow.lifecycle import projects

_NUMBER_IN_PATH = re.compile(r"/projects/(\d+)(?:/|$)")


@dataclass(frozen=True, kw_only=True)
class Adoption:
    """An adopted project.

    `left_out` are controls without a question type, `not_answers` counts what is there and is nobody's answer, by what
    it is. `is_new` is false where the project was adopted before.
    """

    project_id: int
    name: str
    file: Path
    items: int
    left_out: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    not_answers: Mapping[str, int]
    is_new: bool = True


def parse_project_address(written: str, *, server: str) -> int:
    """Return the number of a project from the address of any of its pages, or from the number itself.

    Raises BadInput for anything else, and for an address of another server than `server`.
    """
    if written.isascii() and written.isdigit():
        return int(written)
    where = Where(field="URL-OF-PROJECT")
    parts, ours = urlsplit(written.strip()), urlsplit(server)
    found = _NUMBER_IN_PATH.search(parts.path)
    if not parts.scheme or found is None:
        remedy = "Copy it from the browser while the project is open, like http://localhost:8080/projects/7/data."
        raise BadInput(f"{written[:80]!r} is not the address of a project.", where=where, remedy=remedy)
    if (_get_host(parts.netloc), parts.path[: found.start()]) != (_get_host(ours.netloc), ours.path.rstrip("/")):
        raise BadInput(
            f"The project is on another server than {server_models.strip_credentials(server)}.",
            where=where,
            remedy=f"Write that server's address as {server_models.URL_SETTING}, and its token.",
        )
    return int(found[1])


def _get_host(netloc: str) -> str:
    return netloc.rpartition("@")[2].casefold().replace("localhost", "127.0.0.1")


def adopt_project(
    database: Database, client: Client, remote_id: int, *, folder: Path | None, clock: Callable[[], datetime]
) -> Adoption:
    """Write the project file and the items of a project, and load them; a pull then imports its annotations.

    A project that was adopted before is followed with the labelling configuration that it has now, and the next pull
    reads it from the start. Raises Conflict for a project that a push made, and for a folder or name that is taken.
    """
    remote = client.get_project(remote_id)
    source = f"{server_models.strip_credentials(client.url)}/projects/{remote_id}"
    config = label_config.read_config(remote.label_config, path=Path(source))
    with database.reading() as session:
        known = _find_batch(session, client, remote_id)
    tasks = [task for page in client.list_task_pages(remote_id) for task in page]
    not_answers = _count_others(tasks)
    if known is not None:
        return _follow_again(database, known, remote, config, not_answers=not_answers)
    if not tasks:
        raise BadInput(
            "The project has no tasks.", where=Where(file=source), remedy="Import some there, then adopt it."
        )
    folder = folder or Path(f"label-studio-{remote_id}")
    require_new_folder(folder)
    draft = adopted_project.draft_adopted_project(
        project_draft.name_project(folder),
        source=source,
        title=" ".join(remote.title.split()) or project_draft.name_project(folder),
        instructions=remote.expert_instruction or "",
        config=config,
        tasks={task.id: _complete_data(task, client) for task in tasks},
        answers=_list_answered(tasks),
    )
    with _written(folder, draft.files), database.transaction() as session:
        project = _load_new(session, folder / PROJECT, now=clock())
        session.add(_build_batch(project, client, remote, now=clock()))
    return Adoption(
        project_id=project.id or 0,
        name=project.name,
        file=folder / PROJECT,
        items=len(tasks),
        left_out=config.others,
        doubts=draft.doubts,
        not_answers=not_answers,
    )


def _find_batch(session: Session, client: Client, remote_id: int) -> LabelStudioBatch | None:
    """The batch of a project that was adopted before; raises Conflict for one that a push made."""
    query = select(LabelStudioBatch).where(LabelStudioBatch.server == client.server_id)
    batch = session.exec(query.where(LabelStudioBatch.remote_id == remote_id)).first()
    if batch is not None and batch.work is not BatchWork.ADOPTED:
        raise Conflict(
            f"hromada made the project {remote_id} there itself.",
            where=Where(file=server_models.strip_credentials(client.url)),
            remedy="Its answers come with `hromada label-studio pull`.",
        )
    return batch


def _follow_again(
    database: Database,
    batch: LabelStudioBatch,
    remote: RemoteProject,
    config: LabelConfig,
    *,
    not_answers: Mapping[str, int],
) -> Adoption:
    """Follow an adopted project with its present configuration, from the start."""
    with database.transaction() as session:
        digest = batches.compute_config_digest(remote.label_config)
        batches.update_batch(session, batch.id or 0, config_sha256=digest, watermark=None)
        project = session.get_one(Project, batch.project_id)
        items = len(session.exec(select(Item.id).where(Item.project_id == project.id)).all())
    section = definitions.get_project_definition(project).votes
    read = set() if section is None else {*section.answers.values(), section.answer}
    new = tuple(f"{control} (the project file does not read it)" for control in config.questions if control not in read)
    return Adoption(
        project_id=project.id or 0,
        name=project.name,
        file=Path(project.source),
        items=items,
        left_out=(*config.others, *new),
        not_answers=not_answers,
        is_new=False,
    )


def _complete_data(task: RemoteTask, client: Client) -> Mapping[str, object]:
    """The data of a task, in which addresses of uploaded files are whole."""
    url = server_models.strip_credentials(client.url)
    return {
        name: f"{url}{value}" if isinstance(value, str) and value.startswith("/data/") else value
        for name, value in task.data.items()
    }


def _list_answered(tasks: Iterable[RemoteTask]) -> list[frozenset[str]]:
    """The controls that each annotation has an answer of, without skips."""
    answers = (one for task in tasks for one in task.annotations if not one.was_cancelled and one.problem is None)
    return [frozenset(str(region.get("from_name")) for region in one.result) for one in answers]


def _count_others(tasks: Sequence[RemoteTask]) -> dict[str, int]:
    """How much is there that is no answer of a person, or more than one, by what it is."""
    counts = {
        "Predictions of models": sum(task.total_predictions or 0 for task in tasks),
        "Ground truths, which count as answers of their authors": sum(
            one.ground_truth for task in tasks for one in task.annotations
        ),
        "Tasks without an annotation": sum(not task.annotations for task in tasks),
        "Earlier annotations of a task by the same person, which do not count": sum(
            len(task.annotations) - len({one.completed_by for one in task.annotations}) for task in tasks
        ),
    }
    return {what: number for what, number in counts.items() if number}


def _load_new(session: Session, file: Path, *, now: datetime) -> Project:
    name = project_draft.name_project(file.parent)
    query = select(Project).where(Project.name == name)
    if session.exec(query).first() is not None:
        where, remedy = Where(file=file.parent), "Name another folder: the project is named after it."
        raise Conflict(f"A project named {name!r} is loaded already.", where=where, remedy=remedy)
    projects.load_project_file(session, file, now=now)
    return session.exec(query).one()


def _build_batch(project: Project, client: Client, remote: RemoteProject, *, now: datetime) -> LabelStudioBatch:
    return LabelStudioBatch(
        project_id=project.id or 0,
        work=BatchWork.ADOPTED,
        server=client.server_id,
        mark=secrets.token_hex(16),
        remote_id=remote.id,
        config_sha256=batches.compute_config_digest(remote.label_config),
        created_at=now,
    )


@contextmanager
def _written(folder: Path, files: Mapping[str, str]) -> Iterator[None]:
    """Write files into a new folder, and remove it again if what follows fails."""
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        yield
    except (OSError, HromadaError) as failure:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            for name in files:
                (folder / name).unlink(missing_ok=True)
        if isinstance(failure, HromadaError):
            raise
        where = Where(file=folder)
        refusal = BadInput(f"The folder cannot be written: {failure.strerror}.", where=where, remedy="Name another.")
        raise (explain_disk(failure, where=where) or refusal) from None


def list_adopted(
    session: Session, *, server: str, project_id: int | None = None
) -> Sequence[tuple[LabelStudioBatch, Project]]:
    """The adopted projects on a server, or one of them, oldest first."""
    query = select(LabelStudioBatch, Project).join(Project, col(Project.id) == col(LabelStudioBatch.project_id))
    query = query.where(LabelStudioBatch.server == server, LabelStudioBatch.work == BatchWork.ADOPTED)
    if project_id is not None:
        query = query.where(LabelStudioBatch.project_id == project_id)
    return session.exec(query.order_by(col(LabelStudioBatch.id))).all()


def pull_adopted(
    database: Database,
    client: Client,
    batch: LabelStudioBatch,
    project: Project,
    *,
    since: datetime | None,
    clock: Callable[[], datetime],
    counts: Counter[str],
) -> None:
    """Import what changed in an adopted project, and count it; tasks that are new there become items.

    Raises BadInput where the project file no longer says how annotations are read.
    """
    with database.transaction() as session:
        key = pseudonyms.ensure_key(session, file=settings.read_settings().key_file, now=clock())
    for page in client.list_task_pages(batch.remote_id or 0, since=since):
        with database.transaction() as session:
            adopted = _describe(session, batch, project.id or 0, client, key=key)
            imported = adopted_answers.import_page(session, adopted, page, now=clock())
        counts["read"] += len(page)
        counts.update(change.value for change in imported.changes)
        if imported.unknown:
            with database.transaction() as session:
                if not _add_items(session, adopted, project.id or 0, imported.unknown, client, now=clock()):
                    counts["unknown_tasks"] += len(imported.unknown)
                    continue
                adopted = _describe(session, batch, project.id or 0, client, key=key)
                imported = adopted_answers.import_page(session, adopted, imported.unknown, now=clock())
            counts.update(change.value for change in imported.changes)


def count_answers(session: Session, *, server: str, project_id: int) -> Sequence[tuple[int, str, int]]:
    """Each account that answered in an adopted project, its annotator's pseudonym, and the number of its items."""
    number = func.count(func.distinct(col(Assignment.item_id)))
    query = (
        select(LabelStudioAccount.user_id, Annotator.pseudonym, number)
        .join(Annotator, col(Annotator.id) == col(LabelStudioAccount.annotator_id))
        .join(Assignment, col(Assignment.annotator_id) == col(Annotator.id))
        .where(LabelStudioAccount.server == server, Assignment.project_id == project_id)
    )
    grouped = query.group_by(col(LabelStudioAccount.user_id), col(Annotator.pseudonym))
    return session.exec(grouped.order_by(col(LabelStudioAccount.user_id))).all()


def count_items(session: Session, batch: LabelStudioBatch) -> int:
    """The number of items of an adopted project: each is a task there."""
    return len(session.exec(select(Item.id).where(Item.project_id == batch.project_id)).all())


def _describe(
    session: Session, batch: LabelStudioBatch, project_id: int, client: Client, *, key: bytes
) -> AdoptedProject:
    project = session.get_one(Project, project_id)
    definition = definitions.get_project_definition(project)
    if definition.votes is None:
        raise BadInput(
            "The project file does not say how annotations are read.",
            where=Where(file=project.source, field="votes"),
            remedy="Write back the section `votes` that `hromada label-studio adopt` wrote.",
        )
    return AdoptedProject(
        batch=batch, definition=definition, section=definition.votes, server=client.server_id, key=key
    )


def _add_items(
    session: Session,
    adopted: AdoptedProject,
    project_id: int,
    tasks: Sequence[RemoteTask],
    client: Client,
    *,
    now: datetime,
) -> bool:
    """Add tasks to the file of items and load it; False where the file is not the one that was written, or is gone."""
    project, section = session.get_one(Project, project_id), adopted.definition.items
    if not isinstance(section, ItemsSection) or section.id != adopted_project.ID_COLUMN:
        return False
    file, project_file = Path(project.source).parent / section.file, Path(project.source)
    if not file.is_file() or file.suffix != ".jsonl":
        return False
    before = file.read_text("utf-8")
    shown = [column.field for column in section.shown_columns]
    more = adopted_project.write_items({task.id: _complete_data(task, client) for task in tasks}, shown)
    file.write_text(before + ("" if before.endswith("\n") else "\n") + more, "utf-8")
    try:
        projects.load_project_file(session, project_file, now=now, confirmed=True)
    except HromadaError:
        file.write_text(before, "utf-8")
        raise
    return True
