"""Templates: whole small campaigns shipped with the package, to begin one's own from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from annotation.errors import BadInput, Conflict, NotFound, Where

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_PROJECT = re.compile(r"^project: .*$", re.MULTILINE)


@dataclass(frozen=True)
class Template:
    """A template by name, with one sentence about it."""

    name: str
    about: str


def templates() -> tuple[Template, ...]:
    """All templates, by name."""
    return tuple(Template(folder.name, _about(folder)) for folder in _folders())


def template(name: str) -> Traversable:
    """The folder of a template; raises NotFound naming them all."""
    found = next((folder for folder in _folders() if folder.name == name), None)
    if found is None:
        known = ", ".join(folder.name for folder in _folders())
        raise NotFound(f"There is no template {name!r}.", remedy=f"There are: {known}.")
    return found


def start(folder: Path, *, template_name: str) -> tuple[Path, ...]:
    """Write a template into a new or empty folder, its project named like the folder; gives the files written.

    Raises Conflict, writing nothing, where the folder has files already, BadInput where it cannot be written.
    """
    source = template(template_name)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Conflict("There is something already.", where=Where(file=folder), remedy="Name a new folder.")
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(_write(one, folder) for one in sorted(source.iterdir(), key=lambda one: one.name))
    except OSError as failure:
        raise BadInput(
            f"The folder cannot be written: {failure.strerror}.", where=Where(file=folder), remedy="Name another."
        ) from None


def named(text: str, name: str) -> str:
    """A project file's text under another project name, where that is one."""
    return _PROJECT.sub(f"project: {name}", text, count=1) if _NAME.fullmatch(name) else text


def _write(source: Traversable, folder: Path) -> Path:
    text = source.read_text("utf-8")
    path = folder / source.name
    path.write_text(named(text, folder.resolve().name) if source.name == "project.yaml" else text, "utf-8")
    return path


def _folders() -> list[Traversable]:
    root = resources.files("annotation.campaigns") / "templates"
    return sorted((one for one in root.iterdir() if one.is_dir()), key=lambda one: one.name)


def _about(folder: Traversable) -> str:
    return (folder / "project.yaml").read_text("utf-8").split("\n", 1)[0].removeprefix("# ")
