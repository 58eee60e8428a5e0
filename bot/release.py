"""From the database to `exports.inputs`: the one place where annotation and exports meet."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from annotation.campaigns import project as project_files
from annotation.campaigns.questions import Choice, Edit, Question, Scale
from annotation.errors import Refused
from annotation.store import frames, queries
from annotation.store.models import Project
from exports import inputs
from exports.sheets import Asked, Content, Filtering, Sheets


def data_sets(session: Session, names: Sequence[str] = ()) -> tuple[inputs.DataSet, ...]:
    """The named projects, or all that can be, as frozen data sets in the order of their names."""
    found = [queries.project(session, name) for name in dict.fromkeys(names)]
    if not found:
        loaded = queries.projects(session)
        found = [one for one in loaded if refusal(one) is None]
        wrong = next(filter(None, map(refusal, loaded)), None)
        if not found and wrong is not None:
            raise wrong
    return tuple(data_set(session, project) for project in sorted(found, key=lambda project: project.name))


def refusal(project: Project) -> Refused | None:
    """Why a project gives no data set; None where it does."""
    first = project_files.definition_of(project.definition).asked[0]
    if isinstance(first, Choice | Scale):
        return None
    return Refused(
        f"The first question of {project.name!r} is answered by {first.kind}, not by one label.",
        remedy=f"What fits: {', '.join(first.fit.consensus)}; no command computes it yet.",
    )


def left_out(session: Session) -> list[str]:
    """A sentence for every project that gives no data set."""
    return [f"Left out: {wrong}" for one in queries.projects(session) if (wrong := refusal(one)) is not None]


def data_set(session: Session, project: Project) -> inputs.DataSet:
    """One project, its first question and its main items, as a frozen data set; raises Refused where it gives none."""
    wrong = refusal(project)
    if wrong is not None:
        raise wrong
    definition = project_files.definition_of(project.definition)
    items = frames.items(session, project)
    most = max((len(options) for options in items["options"] if options is not None), default=0)
    first = definition.asked[0]
    choice = project_files.choice(definition, most_options=most)
    fixed = first.options if isinstance(first, Scale) else None
    counted = items.assign(
        n_options=[len(choice.substantive(own) if choice else fixed or ()) for own in items["options"]]
    )
    answers = frames.responses(session, project).assign(dataset=project.name)
    return inputs.DataSet(
        name=project.name,
        title=project.title,
        language=project.language,
        overlap=definition.least_overlap,
        classes=choice.classes if choice else fixed,
        positions=choice is not None and choice.positions is not None,
        items=counted.loc[:, list(inputs.ITEMS)],
        responses=answers.loc[:, list(inputs.RESPONSES)],
        simulated=frames.simulated(session, project),
        aside=frames.control_gold(session, project),
        barred=frames.barred(session, project),
    )


def sheets(session: Session, data_sets: Sequence[inputs.DataSet]) -> tuple[Sheets, ...]:
    """All answers of those data sets that hold corrections, or that say by which rule items are kept."""
    found = []
    for data in data_sets:
        project = queries.project(session, data.name)
        definition = project_files.definition_of(project.definition)
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
