"""Which groups are drawn into the overlap sample, and which samples a project file may not have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotation.campaigns import project_file
from annotation.campaigns.sections.stages import SampledOverlap
from annotation.errors import BadInput
from annotation.loading import overlap_sample
from annotation.loading.campaign import read_contents

if TYPE_CHECKING:
    from tests.annotation.conftest import Sandbox

ITEMS = [(f"i{number:02}", f"g{number // 2}", "abb"[number % 3]) for number in range(60)]


def test_the_seed_draws_whole_groups_whatever_their_order() -> None:
    """A share of the groups, each stratum its share; what was drawn stays, and new groups fill the share up."""
    drawn = overlap_sample.draw_groups(ITEMS, share=0.2, seed=3)
    assert drawn == overlap_sample.draw_groups(ITEMS[::-1], share=0.2, seed=3)
    assert drawn != overlap_sample.draw_groups(ITEMS, share=0.2, seed=4)
    strata = {group: stratum for _, group, stratum in reversed(ITEMS)}
    assert Counter(strata[group] for group in drawn) == {"a": 2, "b": 4}
    new = [(f"k{number}", f"h{number}", None) for number in range(10)]
    earlier = {group for _, group, _ in ITEMS}
    grown = overlap_sample.draw_groups([*ITEMS, *new], share=0.2, seed=3, earlier=earlier, drawn=drawn)
    assert drawn < grown
    assert len(grown) == 8
    assert (grown - drawn).isdisjoint(earlier)


REFUSED = {
    "{sample: 0, of: 3}": "has no item: write `overlap: 1`",
    "{sample: 100 %, of: 3}": "has all items: write `overlap: 3`",
    "{each: 3, sample: 10 %, of: 3}": "write `of: 5`, or `overlap: 3` without a sample",
    "{sample: 10 %, of: 3, max: 5}": "belongs to a dynamic overlap, which has no sample: write {each, sample, of}",
    "{sample: 2 %, of: 3}": "one.yaml:7:11, overlap.sample: A sample of 2% of 20 groups is empty. Write `overlap: 1`,"
    " or a sample of 3% or more",
    "{sample: 99 %, of: 3}": "A sample of 99% of 20 groups is all of them. Write `overlap: 3`",
    "{sample: 10 %, of: 3}\npanels: {a: {cohort: x, votes: 3}}": "The votes of a panel are a fixed number",
    "{sample: 10 %, of: 3}\nvotes: {file: v.csv, item: id, annotator: a, answer: b}": "no sample can be drawn",
}


@pytest.mark.parametrize("overlap", REFUSED)
def test_a_sample_that_means_nothing_is_refused(overlap: str, sandbox: Sandbox) -> None:
    """The file, the line and what to write instead."""
    rows = "".join(f"i{number},t{number},g{number},x\n" for number in range(20))
    file = sandbox.write("one", rows=rows, more=f"overlap: {overlap}\n")
    with pytest.raises(BadInput) as refusal:
        read_contents(project_file.read_project(file))
    assert REFUSED[overlap] in str(refusal.value)
    assert f"{Path(file).name}:" in str(refusal.value)


@pytest.mark.parametrize("share", ["10 %", "10%", ".1", "0.1"])
def test_the_share_is_written_in_every_way(share: str, sandbox: Sandbox) -> None:
    """One vote is what other items get if nothing else is written."""
    file = sandbox.write("one", more=f"overlap: {{sample: {share}, of: 3}}\n")
    definition = project_file.read_project(file).definition
    assert definition.overlap == SampledOverlap(each=1, sample=0.1, of=3)
    assert (definition.min_overlap, definition.max_overlap) == (1, 3)
    assert project_file.parse_definition(definition.model_dump(mode="json")).overlap == definition.overlap
