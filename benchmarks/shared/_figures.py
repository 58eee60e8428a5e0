"""How a benchmark prints its figures: a table, or with --json one object a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Figure:
    """One measured figure; `goal` is what it should be, `holds` whether it is, None where there is no goal."""

    figure: str
    value: float
    unit: str
    goal: str | None = None
    holds: bool | None = None


def build_ratio(figure: str, value: float, to: float, *, most: float) -> Figure:
    """The ratio of two figures, which should be at most `most`."""
    return Figure(figure, value / to, "times", goal=f"<= {most:g}", holds=value <= most * to)


def show(title: str, figures: Iterable[Figure]) -> None:
    """Print the figures; the process ends with 1 where a goal is missed."""
    end(tell(title, figures))


def tell(title: str, figures: Iterable[Figure]) -> list[Figure]:
    """Print each figure as soon as it is there; returns all of them."""
    printed: list[Figure] = []
    if "--json" not in sys.argv[1:]:
        print(title, flush=True)
    for figure in figures:
        printed.append(figure)
        if "--json" in sys.argv[1:]:
            print(json.dumps(asdict(figure), ensure_ascii=False), flush=True)
            continue
        verdict = {True: "holds", False: "MISSED", None: ""}[figure.holds]
        print(
            f"  {figure.figure:<46} {figure.value:>10.3f} {figure.unit:<6} {figure.goal or '':<8} {verdict}", flush=True
        )
    return printed


def end(figures: Sequence[Figure]) -> None:
    """End the process with 1 where a goal is missed."""
    if any(figure.holds is False for figure in figures):
        sys.exit(1)
