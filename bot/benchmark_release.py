"""Build the input of a benchmark from the database: what `bot/release.py` does, with what models have to be shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns.project_file import ItemsSection, ProjectFile
from annotation.campaigns.questions import Question
from annotation.campaigns.sections.benchmark import BenchmarkSection
from annotation.loading.drafts import pause_garbage_collection
from annotation.store import item_frames, pictures, queries
from annotation.store.models import Assignment, Item, Judgement, Project
from annotation.vocabulary import Pool, Stage
from bot.release import ProjectInputs
from exports.adjudicated_gold import fill_missing_gold
from exports.benchmark_items.answer_spaces import ANSWER_SPACES
from exports.benchmark_items.sources import FEW_SHOT, BuildSource, TaskSource, UnfitQuestion
from exports.filtering.filtered_items import decide_items

LATER_STEP = "it is asked in a later step, when people have seen more than the stimulus that models get"
NOT_CHOSEN = "`benchmark.questions` does not name it"
NO_GOLD = "it has no gold, and `benchmark.questions` does not ask for the consensus of its votes"


@pause_garbage_collection()
def build_source(session: Session, name: str, projects: Sequence[ProjectInputs] = ()) -> BuildSource:
    """Build the input of a benchmark of a project, or of all projects of a programme in its order.

    `projects` are those whose data sets the same view has read already. Raises NotFound for a name that is neither a
    project nor a programme.
    """
    programme = queries.find_programme(session, name)
    stored = queries.list_named_projects(session, name)
    inputs_by_name = {inputs.project.name: inputs for inputs in projects}
    tasks: list[TaskSource] = []
    unfit: list[UnfitQuestion] = []
    for project in stored:
        inputs = inputs_by_name.get(project.name) or ProjectInputs(view=session, project=project)
        names = {question.name: f"{project.name}/{question.name}" for question in inputs.definition.all_questions}
        names[inputs.definition.all_questions[0].name] = project.name
        obstacles = [(question, _find_obstacle(inputs, question)) for question in inputs.definition.all_questions]
        unfit += [
            UnfitQuestion(name=names[asked.name], reason=reason) for asked, reason in obstacles if reason is not None
        ]
        tasks += _build_task_sources(inputs, [question for question, reason in obstacles if reason is None])
    first = programme or stored[0]
    return BuildSource(
        name=first.name,
        title=first.title,
        language=first.language,
        is_group=programme is not None,
        tasks=tuple(tasks),
        unfit=tuple(unfit),
        definitions={project.name: project.definition_sha256 for project in stored},
        version=metadata.version("hromada"),
        collected=_read_collected(session, stored),
        closed=_find_closed(stored),
        pictures=pictures.read_contents(session, _list_images(tasks)),
    )


def _list_images(tasks: Sequence[TaskSource]) -> Iterator[str]:
    """The names of the pictures that the main items of the tasks show."""
    return (name for task in tasks for names in task.texts["images"].dropna() for name in names)


def _read_collected(session: Session, projects: Sequence[Project]) -> tuple[str, str] | None:
    """The days of the first and the last answer of the main stage, None if no time is known."""
    times = col(Judgement.answered_at)
    query = (
        sa.select(sa.func.min(times), sa.func.max(times))
        .join(Assignment)
        .join(Item)
        .where(col(Item.project_id).in_([project.id for project in projects]), col(Assignment.stage) == Stage.MAIN)
    )
    first, last = session.connection().execute(query).one()
    return None if first is None or last is None else (first.date().isoformat(), last.date().isoformat())


def _find_closed(projects: Sequence[Project]) -> str | None:
    """The day on which the last of the projects was closed, None while one of them is open."""
    times = [project.closed_at for project in projects if project.closed_at is not None]
    return max(times).date().isoformat() if times and len(times) == len(projects) else None


def _find_obstacle(inputs: ProjectInputs, question: Question) -> str | None:
    """Why a question is no task: models cannot be asked it as people were, or it is not meant for them; else None."""
    chosen = inputs.definition.benchmark.questions
    if chosen and question.name not in chosen:
        return NOT_CHOSEN
    obstacle = LATER_STEP if question.step > 1 else ANSWER_SPACES[question.kind].find_obstacle(question)
    if obstacle is not None or chosen:
        return obstacle
    gold = fill_missing_gold(inputs.read_data_set(question.name)).items["gold"]
    return NO_GOLD if gold.isna().all() else None


def _build_task_sources(inputs: ProjectInputs, questions: Sequence[Question]) -> Iterator[TaskSource]:
    """The sources of a project's questions, with what they share."""
    if not questions:
        return
    responses = inputs.joint_answers
    statuses = None
    if responses is not None and responses.filtering is not None:
        statuses = {item.item_id: item.status for item in decide_items(responses, responses.filtering)}
    query = sa.select(col(Assignment.surface)).join(Item).where(col(Item.project_id) == inputs.project.id).distinct()
    surfaces = sorted(str(surface.value) for (surface,) in inputs.view.connection().execute(query))
    for question in questions:
        yield _build_task_source(inputs, question, statuses=statuses, platforms=tuple(surfaces))


def _build_task_source(
    inputs: ProjectInputs, question: Question, *, statuses: Mapping[str, str] | None, platforms: tuple[str, ...]
) -> TaskSource:
    view, project, definition = inputs.view, inputs.project, inputs.definition
    later = None if question is definition.all_questions[0] else question.name
    space, field = ANSWER_SPACES[question.kind], question.text_column
    benchmark, few_shot = definition.benchmark, definition.benchmark.few_shot
    pools = (Pool.MAIN, Pool.TRAINING if benchmark.own_pool is None else Pool.FEW_SHOT)
    texts, examples = (
        item_frames.read_shown_items(view, project, pool, field=field, later=later, pictures=definition.shows_pictures)
        for pool in pools
    )
    n_examples = FEW_SHOT if few_shot is None else few_shot.number
    has_pictures = bool(texts["images"].notna().any())  # the harness shows a model the pictures of one item only
    return TaskSource(
        data=inputs.add_parts(inputs.read_data_set(question.name)),
        kind=question.kind,
        text=question.text,
        help=question.help,
        texts=texts,
        examples=examples,
        n_examples=0 if has_pictures else n_examples,
        declares_examples=has_pictures or few_shot is not None,
        statuses=statuses,
        hidden=benchmark.hidden,
        answer_form=benchmark.answer,
        shuffled=getattr(question, "shuffle", False),
        highlights=_has_highlights(definition),
        instructions=project.instructions,
        model_instructions=_choose_instructions(project, benchmark),
        declared=definition.declared.stated,
        platforms=platforms,
        **space.build_source_fields(space.number_positions(question, texts["options"])),
    )


def _has_highlights(definition: ProjectFile) -> bool:
    """Whether parts of the items' texts are highlighted."""
    return isinstance(definition.items, ItemsSection) and any(one.mark for one in definition.items.shown_columns)


def _choose_instructions(project: Project, benchmark: BenchmarkSection) -> str:
    """What models read before everything else; empty for nothing."""
    if isinstance(benchmark.instructions, str):
        return benchmark.instructions
    return project.instructions if benchmark.instructions else ""
