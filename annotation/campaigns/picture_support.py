"""Refuses projects with pictures where something cannot show them yet."""

from __future__ import annotations

from annotation.campaigns.project_sections import ProjectSections
from annotation.errors import Conflict


def refuse_pictures(definition: ProjectSections, *, by: str) -> None:
    """Raise Conflict if the items of a project show pictures; `by` is what would show only their places."""
    if definition.shows_pictures:
        raise Conflict(
            f"The items of {definition.project!r} show pictures, which {by} cannot hold yet.",
            remedy="Take a project without `as: image`.",
        )
