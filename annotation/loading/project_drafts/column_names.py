"""The usual names of columns in English, Ukrainian and Russian, and what such columns hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum


class Role(StrEnum):
    """What a column holds, by the words of the option `--as`."""

    ITEM = "item"
    ANNOTATOR = "annotator"
    ANSWER = "answer"
    GOLD = "gold"
    TIME = "time"
    TEXT = "text"
    OPTIONS = "options"
    GROUP = "group"
    STATUS = "status"
    REMARK = "remark"
    PROFILE = "profile"


_NAMES: Mapping[Role, str] = {
    Role.ITEM: (
        "item, key, task, unit, hit, example, sample, id, qid, row, picture, image, photo, instance, idx, index, "
        "№, no, number, question number, ід, завдання, картинка, зображення, номер, приклад, ідентифікатор, ид, "
        "задание, изображение, пример, идентификатор"
    ),
    Role.ANNOTATOR: (
        "annotator, worker, who, user, username, user name, email, e mail, email address, coder, rater, judge, "
        "participant, prolific, prolific pid, person, respondent, expert, labeler, labeller, reviewer, evaluator, "
        "observer, student, your name, full name, nickname, login, піб, логін, нік, ваш нік, псевдонім, ваше прізвище, "
        "ваше імя та прізвище, прізвище та імя, ваша електронна адреса, ваша пошта, фио, логин, "
        "анотатор, анотаторка, розмітник, електронна адреса, електронна пошта, адреса "
        "електронної пошти, учасник, учасниця, користувач, експерт, експертка, імя, ваше імя, прізвище, хто, "
        "респондент, оцінювач, оцінювачка, пошта, аннотатор, разметчик, адрес электронной почты, электронная "
        "почта, участник, пользователь, имя, ваше имя, эксперт, кто, оценщик, почта"
    ),
    Role.ANSWER: (
        "answer, label, labels, vote, says, response, judgement, judgment, rating, score, choice, annotation, "
        "decision, verdict, value, class, category, stance, sentiment, grade, mark, assessment, відповідь, мітка, "
        "оцінка, голос, клас, категорія, рішення, вибір, розмітка, бал, ответ, метка, оценка, класс, категория, "
        "решение, выбор, разметка, балл"
    ),
    Role.GOLD: (
        "gold, truth, correct, correct answer, correctanswer, right answer, ground truth, groundtruth, golden, "
        "target, is, reference answer, еталон, правильна відповідь, правильно, вірна відповідь, правда, истина, "
        "эталон, правильный ответ, верный ответ, правильный"
    ),
    Role.TIME: (
        "time, timestamp, start time, completion time, час початку, час завершення, "
        "date, datetime, when, created at, submitted at, submit time, submittime, позначка часу, "
        "час, дата, коли, відмітка часу, отметка времени, время, когда"
    ),
    Role.TEXT: (
        "text, sentence, question, prompt, statement, content, story, passage, input, tweet, review, premise, "
        "hypothesis, claim, headline, title, word, phrase, term, слово, фраза, context, body, message, post, "
        "source, translation, текст, речення, питання, запитання, твердження, заголовок, повідомлення, допис, "
        "переклад, предложение, вопрос, утверждение, сообщение, перевод"
    ),
    Role.OPTIONS: ("options, choices, variants, варіанти, варіанти відповіді, варианты, варианты ответа"),
    Role.GROUP: ("group, story, document, article, cluster, група, документ, стаття, группа, статья"),
    Role.STATUS: ("status, state, assignment status, assignmentstatus, статус, стан"),
    Role.REMARK: (
        "comment, comments, note, notes, remark, remarks, feedback, explanation, majority, majority label, "
        "majority vote, consensus, final, final label, mean, average, agreement, confidence, lead time, seconds, "
        "duration, коментар, коментарі, примітка, примітки, зауваження, пояснення, більшість, консенсус, "
        "підсумок, середнє, тривалість, комментарий, примечание, пояснение, большинство, итог, среднее, "
        "длительность"
    ),
    Role.PROFILE: (
        "phone, phone number, telegram, телефон, ваш телефон, номер телефону, телеграм, "
        "age, sex, gender, country, city, education, native language, consent, вік, стать, місто, освіта, рідна "
        "мова, згода, возраст, пол, город, образование, родной язык, согласие"
    ),
}
_BY_NAME: Mapping[str, Role] = {
    name.strip(): role for role, names in reversed([*_NAMES.items()]) for name in names.split(",")
}
_RATING = frozenset(["rating", "score", "grade", "stars", "points", "оцінка", "бал", "бали", "оценка", "балл", "баллы"])
_NUMBERING = ("id", "ids", "name", "identifier", "ід", "ид", "номер", "number")
_INDEX_OF_PANDAS = re.compile(r"Unnamed: \d+(?:_level_\d+)?|level_\d+|__index_level_\d+__")
"""What pandas calls a column without a name: mostly the numbers of its rows."""
_CAMEL = re.compile(r"(?<=[a-zа-яіїєґ])(?=[A-ZА-ЯІЇЄҐ])")
_SIGNS = re.compile(r"[\W_]+")
_GOLD_BEGINS = ("gold", "true", "correct", "expected", "еталонн", "правильн", "эталонн")
_ANSWER_ENDS = (
    "answer",
    "label",
    "rating",
    "score",
    "vote",
    "відповідь",
    "оцінка",
    "мітка",
    "ответ",
    "оценка",
    "метка",
)
_OPTION = re.compile(
    r"(?:.* )?(?:option|choice|variant|opt|варіант|опція|вариант|опция)(?: відповіді| ответа)? ?"
    r"(?:[a-hабвгд]|\d{1,2}|one|two|three|four)|[a-f]"
)


def normalise_name(name: str) -> str:
    """Return the words of a column's name in lower case: `workerID`, `Worker_id` and `worker id` are the same."""
    apart = _CAMEL.sub(" ", name).replace("'", "").replace("’", "").replace("ʼ", "")  # apostrophes
    return _SIGNS.sub(" ", apart if "№" not in apart else apart.replace("№", " № ")).strip().casefold() or (
        "№" if "№" in name else ""
    )


def find_role(name: str) -> Role | None:
    """Return what a column of this name usually holds, or None if its name says nothing."""
    if _INDEX_OF_PANDAS.fullmatch(name):
        return Role.REMARK
    words = normalise_name(name.rpartition(".")[2] or name)
    role = _BY_NAME.get(words)
    if role is None and words.endswith("s") and _BY_NAME.get(words[:-1]) in {Role.ANNOTATOR, Role.ANSWER}:
        role = _BY_NAME[words[:-1]]  # lists of people and their answers in one row
    return role or _find_by_parts(words.split())


def is_numbering(name: str) -> bool:
    """Return whether a name says that the column numbers the rows, whatever they are."""
    return normalise_name(name) in {*_NUMBERING, "no", "№", "row", "index", "idx"}


def is_usual(name: str) -> bool:
    """Return whether the whole name is a usual one, not only a part of it."""
    return normalise_name(name) in _BY_NAME


def _find_by_parts(parts: Sequence[str]) -> Role | None:
    """The role that the first or the last word of a name of several words tells."""
    if not 1 < len(parts) <= 4:
        return None
    first, last = parts[0], parts[-1]
    if last in _NUMBERING:
        role = _BY_NAME.get(" ".join(parts[:-1])) or _BY_NAME.get(parts[-2], Role.ITEM)
        return role if role in {Role.ANNOTATOR, Role.GROUP} else Role.ITEM
    by_last = {"options": Role.OPTIONS, "choices": Role.OPTIONS, "text": Role.TEXT, "текст": Role.TEXT}
    by_last |= dict.fromkeys(_ANSWER_ENDS, Role.ANSWER)
    if first in _NUMBERING[:1]:
        return Role.ITEM
    return Role.GOLD if first.startswith(_GOLD_BEGINS) else by_last.get(last)


def list_option_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that hold one option each, such as `option_a` or `A`; at least two of one kind, else none."""
    found = [name for name in names if _OPTION.fullmatch(normalise_name(name))]
    long = tuple(name for name in found if len(normalise_name(name)) > 1)
    letters = tuple(name for name in found if len(normalise_name(name)) == 1)
    if len(long) > 1:
        return long
    are_letters = len(letters) > 1 and [normalise_name(name) for name in letters] == [*"abcdef"[: len(letters)]]
    return letters if are_letters else ()


def says_rating(name: str) -> bool:
    """Return whether a column of this name holds points of a scale."""
    return not _RATING.isdisjoint(normalise_name(name).split())
