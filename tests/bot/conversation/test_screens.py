"""Whole conversations, screen by screen, in three languages, as they stand in `screens/`.

WRITE_SCREENS=1 writes the files anew; what changed is then to be read before it is committed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from annotation.store import queries
from annotation.store.database import Database
from annotation.workflow.annotators import support_messages
from bot.conversation import notifications
from bot.conversation.texts import LANGUAGES, Texts, get_texts

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
SCREENS = Path(__file__).parent / "screens"
CONTENT: Mapping[str, Mapping[str, Any]] = {
    "uk": {
        "instructions": "Порахуйте літери.",
        "title": "Довші слова",
        "rows": [
            ("кіт — собака", ["кіт", "собака"]),
            ("дуб — береза", ["дуб", "береза"]),
            ("яр — гора", ["яр", "гора"]),
        ],
        "question": "Яке слово довше?",
        "consent": "Ми зберігаємо ваші відповіді під псевдонімом.",
        "native": ("Чи українська — ваша рідна мова?", ["так", "ні"]),
        "age": "Скільки вам років?",
        "city": "Де ви виросли?",
        "warning": "Трапляються грубі слова.",
        "helped": ("Чи допомагало щось?", ["ні", "словник"]),
        "good": "кіт — собака: довше «собака»",
        "bad": "кіт — собака: «кіт», бо коти кращі",
        "why": "У слові «собака» шість літер.",
        "ends": ["зовсім ні", "цілком"],
    },
    "en": {
        "instructions": "Count the letters.",
        "title": "Longer words",
        "rows": [
            ("cat — horse", ["cat", "horse"]),
            ("oak — birch", ["oak", "birch"]),
            ("hat — shirt", ["hat", "shirt"]),
        ],
        "question": "Which word is longer?",
        "consent": "We keep your answers under a pseudonym.",
        "native": ("Is English your native language?", ["yes", "no"]),
        "age": "How old are you?",
        "city": "Where did you grow up?",
        "warning": "There may be rude words.",
        "helped": ("Did anything help you?", ["no", "a dictionary"]),
        "good": "cat — horse: “horse” is longer",
        "bad": "cat — horse: “cat”, because cats are better",
        "why": "“Horse” has five letters.",
        "ends": ["not at all", "fully"],
    },
    "ru": {
        "instructions": "Посчитайте буквы.",
        "title": "Более длинные слова",
        "rows": [
            ("кот — собака", ["кот", "собака"]),
            ("дуб — берёза", ["дуб", "берёза"]),
            ("яр — гора", ["яр", "гора"]),
        ],
        "question": "Какое слово длиннее?",
        "consent": "Мы храним ваши ответы под псевдонимом.",
        "native": ("Русский — ваш родной язык?", ["да", "нет"]),
        "age": "Сколько вам лет?",
        "city": "Где вы выросли?",
        "warning": "Встречаются грубые слова.",
        "helped": ("Помогало ли что-нибудь?", ["нет", "словарь"]),
        "good": "кот — собака: длиннее «собака»",
        "bad": "кот — собака: «кот», потому что коты лучше",
        "why": "В слове «собака» шесть букв.",
        "ends": ["совсем нет", "полностью"],
    },
}


class Play:
    """An annotator, the texts they read, and a project in their language."""

    def __init__(self, chat: Chat, load: Load, folder: Path, language: str) -> None:
        self.chat, self.language, self.folder, self._load = chat, language, folder, load
        self.say: Texts = get_texts(language)
        self.content = CONTENT[language]
        chat.language = language

    def load(self, more: str = "", **what: Any) -> None:
        """The project."""
        rows = [
            {"id": str(at), "text": text, "options": several, "gold": several[-1], "pool": "main", "why": ""}
            for at, (text, several) in enumerate(self.content["rows"])
        ]
        rows += [rows[0] | {"id": "t", "pool": "training", "why": self.content["why"]}]
        rows += [rows[at] | {"id": f"q{at}", "pool": "qualification"} for at in (1, 2)]
        (self.folder / "consent.md").write_text(self.content["consent"], "utf-8")
        standard: dict[str, Any] = {
            "instructions": self.content["instructions"],
            "question": f'{{type: choice, text: "{self.content["question"]}"}}',
            "items": "{{file: {name}.jsonl, where: {{pool: main}}, id: id, show: text, options: options, gold: gold,"
            " explanation: why, group: id}}",
        }
        title = what.pop("title", self.content["title"])
        self._load(rows, language=self.language, title=title, more=more, **standard | what)

    def tap(self, message: str) -> None:
        """The button with that message on it."""
        self.chat.tap(self.say(message))

    def in_(self) -> None:
        """Into the project, to the first item."""
        self.chat.begin(code="code")


def joining(play: Play) -> None:
    """From the link to the first item, with every refusal on the way."""
    content, chat = play.content, play.chat
    native, options = content["native"]
    play.load(
        "consent: {file: consent.md, version: 1}\n"
        f"content_warning: {content['warning']}\n"
        "reward: {emoji: [🍎], countdown: yes}\n"
        f"examples: {{good: ['{content['good']}'], bad: ['{content['bad']}']}}\n"
        "profile:\n"
        f"- {{name: native, text: '{native}', options: ['{options[0]}', '{options[1]}'], required: yes}}\n"
        f"- {{name: age, text: '{content['age']}', type: number, required: yes}}\n"
        f"- {{name: city, text: '{content['city']}', type: text}}\n",
        code="code",
    )
    chat.say("/start")
    chat.tap(play.say("language-name"))
    chat.say("/start nonsense")
    chat.say("/start code")
    play.tap("decline")
    chat.say("/start")
    play.tap("agree")
    chat.say("?")
    chat.tap(options[0])
    chat.say("?")
    chat.say("34")
    play.tap("rather-not-say")
    chat.say("Atlantis")
    play.tap("zone-other")
    chat.say("+3")
    play.tap("decline-warning")
    chat.say("/start")
    play.tap("go-on")
    play.tap("begin")
    chat.say(content["rows"][0][1][1])


def working(play: Play) -> None:
    """Answers, an undo, a letter, a skip, a report, a question, the task again, a pause."""
    chat, (text, options) = play.chat, play.content["helped"]
    play.load(
        f"attestation: {{text: '{text}', options: ['{options[0]}', '{options[1]}']}}\npages: {{items: 2}}\n"
        "reward: {emoji: [🍎], countdown: yes}",
        code="code",
    )
    play.in_()
    chat.story.clear()
    chat.say("/start")
    chat.say("…")
    play.tap("more")
    play.tap("report")
    play.tap("report-none-right")
    chat.say("/problem")
    play.tap("back")
    play.tap("more")
    play.tap("ask")
    chat.say("?!")
    play.tap("more")
    play.tap("task")
    play.tap("go-on")
    chat.say("2")
    play.tap("undo")
    play.tap("keep")
    play.tap("skip")
    play.tap("in-my-words")
    chat.say("…")
    play.tap("undo-skip")
    reopened = next(shown for shown in reversed(chat.screens) if play.say("keep") in shown.labels)
    chat.tap("A" if play.language == "en" else "А", on=reopened)
    chat.say("/skip")
    play.tap("back")
    play.tap("more")
    play.tap("pause")
    chat.tap(options[1])
    chat.now += timedelta(hours=1)
    chat.say("/start")
    answered(play)


def answered(play: Play) -> None:
    """The organisers answer the question."""
    chat = play.chat
    with chat.db.transaction() as session:
        found = support_messages.list_messages(session)[0]
        support_messages.answer_message(session, message_id=found.id or 0, text="!", now=chat.now)
        for call in notifications.deliver_organiser_answers(session, now=chat.now):
            chat._make(session, call)
        assert notifications.deliver_organiser_answers(session, now=chat.now) == ()


def several(play: Play) -> None:
    """Boxes, a scale, and a question that only some answers bring."""
    chat, ends = play.chat, play.content["ends"]
    first, second = play.content["rows"][0][1]
    play.load(
        "questions:\n"
        f"- {{type: choices, name: which, text: '{play.content['question']}', least: 1, most: 1}}\n"
        f"- {{type: scale, name: sure, text: '1–5?', options: [1, 2, 3, 4, 5], ends: ['{ends[0]}', '{ends[1]}']}}\n"
        "- {type: choice, name: why, text: '?', options: ['+', '-'], required: no, show_if: {sure: [1, 2]}}\n",
        code="code",
    )
    play.in_()
    chat.story.clear()
    chat.say("/start")
    play.tap("done")
    chat.tap(f"☐ {first}")
    chat.tap(f"☐ {second}")
    play.tap("done")
    chat.tap("4")
    play.tap("undo")
    chat.tap("2")
    play.tap("back")
    chat.tap("2")
    chat.tap("2")
    play.tap("back")
    chat.tap("2")
    chat.tap("2")
    play.tap("leave-open")
    chat.say("b" if play.language == "en" else "б")
    play.tap("back")
    play.tap("done")
    play.tap("more")
    play.tap("skip")
    play.tap("skip-unsure")
    play.tap("undo-skip")
    play.tap("keep")
    play.tap("more")
    play.tap("pause")
    chat.say("/start")
    chat.say("b" if play.language == "en" else "б")
    play.tap("more")
    play.tap("pause")
    chat.say("/start")
    play.tap("undo-skip")
    chat.tap("5")
    chat.say("5")


def learning(play: Play) -> None:
    """A training, a qualification that fails, is tried again and passed."""
    chat = play.chat
    play.load(
        "stages:\n"
        "  training: {pool: {where: {pool: training}}, explain: yes}\n"
        "  qualification: {pool: {where: {pool: qualification}}, pass_mark: 2 of 2, attempts: 2, cool_down: 2 h}\n",
        code="code",
    )
    play.in_()
    chat.story.clear()
    wrong, right = "АБ" if play.language != "en" else "AB"
    for _ in range(3):
        chat.tap(wrong)
    chat.say("/task")
    play.tap("go-on")
    chat.now += timedelta(hours=3)
    chat.say("/start")
    chat.tap(right)
    chat.tap(right)


def rights(play: Play) -> None:
    """One's data, leaving a project, being forgotten, coming back."""
    chat = play.chat
    play.load(code="code")
    play.in_()
    chat.say("2")
    chat.story.clear()
    chat.say("/mydata")
    chat.say("/withdraw")
    chat.tap("1")
    play.tap("stay")
    chat.say("/withdraw")
    chat.tap("1")
    play.tap("withdraw-yes")
    chat.say("/start")
    chat.say("/withdraw")
    chat.say("/forget")
    play.tap("forget-yes")
    chat.say("/start")
    with chat.db.transaction() as session:
        assert queries.find_annotator(session, chat.number) is not None


def two_projects(play: Play) -> None:
    """A menu, a choice, another one, and what the bot says of what it cannot do."""
    chat = play.chat
    play.load()
    play.load(name="more", title="II")
    chat.say("/start")
    chat.tap(play.say("language-name"))
    chat.tap("B" if play.language == "en" else "Б")
    play.tap("zone-unsaid")
    play.tap("begin")
    chat.say("/projects")
    chat.tap("A" if play.language == "en" else "А")
    play.tap("begin")
    chat.say(None, media="sticker")
    chat.say("/nonsense")
    chat.say("/help")
    chat.say("/language")
    chat.say("?")
    chat.tap(play.say("language-name"))


STORIES = (joining, working, several, learning, rights, two_projects)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("story", STORIES, ids=[one.__name__ for one in STORIES])
def test_the_whole_conversation(
    chat: Chat, load: Load, tmp_path: Path, story: Callable[[Play], None], language: str
) -> None:
    """Every message, button and toast of it, word for word."""
    story(Play(chat, load, tmp_path, language))
    told = "\n\n".join(chat.story) + "\n"
    file = SCREENS / f"{story.__name__}.{language}.txt"
    if os.environ.get("WRITE_SCREENS"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(told, "utf-8")
    assert told == file.read_text("utf-8")


def test_nothing_untranslated_is_on_a_screen(db: Database) -> None:
    """The English stories hold no Cyrillic but the names of languages."""
    for story in STORIES:
        told = (SCREENS / f"{story.__name__}.en.txt").read_text("utf-8")
        for line in told.splitlines():
            foreign = any("\u0400" <= one <= "\u04ff" for one in line)
            assert not foreign or line in CONTENT_OF_LANGUAGES, line


CONTENT_OF_LANGUAGES = {
    *(get_texts(one)("which-language") for one in LANGUAGES),
    *(f"[{get_texts(one)('language-name')}]" for one in LANGUAGES),
}
