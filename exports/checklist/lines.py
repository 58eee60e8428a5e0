"""The forty lines that a report of a human baseline must state, from lines.json beside this module.

`level` says what an unmet line does: `block` stops the release, `state` too (any value will do, an empty one will not),
`warn` is printed into the report.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Literal, NamedTuple

Level = Literal["block", "warn", "state"]


class Line(NamedTuple):
    """A line: its id, what must be stated, from which sources in the literature, and its level."""

    id: str
    must_state: str
    source: str
    level: Level


def _read_lines() -> tuple[Line, ...]:
    content = resources.files("exports.checklist").joinpath("lines.json").read_text("utf-8")
    return tuple(Line(**line) for line in json.loads(content))


LINES = _read_lines()
"""In their order."""
