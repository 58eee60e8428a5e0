"""Next item and submit in a baseline with pages, controls and caps, at 1,000,000 items and at 1,000, call by call.

On SQLite and on PostgreSQL, with nothing, half and 99 % of the items done; for people for whom nothing is left, the
proof of it and every asking after that. `--items N` makes another large size. Prints a table, or with --json one object
a line: figure, value, unit, goal, holds.
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
from annotation.vocabulary import Hindrance
from annotation.workflow import assignments
from annotation.workflow.waiting import Waiting

SMALL, WARM, CALLS, AGAIN = 1_000, 40, 400, 300
DONE = ((0, "0 % done"), (50, "50 % done"), (99, "99 % done"))
NEWCOMERS = 10
"""People who answered nothing; the first of them goes round the ring of all items, the others round what is left."""
RATIO, NEXT, PROOF = 1.3, 20, 40
ROOM = (
    "-c shared_buffers=1GB -c max_wal_size=8GB -c checkpoint_timeout=1h -c work_mem=64MB -c maintenance_work_mem=512MB"
)
"""Memory as a server of this size would be given; what is safe against a crash stays on."""


@dataclass
class Calls:
    """What calls took, each: milliseconds by the clock, of this process's processor, and the statements that it sent.

    The server of PostgreSQL works in processes of its own.
    """

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)


@dataclass
class Side:
    """A campaign of one size, and what calls on it took."""

    db: Database
    project: int
    next: Calls = field(default_factory=Calls)
    submit: Calls = field(default_factory=Calls)
    sent: int = 0

    def __post_init__(self) -> None:
        """Count the statements, the beginnings of transactions left out."""
        sa.event.listen(self.db.engine, "before_cursor_execute", self._count)

    def _count(self, _connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        self.sent += not statement.startswith("BEGIN")

    @contextmanager
    def clocked(self, calls: Calls) -> Iterator[None]:
        """Note one call, from its beginning to its commit."""
        sent, begun, spent = self.sent, time.perf_counter(), time.process_time()
        yield
        calls.cpu.append(1000 * (time.process_time() - spent))
        calls.wall.append(1000 * (time.perf_counter() - begun))
        calls.statements.append(self.sent - sent)

    def ask(self, who: int, *, tick: int) -> assignments.Offer | Waiting:
        """The next item."""
        with self.clocked(self.next), self.db.transaction() as session:
            return assignments.next_item(session, annotator_id=who, now=_campaign.NOW + timedelta(seconds=tick))

    def answer(self, who: int, offer: assignments.Offer, *, tick: int) -> None:
        """Its answer."""
        with self.clocked(self.submit), self.db.transaction() as session:
            assignments.submit(
                session,
                annotator_id=who,
                assignment_id=offer.assignment_id,
                revision=offer.revision,
                answers={"answer": "так"},
                now=_campaign.NOW + timedelta(seconds=tick + 5),
            )

    def forget(self) -> None:
        """Begin the lists anew."""
        self.next, self.submit = Calls(), Calls()


def p95(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def below(name: str, calls: Calls, goal: int) -> list[Figure]:
    """The medians, and the 95th percentile with its goal."""
    high = p95(calls.wall)
    return [*medians(name, calls), Figure(f"{name}, p95", high, "ms", goal=f"< {goal}", holds=high < goal)]


def medians(name: str, calls: Calls) -> list[Figure]:
    """What an ordinary call takes."""
    return [
        Figure(f"{name}, median", statistics.median(calls.wall), "ms"),
        Figure(f"{name}, processor", statistics.median(calls.cpu), "ms"),
        Figure(f"{name}, statements", statistics.median(calls.statements), ""),
    ]


def compared(name: str, large: Calls, small: Calls) -> Figure:
    """How much more a call costs in the large campaign: the ratio of medians."""
    ratio = statistics.median(large.wall) / statistics.median(small.wall)
    return Figure(f"{name}, {SMALL:,} : large", ratio, "times", goal=f"<= {RATIO}", holds=ratio <= RATIO)


def alternated(name: str, large: Side, small: Side, *, begin: int) -> list[Figure]:
    """The same people ask and answer in both campaigns in turn."""
    for call in range(WARM + CALLS):
        if call == WARM:
            large.forget()
            small.forget()
        who, tick = 1 + (begin + call) % _campaign.BEFORE, 10 * (begin + call)
        for side in (large, small) if call % 2 else (small, large):
            offer = side.ask(who, tick=tick)
            if not isinstance(offer, assignments.Offer):
                raise TypeError(f"There should be an item, not {offer}.")
            side.answer(who, offer, tick=tick)
    return [
        *below(f"{name}: next", large.next, NEXT),
        compared(f"{name}: next", large.next, small.next),
        *medians(f"{name}: submit", large.submit),
        compared(f"{name}: submit", large.submit, small.submit),
    ]


def searching(found: assignments.Offer | Waiting) -> bool:
    """Whether the same call is to be made again at once."""
    return isinstance(found, Waiting) and found.reason is Hindrance.SEARCHING


def must_be_nothing(found: assignments.Offer | Waiting) -> None:
    """Raises ValueError for anything but that nothing is left."""
    if not isinstance(found, Waiting) or found.reason is not Hindrance.NOTHING_LEFT:
        raise ValueError(f"Nothing should be left, not {found}.")


def proved(large: Side, people: Sequence[int], *, tick: int) -> int:
    """Let people who have met every group find out that nothing is left; how many calls it took."""
    large.forget()
    for who in people:
        _campaign.met(large.db, project=large.project, who=who)
    for who in people:
        while searching(found := large.ask(who, tick=tick)):
            pass
        must_be_nothing(found)
    return len(large.next.wall)


def asked_again(large: Side, people: Sequence[int], *, tick: int) -> None:
    """Each asks again and again; every call says at once that there is nothing."""
    large.forget()
    for call in range(AGAIN):
        found = large.ask(people[call % len(people)], tick=tick + call)
        must_be_nothing(found)


def figures(name: str, large: Side, small: Side, *, items: int) -> Iterator[Figure]:
    """All figures of one database, while its large campaign goes on."""
    newcomers = range(_campaign.BEFORE + 1, _campaign.BEFORE + NEWCOMERS + 1)
    before = 0
    for number, (percent, state) in enumerate(DONE):
        until = items * percent // 100
        if until > before:
            _campaign.done(large.db, project=large.project, first=before + 1, last=until)
            before = until
        begin = number * (WARM + CALLS)
        yield from alternated(f"{name}, {state}", large, small, begin=begin)
        if percent in {0, 99}:
            people = newcomers[:1] if percent == 0 else newcomers[1:]
            calls = proved(large, people, tick=10 * begin)
            yield Figure(f"{name}, {state}: proof of nothing left", sum(large.next.wall) / len(people), "ms")
            yield Figure(f"{name}, {state}: its transactions", calls / len(people), "")
            yield from below(f"{name}, {state}: one of them", large.next, PROOF)
            asked_again(large, people, tick=10 * begin)
            yield from below(f"{name}, {state}: asked again", large.next, NEXT)


@contextmanager
def sides(large: str, small: str, folder: Path, *, items: int) -> Iterator[tuple[Side, Side]]:
    """Both campaigns, nothing of them done."""
    with database.opened(large) as one, database.opened(small) as two:
        yield (
            Side(one, _campaign.made(one, folder, items=items, people=NEWCOMERS)),
            Side(two, _campaign.made(two, folder, items=SMALL, people=NEWCOMERS)),
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
    with tempfile.TemporaryDirectory() as name, server(programs, options=ROOM) as url:
        engine = database.connect(url).execution_options(isolation_level="AUTOCOMMIT")
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
    told = parser.parse_args()
    found: list[Figure] = []
    for name in told.on or DATABASES:
        found += tell(f"The workflow at {told.items:,} items, {name}", DATABASES[name](told.items))
    end(found)


if __name__ == "__main__":
    main()
