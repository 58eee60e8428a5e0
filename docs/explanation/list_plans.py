"""Write the table of plans into intervals.md, from what the benchmark printed.

python benchmarks/planning.py --json > FILE; python docs/explanation/list_plans.py FILE
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("intervals.md")
HEADING, NEXT = "### Plans that were simulated\n", "## People as they go on\n"
FIGURE = re.compile(
    r"(?P<design>.+): (?P<unit>individual|majority), (?P<panel>this panel|a fresh panel), half width reached"
)
COLUMNS = [(unit, panel) for unit in ("individual", "majority") for panel in ("this panel", "a fresh panel")]
HEAD = (
    "| design | single answers, this panel | single answers, a fresh panel | majority, this panel |"
    " majority, a fresh panel |\n| --- | --- | --- | --- | --- |\n"
)


def list_rows(path: Path) -> str:
    """A row for each design: the shares of campaigns that reached the planned half widths."""
    rows: dict[str, dict[tuple[str, str], float]] = {}
    for line in path.read_text("utf-8").splitlines():
        figure = json.loads(line)
        named = FIGURE.fullmatch(figure["figure"])
        if named is not None:
            rows.setdefault(named["design"], {})[named["unit"], named["panel"]] = figure["value"]
    if not rows:
        sys.exit(f"{path}: no half widths of benchmarks/planning.py")
    cells = {design: " | ".join(write_share(row[key]) for key in COLUMNS) for design, row in rows.items()}
    return "".join(f"| {design} | {shares} |\n" for design, shares in cells.items())


def write_share(share: float) -> str:
    """Three decimals without the zero before the point."""
    return f"{share:.3f}".removeprefix("0")


def main() -> None:
    """Renew the table."""
    start, _, rest = PAGE.read_text("utf-8").partition(HEADING)
    end = rest.partition(NEXT)[2]
    PAGE.write_text(f"{start}{HEADING}\n{HEAD}{list_rows(Path(sys.argv[1]))}\n{NEXT}{end}", "utf-8")


if __name__ == "__main__":
    main()
