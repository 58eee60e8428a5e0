"""Reminders of work that waits in Label Studio: texts that organisers send by e-mail, or the bot in Telegram."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlmodel import Session

from annotation.label_studio.sync.people import PersonStatus
from annotation.label_studio.texts import DEFAULT, LANGUAGES, load_texts
from annotation.store import queries
from annotation.workflow.notices import announcements


@dataclass(frozen=True, kw_only=True)
class Reminder:
    """A reminder in the language of the project, with the addresses of what waits."""

    person: PersonStatus
    subject: str
    body: str


def write_reminder(person: PersonStatus, *, time_zone: str) -> Reminder:
    """Write the reminder of a person for whom something waits; the date is that of the time zone."""
    work = person.work
    texts = load_texts(work.language)
    counts: dict[str, str | int] = {"title": work.title, "count": work.waiting}
    due = texts("reminder-no-date")
    if work.due_at is not None:
        date = _format_date(work.due_at, language=work.language, time_zone=time_zone)
        due = texts("reminder-late" if work.late else "reminder-due", date=date)
    waiting = "\n".join((texts("reminder-waiting", **counts), *person.addresses))
    aside = "\n".join((texts("reminder-aside", count=len(person.aside)), *person.aside)) if person.aside else ""
    paragraphs = (texts("reminder-greeting"), waiting, aside, due, texts("reminder-thanks"))
    body = "\n\n".join(filter(None, paragraphs))
    return Reminder(person=person, subject=texts("reminder-subject", **counts), body=body)


def _format_date(moment: datetime, *, language: str, time_zone: str) -> str:
    from babel.dates import format_date  # slow to import

    local = moment.astimezone(ZoneInfo(time_zone)).date()
    return str(format_date(local, "d MMMM", locale=language if language in LANGUAGES else DEFAULT))


def send_reminder(session: Session, reminder: Reminder, *, now: datetime) -> bool:
    """Let the bot send a reminder, by day where the person is; False where it cannot write to them."""
    work = reminder.person.work
    if not work.in_telegram:
        return False
    project = queries.get_project(session, work.project)
    draft = announcements.write_announcement(session, text=reminder.body, now=now, project_id=project.id)
    if not announcements.count_recipients(session, draft, only=work.annotator_id):
        session.delete(draft)
        session.flush()
        return False
    announcements.send_announcement(session, announcement=draft, now=now, only=work.annotator_id)
    return True
