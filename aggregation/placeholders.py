"""Words that say nothing where a fact is asked for, those that say it is not known, and those that declare "none".

In English, Ukrainian, Russian and Polish. Whole texts are judged, or how they begin and end: a short answer such as
`no`, `uk` or `IRB 5` says something. Standard library only, so that every package can use it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_SAYS_NOTHING = re.compile(
    "na|nap|notapplicable|null|undefined|empty|blank|placeholder|test|testing|sample|text|string|value|lorem|loremipsum"
    "|todo|fixme|tbd|tba|tbc|tobe(?:done|determined|decided|added|announced|confirmed|filled|filledin|written)"
    "|fill(?:in|me|mein|thisin)|changeme|replaceme|later|something|anything|whatever|smth|etc"
    "|asdf|asdfgh|asd|qwe|qwerty|abc|foo|bar|foobar|blah|blahblah"
    "|нд|нз|незастосовно|незастосовується|(?:потрібно)?заповнити|заповнитипізніше|дописати|додати|уточнити"
    "|уточнюється|пізніше|потім|згодом|щось|будьщо|текст|тест|йцукен|фіва|абв"
    "|неприменимо|(?:нужно)?заполнить|заполнитьпозже|дописать|добавить|уточнить|уточняется|позже|потом|чтото|чтонибудь"
    "|фыва"
    "|nd|niedotyczy|(?:do)?uzupełni(?:ć|enia)|dopisać|dodać|doustalenia|później|potem|coś|cokolwiek|tekst"
)
"""Whole texts, by their letters and digits alone, that say nothing: `n/a`, `N. A.` and `na` are one."""
_IMPERATIVES = (
    "describe|explain|specify|insert|enter|write|fill(?: in)?|add|put|type|state|provide|give"
    "|опишіть|опиши|поясніть|вкажіть|впишіть|вставте|введіть|заповніть|додайте|напишіть"
    "|опишите|поясните|укажите|впишите|вставьте|введите|заполните|добавьте|напишите"
    "|opisz|wyjaśnij|podaj|wpisz|wstaw|wprowadź|uzupełnij|dodaj|napisz"
)
_HERE = "here|тут|здесь|tu|tutaj"
_ASKED = (
    "how|what|who|whom|which|whether|your|як|що|хто|кого|яка|яку|який|які|чи|ваш|вашу|скільки"
    "|как|что|кто|какая|какую|какой|какие|ли|сколько|jak|co|kto|kogo|jaka|jaki|jakie|czy|swój|twój|ile"
)
_TEXT = "text|answer|statement|description|текст|відповідь|опис|ответ|описание|tekst|odpowiedź"
_LEFTOVERS = tuple(
    map(
        re.compile,
        (
            rf"(?:please )?(?:{_IMPERATIVES})",
            rf"(?:please )?(?:{_IMPERATIVES})\b.{{0,80}}\b(?:{_HERE})",
            rf"(?:please )?(?:{_IMPERATIVES}),? (?:{_ASKED})\b.*",
            rf"(?:{_HERE}) (?:{_IMPERATIVES})\b.*",
            rf"(?:(?:your|ваш|twój) )?(?:own )?(?:{_TEXT})(?: (?:goes |буде |будет |będzie )?(?:{_HERE}))?",
            rf"(?:{_HERE}) (?:буде|будет|będzie) (?:{_TEXT})",
        ),
    )
)
"""What a template leaves where nobody wrote anything, as whole texts: "describe here", "your text"."""
_BRACKETS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\{+[^{}]*\}+")
_GAPS = re.compile(
    r"[<\[{]\s*(?:your|insert|describe|fill|name of|enter|add|ваш\w*|назва|назвіть|вставте|вкажіть|впишіть|опишіть"
    r"|название|назовите|вставьте|укажите|впишите|опишите|nazwa|wpisz|wstaw|opisz|twój)\b[^<>\[\]{}]*[>\]}]",
    re.IGNORECASE,
)
"""A gap in brackets within a text: approved by [name of the board]."""
_MARKS = re.compile(r"\b(?:TODO|FIXME|TBD)\b|(?i:\b(?:todo|fixme|tbd|tba|tbc|туду|тодо)\s*:)")
_BEGINS_MARKED = re.compile(r"\W*(?:(?:TODO|FIXME|TBD)\b|(?i:(?:todo|fixme|tbd)\s*:))")
_TRAILING = re.compile(r"(?:^|[^,;\s])\s+\.{3,}$")
"""An ellipsis where the rest of a sentence should be, apart from the word before; after a comma it ends a list."""
MOST_WORDS_IN_DOUBT = 3
"""A text of no more words that ends with a question mark is a doubt: `none?`."""

_SEPARATOR = r"\s*(?:$|[:;,.()–—-])"
_UNKNOWN = re.compile(
    r"(?:it is |this is |that is |we do |we |i do |i |it was |this was )?"
    r"(?:(?:not|never) (?:known|recorded|reported|stated|specified|documented|available|evidenced|declared|said|given)"
    r"|unknown|undeclared|unspecified|unreported|unclear|uncertain|none known of|no (?:data|information|records?|idea)"
    r"|(?:do not|don't|not) know|dunno|idk|nk|n/k|isn't known"
    r"|невідом[оаийі]|не ?відом[оаийі]|не знаю|не знаємо|не вказано|не зазначено|не повідомлено|не записано"
    r"|не фіксували|не зафіксовано|нема(?:є)? (?:даних|інформації|відомостей)|даних нема(?:є)?|без даних|невизначено"
    r"|неизвест(?:но|на|ен|ны)|не ?известн[оаы]|не известен|не знаю|не знаем|не указан[оаы]?|не сообщается|не записано"
    r"|не фиксировал(?:и|ось)|нет (?:данных|информации|сведений)|данных нет"
    r"|nieznan[eyai]|nie ?wiadomo|nie wiem|nie wiemy|brak (?:danych|informacji)|nie podano|nie zapisano|nie określono)"
    r"(?: (?:yet|here|to us|now|to me|нам|мені|мне|тут|здесь|jeszcze))?" + _SEPARATOR
)
_NONE = re.compile(
    r"(?:there (?:is|are|was|were) )?"
    r"(?:none|no|not any|nothing|nobody|no one|nil|zero|0|never|without any"
    r"|нема|немає|ні|ніхто|ніщо|нічого|нічим|ніяк(?:их|ої|ого)|жодн(?:их|ої|ого)|відсутн(?:і|є|я|ій)|не було"
    r"|не використовували"
    r"|нет|никто|ничто|ничего|ничем|никак(?:их|ой|ого)|отсутству(?:ет|ют)|не было|не использовал(?:и|ись)"
    r"|nie|brak|żadn(?:e|ych|a|ej|ego)|żaden|nikt|nic|niczym|nie było|nie używano)"
    r"(?: (?:known|at all|whatsoever|used|was used|were used|allowed|were allowed|was paid|взагалі|вообще|wcale))?"
    + _SEPARATOR
)
_EXCEPT = re.compile(r"\b(?:except|but|besides|apart|other than|крім|окрім|хіба|кроме|разве|oprócz|poza)\b")
_PAY = (
    "no|not|pay|payment|paid|unpaid|volunteers?|voluntary|free|of|charge|for|without|any|nobody|was|and"
    "|волонтер(?:и|ки|ів)?|безоплатно|без|оплати|не|платили|нічого|і|й|та"
    "|волонт[её]ры|добровольцы|бесплатно|оплаты|ничего|и"
    "|wolontariusze|wolontariat|nieodpłatnie|bezpłatnie|bez|wynagrodzenia|zapłaty|i"
)
_STIMULUS = (
    "no|not|differences?|differ|do|does|the|same|identical|any|it|is|they|are|everything|both|saw"
    "|відмінностей|різниці|немає|нема|однаков[оіе]|те|саме|не|відрізня(?:є|ю)ться"
    "|отличий|различий|разницы|нет|одинаков(?:о|ые)|то|же|самое|отлича(?:е|ю)тся"
    "|brak|różnic|identyczne|takie|to|samo"
)
_NONE_BY_FACT = {
    fact: re.compile(rf"(?:(?:{words})(?:\W+|$))+")
    for fact, words in {"pay": _PAY, "stimulus_differences": _STIMULUS}.items()
}
"""By fact the words of which a text that declares none may consist: `volunteers, unpaid`."""


def is_placeholder(text: str, *, meant: Iterable[str] = ()) -> bool:
    """Whether a text says nothing where a fact is asked for: `-`, `n/a`, `x`, `TODO`, `none?`, "describe here".

    `meant` are texts that only repeat the question: the name of the fact, and what it should state.
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    folded, core = _fold(plain), _squeeze(plain)
    return bool(
        not core
        or _is_one_letter(core)
        or _SAYS_NOTHING.fullmatch(core)
        or core in {_squeeze(unicodedata.normalize("NFKC", one)) for one in meant}
        or (plain.endswith("?") and len(plain.split()) <= MOST_WORDS_IN_DOUBT)
        or (_BRACKETS.fullmatch(plain) and "://" not in plain)
        or any(pattern.search(plain) for pattern in (_GAPS, _MARKS, _TRAILING))
        or any(pattern.fullmatch(folded) for pattern in _LEFTOVERS)
    )


def is_unwritten(text: str) -> bool:
    """Whether a text that people read was never written: without a letter, digit or picture, `TODO`, `lorem ipsum`."""
    plain = unicodedata.normalize("NFKC", text).strip()
    kinds = {unicodedata.category(letter) for letter in plain}
    return bool(
        not any(kind[0] in "LN" or kind == "So" for kind in kinds)
        or _BEGINS_MARKED.match(plain)
        or re.match("(?:todo|fixme|tbd|na|нд)$|loremipsum", _squeeze(plain))
    )


def has_control_characters(text: str) -> bool:
    """Whether a text has a control character other than a tab or a line end, as keys like Escape type at a terminal."""
    return any(unicodedata.category(letter) == "Cc" and letter not in "\t\n\r" for letter in text)


def is_unknown(text: str) -> bool:
    """Whether a text says that the fact is not known, with or without a reason: `not known: nobody was asked`."""
    return _UNKNOWN.match(_fold(text)) is not None


def declares_none(text: str, *, fact: str = "") -> bool:
    """Whether a text declares that there was none of what the fact is about: `none`, `ні`, `volunteers` of pay."""
    folded = _fold(text)
    if _EXCEPT.search(folded) or is_unknown(text):
        return False
    of_fact = _NONE_BY_FACT.get(fact)
    return _NONE.match(folded) is not None or (of_fact is not None and of_fact.fullmatch(folded) is not None)


def _fold(text: str) -> str:
    """A text in lower case and one spelling, without signs around it, its words one space apart."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(re.sub(r"^[\W_]+|[\W_]+$", "", plain).split())


def _squeeze(text: str) -> str:
    """The letters and digits of a text alone."""
    return re.sub(r"[\W_]+", "", text.casefold())


def _is_one_letter(core: str) -> bool:
    """Whether a text is one letter, once or more often: x, xxx. A Chinese sign is a word by itself."""
    return len(set(core)) == 1 and unicodedata.category(core[0]) in {"Lu", "Ll", "Lm"}
