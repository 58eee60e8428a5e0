"""Whole conversations, screen by screen, in four languages, as they stand in `screens/`.

WRITE_SCREENS=1 writes the files anew; what changed is then to be read before it is committed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from annotation.campaigns import programme_file
from annotation.store import queries
from annotation.store.database import Database
from annotation.vocabulary import CaseReason
from annotation.workflow.annotators import invitations, support_messages
from annotation.workflow.lifecycle import projects
from annotation.workflow.review import cases
from bot.conversation import notifications
from bot.conversation.texts import LANGUAGES, Texts, get_texts
from bot.conversation.updates_and_calls import ConversationSettings

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
SCREENS = Path(__file__).parent / "screens"
LATIN = {"en", "pl"}
"""The languages whose options have Latin letters."""
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
    "pl": {
        "instructions": "Policz litery.",
        "title": "Dłuższe słowa",
        "rows": [
            ("kot — pies", ["kot", "pies"]),
            ("dąb — brzoza", ["dąb", "brzoza"]),
            ("jar — góra", ["jar", "góra"]),
        ],
        "question": "Które słowo jest dłuższe?",
        "consent": "Przechowujemy Twoje odpowiedzi pod pseudonimem.",
        "native": ("Czy polski to Twój język ojczysty?", ["tak", "nie"]),
        "age": "Ile masz lat?",
        "city": "Gdzie dorastasz?",
        "warning": "Zdarzają się wulgarne słowa.",
        "helped": ("Czy coś pomagało?", ["nie", "słownik"]),
        "good": "kot — pies: dłuższe jest „pies”",
        "bad": "kot — pies: „kot”, bo koty są lepsze",
        "why": "„Pies” ma cztery litery.",
        "ends": ["wcale", "całkowicie"],
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
        rows = what.pop("rows", rows)
        self._load(rows, language=self.language, title=title, more=more, **standard | what)

    def load_rows(self, rows: Sequence[Mapping[str, Any]], questions: str, show: str) -> None:
        """A project of these items, and its first item on the screen."""
        items = f"{{{{file: {{name}}.jsonl, id: id, show: {show}}}}}"
        self._load(rows, language=self.language, title=self.content["title"], more=questions, items=items)
        self.in_()
        self.chat.story.clear()
        self.chat.say("/start")

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
        "reward: {emoji: [🍎], countdown: yes}\ncaps: {items_per_day: 50}\n"
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
    play.tap("decline-warning")
    chat.say("/start")
    play.tap("go-on")
    chat.say("Atlantis")
    play.tap("zone-other")
    chat.say("+3")
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
    chat.tap("A" if play.language in LATIN else "А", on=reopened)
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
    chat.say("b" if play.language in LATIN else "б")
    chat.say(play.say("done"))
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
    chat.say("b" if play.language in LATIN else "б")
    chat.say(play.say("done"))
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
    wrong, right = "АБ" if play.language not in LATIN else "AB"
    chat.tap(wrong)
    play.tap("go-on")
    for _ in range(2):
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


def reminded(play: Play) -> None:
    """What the bot writes first: the card, the time zone, a reminder, the last one, news where all is answered."""
    chat = play.chat
    play.load(code="code")
    play.in_()
    chat.story.clear()
    chat.say("/pause")
    play.tap("remind-tomorrow")
    chat.say("/reminders")
    chat.now += timedelta(days=1)
    tell(play)
    chat.say("/reminders")
    play.tap("notices-remind")
    play.tap("zone-other")
    chat.say("12:00")
    chat.now += timedelta(days=3)
    tell(play)
    play.tap("reminder-tomorrow")
    for _ in range(3):
        chat.now += timedelta(days=3)
        tell(play)
    play.tap("notices-stop")
    chat.say("/reminders")
    play.tap("notices-remind")
    play.tap("notices-news")
    play.tap("notices-nothing")
    for text in ("/start", "2", "2", "2"):
        chat.say(text)
    chat.say(play.say("news-tell"))
    text, options = play.content["rows"][0]
    row = {"id": "new", "text": text, "options": options, "gold": options[0], "pool": "main", "why": ""}
    play.load(name="more", title="II", rows=[row])
    chat.now += timedelta(hours=1)
    tell(play)
    tell(play)
    play.tap("go-on")


def tell(play: Play) -> None:
    """What the bot writes first now."""
    chat = play.chat
    with chat.db.transaction() as session:
        for call in notifications.send_wished_notices(session, now=chat.now, settings=ConversationSettings(key=b"")):
            chat._make(session, call)


def two_projects(play: Play) -> None:
    """A menu, a choice, another one, and what the bot says of what it cannot do."""
    chat = play.chat
    play.load()
    play.load(name="more", title="II")
    chat.say("/start")
    chat.tap(play.say("language-name"))
    chat.tap("B" if play.language in LATIN else "Б")
    play.tap("begin")
    chat.say("/projects")
    chat.tap("A" if play.language in LATIN else "А")
    play.tap("begin")
    chat.say(None, media="sticker")
    chat.say("/nonsense")
    chat.say("/help")
    chat.say("/language")
    chat.say("?")
    chat.tap(play.say("language-name"))


def resting(play: Play) -> None:
    """A programme of two, one after the other: ten items, the card and the attestation, ten more, progress, the end."""
    chat, content, (text, options) = play.chat, play.content, play.content["helped"]
    files = []
    for number, (name, title) in enumerate((("words", content["title"]), ("more", "II"))):
        rows = [
            {"id": f"{name} {at}", "text": shown, "options": several, "gold": several[-1], "pool": "main", "why": ""}
            for at, (shown, several) in enumerate((content["rows"] * 5)[: 12 - number])
        ]
        attestation = f"attestation: {{text: '{text}', options: ['{options[0]}', '{options[1]}']}}"
        play.load(f"{attestation}\nreward: {{countdown: yes}}", rows=rows, name=name, title=title)
        files.append(f"  - {{file: {name}.yaml}}")
    lines = ["programme: both", f"title: {content['title']} I + II", f"language: {play.language}", "projects:", *files]
    (play.folder / "both.yaml").write_text("\n".join(lines), "utf-8")
    with chat.db.transaction() as session:
        projects.load_programme(session, programme_file.read_programme(play.folder / "both.yaml"), now=chat.now)
    chat.say("/start")
    chat.tap(play.say("language-name"))
    chat.tap(play.say("session-only", number=10))
    for number in range(10):
        chat.now += timedelta(seconds=20 * number)
        chat.say("1")
    chat.say(options[1])
    chat.tap("20")
    chat.say("1")
    chat.say("/session")
    chat.tap("10")
    chat.say("1")
    chat.tap(play.say("begin"))
    chat.say("/progress")
    play.tap("go-on")
    for _ in range(9):
        chat.say("1")
    chat.say(play.say("pause"))
    play.tap("go-on")
    for _ in range(2):
        chat.say("1")
    chat.say(options[0])


def returning(play: Play) -> None:
    """A project that pays: its task card, the card at a daily cap with a link for friends, the next day, the end."""
    chat = play.chat
    play.load(
        "invite_friends: 3\ncaps: {items_per_day: 1}\n"
        "reward: {countdown: yes, emoji: none, pay: {per_item: 2, currency: PLN}}"
    )
    chat.say("/start")
    chat.tap(play.say("language-name"))
    chat.say("Kyiv")
    play.tap("begin")
    chat.say("1")
    chat.say(play.say("remind-tomorrow"))
    with chat.db.transaction() as session:
        words = queries.get_project(session, "words")
        link = invitations.create_invitation(
            session, target=words, code="FRIENDS", now=chat.now, uses=3, cohort="friends", invited_by=1
        )
    play.tap("invite-friend")
    for used in (2, 3):
        chat.now += timedelta(days=1)
        tell(play)
        chat.say("/start")
        chat.say("1")
        with chat.db.transaction() as session:
            session.add(link)
            link.used = used
        play.tap("invite-friend")
    chat.say("/progress")


def earning(play: Play) -> None:
    """A programme that pays, one project by the hour: task card, pause with and without answers, progress, the end."""
    chat, content, (text, options) = play.chat, play.content, play.content["helped"]
    files = []
    for name, title, rate in (("words", content["title"], "per_item: 0.5"), ("more", "II", "per_hour: 120")):
        rows = [
            {"id": f"{name} {at}", "text": shown, "options": several, "gold": several[-1], "pool": "main", "why": ""}
            for at, (shown, several) in enumerate(content["rows"][:2])
        ]
        attestation = f"attestation: {{text: '{text}', options: ['{options[0]}', '{options[1]}']}}"
        play.load(
            f"{attestation}\nreward: {{countdown: yes, emoji: none, pay: {{{rate}, currency: UAH}}}}",
            rows=rows,
            name=name,
            title=title,
        )
        files.append(f"  - {{file: {name}.yaml}}")
    head = ["programme: both", f"title: {content['title']} I + II", f"language: {play.language}", "order: interleaved"]
    (play.folder / "both.yaml").write_text("\n".join([*head, "invite_friends: 5", "projects:", *files]), "utf-8")
    with chat.db.transaction() as session:
        projects.load_programme(session, programme_file.read_programme(play.folder / "both.yaml"), now=chat.now)
    chat.say("/start")
    chat.tap(play.say("language-name"))
    play.tap("begin")
    chat.say("/pause")
    play.tap("go-on")
    play.tap("begin")
    for _ in range(2):
        chat.now += timedelta(seconds=40)
        chat.say("1")
    chat.say("/pause")
    chat.tap(options[1])
    play.tap("go-on")
    chat.say("/pause")
    play.tap("go-on")
    chat.say("/progress")
    play.tap("go-on")
    for _ in range(2):
        chat.now += timedelta(seconds=40)
        chat.say("1")
    chat.tap(options[0])


def journey(play: Play) -> None:
    """A programme of two data sets in turn, each with training and test: one number, and their names with each step."""
    chat, content = play.chat, play.content
    files = []
    for at, name in enumerate(("words", "more")):
        rows = [
            {"id": f"{name} {pool} {number}", "text": text, "options": several, "gold": several[-1]}
            | {"pool": pool, "why": content["why"]}
            for pool, count in (("training", 2), ("qualification", 1), ("main", 4))
            for number, (text, several) in enumerate((content["rows"] * 2)[:count])
        ]
        play.load(
            "stages:\n  training: {pool: {where: {pool: training}}, explain: yes}\n"
            "  qualification: {pool: {where: {pool: qualification}}, pass_mark: 1 of 1, attempts: 2, cool_down: 1 s}\n"
            "expected: {seconds: 15 s}\nreward: {countdown: yes, emoji: none}",
            rows=rows, name=name, title=f"{content['title']} {at + 1}",
        )  # fmt: skip
        files.append(f"  - {{file: {name}.yaml}}")
    head = ["programme: both", f"title: {content['title']} 1 + 2", f"language: {play.language}", "order: interleaved"]
    (play.folder / "both.yaml").write_text("\n".join([*head, "projects:", *files]), "utf-8")
    with chat.db.transaction() as session:
        projects.load_programme(session, programme_file.read_programme(play.folder / "both.yaml"), now=chat.now)
    chat.say("/start")
    chat.tap(play.say("language-name"))
    play.tap("begin")
    wrong, right = "АБ" if play.language not in LATIN else "AB"
    chat.tap(wrong)
    play.tap("go-on")
    for answer in (right, wrong):
        chat.tap(answer)
    chat.say("/start")
    for _ in range(12):
        if play.say("begin") in str(chat.last):
            play.tap("begin")
        if not chat.last.text.startswith("🏁") and chat.last.buttons:
            chat.tap(right)
    chat.say("/progress")


WRITING: Mapping[str, Mapping[str, Any]] = {
    "uk": {
        "story": "Лисиця знайшла в лісі дзеркало. Вона подивився в нього й засміявся.\n\n"
        "Вовк запитала, що там смішного.\n\nІ лисиця віддала йому дзеркало.",
        "fixed": "Лисиця знайшла в лісі дзеркало. Вона подивилася в нього й засміялася.",
        "fixed-second": "Вовк запитав, що там смішного.",
        "usable": ("Чи придатне оповідання?", ["придатне", "непридатне"]),
        "why": ("Чому?", ["непослідовне", "закоротке"]),
        "fix": "Виправте граматику.",
        "comment": "Примітка",
        "sum": ["Скільки буде два по два?", "А тричі три?", "А п’ять по п’ять?"],
        "answer": "Ваша відповідь числом?",
        "remark": "гарно",
    },
    "en": {
        "story": "The fox found a mirror in the wood. He look into it and laugh.\n\nThe wolf ask what is funny there."
        "\n\nAnd the fox gave him the mirror.",
        "fixed": "The fox found a mirror in the wood. He looked into it and laughed.",
        "fixed-second": "The wolf asked what was funny there.",
        "usable": ("Is the story usable?", ["usable", "not usable"]),
        "why": ("Why?", ["incoherent", "too short"]),
        "fix": "Correct the grammar.",
        "comment": "A remark",
        "sum": ["What is two times two?", "And three times three?", "And five times five?"],
        "answer": "Your answer as a number?",
        "remark": "nice",
    },
    "ru": {
        "story": "Лиса нашла в лесу зеркало. Она посмотрел в него и засмеялся.\n\nВолк спросила, что там смешного."
        "\n\nИ лиса отдала ему зеркало.",
        "fixed": "Лиса нашла в лесу зеркало. Она посмотрела в него и засмеялась.",
        "fixed-second": "Волк спросил, что там смешного.",
        "usable": ("Пригоден ли рассказ?", ["пригоден", "непригоден"]),
        "why": ("Почему?", ["непоследовательный", "слишком короткий"]),
        "fix": "Исправьте грамматику.",
        "comment": "Примечание",
        "sum": ["Сколько будет дважды два?", "А трижды три?", "А пятью пять?"],
        "answer": "Ваш ответ числом?",
        "remark": "красиво",
    },
    "pl": {
        "story": "Lis znalazł w lesie lustro. Spojrzała w nie i zaśmiała się.\n\nWilk spytała, co w tym śmiesznego."
        "\n\nI lis oddał mu lustro.",
        "fixed": "Lis znalazł w lesie lustro. Spojrzał w nie i zaśmiał się.",
        "fixed-second": "Wilk spytał, co w tym śmiesznego.",
        "usable": ("Czy opowiadanie się nadaje?", ["nadaje się", "nie nadaje się"]),
        "why": ("Dlaczego?", ["niespójne", "za krótkie"]),
        "fix": "Popraw gramatykę.",
        "comment": "Uwaga",
        "sum": ["Ile jest dwa razy dwa?", "A trzy razy trzy?", "A pięć razy pięć?"],
        "answer": "Twoja odpowiedź liczbą?",
        "remark": "ładne",
    },
}


def typing(play: Play) -> None:
    """Numbers in one's own words: refused, looked at, mended, saved, changed by editing the message."""
    chat, own = play.chat, WRITING[play.language]
    play.load(
        rows=[{"id": str(at), "text": text, "pool": "main"} for at, text in enumerate(own["sum"])],
        items="{{file: {name}.jsonl, id: id, show: text}}",
        question=f'{{type: text, text: "{own["answer"]}", normalise: number, longest: 8}}',
        code="code",
    )
    play.in_()
    chat.story.clear()
    chat.say("/start")
    chat.say("4 " + own["remark"])
    chat.say("1234567890")
    message = next(chat.numbers)
    chat.say("4,0", message_id=message)
    play.tap("text-fix")
    chat.say("5", message_id=message + 1000)
    play.tap("text-save")
    chat.edit(message + 1000, "4")
    chat.edit(message + 1000, "four")
    chat.say("9")
    play.tap("text-save")
    play.tap("undo")
    play.tap("keep")


def spans(play: Play) -> None:
    """Two texts with a part in each: by numbers, typed, moved, twice in a text, several, none."""
    chat, texts = play.chat, SPAN_CONTENT[play.language]
    yes, none = texts["yes"], texts["none"]
    play.load_rows(
        [{"id": "1", "question": texts["question"], "first": texts["first"], "second": texts["second"]}] * 1
        + [{"id": "2", "question": texts["question"], "first": texts["twice"], "second": texts["second"]}],
        "questions:\n"
        f"- {{name: answerable, type: choice, text: '{texts['answerable']}', options: ['{yes}', '{texts['no']}']}}\n"
        f"- {{name: bridge, type: span, text: '{texts['bridge']}', field: first, show_if: {{answerable: '{yes}'}}}}\n"
        f"- {{name: answer, type: span, text: '{texts['answer']}', field: second, none: '{none}', most: 2,"
        f" show_if: {{answerable: '{yes}'}}}}\n",
        "[question, {{field: first, title: 1}}, {{field: second, title: 2}}]",
    )
    chat.tap("A" if play.language in LATIN else "А")
    chat.tap("2")  # the sentence
    chat.tap("3")
    play.tap("back")
    chat.tap("2")
    chat.tap("3")
    play.tap("span-start-on")
    play.tap("span-end-on")
    play.tap("span-save")
    chat.say(texts["typed"])
    play.tap("span-add")
    chat.say("1")
    chat.say("1")
    chat.tap("1")
    chat.say(play.say("span-save"))
    chat.tap("A" if play.language in LATIN else "А")
    chat.say("…")
    chat.say(texts["cat"])
    chat.tap("2")
    play.tap("span-change")
    chat.say(texts["cat"])
    chat.tap("1")
    play.tap("span-save")
    chat.tap(none)
    play.tap("undo")
    play.tap("keep")


def correcting(play: Play) -> None:
    """A story corrected paragraph by paragraph, with a pause, a way back and a text that was sent by mistake."""
    chat, own = play.chat, WRITING[play.language]
    (usable, [yes, no]), (why, [first, second]) = own["usable"], own["why"]
    play.load(
        rows=[{"id": str(at), "text": own["story"], "pool": "main"} for at in range(2)],
        items="{{file: {name}.jsonl, id: id, show: text}}",
        more="questions:\n"
        f"- {{name: result, type: choice, text: '{usable}', options: ['{yes}', '{no}']}}\n"
        f"- {{name: why, type: choices, text: '{why}', options: ['{first}', '{second}'], least: 1,"
        f" show_if: {{result: '{no}'}}}}\n"
        f"- {{name: fixed, type: edit, text: '{own['fix']}', field: text, show_if: {{result: '{yes}'}}}}\n"
        f"- {{name: comment, type: text, text: '{own['comment']}', required: no}}\n",
        code="code",
    )
    play.in_()
    chat.story.clear()
    chat.say("/start")
    chat.say("1")
    chat.say(own["fixed"])
    chat.say(own["remark"])
    play.tap("correction-reject")
    message = next(chat.numbers)
    chat.say(own["fixed-second"][:-1], message_id=message)
    chat.edit(message, own["fixed-second"])
    chat.say("/pause")
    chat.say("/start")
    chat.say(play.say("correction-accept").upper())
    chat.say(own["remark"])
    chat.tap("1 ✎")
    play.tap("correction-reset")
    chat.say(own["fixed"])
    play.tap("text-save")
    chat.say(own["remark"])
    play.tap("text-save")
    chat.say("2")
    chat.tap(f"☐ {own['why'][1][1]}")
    play.tap("done")
    play.tap("leave-open")
    stored = chat.judgements()[0].answers or {}
    assert stored["fixed"] == own["story"].replace(own["story"].split("\n\n")[0], own["fixed"]).replace(
        own["story"].split("\n\n")[1], own["fixed-second"]
    )


def filtering(play: Play) -> None:
    """A blind answer, then the right one and the problems: some are named, none is, a second look is skipped."""
    chat, texts = play.chat, FILTER_CONTENT[play.language]
    rows = [
        {"id": str(number), "context": texts["context"], "question": texts["question"], "options": texts["options"],
         "answer": texts["options"][1], "why": texts["why"], "story": str(number)}
        for number in range(3)
    ]  # fmt: skip
    play.load_rows(
        rows,
        "questions:\n"
        f"- {{name: answer, type: choice, text: '{texts['which']}'}}\n"
        f"- {{name: logic, type: choices, text: '{texts['logic']}', options: {texts['boxes']}, required: no,"
        " step: 2}\n"
        f"- {{name: other, type: text, text: '{texts['other']}', required: no, step: 2}}\n",
        "[{{field: context, title: 1, fold: yes}}, {{field: question, gap: ______}},"
        " {{field: answer, title: 2, step: 2}}], options: options, gold: answer, explanation: why, group: story",
    )
    chat.tap("A" if play.language in LATIN else "А")
    chat.tap("☐ A" if play.language in LATIN else "☐ А")
    play.tap("done")
    play.tap("leave-open")
    play.tap("undo")
    chat.say(play.say("second-none"))
    chat.tap("B" if play.language in LATIN else "Б")
    play.tap("second-none")
    chat.tap("B" if play.language in LATIN else "Б")
    play.tap("skip")
    play.tap("skip-unsure")


SPAN_CONTENT: Mapping[str, Mapping[str, str]] = {
    "uk": {
        "question": "Якою мовою писав автор «Енеїди»?",
        "first": "Першу частину «Енеїди» видали 1798 р. у Петербурзі. Її автор — Іван Котляревський.",
        "second": "Котляревський народився в Полтаві. Він писав живою українською мовою.",
        "twice": "Кіт і кіт.",
        "answerable": "Чи є відповідь у текстах?",
        "bridge": "Позначте в першому тексті те, що веде до другого.",
        "answer": "Позначте відповідь у другому тексті.",
        "yes": "є", "no": "немає", "none": "ніде", "typed": "українською", "cat": "КІТ",
    },
    "en": {
        "question": "In which language did the author write?",
        "first": "The first part was printed in St. Petersburg. Its author was Ivan Kotliarevsky.",
        "second": "Kotliarevsky was born in Poltava. He wrote in living Ukrainian.",
        "twice": "Cat and cat.",
        "answerable": "Do the texts answer it?",
        "bridge": "Mark in the first text what leads to the second.",
        "answer": "Mark the answer in the second text.",
        "yes": "yes", "no": "no", "none": "nowhere", "typed": "Ukrainian", "cat": "CAT",
    },
    "ru": {
        "question": "На каком языке писал автор?",
        "first": "Первую часть напечатали в г. Петербурге. Её автор — Иван Котляревский.",
        "second": "Котляревский родился в Полтаве. Он писал на живом украинском языке.",
        "twice": "Кот и кот.",
        "answerable": "Есть ли ответ в текстах?",
        "bridge": "Отметьте в первом тексте то, что ведёт ко второму.",
        "answer": "Отметьте ответ во втором тексте.",
        "yes": "есть", "no": "нет", "none": "нигде", "typed": "украинском", "cat": "КОТ",
    },
    "pl": {
        "question": "W jakim języku pisał autor?",
        "first": "Pierwszą część wydano w 1798 r. w Petersburgu. Jej autor to Iwan Kotlarewski.",
        "second": "Kotlarewski urodził się w Połtawie. Pisał żywym językiem ukraińskim.",
        "twice": "Kot i kot.",
        "answerable": "Czy w tekstach jest odpowiedź?",
        "bridge": "Zaznacz w pierwszym tekście to, co prowadzi do drugiego.",
        "answer": "Zaznacz odpowiedź w drugim tekście.",
        "yes": "jest", "no": "nie ma", "none": "nigdzie", "typed": "ukraińskim", "cat": "KOT",
    },
}  # fmt: skip
FILTER_CONTENT: Mapping[str, Mapping[str, Any]] = {
    "uk": {
        "context": "Кіт спав на печі, а пес стеріг двір.", "question": "Прийшов вовк, і загавкав ______.",
        "options": ["кіт", "пес"], "why": "Гавкають собаки.", "which": "Яке слово пропущено?",
        "logic": "Чи є вади логіки?", "boxes": "[відповідь невідома, можливі кілька відповідей]",
        "other": "Інша вада",
    },
    "en": {
        "context": "The cat slept, the dog guarded the yard.", "question": "A wolf came, and up barked the ______.",
        "options": ["cat", "dog"], "why": "Dogs bark.", "which": "Which word is missing?",
        "logic": "Is the logic flawed?", "boxes": "[the answer is unknown, several answers fit]",
        "other": "Another flaw",
    },
    "ru": {
        "context": "Кот спал на печи, а пёс стерёг двор.", "question": "Пришёл волк, и залаял ______.",
        "options": ["кот", "пёс"], "why": "Лают собаки.", "which": "Какое слово пропущено?",
        "logic": "Есть ли изъяны в логике?", "boxes": "[ответ неизвестен, возможно несколько ответов]",
        "other": "Другой изъян",
    },
    "pl": {
        "context": "Kot spał na piecu, a pies pilnował podwórka.", "question": "Przyszedł wilk i zaszczekał ______.",
        "options": ["kot", "pies"], "why": "Szczekają psy.", "which": "Którego słowa brakuje?",
        "logic": "Czy są błędy logiczne?", "boxes": "[odpowiedź jest nieznana, możliwych jest kilka odpowiedzi]",
        "other": "Inny błąd",
    },
}  # fmt: skip


COMPARED: Mapping[str, Mapping[str, Any]] = {
    "uk": {
        "question": "Яка казка краща?", "tie": "Однаково", "bad": "Обидві погані", "task": "Казка про лисицю.",
        "tales": ("Жила собі лисиця.", "Лисиця знайшла дзеркало."), "why": "Там щось сталося.",
        "typed": ("а, а не б", "першa", "обидві погані", "вторая"),
    },
    "en": {
        "question": "Which tale is better?", "tie": "The same", "bad": "Both are bad", "task": "A tale about a fox.",
        "tales": ("There was a fox.", "The fox found a mirror."), "why": "Something happens there.",
        "typed": ("a, not b", "the first", "both bad", "second"),
    },
    "ru": {
        "question": "Какая сказка лучше?", "tie": "Одинаково", "bad": "Обе плохие", "task": "Сказка о лисе.",
        "tales": ("Жила-была лиса.", "Лиса нашла зеркало."), "why": "Там что-то случилось.",
        "typed": ("а, а не б", "первая", "обе плохие", "second"),
    },
    "pl": {
        "question": "Która bajka jest lepsza?", "tie": "Tak samo", "bad": "Obie złe", "task": "Bajka o lisie.",
        "tales": ("Żył sobie lis.", "Lis znalazł lustro."), "why": "Tam coś się dzieje.",
        "typed": ("a, a nie b", "pierwsza", "obie złe", "druga"),
    },
}  # fmt: skip


def comparing(play: Play) -> None:
    """Two tales in one message: in training, by taps, typed, changed; two long ones with a way up; decided on."""
    chat, own = play.chat, COMPARED[play.language]
    row = {"task": own["task"], "a": own["tales"][0], "b": own["tales"][1], "m": "gpt", "n": "llama", "pool": "main"}
    row |= {"gold": "", "why": ""}
    rows = [row | {"id": "t", "gold": "b", "why": own["why"], "pool": "training"}]
    rows += [row | {"id": str(number), "task": own["task"] * 20 if number == 1 else own["task"]} for number in range(4)]
    rows[-1] |= {"a": own["tales"][0] * 120, "b": own["tales"][1] * 70}
    play.load(
        "stages: {training: {pool: {where: {pool: training}}, explain: yes}}\nseed: 1",
        rows=rows,
        items="{{file: {name}.jsonl, where: {{pool: main}}, id: id, show: task, gold: gold, explanation: why}}",
        question=f'{{type: preference, text: "{own["question"]}", sides: [a, b], systems: [m, n], tie: {own["tie"]},'
        f" both_bad: {own['bad']}}}",
        code="code",
    )
    play.in_()
    chat.story.clear()
    chat.say("/start")
    chat.press(chat.last.buttons[0][0].data, on=chat.last)
    play.tap("go-on")
    chat.tap(own["tie"])
    unclear, first, bad, second = own["typed"]
    chat.say(unclear)
    chat.say(first)
    play.tap("undo")
    opened = next(one for one in chat.screens if play.say("keep") in one.labels)
    chat.tap(own["bad"], on=opened)
    chat.say(bad)
    play.tap("more")
    play.tap("back")
    chat.tap("↑")
    chat.say(second)
    play.tap("undo")
    play.tap("keep")
    judge = type(chat)(chat.db, number=8, language=play.language)
    with chat.db.transaction() as session:
        project = queries.get_project(session, "words")
        cases.refresh_cases(session, project=project, question="answer", doubts={"1": {CaseReason.TIE}}, now=chat.now)
        invitations.create_invitation(session, target=project, code="judge", now=chat.now, adjudicates=True)
    judge.say("/start judge")
    judge.story.clear()
    judge.tap(play.say("language-name"))
    judge.say("1")
    chat.story += judge.story


def adjudicating(play: Play) -> None:
    """An invited adjudicator: one right answer, several, a broken item, a decision taken back, the end of the queue."""
    chat = play.chat
    play.load(items="{{file: {name}.jsonl, where: {{pool: main}}, id: id, show: text, options: options}}")
    voter = type(chat)(chat.db, number=8, language=play.language)
    voter.begin()
    for _ in range(3):
        voter.tap("А" if play.language not in LATIN else "A")
    with chat.db.transaction() as session:
        project = queries.get_project(session, "words")
        doubts = {
            "0": {CaseReason.TIE},
            "1": {CaseReason.LOW_CONFIDENCE, CaseReason.RULE_CONFLICT},
            "2": {CaseReason.TIE},
        }
        cases.refresh_cases(session, project=project, question="answer", doubts=doubts, now=chat.now)
        invitations.create_invitation(session, target=project, code="judge", now=chat.now, adjudicates=True)
    chat.say("/start judge")
    chat.tap(play.say("language-name"))
    chat.press(chat.last.buttons[0][0].data, on=chat.last)
    play.tap("case-several")
    chat.press(chat.last.buttons[0][1].data, on=chat.last)
    chat.press(chat.last.buttons[0][0].data, on=chat.last)
    play.tap("text-save")
    play.tap("case-broken")
    chat.say("?!")
    play.tap("case-broken")
    chat.say("2 × 2")
    play.tap("undo")
    play.tap("case-later")
    chat.say("hm")
    play.tap("case-stop")
    chat.say("/adjudicate")
    chat.say("/help")


STORIES = (
    *(joining, working, several, learning, rights, two_projects, typing, correcting, spans, filtering),
    *(adjudicating, resting, reminded, comparing, journey, returning, earning),
)


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
