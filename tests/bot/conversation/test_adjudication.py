"""Adjudication in the chat: by invitation, one case a card, blind where there is gold, and nothing decided twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import col, select

from annotation.store import models, queries
from annotation.vocabulary import CaseReason, GoldStratum
from annotation.workflow.annotators import erasure, invitations, own_data
from annotation.workflow.review import cases
from tests.annotation.conftest import Sandbox

if TYPE_CHECKING:
    from pathlib import Path

    from tests.bot.conversation.conftest import Chat, Screen

Load = Callable[..., None]
Another = Callable[..., "Chat"]
ROWS = [
    {"id": str(number), "text": f"слово {number}", "options": [f"перше {number}", f"друге {number}", f"третє {number}"]}
    for number in range(4)
]
ITEMS = "{{file: {name}.jsonl, id: id, show: text, options: options}}"
FIXED = {
    "question": "{type: choice, text: 'Так?', options: [так, ні]}",
    "items": "{{file: {name}.jsonl, id: id, show: text}}",
}
NOTHING = (
    "Спірних завдань для вас зараз немає, дякуємо! Нові спірні завдання з’являються, коли надходять відповіді."
    " Перевірити: /adjudicate"
)
GOLDEN = FIXED | {"items": "{{file: {name}.jsonl, id: id, show: text, gold: gold}}"}


def invite(chat: Chat, project: str = "words", code: str = "judge") -> str:
    """A code for adjudicators of a project."""
    with chat.db.transaction() as session:
        target = invitations.get_target(session, project)
        invitations.create_invitation(session, target=target, code=code, now=chat.now, adjudicates=True)
    return code


def refresh(chat: Chat, doubts: Mapping[str, set[CaseReason]] | None = None, project: str = "words") -> None:
    """What `hromada adjudicate` finds doubtful; all four items where nothing is named."""
    found = {str(number): {CaseReason.TIE} for number in range(4)} if doubts is None else doubts
    with chat.db.transaction() as session:
        loaded = queries.get_project(session, project)
        cases.refresh_cases(session, project=loaded, question="answer", doubts=found, now=chat.now)


def become_adjudicator(chat: Chat) -> list[str]:
    """Open the link, and choose the language; what is shown last."""
    chat.say(f"/start {invite(chat)}")
    return chat.tap("Українська")


def decisions(chat: Chat) -> list[tuple[str, str, list[str], str]]:
    """All rows of adjudications, oldest first: item, decision, labels, comment."""
    with chat.db.reading() as session:
        chosen = select(models.Item.external_id, models.Adjudication).join(models.Adjudication)
        rows = session.exec(chosen.order_by(col(models.Adjudication.id))).all()
        return [(item, row.decision.value, row.labels, row.comment) for item, row in rows]


def get_item(card: Screen | str) -> str:
    """The number of the item that a card shows."""
    return str(card).split("слово ")[1][0]


def list_live_cards(chat: Chat) -> list[Screen]:
    """The messages with buttons that decide on a case."""
    return [one for one in chat.screens if any(button.data[0] in "DAL" for row in one.buttons for button in row)]


def test_an_invited_adjudicator_decides_one_case_after_another(chat: Chat, load: Load) -> None:
    """One answer, several with the first as the gold, a broken item with its reason; each decided card says so."""
    load(ROWS, items=ITEMS)
    refresh(chat)
    first = become_adjudicator(chat)[-1]
    assert first.startswith("Слова · на черзі 4\n\nслово ")
    assert "Чому це тут: голосів порівну." in first
    one = get_item(first)
    second = chat.tap(f"друге {one}")[-1]
    two = get_item(second)
    card = chat.last
    chat.tap("Правильних кілька")
    chat.tap(f"☐ третє {two}", on=chat.last)
    assert "Основна відповідь: третє" in chat.last.text
    chat.tap(f"☐ перше {two}")
    chat.tap(f"☐ друге {two}")
    chat.tap(f"☑ друге {two}")
    assert chat.last.message_id == card.message_id
    chat.tap("Зберегти")
    three = get_item(chat.last)
    chat.tap("З помилкою")
    assert chat.last.text == "Що не так із цим завданням? Напишіть кілька слів."
    last = chat.say("Жодна не підходить")[-1]
    assert decisions(chat) == [
        (one, "label", [f"друге {one}"], ""),
        (two, "label", [f"третє {two}", f"перше {two}"], ""),
        (three, "broken", [], "Жодна не підходить"),
    ]
    assert [one.text.split("\n")[0] for one in chat.screens if one.labels == ["Змінити"]] == [
        f"✓ друге {one}", f"✓ третє {two}, перше {two}", "✗ З помилкою: Жодна не підходить",
    ]  # fmt: skip
    assert "на черзі 1" in last
    done = chat.tap(f"перше {get_item(last)}")
    assert done == [NOTHING]
    assert chat.say("/start") == done
    assert list_live_cards(chat) == []


def test_a_repeated_or_stale_tap_stores_nothing(chat: Chat, load: Load, another: Another) -> None:
    """Twice, after another one was faster, after the item was taken back and decided anew, with forged numbers."""
    load(ROWS, items=ITEMS)
    refresh(chat)
    become_adjudicator(chat)
    card, n_screens = chat.last, len(chat.screens)
    item = get_item(card)
    first = next(button.data for row in card.buttons for button in row if button.label == f"друге {item}")
    chat.press(first, on=card)
    assert len(chat.screens) == n_screens + 1
    chat.press(first, on=card)
    assert chat.toasts[-1] == "Це вже збережено"
    assert len(chat.screens) == n_screens + 1
    other = another()
    other.say("/start judge")
    other.tap("Українська")
    following = chat.last
    theirs = next(one for one in reversed(other.screens) if get_item(one) == get_item(other.last))
    assert get_item(theirs) == get_item(following)
    other.tap(f"перше {get_item(following)}")
    shown = chat.tap(f"друге {get_item(following)}")
    assert chat.toasts[-1] == "Цього вже не питаємо. Ось де ви зараз."
    assert get_item(shown[-1]) != get_item(following)
    assert len(decisions(chat)) == 2
    live = chat.last
    data = next(button.data for row in live.buttons for button in row if button.data[0] == "D")
    start, numbers, version = data[: data.index(":0.")], data.split(":")[2], data.split(":")[3]
    assert numbers == "0.1.0"
    for forged in (":0.8.3:", ":0.1.1:", ":0.0.0:", ":1.1.0:", ":0.1:", "::"):
        chat.press(f"{start}{forged}{version}", on=live)
    for forged in (f"{start}:{numbers}:00000000", "D:zzzz:0.1.0:00000000", f"R{start[1:]}:0:", "C:zz:0:", "B:zz::"):
        chat.press(forged, on=live)
    assert len(decisions(chat)) == 2
    chat.tap("Змінити", on=next(one for one in chat.screens if one.labels == ["Змінити"]))
    reopened = chat.last
    assert get_item(reopened) == item
    chat.press(first, on=card)
    assert [row[1] for row in decisions(chat)] == ["label", "label", "undone"]
    chat.tap(f"третє {item}", on=reopened)
    assert decisions(chat)[-1] == (item, "label", [f"третє {item}"], "")
    assert len(list_live_cards(chat)) == 1


def test_nobody_else_is_shown_a_case(chat: Chat, load: Load, another: Another) -> None:
    """Neither by the command, nor by the buttons of an adjudicator, nor once the organisers suspend them."""
    load(ROWS, items=ITEMS)
    refresh(chat)
    become_adjudicator(chat)
    card = chat.last
    stranger = another()
    stranger.begin()
    assert stranger.say("/adjudicate")[0] == "Такої команди немає. Усі команди: /help"
    shown = stranger.last
    for button in (button for row in card.buttons for button in row):
        stranger.press(button.data, on=shown)
        assert stranger.toasts[-1] == "Цього вже не питаємо. Ось де ви зараз."
    assert not [one for one in stranger.seen if "на черзі" in one]
    with chat.db.transaction() as session:
        queries.find_annotator(session, chat.number).suspended_at = chat.now  # type: ignore[union-attr]
    chat.tap("друге", on=card)
    assert decisions(chat) == []
    assert "на черзі" not in "".join(chat.say("/adjudicate"))
    assert stranger.menus[-1].commands.keys() == chat.menus[-1].commands.keys() - {"adjudicate"}


def test_own_items_are_not_offered_and_an_item_in_hand_stays(chat: Chat, load: Load) -> None:
    """Who answers here is offered the rest beside their item: a text goes to what was asked last."""
    load(ROWS, items=ITEMS)
    chat.begin()
    chat.tap("А")
    item = chat.last
    assert get_item(item) == "1"
    refresh(chat)
    card = chat.say(f"/start {invite(chat)}")[-1]
    assert get_item(card) in "23"
    assert "на черзі 2" in card
    chat.say("А")
    decided = decisions(chat)
    assert [row[0] for row in decided] == [get_item(card)]
    chat.tap("А", on=item)
    assert len(chat.answers()) == 2
    taken = get_item(chat.last)
    assert "на черзі" not in str(chat.last)
    assert len(list_live_cards(chat)) <= 1
    shown = chat.say("/adjudicate")[-1]
    assert (shown == NOTHING) == (taken != get_item(card))
    assert len(decisions(chat)) == 1


def test_who_has_no_items_left_is_offered_the_queue(chat: Chat, load: Load) -> None:
    """An annotator of this project who adjudicates another one: below the last answer, by a button, once."""
    shared = ITEMS.replace("id: id", "id: id, group: id")
    load(ROWS[:1], items=shared, name="other", title="Інше")
    load(ROWS, items=shared, start=False)
    refresh(chat)
    chat.begin()
    chat.say(f"/start {invite(chat)}")
    chat.tap("Досить")
    chat.say("/start")
    shown = chat.tap("А")
    assert shown[-1] == "Є спірні завдання: скажіть, яка відповідь правильна.\n[Вирішувати]"
    assert "на черзі 3" in chat.tap("Вирішувати")[-1]  # the item 0 of the other project is the same
    chat.tap("перше")
    assert len(decisions(chat)) == 1
    assert len(list_live_cards(chat)) == 1


def test_the_queue_has_what_is_in_doubt_though_nobody_called_the_command(
    chat: Chat, load: Load, tmp_path: Path
) -> None:
    """At its beginning, and again once it is empty; an item that still gets answers is not in it."""
    load(ROWS, items=ITEMS)
    sandbox = Sandbox(tmp_path)

    def disagree(item: str, *, free: int) -> None:
        with chat.db.transaction() as session:
            project = queries.get_project(session, "words")
            for person, option in ((11, "перше"), (12, "друге")):
                given = sandbox.given(session, project, item=item, telegram_id=person)
                sandbox.answer(session, given, f"{option} {item}")
            sandbox.items(session, project)[item].free = free

    disagree("1", free=0)
    disagree("2", free=1)
    first = become_adjudicator(chat)[-1]
    assert first.startswith("Слова · на черзі 1\n\nслово 1")
    disagree("3", free=0)
    assert "слово 3" in chat.tap("перше 1")[-1]
    assert chat.tap("друге 3")[-1] == NOTHING
    assert [item for item, *_ in decisions(chat)] == ["1", "3"]


def test_a_gold_review_is_blind(chat: Chat, load: Load) -> None:
    """Neither votes nor reasons nor reports; options in the order of the project, and nothing tells the gold."""
    rows = [{"id": str(number), "text": f"слово {number}", "gold": ("так", "ні")[number % 2]} for number in range(4)]
    load(rows, **GOLDEN)
    with chat.db.transaction() as session:
        project = queries.get_project(session, "words")
        doubts = {"0": {CaseReason.TIE}}
        cases.refresh_cases(session, project=project, question="answer", doubts=doubts, now=chat.now)
        strata = {str(number): GoldStratum.PEOPLE if number < 2 else GoldStratum.REST for number in range(4)}
        cases.plan_gold_review(
            session, project=project, question="answer", strata=strata, candidates={}, sample=50, seed=0, now=chat.now
        )
    become_adjudicator(chat)
    cards = {}
    for left in (4, 3, 2, 1):
        item = get_item(chat.last)
        cards[item] = str(chat.last).replace(f"на черзі {left}", "на черзі").replace(f"слово {item}", "слово")
        chat.tap("ні")
    assert set(cards) == {"0", "1", "2", "3"}
    [card] = set(cards.values())
    assert card.split("\n") == [
        "Слова · на черзі", "", "слово", "", "Так?", "", "Яка відповідь правильна?",
        "[так | ні]", "[Правильних кілька]", "[З помилкою | Пізніше | Досить]",
    ]  # fmt: skip
    assert chat.last.text == NOTHING


def test_later_comes_round_and_stop_ends_it(chat: Chat, load: Load) -> None:
    """A case that is left comes after all others; the last one cannot be left; the command shows the queue again."""
    load(ROWS, items=ITEMS)
    refresh(chat)
    become_adjudicator(chat)
    order = []
    for _ in range(5):
        order.append(get_item(chat.last))
        chat.tap("Пізніше")
    assert order[4] == order[0]
    assert len(set(order)) == 4
    postponed = next(one for one in chat.screens if one.text.startswith("⏭"))
    assert postponed.labels == []
    for _ in range(3):
        chat.tap("перше")
    n_screens = len(chat.screens)
    chat.tap("Пізніше")
    assert chat.toasts[-1] == "Більше нічого не чекає: це завдання останнє."
    assert len(chat.screens) == n_screens
    chat.tap("Досить")
    assert chat.last.text == "Дякуємо! Усе вирішене збережено. Продовжити: /adjudicate"
    assert "на черзі 1" in chat.say("/adjudicate")[-1]


def test_everything_may_be_typed(chat: Chat, load: Load) -> None:
    """Letters and answers, several ones by boxes, a comment that looks like an answer, and what is none of these."""
    load(ROWS, items=ITEMS)
    refresh(chat)
    become_adjudicator(chat)
    assert chat.say("щось")[0] == "Такої відповіді тут немає. Торкніться кнопки або напишіть те, що на ній."
    one = get_item(chat.last)
    chat.say("правильних кілька")
    chat.say(f"третє {one}")
    chat.say(f"друге {one}")
    chat.say("зберегти")
    assert decisions(chat) == [(one, "label", [f"третє {one}", f"друге {one}"], "")]
    two = get_item(chat.last)
    chat.say("з помилкою")
    chat.say("назад")
    chat.say("з помилкою")
    chat.say("перше")
    assert decisions(chat)[1:] == [(two, "broken", [], "перше")]
    three = get_item(chat.last)
    chat.say(f"перше {three}")
    assert decisions(chat)[2:] == [(three, "label", [f"перше {three}"], "")]
    chat.say("з помилкою")
    assert chat.say("ю" * 2001) == ["Це задовго. Вистачить 2\xa0000 знаків."]
    assert len(list_live_cards(chat)) == 0


@pytest.mark.parametrize("word", ["Змінити", "Change", "Изменить", "zmień"])
def test_the_latest_decision_is_changed_by_its_label(chat: Chat, load: Load, word: str) -> None:
    """Typed below the next case, or where no more waits; where nothing is decided that is said."""
    load(ROWS, items=ITEMS)
    refresh(chat, {"0": {CaseReason.TIE}, "1": {CaseReason.TIE}})
    become_adjudicator(chat)
    assert chat.say(word) == ["Повертатися тут немає куди."]
    for left in (2, 1):
        one = get_item(list_live_cards(chat)[-1])
        chat.say(f"перше {one}")
        undone, card = chat.say(word)
        assert undone == "↩ Рішення скасовано. Завдання — нижче."
        assert card.startswith(f"Слова · на черзі {left}\n\nслово {one}\n")
        assert len(list_live_cards(chat)) == 1
        chat.say(f"друге {one}")
    assert [labels for _, decision, labels, _ in decisions(chat) if decision == "label"][1::2] == [
        [f"друге {item}"] for item, decision, _, _ in decisions(chat) if decision == "undone"
    ]


def test_words_do_what_they_say_at_a_case(chat: Chat, load: Load) -> None:
    """The buttons of the card, help, thanks and the end of work; as a comment none of them is stored."""
    load(ROWS, items=ITEMS)
    refresh(chat)
    become_adjudicator(chat)
    first = get_item(chat.last)
    chat.say("пропустити")
    assert get_item(chat.last) != first
    assert chat.say("дякую") == ["Це вам дякую, що ви тут!"]
    assert chat.say("помилка")[-1].startswith("Що не так")
    for no_comment in ("пропустити", "так", "помилка"):
        assert chat.say(no_comment)[-1].startswith("Що не так")
    assert chat.say("пауза") == ["Дякуємо! Усе вирішене збережено. Продовжити: /adjudicate"]
    assert decisions(chat) == []


LONG = " ".join(f"речення {number}." for number in range(900))
SETS = ['["а"]', '["а", "в"]', "[]"]
KINDS: Mapping[str, tuple[dict[str, Any], list[dict[str, Any]], str]] = {
    "scale": (
        {"question": "{type: scale, text: Наскільки?, options: [1, 2, 3]}", "items": FIXED["items"]},
        [{"id": "0", "text": "слово 0"}],
        "Наскільки?\n\nЧому",
    ),
    "long": (FIXED, [{"id": "0", "text": f"слово 0 {LONG}"}], "Так?\n\nЧому"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_other_cards(chat: Chat, load: Load, kind: str) -> None:
    """A scale, and an item of several messages, of which the last has the question and the buttons."""
    more, rows, candidates = KINDS[kind]
    load(rows, **more)
    refresh(chat, {"0": {CaseReason.TIE, CaseReason.LOW_CONFIDENCE}})
    become_adjudicator(chat)
    assert candidates in chat.last.text
    assert "голосів порівну, голоси дуже розійшлися" in chat.last.text
    chat.tap("Правильних кілька")
    chat.tap("☐")
    chat.tap("Зберегти")
    assert decisions(chat)[0][1] == "label"


def test_what_is_known_of_an_adjudicator_and_their_erasure(chat: Chat, load: Load) -> None:
    """/mydata has their role and decisions; erased, they adjudicate nothing, and their comments are empty."""
    load(ROWS, items=ITEMS)
    refresh(chat)
    become_adjudicator(chat)
    chat.tap("перше")
    chat.tap("З помилкою")
    chat.say("Марія написала дурниці")
    with chat.db.transaction() as session:
        person = queries.find_annotator(session, chat.number)
        assert person is not None
        export = own_data.export_annotator(session, annotator_id=person.id or 0)
        assert [row["decision"] for row in export["adjudications"]] == ["label", "broken"]
        assert [(row["project"], row["invitation"]) for row in export["adjudicator"]] == [("words", "judge")]
        erasure.erase_annotator(session, annotator_id=person.id or 0, now=chat.now)
    with chat.db.reading() as session:
        assert session.exec(select(models.Adjudicator)).all() == []
        assert [row.comment for row in session.exec(select(models.Adjudication))] == ["", ""]
    assert len(decisions(chat)) == 2
