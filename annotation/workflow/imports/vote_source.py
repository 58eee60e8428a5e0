"""Where the votes of a project come from: the file, how it is read, and whose ids its annotators have there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlmodel import Session, col, select

from annotation import input_files
from annotation.campaigns import project_file
from annotation.errors import BadInput, Where
from annotation.input_files import FileRow
from annotation.loading import golds, judgements
from annotation.store import pseudonyms
from annotation.store.models import Item, Project
from annotation.vocabulary import RepeatPolicy


def map_pseudonyms_to_names(project: Project, *, key: bytes, path: Path) -> dict[str, str]:
    """The ids that annotators have in a file of votes, by the pseudonyms that they got here with `key`.

    Nothing of it is stored. Raises BadInput for a file that cannot be read as the project's `votes` say.
    """
    section, _ = locate_votes(project_file.parse_definition(project.definition), project, path)
    namespace = get_namespace(section, project)
    votes = judgements.read_raw_votes(path, section.resolve(Path(project.source).parent))
    names = dict.fromkeys(raw.annotator for raw in votes if raw.annotator)
    return {pseudonyms.make_pseudonym(key, namespace=namespace, name=name): name for name in names}


def locate_votes(
    definition: project_file.ProjectFile, project: Project, path: Path | None
) -> tuple[project_file.VotesSection, Path]:
    """How votes are read, and the file: `path`, else the one of the project file."""
    section = definition.votes
    if section is None or (path is None and section.file is None):
        raise BadInput(
            "The project does not say how votes are read.",
            where=Where(file=project.source, field="votes"),
            remedy="Add a `votes` section with the format and the file.",
        )
    source = path or Path(project.source).parent / (section.file or "")
    if path is None and input_files.is_missing(source):
        place = Where(file=project.source, field="votes.file")
        raise input_files.build_missing_error(source, written=section.file or "", where=place)
    return section, source


_PLATFORMS = frozenset({"toloka", "mturk"})
"""Formats of platforms whose people have the same ids in all projects."""


def get_namespace(section: project_file.VotesSection, project: Project) -> str:
    """The namespace of worker ids, where `people` does not name it: those of a platform are the same in all projects,
    those of any other file only in its project.
    """
    if section.people:
        return section.people
    if section.prolific is not None:
        return "prolific"
    return section.format if section.format in _PLATFORMS else f"project {project.name}"


def list_truth_gaps(session: Session, project: Project) -> tuple[str, ...]:
    """The gaps between the votes and the gold of a project whose items are made from votes; empty for every other one.

    The file of gold is read as it is now; where it cannot be read any more, only items without gold are told.
    """
    section = project_file.parse_definition(project.definition).truth
    if section is None:
        return ()
    columns = select(Item.external_id, Item.gold, Item.data).where(Item.project_id == project.id)
    items = session.connection().execute(columns.order_by(col(Item.rank))).all()
    path = Path(project.source).parent / section.file
    try:
        unused = golds.read_truth(path, section, known={external_id for external_id, _, _ in items}).unused
    except BadInput:
        unused = ()
    without_gold = [golds.name_item(data, external_id) for external_id, gold, data in items if gold is None]
    return tuple(golds.describe_gaps(unused, without_gold=without_gold))


def describe_differing_votes(rows: Sequence[FileRow], *, policy: RepeatPolicy, project: Project) -> tuple[str, ...]:
    """Whether the votes in these rows count, beside others of an earlier import, and how corrections are made to."""
    if not rows:
        return ()
    places = f"{rows[0].file.name}:{rows[0].line}" + (f" and {len(rows) - 1} more" if len(rows) > 1 else "")
    votes = "1 vote is" if len(rows) == 1 else f"{len(rows)} votes are"
    again = f"{votes} by somebody who had voted on the item in an earlier import ({places})"
    match policy:
        case RepeatPolicy.FIRST:
            source = Path(project.source)
            file = source.relative_to(Path.cwd()) if source.is_relative_to(Path.cwd()) else source
            remedy = (
                f"If this is a correction, write `repeats: last` under `votes` in {file}, run"
                f" `hromada load {file} --yes`, and import the votes again."
            )
            return (f"{again}. The earlier vote counts. {remedy}",)
        case RepeatPolicy.LAST:
            return (f"{again}. The new vote counts; the earlier one is kept, and does not count.",)
        case RepeatPolicy.ALL:
            return (f"{again}. With `repeats: all` both count, even where they are the same row.",)
