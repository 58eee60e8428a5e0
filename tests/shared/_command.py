"""The command `hromada` for tests: its real entry point, called in the test's own process.

A process of its own costs some two seconds, nearly all of it imports; the same command called in this process costs
some hundredths. `Hromada` gives a command all that a terminal gives it (words, folder, environment, standard streams as
file descriptors) and takes back all that it changes in the process, so that one call cannot be seen by the next.
Tests of what only a process has (signals, kills, start-up, two at once, a terminal, another encoding than UTF-8) use
`Hromada.run_process` and the marker `process`.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
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
import sysconfig
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import _json_schemas

COMMAND = Path(sysconfig.get_path("scripts")) / "hromada"
WIDTH = "160"
SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
RUNNING = threading.Lock()
"""Held while a command runs: there is one environment, one folder and one output for the whole process."""


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output as JSON."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Hromada:
    """The command, run in one folder with that folder's database."""

    folder: Path
    variables: Mapping[str, str] | None = None
    """Variables of the environment for every call, beside those of `get_environment`."""
    release: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    """Makes this process another release while a command runs, as `LaterRelease.installed` does."""

    def __call__(self, *arguments: str | Path, env: Mapping[str, str] | None = None, stdin: str = "") -> Ran:
        """Run a command in this process."""
        words = [*map(str, arguments)]
        variables = self.get_environment(env)
        ran = run_in_process(words, folder=self.folder, env=variables, stdin=stdin, main=self._call_release)
        _json_schemas.check_output(words, ran.out)
        return ran

    def _call_release(self) -> None:
        from bot import cli

        with self.release():
            cli.main()

    def run_process(
        self,
        *arguments: str | Path,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        words: tuple[str | Path, ...] = (COMMAND,),
    ) -> Ran:
        """Run the installed script, or the command that `words` begin, as a process of its own."""
        done = subprocess.run(
            [*words, *map(str, arguments)], cwd=self.folder, env=self.get_environment(env), input=stdin,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        _json_schemas.check_output([*map(str, arguments)], done.stdout)
        return Ran(done.returncode, done.stdout, done.stderr)

    def get_environment(self, env: Mapping[str, str] | None = None) -> dict[str, str]:
        """The whole environment of a command: nothing of this machine but the path."""
        ours = {"PATH": os.environ["PATH"], "PYTHONWARNINGS": "error", "COLUMNS": WIDTH}
        return {**ours, **(self.variables or {}), **(env or {})}

    def with_release(self, release: Callable[[], AbstractContextManager[None]]) -> Hromada:
        """The command of another release, in the same folder."""
        return replace(self, release=release)

    @property
    def command(self) -> Path:
        """The installed script."""
        return COMMAND

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file in the folder."""
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def loaded(self, project: str, *, name: str = "project.yaml", outside: bool = False) -> str:
        """Write a project file, load it, import its votes; give its name. Its files may lie `outside` the folder."""
        path = self.write(name, project)
        loaded = self("load", path, "--json", *(["--allow-outside"] if outside else []))
        assert loaded.code == 0, loaded.err
        imported = self("import", path, "--json")
        assert imported.code == 0, imported.err
        found: str = loaded.json["project"]
        return found


def run_in_process(
    arguments: list[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    stdin: str = "",
    main: Callable[[], object] | None = None,
) -> Ran:
    """Call `bot.cli.main`, or another entry point, as a shell would start it; the process is as before.

    Inside a running event loop, as in an asynchronous test or beside a browser, the command runs in a thread: it may
    start a loop of its own, but hears no signals. Raises RuntimeError while another command runs in this process.
    """
    with _alone(), _keep_process_state(env), tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, \
            tempfile.TemporaryFile() as err:  # fmt: skip
        given.write(stdin.encode(errors="surrogateescape"))
        given.seek(0)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(env)
        time.tzset()
        tempfile.tempdir = None
        sys.argv = ["hromada", *arguments]
        with _redirect_streams(given, out, err):
            code = _call_beside_loops(partial(contextvars.Context().run, _call_main, main))
        out.seek(0)
        err.seek(0)
        return Ran(code, out.read().decode(), err.read().decode())


def run_in_fork(run: Callable[[], int]) -> int:
    """Run it in a child that is a copy of this process, and dies of its own: its exit code.

    For commands that are killed at each of their steps: a copy costs no imports. No database may be open here.
    """
    child = os.fork()
    if child == 0:
        try:
            os._exit(run())
        finally:
            os._exit(70)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _call_main(main: Callable[[], object] | None) -> int:
    """The exit code of a program, as the interpreter would give it to the shell."""
    from bot import cli

    try:
        (main or cli.main)()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return (ended.code or 0) & 0xFF  # all that a shell gets
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException:  # noqa: BLE001  # leaves `main`: the interpreter prints it and exits with 1
        traceback.print_exc()
        return 1
    return 0


def _call_beside_loops(call: Callable[[], int]) -> int:
    """Call it here, or in a thread where a loop is running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return call()
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(call()), name="hromada")
    thread.start()
    thread.join()
    return codes[0]


@contextlib.contextmanager
def _redirect_streams(given: IO[bytes], out: IO[bytes], err: IO[bytes]) -> Iterator[None]:
    """Let the three standard streams be these files, for Python and for every process that a command starts."""
    streams = sys.stdin, sys.stdout, sys.stderr
    kept = [os.dup(number) for number in (0, 1, 2)]
    for number, file in enumerate((given, out, err)):
        os.dup2(file.fileno(), number)
    opened = [
        # as where no language is set: UTF-8, and bytes that are none come and go as they are
        open(0, encoding="utf-8", errors="surrogateescape", closefd=False),  # noqa: SIM115  # closed below
        open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False),  # noqa: SIM115
        open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False),  # noqa: SIM115
    ]
    sys.stdin, sys.stdout, sys.stderr = opened
    try:
        yield
    finally:
        for stream in opened:
            with contextlib.suppress(OSError):  # a disk that a test filled
                stream.close()
        sys.stdin, sys.stdout, sys.stderr = streams
        for number, old in enumerate(kept):
            os.dup2(old, number)
            os.close(old)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Refuse a second command while one runs: it would write into the output of the first."""
    if not RUNNING.acquire(blocking=False):
        raise RuntimeError("A command runs in this process already. Start the second one by run_process.")
    try:
        yield
    finally:
        RUNNING.release()


@contextlib.contextmanager
def _keep_process_state(env: Mapping[str, str]) -> Iterator[None]:
    """Give back all that a command can change in its process and a real one would take with it."""
    environment, folder, words, path = dict(os.environ), Path.cwd(), sys.argv, list(sys.path)
    temporary, language, umask = tempfile.tempdir, locale.setlocale(locale.LC_ALL), os.umask(0)
    os.umask(umask)
    hook, collects, chances = sys.excepthook, gc.isenabled(), random.getstate()
    with _keep_signals(), _keep_logging(), warnings.catch_warnings():
        _set_warnings(env.get("PYTHONWARNINGS"))
        warnings.showwarning = _print_warning
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()  # the bot's: it would end the tests
            atexit.unregister(faulthandler.cancel_dump_traceback_later)
            if collects and not gc.isenabled():
                gc.enable()
            sys.excepthook = hook
            if texts := sys.modules.get("bot.conversation.texts"):
                texts.use_added_files(None)  # HROMADA_TEXTS
            random.setstate(chances)
            os.umask(umask)
            locale.setlocale(locale.LC_ALL, language)
            tempfile.tempdir = temporary
            sys.argv, sys.path[:] = words, path
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            time.tzset()


def _set_warnings(action: str | None) -> None:
    """The filters that an interpreter has when it starts with this PYTHONWARNINGS, which is one action, or without."""
    warnings.resetwarnings()
    if action is not None:
        warnings.simplefilter(action)  # type: ignore[arg-type]  # what is no action is an error
        return
    for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.simplefilter("ignore", category)


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: str | None = None,
) -> None:
    """Write a warning where a terminal has it, not where pytest collects those of the tests."""
    print(warnings.formatwarning(message, category, filename, lineno, line), end="", file=sys.stderr)


@contextlib.contextmanager
def _keep_signals() -> Iterator[None]:
    """Give back what happens on each signal; only the main thread can change that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    descriptor = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(descriptor)
    try:
        yield
    finally:
        signal.set_wakeup_fd(descriptor)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number, handler in handlers.items():
            if handler is not None and signal.getsignal(number) is not handler:  # faulthandler's are not to be lost
                signal.signal(number, handler)


@contextlib.contextmanager
def _keep_logging() -> Iterator[None]:
    """Let no handler of the tests hear the command, and give back levels, handlers and filters of all loggers."""
    root = logging.getLogger()
    before = {one: _get_state(one) for one in (root, *_list_loggers())}
    switched_off = root.manager.disable
    root.handlers, root.filters = [], []
    root.setLevel(logging.WARNING)
    logging.disable(logging.NOTSET)
    try:
        yield
    finally:
        for one in (root, *_list_loggers()):
            old = before.get(one, (0, [], [], True, False))
            for handler in one.handlers:
                if handler not in old[1]:
                    handler.close()
            one.level, one.handlers, one.filters, one.propagate, one.disabled = old
        logging.disable(switched_off)  # forgets the levels that were looked up, too


def _list_loggers() -> list[logging.Logger]:
    return [one for one in logging.root.manager.loggerDict.values() if isinstance(one, logging.Logger)]


def _get_state(one: logging.Logger) -> tuple[int, list[logging.Handler], list[Any], bool, bool]:
    return one.level, list(one.handlers), list(one.filters), one.propagate, one.disabled
