"""How many votes an engine takes: ten iterations of Dawid-Skene by `hromada votes`, next to the code in memory.

    python benchmarks/votes.py [--votes 10000000] [--in-memory 1000000] [--memory 3GB] [--spark 1000000] [--json]

Votes are drawn from a seed by DuckDB into a Parquet file: five per item, of 50 annotators, with 4 labels. Every
measurement runs in a process of its own. Its memory is the most that the process had resident (that of Java for
Spark). Its processor seconds are those of all cores. The growth is that of processor seconds per vote, because other
work on the machine lengthens the others. `--votes 100000000` is run by hand. `--spark` needs the environment of `make
test-spark`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

from _figures import Figure, build_ratio, show
from _processes import read_memory, read_processor_time

FIRST = 1_000_000
N_ANNOTATORS, N_LABELS, PER_ITEM, ITERATIONS = 50, 4, 5, 10
MOST_GIGABYTES = 4.0
MOST_GROWTH = 1.3


def make_votes(file: Path, number: int) -> None:
    """Write votes: annotator k is right with a chance of .5 to .9."""
    import duckdb

    n_items = number // PER_ITEM
    right = f"i % {n_items} % {N_LABELS}"
    duckdb.sql(
        f"COPY (SELECT i % {n_items} AS item, 'judge ' || who AS annotator, 'label ' || "
        f"CASE WHEN (hash(i * 3 + 1) % 1000) / 1000.0 < .5 + .4 * who / {N_ANNOTATORS} THEN {right} "
        f"ELSE hash(i * 5 + 2) % {N_LABELS} END AS answer FROM "
        f"(SELECT i, (hash(i % {n_items}) + i // {n_items} * 7) % {N_ANNOTATORS} AS who FROM range({number}) r(i))) "
        f"TO '{file}' (FORMAT parquet)"
    )


class Clock:
    """Seconds and processor seconds since its start."""

    def __init__(self) -> None:
        self._began, self._used = time.monotonic(), read_processor_seconds()

    def read(self) -> dict[str, float]:
        """The figures `seconds` and `processor`."""
        return {"seconds": time.monotonic() - self._began, "processor": read_processor_seconds() - self._used}


def list_children() -> list[int]:
    """The processes that this one started, and theirs."""
    found, new = [], [os.getpid()]
    while new:
        one = new.pop()
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            new += [int(child) for child in task.read_text("utf-8").split()]
        found.append(one)
    return found[1:]


def read_processor_seconds() -> float:
    """User and system seconds of this process and of those that it started."""
    return time.process_time() + sum(map(read_processor_time, list_children()))


class SpilledFiles:
    """The most bytes that the files of a folder had; `file`, which is there from the beginning, is not counted."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._folder, self._file, self.most = folder, file, 0
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def _watch(self) -> None:
        while not self._over.wait(0.5):
            total = 0
            for path in self._folder.rglob("*"):
                try:
                    total += 0 if path == self._file else path.stat().st_blocks * 512
                except OSError:  # deleted since
                    continue
            self.most = max(self.most, total)

    def end(self) -> int:
        """Stop; returns the most."""
        self._over.set()
        self._watcher.join()
        return self.most


def run_votes(arguments: list[str], file: Path) -> dict[str, float]:
    """Ten iterations by the command, with its labels written, then agreement."""
    from typer.testing import CliRunner

    from bot.cli import app  # noqa: F401  # loaded before the clock starts
    from bot.commands import votes

    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory(dir=file.parent) as out:
        disk = SpilledFiles(Path(out), file)
        common = [str(file), *arguments, "--out", out, "--json"]
        options = {"dawid-skene": ["--stop", "converged", "--iterations", str(ITERATIONS)], "agreement": []}
        for name, more in options.items():
            clock = Clock()
            result = CliRunner().invoke(votes.app, [name, *common, *more], catch_exceptions=False)
            assert result.exit_code == 0, result.output  # noqa: S101
            prefix = "" if name == "dawid-skene" else f"{name} "
            found |= {f"{prefix}{key}": value for key, value in clock.read().items()}
            if not prefix:
                assert json.loads(result.output)["iterations"] == ITERATIONS  # noqa: S101
        found["disk"] = disk.end() / 1e9
    return found


def fit_on_engine(file: Path, memory: str) -> dict[str, float]:
    """The command on DuckDB."""
    return run_votes(["--memory", memory], file)


def fit_on_spark(file: Path, memory: str) -> dict[str, float]:
    """The command on a Spark of this machine with two workers, and how many bytes they exchanged."""
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        events = Path(folder) / "events"
        events.mkdir()
        settings = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": events.as_uri(), "spark.local.dir": folder}
        settings["spark.eventLog.compress"] = "false"
        lines = [f"{name} {value}\n" for name, value in settings.items()]
        (Path(folder) / "spark-defaults.conf").write_text("".join(lines), "utf-8")
        os.environ["SPARK_CONF_DIR"] = folder
        found = run_votes(["--engine", "spark", "--master", "local[2]", "--memory", memory], file)
        return found | {
            "gigabytes": max(read_memory(child, "VmHWM") for child in list_children()) / 1e3,
            "exchanged": count_exchanged(events) / 1e9,
        }


def count_exchanged(events: Path) -> int:
    """The bytes that workers wrote for each other in the first of the applications."""
    first = min((path for path in events.rglob("*") if path.is_file()), key=lambda path: path.stat().st_ctime)
    total = 0
    with first.open(encoding="utf-8") as lines:
        for line in lines:
            metrics = json.loads(line).get("Task Metrics") or {}
            total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def fit_in_memory(file: Path, _memory: str) -> dict[str, float]:
    """Ten iterations of the sparse fit, reading of the file included."""
    import numpy as np
    import pandas as pd

    from aggregation.consensus import dawid_skene
    from aggregation.schema import CodedVotes

    clock = Clock()
    frame = pd.read_parquet(file)
    items, item_ids = pd.factorize(frame["item"], sort=True)
    annotators, annotator_ids = pd.factorize(frame["annotator"], sort=True)
    answers, labels = pd.factorize(frame["answer"], sort=True)
    coded = CodedVotes(
        items=items,
        annotators=annotators,
        answers=answers,
        item_ids=np.asarray(item_ids, dtype=object),
        annotator_ids=np.asarray(annotator_ids, dtype=object),
        labels=tuple(map(str, labels)),
    )
    dawid_skene.fit_table(dawid_skene.build_table(coded), stop="converged", iterations=ITERATIONS)
    return clock.read()


def fit_by_crowdkit(file: Path, _memory: str) -> dict[str, float]:
    """Ten iterations of crowd-kit's Dawid-Skene."""
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    clock = Clock()
    frame = pd.read_parquet(file).set_axis(["task", "worker", "label"], axis=1)
    DawidSkene(n_iter=ITERATIONS, tol=0.0).fit_predict_proba(frame)
    return clock.read()


WAYS: dict[str, Callable[[Path, str], dict[str, float]]] = {
    "DuckDB": fit_on_engine,
    "Spark": fit_on_spark,
    "in memory": fit_in_memory,
    "crowd-kit": fit_by_crowdkit,
}


def measure(way: str, file: Path, memory: str) -> dict[str, float]:
    """A way in a process of its own: its seconds, and `gigabytes`, the most that it had resident."""
    command = [sys.executable, __file__, "--measure", way, "--file", str(file), "--memory", memory]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{way}: {done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def list_figures(*, number: int, most: dict[str, int], memory: str) -> Iterator[Figure]:
    """The figures of each size, and the growth; `most` has the largest size of a way, if it is not `number`."""
    sizes = [size for size in (FIRST, FIRST * 10, FIRST * 100) if size <= number] or [number]
    used: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            file = Path(folder) / f"{size}.parquet"
            make_votes(file, size)
            yield Figure(f"{size:.0e} votes: the Parquet file", file.stat().st_size / 1e9, "GB")
            for way in WAYS:
                if size > most.get(way, number):
                    continue
                found = measure(way, file, memory)
                yield from name_figures(f"{size:.0e} votes, {way}", found, is_bounded=way == "DuckDB")
                if way == "DuckDB":
                    used[size] = found["processor"] / size
            file.unlink()
    if FIRST * 10 in used and FIRST in used:
        yield build_ratio("growth per vote, 1e6 to 1e7", used[FIRST * 10], used[FIRST], most=MOST_GROWTH)
    if FIRST * 100 in used:
        yield Figure("growth per vote, 1e7 to 1e8", used[FIRST * 100] / used[FIRST * 10], "times")


def name_figures(name: str, found: dict[str, float], *, is_bounded: bool) -> Iterator[Figure]:
    """The figures of one measurement."""
    yield Figure(f"{name}: ten iterations", found["seconds"], "s")
    yield Figure(f"{name}: of the processor", found["processor"], "s")
    if "agreement seconds" in found:
        yield Figure(f"{name}: agreement", found["agreement seconds"], "s")
        yield Figure(f"{name}: agreement, of the processor", found["agreement processor"], "s")
    gigabytes = found["gigabytes"]
    goal, holds = (f"<= {MOST_GIGABYTES:g}", gigabytes <= MOST_GIGABYTES) if is_bounded else (None, None)
    yield Figure(f"{name}: memory", gigabytes, "GB", goal, holds)
    for key in ("disk", "exchanged"):
        if key in found:
            yield Figure(f"{name}: {key}", found[key], "GB")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--votes", type=int, default=FIRST * 10, help="the most votes")
    parser.add_argument("--in-memory", type=int, default=FIRST, help="the most votes that are also fitted in memory")
    parser.add_argument("--spark", type=int, default=0, help="the most votes that Spark is also given")
    parser.add_argument("--memory", default="3GB", help="the memory that DuckDB or Spark takes")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        found = WAYS[given.measure](given.file, given.memory)
        gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        sys.stdout.write(json.dumps({"gigabytes": gigabytes} | found) + "\n")
        return
    most = {"in memory": given.in_memory, "crowd-kit": given.in_memory, "Spark": given.spark}
    show("Votes on an engine", list_figures(number=given.votes, most=most, memory=given.memory))


if __name__ == "__main__":
    main()
