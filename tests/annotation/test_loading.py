"""Files of items and votes as other tools write them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.campaigns import project_file, questions, yaml_document
from annotation.errors import BadInput
from annotation.loading import campaign, campaign_lint, judgements
from annotation.loading.judgements.other_tools import RawVote, build_item_id
from annotation.loading.tables import delimited
from annotation.vocabulary import CONTROL_ITEM, NO_ANSWER, Exclusion, ExclusionKind

HEADER = [
    "INPUT:text",
    "OUTPUT:answer",
    "GOLDEN:answer",
    "ASSIGNMENT:task_suite_id",
    "ASSIGNMENT:assignment_id",
    "ASSIGNMENT:worker_id",
    "ASSIGNMENT:status",
]
ROWS = [
    ["перший\nрядок; другий, «третій»", "так", "", "s1", "p1", "w1", "APPROVED"],
    ["другий", "ні", "", "s1", "p1", "w1", "APPROVED"],
    ["перший\nрядок; другий, «третій»", " так ", "", "s1", "p2", "w2", "REJECTED"],
    ["другий", "ні", "ні", "s1", "p2", "w2", ""],
    ["другий", "", "", "s1", "p3", "w3", "APPROVED"],
]


def written(path: Path, delimiter: str, *, start: str = "", end: str = "\n") -> Path:
    """The rows with every cell quoted."""
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in [HEADER, *ROWS]]
    path.write_bytes((start + end.join(lines) + end).encode())
    return path


def refused_at(call: Callable[[], object]) -> str | None:
    """The file that a refusal names; None where nothing was refused. Any other error goes through."""
    try:
        call()
    except BadInput as refusal:
        return str(refusal.where.file) if refusal.where else "nowhere"
    return None


def checked(file: Path) -> campaign.CampaignContents:
    """What a project file describes, once the lint has nothing against it."""
    described = project_file.read_project(file)
    found = campaign.read_contents(described)
    campaign_lint.refuse_errors(campaign_lint.lint_campaign(described, found), described, found)
    return found


def read(path: Path, **section: object) -> list[RawVote]:
    """The raw votes of a Toloka file."""
    return list(
        judgements.read_raw_votes(path, project_file.VotesSection.model_validate({"format": "toloka", **section}))
    )


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_toloka_files_are_read_whatever_separates_them(tmp_path: Path, delimiter: str, start: str, end: str) -> None:
    """Semicolon, tab and comma, with and without BOM, both line ends; line breaks within quotes stay."""
    votes = read(written(tmp_path / "votes.tsv", delimiter, start=start, end=end), item="INPUT:text")
    assert [vote.key[0] for vote in votes] == [row[0] for row in ROWS]
    assert [vote.annotator for vote in votes] == ["w1", "w1", "w2", "w2", "w3"]
    assert [vote.row.line for vote in votes] == [2, 4, 5, 7, 8]


def test_rejected_pages_and_control_tasks_come_with_their_reason(tmp_path: Path) -> None:
    """Every row is there; those that do not count say why."""
    votes = read(written(tmp_path / "votes.tsv", "\t"), item="INPUT:text")
    rejected = Exclusion(ExclusionKind.REJECTED, "status REJECTED")
    assert [vote.exclusion for vote in votes] == [None, None, rejected, CONTROL_ITEM, None]
    assert [vote.is_control for vote in votes] == [False, False, False, True, False]


def test_an_item_is_never_silently_its_text(tmp_path: Path) -> None:
    """Without a named key, suite and position are taken; where even those are missing, the question is asked."""
    votes = read(written(tmp_path / "votes.tsv", "\t"))
    assert [vote.key for vote in votes] == [("s1", "0"), ("s1", "1"), ("s1", "0"), ("s1", "1"), ("s1", "0")]
    (tmp_path / "bare.tsv").write_text("INPUT:text\tOUTPUT:answer\tASSIGNMENT:worker_id\nтекст\tтак\tw1\n", "utf-8")
    with pytest.raises(BadInput, match="Which columns make an item"):
        read(tmp_path / "bare.tsv")


def test_several_outputs_must_be_chosen_from(tmp_path: Path) -> None:
    """With two OUTPUT columns the project file has to name the one that counts."""
    text = "INPUT:t\tOUTPUT:a\tOUTPUT:b\tASSIGNMENT:worker_id\nx\t1\t2\tw\n"
    (tmp_path / "two.tsv").write_text(text, "utf-8")
    with pytest.raises(BadInput, match=r"2 columns that begin with OUTPUT"):
        read(tmp_path / "two.tsv", item="INPUT:t")
    assert read(tmp_path / "two.tsv", item="INPUT:t", answer="OUTPUT:b")[0].answer == "2"


def test_labels_are_stripped_mapped_and_counted(tmp_path: Path) -> None:
    """The normaliser reports every change; an empty answer is kept with its reason."""
    path = written(tmp_path / "votes.tsv", "\t")
    section = project_file.VotesSection.model_validate(
        {"format": "toloka", "item": "INPUT:text", "labels": {"map": {"так": "yes", "ні": "no"}}}
    )
    asked = [questions.ChoiceQuestion(type="choice", text="?", options=("yes", "no"))]
    materials = {build_item_id((row[0],)): questions.QuestionContent() for row in ROWS}
    found = campaign.read_votes(path, section, questions=asked, item_contents=materials)
    assert [vote.response for vote in found.votes] == ["yes", "no", "yes", "no", ""]
    assert found.votes[-1].exclusion == NO_ANSWER
    assert found.changed == {("так", "yes"): 1, ("ні", "no"): 2, (" так ", "yes"): 1}


def test_ids_of_items_are_stable() -> None:
    """One short value is the id itself; several, or a long one, become a digest that anybody can compute."""
    assert build_item_id(("42",)) == "42"
    assert build_item_id(("a", "b")) == "f04cdced9736a69d"
    assert build_item_id(("a", "b")) != build_item_id(("a\x1fb", "")) != build_item_id(("ab",))
    assert len(build_item_id(("x" * 65,))) == 16


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_any_text_is_a_document_or_a_sentence(text: str) -> None:
    """For any content of a project file: the result is a document, or one of our own errors that says where."""
    assert refused_at(lambda: yaml_document.parse_yaml(text, file=Path("p.yaml"))) in {None, "p.yaml"}


HARMFUL = (
    "[" * 3000,
    "a: " + "{b: " * 100,
    "a: &x [*x]",
    "a: !!set {b}",
    "? [a]\n: b\n",
    "b: *none\n",
    "\x07",
    "- a\n",
    "a: 'x",
)


@pytest.mark.parametrize("text", HARMFUL)
def test_documents_that_would_harm_are_refused(text: str) -> None:
    """Deep nesting, aliases, tags, lists as keys, control characters, open quotes."""
    with pytest.raises(BadInput):
        yaml_document.parse_yaml(text, file=Path("p.yaml"))


def test_scalars_stay_as_typed() -> None:
    """yes, no, numbers with zeros, dates: all text; only an empty value is none."""
    found = yaml_document.parse_yaml("a: yes\nb: 010\nc: 2026-01-01\nd:\ne: [no, 'null', ~]\n", file=Path("p.yaml"))
    assert found.data == {"a": "yes", "b": "010", "c": "2026-01-01", "d": None, "e": ["no", "null", None]}


@given(st.lists(st.lists(st.text(max_size=6), min_size=2, max_size=4), min_size=1, max_size=5), st.sampled_from(",;\t"))
def test_any_delimited_file_is_rows_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, cells: list[list[str]], delimiter: str
) -> None:
    """Whatever the cells, reading gives rows or a refusal that names the file."""
    path = tmp_path_factory.mktemp("cells") / "any.csv"
    path.write_text("\n".join(delimiter.join(row) for row in cells), "utf-8", newline="")
    assert refused_at(lambda: list(delimited.read_delimited(path))) in {None, str(path)}


def test_positions_are_codes_of_places(tmp_path: Path) -> None:
    """`labels: positions` counts from 0; named codes stand for places; too few of them are refused."""
    (tmp_path / "i.csv").write_text("id,t,a,b,c,gold\n1,x,p,q,r,C\n", "utf-8")
    text = "project: p\ntitle: p\nlanguage: en\nquestion: {{type: choice, text: q, labels: {labels}}}\nitems: {{file: i.csv, id: id, show: t, options: [a, b, c], gold: gold}}\noverlap: 1\n"  # noqa: E501
    (tmp_path / "p.yaml").write_text(text.format(labels="{positions: [A, B, C]}"), "utf-8")
    found = campaign.read_contents(project_file.read_project(tmp_path / "p.yaml"))
    assert found.choice_question is not None
    assert found.choice_question.classes == ("A", "B", "C")
    assert found.labels == {"1": ("A", "B", "C")}
    (tmp_path / "p.yaml").write_text(text.format(labels="{positions: [A, B]}"), "utf-8")
    with pytest.raises(BadInput, match="3 options, `labels` only 2 positions"):
        campaign.read_contents(project_file.read_project(tmp_path / "p.yaml"))
    (tmp_path / "p.yaml").write_text(text.format(labels="positions"), "utf-8")
    with pytest.raises(BadInput, match=r"'C' is not among the options \(0, 1, 2\)"):
        checked(tmp_path / "p.yaml")


def test_the_order_of_votes_is_kept(tmp_path: Path) -> None:
    """The tie rule `first` depends on it."""
    rows = [(str(n), f"w{n % 3}", random.Random(n).choice("ab")) for n in range(50)]  # noqa: S311
    (tmp_path / "v.csv").write_text("task,worker,label\n" + "".join(",".join(row) + "\n" for row in rows), "utf-8")
    found = judgements.read_raw_votes(
        tmp_path / "v.csv", project_file.VotesSection.model_validate({"format": "crowd-kit"})
    )
    assert [(vote.key[0], vote.annotator, vote.answer) for vote in found] == rows


def test_the_header_is_found_whatever_stands_before_it(tmp_path: Path) -> None:
    """Empty lines before it and between rows are passed over; a quoted separator in it decides nothing."""
    (tmp_path / "f.csv").write_text('\n\n"id;x;y",text\n1,a\n  \n2,b\n', "utf-8")
    found = [(row.line, dict(row.values)) for row in delimited.read_delimited(tmp_path / "f.csv")]
    assert found == [(4, {"id;x;y": "1", "text": "a"}), (6, {"id;x;y": "2", "text": "b"})]


FROM_VOTES = """\
project: p
title: p
language: en
question: {type: choice, text: q, labels: positions}
items: from votes
votes: {format: csv, file: v.csv, item: i, annotator: w, answer: a, options: [o1, o2]}
truth: {file: t.csv, item: i, gold: g}
"""


def contents(folder: Path, votes: str, truth: str = "i,g\n1,0\n") -> campaign.CampaignContents:
    """The items that these votes and this truth make."""
    (folder / "p.yaml").write_text(FROM_VOTES, "utf-8")
    (folder / "v.csv").write_text("i,w,a,o1,o2\n" + votes, "utf-8")
    (folder / "t.csv").write_text(truth, "utf-8")
    return campaign.read_contents(project_file.read_project(folder / "p.yaml"))


def test_rows_of_one_key_must_show_the_same(tmp_path: Path) -> None:
    """Two people who were shown the options in another order did not answer one item: refused with both lines."""
    assert len(contents(tmp_path, "1,ann,0,cat,dog\n1,bob,0,cat,dog\n").items) == 1
    with pytest.raises(BadInput, match=r"v\.csv:3, i: This row has the item key of line 2") as refusal:
        contents(tmp_path, "1,ann,0,cat,dog\n1,bob,0,dog,cat\n")
    assert "Add columns to `votes.item`" in str(refusal.value)


def test_truth_may_cover_more_than_was_answered_but_not_nothing(tmp_path: Path) -> None:
    """Truth of items without votes is passed over; truth that fits no item at all is a mistake."""
    assert [item.gold for item in contents(tmp_path, "1,ann,0,cat,dog\n", "i,g\n7,1\n1,0\n").items] == ["0"]
    for truth in ("i,g\n7,1\n", "i,g\n"):
        with pytest.raises(BadInput, match="No gold row matches"):
            contents(tmp_path, "1,ann,0,cat,dog\n", truth)


def test_truth_is_read_from_any_file_of_items(tmp_path: Path) -> None:
    """A list under a path, or Eval-UA-tion's tasks; a path in a table is refused."""
    instances = [{"question": 1, "correctAnswer": "0"}, {"question": 7, "correctAnswer": "1"}]
    (tmp_path / "t.json").write_text(json.dumps({"instances": instances}), "utf-8")
    (tmp_path / "v.csv").write_text("i,w,a,o1,o2\n1,ann,0,cat,dog\n", "utf-8")
    untold = FROM_VOTES[: FROM_VOTES.index("truth:")]
    for more in ("path: instances", "format: lmes"):
        truth = f"truth: {{file: t.json, {more}, item: question, gold: correctAnswer}}\n"
        (tmp_path / "p.yaml").write_text(untold + truth, "utf-8")
        assert [item.gold for item in campaign.read_contents(project_file.read_project(tmp_path / "p.yaml")).items] == [
            "0"
        ]
    (tmp_path / "p.yaml").write_text(untold + "truth: {file: v.csv, path: a, item: i, gold: g}\n", "utf-8")
    with pytest.raises(BadInput, match=r"Only a plain \.json"):
        campaign.read_contents(project_file.read_project(tmp_path / "p.yaml"))


def test_a_line_that_lacks_a_column_is_named(tmp_path: Path) -> None:
    """In JSON Lines each line is asked for the columns, not only the first."""
    (tmp_path / "i.jsonl").write_text('{"id": 1, "t": "x", "g": "a"}\n{"id": 2, "t": "y", "G": "a"}\n', "utf-8")
    text = "project: p\ntitle: p\nlanguage: en\nquestion: {type: choice, text: q, options: [a, b]}\n"
    (tmp_path / "p.yaml").write_text(text + "items: {file: i.jsonl, id: id, show: t, gold: g}\noverlap: 1\n", "utf-8")
    with pytest.raises(BadInput, match="no column 'g'"):
        campaign.read_contents(project_file.read_project(tmp_path / "p.yaml"))
