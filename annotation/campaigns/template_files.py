"""Project templates: small complete campaigns, shipped with the package, from which new projects are started."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from aggregation import spelling
from annotation.errors import BadInput, Conflict, NotFound, Where, explain_disk

LANGUAGES = ("uk", "en")
"""The languages of every template; the first is the default."""
PROJECT, PROGRAMME = "project.yaml", "programme.yaml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_NAME_LINE = re.compile(r"^(project|programme): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class ProjectTemplate:
    """A template: its name, one sentence about it, and whether it is a programme with several projects."""

    name: str
    description: str
    is_programme: bool = False


def list_templates(language: str = LANGUAGES[0]) -> tuple[ProjectTemplate, ...]:
    """List all templates, sorted by name, with what they say of themselves in a language."""
    _check_language(language)
    return tuple(
        ProjectTemplate(folder.name, _read_description(folder / language), (folder / language / PROGRAMME).is_file())
        for folder in _list_folders()
    )


def get_template(name: str, *, language: str = LANGUAGES[0]) -> Traversable:
    """Return the folder of a template in a language; raises NotFound naming all templates, or all languages."""
    template = next((folder for folder in _list_folders() if folder.name == name), None)
    if template is None:
        all_names = spelling.join_first(folder.name for folder in _list_folders())
        raise NotFound(f"There is no template {name!r}.", remedy=f"There are: {all_names}.")
    _check_language(language)
    return template / language


def write_template(folder: Path, *, template_name: str, language: str = LANGUAGES[0]) -> tuple[Path, ...]:
    """Copy a template into a new or empty folder, named like the folder; returns the paths of the files.

    The projects of a programme are named FOLDER.NAME. Raises Conflict, writing nothing, where the folder is not empty,
    and BadInput where files cannot be written.
    """
    source = get_template(template_name, language=language)
    written: list[Path] = []
    try:
        require_new_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for file in sorted(source.iterdir(), key=lambda file: file.name):
            written.append(folder / file.name)
            _copy_file(file, folder)
    except OSError as failure:
        _remove_copies(written)
        where, problem = Where(file=folder), f"The folder cannot be written: {failure.strerror}."
        refusal = BadInput(problem, where=where, remedy="Name another.")
        raise (explain_disk(failure, where=where) or refusal) from None
    return tuple(written)


def require_new_folder(folder: Path) -> None:
    """Raise Conflict unless the folder is empty or does not exist."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(
            "The folder already exists and is not empty.", where=Where(file=folder), remedy="Choose a new name."
        )


def _remove_copies(written: Sequence[Path]) -> None:
    """Remove what was written before a failure, so that a second attempt finds the folder as the first did."""
    with contextlib.suppress(OSError):
        for file in written:
            file.unlink(missing_ok=True)


def set_name(text: str, name: str, *, within: bool = False) -> str:
    """Return the text of a project or programme file with another name, unchanged where the name is not valid.

    With `within` it becomes the name's part: NAME.PART.
    """
    if not _NAME.fullmatch(name):
        return text
    return _NAME_LINE.sub(
        lambda line: f"{line[1]}: {name}.{line[2]}" if within else f"{line[1]}: {name}", text, count=1
    )


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise NotFound(
            f"There are no templates in {language!r}.",
            where=Where(field="--language"),
            remedy=f"Write {' or '.join(LANGUAGES)}; a campaign may be in any language.",
        )


def _copy_file(source: Traversable, folder: Path) -> None:
    """Copy a file of a template into a folder, project and programme files with the folder's name."""
    text, name = source.read_text("utf-8"), folder.resolve().name
    if source.name.endswith(".yaml"):
        text = set_name(text, name, within=source.name not in {PROJECT, PROGRAMME})
    (folder / source.name).write_text(text, "utf-8")


def _list_folders() -> list[Traversable]:
    root = resources.files("annotation.campaigns") / "templates"
    return sorted((folder for folder in root.iterdir() if folder.is_dir()), key=lambda folder: folder.name)


def _read_description(folder: Traversable) -> str:
    """The first line of a template's project or programme file, which is a comment that describes the template."""
    file = folder / PROGRAMME if (folder / PROGRAMME).is_file() else folder / PROJECT
    return file.read_text("utf-8").split("\n", 1)[0].removeprefix("# ")
