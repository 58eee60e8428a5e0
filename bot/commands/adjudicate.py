"""`hromada adjudicate`: items that wait for somebody to say what is right, one after another or from a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aggregation import spelling
from annotation.errors import HromadaError, NotFound
from bot.commands import terminal_output
from bot.commands.command_line import AsJson, ProjectName
from bot.commands.data_sets import Method, MethodOption, QuestionName, Seed
from bot.commands.decision_push import DEFAULT_NUMBER, InLabelStudio, TaskNumber

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlmodel import Session

    from annotation.campaigns.questions import Question
    from annotation.store.database import Database
    from annotation.store.models import AdjudicationCase, Annotator, Project
    from annotation.vocabulary import CaseReason
    from bot.commands.decision_files import AdjudicationRow

DEFAULT_SAMPLE = 50


def adjudicate(
    project: ProjectName,
    adjudicator: Annotated[str, typer.Option("--as", help="Who decides: pseudonym or e-mail.", show_default=False)],
    question: QuestionName = None,
    method: MethodOption = Method.MAJORITY,
    below: Annotated[float, typer.Option(min=0, max=1, help="Also queue items below this confidence.")] = 0.6,
    gold_review: Annotated[
        bool, typer.Option("--gold-review", help="Review declared gold: conflicts, and a sample.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(help="Items of the rest that a gold review draws.", show_default=False),
    ] = None,
    models: Annotated[
        Path | None, typer.Option(help="Models' answers for a gold review: CSV with item_id, response.")
    ] = None,
    seed: Seed = 0,
    list_: Annotated[bool, typer.Option("--list", help="List what waits; store nothing.")] = False,
    item: Annotated[str | None, typer.Option(help="Decide on this item, or --undo it.", show_default=False)] = None,
    gold: Annotated[str | None, typer.Option(help="With --item: the right answer.", show_default=False)] = None,
    accepted: Annotated[list[str] | None, typer.Option(help="With --gold: another right answer.")] = None,
    broken: Annotated[str | None, typer.Option(help="With --item: it is broken, and why.", show_default=False)] = None,
    decisions: Annotated[
        Path | None, typer.Option(help="Decisions: CSV with item_id, gold, accepted (a JSON list), broken.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take back your last decision, or file.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Draw a gold review before the close.")] = False,
    label_studio: InLabelStudio = False,
    number: TaskNumber = DEFAULT_NUMBER,
    json: AsJson = False,
) -> None:
    """Settle items on which people disagree.

    What waits are ties, labels of low confidence, labels that contradict their gold, reported items and labels that a
    quality rule changed. You are offered no item that you answered or made.
    """
    from annotation.label_studio import sync
    from annotation.vocabulary import BatchWork
    from annotation.workflow.review import adjudication_queue, cases, reviewers
    from bot import doubtful_items
    from bot.commands import command_line, data_sets, database_session, decision_files, decision_push
    from bot.commands.label_studio import connection
    from exports.results import DataSetResult, ResultOptions

    command_line.refuse_together(
        {
            "--decisions": decisions is not None,
            "--undo": undo,
            "--item": item is not None and not undo,
            "--list": list_,
            "--label-studio": label_studio,
        }
    )
    decides = gold is not None or bool(accepted) or broken is not None
    plans = sample is not None or models is not None
    command_line.refuse_options(
        (plans and not gold_review, "--sample and --models are for a gold review.", "Add --gold-review."),
        (decides and undo, "--undo decides nothing.", "Leave --gold, --accepted and --broken out."),
        (decides and item is None, "--gold, --accepted and --broken say what is right for one item.", "Add --item."),
        (number != DEFAULT_NUMBER and not label_studio, decision_push.NUMBER_PROBLEM, "Add --label-studio."),
    )
    with (
        database_session.open_database() as database,
        connection.resolve_person(database, adjudicator) as pseudonym,
    ):
        with database.reading() as view:
            read = data_sets.read_project(view, project)
            loaded = read.project
            person = reviewers.get_reviewer(view, pseudonym)
            asked = cases.get_question(loaded, question)
            data = read.read_data_set(asked.name)
            golds = cases.list_gold_items(view, project=loaded, question=asked.name)
            revisions = adjudication_queue.map_revisions(view, project=loaded)
            answers = (
                {}
                if models is None
                else doubtful_items.read_model_answers(
                    models, asked, cases.list_gold_contents(view, project=loaded, question=asked.name)
                )
            )
            is_planned = cases.find_gold_review(view, project=loaded, question=asked.name) is not None
            draws = gold_review and not undo and (not is_planned or plans)
            early = _read_early_items(view, loaded)
        command_line.refuse_options((draws and early.is_blind, *_DRAWN_BLIND))
        result = DataSetResult(data=data, options=ResultOptions(method=method.value, ties="drop", seed=seed))
        in_doubt = early.leave_out(doubtful_items.find_doubts(result, below=below))
        drawn = {
            "strata": doubtful_items.divide_into_strata(data, golds, answers) if gold_review else {},
            "candidates": answers,
            "sample": DEFAULT_SAMPLE if sample is None else sample,
            "seed": seed,
        }
        update_queue = partial(
            _update_queue,
            project=loaded.name,
            question=asked.name,
            doubts=in_doubt,
            drawn=drawn if draws else None,
            draws_again=plans,
        )
        queue = _Queue(database, loaded.name, asked, person, gold_review)
        if list_ or (json and not (undo or item or decisions or label_studio)):
            with database.trial() as session:  # what waits is found by storing it
                update_queue(session)
                notes = [_describe_plan(loaded)] if draws else early.notes
                queue.print_waiting(session, as_json=json, is_drawn=not draws, notes=notes)
            return
        command_line.refuse_options((draws and not yes and _is_open(loaded), *_DRAWN_TOO_SOON))
        with database.transaction() as session:
            update_queue(session)
        if label_studio:
            work = BatchWork.GOLD_REVIEW if gold_review else BatchWork.ADJUDICATION
            order = sync.DecisionOrder(
                project=loaded.name, person=person.pseudonym, work=work, number=number, question=asked.name
            )
            decision_push.push_decisions(database, order, as_json=json)
            return
        if undo:
            terminal_output.print_sentence(_describe_undone(queue.undo_decision(item)))
        elif item is not None or decisions is not None:
            rows = (
                decision_files.read_adjudications(decisions)
                if decisions
                else [decision_files.build_adjudication(item or "", gold, accepted, broken)]
            )
            queue.store_decisions(rows, revisions, as_json=json)
        else:
            queue.ask_for_decisions()


_NOT_DRAWN = "Not drawn yet: this is what would be drawn now. It is drawn {how}."
_WHY_HIDDEN = "Why an item with declared gold waits is not shown: it would tell what the gold is."
_DRAWN_TOO_SOON = (
    "The project is not closed, so the gold review would be drawn from the answers so far.",
    "Close it first (`hromada close`), or draw it now with --yes; --list shows what would be drawn.",
)
_DRAWN_BLIND = (
    "In a baseline a gold review is drawn after the close: it tells how the answers agree with the gold.",
    "Close it first (`hromada close`).",
)


def _update_queue(
    session: Session,
    *,
    project: str,
    question: str,
    doubts: Mapping[str, Collection[CaseReason]],
    drawn: Mapping[str, Any] | None,
    draws_again: bool,
) -> None:
    """Store what is doubtful as cases, and draw a gold review with these arguments, if any are given.

    A review that somebody drew at this moment is drawn again only if `draws_again`.
    """
    from annotation.workflow.review import cases
    from bot.commands import database_session

    now = database_session.get_time(session)
    stored = database_session.get_project(session, project)
    cases.refresh_cases(session, project=stored, question=question, doubts=doubts, now=now)
    is_drawn = cases.find_gold_review(session, project=stored, question=question) is not None
    if drawn is not None and (draws_again or not is_drawn):
        cases.plan_gold_review(session, project=stored, question=question, now=now, **drawn)


def _describe_plan(project: Project) -> str:
    """That a gold review is not drawn, and how it is."""
    return _NOT_DRAWN.format(how="with --yes" if _is_open(project) else "without --list")


@dataclass(kw_only=True)
class _EarlyItems:
    """The items that are not to be called doubtful yet, by external id, and what is to be said of them."""

    items: Collection[str]
    is_blind: bool
    notes: list[str] = field(default_factory=list)

    def leave_out(self, found: Mapping[str, Collection[CaseReason]]) -> dict[str, Collection[CaseReason]]:
        """Those of the doubtful items that are not left out; of a baseline not even the number of others is told."""
        doubts = {item: reasons for item, reasons in found.items() if item not in self.items}
        number = len(found) - len(doubts)
        counted = terminal_output.format_count(number, "more item is", "more items are")
        if self.is_blind:
            self.notes = ["In a baseline, ties are looked for once it is closed."]
        elif number:
            self.notes = [f"{counted} in doubt so far, but not all answers are in."]
        return doubts


def _read_early_items(session: Session, project: Project) -> _EarlyItems:
    from annotation.workflow.monitoring import blindness, decisions

    return _EarlyItems(
        items=decisions.list_early_items(session, project), is_blind=blindness.is_blind(session, project)
    )


def _is_open(project: Project) -> bool:
    """Whether people can still answer."""
    from annotation.vocabulary import ProjectStatus

    return project.overlap is not None and project.status is not ProjectStatus.CLOSED


def _describe_undone(items: Sequence[str]) -> str:
    """What was taken back, in a sentence."""
    if not items:
        return "You have decided on nothing here."
    return f"Taken back: {items[0] if len(items) == 1 else terminal_output.format_count(len(items), 'decision')}."


def _find_revision(revisions: Mapping[str, int], row: AdjudicationRow) -> int | None:
    """The present revision of the item of a decision, by external id; None for an item that is not there."""
    item = spelling.find_name(row.item, revisions)
    return None if item is None else revisions[item]


class _Queue:
    """The cases that wait for one adjudicator; every decision is a transaction of its own."""

    def __init__(self, database: Database, project: str, question: Question, person: Annotator, drawn: bool) -> None:
        self._database, self._project, self._question = database, project, question
        self._person, self._is_gold_review = person, drawn

    def store_decisions(self, rows: Sequence[AdjudicationRow], revisions: Mapping[str, int], *, as_json: bool) -> None:
        """Store decisions, all or none, and print their number, or as JSON what waits then."""
        self.decide_all(
            [row if row.revision is not None else row._replace(revision=_find_revision(revisions, row)) for row in rows]
        )
        if not as_json:
            terminal_output.print_sentence(f"Decided: {len(rows)}.")
            return
        with self._database.reading() as view:
            self.print_waiting(view, as_json=True)

    def decide_all(self, rows: Sequence[AdjudicationRow]) -> None:
        """Store decisions, all or none."""
        from annotation.workflow.review import adjudication_queue
        from bot.commands import database_session, decision_files

        with self._database.transaction() as session:
            project = database_session.get_project(session, self._project)
            now = database_session.get_time(session)  # one time: they are taken back together
            for row in rows:
                with decision_files.name_decision(row):
                    case = adjudication_queue.get_case(session, project=project, question=self._question, item=row.item)
                    adjudication_queue.decide_case(
                        session,
                        project=project,
                        case=case,
                        adjudicator=self._person,
                        revision=row.revision or 0,
                        labels=row.labels,
                        comment=row.comment,
                        now=now,
                    )

    def ask_for_decisions(self) -> None:
        """Show one case after another until none waits, or the adjudicator quits."""
        from annotation.workflow.review import adjudication_queue
        from bot.commands import database_session
        from bot.commands.case_screen import CaseScreen
        from bot.commands.decision_files import AdjudicationRow

        skipped: set[int] = set()
        decided: set[str] = set()
        message = ""
        while True:
            with self._database.reading() as view:
                project = database_session.get_project(view, self._project)
                waiting = [case for case in self._list_cases(view, project) if case.id not in skipped]
                if not waiting:
                    break
                opened = adjudication_queue.open_case(view, project=project, case=waiting[0], adjudicator=self._person)
            answer = CaseScreen(case=opened, left=len(waiting), message=message).ask_decision()
            message = ""
            if answer == "q":
                break
            if answer == "s":
                skipped.add(opened.case_id)
            elif answer == "u":
                undone = self.undo_decision()
                decided.difference_update(undone)
                message = _describe_undone(undone)
                skipped.clear()
            elif not isinstance(answer, str):
                try:
                    shown = opened.item
                    self.decide_all([AdjudicationRow(shown.external_id, answer.labels, answer.comment, shown.revision)])
                    decided.add(shown.external_id)
                except HromadaError as failure:
                    message = str(failure)
        with self._database.reading() as view:
            left = len(self._list_cases(view, database_session.get_project(view, self._project)))
        terminal_output.print_sentence(f"Decided: {len(decided)}. Waiting for you: {left}.")

    def print_waiting(
        self, session: Session, *, as_json: bool, is_drawn: bool = True, notes: Sequence[str] = ()
    ) -> None:
        """List what waits for the adjudicator, as they would be shown it, and how far the gold review is.

        `is_drawn` is false if the session shows a gold review that is not stored. The table has no reasons where none
        may be shown.
        """
        from annotation.workflow.review import adjudication_queue, cases
        from bot.commands import database_session

        project = database_session.get_project(session, self._project)
        opened = [
            adjudication_queue.open_case(session, project=project, case=case, adjudicator=self._person)
            for case in self._list_cases(session, project)
        ]
        plan = cases.find_gold_review(session, project=project, question=self._question.name)
        strata = None if plan is None else plan.strata
        rows: list[dict[str, Any]] = [
            {
                "item": case.item.external_id,
                "revision": case.item.revision,
                "candidates": [
                    {"answer": candidate.answer, "text": candidate.text, "votes": candidate.votes}
                    for candidate in case.candidates
                ],
                "reasons": list(case.reasons),
                "reports": list(case.reports),
            }
            for case in opened
        ]
        if as_json:
            document = {"project": project.name, "question": self._question.name, "waiting": rows}
            terminal_output.print_json(document | {"gold_review": strata, "is_drawn": strata is not None and is_drawn})
            return
        shows_why = any(row["reasons"] for row in rows)
        notes = [*([] if rows else ["Nothing waits for you."]), *notes]
        notes += [_WHY_HIDDEN] if any(not row["reasons"] for row in rows) and not self._is_gold_review else []
        terminal_output.print_table(
            f"{project.name} · waiting for {self._person.pseudonym}",
            ("item", "candidates", *(("why",) if shows_why else ())),
            [
                (
                    row["item"],
                    " | ".join(candidate["text"] for candidate in row["candidates"]),
                    *((", ".join(row["reasons"]),) if shows_why else ()),
                )
                for row in rows
            ],
            notes=notes,
        )

    def _list_cases(self, session: Session, project: Project) -> Sequence[AdjudicationCase]:
        from annotation.workflow.review import adjudication_queue

        return adjudication_queue.list_open_cases(
            session,
            project=project,
            question=self._question,
            adjudicator=self._person,
            gold_review=self._is_gold_review,
        )

    def undo_decision(self, item: str | None = None) -> tuple[str, ...]:
        """Take the adjudicator's last decision back, or the one on an item; the external ids of the items.

        Decisions that were stored together are taken back together.

        Raises NotFound for an item on which nothing is decided that they may take back.
        """
        from annotation.workflow.review import adjudication_queue
        from bot.commands import database_session, decision_files

        with self._database.transaction() as session:
            project = database_session.get_project(session, self._project)
            case = item and adjudication_queue.get_case(session, project=project, question=self._question, item=item)
            undone = adjudication_queue.undo_decision(
                session,
                project=project,
                question=self._question,
                adjudicator=self._person,
                now=database_session.get_time(session),
                item_id=case.item_id if case else None,
            )
        if item is not None and not undone:
            raise NotFound(
                f"No decision on {spelling.quote_word(item)} can be taken back by {self._person.pseudonym}.",
                remedy=decision_files.REVOCABLE,
            )
        return undone
