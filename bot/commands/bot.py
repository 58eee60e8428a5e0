"""`hromada bot`: the Telegram bot, by long polling, as a webhook, or on a local Telegram."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput, Conflict, Where
from bot.commands import terminal_output
from bot.commands.command_line import refuse_together

if TYPE_CHECKING:
    from annotation.settings import Settings
    from annotation.store.database import Database
    from bot.application import WebhookAddress

ANSWER_SECONDS = 10.0
"""Seconds that a bot waits for the answer of PostgreSQL to a statement."""


def bot(
    webhook: Annotated[
        bool, typer.Option("--webhook", help="Let Telegram call instead of asking it; see HROMADA_WEBHOOK_URL.")
    ] = False,
    local: Annotated[
        bool, typer.Option("--local", help="On a local Telegram, in a chat in your browser; no token is needed.")
    ] = False,
    port: Annotated[int, typer.Option(help="The port of that chat; any free one by default.", min=0, max=65535)] = 0,
    exit_when_stuck: Annotated[
        bool,
        typer.Option("--exit-when-stuck", help="End after 90 seconds without Telegram or the database."),
    ] = False,
) -> None:
    """Run the Telegram bot until it is stopped.

    It asks Telegram for updates; with --webhook it is called. While Telegram or the database does not answer, it
    waits and goes on by itself. What is answered on a local Telegram is kept, and marked as simulated.
    """
    from annotation.settings import read_settings
    from annotation.workflow.monitoring import machine
    from bot import application
    from bot.commands import added_texts, database_session
    from bot.conversation.updates_and_calls import ConversationSettings
    from bot.delivery.webhook import parse_listen_address

    refuse_together({"--webhook": webhook, "--local": local})
    refuse_together({"--exit-when-stuck": exit_when_stuck, "--local": local})
    settings = read_settings()
    added_texts.use_added_texts()
    if local:
        _run_locally(port)
        return
    if settings.telegram_token is None:
        raise BadInput(
            "The bot has no token.",
            where=Where(field="HROMADA_TELEGRAM_TOKEN"),
            remedy="Ask @BotFather for one and write it into .env; `hromada bot --local` needs none.",
        )
    token, address = settings.telegram_token.get_secret_value(), _parse_webhook_address(settings) if webhook else None
    health = parse_listen_address(settings.health_listen, "HROMADA_HEALTH_LISTEN") if settings.health_listen else None
    with database_session.open_database(create=True, answer_seconds=ANSWER_SECONDS) as database:
        key = _prepare(database, settings)
        conversation = ConversationSettings(
            key=key,
            label_studio_url=settings.label_studio_url if settings.label_studio_token is not None else None,
            organisers=frozenset(settings.organisers),
            time_zone=settings.time_zone,
            bot_name=settings.telegram_name,
            look_at_machine=partial(machine.read_machine_facts, settings),
        )
        app = application.build_application(
            token=token,
            database=database,
            settings=application.build_delivery_settings(conversation, protect=settings.telegram_protect),
            base_url=settings.telegram_url,
            handling=settings.bot_handling,
            sending=settings.bot_sending,
            updates_a_minute=settings.bot_updates_a_minute,
        )
        application.run_application(
            app,
            token=token,
            log_level=settings.log_level,
            log_format=settings.log_format,
            webhook=address,
            health=health,
            exit_when_stuck=exit_when_stuck,
        )


def _prepare(database: Database, settings: Settings) -> bytes:
    """Erase whom an interrupted restore brought back, and say which projects hand out nothing; the key comes back."""
    from annotation.store import pseudonyms, queries
    from annotation.workflow.annotators import erasure
    from annotation.workflow.lifecycle import transitions
    from bot.commands import database_session

    with database.transaction() as transaction:
        now = database_session.get_time(transaction)
        key = pseudonyms.ensure_key(transaction, file=settings.key_file, now=now)
        erased = erasure.erase_restored_annotators(transaction, now=now)
        sentences: list[str | None] = (
            [f"Erased again: {erased} annotators, whom a restored backup had brought back."] if erased else []
        )
        sentences += [transitions.explain_not_running(project) for project in queries.list_projects(transaction)]
    for sentence in filter(None, sentences):
        terminal_output.print_sentence(sentence)
    return key


def _run_locally(port: int) -> None:
    """Run the bot of the settings' database on a local Telegram; raises Conflict where real people answer in it.

    On a local Telegram nobody could reach them: what waits for them would be given up. Nor can a second bot work there:
    one alone asks for updates, and the other's chat would stay silent.
    """
    import asyncio

    from annotation.settings import read_settings
    from annotation.store import processes, queries
    from bot.commands import database_session, local_chat

    with database_session.open_database(create=True) as database:
        with database.reading() as view:
            processes.refuse_running_bot(view.connection(), now=processes.get_database_time(view))
            if queries.has_telegram_people(view):
                raise Conflict(
                    "People answer in this database by Telegram.",
                    where=Where(field="--local"),
                    remedy="Run it in an empty folder, or name another HROMADA_DATABASE_URL.",
                )
        settings = read_settings()
        asyncio.run(
            local_chat.serve_page(
                database,
                key=_prepare(database, settings),
                port=port,
                json=False,
                time_zone=settings.time_zone,
                keep=True,
                organisers=settings.organisers,
            )
        )


def _parse_webhook_address(settings: Settings) -> WebhookAddress:
    """Where Telegram calls, and where to listen; raises BadInput."""
    from urllib.parse import urlsplit

    from bot.application import WebhookAddress
    from bot.delivery.webhook import parse_listen_address

    url = urlsplit(settings.webhook_url or "")
    if url.scheme not in {"https", "http"} or not url.hostname:
        raise BadInput(
            "There is no address that Telegram could call.",
            where=Where(field="HROMADA_WEBHOOK_URL"),
            remedy="Write it like https://bot.example.org; a proxy there passes it on to HROMADA_WEBHOOK_LISTEN.",
        )
    return WebhookAddress(
        url=url.geturl(), listen=parse_listen_address(settings.webhook_listen, "HROMADA_WEBHOOK_LISTEN")
    )
