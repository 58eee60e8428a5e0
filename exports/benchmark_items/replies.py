"""What readers of replies share: the reply without its reasoning, announced and framed answers, compared texts.

A build copies this file next to `scoring.py`, as it does `readers.py`, which imports it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from aggregation import scoring

T = TypeVar("T")


@dataclass(frozen=True)
class Reading(Generic[T]):
    """The two readings of a reply, each None if no answer can be read."""

    strict: T | None
    lenient: T | None


_REASONING_NAMES = "think|thinking|thought|reasoning|reflection"
_REASONING_START = re.compile(rf"<(?:{_REASONING_NAMES})>|\[THINK\]|<\|channel\|>analysis<\|message\|>", re.IGNORECASE)
_REASONING_END = re.compile(rf"</(?:{_REASONING_NAMES})>|\[/THINK\]|<\|channel\|>final<\|message\|>", re.IGNORECASE)
_END_TOKEN = re.compile(r"(?:<\|\w{1,32}\|>|</s>|<end_of_turn>)\Z")
_LONGEST_TOKEN = 36
_MOST_BEFORE = 3
"""How many words can be before those that announce an answer: `The right answer is`."""

QUOTES = "«»“”„‟‘’‚‹›\"'`"
LEAD = "[\\s*_`#>•·–—\\-(\\[«»“”„‘’‚‹›\"'$]*"
_ANNOUNCED = re.compile(
    r"(?P<final>\b(?:final|остаточн\w+|окончательн\w+|итогов\w+|фінальн\w+)\s+)?"
    r"\b(?:answers?|options?|choices?|відповід[ьі]|варіанти?|ответы?|варианты?|odpowied[zź]|numbers|номер[иа])"
    r"(?:\s+(?:ответа|відповіді))?[\s*_]*(?:\([^()\n]*\)[\s*_]*)?"
    r"(?:[:=]|\b(?:is|are|would be|є)\b\s*:?|[–—-]+\s+(?:(?:це|это|is)\b)?|\b(?:це|это)\b|(?<=\n))[\s*_]*|"
    r"\b(?:I(?:['’]d|['’]ll| would| will)? (?:choose|pick|select|go with)|обираю|оберу|вибираю|виберу|выбираю|выберу|"
    r"выбрала? бы|бы выбрала?)\s*:?\s+",
    re.IGNORECASE,
)
"""The words before an answer: `The answer is`, `Правильна відповідь:`, `Итоговый ответ –`."""
_FRAMES = (
    re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}"),
    re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.IGNORECASE | re.DOTALL),
)
_TEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}|\\[()\[\]]")
_FENCE = re.compile(r"```[\w-]*\n(.*?)\n?\s*```", re.DOTALL)
_ANSWER_KEYS = frozenset({"answer", "answers", "final_answer", "choice", "option", "label", "відповідь", "ответ"})
NEGATION = re.compile(
    r"\b(?:not|no|none|neither|never|except|wrong|incorrect|false|не|ні|ані|жод\w+|крім|окрім|нет|ни|кроме|"
    r"неправильн\w*|невірн\w*|хибн\w*|неверн\w*|ошибочн\w*|ложн\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_CYRILLIC_TWINS = str.maketrans("АВЕКМНОРСТХІЈЅ", "ABEKMHOPCTXIJS")


def strip_reasoning(reply: str) -> str | None:
    """The reply after its reasoning; None if the reasoning does not end, so that there is no answer."""
    if _is_object(reply):
        return reply.strip()  # what looks like reasoning in it is of the answer
    ends = [match.end() for match in _REASONING_END.finditer(reply)]
    answer = reply[ends[-1] :] if ends else reply
    if _REASONING_START.search(answer):
        return None
    answer = answer.strip()
    while (token := _END_TOKEN.search(answer, max(0, len(answer) - _LONGEST_TOKEN))) is not None:
        answer = answer[: token.start()].rstrip()
    return answer


def _is_object(text: str) -> bool:
    """Whether a text is an object of JSON and nothing else."""
    try:
        return text.strip()[:1] == "{" and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def clean_reply(reply: str, cue: str = "") -> str | None:
    """A reply without its reasoning and a repeated last line of the prompt; None if nothing is left."""
    text = strip_reasoning(reply)
    if text and cue.strip():
        text = text.removeprefix(cue.strip()).strip()
    return text or None


def strip_tex(text: str) -> str:
    """A text without the commands of TeX around letters."""
    return _TEX.sub(r"\1", text) if "\\" in text else text


def list_framed(text: str) -> list[str] | None:
    r"""The answers in JSON, in `\boxed{}` or in answer tags; None if a text has none of these.

    JSON is the whole text or its only block of code: an object with one answer, or a list.
    """
    blocks = _FENCE.findall(text)
    for candidate in (text, *(blocks if len(blocks) == 1 else ())):
        if candidate.strip()[:1] in ("{", "["):
            try:
                return _list_json(json.loads(candidate))
            except (ValueError, RecursionError):  # no JSON, or brackets without end
                continue
    for frame in _FRAMES:
        if found := frame.findall(text):
            return [strip_tex(part).strip(" $") for part in found]
    if len(blocks) == 1 and _FENCE.fullmatch(text.strip()):
        return [blocks[0].strip()]
    return None


def _list_json(content: Any) -> list[str]:
    """The only answer of an object, or the parts of a list as one text; nothing for what is no answer."""
    if isinstance(content, dict):
        found = [value for key, value in content.items() if str(key).strip().lower() in _ANSWER_KEYS]
        if len(found) != 1:
            return []
        (content,) = found
    parts = content if isinstance(content, list) else [content]
    if not all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts):
        return []
    return [", ".join(map(str, parts))]


def starts_announced(text: str) -> bool:
    """Whether the first words of a text announce an answer."""
    match = _ANNOUNCED.search(text)
    return match is not None and len(text[: match.start()].split()) <= _MOST_BEFORE


def list_announced(text: str) -> list[str]:
    """What follows each announcement of an answer, up to the next one; only final answers if there are any."""
    matches = list(_ANNOUNCED.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    parts = [(match["final"], text[match.end() : end].strip()) for match, end in zip(matches, ends, strict=False)]
    return [part for final, part in parts if final] or [part for _, part in parts]


def compose(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def fold_case(text: str) -> str:
    return re.sub(rf"[{scoring.APOSTROPHES}]", "'", compose(text)).casefold()


def fold_alphabet(letter: str) -> str:
    """A letter as it looks: А, В, С of the Cyrillic alphabet are A, B, C."""
    return compose(letter).upper().translate(_CYRILLIC_TWINS)


def build_key(text: str) -> str:
    """A text as texts of options are compared: words without case, punctuation, formatting and stress marks."""
    return scoring.remove_punctuation(re.sub("(?<=[Ѐ-ӿ])\u0301", "", compose(text)))


def fold_ends(text: str) -> str:
    """A text without case, a full stop at its end, and quotes around it."""
    bare = fold_case(text).removesuffix(".").strip()
    if len(bare) > 1 and bare[0] in QUOTES and bare[-1] in QUOTES:
        bare = bare[1:-1].strip()
    return bare.removesuffix(".")


def take_only(readings: set[T | None]) -> T | None:
    """The only reading; None if there are several, or none."""
    return next(iter(readings)) if len(readings) == 1 else None
