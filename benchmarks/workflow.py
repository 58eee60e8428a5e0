"""Next item and submit in a baseline with pages, controls and caps, at 1,000,000 items and at 1,000, call by call.

On SQLite and on PostgreSQL, with nothing, half and 99 % of the items done; for annotators with nothing left, the calls
that find this out, and all calls after them. `--items N` makes another large size. Prints a table, or with --json one
object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

import _campaign
import sqlalchemy as sa
from _figures import Figure, end, tell
from _postgresql import binaries, server

from annotation.store import database
from annotation.store.database import Database
from annotation.vocabulary import UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.participations import NothingAssigned

SMALL, WARM, CALLS, AGAIN = 1_000, 40, 400, 300
DONE = ((0, "0 % done"), (50, "50 % done"), (99, "99 % done"))
NEWCOMERS = 10
"""New annotators: the first goes through all items of the queue, the others through those that are left."""
RATIO, NEXT, PROOF = 1.3, 20, 40
MEMORY = (
    "-c shared_buffers=1GB -c max_wal_size=8GB -c checkpoint_timeout=1h -c work_mem=64MB -c maintenance_work_mem=512MB"
)
"""Memory as a server of this size would get; safety against crashes stays on."""


@dataclass
class Calls:
    """The cost of calls: milliseconds by the clock and of this process's processor, and the number of statements.

    The server of PostgreSQL works in its own processes.
    """

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)


@dataclass
class Campaign:
    """A campaign of one size, and the cost of calls on it."""

    db: Database
    project: int
    next: Calls = field(default_factory=Calls)
    submit: Calls = field(default_factory=Calls)
    sent: int = 0

    def __post_init__(self) -> None:
        """Count statements, except beginnings of transactions."""
        sa.event.listen(self.db.engine, "before_cursor_execute", self._count)

    def _count(self, _connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        self.sent += not statement.startswith("BEGIN")

    @contextmanager
    def measure(self, calls: Calls) -> Iterator[None]:
        """Measure one call, from its beginning to its commit."""
        sent, wall, cpu = self.sent, time.perf_counter(), time.process_time()
        yield
        calls.cpu.append(1000 * (time.process_time() - cpu))
        calls.wall.append(1000 * (time.perf_counter() - wall))
        calls.statements.append(self.sent - sent)

    def ask(self, annotator: int, *, tick: int) -> assignments.AssignedItem | NothingAssigned:
        """Assign the next item."""
        with self.measure(self.next), self.db.transaction() as session:
            return assignments.assign_next_item(
                assignments.lock_annotator(session, annotator), now=_campaign.NOW + timedelta(seconds=tick)
            )

    def answer(self, annotator: int, assigned: assignments.AssignedItem, *, tick: int) -> None:
        """Submit an answer to an item."""
        with self.measure(self.submit), self.db.transaction() as session:
            assignments.submit_judgement(
                assignments.open_assignment(
                    assignments.lock_annotator(session, annotator),
                    assignment_id=assigned.assignment_id,
                    now=_campaign.NOW + timedelta(seconds=tick + 5),
                ),
                revision=assigned.revision,
                answers={"answer": "так"},
                now=_campaign.NOW + timedelta(seconds=tick + 5),
            )

    def reset(self) -> None:
        """Empty the lists."""
        self.next, self.submit = Calls(), Calls()


def p95(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def below(name: str, calls: Calls, goal: int) -> list[Figure]:
    """The medians, and the 95th percentile with its goal."""
    high = p95(calls.wall)
    return [*medians(name, calls), Figure(f"{name}, p95", high, "ms", goal=f"< {goal}", holds=high < goal)]


def medians(name: str, calls: Calls) -> list[Figure]:
    """The medians of calls."""
    return [
        Figure(f"{name}, median", statistics.median(calls.wall), "ms"),
        Figure(f"{name}, processor", statistics.median(calls.cpu), "ms"),
        Figure(f"{name}, statements", statistics.median(calls.statements), ""),
    ]


def compare(name: str, large: Calls, small: Calls) -> Figure:
    """How much more a call costs in the large campaign: the ratio of medians."""
    ratio = statistics.median(large.wall) / statistics.median(small.wall)
    return Figure(f"{name}, {SMALL:,} : large", ratio, "times", goal=f"<= {RATIO}", holds=ratio <= RATIO)


def alternate(name: str, large: Campaign, small: Campaign, *, begin: int) -> list[Figure]:
    """The same annotators ask and answer in both campaigns in turn."""
    for call in range(WARM + CALLS):
        if call == WARM:
            large.reset()
            small.reset()
        annotator, tick = 1 + (begin + call) % _campaign.EARLIER, 10 * (begin + call)
        for campaign in (large, small) if call % 2 else (small, large):
            assigned = campaign.ask(annotator, tick=tick)
            if not isinstance(assigned, assignments.AssignedItem):
                raise TypeError(f"There should be an item, not {assigned}.")
            campaign.answer(annotator, assigned, tick=tick)
    return [
        *below(f"{name}: next", large.next, NEXT),
        compare(f"{name}: next", large.next, small.next),
        *medians(f"{name}: submit", large.submit),
        compare(f"{name}: submit", large.submit, small.submit),
    ]


def is_searching(found: assignments.AssignedItem | NothingAssigned) -> bool:
    """Whether the same call has to be repeated at once."""
    return isinstance(found, NothingAssigned) and found.reason is UnassignedReason.SEARCHING


def require_nothing_left(found: assignments.AssignedItem | NothingAssigned) -> None:
    """Raise ValueError unless nothing is left for the annotator."""
    if not isinstance(found, NothingAssigned) or found.reason is not UnassignedReason.NOTHING_LEFT:
        raise ValueError(f"Nothing should be left, not {found}.")


def prove_nothing_left(large: Campaign, annotators: Sequence[int], *, tick: int) -> int:
    """Let annotators who have met every group find out that nothing is left; returns how many calls it took."""
    large.reset()
    for annotator in annotators:
        _campaign.expose_annotator(large.db, project=large.project, annotator=annotator)
    for annotator in annotators:
        while is_searching(found := large.ask(annotator, tick=tick)):
            pass
        require_nothing_left(found)
    return len(large.next.wall)


def ask_again(large: Campaign, annotators: Sequence[int], *, tick: int) -> None:
    """The annotators ask again and again; each call has to return at once that nothing is left."""
    large.reset()
    for call in range(AGAIN):
        found = large.ask(annotators[call % len(annotators)], tick=tick + call)
        require_nothing_left(found)


def figures(name: str, large: Campaign, small: Campaign, *, items: int) -> Iterator[Figure]:
    """All figures of one database."""
    newcomers = range(_campaign.EARLIER + 1, _campaign.EARLIER + NEWCOMERS + 1)
    before = 0
    for number, (percent, state) in enumerate(DONE):
        until = items * percent // 100
        if until > before:
            _campaign.answer_items(large.db, project=large.project, first=before + 1, last=until)
            before = until
        begin = number * (WARM + CALLS)
        yield from alternate(f"{name}, {state}", large, small, begin=begin)
        if percent in {0, 99}:
            annotators = newcomers[:1] if percent == 0 else newcomers[1:]
            calls = prove_nothing_left(large, annotators, tick=10 * begin)
            yield Figure(f"{name}, {state}: proof of nothing left", sum(large.next.wall) / len(annotators), "ms")
            yield Figure(f"{name}, {state}: its transactions", calls / len(annotators), "")
            yield from below(f"{name}, {state}: one of them", large.next, PROOF)
            ask_again(large, annotators, tick=10 * begin)
            yield from below(f"{name}, {state}: asked again", large.next, NEXT)


@contextmanager
def sides(large: str, small: str, folder: Path, *, items: int) -> Iterator[tuple[Campaign, Campaign]]:
    """Both campaigns, with no answers."""
    with database.open_database(large) as one, database.open_database(small) as two:
        yield (
            Campaign(one, _campaign.create_campaign(one, folder, items=items, annotators=NEWCOMERS)),
            Campaign(two, _campaign.create_campaign(two, folder, items=SMALL, annotators=NEWCOMERS)),
        )


def on_sqlite(items: int) -> Iterator[Figure]:
    """All figures on SQLite."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = (f"sqlite:///{folder}/large.db", f"sqlite:///{folder}/small.db")
        with sides(*files, folder / "sqlite", items=items) as (large, small):
            yield from figures("SQLite", large, small, items=items)


def on_postgresql(items: int) -> Iterator[Figure]:
    """All figures on PostgreSQL, none where it is not installed."""
    programs = binaries()
    if programs is None:
        return
    with tempfile.TemporaryDirectory() as name, server(programs, options=MEMORY) as url:
        engine = database.create_engine(url).execution_options(isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql("CREATE DATABASE large")
            connection.exec_driver_sql("CREATE DATABASE small")
        engine.dispose()
        both = [sa.make_url(url).set(database=one).render_as_string() for one in ("large", "small")]
        with sides(both[0], both[1], Path(name) / "pg", items=items) as (large, small):
            yield from figures("PostgreSQL", large, small, items=items)


DATABASES = {"sqlite": on_sqlite, "postgresql": on_postgresql}


def main() -> None:
    """Measure and show, one database after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--on", choices=DATABASES, action="append", help="only on this database")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: list[Figure] = []
    for name in arguments.on or DATABASES:
        found += tell(f"The workflow at {arguments.items:,} items, {name}", DATABASES[name](arguments.items))
    end(found)


if __name__ == "__main__":
    main()
