"""What `check` says is still to be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands import campaign_check

PROJECT = """\
project: one
title: t
language: en
instructions: Read.
question: {{type: choice, text: Which?, options: [x, y]}}
items: {{file: items.csv, id: id, show: text, gold: gold}}
overlap: 2
stages: {{{stage}}}
"""


@pytest.mark.parametrize(
    ("stage", "says"),
    [
        ("training: {pool: {where: {id: b}}, pass_mark: 1 of 1}", ()),
        (
            "training: {pool: {where: {id: b}}, pass_mark: 2 of 3}",
            ("The training pool has 1 items, and its pass mark",),
        ),
        ("qualification: {pool: {where: {id: b}}, number: 2}", ("The qualification pool has 1 items, and `stages.",)),
        (
            "pilot: {pool: {where: {id: b}}, number: 2}",
            ("The pilot pool has 1 of 2 items. Put more into it, or ask for fewer.",),
        ),
    ],
)
def test_a_pool_that_is_too_small_is_told(tmp_path: Path, stage: str, says: tuple[str, ...]) -> None:
    """Before the start, which would refuse those that nobody could come through."""
    (tmp_path / "items.csv").write_text("id,text,gold\na,first text,x\nb,second text,y\n", "utf-8")
    file = tmp_path / "one.yaml"
    file.write_text(PROJECT.format(stage=stage), "utf-8")
    found = campaign_check.check_campaign(file).to_do
    assert len(found) == len(says)
    assert all(one.startswith(told) for one, told in zip(found, says, strict=True)), found
