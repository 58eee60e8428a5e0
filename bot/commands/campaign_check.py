"""The check of a project or programme file, for `check` and `simulate`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from aggregation import spelling
from annotation.campaigns import consistency, lint, programme_file, project_file
from annotation.campaigns.lint import LintFinding
from annotation.campaigns.sections.panels import describe_panel
from annotation.errors import BadInput, ErrorCollector, Where
from annotation.loading import campaign_lint, compared_systems, golds, overlap_sample
from annotation.loading.campaign import CampaignContents, ReadVotes, count_repeats, read_contents, read_votes
from annotation.vocabulary import Pool
from annotation.workflow.lifecycle import precision, readiness
from bot.commands import terminal_output
from bot.commands.terminal_output import Cell

MAX_IDS_SHOWN = 3
"""How many ids a table shows; --json gives all."""


def build_json(findings: Sequence[LintFinding]) -> list[dict[str, Any]]:
    """The findings with all ids, with the keys of `--json`."""
    return [
        {
            "rule": finding.rule.name,
            "severity": finding.rule.severity.value,
            "field": finding.field,
            "message": finding.message,
            "first": finding.first,
            "remedy": finding.rule.remedy,
            "ids": list(finding.ids),
        }
        for finding in findings
    ]


def get_worst_severity(findings: Sequence[LintFinding]) -> str | None:
    """The severity of the first finding, which is the worst; None where there is none."""
    return findings[0].rule.severity.value if findings else None


def print_findings(findings: Sequence[LintFinding]) -> None:
    """Print a table, worst first; nothing where there are no findings."""
    if findings:
        rows = [
            (finding.rule.severity.value, finding.rule.name, _format_message(finding), _format_ids(finding))
            for finding in findings
        ]
        terminal_output.print_table("What the lint found", ("severity", "rule", "what to know and do", "items"), rows)


def _format_message(finding: LintFinding) -> str:
    return " ".join(part for part in (finding.message, finding.first, finding.rule.remedy) if part)


def _format_ids(finding: LintFinding) -> str:
    shown = ", ".join(finding.ids[:MAX_IDS_SHOWN])
    more = len(finding.ids) - MAX_IDS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


@dataclass(frozen=True, kw_only=True)
class CampaignCheck:
    """The result of a check.

    `facts` are shown, with those of each project of a programme by its name in `projects`; `to_do` has to be done
    before annotators come; `weak` is what makes results weak; `warnings` are what may be a slip in the files.
    `to_declare` are the keys of `declared` that only the organisers can fill, each with what to write. `findings` are
    the lint's, `campaigns` what was read; `refuse` raises BadInput where one of the findings is an error, with the
    words that say where the others are.
    """

    facts: dict[str, Cell]
    projects: Mapping[str, Mapping[str, Cell]] = field(default_factory=dict)
    to_do: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    to_declare: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[lint.LintFinding, ...] = ()
    campaigns: tuple[tuple[project_file.CheckedProject, CampaignContents], ...] = ()
    refuse: Callable[[str], None] = lambda _where_others: None

    @property
    def flat_facts(self) -> dict[str, Cell]:
        """All facts in one mapping, those of a project of a programme with its name before them."""
        return self.facts | {f"{name}: {what}": cell for name, of in self.projects.items() for what, cell in of.items()}


def check_campaign(file: Path, *, allow_outside: bool = False) -> CampaignCheck:
    """Read and check everything that the file names; raises BadInput with all that cannot be read."""
    if programme_file.is_programme(file):
        return _check_programme(programme_file.read_programme(file, allow_outside=allow_outside))
    return _check_project(project_file.read_project(file, allow_outside=allow_outside))


def _check_project(campaign: project_file.CheckedProject, *, quota: int | None = None) -> CampaignCheck:
    """The check of one project; `quota` is the most items of an annotator in its programme."""
    contents: list[CampaignContents] = []
    errors, instructions, slips = ErrorCollector(), None, list[str]()
    with errors:
        instructions = campaign.read_instructions()
    with errors:
        contents.append(read_contents(campaign))
        votes = _read_votes(campaign, contents[0])
        facts = _describe_items(campaign, contents[0]) | ({} if votes is None else _describe_votes(votes))
        ids = (item.external_id for item in contents[0].items)
        slips += campaign_lint.describe_items(ids, contents[0].questions)
        slips += campaign_lint.describe_votes(() if votes is None else votes.votes)
        slips += campaign_lint.describe_sources(contents[0].items)
    if errors.found and _lacks_instructions(campaign.definition, instructions):
        with errors:
            missing = readiness.NO_INSTRUCTIONS
            raise BadInput(missing.problem, where=Where(file=campaign.path), remedy=missing.remedy)
    errors.refuse()
    findings = campaign_lint.lint_campaign(campaign, contents[0])
    return CampaignCheck(
        facts=facts,
        to_do=tuple(_list_obstacles(campaign.definition, contents[0], instructions=instructions)),
        weak=tuple(_list_weaknesses(campaign.definition, contents[0], quota=quota)),
        warnings=(*_list_truth_gaps(contents[0]), *_list_misplaced_options(campaign.definition, contents[0]), *slips),
        to_declare=campaign.definition.declared.missing,
        findings=findings,
        campaigns=((campaign, contents[0]),),
        refuse=lambda where_others: campaign_lint.refuse_errors(
            findings, campaign, contents[0], where_others=where_others
        ),
    )


def _check_programme(programme: programme_file.CheckedProgramme) -> CampaignCheck:
    """All of its projects; what is said about one of them begins with its name."""
    errors = ErrorCollector()
    checks: dict[str, CampaignCheck] = {}
    for section, campaign in zip(programme.definition.projects, programme.projects, strict=True):
        with errors:
            checks[campaign.name] = _check_project(campaign, quota=section.quota)
    errors.refuse()
    facts: dict[str, Cell] = {
        "programme": programme.definition.programme,
        "order": programme.definition.order,
        "projects": ", ".join(checks),
    }
    to_declare = {fact: says for check in checks.values() for fact, says in check.to_declare.items()}
    return CampaignCheck(
        facts=facts,
        projects={
            name: {what: cell for what, cell in check.facts.items() if what != "project"}
            for name, check in checks.items()
        },
        to_do=tuple(f"{name}: {line}" for name, check in checks.items() for line in check.to_do),
        weak=tuple(f"{name}: {line}" for name, check in checks.items() for line in check.weak),
        warnings=tuple(f"{name}: {line}" for name, check in checks.items() for line in check.warnings),
        to_declare=to_declare,
        findings=tuple(
            replace(finding, message=f"{name}: {finding.message}")
            for name, check in checks.items()
            for finding in check.findings
        ),
        campaigns=tuple(read for check in checks.values() for read in check.campaigns),
        refuse=partial(_refuse_any, tuple(checks.values())),
    )


def _refuse_any(checks: Sequence[CampaignCheck], where_others: str) -> None:
    """Raise BadInput with what the checks of several projects refuse."""
    errors = ErrorCollector()
    for check in checks:
        with errors:
            check.refuse(where_others)
    errors.refuse()


def _describe_items(campaign: project_file.CheckedProject, contents: CampaignContents) -> dict[str, Cell]:
    main = [item for item in contents.items if item.pool is Pool.MAIN]
    facts: dict[str, Cell] = {
        "project": campaign.name,
        "items": len(main),
        "groups": len({item.group for item in main}),
        "with gold": sum(bool(item.golds) for item in main),
    }
    facts |= _describe_overlap_sample(campaign.definition, contents)
    for pool in Pool:
        number = sum(item.pool is pool for item in contents.items)
        if pool is not Pool.MAIN and number:
            facts[f"{pool.value} items"] = number
    if contents.choice_question is not None:
        options = sorted({len(contents.choice_question.get_substantive_options(item.options)) for item in main})
        facts["options per item"] = " – ".join(str(number) for number in dict.fromkeys((options[0], options[-1])))
        classes = contents.choice_question.classes or ()
        facts["classes"] = spelling.list_words(classes, most=len(classes)) or "each item its own"
    if len(contents.questions) > 1 or contents.choice_question is None:
        facts["questions"] = ", ".join(f"{question.name} ({question.kind})" for question in contents.questions)
    if campaign.definition.overlap is not None and main:
        facts["planned"] = precision.describe_plan(_plan_precision(campaign.definition, contents).to_dict())
    systems = compared_systems.read_systems(contents.questions, main).values()
    if names := sorted({name for compared in systems for name in compared if name}):
        facts["systems"] = spelling.list_words(names)
    facts |= {f"panel {name}": describe_panel(panel) for name, panel in campaign.definition.panels.items()}
    facts |= {
        f"sample of {frame.pool.value}": (
            f"{frame.n_drawn} of {frame.n_candidates}, seed {frame.seed}, frame {frame.sha256[:16]}"
        )
        for frame in contents.frames
    }
    return facts


def _plan_precision(definition: project_file.ProjectFile, contents: CampaignContents) -> precision.PrecisionPlan:
    """The expected work and precision of main items, as `start` freezes it."""
    main = [item for item in contents.items if item.pool is Pool.MAIN]
    size = _measure_overlap_sample(definition, contents)
    return precision.plan_precision(
        Counter(item.group for item in main).values(),
        overlap=definition.min_overlap or 0,
        max_overlap=definition.max_overlap or 0,
        seconds=definition.expected.seconds if definition.expected else None,
        result=readiness.plan_result(definition, has_gold=any(item.golds for item in main)),
        n_sampled=0 if size is None else size.items,
    )


def _measure_overlap_sample(
    definition: project_file.ProjectFile, contents: CampaignContents
) -> overlap_sample.SampleSize | None:
    """How many items get more answers; None where all items get as many."""
    overlap = definition.sampled_overlap
    return None if overlap is None else overlap_sample.measure_sample(overlap, contents.items, seed=definition.seed)


def _describe_overlap_sample(definition: project_file.ProjectFile, contents: CampaignContents) -> dict[str, Cell]:
    """How many items get more answers, in words; nothing where all items get as many."""
    size = _measure_overlap_sample(definition, contents)
    if size is None:
        return {}
    return {"overlap sample": f"{size.items} of {size.all_items} items, in {size.groups} of {size.all_groups} groups"}


def _read_votes(campaign: project_file.CheckedProject, contents: CampaignContents) -> ReadVotes | None:
    """The votes of the file that the project file names; None where it names none."""
    section = campaign.definition.votes
    if section is None or section.file is None:
        return None
    path = campaign.resolve_path(section.file)
    section = section.resolve(campaign.path.parent)
    return read_votes(path, section, questions=contents.questions, item_contents=contents.item_contents)


def _describe_votes(read: ReadVotes) -> dict[str, Cell]:
    """The numbers of votes, and of those that do not count by reason."""
    facts: dict[str, Cell] = {
        "votes": len(read.votes),
        "repeated votes": count_repeats(read.votes),
        "labels changed": sum(read.changed.values()),
        "votes that do not count": sum(read.excluded.values()),
    }
    facts |= {f"not counted: {reason}": number for reason, number in read.excluded.items()}
    return facts | {f"not kept: {reason}": number for reason, number in read.dropped.items()}


def _lacks_instructions(definition: project_file.ProjectFile, instructions: str | None) -> bool:
    """Whether people would be asked without instructions; None stands for a file that could not be read."""
    return definition.overlap is not None and instructions == ""


def _list_obstacles(
    definition: project_file.ProjectFile, contents: CampaignContents, *, instructions: str | None
) -> Iterator[str]:
    """What would stop the start of a project that asks people, as far as its files tell; and pools that are short."""
    counts = _count_items(contents)
    for obstacle in readiness.find_unaskable_questions(definition):
        yield f"{obstacle.problem} {obstacle.remedy}"
    if _lacks_instructions(definition, instructions):
        yield f"{readiness.NO_INSTRUCTIONS.problem} {readiness.NO_INSTRUCTIONS.remedy}"
    pilot, controls, examples = definition.stages.pilot, definition.controls, definition.benchmark.few_shot
    for pool, section in (
        (Pool.PILOT, pilot),
        (Pool.CONTROL, controls),
        (Pool.TRAINING if definition.benchmark.own_pool is None else Pool.FEW_SHOT, examples),
    ):
        number = section and section.number
        if number and counts[pool] < number:
            yield f"The {pool.value} pool has {counts[pool]} of {number} items. Put more into it, or ask for fewer."
    for obstacle in readiness.find_pool_shortages(definition, counts):
        yield f"{obstacle.problem} {obstacle.remedy}"


def _list_weaknesses(
    definition: project_file.ProjectFile, contents: CampaignContents, *, quota: int | None
) -> list[str]:
    counts = _count_items(contents)
    idle = consistency.list_idle_rules(definition, counts, quota=quota)
    systems = compared_systems.describe_systems(contents.questions, contents.items)
    return [
        *idle,
        *consistency.list_weaknesses(definition, counts),
        *systems,
        *_list_small_samples(definition, contents),
    ]


def _list_small_samples(definition: project_file.ProjectFile, contents: CampaignContents) -> Iterator[str]:
    """A sentence about an overlap sample of too few groups for an interval."""
    from aggregation.intervals.resampling import FEWEST_GROUPS  # slow to import

    size = _measure_overlap_sample(definition, contents)
    if size is not None and size.groups < FEWEST_GROUPS:
        yield (
            f"The overlap sample has {size.groups} groups, and agreement on fewer than {FEWEST_GROUPS} has no interval:"
            " write a larger `overlap.sample`."
        )


def _list_truth_gaps(contents: CampaignContents) -> Iterator[str]:
    """What the file of gold lacks, or has too much, for items that are made from votes."""
    if contents.truth is not None:
        without_gold = [golds.name_item(item.data, item.external_id) for item in contents.items if not item.golds]
        yield from golds.describe_gaps(contents.truth.unused, without_gold=without_gold)


def _list_misplaced_options(definition: project_file.ProjectFile, contents: CampaignContents) -> Iterator[str]:
    """Options that are names of columns, where there is no gold that the lint could compare with them."""
    columns = campaign_lint.find_columns_as_options(definition, contents)
    if columns and not any(item.golds for item in contents.items):
        named = ", ".join(columns)
        yield f"The options {named} are names of columns. If these hold the options, move `options` under `items`."


def _count_items(contents: CampaignContents) -> dict[Pool, int]:
    return {pool: sum(item.pool is pool for item in contents.items) for pool in Pool}
