"""From the database to `exports.inputs`: the one place where annotation and exports meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from sqlmodel import Session

from aggregation.kinds import Kind
from annotation.campaigns import project as project_files
from annotation.campaigns.questions import Choice, Choices, Edit, FreeText, Question, Scale, SpanOf
from annotation.errors import BadInput
from annotation.store import frames, queries
from annotation.store.models import Project
from exports import inputs
from exports.sheets import Asked, Content, Filtering, Sheets

KINDS: dict[type[Question], Kind] = {
    Choice: "label", Scale: "label", Choices: "boxes", FreeText: "text", Edit: "edit", SpanOf: "span",
}  # fmt: skip


def data_sets(session: Session, names: Sequence[str] = ()) -> tuple[inputs.DataSet, ...]:
    """The named projects, or all, as frozen data sets in the order of their names: one a question.

    Later questions give one where answers to them count; those that are remarks (optional texts) give none here.
    """
    found = [queries.project(session, name) for name in dict.fromkeys(names)] or queries.projects(session)
    made = []
    for project in sorted(found, key=lambda project: project.name):
        made.append(data_set(session, project))
        for question in project_files.definition_of(project.definition).asked[1:]:
            if not isinstance(question, FreeText) or question.required:
                later = data_set(session, project, question.name)
                made += [] if later.retained().empty else [later]
    return tuple(made)


def data_set(session: Session, project: Project, name: str | None = None) -> inputs.DataSet:
    """One question of a project, the first by default, and the main items, as a frozen data set.

    Raises BadInput for a question that the project does not ask.
    """
    definition = project_files.definition_of(project.definition)
    question = _question(definition, name)
    later = None if question.name == definition.asked[0].name else question.name
    items = frames.items(session, project, later=later)
    if isinstance(question, Choice):
        question = question.counted(max((len(own) for own in items["options"] if own is not None), default=0))
    abstention = question.abstain if isinstance(question, Choice) else None
    answers = frames.responses(session, project, later=later, abstention=abstention)
    called = project.name if later is None else f"{project.name}/{later}"
    return inputs.DataSet(
        name=called,
        title=project.title if later is None else f"{project.title} · {question.text}",
        language=project.language,
        overlap=definition.least_overlap,
        classes=_classes(question),
        positions=isinstance(question, Choice) and question.positions is not None,
        items=items.assign(n_options=_numbers(question, items["options"])).loc[:, list(inputs.ITEMS)],
        responses=answers.assign(dataset=called).loc[:, list(inputs.RESPONSES)],
        simulated=frames.simulated(session, project),
        level="ordinal" if isinstance(question, Scale) else "nominal",
        question=question.name,
        kind=KINDS[type(question)],
        aside=frames.control_gold(session, project, later=later),
        barred=frames.barred(session, project),
        **_material(session, project, question, items, first=later is None),
    )


def _question(definition: project_files.ProjectFile, name: str | None) -> Question:
    if name is None:
        return definition.asked[0]
    for question in definition.asked:
        if question.name == name:
            return question
    names = ", ".join(question.name for question in definition.asked)
    raise BadInput(f"{definition.project!r} asks no question {name!r}.", remedy=f"It asks: {names}.")


def _classes(question: Question) -> tuple[str, ...] | None:
    if isinstance(question, Choice):
        return question.classes
    return question.options if isinstance(question, Scale) else None


def _numbers(question: Question, own: pd.Series[Any]) -> pd.Series[Any]:
    """From how many labels each item is answered; None where nothing is chosen from labels."""
    fixed = len(question.options) if isinstance(question, Scale) else None
    numbers = [len(question.substantive(one)) if isinstance(question, Choice) else fixed for one in own]
    return pd.Series(numbers, index=own.index, dtype=object)


def _material(
    session: Session, project: Project, question: Question, items: pd.DataFrame, *, first: bool
) -> dict[str, Any]:
    """What weighing and scoring such answers needs beside them, as fields of a data set."""
    if isinstance(question, Choices):
        own = zip(items["item_id"], items["options"], strict=True)
        return {
            "boxes": question.options,
            "own_boxes": {} if question.options else {item: question.options_of(options) for item, options in own},
        }
    if isinstance(question, SpanOf):
        return {"texts": frames.texts(session, project, question.field)}
    return {"accepted": frames.accepted(session, project)} if isinstance(question, FreeText) and first else {}


def sheets(session: Session, data_sets: Sequence[inputs.DataSet]) -> tuple[Sheets, ...]:
    """All answers of the projects of these data sets that ask for corrections, or say by which rule items are kept."""
    found = []
    for data in data_sets:
        project = queries.project(session, data.name.partition("/")[0])
        definition = project_files.definition_of(project.definition)
        if data.name != project.name:  # a later question: its project has its sheets already
            continue
        if definition.filtering or any(isinstance(one, Edit) for one in definition.asked):
            found.append(_sheets(session, project, data, definition))
    return tuple(found)


def _sheets(session: Session, project: Project, data: inputs.DataSet, definition: project_files.ProjectFile) -> Sheets:
    first = definition.asked[0].name
    given = zip(data.responses["response"], frames.answers(session, project), strict=True)
    rule = definition.filtering
    return Sheets(
        data=data,
        questions=tuple(map(_asked, definition.asked)),
        answers=tuple(answers or ({} if response is None else {first: response}) for response, answers in given),
        contents={item: Content(*content) for item, content in frames.contents(session, project).items()},
        filtering=None if rule is None else Filtering(**rule.model_dump(exclude={"keep"}), keep=dict(rule.keep or {})),
    )


def _asked(question: Question) -> Asked:
    return Asked(
        name=question.name,
        kind=question.kind,
        text=question.text,
        options=getattr(question, "options", None),
        show_if=dict(question.show_if or {}),
        field=question.field if isinstance(question, Edit) else None,
    )
