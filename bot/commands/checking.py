"""What `check` finds in a project or programme file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from annotation.campaigns import lint, programme, project
from annotation.loading import campaign as loading
from annotation.loading import inspection
from annotation.vocabulary import Pool
from annotation.workflow.lifecycle import readiness, telegram_support
from bot.commands.console import Cell


@dataclass(frozen=True, kw_only=True)
class Checked:
    """Facts to show; what is to be done before people come; facts to declare, each with what it should say.

    `findings` are the lint's; `refuse` raises BadInput where one of them is an error.
    """

    facts: dict[str, Cell]
    to_do: tuple[str, ...] = ()
    to_declare: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[lint.Finding, ...] = ()
    refuse: Callable[[], None] = lambda: None


def checked(file: Path) -> Checked:
    """Read and check everything that the file names; raises BadInput at the first that cannot be read."""
    if programme.is_one(file):
        return _programme(programme.read(file))
    campaign = project.read(file)
    contents = loading.contents(campaign)
    found = inspection.findings(campaign, contents)
    facts = _facts(campaign, contents) | _votes(campaign, contents)
    to_do = tuple(_shortfalls(campaign.definition, contents))
    offered = telegram_support.sentence(campaign.definition)
    return Checked(
        facts=facts | ({"the bot": offered} if offered else {}),
        to_do=to_do,
        to_declare=campaign.definition.declared.missing,
        findings=found,
        refuse=partial(inspection.refuse, found, campaign, contents),
    )


def _programme(found: programme.Programme) -> Checked:
    facts: dict[str, Cell] = {
        "programme": found.definition.programme,
        "order": found.definition.order,
        "projects": ", ".join(campaign.name for campaign in found.campaigns),
    }
    return Checked(facts=facts)


def _facts(campaign: project.Campaign, contents: loading.Contents) -> dict[str, Cell]:
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
    if contents.choice is not None:
        options = sorted({len(contents.choice.substantive(item.options)) for item in main})
        facts["options per item"] = " – ".join(str(number) for number in dict.fromkeys((options[0], options[-1])))
        facts["classes"] = ", ".join(contents.choice.classes or ()) or "none: options differ from item to item"
    if len(contents.questions) > 1 or contents.choice is None:
        facts["questions"] = ", ".join(f"{one.name} ({one.kind})" for one in contents.questions)
    facts |= {
        f"sample of {frame.pool.value}": f"{frame.drawn} of {frame.of}, seed {frame.seed}, frame {frame.sha256[:16]}"
        for frame in contents.frames
    }
    return facts


def _votes(campaign: project.Campaign, contents: loading.Contents) -> dict[str, Cell]:
    section = campaign.definition.votes
    if section is None or section.file is None:
        return {}
    path = campaign.path(section.file)
    read = loading.votes(path, section, questions=contents.questions, materials=contents.materials)
    return {
        "votes": len(read.votes),
        "repeated votes": loading.repeated(read.votes),
        "labels changed": sum(read.changed.values()),
        "votes that do not count": sum(vote.excluded is not None for vote in read.votes),
    }


def _shortfalls(definition: project.ProjectFile, contents: loading.Contents) -> list[str]:
    """Pools that hold fewer items than the plan needs."""
    pilot, controls = definition.stages.pilot, definition.controls
    wanted = {Pool.PILOT: pilot and pilot.number, Pool.CONTROL: controls and controls.number}
    have = {pool: sum(item.pool is pool for item in contents.items) for pool in Pool}
    found = [
        f"the {pool.value} pool has {have[pool]} of {number} items"
        for pool, number in wanted.items()
        if number and have[pool] < number
    ]
    return found + [f"{one.problem} {one.remedy}" for one in readiness.short(definition, have)]
