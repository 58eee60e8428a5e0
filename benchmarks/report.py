"""What people look at: the dashboard beside a bot at work, its pages at size, and the report of many judgements.

- People tap as fast as the bot answers, with 20 watchers of the dashboard and without it, in turns: what the watchers
  cost it. The pages are the first one and that of the project, with its people, items and agreement.
- Pages of a baseline of 1,000,000 items, a tenth of them answered, while the database is read for them.
- `hromada export` of 100,002 judgements, and the pages of a release of them: seconds and size.

python benchmarks/report.py [--rounds 9] [--seconds 12] [--items 1000000] [--only watchers|pages|report] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import _contenders
from _campaign import answer_items, create_campaign
from _figures import Figure, end, tell
from _imported_votes import PROJECT_NAME, fill_database, run_command
from _tapping import TappingCrowd, run_contender
from _watchers import Watcher, run_dashboard, watch_pages

from annotation.store import database

ITEMS, PEOPLE, WATCHERS = 1000, 64, 20
SETTLE_SECONDS = 6.0
"""Seconds from the first event until the dashboard has measured everything for the first time."""
MOST_COST = 0.10
MOST_PAGE_SECONDS, MOST_REPORT_SECONDS, MOST_REPORT_BYTES = 0.2, 20.0, 2_000_000
OPENINGS = 40


async def measure_throughput(url: str, *, watched: bool, seconds: float) -> tuple[float, list[Watcher]]:
    """Answers a second of a bot whose people tap at once, and who watched it meanwhile."""
    async with run_contender("hromada", url, people=PEOPLE) as crowd:
        if not watched:
            await asyncio.sleep(SETTLE_SECONDS)
            return await _count_answers(crowd, seconds), []
        own = f"{url.rpartition('/')[0]}/run.db"
        async with (
            run_dashboard(own) as address,
            watch_pages(address, ("/", "/projects/words"), number=WATCHERS) as watchers,
        ):
            await asyncio.sleep(SETTLE_SECONDS)
            return await _count_answers(crowd, seconds), watchers


async def _count_answers(crowd: TappingCrowd, seconds: float) -> float:
    before, begun = crowd.answers, time.perf_counter()
    await asyncio.sleep(seconds)
    return float((crowd.answers - before) / (time.perf_counter() - begun))


def measure_watchers(*, rounds: int, seconds: float) -> Iterator[Figure]:
    """What 20 watchers cost the bot."""
    with tempfile.TemporaryDirectory(prefix="hromada-bench-") as name:
        url = f"sqlite:///{Path(name) / 'words.db'}"
        _contenders.prepare(url, Path(name), items=ITEMS, overlap=10 * PEOPLE)
        found: dict[bool, list[float]] = {False: [], True: []}
        events: list[int] = []
        for number in range(rounds):
            for watched in (False, True) if number % 2 else (True, False):
                speed, watchers = asyncio.run(measure_throughput(url, watched=watched, seconds=seconds))
                found[watched].append(speed)
                events += [watcher.events for watcher in watchers]
                print(f"round {number + 1}: {'watched' if watched else 'alone':<8} {speed:7.1f}/s", file=sys.stderr)
    alone, watched_speed = median(found[False]), median(found[True])
    cost = 1 - watched_speed / alone
    yield Figure("answers a second, nobody watches", alone, "1/s")
    yield Figure(f"answers a second, {WATCHERS} watch", watched_speed, "1/s")
    yield Figure("events of the watcher who got the fewest", min(events), "", ">= 3", min(events) >= 3)
    yield Figure("share of throughput that watching costs", cost, "", f"< {MOST_COST:g}", cost < MOST_COST)


def measure_pages(*, items: int) -> Iterator[Figure]:
    """How long the pages of a large project take, the first opening and while it is read in the background."""
    with tempfile.TemporaryDirectory(prefix="hromada-bench-") as name:
        url = f"sqlite:///{Path(name) / 'hromada.db'}"
        with database.open_database(url, create=True) as db:
            project = create_campaign(db, Path(name) / "campaign", items=items, annotators=5)
            answer_items(db, project=project, first=1, last=items // 10)
        yield from asyncio.run(_time_pages(url, items))


async def _time_pages(url: str, items: int) -> list[Figure]:
    paths = {
        "the first page": "/",
        "the project": "/projects/baseline",
        "its items": "/projects/baseline/items",
        "items far down": f"/projects/baseline/items?after=i{items // 2}",
    }
    figures = []
    async with run_dashboard(url, "--unblind") as address:
        first = await asyncio.to_thread(_open_page, address + "/")
        figures.append(_build_page_figure("a page opened first, nothing read yet", first))
        async with watch_pages(address, ("/", "/projects/baseline"), number=2):
            for what, path in paths.items():
                taken = []
                for _ in range(OPENINGS):
                    taken.append(await asyncio.to_thread(_open_page, address + path))
                    await asyncio.sleep(0.1)
                figures.append(_build_page_figure(f"{what}, slowest of {OPENINGS}", max(taken)))
    return figures


def _open_page(address: str) -> float:
    begun = time.perf_counter()
    with urllib.request.urlopen(address) as response:  # noqa: S310  # our own server
        response.read()
    return time.perf_counter() - begun


def _build_page_figure(name: str, seconds: float) -> Figure:
    goal = 1000 * MOST_PAGE_SECONDS
    return Figure(name, 1000 * seconds, "ms", f"< {goal:g}", seconds < MOST_PAGE_SECONDS)


def measure_report() -> Iterator[Figure]:
    """The report of 100,002 judgements: by `hromada export`, and that of a release with all its chapters."""
    with tempfile.TemporaryDirectory(prefix="hromada-bench-") as name:
        folder = Path(name)
        fill_database(folder, items=33_334, people=300, votes=3, own_options=False)
        seconds, _ = run_command(folder, "export", PROJECT_NAME, "--to", "exported", "--json")
        yield Figure("hromada export, start to end", seconds, "s", f"< {MOST_REPORT_SECONDS:g}", seconds < 20)
        yield from _weigh_pages(folder / "exported")
        released = _time_release_pages(folder)
        yield Figure(
            "report of a release, from its numbers", released, "s", f"< {MOST_REPORT_SECONDS:g}", released < 20
        )
        yield from _weigh_pages(folder / "released")


def _time_release_pages(folder: Path) -> float:
    """Seconds from the numbers of a release to its pages; they are written into `released`."""
    from bot import release_inputs
    from exports import writers
    from exports.checklist import check_release
    from exports.release.folder import build_release_pages, encode_files
    from exports.release_state import compute_release_state

    with database.open_database(f"sqlite:///{folder / 'hromada.db'}") as db, db.reading() as view:
        inputs = release_inputs.build_release_inputs(view, PROJECT_NAME, replay=False)
    state = compute_release_state(inputs)
    checklist = check_release(state)
    begun = time.perf_counter()
    pages = encode_files(build_release_pages(state, checklist, "DRAFT"))
    taken = time.perf_counter() - begun
    writers.write_files(folder / "released", pages)
    return taken


def _weigh_pages(folder: Path) -> Iterator[Figure]:
    for page in sorted(folder.glob("report*.html")):
        size = page.stat().st_size
        fits = size < MOST_REPORT_BYTES
        yield Figure(f"{folder.name}/{page.name}", size / 1e6, "MB", f"< {MOST_REPORT_BYTES / 1e6:g}", fits)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--only", choices=("watchers", "pages", "report"))
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    parts = {
        "watchers": lambda: measure_watchers(rounds=chosen.rounds, seconds=chosen.seconds),
        "pages": lambda: measure_pages(items=chosen.items),
        "report": measure_report,
    }
    wanted = [chosen.only] if chosen.only else list(parts)
    end(tell("What people look at", (figure for name in wanted for figure in parts[name]())))
