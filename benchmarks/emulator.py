"""The local Telegram: 200 scripted dialogs of a small bot in process; over HTTP, its CPU an update beside the bot's.

In process: start, keyboard, tap, edit, without a database, best of five. Over HTTP: the server is a process of its own,
`hromada bot` polls it, and people answer choice items; both are asked for the CPU that they used meanwhile, the
server's with its scripted people.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

from _figures import Figure, show
from _processes import read_processor_time
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.ext import ApplicationBuilder, CallbackQueryHandler, CommandHandler

from bot.emulator.request import LocalRequest
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram

DIALOGS, REPEATS, PEOPLE, ITEMS = 200, 5, 20, 20
TOKEN = "7000000001:benchmark"  # noqa: S105  # opens nothing
KEYS = InlineKeyboardMarkup([[InlineKeyboardButton(label, callback_data=label) for label in ("A", "B")]])
PROJECT = """\
project: taps
title: Taps
language: en
instructions: Choose.
question: {type: choice, text: "Which?", options: [first, second]}
items: {file: items.csv, id: id, show: text}
overlap: 1000
"""


async def ask(update: Update, _: Any) -> None:
    """The small bot's question."""
    if update.effective_message is not None:
        await update.effective_message.reply_text("Which?", reply_markup=KEYS)


async def mark(update: Update, _: Any) -> None:
    """The small bot's answer to a tap."""
    if update.callback_query is not None:
        await update.callback_query.answer("saved")
        await update.callback_query.edit_message_text(f"✓ {update.callback_query.data}")


async def dialogs() -> float:
    """Seconds of 200 dialogs in process."""
    telegram = Telegram()
    request = LocalRequest(telegram)
    app = ApplicationBuilder().token(telegram.token).request(request).get_updates_request(request).build()
    app.add_handler(CommandHandler("start", ask))
    app.add_handler(CallbackQueryHandler(mark))

    async def deliver() -> None:
        for update in telegram.take():
            await app.process_update(Update.de_json(update, app.bot))

    async with app:
        begun = time.perf_counter()
        for number in range(1, DIALOGS + 1):
            person = telegram.person(number)
            person.start()
            await deliver()
            person.tap("A")
            await deliver()
        taken = time.perf_counter() - begun
    if {telegram.person(number).messages[-1].text for number in range(1, DIALOGS + 1)} != {"✓ A"}:
        raise RuntimeError("The dialogs did not end as they should.")
    return taken


async def serve() -> None:
    """The server as a process: people tap whatever is asked, for as long as there is something; then its figures."""
    telegram = Telegram(token=TOKEN)
    people = [telegram.person(number) for number in range(1, PEOPLE + 1)]
    async with Server(telegram) as server:
        print(server.url, flush=True)
        while telegram.long_poll.waiting is None:
            await asyncio.sleep(0.05)
        print("polled", flush=True)
        await asyncio.sleep(1)
        begun = time.process_time()
        for person in people:
            person.start()
        await asyncio.gather(*(_answer(person) for person in people))
        figures = {"seconds": time.process_time() - begun, "updates": PEOPLE + len(telegram.taps)}
        print(json.dumps(figures), flush=True)
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 20)


async def _answer(person: ScriptedPerson) -> None:
    """Tap what is asked until every item is answered, woken by what appears on the screen."""
    seen = asyncio.Event()
    person.telegram.display_log.watchers.append(lambda entry: seen.set() if entry.person == person.id else None)
    answers = 0
    while answers < ITEMS:
        while not (person.messages and person.messages[-1].buttons):
            seen.clear()
            await seen.wait()
        asked = person.messages[-1]
        answers += "Which?" in asked.text
        person.tap(asked.buttons[0][0], on=asked)
        while person.messages[-1] is asked:
            seen.clear()
            await seen.wait()


def over_http(folder: Path) -> tuple[float, float]:
    """CPU milliseconds an update of the server and of `hromada bot`."""
    command = str(Path(sysconfig.get_path("scripts")) / "hromada")
    (folder / "project.yaml").write_text(PROJECT, encoding="utf-8")
    rows = "".join(f"{number},Item {number}\n" for number in range(ITEMS))
    (folder / "items.csv").write_text(f"id,text\n{rows}", encoding="utf-8")
    own = {"PATH": os.environ["PATH"], "HROMADA_TELEGRAM_TOKEN": TOKEN, "HROMADA_LOG_LEVEL": "WARNING"}
    for words in (["load", "project.yaml"], ["start", "taps"]):
        subprocess.run([command, *words], cwd=folder, env=own, check=True, stdout=subprocess.DEVNULL)
    with subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE, text=True) as server:
        url = _line(server)
        env = own | {"HROMADA_TELEGRAM_URL": f"{url}/bot"}
        with subprocess.Popen([command, "bot"], cwd=folder, env=env) as bot:
            if _line(server) != "polled":
                raise RuntimeError("The bot does not poll.")
            idle = read_processor_time(bot.pid)
            figures = json.loads(_line(server))
            used = read_processor_time(bot.pid) - idle
            bot.terminate()
        server.terminate()
    return 1000 * figures["seconds"] / figures["updates"], 1000 * used / figures["updates"]


def _line(process: subprocess.Popen[str]) -> str:
    return process.stdout.readline().strip() if process.stdout else ""


def main() -> None:
    """Measure and show."""
    seconds = min(asyncio.run(dialogs()) for _ in range(REPEATS))
    with tempfile.TemporaryDirectory() as folder:
        server, bot = over_http(Path(folder))
    show(
        "The local Telegram",
        [
            Figure(f"{DIALOGS} dialogs in process", seconds, "s", goal="< 1", holds=seconds < 1),
            Figure("server's CPU an update, HTTP", server, "ms"),
            Figure("hromada bot's CPU an update", bot, "ms"),
            Figure("ratio", server / bot, "share", goal="< 0.5", holds=server / bot < 0.5),
        ],
    )


if __name__ == "__main__":
    if "serve" in sys.argv[1:]:
        asyncio.run(serve())
    else:
        main()
