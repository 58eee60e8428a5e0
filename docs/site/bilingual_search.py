"""Search by the words of a question in English or Ukrainian, in any of their forms."""

import json
import re
from pathlib import Path
from typing import ClassVar

from sphinx import package_dir
from sphinx.search.en import SearchEnglish

RANKING = Path(__file__).with_name("ranking.js")
SCRIPTS = package_dir / "search/minified-js"
NOUNS = (
    "а|я|о|е|и|і|ї|у|ю|ь|й|ам|ям|ом|ем|єм|ах|ях|ами|ями|ів|їв|ей|ові|еві|єві|ою|ею|єю|ість|ості|істю|остей|остям|остях"
)
ADJECTIVES = "ий|ій|є|ого|його|ьому|ому|єму|им|їм|их|їх|ими|їми|ої|ьої|її|ую|юю"
VERBS = (
    "ти|ть|іть|йте|ться|тися|тись|ати|яти|ити|іти|увати|ювати|ає|яє|ує|ює|ить|їть|ають|яють|ують|юють"
    "|ав|яв|ив|ала|яла|ила|али|яли|или|ало|яло|ило|ував|ював|увала|ювала|ували|ювали"
)
RULES = [
    (f"^(.{{3,}}?)(?:{NOUNS}|{ADJECTIVES}|{VERBS})$", "$1"),
    (r"(.)\1$", "$1"),  # узгодження, узгоджень
    (r"([^аеєиіїоуюя])[оеє]([кцн])$", "$1$2"),  # оцінка, оцінок
    (r"ц$", "к"),  # оцінка, оцінці
]
"""Patterns with what each match becomes, in turn; both languages of programming read them alike."""


def stem_ukrainian(word: str) -> str:
    """Return what the forms of a word in lower case have in common. It need not be a word."""
    for pattern, replacement in RULES:
        word = re.sub(pattern, replacement.replace("$", "\\"), word)
    return word


class BilingualSearch(SearchEnglish):  # type: ignore[misc]  # Sphinx is in an environment of its own
    """English as Sphinx reads it; words in Cyrillic without their endings.

    A light stemmer: some words share a stem that are not related, which adds results below those that were meant.
    """

    lang = "en-uk"
    js_stemmer_rawcode = ""
    js_stemmer_code: ClassVar[str] = (
        "".join((SCRIPTS / name).read_text("utf-8") for name in ("base-stemmer.js", "english-stemmer.js"))
        + f"""
const RULES = {json.dumps(RULES)};
class Stemmer {{
  english = new EnglishStemmer();
  stemWord(word) {{
    if (!/[\\u0400-\\u04ff]/.test(word)) return this.english.stemWord(word);
    return RULES.reduce((left, [pattern, replacement]) => left.replace(new RegExp(pattern), replacement), word);
  }}
}}
window.Stemmer = Stemmer;
"""
        + RANKING.read_text("utf-8")
    )

    def stem(self, word: str) -> str:
        """Return the stem under which a word is in the index."""
        word = word.lower()
        return stem_ukrainian(word) if re.search("[\u0400-\u04ff]", word) else super().stem(word)
