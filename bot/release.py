"""From the database to `exports.inputs`: the one place where annotation and exports meet."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from annotation.campaigns import project as project_files
from annotation.store import frames, queries
from annotation.store.models import Project
from exports import inputs


def data_sets(session: Session, names: Sequence[str] = ()) -> tuple[inputs.DataSet, ...]:
    """The named projects, or all of them, as frozen data sets in the order of their names."""
    found = [queries.project(session, name) for name in dict.fromkeys(names)] or queries.projects(session)
    return tuple(data_set(session, project) for project in sorted(found, key=lambda project: project.name))


def data_set(session: Session, project: Project) -> inputs.DataSet:
    """One project as a frozen data set."""
    definition = project_files.definition_of(project.definition)
    items = frames.items(session, project)
    most = max((len(options) for options in items["options"] if options is not None), default=0)
    choice = project_files.choice(definition, most_options=most)
    counted = items.assign(n_options=[len(choice.options_of(options)) for options in items["options"]])
    answers = frames.responses(session, project).assign(dataset=project.name)
    return inputs.DataSet(
        name=project.name,
        title=project.title,
        language=project.language,
        overlap=project.overlap,
        classes=choice.classes,
        positions=choice.positions is not None,
        items=counted.loc[:, list(inputs.ITEMS)],
        responses=answers.loc[:, list(inputs.RESPONSES)],
        simulated=frames.simulated(session, project),
    )
