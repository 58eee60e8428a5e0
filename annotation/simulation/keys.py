"""The truth of every item of a simulated campaign, read from the database or drawn from the seed."""

from __future__ import annotations

import random
from collections.abc import Iterable

from sqlmodel import Session, col, select

from annotation.campaigns import project as project_files
from annotation.campaigns.questions import Choice, Material
from annotation.simulation.replies import Key, key
from annotation.store.models import Item, Project
from annotation.workflow.quality import gold_answers


def of(session: Session, *, projects: Iterable[Project], seed: int) -> dict[tuple[int, str], Key]:
    """By project and external id. The same seed draws the same truth, however many people are asked."""
    found = {}
    for project in projects:
        asked = project_files.definition_of(project.definition).asked
        for item in session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank))):
            counted = [one.counted(len(item.options or ())) if isinstance(one, Choice) else one for one in asked]
            found[project.id or 0, item.external_id] = key(
                counted,
                _material(item),
                golds=gold_answers.of(item, counted),
                accepted=item.accepted or (),
                rng=random.Random(f"{seed} truth {project.name} {item.external_id}"),  # noqa: S311  # no secret
            )
    return found


def _material(item: Item) -> Material:
    return Material(
        options=None if item.options is None else tuple(item.options),
        fields={name: value if isinstance(value, str) else str(value) for name, value in item.data.items()},
    )
