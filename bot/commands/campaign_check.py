"""The check of a project or programme file, for `check` and `simulate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from annotation.campaigns import lint, programme_file, project_file
from annotation.loading import campaign_lint
from annotation.loading.campaign import CampaignContents, count_repeats, read_contents, read_votes
from annotation.vocabulary import Pool
from annotation.workflow.lifecycle import readiness
from bot.commands.terminal_output import Cell


@dataclass(frozen=True, kw_only=True)
class CampaignCheck:
    """The result of a check.

    `facts` are shown; `to_do` has to be done before annotators come; `to_declare` are the keys of `declared` that only
    the organisers can fill, each with what to write. `findings` are the lint's; `refuse` raises BadInput where one of
    them is an error.
    """

    facts: dict[str, Cell]
    to_do: tuple[str, ...] = ()
    to_declare: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[lint.LintFinding, ...] = ()
    refuse: Callable[[], None] = lambda: None


def check_campaign(file: Path, *, allow_outside: bool = False) -> CampaignCheck:
    """Read and check everything that the file names; raises BadInput at the first that cannot be read."""
    if programme_file.is_programme(file):
        return _check_programme(programme_file.read_programme(file, allow_outside=allow_outside))
    campaign = project_file.read_project(file, allow_outside=allow_outside)
    contents = read_contents(campaign)
    findings = campaign_lint.lint_campaign(campaign, contents)
    facts = _describe_items(campaign, contents) | _describe_votes(campaign, contents)
    to_do = tuple(_list_short_pools(campaign.definition, contents))
    return CampaignCheck(
        facts=facts,
        to_do=to_do,
        to_declare=campaign.definition.declared.missing,
        findings=findings,
        refuse=partial(campaign_lint.refuse_errors, findings, campaign, contents),
    )


def _check_programme(programme: programme_file.CheckedProgramme) -> CampaignCheck:
    facts: dict[str, Cell] = {
        "programme": programme.definition.programme,
        "order": programme.definition.order,
        "projects": ", ".join(campaign.name for campaign in programme.projects),
    }
    return CampaignCheck(facts=facts)


def _describe_items(campaign: project_file.CheckedProject, contents: CampaignContents) -> dict[str, Cell]:
    main = [item for item in contents.items if item.pool is Pool.MAIN]
    facts: dict[str, Cell] = {
        "project": campaign.name,
        "items": len(main),
        "groups": len({item.group for item in main}),
        "with gold": sum(bool(item.golds) for item in main),
    }
    for pool in Pool:
        number = sum(item.pool is pool for item in contents.items)
        if pool is not Pool.MAIN and number:
            facts[f"{pool.value} items"] = number
    if contents.choice_question is not None:
        options = sorted({len(contents.choice_question.get_substantive_options(item.options)) for item in main})
        facts["options per item"] = " – ".join(str(number) for number in dict.fromkeys((options[0], options[-1])))
        facts["classes"] = ", ".join(contents.choice_question.classes or ()) or "none: options differ from item to item"
    if len(contents.questions) > 1 or contents.choice_question is None:
        facts["questions"] = ", ".join(f"{question.name} ({question.kind})" for question in contents.questions)
    facts |= {
        f"sample of {frame.pool.value}": (
            f"{frame.n_drawn} of {frame.n_candidates}, seed {frame.seed}, frame {frame.sha256[:16]}"
        )
        for frame in contents.frames
    }
    return facts


def _describe_votes(campaign: project_file.CheckedProject, contents: CampaignContents) -> dict[str, Cell]:
    section = campaign.definition.votes
    if section is None or section.file is None:
        return {}
    path = campaign.resolve_path(section.file)
    read = read_votes(path, section, questions=contents.questions, item_contents=contents.item_contents)
    return {
        "votes": len(read.votes),
        "repeated votes": count_repeats(read.votes),
        "labels changed": sum(read.changed.values()),
        "votes that do not count": sum(vote.exclusion is not None for vote in read.votes),
    }


def _list_short_pools(definition: project_file.ProjectFile, contents: CampaignContents) -> list[str]:
    """Pools that hold fewer items than the plan needs."""
    pilot, controls = definition.stages.pilot, definition.controls
    wanted = {Pool.PILOT: pilot and pilot.number, Pool.CONTROL: controls and controls.number}
    have = {pool: sum(item.pool is pool for item in contents.items) for pool in Pool}
    shortages = [
        f"the {pool.value} pool has {have[pool]} of {number} items"
        for pool, number in wanted.items()
        if number and have[pool] < number
    ]
    return shortages + [f"{error.problem} {error.remedy}" for error in readiness.find_pool_shortages(definition, have)]
