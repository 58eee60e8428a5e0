"""Samples and pools: the same seed draws the same items, strata keep their shares, frames are recorded."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.campaigns import project_file
from annotation.errors import BadInput
from annotation.loading import campaign, pools
from annotation.vocabulary import Pool

PROJECT = """\
project: sampled
title: Вибірка
language: uk
question: {type: choice, text: "Так?", options: [так, ні]}
items: {file: items.csv, id: id, show: text, gold: gold, group: story, sample: {number: 40, by: kind, seed: 3}}
stages: {pilot: {pool: {sample: {number: 5, groups: yes, seed: 4}}}}
overlap: 1
"""


def rows(n: int = 120) -> list[str]:
    """Items of three kinds (6 : 3 : 1), two of them in every story."""
    kinds = ["проза"] * 6 + ["вірш"] * 3 + ["казка"]
    return [f"i{number:03},текст {number},так,s{number // 2},{kinds[number % 10]}" for number in range(n)]


def read(folder: Path, lines: list[str], text: str = PROJECT) -> campaign.CampaignContents:
    """The contents of a project with these items."""
    (folder / "items.csv").write_text("\n".join(["id,text,gold,story,kind", *lines]) + "\n", "utf-8")
    (folder / "p.yaml").write_text(text, "utf-8")
    return campaign.read_contents(project_file.read_project(folder / "p.yaml"))


def test_a_stratified_sample_keeps_the_shares_and_the_pools_apart(tmp_path: Path) -> None:
    """40 of 110 items: 24, 12 and 4 give or take one; the pilot has five whole stories; nobody meets a story twice."""
    found = read(tmp_path, rows())
    main = [item for item in found.items if item.pool is Pool.MAIN]
    pilot = [item for item in found.items if item.pool is Pool.PILOT]
    assert (len(main), len(pilot), len({item.group for item in pilot})) == (40, 10, 5)
    assert not {item.group for item in main} & {item.group for item in pilot}
    counts = Counter(str(item.data["kind"]) for item in main)
    assert all(abs(counts[kind] - 40 * share) <= 1 for kind, share in (("проза", 0.6), ("вірш", 0.3), ("казка", 0.1)))


def test_the_order_of_the_file_does_not_matter_and_the_frame_is_recorded(tmp_path: Path) -> None:
    """The same ids are drawn from a shuffled file; anyone can compute the hash of the frame."""
    lines = rows()
    first = read(tmp_path, lines)
    random.Random(1).shuffle(lines)  # noqa: S311
    second = read(tmp_path, lines)
    drawn = [sorted(item.external_id for item in found.items) for found in (first, second)]
    assert drawn[0] == drawn[1]
    assert [frame.to_dict() for frame in first.frames] == [frame.to_dict() for frame in second.frames]
    pilot, main = first.frames
    assert (pilot.pool, pilot.n_drawn, pilot.n_candidates, pilot.seed) == (Pool.PILOT, 10, 120, 4)
    ids = "\n".join(f"i{number:03}" for number in range(120))
    assert pilot.sha256 == hashlib.sha256(ids.encode()).hexdigest()
    counts = (main.n_drawn, main.n_candidates, main.by, sum(of for _, of in main.strata.values()))
    assert counts == (40, 110, "kind", 110)


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 50), min_size=1, max_size=6), st.data())
def test_quotas_sum_up_and_stay_within_one_of_the_share(sizes: dict[str, int], data: st.DataObject) -> None:
    """Largest remainders: nothing lost, nothing above its size."""
    total = sum(sizes.values())
    number = data.draw(st.integers(1, total))
    quotas = pools.divide_by_size(sizes, number)
    assert sum(quotas.values()) == number
    assert all(abs(quotas[name] - number * size / total) < 1 for name, size in sizes.items())
    assert all(quotas[name] <= size for name, size in sizes.items())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("number: 40", "number: 400", "Cannot draw 400 items: there are only 110"),
        ("groups: yes, ", "", "share a group with main items"),
        ("number: 40, by", "number: 40, share: 5 %, by", "Give `number` or `share`"),
        ("by: kind", "by: sort", "no column 'sort'"),
        ("groups: yes, ", "by: sort, ", "no column 'sort', by which the pilot items are chosen"),
    ],
)
def test_samples_that_cannot_be_are_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    """Too many, groups torn apart, unknown strata."""
    with pytest.raises(BadInput, match=says):
        read(tmp_path, rows(), PROJECT.replace(old, new))
