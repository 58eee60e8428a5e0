"""Votes on two systems in each row: one item per question and pair, whatever side each system was on."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.campaigns.questions import QuestionContent
from annotation.campaigns.questions.preference import PreferenceQuestion
from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput
from annotation.loading.judgements.comparison_votes import read_votes
from annotation.loading.vote_parser import LabelNormaliser, SpanClassReader, VoteParser

SECTION = VotesSection(format="comparisons")
QUESTION = PreferenceQuestion(
    type="preference", text="?", sides=("text_a", "text_b"), systems=("model_a", "model_b"), tie="same"
)
TEXT = """\
question_id,model_a,model_b,winner,judge,text_a,text_b
7,x,y,model_a,j1,of x,of y
7,y,x,model_a,j2,of y,of x
7,y,x,tie,j3,of y,of x
"""


def parse(path: Path, systems: tuple[str, str]) -> list[tuple[str, list[int] | None]]:
    """The stored answers and orders of an item that has the systems in this order."""
    parser = VoteParser(questions=[QUESTION], section=SECTION, span_classes=SpanClassReader(section=SECTION))
    content = QuestionContent(options=("1", "2"), fields=dict(zip(("model_a", "model_b"), systems, strict=True)))
    normalise = LabelNormaliser(SECTION.labels)
    drafts = [
        parser.parse_vote(vote, item="7", content=content, normalise=normalise) for vote in read_votes(path, SECTION)
    ]
    return [(draft.response, draft.option_order) for draft in drafts]


def test_sides_follow_the_systems(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(TEXT)
    votes = list(read_votes(path, SECTION))
    assert {vote.key for vote in votes} == {("7", "x", "y")}
    assert {(vote.row.values["text_a"], vote.row.values["text_b"]) for vote in votes} == {("of x", "of y")}
    assert parse(path, ("x", "y")) == [("first", [0, 1, 2]), ("second", [1, 0, 2]), ("tie", [1, 0, 2])]
    assert parse(path, ("y", "x")) == [("second", [1, 0, 2]), ("first", [0, 1, 2]), ("tie", [0, 1, 2])]
    with pytest.raises(BadInput, match="The row compares x and y, its item x and z"):
        parse(path, ("x", "z"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("left,right,winner\na,b,left\n", "does not say who answered"),
        ("left,right,winner,judge\na,b,left,j\n", "does not say what was compared"),
        ("one,two,winner\na,b,left\n", "No row compares two systems"),
    ],
)
def test_a_file_that_lacks_what_an_import_needs_is_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        list(read_votes(path, SECTION))
