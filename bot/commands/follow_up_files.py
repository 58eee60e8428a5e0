"""The files of a follow-up campaign: items, and a project file with the lineage of the items; all or nothing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from annotation import input_files
from annotation.campaigns import project_file as project_files
from annotation.campaigns import template_files
from annotation.campaigns.sections.quality import TextRule
from annotation.errors import BadInput, Conflict, HromadaError, Where, explain_disk
from annotation.loading import campaign_lint
from annotation.loading.campaign import read_contents
from annotation.workflow.lifecycle.follow_up import FollowUpItems

ITEMS_FILE, TABLE_FILE = "items.jsonl", "items.csv"
PROJECT_FILE = "project.yaml"


def write_follow_up(
    derived: FollowUpItems, target: Path, *, template: str | None, language: str, project_file: Path | None
) -> tuple[Path, ...]:
    """Write an items file, or a folder with a checked project; raises BadInput or Conflict, leaving nothing."""
    if target.exists():
        raise Conflict("The folder or file already exists.", where=Where(file=target), remedy="Choose a new name.")
    if (template is None) == (project_file is None):
        if template is None and target.suffix == ".jsonl":
            return (_write_items_only(derived, target),)
        raise BadInput(
            "It is unclear what to create.",
            where=Where(file=target),
            remedy="Give --template NAME, --project FILE, or a .jsonl file for items only.",
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".follow-up-") as temporary:
            folder = Path(temporary) / target.name
            if project_file is None:
                template_files.write_template(folder, template_name=template or "", language=language)
                _refuse_programme(folder)
            else:
                _copy_project_file(project_file, folder)
            _replace_items(folder, derived)
            _check_project(folder, target)
            shutil.move(folder, target)
    except OSError as failure:
        refusal = BadInput(f"The folder cannot be written: {failure.strerror}.", where=Where(file=target))
        raise (explain_disk(failure, where=refusal.where) or refusal) from None
    return tuple(sorted(target.iterdir()))


def _write_items_only(derived: FollowUpItems, target: Path) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _write_pictures(derived, target.parent)
        target.write_text(derived.jsonl, "utf-8")
    except OSError as failure:
        refusal = BadInput(f"The file cannot be written: {failure.strerror}.", where=Where(file=target))
        raise (explain_disk(failure, where=refusal.where) or refusal) from None
    return target


def _write_pictures(derived: FollowUpItems, folder: Path) -> None:
    """Write the pictures of the items; they are named after their content, so one that is there already is the same."""
    for path, content in derived.pictures.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(content)


def _refuse_programme(folder: Path) -> None:
    if not (folder / PROJECT_FILE).is_file():
        raise BadInput("A programme has no items of its own.", remedy="Name the template of a project.")


def _replace_items(folder: Path, derived: FollowUpItems) -> None:
    """Write these items in place of those of the project in the folder, and their lineage into its file."""
    path = folder / PROJECT_FILE
    text = template_files.set_name(path.read_text("utf-8"), folder.name)
    if (folder / TABLE_FILE).is_file():
        (folder / TABLE_FILE).unlink()
        text = text.replace(f"file: {TABLE_FILE}", f"file: {ITEMS_FILE}", 1)
    (folder / ITEMS_FILE).write_text(derived.jsonl, "utf-8")
    _write_pictures(derived, folder)
    path.write_text(f"{text.rstrip()}\n{_format_lineage(derived)}", "utf-8")


def _copy_project_file(source: Path, folder: Path) -> None:
    """Copy the project file, and the files beside it that it names; raises BadInput where it does not fit."""
    definition = project_files.read_project(source).definition
    if definition.lineage is not None:
        raise BadInput(
            "The project file has a lineage already.",
            where=Where(file=source, field="lineage"),
            remedy="Take the section out; follow-up writes it.",
        )
    if not isinstance(definition.items, project_files.ItemsSection) or definition.items.file != ITEMS_FILE:
        raise BadInput(
            "The project file must read its items from items.jsonl.",
            where=Where(file=source, field="items.file"),
            remedy="Write `file: items.jsonl`; follow-up writes that file.",
        )
    folder.mkdir()
    (folder / PROJECT_FILE).write_text(input_files.read_text(source), "utf-8")
    named = [definition.instructions_file, definition.consent.file if definition.consent else None]
    named += [rule.words for rule in definition.quality if isinstance(rule, TextRule)]
    pools = [stage.pool.file for stage in definition.stages.by_name.values()]
    pools.append(definition.controls.pool.file if definition.controls else None)
    pools.append(definition.benchmark.own_pool.file if definition.benchmark.own_pool else None)
    for name in {path for path in (*named, *pools) if path is not None}:
        copy = folder / name
        if not copy.resolve().is_relative_to(folder.resolve()):
            raise BadInput(
                "The file is outside the project's folder.",
                where=Where(file=source, field=name),
                remedy="Put it beside the project file.",
            )
        copy.parent.mkdir(parents=True, exist_ok=True)
        input_files.require_file(source.parent / name)
        shutil.copyfile(source.parent / name, copy)


def _check_project(folder: Path, target: Path) -> None:
    """Check that the new project can be loaded; an error names the files in `target`."""
    try:
        campaign = project_files.read_project(folder / PROJECT_FILE)
        contents = read_contents(campaign)
        campaign_lint.refuse_errors(campaign_lint.lint_campaign(campaign, contents), campaign, contents)
    except HromadaError as refusal:
        place = refusal.where
        name = Path(str(place.file)).name if place and place.file else PROJECT_FILE
        raise BadInput(
            f"The derived items do not fit that project: {refusal.problem}",
            where=Where(file=target / name, line=place.line if place else None, field=place.field if place else None),
            remedy=refusal.remedy,
        ) from None


def _format_lineage(derived: FollowUpItems) -> str:
    """The section `lineage` of the project file; its texts are JSON strings, which YAML reads the same."""
    import json

    lines = [f"  {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in derived.lineage.items()]
    return "\n".join(["# Written by `hromada follow-up`.", "lineage:", *lines, ""])
