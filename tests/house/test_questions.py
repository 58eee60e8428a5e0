"""The pages in docs/questions: their commands run as written on the votes of README, and they are short."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from _tables import write_table

from tests.house.page_runner import BLOCK, ROOT, PageReader

if TYPE_CHECKING:
    from _command import Hromada

FOLDER = ROOT / "docs/questions"
MOST_WORDS = 700
TYPED = (
    *("which-agreement", "how-many-people", "is-my-baseline-publishable", "the-reviewer-says", "low-alpha.uk"),
    *("careless-answers.uk", "how-many-people.uk"),
)


def test_a_question_has_a_short_answer() -> None:
    """At most 700 words each, and every page with commands is typed below."""
    pages = {path.name.removesuffix(".md"): path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    assert {name for name, text in pages.items() if len(text.split()) > MOST_WORDS} == set()
    with_commands = {
        name for name, text in pages.items() if any(language == "sh" for _, language, _ in BLOCK.findall(text))
    }
    assert with_commands == {*TYPED, "votes-in-excel.uk"}


@pytest.mark.slow
@pytest.mark.parametrize("page", TYPED)
def test_a_question_is_answered_as_written(hromada: Hromada, page: str) -> None:
    """Every command ends well in the folder of README's files."""
    for name, _, text in BLOCK.findall((ROOT / "README.md").read_text("utf-8")):
        if name and name != ".env":
            hromada.write(name, text)
    for words in (("new", "animals", "--from", "votes.csv"), ("load", "animals/project.yaml"), ("import", "animals")):
        assert hromada(*words).code == 0
    reader = PageReader(hromada.folder).read(f"docs/questions/{page}.md")
    assert reader.typed


def test_votes_in_excel_are_imported_as_the_page_says(hromada: Hromada) -> None:
    """A workbook with Ukrainian heads, one row per answer; then what the page types."""
    people = ("оля", "іван")
    rows = [{"завдання": number, "хто": who, "відповідь": "так"} for number in ("1", "2") for who in people]
    write_table(hromada.folder / "голоси.xlsx", rows)
    ran = hromada("new", "animals", "--from", "голоси.xlsx")
    assert ran.code == 0, ran.err
    PageReader(hromada.folder).read("docs/questions/votes-in-excel.uk.md")
    assert (hromada.folder / "export/report.uk.html").is_file()
