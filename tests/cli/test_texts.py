"""`hromada texts`: the file of a new language, what is found in it, and where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from babel import Locale

if TYPE_CHECKING:
    from _command import Hromada

BROKEN = """\
language-name = English
agree = Мен бұл шартпен толығымен келісемін
agreed = Рақмет!
noted = { $who }
left = { $left ->
   *[one] { $left } сұрақ
}
sikp = Өткізу
back = ‹ Артқа
back = Артқа
words-yes = иә, жоқ
words-no = жоқ, так
command-start = Жалғастыру: /go
common-zones = Asia/Astana
this is junk
"""
FAULTS = [
    (1, "language-name", "It is the name of en.", "Write what the language calls itself."),
    (2, "agree", "'Мен бұл шартпен толығымен келісемін' has 35 characters; there is room for 20.", "Shorten it."),
    (3, "agreed", "The variable $version is lost.", "Write { $version } where it belongs."),
    (4, "noted", "There is no variable $who here.", "It has no variables."),
    (5, "left", "The plural form [other] of $left is missing, as for 0.", "Add a line [other]."),
    (8, "sikp", "The bot has no message of this name.", "Did you mean `skip`?"),
    (10, "back", "It is already on line 9.", "Keep one of the two."),
    (12, "words-no", "'жоқ' is also a word of words-yes.", "Leave it out: people may type both languages."),
    (12, "words-no", "'так' is also a word of words-yes of uk.", "Leave it out: people may type both languages."),
    (13, "command-start", "The bot has no command /go.", "Commands are not translated."),
    (14, "common-zones", "'Asia/Astana' is not a time zone.", "Write it like Europe/Kyiv."),
    (15, None, "Fluent cannot read 'this is junk'.", "Write `name = text`; indent further lines."),
]
PROJECT = """\
project: words
title: Сөздер
language: kk
instructions: Әріптерді санаңыз.
question: {type: choice, text: Қай сөз ұзын?, options: [бірінші, екінші]}
items: {file: items.csv, id: id, show: text}
overlap: 1
"""


def test_a_new_file_has_every_message_and_nothing_to_find_fault_with(hromada: Hromada) -> None:
    """Each with its meaning, its English text, and the plural forms of the language; a second time it is refused."""
    assert hromada("texts", "new", "pl", "--json").json["file"] == "pl.ftl"
    written = (hromada.folder / "pl.ftl").read_text("utf-8")
    assert "# Button, at most 20 characters: to change a typed answer before it is saved.\n# English: Edit\n" in written
    assert "# $left (5): how many questions are left for this annotator\n# English: 5 questions left\n" in written
    assert "        [few] { $left } questions left\n        [many] { $left } questions left\n       *[oth" in written
    assert "language-name = Polski\n" in written
    assert "        [5] maja\n" in written
    checked = hromada("texts", "check", "pl.ftl", "--json")
    assert checked.code == 0, checked.err
    assert checked.json["faults"] == checked.json["missing"] == []
    assert checked.json["messages"] > len(checked.json["unchanged"]) > 300
    assert "The file already exists." in hromada("texts", "new", "pl").err


@pytest.mark.parametrize("language", ["xx", "uk-UA", "Kazakh"])
def test_a_language_without_plural_forms_is_refused(hromada: Hromada, language: str) -> None:
    """CLDR names the languages."""
    refused = hromada("texts", "new", language)
    assert refused.code == 2
    assert f"language: '{language}' is not the code of a language that CLDR knows." in refused.err


def test_every_fault_is_found_with_its_line(hromada: Hromada) -> None:
    """All at once, with what to do; messages that are left out are counted, and are no fault."""
    hromada.write("kk.ftl", BROKEN)
    checked = hromada("texts", "check", "kk.ftl", "--json")
    assert checked.code == 2
    found = [tuple(fault[key] for key in ("line", "message", "problem", "remedy")) for fault in checked.json["faults"]]
    assert found == FAULTS
    assert "hromada: kk.ftl:12, words-no: 'жоқ' is also a word of words-yes. Leave it out" in checked.err
    assert len(checked.json["missing"]) == checked.json["messages"] - 10
    assert checked.json["plural_forms"] == ["one", "other"]
    assert Locale("kk").plural_form.tags == {"one"}


def test_a_language_is_added_by_a_setting(hromada: Hromada) -> None:
    """A file or a folder; with a fault in it nothing begins, and the fault is named."""
    hromada.write("items.csv", "id,text\n1,кіт — бегемот\n")
    hromada.write("project.yaml", PROJECT)
    assert "The bot does not speak kk" in hromada("check", "project.yaml").out
    (hromada.folder / "texts").mkdir()
    hromada.write("texts/kk.ftl", "language-name = Қазақ тілі\n")
    added = {"HROMADA_TEXTS": "texts"}
    assert "does not speak" not in hromada("check", "project.yaml", env=added).out
    assert "languages: uk, en, ru, pl, kk" in " ".join(hromada("doctor", env=added).out.split())
    hromada.write("texts/kk.ftl", BROKEN)
    for command in (("check", "project.yaml"), ("try", "project.yaml"), ("bot", "--local")):
        refused = hromada(*command, env=added)
        assert refused.code == 2
        assert "HROMADA_TEXTS: The texts of a further language cannot be used." in refused.err
        assert "texts/kk.ftl:3, agreed: The variable $version is lost." in refused.err
    assert hromada("doctor", env=added).code == 1
    assert "There is no Fluent file." in hromada("check", "project.yaml", env={"HROMADA_TEXTS": "nowhere"}).err
