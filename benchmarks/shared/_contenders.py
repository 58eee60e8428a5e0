"""The bots that `bot.py` compares, each as a process of its own: `_contenders.py KIND DATABASE TELEGRAM TOKEN [PORT]`.

hromada serves the answer page at PORT.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from _campaign import without_indices
from sqlmodel import select
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions, Update
from telegram.constants import ParseMode
from telegram.ext import ApplicationBuilder, CallbackQueryHandler, ContextTypes, Defaults, MessageHandler, filters

from annotation.store import database, pseudonyms, queries
from annotation.store.models import Annotator, Participation, Project
from annotation.vocabulary import Stage
from annotation.workflow.lifecycle import projects, transitions
from annotation.workflow.notices import announcements
from bot import application
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery.delivery_settings import configure_logging
from bot.delivery.telegram_api import AiohttpRequest
from bot.delivery.webhook import ListenAddress
from bot.web.answer_page.address import PAGE_PATH

KEY = b"k" * 32
PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {{type: choice, text: "Яке слово довше?", options: [перше, друге]}}
items: {{file: items.csv, id: id, show: text}}
overlap: {overlap}
"""
LOADED = 1000
FIRST_TOLD = 1_000_000
"""The Telegram id of the first of many people who get a message of the organisers."""
ANNOUNCED = "Сьогодні останній день: дякуємо всім, хто відповідав."
TEXT = "<b>1</b> · залишилося 900\n\nслово 17 чи слово 18: котре з них довше за літерами?\n\n<b>Яке слово довше?</b>"
COPY = """
INSERT INTO item ({columns})
WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k + 1 < {times}) SELECT {values} FROM item, n"""


def prepare(url: str, folder: Path, *, items: int, overlap: int) -> None:
    """A running project; beyond a thousand items they are copies of the first."""
    rows = "".join(f"{number},слово {number} чи слово {number + 1}: котре довше?\n" for number in range(LOADED))
    (folder / "items.csv").write_text(f"id,text\n{rows}", "utf-8")
    (folder / "project.yaml").write_text(PROJECT.format(overlap=overlap), "utf-8")
    now = datetime.now(UTC)
    with database.open_database(url) as opened:
        with opened.transaction() as session:
            pseudonyms.record_key(session, KEY, now=now)
            projects.load_project_file(session, folder / "project.yaml", now=now)
            transitions.start_project(session, project=queries.get_project(session, "words"), now=now)
            columns = [column["name"] for column in sa.inspect(session.connection()).get_columns("item")]
            changed = {
                "id": f"id + k * {LOADED}",
                "external_id": "external_id || '-' || k",
                "group_id": "group_id || '-' || k",
                "rank": f"rank + k * {LOADED}",
                "queue_position": f"(queue_position * 7919 + k * 104729) % {items}",
            }
            if items > LOADED:
                values = ", ".join(changed.get(name, name) for name in columns)
                copied = COPY.format(columns=", ".join(columns), times=items // LOADED, values=values)
                with without_indices(session, "item"):
                    session.connection().execute(sa.text(copied))
        with opened.engine.connect() as connection:
            connection.execute(
                sa.text("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, answer TEXT, at TEXT)")
            )
            connection.execute(sa.text("ANALYZE"))
            connection.commit()


def add_people(url: str, *, told: int) -> None:
    """Add so many annotators who take part in the project, where it is noon now."""
    now = datetime.now(UTC)
    offset = 12 - now.hour
    zone = f"Etc/GMT{-offset:+d}" if offset else "Etc/GMT"
    with database.open_database(url) as opened, opened.transaction() as session:
        project = session.exec(select(Project)).one()
        people = [
            Annotator(pseudonym=f"told{number}", telegram_id=number, language="uk", time_zone=zone, created_at=now)
            for number in range(FIRST_TOLD, FIRST_TOLD + told)
        ]
        session.add_all(people)
        session.flush()
        session.add_all(
            Participation(
                annotator_id=person.id or 0, project_id=project.id or 0, stage=Stage.MAIN, since=now, joined_at=now
            )
            for person in people
        )


def announce(url: str, *, told: int) -> None:
    """Send a message of the organisers to everybody."""
    now = datetime.now(UTC)
    with database.open_database(url) as opened, opened.transaction() as session:
        draft = announcements.write_announcement(session, text=ANNOUNCED, now=now)
        recipients = announcements.send_announcement(session, announcement=draft, now=now)
    if recipients < told:
        raise RuntimeError(f"Only {recipients} people would get it.")


def bare(url: str, telegram: str, token: str, *, transport: bool) -> None:
    """python-telegram-bot alone: one row a tap, then the calls that hromada makes."""
    engine = database.create_engine(url)
    keyboard = InlineKeyboardMarkup(
        [[InlineKeyboardButton(label, callback_data="a:1:0.1") for label in ("перше", "друге")]]
    )

    async def start(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        if update.effective_chat:
            await context.bot.send_message(update.effective_chat.id, TEXT, reply_markup=keyboard)

    async def tap(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        query = update.callback_query
        if query is None or query.message is None:
            return
        with engine.begin() as connection:
            row = {"answer": query.data, "at": datetime.now(UTC).isoformat()}
            connection.execute(sa.text("INSERT INTO bare (answer, at) VALUES (:answer, :at)"), row)
        await query.answer("Збережено")
        await query.edit_message_text(f"✓ 1 · перше\n\n{TEXT}", reply_markup=keyboard)
        await context.bot.send_message(query.message.chat.id, TEXT, reply_markup=keyboard, disable_notification=True)

    private = Defaults(
        parse_mode=ParseMode.HTML, protect_content=True, link_preview_options=LinkPreviewOptions(is_disabled=True)
    )
    builder: Any = (
        ApplicationBuilder().token(token).base_url(f"{telegram}/bot").defaults(private).concurrent_updates(16)
    )
    if transport:
        builder = builder.request(AiohttpRequest())
    app = builder.build()
    app.add_handler(CallbackQueryHandler(tap))
    app.add_handler(MessageHandler(filters.TEXT, start))
    asyncio.set_event_loop(asyncio.new_event_loop())
    app.run_polling()


def hromada(url: str, telegram: str, token: str, port: str = "") -> None:
    """This bot."""
    listen = ListenAddress(host="127.0.0.1", port=int(port or 0), field="PORT")
    page = application.PageAddress(url=f"http://127.0.0.1:{port}{PAGE_PATH}", listen=listen) if port else None
    with database.open_database(url) as opened:
        app = application.build_application(
            token=token,
            database=opened,
            settings=application.build_delivery_settings(ConversationSettings(key=KEY)),
            base_url=f"{telegram}/bot",
        )
        configure_logging("WARNING", token)
        application.run_application(app, page=page)


if __name__ == "__main__":
    kind, *where = sys.argv[1:]
    if kind == "hromada":
        hromada(*where)
    else:
        bare(*where, transport=kind == "aiohttp")
