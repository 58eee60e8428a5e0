"""The data sheet: known fields are filled, the others are empty and listed with what belongs there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from exports.heds import TO_FILL, build_heds_file
from exports.release_state import compute_release_state


def expand(pattern: str) -> list[str]:
    """The names that a pattern like a-{b,c} or a-1..3 of the reference stands for."""
    numbers = re.search(r"1\.\.(\d)", pattern)
    if numbers:
        return [pattern.replace(numbers[0], str(number)) for number in range(1, int(numbers[1]) + 1)]
    choice = re.search(r"\{([^{}]*)\}", pattern)
    if not choice:
        return [pattern]
    return [name for part in choice[1].split(",") for name in expand(pattern.replace(choice[0], part.strip()))]


def test_every_field_of_the_reference_is_there(make_release: Any, shared: Path) -> None:
    """The names in B3 of the reference, of which some begin with an ellipsis."""
    text = (shared / "reference" / "benchmark-build.md").read_text("utf-8")
    section = text.split("## B3.")[1].split("## B4.")[0]
    found = json.loads(build_heds_file(compute_release_state(make_release.inputs())))
    parts = [one for part in re.findall(r"`([^`]*-[^`]*)`", section) for one in expand(part.lstrip("…-"))]
    known = "\n".join(found)
    missing = [part for part in parts if part.replace(",…", "") not in known and "…" not in part]
    assert len(parts) > 30
    assert set(missing) <= {"description"}


def test_what_is_known_is_filled_and_the_rest_listed(make_release: Any) -> None:
    found = json.loads(build_heds_file(compute_release_state(make_release.inputs())))
    listed = found.pop("hromada-to-fill")
    assert {name for name, value in found.items() if not value} == set(TO_FILL)
    assert set(listed) == set(TO_FILL)
    assert found["heds-sample_evaluators_design-evaluators-number_of_evaluators"] == "8"
    assert found["heds-ethics-review_body"].startswith("not sought")


def test_what_imported_votes_do_not_tell_is_listed(make_release: Any) -> None:
    project = make_release.project(imported=True, frames=(), plan=None, rules=(), controls="", repeats="")
    found = json.loads(build_heds_file(compute_release_state(make_release.inputs(project=project))))
    name = "heds-sample_evaluators_design-evaluators-training_practice"
    assert (found[name], name in found["hromada-to-fill"]) == ("", True)
