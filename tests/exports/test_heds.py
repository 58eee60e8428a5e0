"""The data sheet: known fields are filled, the others are empty and listed with what belongs there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from exports.facts import ReleaseFacts
from exports.heds import NO_AGREEMENT, NO_REPEATS, TO_FILL, build_heds_file
from exports.release_state import ReleaseState, compute_release_state

SAMPLE = "heds-sample_evaluators_design-sample"
EVALUATORS = "heds-sample_evaluators_design-evaluators"
DESIGN = "heds-sample_evaluators_design-experimental_design"
CRITERION = "heds-criteria-criterion-response_elicitation"


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


@pytest.fixture(scope="module")
def programme(make_release: Any) -> ReleaseState:
    """Two projects: one with everything in order, one that declared nothing, planned nothing and repeated nothing."""
    full, bare = make_release.data_set("full"), make_release.data_set("bare")
    projects = (
        make_release.project("full"),
        make_release.project("bare", declared={}, plan=None, repeats="", controls="", rules=(), training_items=()),
    )
    facts = ReleaseFacts(name="p", title="P", language="uk", is_programme=True, projects=projects)
    source = make_release.source(full, bare, name="p", is_group=True)
    inputs = make_release.inputs(full, projects[0], facts=facts, data_sets=(full, bare), benchmark=source)
    return compute_release_state(inputs)


def test_what_one_project_does_not_tell_is_listed_with_its_name(programme: ReleaseState) -> None:
    found = json.loads(build_heds_file(programme))
    listed = found["hromada-to-fill"]
    payment = f"{EVALUATORS}-evaluators-payment"
    assert (found[payment], listed[payment]) == (
        "full: volunteers, unpaid",
        "whether, how and how much people were paid (missing for bare)",
    )
    assert found[f"{SAMPLE}-statistical_power-script"].startswith("full: ")
    assert found[f"{DESIGN}-quality_assurance-description"].endswith(
        "; bare: no quality rules, control items or repeats"
    )


def test_equal_numbers_of_several_projects_are_no_total(programme: ReleaseState) -> None:
    found = json.loads(build_heds_file(programme))
    assert found[f"{EVALUATORS}-number_of_evaluators"] == "full: 8; bare: 8"
    assert found[f"{SAMPLE}-number_of_system_outputs"] == "full: 12; bare: 12"
    assert found[f"{DESIGN}-collection_method"] == "telegram"


def test_nothing_is_said_of_what_was_not_done(make: Any, make_release: Any) -> None:
    """One answer an item, no repeat, no plan: no script, and no description of a coefficient that is not there."""
    data = make.data_set(items=[make.item("i1", "так")], responses=[make.response("i1", "a1", "так")])
    state = compute_release_state(make_release.inputs(data, make_release.project(plan=None)))
    found = json.loads(build_heds_file(state))
    assert found[f"{SAMPLE}-statistical_power-script"] == ""
    for name in ("inter_annotator-agreement", "inter_annotator-agreement_score"):
        assert found[f"{CRITERION}-{name}"] == NO_AGREEMENT
    for name in ("intra_annotator_agreement", "intra_annotator_agreement_score"):
        assert found[f"{CRITERION}-intra_annotator-{name}"] == NO_REPEATS


def test_what_people_saw_elsewhere_is_not_told_by_the_texts_of_the_file(make_release: Any) -> None:
    """The instructions of an imported project are in its file, and nobody knows whether anybody read them."""
    project = make_release.project(imported=True, platforms=("import",), frames=())
    found = json.loads(build_heds_file(compute_release_state(make_release.inputs(project=project))))
    for name in ("what_evaluators_see-link", "what_evaluators_see-description", "collection_method"):
        assert (found[f"{DESIGN}-{name}"], f"{DESIGN}-{name}" in found["hromada-to-fill"]) == ("", True)


def test_every_field_that_is_empty_is_listed_with_a_word_on_it(programme: ReleaseState) -> None:
    found = json.loads(build_heds_file(programme))
    listed = found.pop("hromada-to-fill")
    assert {name for name, value in found.items() if not value} <= set(listed) <= set(found)
    assert all(listed.values())


def test_the_same_release_gives_the_same_sheet(make_release: Any) -> None:
    first, second = (build_heds_file(compute_release_state(make_release.inputs())) for _ in range(2))
    assert first == second
