"""`hromada review`: answers of texts, corrections and marked parts are accepted or rejected, blind to who gave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from annotation.errors import BadInput, Conflict, HromadaError, NotFound, Where
from bot.commands import case_screen, terminal_output
from bot.commands.case_screen import build_compared, build_difference
from bot.commands.command_line import AsJson, ProjectName
from bot.commands.data_sets import Seed
from bot.commands.decision_push import DEFAULT_NUMBER, InLabelStudio, TaskNumber
from bot.commands.terminal_output import get_console

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlmodel import Session

    from annotation.campaigns.questions import Question
    from annotation.store.database import Database
    from annotation.store.models import Annotator, Project
    from annotation.workflow.review.submissions import Submission, SubmissionSample
    from bot.commands.decision_files import ReviewRow


KEYS = "a accept · r reject · s skip · u undo · q quit"
PERSON_KEYS = "A accept, R reject all that wait of this person ({number})"


@dataclass(frozen=True, kw_only=True)
class SubmissionDecision:
    """A reviewer's decision on an answer, or on all that wait of its annotator."""

    is_accepted: bool
    reason: str = ""
    of_person: bool = False


@dataclass(frozen=True, kw_only=True)
class SubmissionScreen:
    """An answer on the screen; with `by_person` all answers of one annotator follow each other.

    `reasons` are those that the project file offers for rejections, `of_person` is how many answers of this annotator
    wait.
    """

    submission: Submission
    questions: Sequence[Question]
    reasons: Sequence[str]
    left: int
    of_person: int
    by_person: bool
    message: str = ""

    def ask_decision(self) -> SubmissionDecision | str:
        """Show the answer until it is decided; the decision, or the key `s`, `u` or `q`."""
        self._show()
        while True:
            key = case_screen.read_key()
            if key in {"s", "u", case_screen.QUIT}:
                return key
            of_person = key.isupper()
            if of_person and not self.by_person:
                continue
            if key in {"a", "A"}:
                if not of_person or self._confirm("Accept"):
                    return SubmissionDecision(is_accepted=True, of_person=of_person)
                self._show()
            if key in {"r", "R"}:
                reason = self._ask_reason()
                if reason and (not of_person or self._confirm("Reject")):
                    return SubmissionDecision(is_accepted=False, reason=reason, of_person=of_person)
                self._show()

    def _confirm(self, verb: str) -> bool:
        """Ask before a decision on all answers of the annotator."""
        number = terminal_output.format_count(self.of_person, "answer")
        return case_screen.ask_yes(f"{verb} {number} of person {self.submission.person}?")

    def _ask_reason(self) -> str:
        for number, reason in enumerate(self.reasons, start=1):
            get_console().print(Text(f"{number:>3}  {reason}"))
        asked = "Why? A number or your own words" if self.reasons else "Why?"
        written = case_screen.read_line(f"{asked} {case_screen.GOES_BACK}:")
        is_number = written.isdecimal() and 1 <= int(written) <= len(self.reasons)
        return self.reasons[int(written) - 1] if is_number else written

    def _show(self) -> None:
        from annotation.workflow.review.cases import build_content

        case_screen.clear_screen()
        out, item = get_console(), self.submission.item
        person = f" · person {self.submission.person}" if self.by_person else ""
        out.print(Text(f"{item.external_id}{person} · {self.left} waiting", style="bold"))
        out.print(Text(item.stimulus))
        for question in self.questions:
            answer = self.submission.answers.get(question.name)
            if answer is None:
                continue
            out.print(Text(f"\n{question.text}", style="bold"))
            if question.corrects_text:
                original = str(item.data.get(question.text_column or "", ""))
                out.print(build_difference(original, answer))
            elif question.option_columns:
                out.print(build_compared(question, item.options, answer))
            else:
                out.print(Text(question.describe_answer(answer, build_content(item))))
            if question.name in self.submission.golds:
                right = (self.submission.golds[question.name], *self.submission.accepted)
                shown = " | ".join(question.describe_answer(gold, build_content(item)) for gold in right)
                out.print(Text(f"Gold: {shown}"))
        if self.message:
            out.print(Text(self.message))
        keys = f"{KEYS} · {PERSON_KEYS.format(number=self.of_person)}" if self.by_person else KEYS
        out.print(Text(keys, style="dim"))


ALL = "all"


def review(
    project: ProjectName,
    reviewer: Annotated[str, typer.Option("--as", help="Who reviews: pseudonym or e-mail.", show_default=False)],
    sample: Annotated[float, typer.Option(min=0, max=1, help="The share of the answers to look at.")] = 1.0,
    seed: Seed = 0,
    by_annotator: Annotated[
        bool, typer.Option("--by-annotator", help="Show one annotator's answers together.")
    ] = False,
    person: Annotated[str | None, typer.Option(help="Only this annotator's, by the code that --json lists.")] = None,
    show_gold: Annotated[
        bool, typer.Option("--show-gold", help="Show gold; you will adjudicate none of these items.")
    ] = False,
    accept: Annotated[list[str] | None, typer.Option(help="Accept this answer by id, or `all` that wait.")] = None,
    reject: Annotated[list[str] | None, typer.Option(help="Reject this answer by id, or `all` that wait.")] = None,
    reason: Annotated[str, typer.Option(help="With --reject: why; the annotator may read it.")] = "",
    decisions: Annotated[Path | None, typer.Option(help="Decisions: CSV with answer_id, decision, reason.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Decide on `all`; without this, only say on how many.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back your last decision, or bulk, or --answer.")] = False,
    answer: Annotated[int | None, typer.Option(help="With --undo: on this answer by id.", show_default=False)] = None,
    label_studio: InLabelStudio = False,
    number: TaskNumber = DEFAULT_NUMBER,
    json: AsJson = False,
) -> None:
    """Accept or reject texts, corrections and text spans.

    Blind to who gave them. A rejected answer does not count, and somebody else gets its place. You are shown no item
    that you answered or made.
    """
    from annotation.label_studio import sync
    from annotation.vocabulary import BatchWork
    from annotation.workflow.review import reviewers, submissions
    from bot.commands import command_line, database_session, decision_files, decision_push
    from bot.commands.label_studio import connection

    decides = bool(accept or reject or decisions)
    command_line.refuse_together(
        {"--accept, --reject and --decisions": decides, "--undo": undo, "--label-studio": label_studio}
    )
    gold_problem = "--show-gold shows gold beside answers, and here none is shown."
    command_line.refuse_options(
        (bool(reason) and not reject, "--reason says why answers are rejected.", "Add --reject."),
        (answer is not None and not undo, "--answer says on which answer a decision is taken back.", "Add --undo."),
        (number != DEFAULT_NUMBER and not label_studio, decision_push.NUMBER_PROBLEM, "Add --label-studio."),
        (show_gold and (undo or label_studio or (decides and not json)), gold_problem, "Leave it out."),
    )
    with (
        database_session.open_database() as database,
        connection.resolve_person(database, reviewer) as pseudonym,
    ):
        with database.reading() as view:
            loaded = database_session.get_project(view, project)
            who = reviewers.get_reviewer(view, pseudonym)
            read = submissions.list_submissions(view, project=loaded, reviewer=who)
            revisions = {submission.answer_id: submission.revision for submission in read}
            command_line.refuse_options(
                (
                    person is not None and person not in {submission.person for submission in read},
                    f"--person: nobody has the code {person!r} for {reviewer}.",
                    "`hromada review --json` lists the codes; everybody who reviews has codes of their own.",
                )
            )
            queue = _Queue(
                database=database,
                project=loaded.name,
                reviewer=who,
                sample=submissions.SubmissionSample(share=sample, seed=seed, person=person),
                by_annotator=by_annotator,
                show_gold=show_gold,
            )
        if undo:
            terminal_output.print_sentence(_describe_undone(queue.undo_decision(answer)))
            return
        if label_studio:
            order = sync.DecisionOrder(
                project=loaded.name,
                person=queue.reviewer.pseudonym,
                work=BatchWork.REVIEW,
                number=number,
                sample=queue.sample,
            )
            decision_push.push_decisions(database, order, as_json=json)
            return
        if decides:
            rows = [*decision_files.read_reviews(decisions)] if decisions else []
            rows += queue.select_answers(accept or (), is_accepted=True, reason="")
            rows += queue.select_answers(reject or (), is_accepted=False, reason=reason)
            if ALL in (*(accept or ()), *(reject or ())) and not yes:
                raise Conflict(
                    f"It would decide on {terminal_output.format_count(len(rows), 'answer')}.",
                    remedy="Decide with --yes; --undo takes all of them back.",
                )
            queue.decide_all(
                [
                    row if row.revision is not None else row._replace(revision=revisions.get(row.answer_id))
                    for row in rows
                ]
            )
            if not json:
                terminal_output.print_sentence(f"Decided: {len(rows)}.")
        if json:
            queue.print_answers()
        elif not decides:
            queue.ask_for_decisions()


def _describe_undone(undone: Mapping[int, str]) -> str:
    """What was taken back, in a sentence: the items by the ids of their answers."""
    if not undone:
        return "You have decided on nothing here."
    if len(undone) > 1:
        return f"Taken back: {terminal_output.format_count(len(undone), 'decision')}."
    return f"Taken back: {next(iter(undone.values()))}."


@dataclass(frozen=True, kw_only=True)
class _Queue:
    """The answers that one reviewer may look at; every decision on the screen is a transaction of its own."""

    database: Database
    project: str
    reviewer: Annotator
    sample: SubmissionSample
    by_annotator: bool
    show_gold: bool

    def select_answers(self, ids: Sequence[str], *, is_accepted: bool, reason: str) -> list[ReviewRow]:
        """Decisions on the answers with these ids, or on all that wait where `all` is among them."""
        from bot.commands.decision_files import ReviewRow

        wrong = next((written for written in ids if written != ALL and not written.isdecimal()), None)
        if wrong is not None:
            raise BadInput(
                f"{wrong!r} is not the id of an answer.",
                where=Where(field="--accept" if is_accepted else "--reject"),
                remedy="`hromada review --json` lists the ids; `all` are those that wait.",
            )
        chosen = [int(written) for written in ids if written != ALL]
        if ALL in ids:
            with self.database.reading() as view:
                chosen = [submission.answer_id for submission in self._list_waiting(view)]
        return [ReviewRow(answer_id, is_accepted, reason) for answer_id in chosen]

    def decide_all(self, rows: Sequence[ReviewRow]) -> None:
        """Store decisions, all or none."""
        from annotation.workflow.review import submissions
        from bot.commands import database_session, decision_files

        with self.database.transaction() as session:
            now = database_session.get_time(session)  # one time: they are taken back together
            for row in rows:
                values: dict[str, Any] = {
                    "project": self._get_project(session),
                    "reviewer": self.reviewer,
                    "answer_id": row.answer_id,
                    "revision": row.revision or 0,
                    "now": now,
                }
                with decision_files.name_decision(row):
                    if row.is_accepted:
                        submissions.accept_answer(session, **values)
                    else:
                        submissions.reject_answer(session, reason=row.reason, **values)

    def undo_decision(self, answer_id: int | None = None) -> Mapping[int, str]:
        """Take the reviewer's last decision back, or the one on an answer; the items by the ids of their answers.

        Decisions that were stored together are taken back together.

        Raises NotFound for an answer on which nothing is decided that they may take back.
        """
        from annotation.workflow.review import submissions
        from bot.commands import database_session, decision_files

        with self.database.transaction() as session:
            undone = submissions.undo_review(
                session,
                project=self._get_project(session),
                reviewer=self.reviewer,
                now=database_session.get_time(session),
                answer_id=answer_id,
            )
            items = submissions.map_items(session, undone)
        if answer_id is not None and not undone:
            raise NotFound(
                f"No decision on the answer {answer_id} can be taken back by {self.reviewer.pseudonym}.",
                remedy=decision_files.REVOCABLE,
            )
        return items

    def print_answers(self) -> None:
        """Print all answers as JSON, decided ones too, without any that the reviewer may not see."""
        with self.database.reading() as view:
            listed = self._list_answers(view)
        self._record_shown_gold(listed)
        answers = [
            {
                "answer_id": submission.answer_id,
                "revision": submission.revision,
                "item": submission.item.external_id,
                "person": submission.person,
                "answers": dict(submission.answers),
                "decision": None if submission.decision is None else submission.decision.value,
                "reason": submission.reason,
            }
            | ({"gold": dict(submission.golds), "accepted": list(submission.accepted)} if self.show_gold else {})
            for submission in listed
        ]
        terminal_output.print_json({"project": self.project, "answers": answers})

    def ask_for_decisions(self) -> None:
        """Show one answer after another until none waits, or the reviewer quits."""
        from annotation.workflow import definitions
        from bot.commands.decision_files import ReviewRow

        skipped: set[int] = set()
        decided: set[int] = set()
        message = ""
        while True:
            with self.database.reading() as view:
                definition = definitions.get_project_definition(self._get_project(view))
                waiting = [submission for submission in self._list_waiting(view) if submission.answer_id not in skipped]
            if not waiting:
                break
            self._record_shown_gold(waiting[:1])
            of_person = [submission for submission in waiting if submission.person == waiting[0].person]
            answer = SubmissionScreen(
                submission=waiting[0],
                questions=definition.all_questions,
                reasons=definition.review.reasons if definition.review else (),
                left=len(waiting),
                of_person=len(of_person),
                by_person=self.by_annotator,
                message=message,
            ).ask_decision()
            message = ""
            if answer == "q":
                break
            if answer == "s":
                skipped.add(waiting[0].answer_id)
            elif answer == "u":
                undone = self.undo_decision()
                decided.difference_update(undone)
                message = _describe_undone(undone)
                skipped.clear()
            elif not isinstance(answer, str):
                same = of_person if answer.of_person else waiting[:1]
                try:
                    self.decide_all(
                        [
                            ReviewRow(submission.answer_id, answer.is_accepted, answer.reason, submission.revision)
                            for submission in same
                        ]
                    )
                    decided.update(submission.answer_id for submission in same)
                except HromadaError as failure:
                    message = str(failure)
        with self.database.reading() as view:
            left = len(self._list_waiting(view))
        terminal_output.print_sentence(f"Decided: {len(decided)}. Waiting for you: {left}.")

    def _get_project(self, session: Session) -> Project:
        from bot.commands import database_session

        return database_session.get_project(session, self.project)

    def _record_shown_gold(self, shown: Sequence[Submission]) -> None:
        """Record that the reviewer sees the gold of the items of these answers, before they see it."""
        from annotation.workflow.review import reviewers
        from bot.commands import database_session

        items = [submission.item.external_id for submission in shown if submission.golds]
        if items:
            with self.database.transaction() as session:
                reviewers.record_shown_gold(
                    session,
                    project=self._get_project(session),
                    reviewer=self.reviewer,
                    items=items,
                    now=database_session.get_time(session),
                )

    def _list_answers(self, session: Session) -> list[Submission]:
        from annotation.workflow.review import submissions

        listed = submissions.list_submissions(
            session,
            project=self._get_project(session),
            reviewer=self.reviewer,
            sample=self.sample,
            with_gold=self.show_gold,
        )
        return sorted(listed, key=lambda submission: submission.person) if self.by_annotator else listed

    def _list_waiting(self, session: Session) -> list[Submission]:
        return [submission for submission in self._list_answers(session) if submission.decision is None]
