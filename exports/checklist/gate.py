"""The gate of a release: all forty lines, from lines.json beside this module, checked over all projects; and its files.

The `level` of a line says what it does when it is unmet: `block` stops the release, `state` too (any value will do, an
empty one will not), `warn` is printed into the report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib import resources
from typing import Literal, NamedTuple

from exports import writers
from exports.checklist import checks_of_answers as answers
from exports.checklist import checks_of_items as gold
from exports.checklist import checks_of_items as items
from exports.checklist import checks_of_people as exposure
from exports.checklist import checks_of_people as people
from exports.checklist import checks_of_people as work
from exports.checklist import checks_of_scores as models
from exports.checklist import checks_of_scores as scores
from exports.checklist.verdicts import Check, Status, Subject, Verdict, combine_verdicts, incomplete
from exports.pages.localization import mark_text, translate
from exports.paper.formats import escape_markdown
from exports.release_state import ReleaseState

Level = Literal["block", "warn", "state"]


class Line(NamedTuple):
    """A line: its id, what must be stated, from which sources in the literature, and its level."""

    id: str
    must_state: str
    source: str
    level: Level


def _read_lines() -> tuple[Line, ...]:
    content = resources.files("exports.checklist").joinpath("lines.json").read_text("utf-8")
    return tuple(Line(**line) for line in json.loads(content))


LINES = _read_lines()
"""In their order."""

CHECKS: Mapping[str, Check] = {
    "R01": scores.check_units,
    "R02": people.check_contributors,
    "R03": items.check_sizes,
    "R04": models.check_equal_items,
    "R05": items.check_sampling,
    "R06": answers.check_overlap,
    "R07": scores.check_plan,
    "R08": answers.check_pilot,
    "R09": people.check_ethics,
    "R10": people.check_consent,
    "R11": people.check_population,
    "R12": people.check_recruitment,
    "R13": exposure.check_insiders,
    "R14": exposure.check_exposure,
    "R15": people.check_qualification,
    "R16": people.check_training,
    "R17": people.check_pay,
    "R18": answers.check_instructions,
    "R19": items.check_orders,
    "R20": items.check_stimulus,
    "R21": items.check_interface,
    "R22": people.check_tools,
    "R23": work.check_sessions,
    "R24": answers.check_controls,
    "R25": answers.check_exclusions,
    "R26": answers.check_with_exclusions,
    "R27": work.check_funnel,
    "R28": work.check_times,
    "R29": answers.check_skips,
    "R30": scores.check_intervals,
    "R31": scores.check_clusters,
    "R32": people.check_person_scores,
    "R33": scores.check_majority,
    "R34": models.check_differences,
    "R35": models.check_scorer,
    "R36": scores.check_agreement,
    "R37": work.check_repeats,
    "R38": gold.check_gold,
    "R39": gold.check_ceiling,
    "R40": scores.check_bundle,
}


ON_PEOPLE = frozenset(
    {
        "R01", "R02", "R06", "R10", "R13", "R14", "R15", "R16", "R22", "R23", "R24", "R27", "R28", "R29", "R30", "R32",
        "R33", "R34", "R36", "R37",
    }
)  # fmt: skip
"""The lines whose evidence is what people did, which says so where they are simulated."""
_CODE, _ESCAPED = re.compile(r"\\`((?:[^`|\\]|\\[^|\\`])+)\\`"), re.compile(r"\\(.)")
"""A name in code once its text is escaped, and the signs in it that are none in code."""
SIMULATED = mark_text("Answers of simulated people are among these.")


@dataclass(frozen=True, kw_only=True)
class CheckedLine:
    """A line with its status over all projects, the evidence, how to meet it, and the status of each project."""

    id: str
    must_state: str
    source: str
    level: Level
    status: Status
    evidence: str
    remedy: str
    projects: Mapping[str, Status]


@dataclass(frozen=True, kw_only=True)
class Checklist:
    """All forty lines in their order."""

    lines: tuple[CheckedLine, ...]

    @property
    def blocking(self) -> tuple[CheckedLine, ...]:
        """The unmet lines that stop a release: those that block, and those that must state something."""
        return tuple(line for line in self.lines if line.status == "unmet" and line.level != "warn")

    @property
    def warnings(self) -> tuple[CheckedLine, ...]:
        """The unmet lines that are printed into the report."""
        return tuple(line for line in self.lines if line.status == "unmet" and line.level == "warn")

    @property
    def is_secondary(self) -> bool:
        """Whether something about people is not evidenced, because they answered elsewhere."""
        return any(line.status == "not evidenced" for line in self.lines)

    @property
    def status(self) -> Literal["full", "secondary", "blocked"]:
        """What the release is: `blocked` where anything stops it."""
        if self.blocking:
            return "blocked"
        return "secondary" if self.is_secondary else "full"


def check_release(state: ReleaseState) -> Checklist:
    """Check all lines over all projects of a release, in the language of `translate`.

    A programme's line is the worst of its projects'.
    """
    subjects = [
        Subject(state=state, project=project, results=state.list_results(project)) for project in state.facts.projects
    ]
    lines = []
    for line in LINES:
        verdicts = {subject.project.name: _check_line(line.id, subject) for subject in subjects}
        verdict = combine_verdicts(verdicts)
        lines.append(
            CheckedLine(
                id=line.id,
                must_state=translate(line.must_state),
                source=line.source,
                level=line.level,
                status=verdict.status,
                evidence=verdict.evidence,
                remedy=verdict.remedy,
                projects={name: judged.status for name, judged in verdicts.items()},
            )
        )
    return Checklist(lines=tuple(lines))


def _check_line(line: str, subject: Subject) -> Verdict:
    """One line of one project: unmet where nothing of the project is there to be computed from."""
    if not subject.results:
        return incomplete("No answers of this project were given, so nothing can be computed.")
    verdict = CHECKS[line](subject)
    if not subject.simulated or line not in ON_PEOPLE or verdict.status == "not applicable":
        return verdict
    return replace(verdict, evidence=f"{verdict.evidence} {translate(SIMULATED)}")


def build_checklist_files(checklist: Checklist, state: ReleaseState) -> dict[str, str]:
    """Build both files: file name → content."""
    return {
        "report_checklist.json": writers.format_json([asdict(line) for line in checklist.lines]),
        "checklist.md": _format_markdown(checklist, state),
    }


def _format_markdown(checklist: Checklist, state: ReleaseState) -> str:
    title = escape_markdown(state.facts.title)
    head = f"# What a report must state: {title}\n\nStatus: {checklist.status}.\n\n"
    table = "| line | status | if unmet | must state | evidence |\n|---|---|---|---|---|\n"
    return head + table + "".join(map(_format_row, checklist.lines))


def _format_row(line: CheckedLine) -> str:
    remedy = f" → {line.remedy}" if line.remedy else ""
    cells = (line.id, line.status, line.level, line.must_state, line.evidence + remedy)
    return "| " + " | ".join(map(_escape_cell, cells)) + " |\n"


def _escape_cell(text: str) -> str:
    """A cell in which nothing that organisers wrote is markup; names of keys and commands stay code."""
    return _CODE.sub(lambda code: "`" + _ESCAPED.sub(r"\1", code[1]) + "`", escape_markdown(text))
