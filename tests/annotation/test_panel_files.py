"""Panels in a project file: what they may say; every mistake has its line, its key and a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.campaigns import consistency, project_file
from annotation.campaigns.sections.panels import PanelSection, find_panels
from annotation.errors import BadInput
from annotation.vocabulary import Pool

PROJECT = """\
project: words
title: Слова
language: uk
kind: baseline
instructions: Читайте.
question: {type: choice, text: "Яке?", options: [кіт, пес]}
items: {file: words.csv, id: id, show: hint, gold: gold}
profile: [{name: native, text: "Рідна мова?", options: ["yes", "no"]}]
"""


@pytest.mark.parametrize(
    ("panels", "says"),
    [
        ("{}", "panels.experts: Who is in the panel 'experts'? Name a `cohort`, or answers of the `profile`."),
        ("{cohort: a, profile: {age: 5}}", "panels.experts.profile.age: The panel 'experts' asks for 'age'"),
        ("{profile: {native: так}}", "asks for 'native' to be 'так', which is not among its options"),
        ("{cohort: b}", "panels.lay: Everybody in the panel 'lay' is also in 'experts'; a person can be in one"),
        ("{cohort: [b], profile: {native: no}}", "panels.experts: Everybody in the panel 'experts' is also in 'lay'"),
        ("{cohort: a, votes: 2}", "panels.lay.votes: How many answers does an item get from the panel 'lay'? Add `vo"),
        ("{cohort: a, votes: 0}", "panels.experts.votes: '0' is too small. Write 1 or more."),
        ("{cohort: a, vote: 2}", "panels.experts.vote: This key is not known here. Did you mean `votes`?"),
        ("{cohort: a, gold: maybe}", "panels.experts.gold: 'maybe' is neither yes nor no. Write yes or no."),
    ],
)
def test_a_mistake_is_named_with_its_place_and_a_remedy(tmp_path: Path, panels: str, says: str) -> None:
    """By `hromada check` and `load` alike, which read the file."""
    file = tmp_path / "words.yaml"
    file.write_text(f"{PROJECT}panels: {{experts: {panels}, lay: {{cohort: b}}}}\noverlap: 3\n", "utf-8")
    with pytest.raises(BadInput) as refused:
        project_file.read_project(file)
    assert says in str(refused.value)
    assert "words.yaml:9:" in str(refused.value)


@pytest.mark.parametrize(
    ("overlap", "says"),
    [
        ("3", "overlap: The panels give 2 of experts and 3 of lay: write `overlap: 5`"),
        ("{min: 3, max: 5, confidence: 90 %}", "panels.experts.votes: The votes of a panel are a fixed number"),
    ],
)
def test_the_overlap_is_the_sum_of_the_votes(tmp_path: Path, overlap: str, says: str) -> None:
    """Another number would leave places to nobody, or take them from a panel."""
    file = tmp_path / "words.yaml"
    panels = "panels: {experts: {cohort: a, votes: 2}, lay: {cohort: b, votes: 3}}\n"
    file.write_text(f"{PROJECT}{panels}overlap: {overlap}\n", "utf-8")
    with pytest.raises(BadInput) as refused:
        project_file.read_project(file)
    assert says in str(refused.value)
    file.write_text(f"{PROJECT}{panels}overlap: 5\n", "utf-8")
    definition = project_file.read_project(file).definition
    assert [panel.votes for panel in definition.panels.values()] == [2, 3]
    weak = list(consistency.list_weaknesses(definition, {Pool.MAIN: 9}))
    assert len(weak) == 1
    assert weak[0].startswith("With an even number of answers (2) the majority of the panel 'experts' can tie")


def test_a_member_meets_every_condition() -> None:
    """Of a cohort and of the profile; one of several cohorts or answers is enough."""
    panels = {
        "experts": PanelSection(cohort=("a", "b")),
        "lay": PanelSection(cohort=("c",), profile={"native": ("yes", "both")}),
    }
    assert find_panels(panels, profile={}, cohorts={"b"}) == ("experts",)
    assert find_panels(panels, profile={"native": "both"}, cohorts={"c"}) == ("lay",)
    assert find_panels(panels, profile={"native": "no"}, cohorts={"c"}) == ()
    assert find_panels(panels, profile={"native": "yes"}, cohorts={"a", "c"}) == ("experts", "lay")
