"""The page of a project on the dashboard: progress, agreement, people, decisions that wait, and reported items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from annotation.label_studio.sync.people import PeopleStatus, PersonStatus
from annotation.vocabulary import BatchWork, CaseReason
from annotation.workflow.monitoring.needs import select_needs
from annotation.workflow.monitoring.progress import HOURS
from bot.conversation.texts import get_texts
from bot.conversation.views.cases import REASON_TEXTS
from bot.conversation.views.menus import REPORT_REASONS
from bot.web.details import NOBODY, PersonState, ProjectDetails
from bot.web.overview_page import (
    build_need_section,
    build_pace_figures,
    build_progress_bar,
    build_reported_section,
    build_state_section,
    describe_progress,
)
from bot.web.snapshots import ProjectState, Snapshot, WaitingRows
from bot.web.words import (
    format_clock,
    format_duration,
    format_number,
    format_pace,
    format_time,
    get_time_zone,
    name_person_state,
    name_state,
    name_work,
)
from exports.dashboard.page import BriefLine, Figure, HourBars, LiveRow, LiveSection, LiveTable
from exports.pages import display_text
from exports.pages.localization import get_language, list_findings, mark_text, show_finding, translate
from exports.pages.scaffold import PageNotes, TableRow

Known = TypeVar("Known")
MOST_ROWS = 200
"""How many people a table shows; `hromada people` lists all."""
MOST_DECISIONS = 20
MOST_LETTERS = 160
FUNNEL_STEPS = {
    "invited": mark_text("came by invitation"),
    "by_friends": mark_text("invited by friends"),
    "consented": mark_text("agreed to the consent"),
    "started": mark_text("began"),
    "finished": mark_text("finished"),
}


def build_project_page(
    snapshot: Snapshot,
    project: ProjectState,
    details: ProjectDetails | None,
    rows: WaitingRows,
    query: str,
) -> tuple[LiveSection, ...]:
    """The sections of a project's page; `details` is None until they are measured for the first time."""
    return (
        build_state_section(snapshot, [BriefLine("", "", describe_progress(project))]),
        build_need_section(select_needs(snapshot.needs, [project.name]), now=snapshot.at, project=project.name),
        _build_progress_section(project),
        _build_agreement_section(project, details),
        _build_decision_section(rows),
        _build_people_section(project, details),
        _build_count_section(details),
        build_reported_section(project, rows.reported, query),
    )


def _build_progress_section(project: ProjectState) -> LiveSection:
    hourly = project.progress.hourly
    return LiveSection(
        id="progress",
        title=translate("Progress"),
        how=translate(
            "State: {state}. Answers of the main items; corrected ones count once.", state=name_state(project.status)
        ),
        notices=(
            translate("SIMULATED: scripts answer here, or people in a local chat; these numbers are not results."),
        )
        if project.is_simulated
        else (),
        progress=build_progress_bar(project),
        figures=build_pace_figures(project),
        hours=HourBars(
            counts=hourly,
            text=translate(
                "Answers in each of the last {hours} hours: {total} in all, {most} in the busiest hour",
                hours=HOURS,
                total=format_number(sum(hourly)),
                most=format_number(max(hourly)),
            ),
        ),
        tables=_build_panel_tables(project),
    )


def _build_panel_tables(project: ProjectState) -> tuple[LiveTable, ...]:
    """How far each panel is; no table where the project has no panels."""
    rows = []
    for name, counts in project.panels.items():
        done = format_number(counts.answers)
        if counts.wanted is not None:
            done = translate("{right} of {of}", right=done, of=format_number(counts.wanted))
        rows.append(LiveRow(head=name, cells=(done, format_number(counts.people))))
    heads = (translate("Panel"), translate("Answers"), translate("People"))
    return (LiveTable(caption=translate("Panels of people"), heads=heads, rows=tuple(rows)),) if rows else ()


def _build_agreement_section(project: ProjectState, details: ProjectDetails | None) -> LiveSection:
    title = translate("Agreement so far")
    if project.is_blind:
        words = translate(
            "Hidden until the baseline is closed, so that nobody stops or excludes by what they see. `--unblind` shows"
            " it, and is put on record."
        )
        return LiveSection(id="agreement", title=title, how=words)
    if details is None or details.is_blind:
        return LiveSection(id="agreement", title=title, how=translate("Being computed …"))
    noted = [
        TableRow(
            head=translate(display_text.COEFFICIENT_NAMES[row.name]),
            cells=(
                display_text.format_coefficient(row.name, row.value),
                display_text.format_coefficient_interval(row.name, row.new_people_low, row.new_people_high),
                display_text.format_coefficient_interval(row.name, row.low, row.high),
                format_number(row.n_items),
                format_number(row.n_votes),
            ),
            notes=list_findings(*row.explanations),
        )
        for row in details.agreement
    ]
    numbered = PageNotes().number([noted])
    rows = tuple(
        LiveRow(head=row.head, cells=row.cells, mark=mark) for row, mark in zip(noted, numbered.marks[0], strict=True)
    )
    heads = (
        translate("Coefficient"),
        translate("Value"),
        translate("{level}, new people and new items", level=display_text.format_level(0.95)),
        translate("{level}, these people and new items", level=display_text.format_level(0.95)),
        translate("Items"),
        translate("Votes"),
    )
    return LiveSection(
        id="agreement",
        title=title,
        how=translate("Items with two answers or more. Everything can change until the end."),
        tables=(
            LiveTable(
                caption=translate("Agreement coefficients"),
                mark=numbered.caption,
                heads=heads,
                rows=rows,
                notes=numbered.notes,
                nothing=show_finding(details.no_agreement) if details.no_agreement != NOBODY else translate(NOBODY),
            ),
        ),
        at=details.at,
        at_text=_describe_time(details),
    )


def _describe_time(details: ProjectDetails) -> str:
    return translate(
        "Computed at {time}, in {seconds} s.",
        time=format_clock(details.at),
        seconds=format_number(details.seconds, digits=1),
    )


def _build_decision_section(waiting: WaitingRows) -> LiveSection:
    questions = tuple(
        LiveRow(
            head=f"{question.number}",
            cells=(question.annotator, question.item or display_text.NO_VALUE, format_time(question.at)),
            remark=display_text.shorten_text(question.text, max_length=MOST_LETTERS),
        )
        for question in waiting.questions[:MOST_DECISIONS]
    )
    reports = tuple(
        LiveRow(
            head=report.item,
            cells=(
                _name_report_reason(report.reason),
                translate("yes") if report.paused else translate("no"),
                format_time(report.at),
            ),
            remark=display_text.shorten_text(report.text, max_length=MOST_LETTERS),
        )
        for report in waiting.reports[:MOST_DECISIONS]
    )
    disputes = tuple(
        LiveRow(
            head=dispute.item,
            cells=(dispute.question, _name_case_reasons(dispute.reasons), _format_known(dispute.at, format_time)),
        )
        for dispute in waiting.disputes[:MOST_DECISIONS]
    )
    how = [translate("The oldest first, at most {n} of each kind.", n=MOST_DECISIONS)]
    if not (questions or reports or disputes):
        how = [translate("No question, report or dispute waits.")]
    if waiting.no_disputes:
        how.append(translate(waiting.no_disputes))
    number, item, since = translate("Number"), translate("Item"), translate("Since ({zone})", zone=get_time_zone())
    return LiveSection(
        id="decisions",
        title=translate("To decide"),
        how=" ".join(how),
        tables=(
            LiveTable(
                caption=translate("Questions of annotators"),
                heads=(number, translate("Annotator"), item, since),
                rows=questions,
            ),
            LiveTable(
                caption=translate("Reported problems"),
                heads=(item, translate("Problem"), translate("Item paused"), since),
                rows=reports,
            ),
            LiveTable(
                caption=translate("Disputes to settle"),
                heads=(item, translate("Question"), translate("Why"), since),
                rows=disputes,
            ),
        ),
    )


def _name_report_reason(reason: str) -> str:
    """The chosen problem as annotators read it; one that a project file made is data."""
    return get_texts(get_language())(f"report-{reason}") if reason in REPORT_REASONS else reason


def _name_case_reasons(reasons: Sequence[str]) -> str:
    words = get_texts(get_language())
    return ", ".join(words(REASON_TEXTS[CaseReason(reason)]) for reason in reasons)


def _build_people_section(project: ProjectState, details: ProjectDetails | None) -> LiveSection:
    title = translate("People")
    if details is None:
        return LiveSection(id="people", title=title, how=translate("Being counted …"))
    how = translate("Known by pseudonym. Pace: items in an active hour. Flags: answers that a quality rule marked.")
    if project.is_blind:
        how += " " + translate("Of control items only the number is shown until the end.")
    control = translate("Control items") if project.is_blind else translate("Control items right")
    heads = (
        translate("Annotator"),
        translate("State"),
        translate("Items"),
        translate("Pace"),
        control,
        translate("Flags"),
        translate("Excluded"),
    )
    people = details.people[:MOST_ROWS]
    more = len(details.people) - len(people)
    notices = [translate("{n} more are in `hromada people`.", n=more)] if more else []
    if details.studio.people:
        how += " " + translate(
            "In Label Studio, by e-mail: answers as of the last pull. Late: its date is over. Went back: ended without "
            "an answer."
        )
    if details.studio.problem:
        notices.append(translate("Label Studio cannot be asked now, so e-mails and what was begun there are unknown."))
    return LiveSection(
        id="people",
        title=title,
        how=how,
        notices=tuple(notices),
        tables=(
            LiveTable(
                caption=translate("Annotators, those with the most items first"),
                heads=heads,
                rows=tuple(map(_build_person_row, people)),
                nothing=translate("Nobody has joined yet."),
            ),
            *_build_studio_tables(details.studio),
        ),
        at=details.at,
        at_text=_describe_time(details),
    )


def _build_person_row(person: PersonState) -> LiveRow:
    controls = format_number(person.controls) if person.controls else display_text.NO_VALUE
    if person.controls_right is not None and person.controls:
        controls = translate("{right} of {of}", right=format_number(person.controls_right), of=controls)
    return LiveRow(
        head=person.pseudonym,
        cells=(
            name_person_state(person.status),
            format_number(person.items),
            _format_known(person.per_hour, format_pace),
            controls,
            format_number(person.flagged),
            format_number(person.excluded),
        ),
        remark=show_finding(person.reason)
        if person.until is None
        else translate("until {time}", time=format_time(person.until)),
    )


def _build_studio_tables(studio: PeopleStatus) -> tuple[LiveTable, ...]:
    """Who does what in Label Studio; no table where nobody works there."""
    heads = (
        translate("Annotator"),
        translate("Waiting"),
        translate("Begun"),
        translate("Answers"),
        translate("Second pass"),
        translate("Due on"),
        translate("Late"),
        translate("Went back"),
        translate("Median time"),
        translate("Pace"),
        translate("Unchanged"),
        translate("Mostly deleted"),
    )
    rows = tuple(map(_build_studio_row, studio.people[:MOST_ROWS]))
    return (LiveTable(caption=translate("Work in Label Studio"), heads=heads, rows=rows),) if rows else ()


def _build_studio_row(person: PersonStatus) -> LiveRow:
    work, corrections = person.work, person.work.corrections
    return LiveRow(
        head=person.full_name
        if work.work in {BatchWork.ANSWERS, BatchWork.ADOPTED}
        else f"{person.full_name} · {name_work(work.work)}",
        cells=(
            format_number(work.waiting),
            _format_known(person.in_work, format_number),
            format_number(work.answered),
            _count_of(work.second_answered, work.answered if work.second_answered else 0),
            _format_known(work.due_at, format_time),
            format_number(work.late),
            format_number(work.returned),
            _format_known(work.seconds, format_duration),
            _format_known(work.per_hour, format_pace),
            _count_of(corrections.unchanged, corrections.number),
            _count_of(corrections.most_dropped, corrections.number),
        ),
    )


def _format_known(value: Known | None, write: Callable[[Known], str]) -> str:
    return display_text.NO_VALUE if value is None else write(value)


def _count_of(part: int, whole: int) -> str:
    """How many of how many; a dash where there is nothing to count."""
    if not whole:
        return display_text.NO_VALUE
    return translate("{right} of {of}", right=format_number(part), of=format_number(whole))


def _build_count_section(details: ProjectDetails | None) -> LiveSection:
    title = translate("From invited to finished, and what does not count")
    if details is None:
        return LiveSection(id="counts", title=title, how=translate("Being counted …"))
    steps = tuple(
        Figure(name=translate(FUNNEL_STEPS[step]), value=format_number(number))
        for step, number in details.funnel.items()
        if number is not None
    )
    return LiveSection(
        id="counts",
        title=title,
        figures=steps,
        tables=(
            LiveTable(
                caption=translate("Answers that do not count, by reason"),
                heads=(translate("Reason"), translate("Answers")),
                rows=tuple(
                    LiveRow(head=show_finding(reason), cells=(format_number(number),))
                    for reason, number in details.excluded.items()
                ),
                nothing=translate("All answers count."),
            ),
        ),
    )
