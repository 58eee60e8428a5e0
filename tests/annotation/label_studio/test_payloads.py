"""Tasks that are sent, and what comes back as answers: every kind of question, there and back."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregation.sides import SIDES
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import QuestionContent
from annotation.campaigns.questions.question_base import parse_answers
from annotation.errors import BadInput
from annotation.label_studio import configs, decision_payloads, payloads
from annotation.label_studio.texts import load_texts
from annotation.store.models import Item
from annotation.workflow.review.adjudication_queue import OpenCase
from annotation.workflow.review.cases import Candidate

TEXT = "Лисиця 🦊 знайшла дзеркало.\n\nВона подивився в нього."
OWN = ["пес", "кіт", "вовк"]


def project(*questions: dict[str, Any], **more: Any) -> ProjectFile:
    """A project of these questions over a text with a generator's name beside it."""
    own = any(one["type"] in {"choice", "choices"} and "options" not in one for one in questions)
    shown = [{"field": "topic"}, {"field": "text", "title": "Текст"}, {"field": "gold", "step": 2}]
    items = {"file": "x.jsonl", "id": "id", "show": shown, "gold": "gold", "explanation": "why"}
    items |= {"options": "options"} if own else {}
    start = {"project": "p", "title": "П", "language": "uk", "overlap": 1, "items": items}
    return ProjectFile.model_validate(start | {"questions": list(questions)} | more)


def item(**more: Any) -> Item:
    """An item as the database keeps it, with all that must not be shown."""
    data = {"id": "i1", "topic": "Тема", "text": TEXT, "gold": "ЗОЛОТО", "why": "БО ТАК", "model": "gemini-pro"}
    pieces: list[dict[str, Any]] = [
        {"field": field, "text": str(data[field]), "title": None, "fold": False, "gap": None, "marks": [], "step": step}
        for field, step in (("topic", 1), ("text", 1), ("gold", 2))
    ]
    stored: dict[str, Any] = {"data": data, "options": OWN, "pieces": pieces, "gold": "ЗОЛОТО", "explanation": "БО ТАК"}
    stored |= {"external_id": "i1", "group_id": "ГРУПА", "revision": 3, "stratum": "СТРАТА", "tags": ["МІТКА"]}
    return Item(**{**stored, **more})


CHOICE = {"name": "answer", "type": "choice", "text": "Що?"}
EDIT = {"name": "fixed", "type": "edit", "text": "Виправте.", "field": "text"}


def test_a_task_of_the_first_pass_holds_what_is_shown_and_nothing_else() -> None:
    """Our id, the item's, what the first step shows, its options in their order: no gold, no other field, no group."""
    task = payloads.build_task(project(CHOICE), item(), assignment_id=41, option_order={"answer": [2, 0, 1]})
    assert task == {
        "data": {
            "hromada": 41,
            "item": "i1",
            "shown": (
                '<div class="hr-piece"><div class="hr-words">Тема</div></div>'
                f'<div class="hr-piece"><div class="hr-words">{TEXT}</div></div>'
            ),
            "options_answer": [
                {"value": "вовк", "alias": "вовк", "hotkey": "1"},
                {"value": "пес", "alias": "пес", "hotkey": "2"},
                {"value": "кіт", "alias": "кіт", "hotkey": "3"},
            ],
        },
        "meta": {"project": "p", "revision": 3},
    }


def test_gold_has_no_way_into_a_first_pass() -> None:
    """It comes with the first answers or not at all."""
    with pytest.raises(ValueError, match="second pass"):
        payloads.build_task(project(CHOICE), item(), assignment_id=1, gold={"answer": "пес"})


def test_a_second_pass_shows_the_first_answer_the_right_one_and_why() -> None:
    """The later step's fields are shown, the first answers stand beside the right ones, in words."""
    later = {"name": "boxes", "type": "choices", "text": "Вади?", "options": ["а", "б"], "required": False, "step": 2}
    asked = project(CHOICE | {"labels": "positions"}, later)
    task = payloads.build_task(asked, item(), assignment_id=1, first={"answer": "1"}, gold={"answer": "0"})
    assert "ЗОЛОТО" in task["data"]["shown"]
    assert '<tr class="hr-other"><th>Що?</th><td>кіт</td><td>пес</td></tr>' in task["data"]["second"]
    assert "БО ТАК" in task["data"]["second"]
    assert "options_answer" not in task["data"]
    listed = '<b>Варіанти.</b> <span class="hr-option">пес</span> <span class="hr-option">кіт</span>'
    assert listed in task["data"]["second"]  # one of the faults is that options repeat
    without = payloads.build_task(asked, item(), assignment_id=1, first={"answer": "1"})["data"]["second"]
    assert "<td>кіт</td><td>—</td>" in without
    assert "БО ТАК" not in without


def test_positions_are_stored_where_words_are_shown_and_who_abstains_has_always_the_last_key() -> None:
    """Aliases are what is stored."""
    asked = project(CHOICE | {"labels": "positions", "abstain": "не знаю"})
    task = payloads.build_task(asked, item(), assignment_id=1, option_order={"answer": [1, 2, 0, 3]})
    assert [tuple(one.values()) for one in task["data"]["options_answer"]] == [
        ("кіт", "1", "1"), ("вовк", "2", "2"), ("пес", "0", "3"), ("не знаю", "не знаю", "0"),
    ]  # fmt: skip


def test_more_options_than_keys_have_none() -> None:
    """The twelfth option is chosen by mouse."""
    many = [f"варіант {number}" for number in range(12)]
    options = payloads.build_task(project(CHOICE), item(options=many), assignment_id=1)["data"]["options_answer"]
    assert [one.get("hotkey") for one in options] == [*"1234567890", None, None]


def test_more_options_than_digits_have_no_letters_where_texts_are_typed() -> None:
    """Label Studio would give those without a key a letter, which words typed outside of the field press."""
    many = [f"варіант {number}" for number in range(12)]
    typed = project(CHOICE, {"name": "why", "type": "text", "text": "Чому?"})
    for n_options, pressed in ((12, 0), (10, 10)):
        task = payloads.build_task(typed, item(options=many[:n_options]), assignment_id=1)
        keys = [one["hotkey"] for one in task["data"]["options_answer"]]
        assert len({*keys}) == n_options
        assert sum("+" not in key for key in keys) == pressed


def test_markup_in_an_item_is_text() -> None:
    """Nothing of an item becomes an element of the page."""
    data = {"topic": "<img src=x onerror=alert(1)>", "text": "a & b", "gold": "g"}
    pieces = [dict(piece, text=data[piece["field"]]) for piece in item().pieces or []]
    shown = payloads.build_task(project(CHOICE), item(pieces=pieces), assignment_id=1)["data"]["shown"]
    assert "<img" not in shown
    assert "a &amp; b" in shown


def test_two_marks_in_a_sentence_look_different() -> None:
    """The first and any further one, as in the chat: somebody is asked whether «вона» means «лисиця»."""
    pieces = [dict((item().pieces or [])[1], marks=[[0, 6], [28, 32]])]
    shown = payloads.build_task(project(CHOICE), item(pieces=pieces), assignment_id=1)["data"]["shown"]
    assert re.findall('<span class="([^"]+)">([^<]+)</span>', shown) == [
        ("hr-mark", "Лисиця"),
        ("hr-mark hr-further", "Вона"),
    ]
    assert ".hr-further" in configs.render_label_config(project(CHOICE))


def said(name: str, kind: str, **value: Any) -> dict[str, Any]:
    """A part of a result, as Label Studio writes it."""
    return {"from_name": name, "to_name": "item:shown", "type": kind, "value": value, "id": "x", "origin": "manual"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (said("fixed", "textarea", text=["Нове."]), "Нове."),
        (said("fixed", "textarea", text="Нове."), "Нове."),
        ({"from_name": "fixed", "value": ["Нове."]}, "Нове."),
        ({"from_name": "fixed", "value": "Нове."}, "Нове."),
        (said("fixed", "textarea", text=[TEXT, "Нове."]), "Нове."),
        (said("fixed", "textarea", text=["Нове.", TEXT]), "Нове."),
        (said("fixed", "textarea", text=[TEXT, TEXT]), TEXT),
        (said("fixed", "textarea", text=[TEXT]), TEXT),
    ],
)
def test_a_corrected_text_comes_in_any_form(value: dict[str, Any], expected: str) -> None:
    """Of two texts, the one that differs from what was filled in."""
    assert payloads.read_answers(project(EDIT), item(), [value]) == {"fixed": expected}


def test_in_a_second_pass_the_text_that_was_filled_in_is_the_first_answer() -> None:
    """The first correction is what is filled in, so the other text is the answer."""
    task = payloads.build_task(project(EDIT), item(), assignment_id=1, first={"fixed": "Перше."})
    assert task["data"]["edit_fixed"] == "Перше."
    result = [said("fixed", "textarea", text=["Перше.", TEXT])]
    assert payloads.read_answers(project(EDIT), item(), result, first={"fixed": "Перше."}) == {"fixed": TEXT}


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([said("fixed", "textarea", text=["Одне.", "Друге."])], "has 2 answers in Label Studio: Одне. · Друге."),
        ([said("verdict", "choices", choices=["так"])], "'verdict', which the project does not ask"),
        ([said("answer", "choices", choices=["лев"])], "'лев' in Label Studio, which is not an option"),
        ([said("answer", "choices", choices=["пес", "кіт"])], "has 2 answers"),
        ([said("part", "labels", start=0, end=6), said("part:none", "choices", choices=["none"])], "said not to be"),
        ([said("part", "labels", globalOffsets={"start": 0, "end": 6}, text="Лисиці")], "where the item says 'Лисиця'"),
        ([said("part", "labels", labels=["part"])], "without a place"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_is_named(result: list[dict[str, Any]], message: str) -> None:
    """With the question and a remedy."""
    part = {"name": "part", "type": "span", "text": "Де?", "field": "text", "none": "ніде", "required": False}
    with pytest.raises(BadInput, match=message) as caught:
        payloads.read_answers(project(CHOICE | {"required": False}, EDIT | {"required": False}, part), item(), result)
    assert caught.value.remedy


def test_what_was_hidden_in_the_end_is_no_answer() -> None:
    """Reasons that were ticked before the verdict changed, and a text that was filled in, are left out."""
    verdict = CHOICE | {"options": ["добре", "погано"]}
    why = {"name": "why", "type": "choices", "text": "Чому?", "options": ["а", "б"], "show_if": {"answer": "погано"}}
    asked = project(verdict, why, EDIT | {"show_if": {"answer": "добре"}})
    both = [said("why", "choices", choices=["а"]), said("fixed", "textarea", text=[TEXT])]
    good = [*both, said("answer", "choices", choices=["добре"])]
    bad = [*both, said("answer", "choices", choices=["погано"])]
    assert payloads.read_answers(asked, item(), good) == {"answer": "добре", "fixed": TEXT}
    assert payloads.read_answers(asked, item(), bad) == {"answer": "погано", "why": ["а"]}


def test_no_box_at_all_is_an_answer_only_where_it_may_be() -> None:
    """Label Studio says nothing of boxes that nobody ticked."""
    boxes = {"name": "boxes", "type": "choices", "text": "Які?", "options": ["а", "б"]}
    assert payloads.read_answers(project(boxes), item(), []) == {"boxes": []}
    assert payloads.read_answers(project(boxes | {"required": False}), item(), []) == {}
    assert payloads.read_answers(project(boxes | {"least": 1}), item(), []) == {}


QUESTIONS: tuple[dict[str, Any], ...] = (
    CHOICE,
    {"name": "fixed.choice", "type": "choice", "text": "Так?", "options": ["так, певно", "ні$"], "abstain": "не знаю"},
    {"name": "boxes", "type": "choices", "text": "Які?", "options": ["а", "б", "в"]},
    {"name": "scale", "type": "scale", "text": "Як?", "options": ["1", "2", "3"]},
    {"name": "words", "type": "text", "text": "Чому?", "required": False},
    EDIT,
    {"name": "part", "type": "span", "text": "Де?", "field": "text", "most": 2, "none": "ніде"},
)
WRITTEN = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(lambda text: text.strip())
STORED = st.fixed_dictionaries(
    {
        "answer": st.sampled_from(OWN),
        "fixed.choice": st.sampled_from(["так, певно", "ні$", "не знаю"]),
        "boxes": st.sets(st.sampled_from(["а", "б", "в"])).map(sorted),
        "scale": st.sampled_from(["1", "2", "3"]),
        "words": st.none() | WRITTEN,
        "fixed": WRITTEN,
        "part": st.none()
        | st.sets(st.integers(0, len(TEXT)), min_size=2, max_size=2).map(sorted)
        | st.sets(st.integers(0, len(TEXT)), min_size=4, max_size=4).map(sorted),
    }
)


@pytest.mark.parametrize("value", [{"number": 70}, {"number": 70.0}, {"choices": ["70"]}])
def test_a_number_is_a_point_of_a_long_scale(value: dict[str, Any]) -> None:
    """As Label Studio writes it, in JSON and in CSV; one that the scale does not have is refused."""
    about = project({"name": "score", "type": "scale", "text": "Як?", "options": {"from": 0, "to": 100, "step": 10}})
    assert "Choices" in configs.render_label_config(about), "few points are options"
    about = project({"name": "score", "type": "scale", "text": "Як?", "options": {"from": 0, "to": 100, "step": 2}})
    assert 'max="100" step="2"' in configs.render_label_config(about)
    assert 'value="0 … 100"' in configs.render_label_config(about)
    assert payloads.read_answers(about, item(), [said("score", "number", **value)]) == {"score": "70"}
    with pytest.raises(BadInput, match="The scale goes 0 … 100"):
        payloads.read_answers(about, item(), [said("score", "number", number=71)])


def result_of(answers: dict[str, Any]) -> list[dict[str, Any]]:
    """What Label Studio would write for these answers."""
    found = [said(name, "choices", choices=[answers[name]]) for name in ("answer", "fixed.choice", "scale")]
    if answers["boxes"]:
        found.append(said("boxes", "choices", choices=answers["boxes"]))
    found += [said(name, "textarea", text=[answers[name]]) for name in ("words", "fixed") if answers[name] is not None]
    if answers["part"] is None:
        return [*found, said("part:none", "choices", choices=["none"])]
    for start, end in zip(answers["part"][::2], answers["part"][1::2], strict=True):
        text = TEXT[start:end].replace("\n", "\\n")
        found.append(said("part", "labels", globalOffsets={"start": start, "end": end}, text=text, labels=["part"]))
    return found


@given(STORED, st.randoms(use_true_random=False))
def test_every_kind_of_answer_comes_back(answers: dict[str, Any], chance: Any) -> None:
    """In whatever order Label Studio writes the controls, the answers are stored as they were given."""
    about, one = project(*QUESTIONS), item()
    result = result_of(answers)
    chance.shuffle(result)
    raw = payloads.read_answers(about, one, result)
    stored = parse_answers(about.all_questions, raw, QuestionContent(options=tuple(OWN), fields={"text": TEXT}))
    assert {name: stored[name] for name in ("answer", "fixed.choice", "scale")} == {
        name: answers[name] for name in ("answer", "fixed.choice", "scale")
    }
    assert json.loads(stored["boxes"]) == answers["boxes"]
    assert ("words" in stored) == (answers["words"] is not None)
    cuts = answers["part"] or []
    assert [(part["start"], part["end"]) for part in json.loads(stored["part"])] == list(
        zip(cuts[::2], cuts[1::2], strict=True)
    )


COMPARED = {
    "name": "better",
    "type": "preference",
    "text": "Яка краща?",
    "tie": "Однаково",
    "both_bad": "Обидві погані",
}
TALES = {"a": "Казка <перша>.", "b": "Казка друга.", "c": "Казка третя.", "m": "gemini", "n": "llama", "o": "qwen"}


@pytest.mark.parametrize(
    ("order", "shown", "labels"),
    [
        ([1, 0, 2, 3], "ba", ["second", "tie", "first", "both_bad"]),
        ([2, 0, 1, 3, 4], "cab", ["third", "first", "second", "tie", "both_bad"]),
    ],
)
def test_compared_texts_stand_side_by_side_and_answers_name_their_columns(
    order: list[int], shown: str, labels: list[str]
) -> None:
    """Texts and letters come in the recorded order, keys count the answers as shown, and no system is in the task."""
    n_sides = len(shown)
    about = project(COMPARED | {"sides": [*"abc"[:n_sides]], "systems": [*"mno"[:n_sides]]})
    one = item(
        data=TALES | {"topic": "Тема", "text": TEXT, "gold": "", "why": ""}, options=[TALES[c] for c in "abc"[:n_sides]]
    )
    task = payloads.build_task(about, one, assignment_id=1, option_order={"better": order})["data"]
    assert [task[f"side_{place}"] for place in range(1, n_sides + 1)] == [
        f'<div class="hr-words">{html.escape(TALES[column])}</div>' for column in shown
    ]
    words = {"tie": "Однаково", "both_bad": "Обидві погані"}
    words |= {SIDES[i]: f"{letter} краща" for letter, i in zip("АБВ", order[:n_sides], strict=False)}
    assert task["options_better"] == [
        {"value": words[label], "alias": label, "hotkey": str(place)} for place, label in enumerate(labels, start=1)
    ]
    assert not [system for system in ("gemini", "llama", "qwen") if system in json.dumps(task)]
    content = QuestionContent(options=tuple(one.options or ()))
    for label in labels:
        raw = payloads.read_answers(about, one, [said("better", "choices", choices=[label])])
        assert parse_answers(about.all_questions, raw, content) == {"better": label}


def test_adjudicators_choose_among_letters() -> None:
    """The texts are above the choice, in the order of the candidates, and no column or system is named."""
    about = project(COMPARED | {"sides": ["a", "b"], "systems": ["m", "n"]})
    one = item(data=TALES, options=[TALES["a"], TALES["b"]])
    votes = {"second": 2, "first": 1, "tie": 0, "both_bad": 0}
    opened = OpenCase(
        case_id=1,
        item=one,
        question=about.all_questions[0],
        candidates=tuple(Candidate(answer=answer, text="…", votes=n) for answer, n in votes.items()),
        reasons=(),
        reports=(),
    )
    data = decision_payloads.build_case_task(about, opened, number=1)["data"]
    assert [choice["value"] for choice in data["verdicts"]] == [
        "А краща · 2 голоси", "Б краща · 1 голос", "Однаково · 0 голосів", "Обидві погані · 0 голосів",
        "Завдання з помилкою",
    ]  # fmt: skip
    assert data["answers"].index(">А<") < data["answers"].index("Казка друга.") < data["answers"].index("перша&gt;")
    assert not [hidden for hidden in ("gemini", "llama") if hidden in json.dumps(data)]
    shown = decision_payloads.render_submission(one, [(about.all_questions[0], "first")], load_texts("uk"))
    assert shown.endswith('<div class="hr-words">А краща</div></div>')
    assert shown.index("перша&gt;") < shown.index("Казка друга.")
