"""Build the inputs of a release from the database; the only module that knows both annotation and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
from sqlmodel import Session

from aggregation.answer_types import TYPES_BY_QUESTION
from annotation.campaigns import project_file as project_files
from annotation.campaigns.questions import Question
from annotation.campaigns.stimulus import compute_text_digest
from annotation.errors import BadInput
from annotation.loading.drafts import pause_garbage_collection
from annotation.store import frames, queries, second_passes
from annotation.store.models import Project
from annotation.vocabulary import ExclusionKind, Pool, Stage, Surface
from bot import option_answers
from exports import inputs
from exports.adjudicated_gold import list_adjudicated_items
from exports.benchmark_items.answer_spaces import ANSWER_SPACES
from exports.full_responses import FilteringRule, FullResponses, ItemContent, QuestionSpec


@pause_garbage_collection()
def build_data_sets(session: Session, names: Sequence[str] = ()) -> tuple[inputs.DataSet, ...]:
    """Build the data sets of the named projects, or of all, in the order of their names: one for each question.

    A later question has a data set where answers to it count, but not if it is a remark (an optional text). They have
    their items with options, for the trivial baselines.
    """
    projects = [queries.get_project(session, name) for name in dict.fromkeys(names)] or queries.list_projects(session)
    data_sets = []
    for project in sorted(projects, key=lambda project: project.name):
        data_sets.append(_add_option_items(session, project, build_data_set(session, project)))
        for question in project_files.parse_definition(project.definition).all_questions[1:]:
            if question.required or not TYPES_BY_QUESTION[question.kind].is_free_text:
                later = build_data_set(session, project, question.name)
                if not later.list_counted_answers().empty:
                    data_sets.append(_add_option_items(session, project, later))
    return tuple(data_sets)


def _add_option_items(session: Session, project: Project, data: inputs.DataSet) -> inputs.DataSet:
    return replace(data, option_items=option_answers.read_option_items(session, project, data))


def build_data_set(
    session: Session, project: Project, name: str | None = None, *, pool: Pool = Pool.MAIN, earlier: bool = False
) -> inputs.DataSet:
    """Build the data set of one question of a project, the first by default, with the items of a pool, main or pilot.

    In that of the pilot items the answers of the pilot stage count, and there are no others. So do, with `earlier`, the
    votes that were imported as answers given elsewhere before.

    Raises BadInput for a question that the project does not ask.
    """
    definition = project_files.parse_definition(project.definition)
    question = _get_question(definition, name)
    later = None if question.name == definition.all_questions[0].name else question.name
    items = frames.read_items(session, project, later=later, pool=pool)
    space, own_options = ANSWER_SPACES[question.kind], items["options"]
    question = space.number_positions(question, own_options)
    listed = [space.list_options(question, own) for own in own_options]
    n_options = [None if options is None else len(options) for options in listed]
    items = items.assign(n_options=pd.Series(n_options, index=items.index, dtype=object))
    own_by_item = dict(zip(items["item_id"], own_options, strict=True))
    reader = _ItemReader(session=session, project=project, options=own_by_item)
    answers = frames.read_responses(session, project, later=later, abstention=getattr(question, "abstain", None))
    if pool is Pool.PILOT:
        answers = _count_pilot_answers(answers)
    if earlier:
        answers = answers.loc[answers["excluded_kind"] == ExclusionKind.EARLIER.value].assign(excluded_kind=None)
    data_set_name = project.name if later is None else f"{project.name}/{later}"
    data_set_name += " · earlier answers" if earlier else ""
    return inputs.DataSet(
        name=data_set_name,
        title=project.title if later is None else f"{project.title} · {question.text}",
        language=project.language,
        overlap=None if earlier else definition.min_overlap,
        items=items.loc[:, list(inputs.ITEM_COLUMNS)],
        responses=answers.assign(dataset=data_set_name).loc[:, list(inputs.INPUT_COLUMNS)],
        simulated=frames.has_simulated_answers(session, project),
        question=question.name,
        metrics=question.metrics,
        kind=TYPES_BY_QUESTION[question.kind].name,
        normalise=question.normalisation,
        control_gold=frames.read_control_gold(session, project, later=later),
        removed_annotators=frames.read_removed_annotators(session, project),
        adjudications=frames.read_adjudications(session, project, question=question.name),
        gold_strata=frames.read_gold_strata(session, project, question=question.name),
        reviews=pd.DataFrame() if later is not None else frames.read_reviews(session, project),
        **space.build_data_fields(question, reader, is_first=later is None),
    )


def _count_pilot_answers(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers of the pilot stage, of which those count that would count in the main one."""
    rows = answers.loc[answers["stage"] == Stage.PILOT.value]
    is_vote = (rows["response"].notna() | rows["skip_reason"].notna()) & ~rows["exposed"].eq(other=True)
    is_vote &= ~(rows["is_control"].eq(other=True) | rows["is_repeat"].eq(other=True))
    counts = is_vote & (rows["excluded_kind"] == ExclusionKind.PILOT.value)
    return rows.assign(excluded_kind=rows["excluded_kind"].mask(counts, None))


def hash_item_texts(session: Session, project: Project) -> dict[str, str]:
    """The sha256 of what each main item shows in its first step, by item_id, without question and options.

    `stimulus_sha256` has both too, so that it differs wherever wordings do.
    """
    contents = frames.read_item_contents(session, project)
    return {item: compute_text_digest(shown) for item, (shown, _) in contents.items()}


def list_question_names(project: Project) -> list[str]:
    """The questions of a project in their order, the first first."""
    return [question.name for question in project_files.parse_definition(project.definition).all_questions]


def _get_question(definition: project_files.ProjectFile, name: str | None) -> Question:
    if name is None:
        return definition.all_questions[0]
    for question in definition.all_questions:
        if question.name == name:
            return question
    names = ", ".join(question.name for question in definition.all_questions)
    raise BadInput(f"{definition.project!r} asks no question {name!r}.", remedy=f"It asks: {names}.")


@dataclass(frozen=True, kw_only=True, eq=False)
class _ItemReader:
    """The items of a project in the database, for one of its questions (see `answer_spaces.ItemReader`)."""

    session: Session
    project: Project
    options: Mapping[str, Sequence[str] | None]

    def read_texts(self, field: str) -> Mapping[str, str]:
        return frames.read_field_texts(self.session, self.project, field)

    def read_accepted(self) -> Mapping[str, tuple[str, ...]]:
        return frames.read_accepted_answers(self.session, self.project)


def list_full_responses(session: Session, data_sets: Sequence[inputs.DataSet]) -> tuple[FullResponses, ...]:
    """List the full responses of those projects of the data sets that ask for corrections or have a filtering rule."""
    responses = []
    for data in data_sets:
        project = queries.get_project(session, data.name.partition("/")[0])
        definition = project_files.parse_definition(project.definition)
        if data.name != project.name:  # a later question: the full responses of its project are there already
            continue
        if definition.filtering or any(TYPES_BY_QUESTION[one.kind].revises_text for one in definition.all_questions):
            own = [one for one in data_sets if one.name.partition("/")[0] == project.name]
            full = _build_full_responses(session, project, data, definition)
            responses.append(replace(full, adjudicated={one.question: list_adjudicated_items(one) for one in own}))
    return tuple(responses)


def _build_full_responses(
    session: Session, project: Project, data: inputs.DataSet, definition: project_files.ProjectFile
) -> FullResponses:
    first = definition.all_questions[0].name
    stored = frames.read_answers(session, project)
    given = zip(data.responses["response"], stored, strict=True)
    rule = definition.filtering
    return FullResponses(
        data=data,
        questions=tuple(map(_describe_question, definition.all_questions)),
        answers=tuple(answers or ({} if response is None else {first: response}) for response, (answers, _) in given),
        contents={item: ItemContent(*content) for item, content in frames.read_item_contents(session, project).items()},
        filtering=None
        if rule is None
        else FilteringRule(**rule.model_dump(exclude={"keep"}), keep=dict(rule.keep or {})),
        unasked=tuple(_list_unasked(session, project, data, definition, [surface for _, surface in stored])),
    )


def _list_unasked(
    session: Session,
    project: Project,
    data: inputs.DataSet,
    definition: project_files.ProjectFile,
    surfaces: Sequence[Surface],
) -> Iterator[frozenset[str]]:
    """The questions that the annotator of each response was not asked: of the second pass, or without a column."""
    later = frozenset(question.name for question in definition.all_questions if question.step > 1)
    first_pass_only = second_passes.list_missing_passes(session, project) if later else frozenset()
    in_file = (
        definition.votes.answers
        if definition.votes and definition.votes.answers
        else [definition.all_questions[0].name]
    )
    without_column = frozenset(question.name for question in definition.all_questions).difference(in_file)
    pairs = zip(data.responses["item_id"], data.responses["annotator"], strict=True)
    for pair, surface in zip(pairs, surfaces, strict=True):
        if surface is Surface.IMPORT:
            yield without_column
        else:
            yield later if pair in first_pass_only else frozenset()


def _describe_question(question: Question) -> QuestionSpec:
    return QuestionSpec(
        name=question.name,
        kind=question.kind,
        text=question.text,
        options=getattr(question, "options", None),
        show_if=dict(question.show_if or {}),
        field=getattr(question, "field", None) if TYPES_BY_QUESTION[question.kind].revises_text else None,
    )
