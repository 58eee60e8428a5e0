"""What a newcomer meets who types what README says, and slips on the way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.house.page_runner import BLOCK, ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _command import Hromada


@pytest.fixture
def readme(hromada: Hromada) -> Hromada:
    """The command in a folder with README's files but the token, and with votes of its first three people."""
    for name, _, text in BLOCK.findall((ROOT / "README.md").read_text("utf-8")):
        if name and name != ".env":
            hromada.write(name, text)
    rows = [line.split(",")[:5] for line in (hromada.folder / "votes.csv").read_text("utf-8").splitlines()]
    hromada.write("votes.csv", "".join(f"{','.join(row)}\n" for row in rows))
    assert hromada("new", "animals", "--from", "votes.csv").code == 0
    return hromada


@pytest.fixture
def imported(readme: Hromada) -> Hromada:
    """With the votes of README."""
    for words in (("load", "animals/project.yaml"), ("import", "animals")):
        assert readme(*words).code == 0
    return readme


def test_an_export_without_answers_says_so(readme: Hromada) -> None:
    """Tables are written all the same; whoever forgot to import learns why they are empty."""
    readme("load", "animals/project.yaml")
    ran = readme("export", "animals", "--to", "empty")
    assert (ran.code, "animals has no answers yet: import votes" in ran.out) == (0, True), ran.out
    readme("import", "animals")
    assert "no answers yet" not in readme("export", "animals", "--to", "full").out


def test_votes_alone_need_no_start_and_nothing_else_is_asked_of_them(imported: Hromada) -> None:
    """The one reason, without what only people would need."""
    ran = imported("start", "animals")
    assert (ran.code, "It needs no start" in ran.err, "instructions" in ran.err) == (2, True, False), ran.err


@pytest.mark.slow
def test_a_reason_is_said_once_and_tables_stand_apart(imported: Hromada) -> None:
    """With all the metrics that it is true of; the mean posterior is named before it is explained."""
    scores = imported("baseline", "animals").out
    reason = "With 3 people nothing can be said of new ones; 5 are needed."
    assert f"individual, majority of 3: accuracy, macro_f1, weighted_f1, mcc: {reason}" in scores
    assert scores.count(reason) == scores.count("Fewer than 5 items have an error") == 1
    assert re.findall(r"[^\n]\nanimals · ", scores) == []
    assert "\ndawid_skene_iaa: mean over items" in imported("agreement", "animals").out
    gate = imported("release", "animals", "release", "--draft").out
    assert re.search(r"^ +With 3 people nothing can be said of new ones; 5 are needed\.$", gate, re.MULTILINE), gate


def test_pseudonyms_stand_in_their_row_and_what_is_copied_in_one_line(imported: Hromada) -> None:
    """In a terminal of 80 columns."""
    narrow = {"COLUMNS": "80"}
    by_annotator = imported("agreement", "animals", "--by", "annotator", env=narrow).out
    assert len(re.findall(r"^\w{12} +agreement_with_rest", by_annotator, re.MULTILINE)) == 3, by_annotator
    imported("load", "longer-word.yaml")
    assert re.search(r"/start \w{16}", imported("invite", "longer-word", env=narrow).out)


@pytest.mark.parametrize(
    ("file", "words", "says"),
    [
        ({}, ("bot",), "`hromada bot --local` needs none"),
        ({}, ("status",), "go to the folder where the database is"),
        ({"longer-word.yaml": ("language: en", "language: ua")}, ("check", "longer-word.yaml"), "Write language: uk."),
        (
            {"longer-word.yaml": ("type: choice", "type: choice\n  options: [a, b]")},
            ("check", "longer-word.yaml"), "keep one of both",
        ),
    ],
)  # fmt: skip
def test_a_slip_is_told_with_its_remedy(
    readme: Hromada, file: dict[str, tuple[str, str]], words: Sequence[str], says: str
) -> None:
    """What was meant, or where to look for it."""
    for name, (right, wrong) in file.items():
        readme.write(name, (readme.folder / name).read_text("utf-8").replace(right, wrong))
    ran = readme(*words)
    assert (ran.code, says in ran.err) == (2, True), ran.err


def test_the_doctor_finds_a_misspelt_setting(readme: Hromada) -> None:
    """It would be passed over without a word; other programs' names are none of its business."""
    readme.write(".env", "PATH_TO=x\nHROMADA_TELEGRAM_TOKEN=1:a\nHROMADA_TELEGRM_NAME=words_bot\n")
    ran = readme("doctor")
    assert (ran.code, "HROMADA_TELEGRM_NAME in .env is not a setting." in ran.out) == (1, True), ran.out
    assert "Did you mean HROMADA_TELEGRAM_NAME?" in ran.out
    readme.write(".env", "HROMADA_TELEGRAM_NAME=words_bot\n")
    assert readme("doctor").code == 0


def test_the_templates_are_listed_in_the_language_of_the_commands(hromada: Hromada) -> None:
    """English, where none is named."""
    assert re.search("[а-я]", hromada("new", "--list").out) is None
