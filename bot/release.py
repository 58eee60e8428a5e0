"""Build the inputs of a release from the database; the only module that knows both annotation and exports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from sqlmodel import Session

from aggregation.answers import AnswerType
from annotation.campaigns import project_file as project_files
from annotation.campaigns.questions import (
    ChoiceQuestion,
    ChoicesQuestion,
    EditQuestion,
    Question,
    ScaleQuestion,
    SpanQuestion,
    TextQuestion,
)
from annotation.campaigns.stimulus import compute_text_digest
from annotation.errors import BadInput
from annotation.loading.drafts import pause_garbage_collection
from annotation.store import frames, queries, second_passes
from annotation.store.models import Project
from annotation.vocabulary import ExclusionKind, Pool, Stage, Surface
from bot import option_answers
from exports import inputs
from exports.adjudicated_gold import list_adjudicated_items
from exports.full_responses import FilteringRule, FullResponses, ItemContent, QuestionSpec

ANSWER_TYPES: dict[type[Question], AnswerType] = {
    ChoiceQuestion: "label",
    ScaleQuestion: "label",
    ChoicesQuestion: "boxes",
    TextQuestion: "text",
    EditQuestion: "edit",
    SpanQuestion: "span",
}


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
            if not isinstance(question, TextQuestion) or question.required:
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
    if isinstance(question, ChoiceQuestion):
        question = question.with_positions(max((len(own) for own in items["options"] if own is not None), default=0))
    abstention = question.abstain if isinstance(question, ChoiceQuestion) else None
    answers = frames.read_responses(session, project, later=later, abstention=abstention)
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
        classes=_get_classes(question),
        classes_are_positions=isinstance(question, ChoiceQuestion) and question.positions is not None,
        items=items.assign(n_options=_count_options(question, items["options"])).loc[:, list(inputs.ITEM_COLUMNS)],
        responses=answers.assign(dataset=data_set_name).loc[:, list(inputs.INPUT_COLUMNS)],
        simulated=frames.has_simulated_answers(session, project),
        measurement_level=question.level if isinstance(question, ScaleQuestion) else "nominal",
        question=question.name,
        metrics=question.metrics,
        kind=ANSWER_TYPES[type(question)],
        normalise=question.normalisation,
        control_gold=frames.read_control_gold(session, project, later=later),
        removed_annotators=frames.read_removed_annotators(session, project),
        adjudications=frames.read_adjudications(session, project, question=question.name),
        gold_strata=frames.read_gold_strata(session, project, question=question.name),
        reviews=pd.DataFrame() if later is not None else frames.read_reviews(session, project),
        **_get_scoring_fields(session, project, question, items, first=later is None),
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


def _get_classes(question: Question) -> tuple[str, ...] | None:
    if isinstance(question, ChoiceQuestion):
        return question.classes
    return question.options if isinstance(question, ScaleQuestion) else None


def _count_options(question: Question, own: pd.Series[Any]) -> pd.Series[Any]:
    """How many labels can be chosen for each item; None where nothing is chosen from labels."""
    fixed = len(question.options) if isinstance(question, ScaleQuestion) else None
    numbers = [
        len(question.get_substantive_options(one)) if isinstance(question, ChoiceQuestion) else fixed for one in own
    ]
    return pd.Series(numbers, index=own.index, dtype=object)


def _get_scoring_fields(
    session: Session, project: Project, question: Question, items: pd.DataFrame, *, first: bool
) -> dict[str, Any]:
    """The fields of a data set that aggregating and scoring need for this type of answer."""
    if isinstance(question, ChoicesQuestion):
        own = zip(items["item_id"], items["options"], strict=True)
        return {
            "boxes": question.options,
            "own_boxes": {} if question.options else {item: question.get_options(options) for item, options in own},
        }
    if isinstance(question, SpanQuestion):
        return {
            "texts": frames.read_field_texts(session, project, question.field),
            "span_classes": question.labels,
        }
    return (
        {"accepted": frames.read_accepted_answers(session, project)}
        if isinstance(question, TextQuestion) and first
        else {}
    )


def list_full_responses(session: Session, data_sets: Sequence[inputs.DataSet]) -> tuple[FullResponses, ...]:
    """List the full responses of those projects of the data sets that ask for corrections or have a filtering rule."""
    responses = []
    for data in data_sets:
        project = queries.get_project(session, data.name.partition("/")[0])
        definition = project_files.parse_definition(project.definition)
        if data.name != project.name:  # a later question: the full responses of its project are there already
            continue
        if definition.filtering or any(isinstance(one, EditQuestion) for one in definition.all_questions):
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
        field=question.field if isinstance(question, EditQuestion) else None,
    )
