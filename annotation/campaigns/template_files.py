"""Project templates: small complete campaigns, shipped with the package, from which new projects are started."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from annotation.errors import BadInput, Conflict, NotFound, Where

_PROJECT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_PROJECT_LINE = re.compile(r"^project: .*$", re.MULTILINE)


@dataclass(frozen=True)
class ProjectTemplate:
    """A template: its name, and one sentence about it."""

    name: str
    description: str


def list_templates() -> tuple[ProjectTemplate, ...]:
    """List all templates, sorted by name."""
    return tuple(ProjectTemplate(folder.name, _read_description(folder)) for folder in _list_folders())


def get_template(name: str) -> Traversable:
    """Return the folder of a template; raises NotFound naming all templates."""
    template = next((folder for folder in _list_folders() if folder.name == name), None)
    if template is None:
        all_names = ", ".join(folder.name for folder in _list_folders())
        raise NotFound(f"There is no template {name!r}.", remedy=f"There are: {all_names}.")
    return template


def write_template(folder: Path, *, template_name: str) -> tuple[Path, ...]:
    """Copy a template into a new or empty folder, its project named like the folder; returns the paths of the files.

    Raises Conflict, writing nothing, where the folder is not empty, and BadInput where files cannot be written.
    """
    source = get_template(template_name)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Conflict("There is something already.", where=Where(file=folder), remedy="Name a new folder.")
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(_copy_file(file, folder) for file in sorted(source.iterdir(), key=lambda file: file.name))
    except OSError as failure:
        raise BadInput(
            f"The folder cannot be written: {failure.strerror}.", where=Where(file=folder), remedy="Name another."
        ) from None


def set_project_name(text: str, name: str) -> str:
    """Return the text of a project file with the project name replaced, or unchanged where the name is not valid."""
    return _PROJECT_LINE.sub(f"project: {name}", text, count=1) if _PROJECT_NAME.fullmatch(name) else text


def _copy_file(source: Traversable, folder: Path) -> Path:
    """Copy a file of a template into a folder, the project file with the name of the folder; returns the new path."""
    text = source.read_text("utf-8")
    path = folder / source.name
    path.write_text(set_project_name(text, folder.resolve().name) if source.name == "project.yaml" else text, "utf-8")
    return path


def _list_folders() -> list[Traversable]:
    root = resources.files("annotation.campaigns") / "templates"
    return sorted((folder for folder in root.iterdir() if folder.is_dir()), key=lambda folder: folder.name)


def _read_description(folder: Traversable) -> str:
    """The first line of a template's project file, which is a comment that describes the template."""
    return (folder / "project.yaml").read_text("utf-8").split("\n", 1)[0].removeprefix("# ")
