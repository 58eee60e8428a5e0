"""Every table of coverage at once: all benchmarks that simulate campaigns, one after the other.

    python benchmarks/every_coverage.py [--json] [--quick] [--only NAME] [--processes N]

It takes under 30 minutes on two cores. `--json` prints one object a line: figure, value, unit, goal, holds; of these
`docs/explanation/list_coverage.py FILE` makes the tables of the documents. `make coverage` does both.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _simulations import run

from benchmarks import (
    agreement_coverage,
    further_coverage,
    gold_review,
    opinion_coverage,
    paired_coverage,
    panel_differences,
    pilots,
    planning,
    score_coverage,
)

SUITES = tuple(
    benchmark.SUITE
    for benchmark in (
        further_coverage,
        agreement_coverage,
        pilots,
        panel_differences,
        gold_review,
        opinion_coverage,
        planning,
        paired_coverage,
        score_coverage,
    )
)

if __name__ == "__main__":
    sys.exit(run(*SUITES))
