"""`hromada extend`: more answers for every item."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.commands import project_transitions
from bot.commands.command_line import AsJson
from bot.commands.project_transitions import CampaignName


def extend(
    project: CampaignName,
    overlap: Annotated[
        int | None, typer.Option(min=1, help="How many annotators answer each item from now on.")
    ] = None,
    most: Annotated[int | None, typer.Option(min=1, help="The new maximum of a dynamic overlap.")] = None,
    json: AsJson = False,
) -> None:
    """Ask more people about every item.

    More items come by loading the changed file. Both are marked post hoc.
    """
    from functools import partial

    from annotation.workflow.lifecycle import transitions

    extend_project = partial(transitions.extend_project, overlap=overlap, max_overlap=most)
    project_transitions.run_transition(transitions.Transition.EXTEND, extend_project, project, json=json)
