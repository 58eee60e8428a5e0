"""`hromada bot`: the Telegram bot, by long polling, as a webhook, or on a local Telegram."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput, Conflict, Where
from bot.commands import terminal_output
from bot.commands.command_line import refuse_together

if TYPE_CHECKING:
    from annotation.settings import Settings
    from annotation.store.database import Database
    from bot.application import BotApplication, PageAddress, WebhookAddress

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
        typer.Option(
            "--exit-when-stuck",
            help="End after 90 seconds without Telegram or the database, at the start without the database at once.",
        ),
    ] = False,
) -> None:
    """Run the Telegram bot until Ctrl-C.

    It asks Telegram for updates; with --webhook it is called. While Telegram or the database does not answer, it
    waits and goes on by itself. What is answered on a local Telegram is kept, and marked as simulated.
    """
    from annotation.settings import read_settings
    from bot import application
    from bot.commands import added_texts
    from bot.delivery import database_start
    from bot.delivery.delivery_settings import configure_logging
    from bot.delivery.webhook import parse_listen_address

    refuse_together({"--webhook": webhook, "--local": local})
    refuse_together({"--exit-when-stuck": exit_when_stuck, "--local": local})
    settings = read_settings()
    added_texts.use_added_texts()
    if local:
        _run_locally(port)
        return
    tokens = settings.bot_tokens
    if not tokens:
        raise BadInput(
            "The bot has no token.",
            where=Where(field="HROMADA_TELEGRAM_TOKEN"),
            remedy="Ask @BotFather for one and write it into .env; `hromada bot --local` needs none.",
        )
    address = _parse_webhook_address(settings) if webhook else None
    page = _parse_page_address(settings) if settings.public_url else None
    health = parse_listen_address(settings.health_listen, "HROMADA_HEALTH_LISTEN") if settings.health_listen else None
    configure_logging(settings.log_level, *tokens, log_format=settings.log_format)
    with ExitStack() as stack:
        prepare = partial(_open_and_prepare, stack, settings)
        opened = prepare() if exit_when_stuck else database_start.open_when_available(prepare, health=health)
        if opened is None:
            return
        application.run_application(
            *_build_applications(*opened, settings, tokens=tokens),
            webhook=address,
            page=page,
            health=health,
            exit_when_stuck=exit_when_stuck,
        )


def _open_and_prepare(stack: ExitStack, settings: Settings) -> tuple[Database, bytes]:
    """Open the database until the stack is closed, and prepare it; returns it with its key. Nothing stays open if it
    cannot be prepared.
    """
    from bot.commands import database_session

    with ExitStack() as attempt:
        database = attempt.enter_context(database_session.open_database(create=True, answer_seconds=ANSWER_SECONDS))
        key = _prepare(database, settings)
        stack.enter_context(attempt.pop_all())
    return database, key


def _build_applications(
    database: Database, key: bytes, settings: Settings, *, tokens: Sequence[str]
) -> Sequence[BotApplication]:
    """The bots of these settings, one for each token."""
    from annotation.workflow.monitoring import machine
    from bot import application
    from bot.conversation.updates_and_calls import ConversationSettings

    conversation = ConversationSettings(
        key=key,
        label_studio_url=settings.label_studio_url if settings.label_studio_token is not None else None,
        organisers=frozenset(settings.organisers),
        time_zone=settings.time_zone,
        bot_name=next(iter(settings.bot_names), None),
        look_at_machine=partial(machine.read_machine_facts, settings),
        page_url=_parse_page_address(settings).url if settings.public_url else None,
    )
    names = [*settings.bot_names, *("" for _ in tokens)]
    bot_names = dict(zip(map(application.parse_bot_id, tokens), names, strict=False))
    return application.build_applications(
        tokens,
        database=database,
        settings=application.build_delivery_settings(
            conversation, protect=settings.telegram_protect, bot_names=bot_names
        ),
        base_url=settings.telegram_url,
        handling=settings.bot_handling,
        sending=settings.bot_sending,
        updates_a_minute=settings.bot_updates_a_minute,
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
    from annotation.workflow.monitoring import machine
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
                look_at_machine=partial(machine.read_machine_facts, settings),
            )
        )


def _parse_page_address(settings: Settings) -> PageAddress:
    """Where the answer page is, and where to listen for it; raises BadInput."""
    from bot.application import PageAddress
    from bot.delivery.webhook import parse_listen_address
    from bot.web.answer_page.address import build_page_url

    url = build_page_url(settings.public_url)
    return PageAddress(url=url, listen=parse_listen_address(settings.webhook_listen, "HROMADA_WEBHOOK_LISTEN"))


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
