"""Campaigns whose items have equal ids: unrelated ones do not touch each other, and the same texts are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

WIDE = {"COLUMNS": "400"}
PROJECT = """\
project: {name}
title: t
language: en
instructions: Read.
kind: baseline
question: {{type: choice, text: Which?, options: [x, y]}}
items: {{file: {name}.csv, id: id, show: text, gold: gold{group}}}
overlap: 2
"""
STORIES = "id,text,gold\n1,a cat,x\n2,a dog,y\n3,a cow,x\n"
WORDS = "id,text,gold\n2,sun,y\n3,moon,x\n4,star,x\n"


def write(hromada: Hromada, name: str, rows: str, *, group: str = "", more: str = "") -> None:
    """The files of a project."""
    hromada.write(f"{name}.yaml", PROJECT.format(name=name, group=group) + more)
    hromada.write(f"{name}.csv", rows)


def test_other_texts_with_equal_ids_are_told_and_start(hromada: Hromada) -> None:
    """By check and by start, with counts and with what to do; ids that nobody shares are not told."""
    write(hromada, "stories", STORIES)
    write(hromada, "words", WORDS)
    assert hromada("load", "stories.yaml").code == 0
    told = "2 of 3 ids are also in stories, without a shared group."
    checked = hromada("check", "words.yaml", env=WIDE)
    assert checked.code == 0
    assert f"Warning: words: {told} Name `group:` in both files if they are the same texts." in checked.out
    assert hromada("load", "words.yaml").code == 0
    assert told in hromada("start", "words", "--json").json["notes"][-1]
    assert "also in" not in hromada("check", "stories.yaml", env={"HROMADA_DATABASE_URL": "sqlite:///none.db"}).out


@pytest.mark.parametrize(
    ("group", "more", "starts"),
    [
        ("", "", False),
        (", group: id", "", True),
        (", group: none", "", False),
        ("", "exposure: {exceptions: [stories]}\n", True),
    ],
)
def test_the_same_texts_with_equal_ids_need_a_group_or_an_exception(
    hromada: Hromada, group: str, more: str, starts: bool
) -> None:
    """A text is the same in another Unicode form, too; an empty cell of the group counts as no column."""
    write(hromada, "stories", STORIES.replace("a cow", "A\u030a cow"))
    write(
        hromada,
        "again",
        STORIES.replace("a cow", "Å cow ")
        .replace("gold\n", "gold,none\n")
        .replace("x\n", "x,\n")
        .replace("y\n", "y,\n"),
        group=group,
        more=more,
    )
    assert hromada("load", "stories.yaml").code == 0
    checked = hromada("check", "again.yaml", env=WIDE)
    assert checked.code == (0 if starts else 2)
    assert hromada("load", "again.yaml").code == 0
    started = hromada("start", "again", env=WIDE)
    assert started.code == (0 if starts else 2)
    if not starts:
        for refused in (checked, started):
            assert "3 items have the id and the text of an item of 'stories', and no group: 1, 2, 3." in refused.err
            assert "list stories under `exposure.exceptions`" in refused.err


def test_projects_of_a_programme_are_compared_before_any_is_loaded(hromada: Hromada) -> None:
    """Nothing is in a database yet."""
    write(hromada, "stories", STORIES)
    write(hromada, "words", STORIES)
    hromada.write(
        "all.yaml",
        "programme: all\ntitle: t\nlanguage: en\nprojects: [{file: stories.yaml}, {file: words.yaml}]\n",
    )
    refused = hromada("check", "all.yaml", env=WIDE)
    assert refused.code == 2
    assert "the text of an item of 'words'" in refused.err
    assert "the text of an item of 'stories'" in refused.err


def test_a_follow_up_hands_on_the_groups_of_its_parent(hromada: Hromada) -> None:
    """Whether a column named them or each item was its own; the follow-up need not name the column."""
    hromada.write("p.yaml", PROJECT.format(name="p", group="").replace("kind: baseline\n", ""))
    hromada.write("p.csv", STORIES)
    assert hromada("load", "p.yaml").code == 0
    hromada.write(
        "next.yaml",
        "project: next\ntitle: t\nlanguage: en\ninstructions: Read.\nkind: baseline\noverlap: 1\n"
        "question: {type: choice, text: Which?, options: [x, y]}\n"
        "items: {file: items.jsonl, id: id, show: text, gold: gold}\n",
    )
    made = hromada("follow-up", "next", "--from", "p", "--where", "gold = x", "--project", "next.yaml")
    assert made.code == 0, made.err
    assert hromada("check", "next/project.yaml").code == 0
    assert hromada("load", "next/project.yaml").code == 0
    assert hromada("start", "next", "--json").json["notes"][-1].startswith("A release will ask for")
    assert hromada("status", "next", "--item", "1", "--json").json["group"] == "p:1"


def test_votes_may_name_a_group(hromada: Hromada) -> None:
    """So that a campaign of imported votes and a later baseline share what was answered."""
    hromada.write(
        "old.yaml",
        "project: old\ntitle: t\nlanguage: en\nquestion: {type: choice, text: Which?, options: [x, y]}\n"
        "items: from votes\n"
        "votes: {format: csv, file: v.csv, item: id, show: text, group: id, annotator: who, answer: says}\n",
    )
    hromada.write("v.csv", "id,text,who,says\n1,a cat,ann,x\n2,a dog,ann,y\n")
    assert hromada("load", "old.yaml").code == 0
    assert hromada("import", "old").code == 0
    write(hromada, "stories", STORIES, group=", group: id")
    assert hromada("load", "stories.yaml").code == 0
    refused = hromada("start", "stories", env=WIDE)
    assert "2 of its groups (1 and so on) were answered in 'old' by people from outside" in refused.err
