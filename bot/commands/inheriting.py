"""Writing what was derived: an items file, and a project file that says where its items come from; all or nothing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from annotation import files
from annotation.campaigns import project, starting
from annotation.campaigns.rules import TextRule
from annotation.errors import BadInput, Conflict, HromadaError, Where
from annotation.loading import campaign as loading
from annotation.loading import inspection
from annotation.workflow.lifecycle.derivation import Derived

ITEMS = "items.jsonl"
PROJECT = "project.yaml"


def write(derived: Derived, target: Path, *, template: str | None, project_file: Path | None) -> tuple[Path, ...]:
    """Write an items file, or a folder with a checked project; raises BadInput or Conflict, leaving nothing."""
    if target.exists():
        raise Conflict("There is something already.", where=Where(file=target), remedy="Name a new folder or file.")
    if (template is None) == (project_file is None):
        if template is None and target.suffix == ".jsonl":
            return (_items_only(derived, target),)
        raise BadInput(
            "Which project is it to become?",
            where=Where(file=target),
            remedy="Give --template or --project, one of them; or name a .jsonl file for the items alone.",
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".derive-") as made:
            folder = Path(made) / target.name
            _fill(folder, derived, template=template, project_file=project_file)
            _check(folder, target)
            shutil.move(folder, target)
    except OSError as failure:
        raise BadInput(f"The folder cannot be written: {failure.strerror}.", where=Where(file=target)) from None
    return tuple(sorted(target.iterdir()))


def _items_only(derived: Derived, target: Path) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(derived.jsonl, "utf-8")
    except OSError as failure:
        raise BadInput(f"The file cannot be written: {failure.strerror}.", where=Where(file=target)) from None
    return target


def _fill(folder: Path, derived: Derived, *, template: str | None, project_file: Path | None) -> None:
    if project_file is None:
        starting.start(folder, template_name=template or "")
    else:
        _copy(project_file, folder)
    (folder / ITEMS).write_text(derived.jsonl, "utf-8")
    path = folder / PROJECT
    text = path.read_text("utf-8")
    path.write_text(f"{starting.named(text, folder.name).rstrip()}\n{_lineage(derived)}", "utf-8")


def _copy(project_file: Path, folder: Path) -> None:
    """The project file, and the files beside it that it names."""
    definition = project.read(project_file).definition
    if definition.lineage is not None:
        raise BadInput(
            "The project file has a lineage already.",
            where=Where(file=project_file, field="lineage"),
            remedy="Take the section out; derive writes it.",
        )
    if not isinstance(definition.items, project.ItemsSection) or definition.items.file != ITEMS:
        raise BadInput(
            "The project file must read its items from items.jsonl.",
            where=Where(file=project_file, field="items.file"),
            remedy="Write `file: items.jsonl`; derive writes that file.",
        )
    folder.mkdir()
    (folder / PROJECT).write_text(files.read_text(project_file), "utf-8")
    named = [definition.instructions_file, definition.consent.file if definition.consent else None]
    named += [rule.words for rule in definition.quality if isinstance(rule, TextRule)]
    pools = [stage.pool.file for stage in definition.stages.named.values()]
    pools.append(definition.controls.pool.file if definition.controls else None)
    for written in {one for one in (*named, *pools) if one is not None}:
        copy = folder / written
        if not copy.resolve().is_relative_to(folder.resolve()):
            raise BadInput(
                "The file lies outside the project's folder.",
                where=Where(file=project_file, field=written),
                remedy="Put it beside the project file.",
            )
        copy.parent.mkdir(parents=True, exist_ok=True)
        files.need_file(project_file.parent / written)
        shutil.copyfile(project_file.parent / written, copy)


def _check(folder: Path, target: Path) -> None:
    """The new project loads as it is; a refusal speaks of the folder that was to be."""
    try:
        campaign = project.read(folder / PROJECT)
        contents = loading.contents(campaign)
        inspection.refuse(inspection.findings(campaign, contents), campaign, contents)
    except HromadaError as refusal:
        place = refusal.where
        name = Path(str(place.file)).name if place and place.file else PROJECT
        raise BadInput(
            f"The derived items do not fit that project: {refusal.problem}",
            where=Where(file=target / name, line=place.line if place else None, field=place.field if place else None),
            remedy=refusal.remedy,
        ) from None


def _lineage(derived: Derived) -> str:
    """The section, every text in double quotes as JSON writes it, which YAML reads the same."""
    import json

    lines = [f"  {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in derived.lineage.items()]
    return "\n".join(["# Written by `hromada derive`.", "lineage:", *lines, ""])
