"""Write the tables of coverage into intervals.md, from what the benchmark printed.

python benchmarks/coverage.py --json > FILE; python docs/explanation/list_coverage.py FILE
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

PAGE = Path(__file__).with_name("intervals.md")
HEADING = "## Every cell that was simulated\n"
FIGURE = re.compile(
    r"(?P<design>.+): (?P<unit>individual|majority of \d+|majority|dawid_skene) (?P<metric>.+), (?P<kind>.+)"
)
KINDS = ("this panel", "a fresh panel", "width for a fresh panel", "without interval")
UNITS = {"individual": "single answers", "dawid_skene": "Dawid–Skene"}
MOST_MISSING = 0.1  # the share of campaigns without an interval from which on a cell says so

Cells = dict[str, dict[str, float]]
"""What was measured of the metrics of a design's unit, by metric and kind."""


def read_figures(path: Path) -> dict[tuple[str, str], Cells]:
    """The figures by design and unit."""
    rows: dict[tuple[str, str], Cells] = {}
    for line in path.read_text("utf-8").splitlines():
        figure = json.loads(line)
        named = FIGURE.fullmatch(figure["figure"])
        if named is None or named["kind"] not in KINDS:
            sys.exit(f"{path}: not a figure of benchmarks/coverage.py: {figure['figure']}")
        cells = rows.setdefault((named["design"], named["unit"]), {})
        cells.setdefault(named["metric"], {})[named["kind"]] = figure["value"]
    return rows


def list_tables(rows: dict[tuple[str, str], Cells]) -> Iterator[str]:
    """The lines of the tables, one for each set of metrics that the first unit of a design has."""
    of_designs: dict[str, tuple[str, ...]] = {}
    tables: dict[tuple[str, ...], list[str]] = {}
    for (design, unit), cells in rows.items():
        metrics = of_designs.setdefault(design, tuple(cells))
        tables.setdefault(metrics, []).append(write_row(design, unit, cells, metrics=metrics))
    for metrics, lines in tables.items():
        names = [f"`{metric}`" for metric in metrics]
        yield "\n" + join_cells(["design", "unit", *names, f"width of {names[0]}"])
        yield join_cells(["---"] * (len(metrics) + 3))
        yield from lines


def write_row(design: str, unit: str, cells: Cells, *, metrics: Sequence[str]) -> str:
    """The row of a design's unit: this panel / a fresh panel for each metric, and the width of the primary one."""
    shown = [write_cell(cells.get(metric, {})) for metric in metrics]
    width = cells[metrics[0]].get(KINDS[2])
    return join_cells([design, UNITS.get(unit, unit), *shown, "–" if width is None else write_share(width)])


def write_cell(kinds: dict[str, float]) -> str:
    """The coverage of this panel and of a fresh one, and how many campaigns had no interval where they are many."""
    if KINDS[0] not in kinds:
        return "–"
    missing = kinds.get(KINDS[3], 0.0)
    none = f" ({missing:.0%} without)" if missing >= MOST_MISSING else ""
    fresh = write_share(kinds[KINDS[1]]) if KINDS[1] in kinds else "–"
    return f"{write_share(kinds[KINDS[0]])} / {fresh}{none}"


def write_share(share: float) -> str:
    """Three decimals without the zero before the point."""
    return f"{share:.3f}".removeprefix("0")


def join_cells(cells: Sequence[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    """Renew the tables."""
    start = PAGE.read_text("utf-8").partition(HEADING)[0]
    PAGE.write_text(start + HEADING + "".join(list_tables(read_figures(Path(sys.argv[1])))), "utf-8")


if __name__ == "__main__":
    main()
