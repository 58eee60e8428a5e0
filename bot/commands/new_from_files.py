"""`hromada new --from`: a project file for data that somebody has, checked before anything is kept."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from annotation import input_files
from annotation.campaigns.template_files import PROJECT, require_new_folder
from annotation.errors import BadInput, HromadaError, Where, combine_errors, explain_disk
from annotation.loading.project_drafts.project_draft import ROLES, ProjectDraft, draft_project
from annotation.workflow.lifecycle import readiness
from bot.commands import campaign_check, item_preview, terminal_output
from bot.commands.terminal_output import Cell

MAX_COPIED_BYTES = 50_000_000
"""A larger file stays where it is, and the project file names its path."""
SHOWN_FACTS = ("items", "with gold", "votes", "repeated votes", "votes that do not count", "classes", "questions")


def write_project(folder: Path, files: Sequence[Path], *, chosen: Sequence[str], json: bool) -> None:
    """Write the project file and copies of the files into a new folder, and print what was understood.

    Raises BadInput, writing nothing, where a person must decide something, or where `check` would refuse the project.
    """
    for path in files:
        if not input_files.file_exists(path):
            raise input_files.build_missing_error(path, written=str(path), where=Where(field="--from"))
    require_new_folder(folder)
    places = _find_places(folder, files)
    draft = draft_project(folder, files, chosen=parse_chosen(chosen), places=places)
    project = folder / PROJECT
    with _written(folder, draft):
        with _explained(draft, folder):
            checked = campaign_check.check_campaign(project)
            checked.refuse(".")
        preview = item_preview.render_first_item(*checked.campaigns[0])
    if json:
        terminal_output.print_json(_build_json(draft, project, checked.flat_facts, preview))
        return
    facts = [(name, checked.facts[name]) for name in SHOWN_FACTS if checked.facts.get(name) not in {None, 0}]
    terminal_output.print_table(str(project), ("what", "is"), facts)
    for doubt in draft.doubts:
        terminal_output.print_sentence(f"? {doubt}")
    for warning in checked.warnings:
        terminal_output.print_sentence(f"Warning: {warning}")
    for name, columns in draft.unused.items():
        terminal_output.print_sentence(f"Not used of {name}: {', '.join(columns[:20])}")
    terminal_output.print_line("\nThe first item, as it is asked:\n")
    for line in preview:
        terminal_output.print_line(f"    {line}")
    first_step = "Look at" if draft.has_votes else "Write `instructions` for people into"
    terminal_output.print_line(f"\n{first_step} {project}, then:\n")
    for command in list_commands(draft, project):
        terminal_output.print_line(f"    {command}")


def list_commands(draft: ProjectDraft, project: Path) -> tuple[str, ...]:
    """Return the three commands that follow."""
    file = shlex.quote(str(project))
    if draft.has_votes:
        return f"hromada load {file}", f"hromada import {draft.name}", f"hromada agreement {draft.name}"
    return f"hromada try {file}", f"hromada load {file}", f"hromada start {draft.name}"


def parse_chosen(written: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The columns by role; raises BadInput for anything but ROLE=COLUMN."""
    chosen: dict[str, tuple[str, ...]] = {}
    for one in written:
        role, sign, column = one.partition("=")
        if not sign or role not in ROLES:
            raise BadInput(
                f"{one!r} names no role of a column.",
                where=Where(field="--as"),
                remedy=f"Write ROLE=COLUMN. Roles are: {', '.join(ROLES)}.",
            )
        chosen[role] = (*chosen.get(role, ()), column.strip())
    return chosen


def _find_places(folder: Path, files: Sequence[Path]) -> dict[Path, str]:
    """The paths by which the project file names files that are too large to copy and may be read where they are."""
    here = Path.cwd().resolve()
    large = [path for path in files if _measure(path) > MAX_COPIED_BYTES and path.resolve().is_relative_to(here)]
    return {path: os.path.relpath(path.resolve(), folder.resolve()) for path in large}


def _measure(path: Path) -> int:
    return sum(one.stat().st_size for one in path.rglob("*") if one.is_file()) if path.is_dir() else path.stat().st_size


@contextmanager
def _written(folder: Path, draft: ProjectDraft) -> Iterator[None]:
    """Write the folder, and remove it again if what follows fails."""
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, source in draft.files.items():
            _copy(source, folder / name)
        (folder / PROJECT).write_text(draft.text, "utf-8")
        yield
    except OSError as failure:
        _remove(folder, draft, is_new=is_new)
        where = Where(file=folder)
        refusal = BadInput(f"The folder cannot be written: {failure.strerror}.", where=where, remedy="Name another.")
        raise (explain_disk(failure, where=where) or refusal) from None
    except HromadaError:
        _remove(folder, draft, is_new=is_new)
        raise


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(".*"))
    else:
        shutil.copyfile(source, target)


def _remove(folder: Path, draft: ProjectDraft, *, is_new: bool) -> None:
    if is_new:
        shutil.rmtree(folder, ignore_errors=True)
        return
    for name in (*draft.files, PROJECT):
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


@contextmanager
def _explained(draft: ProjectDraft, folder: Path) -> Iterator[None]:
    """Name the files that people gave in the errors of the check, not their copies."""
    try:
        yield
    except BadInput as failure:
        found = [error for error in failure.all_found if error.problem != readiness.NO_INSTRUCTIONS.problem]
        raise combine_errors([_rename(error, draft, folder) for error in found or failure.all_found]) from None


def _rename(error: HromadaError, draft: ProjectDraft, folder: Path) -> HromadaError:
    where = error.where
    if where is None or where.file is None:
        return error
    if Path(where.file) == folder / PROJECT:
        place = Where(file=next(iter(draft.files.values()), None))
        remedy = f"Say what its columns hold: --as ROLE=COLUMN. {error.remedy or ''}".strip()
        field = f"{where.field}: " if where.field else ""
        return BadInput(f"The drafted project is refused: {field}{error.problem}", where=place, remedy=remedy)
    given = next((source for name, source in draft.files.items() if Path(where.file) == folder / name), None)
    if given is not None:
        return BadInput(error.problem, where=replace(where, file=given), remedy=error.remedy)
    return error


def _build_json(
    draft: ProjectDraft, project: Path, facts: Mapping[str, Cell], preview: Sequence[str]
) -> dict[str, object]:
    return {
        "project file": str(project),
        "unsure": list(draft.doubts),
        "unused columns": {name: list(columns) for name, columns in draft.unused.items()},
        "first item": list(preview),
        "commands": list(list_commands(draft, project)),
        **facts,
    }
