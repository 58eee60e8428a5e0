"""One name in two Unicode forms is one item, one person, one label; look-alikes that remain are told."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

WIDE = {"COLUMNS": "400"}
VOTES = """\
project: words
title: t
language: uk
question: {type: choice, text: "Так?", options: ["так", "ні"]}
items: from votes
votes: {format: csv, file: votes.csv, item: word, annotator: who, answer: says}
"""


def decompose(text: str) -> str:
    """The text as macOS writes it: a letter and its mark are two signs."""
    return unicodedata.normalize("NFD", text)


def test_a_word_in_two_forms_is_one_item_with_all_its_votes_and_its_gold(hromada: Hromada) -> None:
    """Composed and decomposed: 2 items, 6 votes, nothing without gold."""
    hromada.write("words.yaml", VOTES + "truth: {file: truth.csv, item: word, gold: is}\n")
    hromada.write(
        "votes.csv",
        f"word,who,says\nїжак,Юлія,так\n{decompose('їжак')},Олег,так\nїжак,Петро,ні\n"
        f"мій,Юлія,так\n{decompose('мій')},Олег,так\nмій,Петро,так\n",
    )
    hromada.write("truth.csv", f"word,is\n{decompose('їжак')},так\nмій,так\n")
    checked = hromada("check", "words.yaml", "--json").json
    assert (checked["items"], checked["with gold"], checked["votes"], checked["warnings"]) == (2, 2, 6, [])
    assert hromada("load", "words.yaml").code == 0
    assert hromada("import", "words").code == 0
    assert hromada("status", "words", "--json").json["answers"] == 6
    percent = hromada("agreement", "words", "--json").json["coefficients"][0]
    assert percent["n_items"] == 2
    shown = hromada("status", "words", "--item", decompose("мій"), "--json")
    assert shown.code == 0, shown.err


def test_a_person_in_two_forms_is_one_who_voted_twice(hromada: Hromada) -> None:
    """Not two people who agree on everything."""
    hromada.write("words.yaml", VOTES)
    rows = "".join(f"{item},{who},так\n" for item in "12345" for who in ("Андрій", decompose("Андрій"), "Андрій "))
    hromada.write("votes.csv", f"word,who,says\n{rows}")
    assert hromada("load", "words.yaml").code == 0
    imported = hromada("import", "words", "--json").json
    assert (imported["annotators"], imported["retained"], imported["repeats"]) == (1, 5, 10)
    hromada.write("more.csv", f"word,who,says\n1,{decompose('Андрій')},ні\n")
    again = hromada("import", "words", "more.csv", "--json").json
    assert (again["annotators"], again["retained"]) == (1, 0)
    listed = hromada("people", "list", "words", "--votes", "votes.csv", "--json").json
    assert len(listed["people"]) == 1


def test_labels_and_gold_in_another_form_are_the_options(hromada: Hromada) -> None:
    """They are stored as the option is spelled, so that every count takes them for the same."""
    hromada.write(
        "words.yaml",
        VOTES.replace('["так", "ні"]', f'["її", "{decompose("мій")}"]')
        + "truth: {file: t.csv, item: word, gold: is}\n",
    )
    hromada.write(
        "votes.csv", f"word,who,says\n1,ann,{decompose('її')}\n1,bob,її\n2,ann,мій\n2,bob,{decompose('мій')}\n"
    )
    hromada.write("t.csv", f"word,is\n1,{decompose('її')}\n2,мій\n")
    assert hromada("check", "words.yaml").code == 0
    assert hromada("load", "words.yaml").code == 0
    imported = hromada("import", "words", env=WIDE)
    assert "label 'мій' became 'міи·U+0306'" in imported.out
    assert "label 'ії·U+0308'" not in imported.out
    scored = hromada("baseline", "words", "--json").json
    assert scored["units"][0]["scores"][0]["value"] == 1.0


@pytest.mark.parametrize("other", ["The cat sat. ", " The cat sat.\n", "The cat sat.\r\n"])
def test_outer_blanks_and_line_ends_make_no_other_text(hromada: Hromada, other: str) -> None:
    """Of two rows with the same key."""
    hromada.write("words.yaml", VOTES.replace("item: word,", "item: id, show: text,"))
    hromada.write("votes.csv", f'id,text,who,says\n1,The cat sat.,ann,так\n1 ,"{other}",bob,так\n')
    checked = hromada("check", "words.yaml", "--json")
    assert checked.code == 0, checked.err
    assert (checked.json["items"], checked.json["votes"]) == (1, 2)


def test_a_text_that_is_another_one_is_told_where_it_differs(hromada: Hromada) -> None:
    """Both texts, from where they differ first."""
    hromada.write("words.yaml", VOTES.replace("item: word,", "item: id, show: text,"))
    hromada.write("votes.csv", "id,text,who,says\n1,The cat sat.,ann,так\n1,The cаt sat.,bob,так\n")
    refused = hromada("check", "words.yaml", env=WIDE)
    assert refused.code == 2
    assert "but another text or other options: 'The cat sat.' and 'The c·U+0430·t sat.'" in refused.err


def test_labels_that_look_like_an_option_are_told_with_the_odd_sign(hromada: Hromada) -> None:
    """A Cyrillic е in yes, a zero width, a no-break space inside."""
    hromada.write("words.yaml", VOTES.replace('["так", "ні"]', '["yes", "no way"]'))
    hromada.write("votes.csv", "word,who,says\n1,ann,yеs\n1,bob,ye\u200bs\n2,ann,no\u00a0way\n")
    refused = hromada("check", "words.yaml", env=WIDE)
    assert refused.code == 2
    assert (
        "Labels that are not among the options (yes, no way): 'y·U+0435·s' (1 time), 'ye·U+200B·s' (1 time),"
        " 'no·U+00A0·way' (1 time)." in refused.err
    )
    hromada.write("votes.csv", "word,who,says\n1,ann,yes\n")
    hromada.write(
        "words.yaml", VOTES.replace('["так", "ні"]', "[x, y]") + "truth: {file: t.csv, item: word, gold: is}\n"
    )
    hromada.write("votes.csv", "word,who,says\n1,ann,x\n")
    hromada.write("t.csv", "word,is\n1,х\n")
    refused = hromada("check", "words.yaml", env=WIDE)
    assert "The gold 'U+0445' is not among the options (x, y)." in refused.err


def test_look_alikes_that_remain_are_told_at_check_and_import(hromada: Hromada) -> None:
    """Ids and annotators that differ in case or alphabet may be different, and are kept apart."""
    hromada.write("words.yaml", VOTES)
    hromada.write("votes.csv", "word,who,says\nw1,Ann,так\nW1,ann,так\nкiт,bob,так\nкіт,bob,ні\n")
    told = [
        (
            "Some item ids look alike and are different: 'W1' and 'w1'; 'к·U+0069·т' and 'кіт'."
            " Give them one spelling if they are the same."
        ),
        "Some annotators look alike and are different: 'Ann' and 'ann'. Give them one spelling if they are the same.",
    ]
    assert hromada("check", "words.yaml", "--json").json["warnings"] == told
    assert hromada("load", "words.yaml").code == 0
    assert hromada("import", "words", "--json").json["warnings"] == told


def test_items_of_a_file_have_one_id_in_every_form(hromada: Hromada) -> None:
    """Two rows are refused; a file that is saved in the other form changes no item; so does an id in a command."""
    project = VOTES.partition("items:")[0] + "items: {file: items.csv, id: id, show: text, gold: gold}\noverlap: 1\n"
    hromada.write("words.yaml", project + "instructions: Read.\n")
    hromada.write("items.csv", f"id,text,gold\nмій,one,так\n{decompose('мій')},two,ні\n")
    refused = hromada("check", "words.yaml", env=WIDE)
    assert "Duplicate id 'міи·U+0306', first used on line 2." in refused.err
    hromada.write("items.csv", "id,text,gold\nмій,її,так\nїжак,two,ні\n")
    assert hromada("load", "words.yaml").code == 0
    hromada.write("items.csv", decompose("id,text,gold\nмій,її,так\nїжак,two,ні\n"))
    changed = hromada("load", "words.yaml", "--plan", "--json").json
    assert (changed["changes"], changed["refused"]) == ({}, {})
    assert hromada("load", "words.yaml").code == 0
    found = hromada("status", "words", "--item", decompose("їжак"), "--json")
    assert found.json["item_id"] == "їжак"
