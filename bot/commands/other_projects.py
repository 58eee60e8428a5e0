"""The items of a campaign's files beside the other projects, those of the same programme and those that are loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.campaigns.project_file import CheckedProject
from annotation.errors import BadInput, HromadaError, NotFound, Where, combine_errors
from annotation.loading.campaign import CampaignContents
from annotation.vocabulary import POOLS_WITH_OVERLAP
from annotation.workflow.lifecycle import shared_items
from annotation.workflow.lifecycle.shared_items import SharedItems
from annotation.workflow.monitoring import progress
from annotation.workflow.monitoring.progress import ClosedItems
from bot.commands import database_session


@dataclass(frozen=True, kw_only=True)
class OtherProjects:
    """What a project's items share with other projects, and what is closed to whom; `unread` says what was not seen."""

    campaign: CheckedProject
    shared: tuple[SharedItems, ...] = ()
    closed: tuple[ClosedItems, ...] = ()
    unread: str = ""


def compare_campaigns(campaigns: Sequence[tuple[CheckedProject, CampaignContents]]) -> tuple[OtherProjects, ...]:
    """Compare the items of each campaign with those of the others and of all loaded projects.

    Without a database there are no loaded projects; one that cannot be read is told of.
    """
    own = [
        (campaign, contents, shared_items.build_compared_items(campaign, contents)) for campaign, contents in campaigns
    ]
    names = [campaign.name for campaign, _, _ in own]
    beside = {campaign.name: _compare_siblings(campaign, items, own) for campaign, _, items in own}
    try:
        with database_session.open_database() as database, database.reading() as view:
            return tuple(
                OtherProjects(
                    campaign=campaign,
                    shared=(
                        *beside[campaign.name],
                        *shared_items.list_shared_items(view, campaign, items, without=names),
                    ),
                    closed=progress.list_items_to_close(
                        view,
                        campaign.definition,
                        [item.group for item in contents.items if item.pool in POOLS_WITH_OVERLAP],
                    ),
                )
                for campaign, contents, items in own
            )
    except NotFound:
        unread = ""
    except HromadaError as failure:
        unread = f"Loaded projects were not compared with: {failure.problem}"
    return tuple(
        OtherProjects(campaign=campaign, shared=beside[campaign.name], unread=unread) for campaign, _, _ in own
    )


def _compare_siblings(
    campaign: CheckedProject,
    items: Sequence[shared_items.ComparedItem],
    own: Sequence[tuple[CheckedProject, CampaignContents, Sequence[shared_items.ComparedItem]]],
) -> tuple[SharedItems, ...]:
    """What the items share with the other projects of the same file."""
    exposure = campaign.definition.exposure
    left_out = {campaign.name, *(exposure.exceptions if exposure else ())}
    if campaign.definition.overlap is None:
        return ()
    compared = (
        shared_items.compare_items(other.name, items, theirs) for other, _, theirs in own if other.name not in left_out
    )
    return tuple(campaign for campaign in compared if campaign is not None)


def refuse_same_texts(others: Sequence[OtherProjects]) -> None:
    """Raise BadInput for items with the id and text of another project's, if the file says nothing of groups."""
    obstacles = [
        BadInput(shared.obstacle, where=Where(file=other.campaign.path, field="items.group"), remedy=shared.remedy)
        for other in others
        for shared in other.shared
        if shared.same_texts
    ]
    if obstacles:
        raise combine_errors(obstacles)
