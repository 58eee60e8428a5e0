"""How fast consensus and agreement are: sparse Dawid-Skene beside crowd-kit's, alpha with its interval, and all of it.

    python benchmarks/consensus.py [--json] [--quick]

Votes are drawn from a seed, with text ids. Each measurement runs in a process of its own, so that its memory is its
own; crowd-kit's fit and the sparse one read the same votes, one after the other. `--json` prints one object a line:
figure, value, unit, goal, holds. `--quick` leaves out a million votes.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

Goal = Literal["at least", "at most", ""]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A measured number and the goal it is held against."""

    figure: str
    value: float
    unit: str
    goal: str = ""
    holds: bool | None = None


def held(figure: str, value: float, unit: str, *, most: float | None = None, least: float | None = None) -> Figure:
    """A figure with its goal."""
    if most is not None:
        return Figure(figure=figure, value=value, unit=unit, goal=f"at most {most:g}", holds=value <= most)
    if least is not None:
        return Figure(figure=figure, value=value, unit=unit, goal=f"at least {least:g}", holds=value >= least)
    return Figure(figure=figure, value=value, unit=unit)


def main() -> int:
    """Run all measurements and print them; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="without a million votes")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--votes", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        sys.stdout.write(json.dumps(MEASURES[given.measure](given.votes)) + "\n")
        return 0
    figures = [
        figure for votes in ([100_000] if given.quick else [100_000, 1_000_000]) for figure in dawid_skenes(votes)
    ]
    alpha = measured("alpha", 300_000)
    figures.append(held("alpha, 1000-fold interval, 100000 items x 3", alpha["seconds"], "s", most=10))
    release = measured("release", 300_000)
    figures.append(held("alpha, Dawid-Skene and gold, 100000 items x 3", release["seconds"], "s", most=30))
    figures.append(held("peak memory of these", release["megabytes"], "MB"))
    for figure in figures:
        sys.stdout.write(json.dumps(asdict(figure)) + "\n" if given.json else _line(figure))
    return int(any(figure.holds is False for figure in figures))


def _line(figure: Figure) -> str:
    verdict = {True: "holds", False: "MISSED", None: ""}[figure.holds]
    return f"{figure.figure:<58} {figure.value:>10.2f} {figure.unit:<6} {figure.goal:<14} {verdict}\n"


def dawid_skenes(votes: int) -> list[Figure]:
    """crowd-kit's fit and the sparse one on the same votes: seconds, memory above the votes, and whether they agree."""
    theirs, ours = measured("crowdkit", votes), measured("sparse", votes)
    name = f"Dawid-Skene, {votes} votes"
    return [
        held(f"{name}: crowd-kit", theirs["seconds"], "s"),
        held(f"{name}: sparse", ours["seconds"], "s"),
        held(f"{name}: times faster", theirs["seconds"] / ours["seconds"], "x", least=10),
        held(f"{name}: crowd-kit's memory above the votes", theirs["megabytes"], "MB"),
        held(f"{name}: sparse memory above the votes", ours["megabytes"], "MB"),
        held(f"{name}: share of crowd-kit's memory", ours["megabytes"] / theirs["megabytes"], "", most=0.5),
        held(f"{name}: difference of mean posteriors", abs(theirs["posterior"] - ours["posterior"]), "", most=1e-9),
    ]


def measured(measure: str, votes: int) -> dict[str, float]:
    """One measurement in a process of its own."""
    command = [sys.executable, __file__, "--measure", measure, "--votes", str(votes)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(said.splitlines()[-1])
    return found


def _crowd(n_votes: int) -> tuple[object, object]:
    """A frame of votes with text ids, and its items: four labels, people right three times of four."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    n_items, n_people = n_votes // 3, max(50, n_votes // 200)
    truth = rng.choice(4, n_items, p=[0.4, 0.3, 0.2, 0.1])
    item = np.repeat(np.arange(n_items), 3)
    right = rng.random(len(item)) < rng.beta(6, 2, n_people)[(person := rng.integers(0, n_people, len(item)))]
    answer = np.where(right, truth[item], rng.integers(0, 4, len(item)))
    names = np.array([f"item-{number:08d}" for number in range(n_items)], dtype=object)
    people = np.array([f"annotator-{number:06d}" for number in range(n_people)], dtype=object)
    labels = np.array(["yes", "no", "partly", "unknown"], dtype=object)
    frame = pd.DataFrame({"item": names[item], "annotator": people[person], "answer": labels[answer]})
    gold = labels[truth]
    gold[rng.random(n_items) < 0.5] = None
    return frame, pd.DataFrame({"group": names, "gold": gold, "n_options": 4}, index=names)


def _crowdkit(n_votes: int) -> dict[str, float]:
    from crowdkit.aggregation import DawidSkene

    warnings.simplefilter("ignore")
    frame, _ = _crowd(n_votes)
    data = frame.set_axis(["task", "worker", "label"], axis=1)  # type: ignore[attr-defined]

    def run() -> float:
        return float(DawidSkene(n_iter=100).fit_predict_proba(data).max(axis=1).mean())

    return _run(run)


def _sparse(n_votes: int) -> dict[str, float]:
    from aggregation.consensus import dawid_skene
    from aggregation.schema import Votes

    frame, items = _crowd(n_votes)
    votes = Votes(frame=frame, items=items, classes=("yes", "no", "partly", "unknown"))  # type: ignore[arg-type]

    def run() -> float:
        return float(dawid_skene.fit_table(dawid_skene.build_table(votes.encode())).posteriors.max(axis=1).mean())

    return _run(run)


def _alpha(n_votes: int) -> dict[str, float]:
    from aggregation.agreement.coefficients import compute_label_agreement
    from aggregation.schema import Votes

    frame, items = _crowd(n_votes)
    votes = Votes(frame=frame, items=items, classes=("yes", "no", "partly", "unknown"))  # type: ignore[arg-type]

    def run() -> float:
        return compute_label_agreement(votes, n_resamples=1000)["krippendorff_alpha_nominal"].value or 0.0

    return _run(run)


def _release(n_votes: int) -> dict[str, float]:
    from aggregation.agreement.coefficients import compute_label_agreement
    from aggregation.consensus.consensus import compute_label_accuracy
    from aggregation.consensus.methods import build_label_consensus
    from aggregation.schema import check_votes as checked

    frame, items = _crowd(n_votes)

    def run() -> float:
        votes = checked(frame, items=items, classes=("yes", "no", "partly", "unknown"))  # type: ignore[arg-type]
        compute_label_agreement(votes, n_resamples=1000)
        labels = build_label_consensus(votes, method="dawid_skene", ties="drop")
        labels.to_published()
        return compute_label_accuracy(labels, votes.items["gold"]).value or 0.0

    return _run(run)


def _run(work: Callable[[], float]) -> dict[str, float]:
    """Seconds, and how far the peak of memory rose above what stood before (imports and votes)."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - started
    rose = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"seconds": seconds, "megabytes": max(rose, 1) / 1024, "posterior": result}


MEASURES: dict[str, Callable[[int], dict[str, float]]] = {
    "crowdkit": _crowdkit,
    "sparse": _sparse,
    "alpha": _alpha,
    "release": _release,
}

if __name__ == "__main__":
    sys.exit(main())
