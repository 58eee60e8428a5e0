"""One spelling of names: the key under which ids, people, labels and texts are compared, and look-alikes that remain.

Standard library only, so that every package can use it. Names are stored as they came; only their keys are compared.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

MAX_LISTED = 5
"""How many words a message lists."""
MAX_PAIRS = 3
"""How many groups of look-alike words a sentence names."""

_CONFUSABLE = str.maketrans("авекмнорстухіјѕԁԛԝһвαονρικυ’ʼ‘`´–—‑", "abekmhopctyxijsdqwhbaovpiku'''''---")
"""Cyrillic and Greek letters in lower case, and the Latin letter that looks alike in one case; apostrophes; dashes."""
_STROKED = str.maketrans("łŁøØđĐ", "lLoOdD")
"""Latin letters whose stroke Unicode does not take for an accent."""


def build_key(text: str) -> str:
    """Return the key under which a name or a displayed text is compared.

    It is in Unicode's form NFC, without white space around it, and each line ends with a line feed.
    """
    if text.isascii() and "\r" not in text:
        return text.strip()
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def index_names(names: Iterable[str]) -> dict[str, str]:
    """Return the names by their key; where two have the same key, the first."""
    by_key: dict[str, str] = {}
    for name in names:
        by_key.setdefault(build_key(name), name)
    return by_key


def find_name(written: str, names: Iterable[str]) -> str | None:
    """Return the one of some names that is spelled like `written`, or None if there is none."""
    key = build_key(written)
    return next((name for name in names if name == written or build_key(name) == key), None)


def build_skeleton(text: str) -> str:
    """Return what a reader sees of a name: equal for names that differ in case, invisible signs or alphabets alone."""
    if text.isascii():
        return " ".join(text.split()).casefold().replace("`", "'")
    visible = "".join(sign for sign in build_key(text) if not _is_invisible(sign))
    return " ".join(visible.split()).casefold().translate(_CONFUSABLE)


def strip_accents(text: str) -> str:
    """Return the text as people type it without the accents of a Latin alphabet: `pomin` for `pomiń`; others stay."""
    if text.isascii():
        return text
    plain = text.translate(_STROKED)
    return "".join(
        unicodedata.normalize("NFD", sign)[0] if "LATIN" in unicodedata.name(sign, "") else sign
        for sign in unicodedata.normalize("NFC", plain)
    )


def build_typed_key(text: str) -> str:
    """Return what is equal for names that differ in case, alphabet, Latin accents or the dots of «ё» alone."""
    return strip_accents(build_skeleton(text).replace("ё", "e"))


def find_lookalikes(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of different names that look alike, sorted.

    Names with the same key are one name here.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for name in index_names(names).values():
        groups[build_skeleton(name)].append(name)
    return tuple(sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1))


def describe_lookalikes(what: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence about names that look alike, or nothing if there are none; `what` is the noun, in plural."""
    groups = find_lookalikes(names)
    if not groups:
        return ()
    named = "; ".join(" and ".join(quote_words(group)) for group in groups[:MAX_PAIRS])
    more = f"; and {len(groups) - MAX_PAIRS} more" if len(groups) > MAX_PAIRS else ""
    return (f"Some {what} look alike and are different: {named}{more}. Give them one spelling if they are the same.",)


def quote_words(words: Iterable[str], *, beside: Iterable[str] = ()) -> list[str]:
    """Quote words for a message; signs that a reader cannot tell apart stand there with their code points.

    These are invisible signs, letters of another alphabet than the rest of the word, and signs in which the word
    differs from another one of `words` or `beside` that looks like it: `'y·U+0435·s'`.
    """
    listed = list(words)
    by_skeleton: dict[str, list[str]] = defaultdict(list)
    for word in (*listed, *beside):
        by_skeleton[build_skeleton(word)].append(word)
    return [_quote(word, by_skeleton) for word in listed]


def quote_word(word: str, *, beside: Iterable[str] = ()) -> str:
    """Quote a word for a message as `quote_words` does."""
    return quote_words((word,), beside=beside)[0]


def list_words(words: Iterable[str], *, beside: Iterable[str] = (), most: int = MAX_LISTED) -> str:
    """List words for a message as `join_first`, with the code points that `quote_words` shows.

    A word has quotes only if it is empty, or has a comma or a blank at its end.
    """
    return join_first(map(_unquote, quote_words(words, beside=beside)), most=most)


def _unquote(quoted: str) -> str:
    word = quoted[1:-1]
    return quoted if not word or "," in word or word != word.strip() else word


def join_first(words: Iterable[str], *, most: int = MAX_LISTED) -> str:
    """Join words for a message with commas; of more than `most` the first ones, and how many there are more."""
    listed = list(words)
    more = len(listed) - most
    return f"{', '.join(listed[:most])} and {more} more" if more > 0 else ", ".join(listed)


def find_similar(written: str, names: Iterable[str]) -> str | None:
    """Return the name that is most like a misspelt one, whatever their case; None if none is, or if it is the same."""
    by_case = {name.casefold(): name for name in names}
    key = written.casefold()
    matches = difflib.get_close_matches(key, list(by_case), n=MAX_LISTED)
    if not matches or by_case[matches[0]] == written:
        return None
    ratio = difflib.SequenceMatcher(b=key)

    def rank(name: str) -> tuple[float, bool]:
        ratio.set_seq1(name)
        return ratio.ratio(), name[:1] == key[:1]  # swapped letters seldom include the first one

    return by_case[max(matches, key=rank)]


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun: `1 time`, `2 times`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def describe_difference(first: str, second: str, *, context: int = 20) -> str:
    """Return where two texts differ first, as both parts in quotes with some signs around."""
    one, other = build_key(first), build_key(second)
    shorter = min(len(one), len(other))
    start = next((index for index in range(shorter) if one[index] != other[index]), shorter)
    parts = [text[max(0, start - context) : start + context] for text in (one, other)]
    shown = quote_words(parts)
    return f"{shown[0]} and {shown[1]}"


def _quote(word: str, by_skeleton: Mapping[str, Sequence[str]]) -> str:
    odd = _find_odd_signs(word)
    others = [other for other in by_skeleton[build_skeleton(word)] if build_key(other) != build_key(word)]
    if others and not odd and not any(map(_find_odd_signs, others)):
        common = set(build_key(others[0]))
        odd = {index for index, sign in enumerate(word) if not sign.isascii() and sign not in common}
    pieces: list[str] = []
    for index, sign in enumerate(word):
        if index in odd:
            pieces += ["" if not pieces or pieces[-1].endswith("·") else "·", f"U+{ord(sign):04X}", "·"]
        else:
            pieces.append(sign)
    shown = "".join(pieces)
    return f"'{shown[:-1] if odd and len(word) - 1 in odd else shown}'"


def _find_odd_signs(word: str) -> set[int]:
    """The positions of signs that a reader cannot see, or takes for others."""
    if word.isascii():
        return {index for index, sign in enumerate(word) if not sign.isprintable()}
    hidden = {index for index, sign in enumerate(word) if _is_invisible(sign) or (sign.isspace() and sign != " ")}
    hidden |= {index for index, sign in enumerate(word) if not sign.isprintable()}
    if unicodedata.normalize("NFC", word) != word:  # the mark after its letter, which is drawn as one letter
        hidden |= {index for index, sign in enumerate(word) if unicodedata.combining(sign)}
    return hidden | _find_foreign_letters(word)


def _find_foreign_letters(word: str) -> set[int]:
    """The positions of letters that are of another alphabet than most of the run of letters they are in."""
    foreign: set[int] = set()
    run: list[tuple[int, str]] = []
    for index, sign in enumerate((*word, " ")):
        if sign.isalpha():
            run.append((index, _get_alphabet(sign)))
        elif run and not unicodedata.combining(sign) and sign not in "'’ʼ":
            alphabets = [alphabet for _, alphabet in run]
            if len(set(alphabets)) > 1:
                main = max(dict.fromkeys(alphabets), key=alphabets.count)
                foreign |= {place for place, alphabet in run if alphabet != main}
            run = []
    return foreign


def _get_alphabet(letter: str) -> str:
    name = unicodedata.name(letter, "")
    return next((alphabet for alphabet in ("LATIN", "CYRILLIC", "GREEK") if name.startswith(alphabet)), "OTHER")


def _is_invisible(sign: str) -> bool:
    """Whether a sign takes no room: a zero-width one, a mark of direction, a variation selector, a soft hyphen."""
    return unicodedata.category(sign) == "Cf" or "\ufe00" <= sign <= "\ufe0f"
