"""The main job at size: import, consensus and agreement with intervals of 100,000 seeded votes, from a CSV file on.

100,000 votes, three an item, four labels, text ids, 500 people of skill .6 to .95. The whole is held against a fixed
reference of the same run (`_reference`), and against the script that a researcher would write instead, on the same
votes (`_researcher_script`). Prints a table, or with --json one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import crowdkit.aggregation
from _figures import Figure, build_ratio, show
from _reference import make_votes, measure_reference
from _researcher_script import ScriptResults, run_script

from aggregation.agreement import coefficients as label_coefficients
from aggregation.consensus.methods import build_label_consensus
from annotation.store import database, pseudonyms, queries
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects
from bot import release

RESAMPLES, SEED = 1000, 1
GOAL = 2.0
"""The most that the whole may take, in times of the reference."""
PROJECT = """
project: main-job
title: Main job
language: en
question: {type: choice, text: "Which?", options: [a, b, c, d]}
items: from votes
votes: {format: crowd-kit, file: votes.csv}
"""


@contextmanager
def clocked(into: dict[str, float], what: str) -> Iterator[None]:
    """Add the seconds of a block to `into[what]`."""
    begun = time.perf_counter()
    yield
    into[what] = into.get(what, 0.0) + time.perf_counter() - begun


def watched(method: Callable[..., object], into: dict[str, float]) -> Callable[..., object]:
    """A method of crowd-kit that adds its own seconds to `into`."""

    def run(*arguments: object, **options: object) -> object:
        with clocked(into, "crowd-kit's own"):
            return method(*arguments, **options)

    return run


def measure(folder: Path) -> tuple[dict[str, float], float]:
    """Seconds of each part, and of crowd-kit within them; and alpha, which the script must find too."""
    seconds: dict[str, float] = {}
    fits = {}
    for name in ("MajorityVote", "DawidSkene"):
        model = getattr(crowdkit.aggregation, name)
        fits[model] = model.fit
        model.fit = watched(model.fit, seconds)
    now = datetime.now(UTC)
    (folder / "project.yaml").write_text(PROJECT, encoding="utf-8")
    with database.open_database(f"sqlite:///{folder / 'job.db'}") as db:
        with clocked(seconds, "load"), db.transaction() as session:
            projects.load_project_file(session, folder / "project.yaml", now=now)
        with clocked(seconds, "import"), db.transaction() as session:
            key = pseudonyms.ensure_key(session, file=folder / "job.key", now=now)
            project = queries.get_project(session, "main-job")
            vote_import.store_votes(session, project, vote_import.read_vote_file(session, project), key=key, now=now)
        with clocked(seconds, "read"), db.transaction() as session:
            votes = release.build_data_sets(session)[0].build_votes()
    with clocked(seconds, "majority"):
        build_label_consensus(votes, method="majority", ties="random", seed=1)
    with clocked(seconds, "Dawid-Skene"):
        build_label_consensus(votes, method="dawid_skene", ties="first")
    with clocked(seconds, "agreement, 1,000 resamples"):
        coefficients = label_coefficients.compute_label_agreement(votes, n_resamples=RESAMPLES, seed=SEED)
    for model, fit in fits.items():
        model.fit = fit
    return seconds, coefficients["krippendorff_alpha_nominal"].value or 0.0


def measure_script(file: Path, *, alpha: float) -> float:
    """Seconds of the researcher's script; raises RuntimeError where its alpha is another one."""
    begun = time.perf_counter()
    results: ScriptResults = run_script(file, resamples=RESAMPLES, seed=SEED)
    taken = time.perf_counter() - begun
    if not math.isclose(results.alpha, alpha, rel_tol=1e-9):
        raise RuntimeError(f"The script finds an alpha of {results.alpha}, the main job one of {alpha}.")
    return taken


def main() -> None:
    """Measure and show."""
    before = measure_reference()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_votes().to_csv(folder / "votes.csv", index=False)
        seconds, alpha = measure(folder)
        after = measure_reference()
        script = measure_script(folder / "votes.csv", alpha=alpha)
    inner = seconds.pop("crowd-kit's own")
    whole, reference = sum(seconds.values()), (before + after) / 2
    show(
        "The main job on 100,000 votes",
        [
            *(Figure(part, value, "s") for part, value in seconds.items()),
            Figure("whole", whole, "s"),
            Figure("crowd-kit's own share", inner / whole, "share"),
            Figure("crowd-kit's Dawid-Skene alone", reference, "s"),
            build_ratio("whole to Dawid-Skene alone", whole, reference, most=GOAL),
            Figure("a researcher's script", script, "s"),
            Figure("whole to the script", whole / script, "times"),
        ],
    )


if __name__ == "__main__":
    main()
