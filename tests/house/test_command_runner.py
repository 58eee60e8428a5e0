"""The runner of commands in tests: all that a terminal gives and takes, and nothing of one call left for the next."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import decimal
import faulthandler
import gc
import json
import locale
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from _command import COMMAND, Hromada, Ran

from bot import cli

PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {type: choice, text: Яке слово довше?, options: [перше, друге]}
items: {file: items.csv, id: id, show: text, gold: gold}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says}
"""
ITEMS = "id,text,gold\n" + "".join(f"i{number},слово {number},перше\n" for number in range(4))
VOTES = "item,who,says\n" + "".join(f"i{number},{who},перше\n" for number in range(4) for who in ("olha", "taras"))
SESSION: tuple[tuple[str, ...], ...] = (
    ("load", "project.yaml"),
    ("import", "project.yaml"),
    ("status", "words"),
    ("export", "words", "--to", "out"),
    ("load", "nothing.yaml"),
    ("status", "nothing"),
    ("nonsense",),
)
"""Commands of one campaign, of which the last three are refused."""
Main = Callable[[], object]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[[Main], None]:
    """Put a function in the place of the command line."""
    return lambda main: monkeypatch.setattr(cli, "main", main)


@pytest.fixture
def campaign(hromada: Hromada) -> Hromada:
    """A folder with a project file and its items."""
    hromada.write("project.yaml", PROJECT)
    hromada.write("items.csv", ITEMS)
    hromada.write("votes.csv", VOTES)
    return hromada


def write_nothing() -> None:
    """A command that does nothing."""


def end(code: Any) -> Main:
    """A command that ends with this."""

    def main() -> None:
        sys.exit(code)

    return main


def crash() -> None:
    """A command of which the interpreter prints a traceback: main catches whatever is an Exception."""
    raise GeneratorExit("unheard of")


def run_beside_a_loop(call: Callable[[], Ran]) -> Ran:
    """Call it while an event loop is running, as an asynchronous test does."""

    async def main() -> Ran:
        return call()

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        (write_nothing, Ran(0, "", "")),
        (end(None), Ran(0, "", "")),
        (end(2), Ran(2, "", "")),
        (end(-1), Ran(255, "", "")),
        (end("Where is the file?"), Ran(1, "", "Where is the file?\n")),
    ],
)
def test_the_code_is_the_one_that_a_shell_would_get(
    hromada: Hromada, fake: Callable[[Main], None], main: Main, expected: Ran
) -> None:
    """Also where the command ends with a text, or with a number that is no exit code."""
    fake(main)
    assert hromada() == run_beside_a_loop(hromada) == expected


def test_what_the_interpreter_would_print_is_an_error_of_1(hromada: Hromada, fake: Callable[[Main], None]) -> None:
    """A traceback on the error stream."""
    fake(crash)
    ran = hromada()
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines()[-1] == "GeneratorExit: unheard of"


def test_a_mistake_of_ours_is_70_and_is_kept_in_the_folder_for_temporary_files(
    hromada: Hromada, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command's own TMPDIR, in this call and not in the next."""

    def fail(**_: object) -> None:
        raise ZeroDivisionError("by 0")

    monkeypatch.setattr(cli, "app", type("App", (), {"main": staticmethod(fail)}))
    ran = hromada("status", env={"TMPDIR": str(hromada.folder)})
    assert (ran.code, ran.out) == (70, "")
    [log] = hromada.folder.glob("hromada-*.log")
    assert str(log) in ran.err
    assert "ZeroDivisionError: by 0" in log.read_text("utf-8")
    assert Path(tempfile.gettempdir()) != hromada.folder


def test_a_command_has_its_words_folder_environment_and_input(hromada: Hromada, fake: Callable[[Main], None]) -> None:
    """As they were given; of this machine's environment there is the path only."""

    def main() -> None:
        found = [sys.argv, str(Path.cwd()), dict(os.environ), sys.stdin.read(), sys.stdin.isatty()]
        print(json.dumps(found, ensure_ascii=False))

    fake(main)
    given = replace(hromada, variables={"A": "1", "COLUMNS": "60"})
    ran = given("load", Path("проєкт.yaml"), env={"B": "2"}, stdin="так\n")
    words, folder, environment, read, is_terminal = ran.json
    assert words == ["hromada", "load", "проєкт.yaml"]
    assert Path(folder) == hromada.folder
    assert environment == {"PATH": os.environ["PATH"], "PYTHONWARNINGS": "error", "COLUMNS": "60", "A": "1", "B": "2"}
    assert (read, is_terminal) == ("так\n", False)
    assert hromada().json[2].keys() == {"PATH", "PYTHONWARNINGS", "COLUMNS"}


def test_both_outputs_have_what_a_process_that_the_command_starts_writes(
    hromada: Hromada, fake: Callable[[Main], None]
) -> None:
    """It gets the command's input and environment, too."""

    def main() -> None:
        print("before", flush=True)
        subprocess.run(["sh", "-c", "cat; echo $A; echo wrong >&2"], check=True)
        print("after")
        print("late", file=sys.stderr)

    fake(main)
    ran = replace(hromada, variables={"A": "1"})(stdin="їжак\n")
    assert ran == Ran(0, "before\nїжак\n1\nafter\n", "wrong\nlate\n")


def test_tables_are_as_wide_as_the_terminal(campaign: Hromada) -> None:
    """Of 60 columns or 160; the width of one call is not that of the next."""
    wide, narrow, again = (campaign("--help", env={"COLUMNS": width}).out for width in ("160", "60", "160"))
    assert wide == again != narrow
    assert max(map(len, narrow.splitlines())) <= 60 < max(map(len, wide.splitlines()))


def test_settings_are_read_from_the_environment_of_each_call(campaign: Hromada) -> None:
    """A database of one call is not that of another, nor is what an `.env` of the folder says."""
    assert campaign("load", "project.yaml", env={"HROMADA_DATABASE_URL": "sqlite:///other.db"}).code == 0
    assert campaign("status", "words").code == 2
    assert campaign("status", "words", env={"HROMADA_DATABASE_URL": "sqlite:///other.db"}).code == 0
    settings = campaign.write(".env", "HROMADA_DATABASE_URL=sqlite:///other.db\n")
    assert campaign("status", "words").code == 0
    settings.unlink()
    assert campaign("status", "words").code == 2


def test_another_campaign_at_the_same_place_is_read_anew(campaign: Hromada) -> None:
    """Nothing that was read of a database, a file or a definition is kept for the next call, be the path the same."""
    for number, option in ((4, "перше"), (6, "третє")):
        campaign.write("project.yaml", PROJECT.replace("перше", option))
        campaign.write("items.csv", "id,text,gold\n" + "".join(f"i{n},слово,{option}\n" for n in range(number)))
        campaign.write("votes.csv", VOTES.replace("перше", option))
        assert campaign("load", "project.yaml").code == campaign("import", "project.yaml").code == 0
        assert campaign("status", "words", "--json").json["items"] == number
        (campaign.folder / "hromada.db").unlink()


def leak() -> None:
    """A command that changes all that a process has, and ends badly."""
    os.environ["LEAKED"] = "1"
    os.environ.pop("PATH")
    os.chdir("/")
    os.umask(0o777)
    os.environ["TZ"] = "Asia/Tokyo"
    time.tzset()
    locale.setlocale(locale.LC_ALL, "C")
    tempfile.tempdir = "/"
    sys.argv = ["leaked"]
    sys.path.insert(0, "/leaked")
    sys.excepthook = lambda *_: None
    decimal.getcontext().prec = 3
    random.seed(0)
    gc.disable()
    warnings.simplefilter("ignore")
    warnings.showwarning = lambda *_: None
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGCHLD):
            signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
        signal.set_wakeup_fd(-1)
    logging.basicConfig(level=1, handlers=[logging.StreamHandler()], force=True)
    logging.disable(logging.CRITICAL)
    for name in ("kept", "made.by.the.command"):
        logger = logging.getLogger(name)
        logger.setLevel(1)
        logger.addHandler(logging.StreamHandler())
        logger.addFilter(lambda _: False)
        logger.propagate, logger.disabled = False, True
    logging.getLogger().addFilter(lambda _: False)
    faulthandler.dump_traceback_later(1, exit=True)
    atexit.register(faulthandler.cancel_dump_traceback_later)
    os.close(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.exit(3)


def describe_process() -> dict[str, object]:
    """All that `leak` changes, as it is now."""
    umask = os.umask(0)
    os.umask(umask)
    wakeup = signal.set_wakeup_fd(-1) if threading.current_thread() is threading.main_thread() else -1
    if wakeup != -1:
        signal.set_wakeup_fd(wakeup)
    logger = logging.getLogger("kept")
    return {
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "umask": umask,
        "time zone": time.tzname,
        "language": locale.setlocale(locale.LC_ALL),
        "temporary": tempfile.tempdir,
        "words": sys.argv,
        "path": list(sys.path),
        "excepthook": sys.excepthook,
        "decimals": decimal.getcontext().prec,
        "chances": random.getstate(),
        "collects": gc.isenabled(),
        "warnings": (list(warnings.filters), warnings.showwarning),
        "signals": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "blocked": signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "wakeup": wakeup,
        "logging": [
            (one.level, list(one.handlers), list(one.filters), one.propagate, one.disabled)
            for one in (logging.getLogger(), logger)
        ],
        "loggers": (logging.root.manager.disable, logger.isEnabledFor(logging.INFO)),
        "descriptors": [os.fstat(number).st_ino for number in (0, 1, 2)],
        "standard": (sys.stdin, sys.stdout, sys.stderr),
    }


def list_open_files() -> dict[str, str]:
    """Every descriptor of this process, with what it is; but for fonts, of which matplotlib keeps 64 at most."""
    found = {}
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the one that lists the others
            found[entry.name] = str(entry.readlink())
    return {number: name for number, name in found.items() if not name.endswith(".ttf")}


@pytest.mark.parametrize("is_in_a_loop", [False, True])
def test_nothing_is_left_of_a_call(hromada: Hromada, fake: Callable[[Main], None], is_in_a_loop: bool) -> None:
    """Of all that a command can change; neither does the next command see it."""
    kept = logging.getLogger("kept")
    kept.addHandler(logging.NullHandler())
    kept.setLevel(logging.INFO)
    files = list_open_files()
    try:
        if is_in_a_loop:

            async def run() -> None:
                before = describe_process()
                fake(leak)
                assert hromada().code == 3
                assert describe_process() == before

            asyncio.run(run())
        else:
            before = describe_process()
            fake(leak)
            assert hromada().code == 3
            assert describe_process() == before
        made = logging.getLogger("made.by.the.command")
        assert (made.level, made.handlers, made.filters, made.propagate, made.disabled) == (0, [], [], True, False)
        fake(lambda: print(os.environ.get("LEAKED"), time.tzname, decimal.getcontext().prec, logging.root.handlers))
        assert hromada().out == f"None {time.tzname} 28 []\n"
    finally:
        kept.handlers, kept.level = [], logging.NOTSET
    left = {number: name for number, name in list_open_files().items() if number not in files}
    assert [name for name in left.values() if name != os.devnull] == []


@pytest.mark.parametrize("is_in_a_loop", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_session_leaves_neither_files_nor_threads_open(campaign: Hromada, is_in_a_loop: bool) -> None:
    """The second time that its commands are given: the first one may import what stays."""

    def type_all() -> list[int]:
        return [campaign(*words).code for words in SESSION]

    async def type_all_in_a_loop() -> list[int]:
        return type_all()

    def run() -> list[int]:
        return asyncio.run(type_all_in_a_loop()) if is_in_a_loop else type_all()

    first = run()
    gc.collect()
    before, threads = list_open_files(), threading.enumerate()
    assert first == [0, 0, 0, 0, 2, 2, 2]
    assert run() == [0, 2, 0, 0, 2, 2, 2], "votes are imported once"
    assert list_open_files() == before
    assert threading.enumerate() == threads


def test_a_warning_is_an_error_unless_the_environment_says_otherwise(
    hromada: Hromada, fake: Callable[[Main], None]
) -> None:
    """And is then written where a terminal has it."""

    def main() -> None:
        warnings.warn("It is late.", UserWarning, stacklevel=1)

    fake(main)
    assert hromada().err.splitlines()[-1] == "UserWarning: It is late."
    warned = hromada(env={"PYTHONWARNINGS": "default"})
    assert (warned.code, "UserWarning: It is late.\n" in warned.err) == (0, True)


def test_logs_of_a_command_go_to_its_error_stream(
    hromada: Hromada, fake: Callable[[Main], None], caplog: pytest.LogCaptureFixture
) -> None:
    """As in a terminal, not to the handlers of the tests."""
    fake(lambda: logging.getLogger("bot").warning("It is late."))
    assert hromada() == Ran(0, "", "It is late.\n")
    assert caplog.records == []


def test_two_commands_at_once_are_refused(hromada: Hromada, fake: Callable[[Main], None]) -> None:
    """There is one environment, one folder and one output."""
    fake(hromada)
    assert "Start the second one by run_process" in hromada().err
    fake(write_nothing)
    assert hromada().code == 0


@pytest.mark.process
def test_a_command_writes_what_the_installed_script_writes(
    campaign: Hromada, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Byte for byte, in a folder like it: tables, JSON, help, what is refused, what is asked for and not there."""
    other = replace(campaign, folder=tmp_path_factory.mktemp("process"))
    other.write("project.yaml", PROJECT)
    other.write("items.csv", ITEMS)
    other.write("votes.csv", VOTES)
    for words in (("load", "project.yaml"), ("load", "--help"), ("status", "words"), ("status", "nothing")):
        assert campaign(*words) == other.run_process(*words), words
    assert other.command == COMMAND
