"""`hromada label-studio up`: a Label Studio server on this machine."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput, Where
from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.label_studio import connection

if TYPE_CHECKING:
    from annotation.label_studio.local_server import LocalServer, StartReport


def doctor(json: AsJson = False) -> None:
    """Check the Label Studio server, accounts and batches.

    Exits with 1 if it finds a problem.
    """
    from annotation.label_studio import local_server
    from bot.commands import database_session

    with database_session.open_database(create=True) as database, connection.connect() as client:
        examination = local_server.examine_server(database, client)
    if json:
        terminal_output.print_json(examination.as_json())
    else:
        terminal_output.print_table(
            f"Label Studio {examination.version} at {examination.url}",
            ("account", "name", "person"),
            examination.accounts,
            notes=["`hromada label-studio link ACCOUNT` says which annotator an account belongs to."],
        )
        terminal_output.print_table(
            "Batches", ("project", "person", "pass", "there", "tasks", "is"), examination.batches
        )
        if examination.version_warning:
            terminal_output.print_sentence(f"Warning: {examination.version_warning}")
    if not examination.well:
        sys.exit(1)


def link(
    account: Annotated[str, typer.Argument(help="The account there: its number, or its e-mail.", show_default=False)],
    person: Annotated[
        str | None, typer.Option("--person", help="The annotator, by pseudonym; without it, a new one.")
    ] = None,
) -> None:
    """Link a Label Studio account to an annotator.

    Only its number is stored. Earlier answers of the account come with the next pull. `push --person E-MAIL` links it.
    """
    from annotation.label_studio import sync
    from annotation.workflow.annotators import roster
    from bot.commands import database_session

    with database_session.open_database(create=True) as database, connection.connect() as client:
        account_id = connection.find_accounts(client, [account])[account]
        sync.adopt_server(database, client)
        with database.transaction() as transaction:
            if person is None:
                annotator, is_new = connection.register_account(transaction, client, account_id)
            else:
                annotator = roster.get_annotator(transaction, person)
                is_new = sync.link_account(
                    transaction, server=client.server_id, user_id=account_id, annotator=annotator
                )
    terminal_output.print_sentence(f"Account {account_id} {'is' if is_new else 'was already'} {annotator.pseudonym}'s.")


ENV_FILE = Path(".env")


def up(
    listen: Annotated[str, typer.Option("--listen", help="Where it listens: host and port.")] = "127.0.0.1:8080",
    data: Annotated[Path, typer.Option("--data", help="The folder of its data.")] = Path("label-studio-data"),
    email: Annotated[
        str, typer.Option("--email", help="The e-mail of your account there, for the first start.")
    ] = "organiser@example.org",
    program: Annotated[
        Path | None,
        typer.Option(
            "--program", envvar="HROMADA_LABEL_STUDIO", help="Its program, if `make servers` made it elsewhere."
        ),
    ] = None,
) -> None:
    """Run a local Label Studio server until Ctrl-C.

    Its address and its token go into .env, where the other commands read them.
    """
    from annotation.label_studio import local_server
    from bot.delivery.webhook import parse_listen_address

    address = parse_listen_address(listen, "--listen")
    if "@" not in email:
        raise BadInput(
            "This is not an e-mail address.", where=Where(field="--email"), remedy="Write it like you@example.org."
        )
    executable = local_server.find_program(program)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: _end(ended))
    terminal_output.print_sentence("Label Studio is starting. The first time takes half a minute, or some minutes …")
    try:
        with local_server.run_server(
            executable, data, host=address.host, port=address.port, email=email, on_wait=_print_report
        ) as server:
            for line in _describe_server(server, data):
                terminal_output.print_line(line)
            server.wait(ended)
    except KeyboardInterrupt:
        pass
    terminal_output.print_sentence("Label Studio has ended; its data are kept.")


def _print_report(report: StartReport) -> None:
    """Say that the server is still starting, and what is waited for."""
    terminal_output.print_sentence(
        f"Still starting after {report.seconds} seconds: its process runs, /health {report.health}."
        f" Its log: {report.log_line}"
    )


def _end(ended: threading.Event) -> None:
    """Tell the command to end; while the server is still starting, stop waiting for it."""
    ended.set()
    raise KeyboardInterrupt


def _describe_server(server: LocalServer, data: Path) -> list[str]:
    from annotation.label_studio.local_server import ACCOUNT_FILE

    account = f"Your account: {server.account.email}"
    password = (
        f", password {server.account.password}" if server.is_new else f"; its password is in {data / ACCOUNT_FILE}"
    )
    return [
        f"Label Studio listens at {server.url}. Ctrl-C ends it.",
        f"{account}{password}.",
        f"Annotators make theirs at {server.get_invitation()}",
        _store_settings({"HROMADA_LABEL_STUDIO_URL": server.url, "HROMADA_LABEL_STUDIO_TOKEN": server.account.token}),
        "Then, in another terminal: hromada label-studio push PROJECT --person THEIR-EMAIL",
    ]


def _store_settings(settings: dict[str, str]) -> str:
    """Add the settings to .env, where neither it nor the environment has them; what was done, as a sentence."""
    text = ENV_FILE.read_text("utf-8") if ENV_FILE.exists() else ""
    lines = [f"{name}={value}" for name, value in settings.items()]
    if all(line in text.splitlines() for line in lines) and not settings.keys() & os.environ.keys():
        return f"Its address and token are in {ENV_FILE}."
    stored = {line.partition("=")[0].strip() for line in text.splitlines() if line.partition("=")[2].strip()}
    if settings.keys() & (stored | os.environ.keys()):
        return "Other settings are there already; for this server they are: " + " ".join(lines)
    ENV_FILE.touch(mode=0o600)
    start = "" if not text or text.endswith("\n") else "\n"
    ENV_FILE.write_text(text + start + "\n".join(lines) + "\n", "utf-8")
    return f"Its address and token were written into {ENV_FILE}."
