"""The project of a batch on the server: found by its mark, or created, and given the present configuration."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteProject
from annotation.label_studio.sync import batches
from annotation.store.database import Database
from annotation.store.models import LabelStudioBatch

MAX_TITLE_LENGTH = 50
"""The longest project title that Label Studio accepts."""


@dataclass(frozen=True, kw_only=True)
class RemoteSettings:
    """What a project on the server is to be.

    Its title is that of the campaign, the kind of `work` where it is not the usual one, and the pseudonym.
    `empty_allowed` is whether Submit works while nothing is answered.
    """

    title: str
    work: str
    pseudonym: str
    config: str
    instructions: str
    empty_allowed: bool


def ensure_remote_project(
    database: Database, client: Client, settings: RemoteSettings, *, batch_id: int
) -> RemoteProject:
    """The project of the batch on the server, with the present configuration; raises NotFound where it was deleted."""
    config, instructions, empty_allowed = settings.config, settings.instructions, settings.empty_allowed
    with database.reading() as session:
        batch = session.get_one(LabelStudioBatch, batch_id)
    if batch.remote_id is not None:
        remote = client.get_project(batch.remote_id)
    else:
        remote = client.find_project(batch.mark, title=settings.pseudonym) or client.create_project(
            title=_build_title(settings),
            mark=batch.mark,
            config=config,
            instructions=instructions,
            empty_allowed=empty_allowed,
        )
    present = (remote.label_config, remote.expert_instruction, remote.enable_empty_annotation)
    if present != (config, instructions, empty_allowed):
        remote = client.update_project(remote.id, config=config, instructions=instructions, empty_allowed=empty_allowed)
    with database.transaction() as session:
        digest = batches.compute_config_digest(remote.label_config)
        batches.update_batch(session, batch_id, remote_id=remote.id, config_sha256=digest)
    return remote


def _build_title(settings: RemoteSettings) -> str:
    """The title on the server; by the pseudonym in it the project is found again, among others of the annotator."""
    rest = "".join(f" · {part}" for part in (settings.work, settings.pseudonym) if part)
    room = MAX_TITLE_LENGTH - len(rest)
    return (settings.title if len(settings.title) <= room else f"{settings.title[: room - 1].rstrip()}…") + rest
