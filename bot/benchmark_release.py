"""Build the input of a benchmark from the database: what `bot/release.py` does, with what models have to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns import project_file as project_files
from annotation.campaigns.questions import Question
from annotation.loading.drafts import pause_garbage_collection
from annotation.store import frames, queries
from annotation.store.models import Assignment, Item, Project
from annotation.vocabulary import Pool
from bot import release
from exports.adjudicated_gold import fill_missing_gold
from exports.benchmark_items.answer_spaces import ANSWER_SPACES
from exports.benchmark_items.sources import BuildSource, TaskSource, UnfitQuestion
from exports.filtering.filtered_items import decide_items

LATER_STEP = "it is asked in a later step, when people have seen more than the stimulus that models get"


@dataclass(frozen=True, kw_only=True)
class _ProjectFacts:
    """What all questions of a project share."""

    project: Project
    definition: project_files.ProjectFile
    statuses: Mapping[str, str] | None
    platforms: tuple[str, ...]


@pause_garbage_collection()
def build_source(session: Session, name: str) -> BuildSource:
    """Build the input of a benchmark of a project, or of all projects of a programme in its order.

    Raises NotFound for a name that is neither.
    """
    programme = queries.find_programme(session, name)
    projects = queries.list_named_projects(session, name)
    tasks: list[TaskSource] = []
    unfit: list[UnfitQuestion] = []
    for project in projects:
        definition = project_files.parse_definition(project.definition)
        facts = None
        for number, question in enumerate(definition.all_questions):
            data_set = project.name if number == 0 else f"{project.name}/{question.name}"
            reason = LATER_STEP if question.step > 1 else ANSWER_SPACES[question.kind].find_obstacle(question)
            if reason is not None:
                unfit.append(UnfitQuestion(name=data_set, reason=reason))
                continue
            facts = facts or _read_facts(session, project, definition)
            tasks.append(_build_task_source(session, facts, question, later=question.name if number else None))
    first = programme or projects[0]
    return BuildSource(
        name=first.name,
        title=first.title,
        language=first.language,
        is_group=programme is not None,
        tasks=tuple(tasks),
        unfit=tuple(unfit),
        definitions={project.name: project.definition_sha256 for project in projects},
        version=metadata.version("hromada"),
    )


def _read_facts(session: Session, project: Project, definition: project_files.ProjectFile) -> _ProjectFacts:
    statuses = None
    if definition.filtering is not None:
        (responses,) = release.list_full_responses(session, [release.build_data_set(session, project)])
        decided = () if responses.filtering is None else decide_items(responses, responses.filtering)
        statuses = {item.item_id: item.status for item in decided}
    query = sa.select(col(Assignment.surface)).join(Item).where(col(Item.project_id) == project.id).distinct()
    surfaces = sorted(str(surface.value) for (surface,) in session.connection().execute(query))
    return _ProjectFacts(project=project, definition=definition, statuses=statuses, platforms=tuple(surfaces))


def _build_task_source(session: Session, facts: _ProjectFacts, question: Question, *, later: str | None) -> TaskSource:
    project, definition = facts.project, facts.definition
    data = fill_missing_gold(release.build_data_set(session, project, later))
    space, field = ANSWER_SPACES[question.kind], getattr(question, "field", None)
    texts, training = (
        frames.read_shown_items(session, project, pool, field=field, later=later) for pool in (Pool.MAIN, Pool.TRAINING)
    )
    declared = definition.declared.model_dump(exclude_none=True)
    return TaskSource(
        data=data,
        kind=question.kind,
        text=question.text,
        help=question.help,
        texts=texts,
        training=training,
        statuses=facts.statuses,
        hidden=definition.benchmark.hidden,
        shuffled=getattr(question, "shuffle", False),
        instructions=project.instructions,
        declared={name: str(fact) for name, fact in declared.items()},
        platforms=facts.platforms,
        **space.build_source_fields(space.number_positions(question, texts["options"])),
    )
