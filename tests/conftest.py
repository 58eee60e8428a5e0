"""The shared data, a PostgreSQL, a count of what their absence skipped, and no skips where none are allowed."""

from __future__ import annotations

import gc
import importlib
import math
import os
import random
import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import _later_release
import _schema_copy
import _shared_statements
import _test_meter
import pytest
import sqlalchemy as sa
from _chromium import FLAGS, PROGRAM
from _command import Hromada
from _examples import EXPLORE, FEW
from _postgresql import binaries, server
from _pytest.nodeid import NodeId
from _scratch import choose_scratch_folder
from hypothesis import HealthCheck, is_hypothesis_test, settings
from playwright.sync_api import Browser, expect, sync_playwright

from annotation.store import database

SHARED = "HROMADA_SHARED"
POSTGRESQL = "HROMADA_TEST_POSTGRESQL"
LABEL_STUDIO = "HROMADA_LABEL_STUDIO"
INSPECT = "HROMADA_INSPECT"
SITE = "HROMADA_SITE"
PART = "HROMADA_PART"
"""Which half of the files with slow tests runs, 0 or 1; both where it is empty."""
TEMPORARY = "PYTEST_DEBUG_TEMPROOT"
"""Where pytest makes the folders of `tmp_path`."""
HEAVY = (
    "crowdkit.aggregation",
    "label_studio_sdk.client",
    "scipy.stats",
    "telegram.ext",
    "bot.application",
    "bot.release_inputs",
    "bot.web.live_pages",
)
OF_THE_RUN = {SHARED, POSTGRESQL, LABEL_STUDIO, INSPECT, SITE, PART, EXPLORE, "HROMADA_SKIPS", _test_meter.RUN_COSTS}
"""What `make test` tells the tests."""
HASTE = [HealthCheck.too_slow]  # on a loaded machine the first examples take long, whatever the test
settings.register_profile("few", max_examples=FEW, suppress_health_check=HASTE)
settings.register_profile(
    "ci", settings.get_profile("few"), derandomize=True
)  # changes are judged by the same examples
settings.register_profile("explore", derandomize=False, database=None, print_blob=True, suppress_health_check=HASTE)
settings.load_profile("explore" if EXPLORE in os.environ else "ci" if os.environ.get("CI") else "few")


def pytest_configure(config: pytest.Config) -> None:
    """Measure the tests, choose where their files are, and start one PostgreSQL for all workers of a run."""
    _test_meter.install(config)
    _shared_statements.install()
    _schema_copy.install()
    os.environ.setdefault(TEMPORARY, str(choose_scratch_folder()))
    programs = binaries()
    if config.getoption("numprocesses", None) and POSTGRESQL not in os.environ and programs is not None:
        running = ExitStack()
        os.environ[POSTGRESQL] = running.enter_context(server(programs))
        config.add_cleanup(running.close)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers more than cores: some wait for a server, a browser, a clock. With one more, cores idled at times."""
    return len(os.sched_getaffinity(0)) + 2


def pytest_report_header() -> str | None:
    """How to have the same run again."""
    seed = os.environ.get(EXPLORE)
    return None if seed is None else f"new examples for property tests; the same again: make explore SEED={seed}"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where slow or property tests alone run, import no module that says so neither itself nor in its conftest.py.

    Of slow tests also those are left out whose file is in the other half.
    """
    is_slow_alone = config.getoption("markexpr") == "slow"
    if is_slow_alone and (part := os.environ.get(PART)) and collection_path in _list_slow_files()[1 - int(part) :: 2]:
        return True
    word = "hypothesis" if EXPLORE in os.environ else "slow" if is_slow_alone else None
    if word is None or not collection_path.name.startswith("test_"):
        return None
    beside = (collection_path, collection_path.with_name("conftest.py"))
    return None if any(path.is_file() and word in path.read_text("utf-8") for path in beside) else True


@cache
def _list_slow_files() -> list[Path]:
    """The files with slow tests, in an order in which neighbours cost about the same."""
    files = Path(__file__).parent.rglob("test_*.py")
    return sorted(file for file in files if "mark.slow" in file.read_text("utf-8"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that share what is made once for their module, as the browser is, stay together on one core; so do all
    tests of Label Studio, whose server is started once. What is `slow_on` a database is slow there.

    Where HROMADA_EXPLORE names a seed, only property tests are left, a third of them, chosen by the seed.
    """
    config.stash[_test_meter.PROCESS_TESTS] = sum(item.get_closest_marker("process") is not None for item in items)
    if EXPLORE in os.environ:
        functions = [item for item in items if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)]
        functions.sort(key=lambda item: item.nodeid)
        rng = random.Random(int(os.environ[EXPLORE]))  # noqa: S311
        items[:] = rng.sample(functions, k=math.ceil(len(functions) / 3))
    for item in items:
        if any(marker.args[0] in item.callspec.params.values() for marker in item.iter_markers("slow_on")):  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.slow)
        fixtures = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
        if "label_studio" in fixtures:
            put_in_group(item, "label_studio")
        elif any(definition.scope == "module" for definitions in fixtures.values() for definition in definitions):
            put_in_group(item, item.nodeid.partition("::")[0])


def put_in_group(item: pytest.Item, group: str) -> None:
    """Let one worker run all tests of the group.

    xdist 3.8 sends the groups in node ids, but writes them where pytest 9.2 does not read them
    (github.com/pytest-dev/pytest-xdist/issues/1386).
    """
    item.add_marker(pytest.mark.xdist_group(group))
    if item.config.getoption("loadgroup", default=False):  # in a worker only
        item._id = NodeId.parse(f"{item.nodeid}@{group}")


def pytest_collection_finish() -> None:
    """Load in each worker what commands load, so that no test is charged for it, and collect no garbage among it.

    Garbage is looked for less often than Python does by itself: that took a seventh of the processor time.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        for name in HEAVY:
            importlib.import_module(name)
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real votes and items; tests that need it are skipped, and counted, where the variable is unset."""
    folder = os.environ.get(SHARED)
    if not folder:
        pytest.skip(f"{SHARED} is not set: the shared data is not here")
    return Path(folder)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file to copy, which no test may change: an empty SQLite database, brought up to date."""
    file = tmp_path_factory.mktemp("migrated") / "empty.db"
    with database.open_database(f"sqlite:///{file}"):
        pass
    return file


@pytest.fixture
def sqlite_url(migrated: Path, tmp_path: Path) -> str:
    """The address of an empty SQLite database, brought up to date, that this test has for itself."""
    shutil.copy(migrated, tmp_path / "test.db")
    return f"sqlite:///{tmp_path / 'test.db'}"


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a server on which databases may be made: the one that the variable names, else one of our own."""
    if POSTGRESQL in os.environ:
        yield os.environ[POSTGRESQL]
        return
    programs = binaries()
    if programs is None:
        pytest.skip(f"PostgreSQL: {POSTGRESQL} is not set, and Debian's postgresql is not installed")
    with server(programs) as address:
        yield address


@dataclass
class Copies:
    """Databases on one server, copied from one that was migrated: 30 ms each instead of a migration."""

    server: str
    engine: sa.Engine
    template: str
    made: int = 0

    def make(self) -> str:
        """A new database; its name."""
        self.made += 1
        self.say(f"CREATE DATABASE {self.template}_{self.made} TEMPLATE {self.template}")
        return f"{self.template}_{self.made}"

    def drop(self, name: str) -> None:
        """Drop one, whoever is still connected."""
        self.say(f"DROP DATABASE {name} WITH (FORCE)")

    def say(self, statement: str) -> None:
        """Statements about databases stand outside every transaction."""
        with self.engine.connect() as connection:
            connection.exec_driver_sql(statement)


@pytest.fixture(scope="session")
def copies(postgresql: str) -> Iterator[Copies]:
    """Makes databases on the server of the tests."""
    engine = database.create_engine(postgresql).execution_options(isolation_level="AUTOCOMMIT")
    found = Copies(server=postgresql, engine=engine, template=f"hromada_test_{os.getpid()}")
    try:
        found.say(f"CREATE DATABASE {found.template}")
        with database.open_database(sa.make_url(postgresql).set(database=found.template)):
            pass
        yield found
        found.drop(found.template)
    finally:
        engine.dispose()


@pytest.fixture
def postgresql_url(copies: Copies) -> Iterator[str]:
    """The address of an empty database on PostgreSQL, brought up to date, that this test has for itself."""
    name = copies.make()
    yield sa.make_url(copies.server).set(database=name).render_as_string(hide_password=False)
    copies.drop(name)


@dataclass(frozen=True)
class LaterRelease:
    """A later hromada, whose schema has the revision 0003."""

    migrations: Path

    def installed(self) -> AbstractContextManager[None]:
        """Let this process be the later release while the block runs."""
        return _later_release.use_migrations(self.migrations)

    @property
    def command(self) -> tuple[str, ...]:
        """The words by which a process of the later release is started; the command's own follow."""
        return (sys.executable, _later_release.__file__, str(self.migrations))


@pytest.fixture(scope="session")
def later_release(tmp_path_factory: pytest.TempPathFactory) -> LaterRelease:
    """A release that is later than this one."""
    folder = tmp_path_factory.mktemp("later") / "migrations"
    _later_release.write_migrations(folder)
    return LaterRelease(folder)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window, for one module: while it is open, nothing else can start an event loop."""
    if PROGRAM is None:
        pytest.skip("Chromium is not installed")
    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def hromada(tmp_path: Path) -> Hromada:
    """The command in an empty folder."""
    return Hromada(tmp_path)


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own HROMADA_ settings must not reach a test."""
    for name in list(os.environ):
        if name.startswith("HROMADA_") and name not in OF_THE_RUN:
            monkeypatch.delenv(name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped for which absence."""
    skipped = terminalreporter.stats.get("skipped", [])
    for absence in (SHARED, "Chromium", "PostgreSQL", "Label Studio", "Inspect AI", "The site"):
        number = sum(absence in str(report.longrepr) for report in skipped)
        if number:
            terminalreporter.write_line(f"{number} tests were skipped because {absence} is not there")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where HROMADA_SKIPS=forbidden, a skipped test is a failed run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if (
        os.environ.get("HROMADA_SKIPS") == "forbidden"
        and exitstatus == 0
        and reporter
        and reporter.stats.get("skipped")
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
