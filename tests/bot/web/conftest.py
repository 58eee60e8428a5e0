"""A dashboard over a campaign under way, in the process of the test or as a command."""

from __future__ import annotations

import copy
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import col

from annotation.simulation import engine
from annotation.simulation.answer_generator import SimulationSettings
from annotation.simulation.engine import Simulation
from annotation.store import database, queries
from annotation.store.models import Annotator, Project
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import projects, transitions
from bot.delivery.webhook import ListenAddress
from bot.web import details
from bot.web.access import Access
from bot.web.details import DetailMeter
from bot.web.live_pages import LivePages
from bot.web.server import DashboardServer
from bot.web.snapshots import SnapshotReader

EXAMPLES = Path(__file__).parents[3] / "examples"
BASELINE, STORIES = "nine.low", "eval-ua-tion.story-correction"
FILES = {
    BASELINE: EXAMPLES / "eval-ua-tion/programme/low.yaml",
    STORIES: EXAMPLES / "eval-ua-tion/story-correction.yaml",
}


@dataclass
class Campaign:
    """A baseline and a story campaign that simulated people work on, who count as people once `ask_people` says so."""

    database: database.Database
    url: str
    simulation: Simulation

    def ask_people(self) -> None:
        """Let the simulated annotators count as people."""
        with self.database.transaction() as session:
            session.execute(sa.update(Annotator).values(simulated=False))

    def close(self, name: str) -> None:
        """Close a project."""
        with self.database.transaction() as session:
            project = queries.get_project(session, name)
            transitions.close_project(session, project=project, now=datetime.now(UTC))

    def list_records(self) -> list[str]:
        """The names of the projects whose results were shown before the end, as the journal has it."""
        with self.database.reading() as view:
            rows = view.connection().execute(
                sa.text("SELECT name FROM journal JOIN project ON project.id = project_id WHERE event = 'unblinded'")
            )
            return [name for (name,) in rows]


@pytest.fixture(scope="session")
def begun(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Simulation]:
    """A file to copy: both campaigns, begun; and the simulation that stands there."""
    file = tmp_path_factory.mktemp("dashboard") / "begun.db"
    shutil.copy(migrated, file)
    with database.open_database(f"sqlite:///{file}") as db:
        with db.transaction() as session:
            for name, project_file in FILES.items():
                projects.load_project_file(session, project_file, now=engine.SIMULATION_START, allow_outside=True)
                project = queries.get_project(session, name)
                invitations.create_invitation(
                    session, target=project, code=f"code-{project.id}", uses=9, now=engine.SIMULATION_START
                )
                transitions.start_project(session, project=project, now=engine.SIMULATION_START)
            session.execute(sa.update(Project).where(col(Project.name) == STORIES).values(title="<b>Оповідання</b>"))
        settings = SimulationSettings(people=6, reports=0.05, careless=0.0)
        simulation = engine.create_simulation(db, settings=settings, names=[BASELINE, STORIES])
        simulation.run(steps=150)
    return file, simulation


@pytest.fixture
def campaign(begun: tuple[Path, Simulation], tmp_path: Path) -> Iterator[Campaign]:
    """Both campaigns, begun: of the baseline some answers are there."""
    file, simulation = begun
    shutil.copy(file, tmp_path / "hromada.db")
    url = f"sqlite:///{tmp_path / 'hromada.db'}"
    with database.open_database(url) as db:
        own = replace(simulation, db=db, agents=copy.deepcopy(simulation.agents), schedule=[*simulation.schedule])
        yield Campaign(db, url, own)


class ThreadMeter(DetailMeter):
    """Measures in a thread: a process of its own for each test would cost more than the test."""

    _threads: ThreadPoolExecutor | None = None

    def _get_pool(self) -> ThreadPoolExecutor:  # type: ignore[override]
        self._threads = self._threads or ThreadPoolExecutor(1)
        return self._threads

    def close(self) -> None:
        """Let the thread end; the next measurement has another."""
        if self._threads is not None:
            self._threads.shutdown(wait=False)
        self._threads = None


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AbstractAsyncContextManager[str]]:
    """Serves the dashboard in this process, on a free port; the address comes without a slash at the end.

    Details are measured again at once, not after a quarter of a minute or twenty times what it took.
    """
    monkeypatch.setattr(details, "LEAST_SECONDS", 0.1)
    monkeypatch.setattr(details, "COST", 0)
    return _serve_dashboard


@asynccontextmanager
async def _serve_dashboard(
    opened: database.Database,
    url: str,
    *,
    unblind: bool = False,
    token: str | None = None,
    time_zone: str = "Europe/Kyiv",
) -> AsyncIterator[str]:
    pages = LivePages(
        reader=SnapshotReader(database=opened, unblind=unblind),
        meter=ThreadMeter(url=url, unblind=unblind, answer_seconds=10.0),
        time_zone=time_zone,
    )
    address = ListenAddress(host="127.0.0.1", port=0, field="--listen")
    async with DashboardServer(pages=pages, access=Access(token)).serve(address) as port:
        yield f"http://127.0.0.1:{port}"
