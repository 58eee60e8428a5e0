"""What only the server knows about who does what: the e-mails of accounts, and the tasks that somebody has begun.

Nothing of it is stored. Without the server there are pseudonyms, and nobody knows what was begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from annotation.errors import BadInput, Conflict, HromadaError, NotFound
from annotation.label_studio import client as clients
from annotation.label_studio.client import Client
from annotation.settings import read_settings
from annotation.store.database import Database
from annotation.store.models import Annotator, LabelStudioAccount
from annotation.vocabulary import BatchWork
from annotation.workflow.monitoring import batch_work
from annotation.workflow.monitoring.batch_work import PersonWork

ASK_SECONDS = 5.0
"""So long the server may take for an answer; without it the rest is shown."""


@dataclass(frozen=True, kw_only=True)
class PersonStatus:
    """A person's work with their e-mail on the server, empty where that is not known.

    `in_work` counts the waiting tasks that they have begun and not submitted, None where that is not known.
    `addresses` are where their tasks are, of the first pass first, `aside` those of single tasks to correct, since what
    they submitted is no answer.
    """

    work: PersonWork
    email: str = ""
    in_work: int | None = None
    addresses: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The e-mail, or the pseudonym where it is not known."""
        return self.email or self.work.annotator

    @property
    def full_name(self) -> str:
        """The e-mail and the pseudonym, by which results name them."""
        return describe_person(self.email, self.work.annotator)

    def is_called(self, written: str) -> bool:
        """Whether this is the person's pseudonym, e-mail, or the number of their account."""
        numbers = {str(number) for _, number in self.work.accounts}
        return written == self.work.annotator or written.casefold() == self.email.casefold() != "" or written in numbers


def describe_person(email: str, pseudonym: str) -> str:
    """The e-mail, where it is known, and the pseudonym."""
    return f"{email} ({pseudonym})" if email else pseudonym


@dataclass(frozen=True, kw_only=True)
class PeopleStatus:
    """Everybody with a batch; `problem` says why the server could not be asked, empty where it was."""

    people: tuple[PersonStatus, ...]
    problem: str = ""

    def choose(self, written: Sequence[str]) -> PeopleStatus:
        """Those people who are named, all where nobody is; raises NotFound for a name that is nobody's here."""
        for name in written:
            if not any(person.is_called(name) for person in self.people):
                names = ", ".join(sorted({person.name for person in self.people})) or "nobody"
                unknown = " E-mails are known only while Label Studio answers." if self.problem else ""
                raise NotFound(f"{name!r} has no work in Label Studio.", remedy=f"These people have: {names}.{unknown}")
        chosen = tuple(
            person for person in self.people if not written or any(person.is_called(name) for name in written)
        )
        return PeopleStatus(people=chosen, problem=self.problem)


def read_people_status(session: Session, *, now: datetime, project_id: int | None = None) -> PeopleStatus:
    """The work of everybody, and what the server of the settings adds to it, if it answers within ASK_SECONDS."""
    work = batch_work.list_person_work(session, now=now, project_id=project_id)
    settings = read_settings()
    if not work:
        return PeopleStatus(people=())
    try:
        with clients.connect_server(timeout=ASK_SECONDS) as client:
            return PeopleStatus(people=_ask_server(client, work))
    except HromadaError as failure:
        people = tuple(_build_unasked(own, settings.label_studio_url.rstrip("/")) for own in work)
        return PeopleStatus(people=people, problem=failure.problem)


def read_full_names(database: Database, client: Client) -> dict[str, str]:
    """The e-mail with the pseudonym of everybody with an account on the server, by pseudonym."""
    emails = {account.id: account.email for account in client.list_accounts()}
    query = (
        select(Annotator.pseudonym, LabelStudioAccount.user_id)
        .join(Annotator, col(Annotator.id) == col(LabelStudioAccount.annotator_id))
        .where(LabelStudioAccount.server == client.server_id)
        .order_by(col(LabelStudioAccount.user_id).desc())
    )
    with database.reading() as session:
        return {name: describe_person(emails.get(account, ""), name) for name, account in session.exec(query)}


def _ask_server(client: Client, work: Sequence[PersonWork]) -> tuple[PersonStatus, ...]:
    """Raises HromadaError where the server does not answer."""
    emails = {(client.server_id, account.id): account.email for account in client.list_accounts()}
    return tuple(
        PersonStatus(
            work=own,
            email=next((emails[account] for account in sorted(own.accounts) if emails.get(account)), ""),
            in_work=_count_begun(client, own),
            **_list_addresses(own, client.url, client.server_id),
        )
        for own in work
    )


def _build_unasked(work: PersonWork, url: str) -> PersonStatus:
    return PersonStatus(work=work, **_list_addresses(work, url, clients.compute_server_id(url)))


def _count_begun(client: Client, work: PersonWork) -> int | None:
    """The waiting tasks with a draft; None for decisions, and where a queue cannot be read."""
    if work.work is not BatchWork.ANSWERS or any(queue.server != client.server_id for queue in work.queues):
        return None
    try:
        return sum(
            len(queue.waiting & client.list_begun_tasks(queue.remote_id)) for queue in work.queues if queue.waiting
        )
    except (BadInput, Conflict, NotFound):  # this project, and not the server, which has answered already
        return None


def _list_addresses(work: PersonWork, url: str, server: str) -> dict[str, Any]:
    """The addresses of a person's queues on a server, and of the single tasks to correct, as fields of the status."""
    queues = [queue for queue in work.queues if queue.server == server]
    return {
        "addresses": tuple(clients.build_work_address(url, queue.remote_id) for queue in queues),
        "aside": tuple(
            clients.build_task_address(url, queue.remote_id, task) for queue in queues for task in sorted(queue.aside)
        ),
    }
