"""What `hromada label-studio doctor` looks at: the server, its accounts, and every batch there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotation.errors import NotFound
from annotation.label_studio import server_models
from annotation.label_studio.client import Client
from annotation.label_studio.sync import accounts, batches, remote_projects
from annotation.store.database import Database
from annotation.store.models import Annotator, LabelStudioBatch, Project

STATE_WELL = "well"


@dataclass(frozen=True, kw_only=True)
class ServerExamination:
    """The state of a server. `accounts` are (number, name there, pseudonym or None), `batches` (project, annotator,
    pass, number of the project there, number of tasks, state).
    """

    url: str
    version: str
    accounts: tuple[tuple[int, str, str | None], ...]
    batches: tuple[tuple[str, str, int | str, int | None, int, str], ...]

    @property
    def well(self) -> bool:
        """Whether nothing has to be mended."""
        return all(state == STATE_WELL for *_, state in self.batches)

    def as_json(self) -> dict[str, Any]:
        """The state with the keys of `--json`, where batches stand under `desks`, their old name."""
        keys = ("project", "person", "pass", "remote_id", "tasks", "is")
        return {
            "url": self.url,
            "version": self.version,
            "accounts": [dict(zip(("account", "name", "person"), row, strict=True)) for row in self.accounts],
            "desks": [dict(zip(keys, row, strict=True)) for row in self.batches],
        }


def examine_server(database: Database, client: Client) -> ServerExamination:
    """Examine a server; raises the errors of the client where it does not answer, or refuses the token."""
    client.get_own_account()
    remote_projects.adopt_server(database, client)
    with database.reading() as session:
        known = accounts.map_accounts_to_pseudonyms(session, server=client.server_id)
        rows = [
            (batch, project, annotator, batches.count_tasks(session, batch))
            for batch, project, annotator in batches.list_batches(session, server=client.server_id)
        ]
    return ServerExamination(
        url=server_models.strip_credentials(client.url),
        version=client.get_version(),
        accounts=tuple(
            (account.id, account.name, known.get(account.id))
            for account in sorted(client.list_accounts(), key=lambda account: account.id)
        ),
        batches=tuple(_examine_batch(client, *row, linked=row[2].pseudonym in known.values()) for row in rows),
    )


def _examine_batch(
    client: Client, batch: LabelStudioBatch, project: Project, annotator: Annotator, tasks: int, *, linked: bool
) -> tuple[str, str, int | str, int | None, int, str]:
    state = STATE_WELL if linked else "no account is linked to this annotator"
    if annotator.forgotten_at is not None:
        state = "its annotator was forgotten: pull erases it"
    elif batch.remote_id is None:
        state = "not pushed yet: push again"
    else:
        try:
            remote = client.get_project(batch.remote_id)
        except NotFound:
            state = "deleted there: push with --anew"
        else:
            if batch.config_sha256 != batches.compute_config_digest(remote.label_config):
                state = "its questions were changed there: push again"
            elif (remote.task_number or 0) < tasks:
                state = f"{tasks - (remote.task_number or 0)} of its tasks were deleted there"
    return (
        project.name,
        annotator.pseudonym,
        batches.describe_work(batch.work, second=batch.second),
        batch.remote_id,
        tasks,
        state,
    )
