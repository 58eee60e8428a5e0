"""The second pass in the chat: blind first, then the gold; nothing blind can be changed after it was shown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import col, select

from annotation.store import invariants, models, queries
from annotation.store.models import Assignment, Judgement
from annotation.vocabulary import AssignmentStatus, ExclusionKind
from annotation.workflow.lifecycle import transitions
from bot import release
from bot.conversation.message_layout import build_button
from bot.conversation.updates_and_calls import ButtonAction
from exports.filtering.filtered_items import filter_data_sets

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
Row = tuple[int, int, dict[str, str] | None, str | None, ExclusionKind | None]
GOLD, WRONG = "золотко", "мідь"
BECAUSE = "бо так сказано"
QUESTIONS = """\
questions:
- {name: answer, type: choice, text: "Яке слово?", abstain: не знаю}
- {name: logic, type: choices, text: "Вади логіки?", options: [невідомо, кілька], required: no, step: 2}
- {name: grave, type: choice, text: "Дуже?", options: [так, ні], step: 2, show_if: {logic: кілька}}
- {name: late, type: choice, text: "Чому мідь?", options: [щось, інше], step: 2, required: no, show_if: {answer: мідь}}
"""
ITEMS = (
    "{{file: {name}.jsonl, where: {{pool: main}}, id: id, options: options, gold: gold, gold_origin: construction,"
    " explanation: why, show: [text, {{field: gold, title: Правильно, step: 2}}, {{field: note, step: 2}}]}}"
)


@pytest.fixture
def project(load: Load) -> Callable[..., None]:
    """Loads a project that asks in steps."""

    def loaded(more: str = "", *, n: int = 2, **keys: Any) -> None:
        rows = [
            {"id": f"{pool}{number}", "text": f"Слово {pool} {number}", "options": [WRONG, GOLD], "gold": GOLD,
             "why": BECAUSE, "note": "ПРИМІТКА", "pool": pool}
            for pool in ("main", "control", "training") for number in range(n)
        ]  # fmt: skip
        load(rows, more=QUESTIONS + more, items=ITEMS, **keys)

    return loaded


def read_rows(chat: Chat) -> list[Row]:
    """Occasion, revision, answers, reason of a skip and of an exclusion of all that is stored, oldest first."""
    with chat.db.transaction() as session:
        assert invariants.list_violations(session) == ()
        query = select(Assignment, Judgement).join(Judgement).order_by(col(Judgement.id))
        return [
            (one.occasion, answer.revision, answer.answers, answer.skip_reason, answer.excluded_kind)
            for one, answer in session.exec(query)
        ]


def find_first(chat: Chat) -> int:
    """The id of the oldest assignment."""
    with chat.db.transaction() as session:
        return session.exec(select(Assignment.id).order_by(col(Assignment.id))).first() or 0


def show_all(chat: Chat) -> str:
    """Every message and button that was ever shown."""
    return "\n".join(chat.story)


def test_the_gold_comes_after_the_blind_answer(project: Load, chat: Chat) -> None:
    """Not a word of the gold, of its pieces or of the questions of step 2 is shown before; all of it is after."""
    project()
    chat.begin()
    chat.story.clear()
    chat.say("/start")
    before = show_all(chat).replace(f"| {GOLD}]", "]")
    for hidden in GOLD, "Правильно", BECAUSE, "ПРИМІТКА", "Вади", "Дуже":
        assert hidden not in before
    chat.tap("А")
    options = f"Варіанти: {WRONG} · {GOLD} · не знаю"
    for shown in options, f"Ваша відповідь: {WRONG}", f"Правильна: {GOLD}", BECAUSE, "ПРИМІТКА", "Вади логіки?":
        assert shown in chat.last.text
    assert read_rows(chat) == [(0, 0, {"answer": WRONG}, None, None)]


def test_a_blind_answer_can_be_changed_no_more(project: Load, chat: Chat) -> None:
    """Neither by its own buttons, nor by an undo, nor by a reply: what was tapped before the gold stays."""
    project()
    chat.begin()
    card = chat.last
    chat.tap("А")
    [finished] = [screen for screen in chat.screens if screen.text.startswith("✓ 1")]
    assert finished.labels == []
    assignment = find_first(chat)
    chat.press(card.buttons[0][1].data, on=card)
    chat.press(build_button("…", ButtonAction.UNDO, assignment).data, on=card)
    assert chat.toasts[-1].startswith("Цю відповідь уже не змінити")
    chat.say("Б", reply_to=card.message_id)
    assert read_rows(chat) == [(0, 0, {"answer": WRONG}, None, None)]


def test_both_passes_are_stored(project: Load, chat: Chat) -> None:
    """Apart, as the gold was shown, and as a revision of the blind answer, which counts; as from Label Studio."""
    project()
    chat.begin()
    chat.tap("А")
    chat.tap("☐ кілька")
    chat.tap("Готово")
    chat.tap("Б")
    chat.tap("А")
    given = {"answer": WRONG, "logic": '["кілька"]', "grave": "ні", "late": "щось"}
    assert read_rows(chat) == [
        (0, 0, {"answer": WRONG}, None, None),
        (-1, 0, given, None, ExclusionKind.SECOND_PASS),
        (0, 1, given, None, None),
    ]
    with chat.db.transaction() as session:
        found = queries.get_project(session, "words")
        assert queries.list_missing_passes(session, found) == frozenset()
        assert queries.count_judged_items(session, found) == 1
        answered = session.exec(select(models.Participation.answered)).one()
        assert answered == 1


def test_conditions_on_the_blind_answer_hold(project: Load, chat: Chat) -> None:
    """A question that only a wrong answer brings is not asked after a right one."""
    project()
    chat.begin()
    chat.tap("Б")
    assert "Ви відповіли правильно" in chat.last.text
    chat.tap("Усе гаразд")
    assert read_rows(chat)[-1][:3] == (-1, 0, {"answer": GOLD})
    assert "Чому мідь?" not in show_all(chat)


@pytest.mark.parametrize("way", ["tap", "type", "twice"])
def test_nothing_wrong_is_an_answer(project: Load, chat: Chat, way: str) -> None:
    """One tap, or typed; a second tap on the same button changes nothing."""
    project()
    chat.begin()
    chat.tap("Б")
    card = chat.last
    button = next(button for row in card.buttons for button in row if button.label == "Усе гаразд")
    if way == "type":
        chat.say("Усе гаразд!")
    else:
        for _ in range(2 if way == "twice" else 1):
            chat.press(button.data, on=card)
    assert read_rows(chat) == [
        (0, 0, {"answer": GOLD}, None, None),
        (-1, 0, {"answer": GOLD}, None, ExclusionKind.SECOND_PASS),
    ]
    with chat.db.transaction() as session:
        assert queries.count_judged_items(session, queries.get_project(session, "words")) == 1
    assert "Слово main 1" in chat.last.text


def read_statuses(chat: Chat) -> list[str]:
    """What the filtering decides on each main item."""
    with chat.db.transaction() as session:
        (project,) = release.read_projects(session, ["words"])
        assert project.joint_answers is not None
        (filtered,) = filter_data_sets([project.joint_answers])
    return [item.status for item in filtered.items if item.item_id.startswith("main")]


def test_the_status_says_whether_the_second_pass_was_done(project: Load, chat: Chat) -> None:
    """Not judged after the blind answer; kept where nothing is wrong, removed for what is."""
    project("filtering: {problems: [logic]}\n")
    chat.begin()
    chat.tap("Б")
    assert read_statuses(chat) == ["not judged", "not judged"]
    chat.tap("Усе гаразд")
    assert read_statuses(chat) == ["kept", "not judged"]
    chat.tap("Б")
    chat.tap("☐ невідомо")
    chat.tap("Готово")
    assert read_statuses(chat) == ["kept", "removed"]


def test_a_second_pass_can_be_changed(project: Load, chat: Chat) -> None:
    """Boxes that were ticked before are gone from the final answer where the new one has none."""
    project()
    chat.begin()
    chat.tap("Б")
    chat.tap("☐ невідомо")
    chat.tap("Готово")
    chat.tap("Змінити")
    chat.tap("1")
    chat.tap("☑ невідомо")
    chat.tap("Усе гаразд")
    final = {"answer": GOLD}
    assert read_rows(chat)[1:] == [
        (-1, 0, final | {"logic": '["невідомо"]'}, None, ExclusionKind.SECOND_PASS),
        (0, 1, final | {"logic": '["невідомо"]'}, None, None),
        (-1, 1, final, None, ExclusionKind.SECOND_PASS),
        (0, 2, final, None, None),
    ]


def test_a_second_pass_can_be_skipped(project: Load, chat: Chat) -> None:
    """The blind answer stays and counts; nobody has judged the item."""
    project()
    chat.begin()
    chat.tap("Б")
    chat.tap("Пропустити")
    chat.tap("Не знаю")
    assert [(row[0], row[2], bool(row[3]), row[4]) for row in read_rows(chat)] == [
        (0, {"answer": GOLD}, False, None),
        (-1, None, True, ExclusionKind.SECOND_PASS),
    ]
    with chat.db.transaction() as session:
        found = queries.get_project(session, "words")
        assert len(queries.list_missing_passes(session, found)) == 1
        assert queries.count_judged_items(session, found) == 0
    assert "Слово main 1" in chat.last.text


def test_a_skip_and_an_abstention_have_no_second_pass(project: Load, chat: Chat) -> None:
    """There is nothing to compare; and both can be undone, as no gold was shown."""
    project()
    chat.begin()
    chat.tap("В")
    assert "Слово main 1" in chat.last.text
    chat.tap("Пропустити")
    chat.tap("Не знаю")
    assert [row[0] for row in read_rows(chat)] == [0, 0]
    assert GOLD not in show_all(chat).replace(f"| {GOLD}]", "]")


def test_an_abstention_that_becomes_an_answer_has_one_later(project: Load, chat: Chat) -> None:
    """The item in hand comes first: there is never more than one live item."""
    project(n=2)
    chat.begin()
    chat.tap("В")
    chat.tap("Змінити")
    chat.tap("А", on=next(screen for screen in chat.screens if screen.labels[-1:] == ["Залишити як було"]))
    chat.tap("В")
    assert "тепер із правильною відповіддю" in chat.last.text
    assert "Слово main 0" in chat.last.text


def test_a_pause_of_the_project_loses_no_second_pass(project: Load, chat: Chat) -> None:
    """It is shown again once the project goes on, days later too; then the next item comes."""
    project()
    chat.begin()
    chat.tap("Б")
    for change in (transitions.pause_project, transitions.start_project):
        with chat.db.transaction() as session:
            change(session, project=queries.get_project(session, "words"), now=chat.now)
        chat.now += timedelta(days=2)
        chat.say("/start")
        if change is transitions.pause_project:
            assert "зупинено" in chat.last.text
            with chat.db.transaction() as session:
                second = session.exec(select(Assignment).where(Assignment.occasion == -1)).one()
                assert second.status is AssignmentStatus.EXPIRED
    assert "Вади логіки?" in chat.last.text
    chat.tap("Усе гаразд")
    assert [row[0] for row in read_rows(chat)] == [0, -1]
    assert "Слово main 1" in chat.last.text


def test_an_item_of_two_passes_is_one_answer(project: Load, chat: Chat) -> None:
    """At the end one answer is counted; that nothing is wrong can be changed, as any answer can."""
    project("", n=1)
    chat.begin()
    chat.tap("Б")
    chat.tap("Усе гаразд")
    assert "Сьогодні: 1 · загалом: 1" in chat.last.text
    assert [screen.labels for screen in chat.screens if screen.buttons] == [["Змінити"], ["Так, напишіть"]]


def test_a_control_item_looks_like_any_other(project: Load, chat: Chat) -> None:
    """It has a second pass too, so that nobody can tell it; it counts no more than before."""
    project("pages: {items: 2}\ncontrols: {pool: {where: {pool: control}}, per_page: 1}\n")
    chat.begin()
    for _ in range(2):
        chat.tap("Б")
        assert "тепер із правильною відповіддю" in chat.last.text
        chat.tap("Усе гаразд")
    with chat.db.transaction() as session:
        found = session.exec(select(Assignment.is_control, Assignment.occasion).order_by(col(Assignment.id))).all()
        assert sorted(found)[:4] == [(False, -1), (False, -1), (False, 0), (False, 0)]
        assert queries.count_judged_items(session, queries.get_project(session, "words")) == 1


def test_the_training_asks_blind_and_tells_as_ever(project: Load, chat: Chat) -> None:
    """No second pass; the feedback compares the answer with the gold."""
    project("stages: {training: {pool: {where: {pool: training}}, explain: yes}}\n", n=1)
    chat.begin()
    chat.tap("А")
    [told] = [screen for screen in chat.screens if screen.text.startswith("✗ 1")]
    assert GOLD in told.text
    assert "Слово main 0" in chat.tap("Далі")[-1]
    assert [row[0] for row in read_rows(chat)] == [0]
