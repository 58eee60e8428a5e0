"""How many votes an engine takes: ten iterations of Dawid-Skene by `hromada votes`, beside the code in memory.

    python benchmarks/votes.py [--votes 10000000] [--in-memory 1000000] [--memory 3GB] [--json]

Votes are drawn from a seed by DuckDB into a Parquet file: five on each item, of 50 annotators, with 4 labels. Every
measurement runs in a process of its own, and its memory is the most that the process had resident. The growth is
that of seconds a vote from a million votes on; `--votes 100000000` is run by hand.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

from _figures import Figure, build_ratio, show

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


def fit_on_engine(file: Path, memory: str) -> dict[str, float]:
    """Ten iterations by the command, with its labels written, then agreement."""
    from typer.testing import CliRunner

    from bot.cli import app  # noqa: F401  # loaded before the clock starts
    from bot.commands import votes

    with tempfile.TemporaryDirectory(dir=file.parent) as out:
        common = [str(file), "--memory", memory, "--out", out, "--json"]
        seconds = {}
        for name, more in {"dawid-skene": ["--iterations", str(ITERATIONS)], "agreement": []}.items():
            began = time.monotonic()
            result = CliRunner().invoke(votes.app, [name, *common, *more], catch_exceptions=False)
            assert result.exit_code == 0, result.output  # noqa: S101
            seconds[name] = time.monotonic() - began
    return {"seconds": seconds["dawid-skene"], "agreement": seconds["agreement"]}


def fit_in_memory(file: Path, _memory: str) -> dict[str, float]:
    """Ten iterations of the sparse fit, reading of the file included."""
    import numpy as np
    import pandas as pd

    from aggregation.consensus import dawid_skene
    from aggregation.schema import CodedVotes

    began = time.monotonic()
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
    return {"seconds": time.monotonic() - began}


def fit_by_crowdkit(file: Path, _memory: str) -> dict[str, float]:
    """Ten iterations of crowd-kit's Dawid-Skene."""
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    began = time.monotonic()
    frame = pd.read_parquet(file).set_axis(["task", "worker", "label"], axis=1)
    DawidSkene(n_iter=ITERATIONS, tol=0.0).fit_predict_proba(frame)
    return {"seconds": time.monotonic() - began}


WAYS: dict[str, Callable[[Path, str], dict[str, float]]] = {
    "engine": fit_on_engine,
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


def list_figures(*, number: int, in_memory: int, memory: str) -> Iterator[Figure]:
    """The figures of each size, and the growth."""
    sizes = [size for size in (FIRST, FIRST * 10, FIRST * 100) if size <= number] or [number]
    each: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            file = Path(folder) / f"{size}.parquet"
            make_votes(file, size)
            yield Figure(f"{size:.0e} votes: the Parquet file", file.stat().st_size / 1e9, "GB")
            ways = ["engine", *(["in memory", "crowd-kit"] if size <= in_memory else [])]
            for way in ways:
                found = measure(way, file, memory)
                name = f"{size:.0e} votes, {way}"
                yield Figure(f"{name}: ten iterations", found["seconds"], "s")
                if "agreement" in found:
                    yield Figure(f"{name}: agreement", found["agreement"], "s")
                    each[size] = found["seconds"] / size
                gigabytes = found["gigabytes"]
                goal = f"<= {MOST_GIGABYTES:g}" if way == "engine" else None
                holds = gigabytes <= MOST_GIGABYTES if way == "engine" else None
                yield Figure(f"{name}: memory", gigabytes, "GB", goal, holds)
    if FIRST * 10 in each:
        yield build_ratio("growth a vote, 1e6 to 1e7", each[FIRST * 10], each[FIRST], most=MOST_GROWTH)
    if FIRST * 100 in each:
        yield Figure("growth a vote, 1e7 to 1e8", each[FIRST * 100] / each[FIRST * 10], "times")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--votes", type=int, default=FIRST * 10, help="the most votes")
    parser.add_argument("--in-memory", type=int, default=FIRST, help="the most votes that are also fitted in memory")
    parser.add_argument("--memory", default="3GB", help="the memory that DuckDB takes")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        found = WAYS[given.measure](given.file, given.memory)
        gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        sys.stdout.write(json.dumps(found | {"gigabytes": gigabytes}) + "\n")
        return
    figures = list_figures(number=given.votes, in_memory=given.in_memory, memory=given.memory)
    show("Votes on an engine", [*figures])


if __name__ == "__main__":
    main()
