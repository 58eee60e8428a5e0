"""Write the tables of coverage into the pages, from what benchmarks of coverage printed.

    python benchmarks/every_coverage.py --json > FILE; python docs/explanation/list_coverage.py FILE

Each table stands between `<!-- NAME -->` and `<!-- /NAME -->`. A file with the figures of one benchmark renews the
tables of that one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
UNITS = {"individual": "single answers", "dawid_skene": "Dawid–Skene"}
WITHOUT = "without interval"
MOST_MISSING = 0.1  # the share of campaigns without an interval from which on a cell says so


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table: the names of its first columns, then what a cell has side by side; without `kinds` one number.

    It is one for each set of columns that the first rows of designs have, if it `is_split`.
    """

    name: str
    suite: str
    heads: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    is_split: bool = False


PANELS = ("this panel", "a fresh panel")
TABLES = (
    Table(name="scores", suite="scores", heads=("design", "unit"), kinds=PANELS, is_split=True),
    Table(name="models", suite="models", heads=("design", "unit"), kinds=PANELS),
    Table(name="plans", suite="plans", heads=("design",), kinds=("half width reached",)),
    Table(name="found", suite="plans", heads=("design",), kinds=("difference found",)),
    Table(name="pilots", suite="pilots", heads=("design",), kinds=("a fresh panel",)),
    Table(name="panels", suite="panels", heads=("design",), kinds=("new people", "these people")),
    Table(name="gold", suite="gold", heads=("design",)),
    Table(name="opinions", suite="opinions", heads=("design", "interval")),
    Table(name="points", suite="opinions", heads=("design", "unit"), kinds=("a fresh panel",)),
    Table(name="further", suite="further", heads=("design", "interval")),
    Table(
        name="agreement",
        suite="agreement",
        heads=("design", "coefficient"),
        kinds=("covered", "width"),
    ),
)

Cells = dict[str, dict[str, float]]
"""The numbers of a row by column and kind."""


def read_rows(path: Path, table: Table) -> dict[tuple[str, ...], Cells]:
    """The rows of a table by their first columns."""
    rows: dict[tuple[str, ...], Cells] = {}
    for line in path.read_text("utf-8").splitlines():
        figure = json.loads(line)
        suite, _, name = figure["figure"].partition(": ")
        parts, n = name.split(" | "), len(table.heads)
        kind = parts[n + 1] if len(parts) > n + 1 else ""
        if suite == table.suite and len(parts) > n and kind in {*table.kinds, WITHOUT if table.kinds else ""}:
            rows.setdefault(tuple(parts[:n]), {}).setdefault(parts[n], {})[kind] = figure["value"]
    return rows


def write_tables(rows: Mapping[tuple[str, ...], Cells], table: Table) -> Iterator[str]:
    """The lines of a table, or of those that it is split into."""
    every = tuple(dict.fromkeys(name for cells in rows.values() for name in cells if not name.startswith("width")))
    of_designs: dict[str, tuple[str, ...]] = {}
    parts: dict[tuple[str, ...], list[tuple[tuple[str, ...], Cells]]] = {}
    for row, cells in rows.items():
        own = tuple(name for name in cells if not name.startswith("width"))
        key = of_designs.setdefault(row[0], own) if table.is_split else every
        parts.setdefault(key, []).append((row, cells))
    for key, listed in parts.items():
        columns = dict.fromkeys([*key, *(name for _, cells in listed for name in cells if name.startswith("width"))])
        kinds = {name: [kind for kind in table.kinds or ("",) if _has(listed, name, kind)] for name in columns}
        yield "\n" + join_cells([*table.heads, *(_quote(name) for name in columns)])
        yield join_cells(["---"] * (len(table.heads) + len(columns)))
        for row, cells in listed:
            yield join_cells([*_name_row(row), *(write_cell(cells.get(name, {}), kinds[name]) for name in columns)])


def _has(listed: Sequence[tuple[tuple[str, ...], Cells]], column: str, kind: str) -> bool:
    return any(kind in cells.get(column, {}) for _, cells in listed)


def _quote(name: str) -> str:
    """The name of a column, as code where it is one."""
    return f"`{name}`" if " " not in name or name.startswith("f1 ") else name


def _name_row(row: tuple[str, ...]) -> Iterator[str]:
    design, *others = row
    yield design
    for name in others:
        unit, comma, rest = name.partition(", ")
        yield f"{UNITS[unit]}{comma}{rest}" if unit in UNITS else f"`{name}`" if "_" in name else name


def write_cell(kinds: Mapping[str, float], shown: Sequence[str]) -> str:
    """The numbers side by side, and how many campaigns had no interval where they are many."""
    if not kinds.keys() & set(shown):
        return "–"
    missing = kinds.get(WITHOUT, 0.0)
    none = f" ({missing:.0%} without)" if missing >= MOST_MISSING else ""
    return " / ".join(write_share(kinds[kind]) if kind in kinds else "–" for kind in shown) + none


def find_page(table: Table) -> Path:
    """The page that has a table."""
    return next(path for path in sorted(FOLDER.glob("*.md")) if f"<!-- {table.name} -->" in path.read_text("utf-8"))


def write_share(share: float) -> str:
    """Three decimals without the zero before the point."""
    return f"{share:.3f}".removeprefix("0")


def join_cells(cells: Sequence[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    """Renew the tables that the file has figures of."""
    for table in TABLES:
        rows = read_rows(Path(sys.argv[1]), table)
        if rows:
            path, start, stop = find_page(table), f"<!-- {table.name} -->\n", f"<!-- /{table.name} -->"
            before, _, rest = path.read_text("utf-8").partition(start)
            after = rest.partition(stop)[2]
            path.write_text(f"{before}{start}{''.join(write_tables(rows, table))}\n{stop}{after}", "utf-8")


if __name__ == "__main__":
    main()
